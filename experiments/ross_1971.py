"""What is the best answer to a player who bids at random?

S. M. Ross, Goofspiel, the game of pure strategy, Journal of Applied Probability 8 (1971): where
ties are discarded, against an opponent who bids any card with equal chances the best response is to
bid the prize's own rank, and it is worth (N² - 1) / 6 points; 28 for the full deck.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from fractions import Fraction
from functools import partial
from typing import Any

import pandas as pd

import gops_lab as gl
from experiments.drawing import plot_lines
from experiments.running import Experiment, Job, Row
from gops_lab.evaluation.exploitability import expected_margin
from gops_lab.strategies import MatchPrize, Uniform


def jobs(parameters: Mapping[str, Any]) -> Iterator[Job]:
    """Yield a job for each deck size: in fractions where it is small enough."""
    for name in ("fractions", "floats"):
        for cards in parameters[name]:
            rules = gl.Rules(cards=cards, ties="discard")
            yield Job({"cards": cards, "numbers": name}, rules, partial(rows, rules, name))


def rows(rules: gl.Rules, numbers: str) -> list[Row]:
    """Return the value of the best response and of matching the prize, beside the formula."""
    theorem = Fraction(rules.cards**2 - 1, 6)
    if numbers == "fractions":
        best = gl.best_response_value(rules, Uniform(), exact=True)
        match = gl.evaluate(rules, MatchPrize(), Uniform(), outcomes=False, exact=True).margin
        shown = [str(Fraction(number)) for number in (best, match, best - theorem)]
    else:
        best = gl.best_response_value(rules, Uniform(), method="hands")
        match = expected_margin(rules, MatchPrize(), Uniform())
        # Floats that agree to all digits shown agree: the last bits are rounding.
        shown = [f"{best:.10f}", f"{match:.10f}", f"{round(best - theorem, 10) + 0.0:.10f}"]
    return [
        {"best_response": shown[0], "match_the_prize": shown[1], "theorem": str(theorem),
         "difference": shown[2]}
    ]  # fmt: skip


def summary(table: list[Row]) -> dict[str, Any]:
    """Return how well the theorem is met, and the value at the full deck."""
    exact = [row for row in table if row["numbers"] == "fractions"]
    last = table[-1]
    return {
        "deck_sizes_in_fractions": len(exact),
        "of_them_equal_to_the_theorem": sum(row["difference"] == "0" for row in exact),
        "largest_difference": f"{max(abs(float(Fraction(row['difference']))) for row in table):g}",
        "largest_deck": int(last["cards"]),
        "best_response_there": last["best_response"],
    }


def plot(table: pd.DataFrame) -> gl.reporting.Plot:
    """Draw the values computed beside the formula."""
    number = {
        name: table[name].map(lambda cell: float(Fraction(str(cell))))
        for name in ("best_response", "theorem")
    }
    with gl.reporting.paper_style(columns=1):
        return plot_lines(
            [
                ("(N² − 1) / 6", table["cards"], number["theorem"]),
                ("best response, computed", table["cards"], number["best_response"]),
            ],
            x="cards in each hand, N", y="points won from uniform bids", marks_only=(1,),
        )


EXPERIMENT = Experiment(
    name="ross_1971",
    title="The best response to uniform bids is worth (N^2 - 1) / 6 (Ross 1971)",
    columns={
        "cards": "cards in each hand, prizes 1 to cards in a shuffle, ties discarded",
        "numbers": "fractions: exact; floats: computed without sampling, 10 digits shown",
        "best_response": "expected margin of the best response to uniform bids, points",
        "match_the_prize": "expected margin of bidding the prize's own rank against the same",
        "theorem": "(N^2 - 1) / 6, points",
        "difference": "best response minus theorem, points",
    },
    jobs=jobs, plot=plot, summary=summary,
)  # fmt: skip
