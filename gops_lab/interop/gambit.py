"""Games for Gambit: small decks as extensive games, stage games as strategic games, all exact.

Payoffs are A's and their negatives for B, as fractions; a float is written as the fraction that it
is. The files are Gambit's ``.efg`` and ``.nfg``, version 16.
"""

from __future__ import annotations

import io
import os
from collections.abc import Iterator
from fractions import Fraction
from typing import Any

import pandas as pd

from gops_lab.errors import RulesError, SolverError, TableError, missing
from gops_lab.game import Rules, as_objective
from gops_lab.game.state import side_of
from gops_lab.interop.positions import Position, Tree, recalled
from gops_lab.reporting.formats import check_file, write_file

try:
    import pygambit
except ImportError as error:
    raise missing("pygambit", "gambit") from error

__all__ = [
    "extensive_game", "extreme_strategies", "strategic_game", "write_efg", "write_nfg",
]  # fmt: skip

MOST_NODES = 100_000
"""Most nodes of an extensive game: a shuffle of 4 cards fits, one of 5 does not."""


def write_efg(rules: Rules, file: str | os.PathLike[str], objective: object = "margin") -> None:
    """Write a whole game as a Gambit ``.efg`` file; for small decks.

    A bids first and B does not see it. Rounds in which nobody has a choice are left out.

    Parameters
    ----------
    rules : Rules
    file : path
    objective : {"margin", "win"}, callable or dict
        A's utility of the final lead.

    Raises
    ------
    RulesError
        If the game has more than 100,000 nodes.
    TableError
        If the file cannot be written.
    """
    check_file(file)
    write_file(file, _efg(rules, objective).encode(), TableError)


def write_nfg(stage_game: pd.DataFrame, file: str | os.PathLike[str]) -> None:
    """Write a stage game as a Gambit ``.nfg`` file.

    Parameters
    ----------
    stage_game : DataFrame
        A's payoffs, rows A's bids, columns B's bids: what ``solution.stage_game(state)`` returns.
    file : path

    Raises
    ------
    TableError
        If the file cannot be written.
    """
    check_file(file)
    write_file(file, _nfg(stage_game).encode(), TableError)


def extensive_game(rules: Rules, objective: object = "margin") -> pygambit.Game:
    """Return a whole game as a Gambit game; see `write_efg`.

    Raises
    ------
    RulesError
        If the game has more than 100,000 nodes.

    Examples
    --------
    >>> game = extensive_game(Rules(cards=2))
    >>> [len(player.infosets) for player in game.players]
    [2, 2]
    """
    return pygambit.read_efg(io.BytesIO(_efg(rules, objective).encode()))


def strategic_game(stage_game: pd.DataFrame) -> pygambit.Game:
    """Return a stage game as a Gambit game; see `write_nfg`.

    Examples
    --------
    >>> import gops_lab as gl
    >>> solution = gl.solve(Rules(cards=3, ties="discard"), exact=True)
    >>> game = strategic_game(solution.stage_game(gl.State((1, 3), (2, 3), (3,), upcard=2)))
    >>> [strategy.label for strategy in game.players["B"].strategies]
    ['bid 2', 'bid 3']
    """
    return pygambit.read_nfg(io.BytesIO(_nfg(stage_game).encode()))


def extreme_strategies(stage_game: pd.DataFrame, player: str = "a") -> pd.DataFrame:
    """Return all extreme optimal strategies of a player in a stage game, exactly.

    The corners of the set of optimal strategies, every other one a mean of them; found by Gambit's
    enumeration of extreme equilibria (``enummixed_solve``). Exact for the payoffs given, so that
    rounded payoffs may have fewer of them than the game: ``solve(..., exact=True)`` has fractions.

    Parameters
    ----------
    stage_game : DataFrame
        A's payoffs, rows A's bids, columns B's bids.
    player : {"a", "b"}

    Returns
    -------
    DataFrame
        One row for each strategy, one column for each bid; entries `Fraction`.

    Raises
    ------
    StateError
        If the player is neither "a" nor "b".
    SolverError
        If Gambit finds none.

    Examples
    --------
    >>> import gops_lab as gl
    >>> solution = gl.solve(Rules(cards=3, ties="discard"), exact=True)
    >>> game = solution.stage_game(gl.State((1, 2, 3), (1, 2, 3), (2, 3), upcard=1))
    >>> extreme_strategies(game).astype(str)
    bid  1  2  3
    0    1  0  0
    """
    side = side_of(player)
    found = pygambit.nash.enummixed_solve(strategic_game(_scaled(stage_game)), rational=True)
    if not len(found.equilibria):
        raise SolverError("Gambit found no equilibrium; every stage game has one")
    bids = stage_game.columns if side else stage_game.index
    rows = set()
    for profile in found.equilibria:
        strategies = list(profile.game.players)[side].strategies
        rows.add(tuple(Fraction(str(profile[strategy])) for strategy in strategies))
    columns = pd.Index(bids, name="bid")
    return pd.DataFrame(sorted(rows, reverse=True), columns=columns, dtype=object)


def _scaled(stage_game: pd.DataFrame) -> pd.DataFrame:
    """Return payoffs between 0 and 1, with the same optimal strategies.

    Of whole numbers above some 2**31 pygambit 16.7 finds no equilibrium, without an error.
    """
    exact = stage_game.map(Fraction)
    entries = [entry for column in exact for entry in exact[column]]
    least, spread = min(entries), max(entries) - min(entries)
    return exact.map(lambda entry: (entry - least) / (spread or 1))


def _nfg(stage_game: pd.DataFrame) -> str:
    # Gambit names strategies 1, 2, ... before it reads their labels, and then refuses label 2 for
    # the first of them as taken; no number alone is safe.
    rows, columns = (
        " ".join(f'"bid {bid}"' for bid in bids) for bids in (stage_game.index, stage_game.columns)
    )
    # Outcomes are numbered with A's strategy running fastest.
    payoffs = [
        Fraction(entry) for column in stage_game.columns for entry in stage_game[column].tolist()
    ]
    return "\n".join([
        'NFG 1 R "A stage game of GOPS" { "A" "B" }',
        f"{{ {{ {rows} }}", f"{{ {columns} }} }}", '""', "{",
        *(f'{{ "" {payoff}, {-payoff} }}' for payoff in payoffs), "}",
        " ".join(str(number) for number in range(1, len(payoffs) + 1)), "",
    ])  # fmt: skip


def _efg(rules: Rules, objective: object) -> str:
    nodes = []
    for node in _nodes(rules, objective):
        nodes.append(node)
        if len(nodes) > MOST_NODES:
            raise RulesError(
                f"{rules!r} has more than {MOST_NODES:,} nodes, too many for an extensive "
                "game; write_nfg writes single stage games"
            )
    head = f'EFG 2 R "{str(rules).replace(chr(34), "")}" {{ "A" "B" }}'
    return "\n".join([head, '""', *nodes, ""])


def _nodes(rules: Rules, objective: object) -> Iterator[str]:
    """Yield the lines of an extensive game, node by node, parents first."""
    tree = Tree(rules)
    goal = as_objective(objective)
    outcomes: dict[int, int] = {}
    infosets = [0, 0, 0]

    def below(position: Position) -> Iterator[str]:
        if tree.is_over(position):
            lead = position.table.lead
            number = outcomes.setdefault(lead, len(outcomes) + 1)
            payoff = Fraction(goal(lead))
            yield f't "" {number} "lead {lead}" {{ {payoff}, {-payoff} }}'
        elif position.table.upcard is None:
            chances = tree.chances(position)
            actions = " ".join(f'"{tree.prizes[action]}" {chance}' for action, chance in chances)
            yield f'c "" {_next(infosets, 2)} "" {{ {actions} }} 0'
            for action, _ in chances:
                yield from below(tree.exposed(position, action))
        else:
            label = recalled(position)
            number = _next(infosets, 1)
            yield f'p "" 1 {_next(infosets, 0)} "{label}" {_bids(tree, position, 0)} 0'
            for bid_a in tree.legal(position, 0):
                yield f'p "" 2 {number} "{label}" {_bids(tree, position, 1)} 0'
                for bid_b in tree.legal(position, 1):
                    yield from below(tree.bid(position, bid_a, bid_b))

    yield from below(tree.root)


def _next(counters: list[int], which: int) -> int:
    counters[which] += 1
    return counters[which]


def _bids(tree: Tree, position: Position, player: int) -> str:
    legal: list[Any] = [tree.ranks[player][action] for action in tree.legal(position, player)]
    return "{ " + " ".join(f'"{bid}"' for bid in legal) + " }"
