"""What the reader of a table or a figure must know: the game, the units, what made the numbers."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
import scipy

from gops_lab._version import __version__
from gops_lab.induction.solution import Solution

PAYOFF_UNITS = {"margin": "points", "win": "P(A ahead) - P(B ahead)"}
"""The unit of A's payoffs under the named objectives; that of a utility is its own."""

UNITS = {
    "upcard": "points",
    "bid": "rank",
    "probability": "probability of the bid in one optimal strategy",
    "value": "A's value of the stage game, {payoff}",
    "gap": "column guarantee minus row guarantee, in the unit of value",
    "unique": "whether the player's optimal strategy is the only one",
    "pure": "whether the bid alone is an optimal strategy of the player",
    "round": "number of the round, the first is 1",
    "hand_a": "ranks A holds",
    "hand_b": "ranks B holds",
    "prizes": "prizes still hidden, in points",
    "carried": "points held over from tied rounds",
    "stake": "points that this round's winner takes",
    "lead": "A's points so far minus B's",
    "bid_a": "rank that A bids",
    "bid_b": "rank that B bids",
    "payoff": "A's payoff after both bids with optimal play from there on, {payoff}",
    "probability_a": "probability of A's bid in one optimal strategy",
    "probability_b": "probability of B's bid in one optimal strategy",
    "given_away_a": "what A's bid loses against B's optimal strategy, {payoff}",
    "given_away_b": "what B's bid loses against A's optimal strategy, {payoff}",
    "gain_a": "points A scores in the round",
    "gain_b": "points B scores in the round",
    "mean_bid": "rank, the mean of the optimal lottery",
    "support": "ranks that the optimal strategy bids with positive probability",
    "support_size": "how many ranks those are",
    "distance": "total variation distance to the first game's optimal lottery, between 0 and 1",
    "exploitability": "half of what both players could gain by answering best, {payoff}",
    "stage_games": "number of stage games to solve",
    "values": "number of values to keep",
    "memory": "bytes",
    "seconds": "seconds on one core of the machine that was measured",
    "nash_conv": "the sum of what both players could gain by answering best, {payoff}",
}
"""What the numbers of a column are; ``{payoff}`` stands for the unit of A's payoffs."""


def unit_of_payoffs(objective: str) -> str:
    """Return the unit of A's payoffs under an objective; of a utility, its name.

    Examples
    --------
    >>> unit_of_payoffs("win"), unit_of_payoffs("square of the lead")
    ('P(A ahead) - P(B ahead)', 'square of the lead')
    """
    return PAYOFF_UNITS.get(objective, objective)


def versions() -> dict[str, str]:
    """Return the versions of what computes the numbers."""
    return {"gops_lab": __version__, "numpy": np.__version__, "scipy": scipy.__version__}


def units(columns: Iterable[object], objective: str) -> dict[str, str]:
    """Return what each column holds, for those that need to be told.

    Examples
    --------
    >>> units(["player", "value"], "margin")
    {'value': "A's value of the stage game, points"}
    """
    payoff = PAYOFF_UNITS.get(objective, "utility")
    return {
        str(name): UNITS[str(name)].format(payoff=payoff)
        for name in columns if str(name) in UNITS
    }


def description(solution: Solution, columns: Iterable[object] = UNITS) -> dict[str, Any]:
    """Return what a reader of a table must know, as plain values that JSON can hold.

    Parameters
    ----------
    solution : Solution
        What the numbers come from.
    columns : iterable, optional
        The columns to explain.

    Returns
    -------
    dict
        rules, objective, method, certified_error (of the value where the solution starts, in its
        unit), versions, units.
    """
    lower, upper = solution.bounds()
    return {
        "rules": solution.rules.as_dict(),
        "objective": solution.objective.name,
        "method": solution.method,
        "certified_error": float(upper - lower),
        "versions": versions(),
        "units": units(columns, solution.objective.name),
    }
