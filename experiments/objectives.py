"""Who wins when one player plays for points and the other to be ahead?

Optimal play for margin against optimal play for win, evaluated exactly over all shuffles and all
draws of cards: the probability that each is ahead, and the expected points. Swapping seats mirrors
the numbers, so one seating is the whole answer.

Optimal strategies need not be unique: these are the ones that `OptimalStrategy` takes from the
solutions. Each guarantees its own objective up to the certified bound in its row; what it gives
away in the other objective may differ between optimal strategies.
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
    """Return one row: the two strategies against each other."""
    pair = [OptimalStrategy(gl.solve(rules, objective)) for objective in ("margin", "win")]
    found = gl.evaluate(rules, *pair)
    return [{
        "margin_player_ahead": f"{found.win:.9f}",
        "level": f"{found.draw:.9f}",
        "win_player_ahead": f"{found.loss:.9f}",
        "win_advantage": f"{found.loss - found.win:.9f}",
        "margin_advantage": f"{found.margin:.9f}",
        "unclaimed": f"{found.unclaimed:.9f}",
        "tie_rate": f"{found.rounds['tie_rate'].mean():.9f}",
        "bound_margin": f"{certified_exploitability(pair[0]):.1e}",
        "bound_win": f"{certified_exploitability(pair[1]):.1e}",
        "states": found.states,
    }]  # fmt: skip


def summary(table: list[Row]) -> dict[str, Any]:
    """Return what each gives away in the largest deck."""
    found = {}
    for ties in dict.fromkeys(row["ties"] for row in table):
        last = [row for row in table if row["ties"] == ties][-1]
        found[f"{ties}, {last['cards']} cards"] = (
            f"playing for margin gives away {last['win_advantage']} in win, "
            f"playing to win {last['margin_advantage']} points"
        )
    return found


def plot(table: pd.DataFrame) -> gl.reporting.Plot:
    """Draw what each gives away in the other's objective, by deck size."""
    labels = (
        ("win_advantage", "lost by playing for margin\n(P(ahead) − P(behind))"),
        ("margin_advantage", "lost by playing to win (points)"),
    )
    return plot_by_ties(table, labels)


EXPERIMENT = Experiment(
    name="objectives",
    title="Optimal play for margin against optimal play for win, exactly",
    columns={
        "cards": "cards in each hand, prizes 1 to cards in a shuffle",
        "ties": "what a tie does",
        "margin_player_ahead": "probability that who plays for margin ends ahead",
        "level": "probability of a draw",
        "win_player_ahead": "probability that who plays to win ends ahead",
        "win_advantage": "the last minus the first: what optimal play for margin gives away in win",
        "margin_advantage": "expected points of who plays for margin minus the other's: what "
        "optimal play for win gives away in points",
        "unclaimed": "expected points that nobody wins",
        "tie_rate": "share of rounds with equal bids",
        "bound_margin": "certified bound on what the margin strategy can lose of the value, points",
        "bound_win": "certified bound on what the win strategy can lose of the value, probability",
        "states": "states before an exposure that play reaches, up to the order of ranks",
    },
    jobs=jobs, plot=plot, summary=summary, folder="margin_against_win",
)  # fmt: skip
