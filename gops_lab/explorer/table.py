"""Where every card lies on the table: in a hand, spent, captured, tied, or gone."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

from gops_lab.explorer.line import Line
from gops_lab.game import Round, Rules, settle

TAKERS = ("a", "b", "table", "both", "nobody")
"""What can become of a stake: a player takes it, it stays, it is shared, it is removed."""


@dataclass(frozen=True)
class Table:
    """Where the cards lie after a line of play.

    Attributes
    ----------
    spent_a, spent_b : tuple of int
        Ranks that are no longer in the hands, lowest first.
    captured_a, captured_b : tuple of int
        Prizes taken on this line, in the order in which they were exposed.
    tied : tuple of int
        Prizes that were carried over from tied rounds of this line and lie on the table.
    gone : tuple of int
        Prizes that were shared or removed.
    carried_before : int
        Points that were on the table before this line began, the prizes unknown.
    """

    spent_a: tuple[int, ...]
    spent_b: tuple[int, ...]
    captured_a: tuple[int, ...]
    captured_b: tuple[int, ...]
    tied: tuple[int, ...]
    gone: tuple[int, ...]
    carried_before: int


def table_of(line: Line) -> Table:
    """Return where the cards lie after a line of play.

    Parameters
    ----------
    line : Line

    Returns
    -------
    Table

    Examples
    --------
    >>> line = Line(Rules(cards=3)).expose(3).bid(2, 2).expose(1).bid(1, 3)
    >>> table_of(line).captured_b, table_of(line).spent_a
    ((3, 1), (1, 2))
    """
    piles: dict[str, list[int]] = {name: [] for name in ("a", "b", "gone")}
    tied: list[int] = []
    before = line.states[0].carried
    for played in line.rounds:
        tied.append(played.upcard)
        where = taker(line.rules, played)
        if where != "table":
            piles[where if where in "ab" else "gone"] += tied
            tied, before = [], 0
    return Table(
        spent_a=_without(line.rules.hand_a, line.state.hand_a),
        spent_b=_without(line.rules.hand_b, line.state.hand_b),
        captured_a=tuple(piles["a"]),
        captured_b=tuple(piles["b"]),
        tied=tuple(tied),
        gone=tuple(piles["gone"]),
        carried_before=before,
    )


def taker(rules: Rules, played: Round) -> str:
    """Return what became of a round's stake.

    Parameters
    ----------
    rules : Rules
        Of the game in which it was played.
    played : Round

    Returns
    -------
    str
        One of `TAKERS`.

    Examples
    --------
    >>> taker(Rules(cards=2), Round(1, 2, 2, stake=1, gain_a=0, gain_b=0, carried=1))
    'table'
    """
    comparison = played.bid_a - played.bid_b
    if comparison == 0:
        rule = rules.tie_rule
        return "table" if rule.carried else "both" if rule.share else "nobody"
    # Who takes a stake of 0 cannot be told from the points.
    gain_a, _, _ = settle(rules, played.stake or 1, comparison)
    return "a" if gain_a else "b"


def _without(dealt: tuple[int, ...], held: tuple[int, ...]) -> tuple[int, ...]:
    return tuple(sorted((Counter(dealt) - Counter(held)).elements()))
