"""What a file holds about each state: short lists of rounded numbers."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from functools import cache
from typing import Any

import numpy as np
import numpy.typing as npt

from gops_lab.encoding import Encoder
from gops_lab.explorer import BidView, StageView, view
from gops_lab.game import Rules, State, upcards
from gops_lab.induction import Solution
from gops_lab.matrix_games import optimal_ranges, solve_matrix_games
from gops_lab.strategies.optimal import payoffs_at

DIGITS = 9
"""Decimals that are kept of values and probabilities."""

Record = dict[str, Any]
Array = npt.NDArray[np.float64]


def stage_record(value: float, stage: StageView) -> Record:
    """Return the record of a stage game: value, payoffs, both players' bids, gap.

    A bid is its probability, the least and the greatest over all optimal strategies, and what it
    gives away; the ranks are those of the hands.
    """
    return {
        "value": _rounded(value),
        "payoffs": [_all_rounded(row) for row in stage.payoffs],
        "a": [_bid(bid) for bid in stage.a],
        "b": [_bid(bid) for bid in stage.b],
        "gap": float(stage.gap),
    }


def node_record(rules: Rules, state: State, value: float) -> Record:
    """Return the record of a state before an exposure: value, what can come and its chance."""
    coming = [[prize, float(chance)] for prize, chance in upcards(rules, state).items()]
    return {"value": _rounded(value), "upcards": coming}


def stage_records(solution: Solution, states: Mapping[str, State]) -> dict[str, Record]:
    """Return the records of many stage games, by the key of their states.

    The same as `stage_record` of each, but that where optimal strategies are not unique another of
    them may be told: games are solved together, and ranges found once for games that differ only
    by what is added to all payoffs, or multiplied with them.
    """
    tiers: dict[int, list[str]] = defaultdict(list)
    for key, state in states.items():
        tiers[state.tier].append(key)
    encoder = Encoder(solution.rules)
    ranges = cache(_ranges)
    found: dict[str, Record] = {}
    for keys in tiers.values():
        payoffs, there = payoffs_at(solution, encoder, encoder.encode([states[k] for k in keys]))
        there &= [_without_repeats(states[key]) for key in keys]
        games = solve_matrix_games(np.where(there[:, None, None], payoffs, 0.0))
        for place, key in enumerate(keys):
            if not there[place]:
                seen = view(solution, states[key])
                assert seen.stage is not None  # for the type checker
                found[key] = stage_record(float(seen.value), seen.stage)
                continue
            game, value = payoffs[place], games.value[place]
            row, column = games.row[place], games.column[place]
            scaled = game - game.min()
            scaled = np.round(scaled / (scaled.max() or 1.0), DIGITS) + 0.0
            range_a, range_b = ranges(scaled.tobytes(), len(row))
            found[key] = {
                "value": _rounded(value),
                "payoffs": [_all_rounded(payoff) for payoff in game],
                "a": _bids(row, range_a, value - game @ column),
                "b": _bids(column, range_b, row @ game - value),
                "gap": float(games.gap[place]),
            }
    return found


def _ranges(scaled: bytes, cards: int) -> tuple[Array, Array]:
    game = np.frombuffer(scaled).reshape(cards, cards)
    error = 10.0**-DIGITS
    return optimal_ranges(game, "row", error=error), optimal_ranges(game, "column", error=error)


def _without_repeats(state: State) -> bool:
    return all(len(set(hand)) == len(hand) for hand in (state.hand_a, state.hand_b))


def _bids(chances: Array, ranges: Array, lost: Array) -> list[list[float]]:
    return [
        _all_rounded((chance, least, greatest, max(loss, 0.0)))
        for chance, (least, greatest), loss in zip(chances, ranges, lost, strict=True)
    ]


def _bid(bid: BidView) -> list[float]:
    return _all_rounded((bid.probability, bid.least, bid.greatest, bid.given_away))


def _all_rounded(numbers: Any) -> list[float]:
    return [_rounded(number) for number in numbers]


def _rounded(number: Any) -> float:
    """Return a number with `DIGITS` decimals; whole ones without, to be short."""
    rounded = round(float(number), DIGITS) + 0.0
    return int(rounded) if rounded == int(rounded) else rounded
