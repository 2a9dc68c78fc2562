"""How often does the game as it is played end in a draw, and how much is left unclaimed?

Both players play to win, optimally, evaluated exactly over all shuffles and all draws of cards. The
value of the game is 0 by symmetry, whatever optimal strategies are played; how often it is drawn,
and what nobody wins, are not: optimal strategies need not be unique below the first round, and
these numbers are those of the strategies that the solver picks.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import partial
from typing import Any

import pandas as pd

import gops_lab as gl
from experiments.drawing import plot_by_ties
from experiments.running import Experiment, Job, Row
from gops_lab.evaluation import certified_exploitability
from gops_lab.strategies import OptimalStrategy


def jobs(parameters: Mapping[str, Any]) -> Iterator[Job]:
    """Yield a job for each tie rule and deck size."""
    for ties in parameters["ties"]:
        for cards in parameters["cards"]:
            rules = gl.Rules(cards=cards, ties=ties)
            yield Job({"cards": cards, "ties": ties}, rules, partial(rows, rules))


def rows(rules: gl.Rules) -> list[Row]:
    """Return one row: the strategy that the solver picks against itself."""
    strategy = OptimalStrategy(gl.solve(rules, "win"))
    found = gl.evaluate(rules, strategy, strategy)
    return [{
        "draw": f"{found.draw:.9f}",
        "unclaimed": f"{found.unclaimed:.9f}",
        "unclaimed_share": f"{found.unclaimed / sum(rules.prizes):.9f}",
        "tie_rate": f"{found.rounds['tie_rate'].mean():.9f}",
        "advantage": f"{abs(found.win - found.loss):.1e}",
        "loss_bound": f"{certified_exploitability(strategy):.1e}",
    }]  # fmt: skip


def summary(table: list[Row]) -> dict[str, Any]:
    """Return the numbers of the largest deck."""
    found = {}
    for ties in dict.fromkeys(row["ties"] for row in table):
        last = [row for row in table if row["ties"] == ties][-1]
        found[f"{ties}, {last['cards']} cards, as the solver plays"] = (
            f"draws {last['draw']}, {last['unclaimed']} points unclaimed"
        )
    return found


def plot(table: pd.DataFrame) -> gl.reporting.Plot:
    """Draw the probability of a draw and the share of the points that nobody wins."""
    labels = (("draw", "probability of a draw"), ("unclaimed_share", "share of points unclaimed"))
    return plot_by_ties(table, labels)


EXPERIMENT = Experiment(
    name="draws",
    title="Draws and unclaimed points when both play to win, as the solver plays",
    columns={
        "cards": "cards in each hand, prizes 1 to cards in a shuffle",
        "ties": "what a tie does",
        "draw": "probability that both end level; of the solver's optimal strategies, others may "
        "differ, as for the next three",
        "unclaimed": "expected points that nobody wins",
        "unclaimed_share": "the same as a share of all points",
        "tie_rate": "share of rounds with equal bids",
        "advantage": "P(A ahead) - P(B ahead) as evaluated, without its sign: 0 but for rounding",
        "loss_bound": "certified bound on what the strategy can lose of the value, probability",
    },
    jobs=jobs, plot=plot, summary=summary,
)  # fmt: skip
