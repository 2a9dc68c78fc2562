"""The page as one file that needs no server: everything it can be asked is inside.

A small game is inside with all states that play can reach, a large one with those of the line of
play. Only states that differ in what they are worth are kept: hands count through their pattern
(`gops_lab.encoding.Patterns`), upcard and carried points through the stake, and under margin the
lead is left out. The page finds a state by its key and adds the lead; what a pair of bids does is
inside as well, so that the page needs no rule of the game.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from itertools import combinations, product
from typing import Any

import numpy as np

from gops_lab.encoding import Patterns
from gops_lab.errors import ArgumentError
from gops_lab.explorer import view
from gops_lab.game import Rules, State, lead_change, start, upcards
from gops_lab.induction import Solution
from gops_lab.web.answers import about, outcomes, pairs
from gops_lab.web.position import Position, write_position
from gops_lab.web.records import DIGITS, Record, node_record, record, stage_records
from gops_lab.web.single_file import single_file
from gops_lab.web.solutions import Solutions

MOST_STATES = 40_000
"""Most states in one file: enough for all of 6 cards played for points."""

MOST_CARDS = 6
"""Most cards of a game that is put into a file as a whole."""

ROUNDING = 10.0**-DIGITS
"""What rounding may change in a value, added to its certified error."""

Cards = tuple[int, ...]


def exported_page(position: Position, solutions: Solutions) -> str:
    """Return the page as one file.

    Parameters
    ----------
    position : Position
        What is shown first. Of a game that is too large for all its states to be inside, the line
        of play is.
    solutions : Solutions

    Returns
    -------
    str
        HTML.

    Raises
    ------
    ArgumentError
        If not all states fit, and nothing has been played.
    ForecastError
        If a solution is needed for which nobody would wait.

    Examples
    --------
    >>> from gops_lab.web import read_position
    >>> exported_page(read_position("cards=2"), Solutions())[:15]
    '<!doctype html>'
    """
    return single_file(exported(position, solutions))


def exported(position: Position, solutions: Solutions) -> dict[str, Any]:
    """Return what the file holds, as plain values."""
    keys = _Keys(position)
    states = _all_states(position, keys)
    whole = states is not None
    if states is None:
        if position.game == 1 and len(position.line.states) == 1:
            raise ArgumentError(
                f"{position.rules!r}, played for {position.objective}, has too many states for one "
                "file; give a line of play, and the states on it are inside"
            )
        keys = _Keys(position)
        states = _line_states(position, keys)
    found: dict[str, Record] = {}
    for game in range(1, position.game + 1):
        solution = solutions.of(replace(position, lines=position.lines[:game]))
        there = {key: state for key, (number, state) in states.items() if number == game}
        if not keys.with_lead:
            there = {key: replace(state, lead=0) for key, state in there.items()}
        found |= _all_records(solution, there, keys) if whole else {
            key: record(view(solution, state)) for key, state in there.items()
        }
    return {
        "link": write_position(position),
        "about": about(position),
        "whole": whole,
        "begun": position.lines[0].states[0].as_dict(),
        "fresh": start(position.rules).as_dict(),
        "with_lead": keys.with_lead,
        "hands": keys.hands,
        "pairs": _pairs(position.rules),
        "outcomes": {
            state.stake: outcomes(position.rules, state)
            for _, state in states.values() if state.upcard is not None
        },
        "rounding": ROUNDING,
        "states": found,
    }


def _all_records(
    solution: Solution, states: Mapping[str, State], keys: _Keys
) -> dict[str, Record]:
    """Return the records of all states of a game."""
    stages = {key: state for key, state in states.items() if state.upcard is not None}
    found = stage_records(solution, stages)
    for key, state in states.items():
        if key not in stages:
            chances = upcards(solution.rules, state)
            after = [found[one] for one, _ in _followers(solution.rules, state, keys)]
            found[key] = node_record(chances, after) if chances else record(view(solution, state))
    return found


def _pairs(rules: Rules) -> dict[int, dict[int, int]]:
    """Return for every pair of ranks which outcome it has."""
    bids_a, bids_b = sorted(set(rules.hand_a)), sorted(set(rules.hand_b))
    rows = pairs(bids_a, bids_b)
    return {a: dict(zip(bids_b, row, strict=True)) for a, row in zip(bids_a, rows, strict=True)}


# Which states


class _Keys:
    """What states are found by: the same for states that are worth the same but for the lead."""

    def __init__(self, position: Position) -> None:
        rules = position.rules
        self.with_lead = position.objective != "margin"
        self.hands: dict[str, int] = {}
        # A rank held twice is one bid, which a pattern does not tell from two ranks in a row.
        single = all(len(set(hand)) == rules.cards for hand in (rules.hand_a, rules.hand_b))
        self._patterns = Patterns(repeats=False)
        self._by_pattern = single and rules.cards <= MOST_CARDS

    def key(self, state: State, game: int = 1) -> str:
        """Return the key of a state; ``keyOf`` in ``static/exported.js`` makes the same."""
        on_the_table = f"={state.stake}" if state.upcard is not None else f"{state.carried}"
        return self.key_of(
            state.hand_a, state.hand_b, state.prizes, on_the_table, state.lead, game
        )

    def key_of(
        self, hand_a: Cards, hand_b: Cards, prizes: Cards, on_the_table: str, lead: int,
        game: int = 1,
    ) -> str:
        """Return the key of a state that need not have been made."""
        with_lead = f"|{lead}" if self.with_lead else ""
        return (
            f"{game}|{self.pattern(hand_a, hand_b)}|{_listed(prizes)}|{on_the_table}{with_lead}"
        )

    def pattern(self, hand_a: Cards, hand_b: Cards) -> int:
        """Return the number of a pair of hands, and remember it for the page."""
        hands = f"{_listed(hand_a)}|{_listed(hand_b)}"
        if hands not in self.hands:
            self.hands[hands] = int(
                self._patterns.encode(np.array([hand_a], int), np.array([hand_b], int))[0]
                if self._by_pattern else len(self.hands)
            )
        return self.hands[hands]


def _listed(cards: Iterable[int]) -> str:
    return ",".join(map(str, cards))


def _line_states(position: Position, keys: _Keys) -> dict[str, tuple[int, State]]:
    """Return the states on the lines of play, each with its game."""
    return {
        keys.key(state, game): (game, state)
        for game, line in enumerate(position.lines, start=1) for state in line.states
    }


def _all_states(position: Position, keys: _Keys) -> dict[str, tuple[int, State]] | None:
    """Return a state for every key that play can reach from the start; None: too many."""
    rules = position.rules
    if position.games > 1 or rules.cards > MOST_CARDS:
        return None
    for cards in range(rules.cards - rules.rounds, rules.cards + 1):
        for hand_a, hand_b in product(*(
            sorted(set(combinations(hand, cards))) for hand in (rules.hand_a, rules.hand_b)
        )):
            keys.pattern(hand_a, hand_b)
    found: dict[str, tuple[int, State]] = {}
    waiting = {keys.key(state): state for state in (start(rules), *position.line.states)}
    while waiting:
        key, state = waiting.popitem()
        found[key] = (1, state)
        if len(found) > MOST_STATES:
            return None
        waiting |= {
            key: State(*after) for key, after in _followers(rules, state, keys)
            if key not in found and key not in waiting
        }
    return found


def _followers(
    rules: Rules, state: State, keys: _Keys
) -> Iterator[tuple[str, tuple[Cards, Cards, Cards, int | None, int, int]]]:
    """Yield key and fields of every state that can come next."""
    hand_a, hand_b, prizes = state.hand_a, state.hand_b, state.prizes
    if state.upcard is None:
        for upcard in upcards(rules, state):
            hidden = _without(prizes, upcard)
            on_the_table = f"={upcard + state.carried}"
            key = keys.key_of(hand_a, hand_b, hidden, on_the_table, state.lead)
            yield key, (hand_a, hand_b, hidden, upcard, state.carried, state.lead)
        return
    after = {sign: lead_change(rules, state.stake, sign) for sign in (-1, 0, 1)}
    for bid_a, bid_b in product(set(hand_a), set(hand_b)):
        change, carried = after[(bid_a > bid_b) - (bid_a < bid_b)]
        left_a, left_b, lead = _without(hand_a, bid_a), _without(hand_b, bid_b), state.lead + change
        key = keys.key_of(left_a, left_b, prizes, f"{carried}", lead)
        yield key, (left_a, left_b, prizes, None, carried, lead)


def _without(cards: Cards, card: int) -> Cards:
    place = cards.index(card)
    return cards[:place] + cards[place + 1 :]
