"""What are the optimal first bids of the full deck when tied prizes are carried over?

The game as it is played at a table, for margin; no exact table of it was in print. Beside it the
game in which tied prizes are discarded.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import partial
from typing import Any

import pandas as pd

import gops_lab as gl
from experiments.games import probability, read_by, solution_of
from experiments.running import Experiment, Job, Row
from gops_lab.evaluation import certified_exploitability
from gops_lab.strategies import OptimalStrategy


def jobs(parameters: Mapping[str, Any]) -> Iterator[Job]:
    """Yield a job for each tie rule."""
    for ties in parameters["ties"]:
        rules = gl.Rules(cards=parameters["cards"], ties=ties)
        yield Job({"ties": ties}, rules, partial(rows, rules), read_by(rules))


def rows(rules: gl.Rules) -> list[Row]:
    """Return A's optimal first bids with the certificate of each stage game."""
    solution = solution_of(rules)
    # The value is 0 by symmetry, so its bounds say nothing; what the bids can lose of it does.
    bound = f"{certified_exploitability(OptimalStrategy(solution)):.1e}"
    return [
        {
            "upcard": int(cell.upcard), "bid": int(cell.bid),
            "probability": probability(cell.probability),
            "unique": "yes" if cell.unique else "no",
            "gap": f"{max(float(cell.gap), 0.0):.1e}", "loss_bound": bound,
        }
        for cell in solution.first_bids().itertuples()
    ]


def summary(table: list[Row]) -> dict[str, Any]:
    """Return the certificate, and how the two tie rules differ."""
    chance: dict[tuple[str, str], dict[str, float]] = {}
    for row in table:
        lottery = chance.setdefault((row["ties"], row["upcard"]), {})
        lottery[row["bid"]] = float(row["probability"])
    upcards = [upcard for ties, upcard in chance if ties == "carry"]
    distance = {
        upcard: sum(
            abs(part - chance["discard", upcard][bid])
            for bid, part in chance["carry", upcard].items()
        ) / 2
        for upcard in upcards
    }  # fmt: skip
    farthest = max(upcards, key=distance.__getitem__)
    carry = [row for row in table if row["ties"] == "carry"]
    return {
        "certified_loss_of_at_most": carry[0]["loss_bound"],
        "lotteries_that_are_the_only_optimum": len(
            {row["upcard"] for row in carry if row["unique"] == "yes"}
        ),
        "bids_that_are_made": sum(float(row["probability"]) > 0 for row in carry),
        "highest_card_at_highest_upcard": carry[-1]["probability"],
        "farthest_from_discard": f"upcard {farthest}, total variation {distance[farthest]:.4f}",
        "nearest_to_discard": f"total variation {min(distance.values()):.4f}",
    }


def plot(table: pd.DataFrame) -> gl.reporting.Plot:
    """Draw the bids under both tie rules side by side."""
    named = {"carry": "ties carried over", "discard": "ties discarded"}
    data = table.assign(player="a", game=table["ties"].map(named))
    with gl.reporting.paper_style(columns=2):
        return gl.reporting.plot_comparison(data)


EXPERIMENT = Experiment(
    name="carry_over_13",
    title="The full deck with carried-over ties: optimal first bids for margin",
    columns={
        "ties": "what a tie does; hands and prizes 1 to 13, prizes in a shuffle",
        "upcard": "the first prize, points",
        "bid": "rank",
        "probability": "of the bid in an optimal strategy; 0 where it is never made",
        "unique": "whether the optimal strategy at this upcard is the only one",
        "gap": "column guarantee minus row guarantee of the stage game, points",
        "loss_bound": "certified: optimal play as stored loses no more than this of the value of "
        "the whole game, points",
    },
    jobs=jobs, plot=plot, summary=summary,
)  # fmt: skip
