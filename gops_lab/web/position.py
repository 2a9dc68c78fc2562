"""A position as a link: rules, objective and line of play in one line of text.

A link is made of fields like those of an address, ``cards=6&objective=win&line=5:3:4,2``:

=============== ==================================================================================
field           what it holds
=============== ==================================================================================
rules           ``cards``, ``hand_a``, ``hand_b``, ``prizes``, ``ties``, ``order``,
                ``negative_stakes``, ``rounds``: arguments of `gops_lab.Rules`, lists with commas
``objective``   ``margin`` (default) or ``win``
``games``       games in the match, default 1; the totals of all are added
``at_...``      ``at_hand_a``, ``at_lead``, ...: arguments of `gops_lab.State`, where the first
                game is not begun at its start
``line``        the line of play: ``prize:A's bid:B's bid`` for every round, commas between them,
                the last one without bids while they are awaited; ``/`` before the next game
=============== ==================================================================================
"""

from __future__ import annotations

import reprlib
from collections.abc import Mapping
from dataclasses import dataclass, replace
from urllib.parse import parse_qsl, urlencode

from gops_lab.errors import ArgumentError
from gops_lab.explorer import Line, read_rules, read_state, rules_fields, state_fields
from gops_lab.explorer.forms import RULES_FIELDS, STATE_FIELDS, read_integer
from gops_lab.game import Rules, start
from gops_lab.game.objectives import NAMED_OBJECTIVES

MOST_GAMES = 3
"""Longest match."""

LONGEST_LINK = 4000
"""Most characters of a link; a match of three games with the full deck has about 400."""

FIELDS = (*RULES_FIELDS, "objective", "games", *(f"at_{name}" for name in STATE_FIELDS), "line")


@dataclass(frozen=True)
class Position:
    """A game or match as far as it has been played.

    Attributes
    ----------
    objective : str
        Name of the objective; in a match, of the final total.
    games : int
        Games in the match.
    lines : tuple of Line
        The games that have been begun, the present one last. Leads count from the start of the
        match.
    """

    objective: str
    games: int
    lines: tuple[Line, ...]

    @property
    def rules(self) -> Rules:
        """The rules of every game."""
        return self.line.rules

    @property
    def line(self) -> Line:
        """The game that is being played."""
        return self.lines[-1]

    @property
    def game(self) -> int:
        """Its number."""
        return len(self.lines)

    def at(self, line: Line) -> Position:
        """Return the position with the present game played in another way."""
        return replace(self, lines=(*self.lines[:-1], line))


def read_position(link: str) -> Position:
    """Return the position that a link describes.

    Parameters
    ----------
    link : str
        See this module.

    Returns
    -------
    Position

    Raises
    ------
    ArgumentError
        If the link is too long, or a field is not known or cannot be read.
    RulesError, StateError
        If there are no such rules, or they do not allow the line.

    Examples
    --------
    >>> position = read_position("cards=3&line=3:1:2,1")
    >>> position.line.state
    State(hand_a=(2, 3), hand_b=(1, 3), prizes=(2,), upcard=1, carried=0, lead=-3)
    >>> write_position(position)
    'cards=3&line=3:1:2,1'
    """
    fields = _fields(link)
    rules = read_rules({name: fields[name] for name in RULES_FIELDS if name in fields})
    objective = fields.get("objective") or "margin"
    if objective not in NAMED_OBJECTIVES:
        raise ArgumentError(
            f"objective must be one of {', '.join(sorted(NAMED_OBJECTIVES))}, "
            f"not {reprlib.repr(objective)}"
        )
    games = read_integer("games", fields.get("games") or "1")
    if not 1 <= games <= MOST_GAMES:
        raise ArgumentError(f"games must be from 1 to {MOST_GAMES}, not {games}")
    at = {name: fields[f"at_{name}"] for name in STATE_FIELDS if f"at_{name}" in fields}
    begun = read_state(rules, at) if at else start(rules)
    lines: list[Line] = []
    for written in (fields.get("line") or "").split("/"):
        if lines:
            if not lines[-1].is_over:
                raise ArgumentError("line goes on with another game before one is over")
            if len(lines) == games:
                raise ArgumentError(f"line holds more than {games} games")
            begun = replace(start(rules), lead=lines[-1].state.lead)
        lines.append(_line(Line(rules, (begun,)), written))
    return Position(objective, games, tuple(lines))


def write_position(position: Position) -> str:
    """Return the link of a position; what is usual is left out.

    Examples
    --------
    >>> write_position(read_position("ties=carry&cards=4&games=1"))
    'cards=4'
    """
    usual = rules_fields(Rules(cards=position.rules.cards))
    fields = {
        name: written.replace(" ", ",")
        for name, written in rules_fields(position.rules).items()
        if name == "cards" or written != usual[name]
    }
    if position.objective != "margin":
        fields["objective"] = position.objective
    if position.games > 1:
        fields["games"] = str(position.games)
    first = position.lines[0].states[0]
    if first != start(position.rules):
        fields |= {
            f"at_{name}": written.replace(" ", ",")
            for name, written in state_fields(first).items()
            if written not in ("", "0")
        }
    lines = "/".join(map(_written, position.lines))
    if lines:
        fields["line"] = lines
    return urlencode(fields, safe=":,/+")


def _fields(link: str) -> Mapping[str, str]:
    if len(link) > LONGEST_LINK:
        raise ArgumentError(
            f"the link has {len(link):,} characters; at most {LONGEST_LINK:,} are read"
        )
    try:
        pairs = parse_qsl(
            link, keep_blank_values=True, strict_parsing=bool(link), errors="strict",
            max_num_fields=len(FIELDS),
        )
    except ValueError:  # also of text that is no UTF-8
        raise ArgumentError(
            "the link cannot be read; links are like cards=6&line=5:3:4,2"
        ) from None
    fields = dict(pairs)
    odd = next((name for name in fields if name not in FIELDS), None)
    if odd is not None:
        raise ArgumentError(
            f"{reprlib.repr(odd)} is not a field of a link; those known are {', '.join(FIELDS)}"
        )
    if len(fields) < len(pairs):
        raise ArgumentError("the link holds a field twice")
    return fields


def _line(line: Line, written: str) -> Line:
    for step in written.split(",") if written else ():
        numbers = [read_integer("line", part) for part in step.split(":")]
        if len(numbers) not in (1, 3):
            raise ArgumentError(
                f"line must be made of rounds like 5:3:4, not {reprlib.repr(step)}"
            )
        upcard, *bids = numbers
        if line.state.upcard != upcard:
            line = line.expose(upcard)
        if bids:
            line = line.bid(*bids)
    return line


def _written(line: Line) -> str:
    steps = [f"{played.upcard}:{played.bid_a}:{played.bid_b}" for played in line.rounds]
    if len(line.states) > 1 and line.state.upcard is not None:
        steps.append(str(line.state.upcard))
    return ",".join(steps)
