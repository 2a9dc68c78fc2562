"""What a file holds about each state: short lists of rounded numbers."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from fractions import Fraction
from functools import cache
from typing import Any

import numpy as np
import numpy.typing as npt

from gops_lab.encoding import Encoder
from gops_lab.explorer import BidView, StateView, view
from gops_lab.game import State
from gops_lab.induction import Solution
from gops_lab.matrix_games import optimal_ranges, solve_matrix_games
from gops_lab.strategies.optimal import payoffs_at

DIGITS = 9
"""Decimals that are kept of values and probabilities."""

ARITHMETIC = 1e-12
"""What floats may have lost in a stage game, as a share of its largest payoff."""

Record = dict[str, Any]
Array = npt.NDArray[np.float64]


def record(seen: StateView) -> Record:
    """Return the record of a state.

    It has a value and a bound on its error. Where a prize is exposed: payoffs, both players' bids,
    gap; a bid is its probability, the least and the greatest over all optimal strategies, and what
    it gives away; the ranks are those of the hands. Elsewhere: what can come, and its chance.
    """
    found = {"value": _rounded(seen.value), "error": _outward(float(seen.upper - seen.lower))}
    if seen.stage is None:
        return found | {"upcards": [[prize, float(chance)] for prize, chance in seen.upcards]}
    return found | {
        "payoffs": [_all_rounded(row) for row in seen.stage.payoffs],
        "a": [_bid(bid) for bid in seen.stage.a],
        "b": [_bid(bid) for bid in seen.stage.b],
        "gap": float(seen.stage.gap),
    }


def node_record(chances: Mapping[int, Fraction], after: Sequence[Record]) -> Record:
    """Return the record of a state before an exposure, from those of the states after it."""
    weights = [float(chance) for chance in chances.values()]
    return {
        "value": _rounded(np.dot(weights, [record["value"] for record in after])),
        "error": max(record["error"] for record in after),
        "upcards": [[prize, weight] for prize, weight in zip(chances, weights, strict=True)],
    }


def stage_records(solution: Solution, states: Mapping[str, State]) -> dict[str, Record]:
    """Return the records of many stage games, by the key of their states.

    The same as `record` of each, but that where optimal strategies are not unique another of
    them may be told: games are solved together, and ranges found once for games that differ only
    by what is added to all payoffs, or multiplied with them.
    """
    tiers: dict[int, list[str]] = defaultdict(list)
    for key, state in states.items():
        tiers[state.tier].append(key)
    encoder = Encoder(solution.rules)
    ranges = cache(_ranges)
    found: dict[str, Record] = {}
    for tier, keys in tiers.items():
        below = solution.reports.get(tier - 1)
        error = solution.reducer.utility_error if below is None else below.error
        payoffs, there = payoffs_at(solution, encoder, encoder.encode([states[k] for k in keys]))
        there &= [_without_repeats(states[key]) for key in keys]
        games = solve_matrix_games(np.where(there[:, None, None], payoffs, 0.0))
        for place, key in enumerate(keys):
            if not there[place]:
                found[key] = record(view(solution, states[key]))
                continue
            game, value = payoffs[place], games.value[place]
            row, column = games.row[place], games.column[place]
            scaled = game - game.min()
            scaled = np.round(scaled / (scaled.max() or 1.0), DIGITS) + 0.0
            range_a, range_b = ranges(scaled.tobytes(), len(row))
            found[key] = {
                "value": _rounded(value),
                "error": _outward(error + games.gap[place] + ARITHMETIC * np.abs(game).max()),
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


def _outward(error: float) -> float:
    """Return a bound with one digit, not below the one given."""
    return float(f"{2 * error:.0e}")


def _all_rounded(numbers: Any) -> list[float]:
    return [_rounded(number) for number in numbers]


def _rounded(number: Any) -> float:
    """Return a number with `DIGITS` decimals; whole ones without, to be short."""
    rounded = round(float(number), DIGITS) + 0.0
    return int(rounded) if rounded == int(rounded) else rounded
