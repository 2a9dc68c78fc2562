"""How long do the Goofspiel games of a paper on simultaneous-move search take here?

B. Bosansky, V. Lisy, M. Lanctot, J. Cermak, M. H. M. Winands, Algorithms for computing strategies
in two-player simultaneous move games, Artificial Intelligence 237 (2016): hands and prizes 0 to
d - 1, ties discarded, a win, a draw or a loss. Our times are in ``measured.csv``, and theirs beside
them, as far as they are known to us: of another machine, and in words. Ours are of one thread, and
the smallest of several solves after a first one, so that neither compiling nor what else the
machine does is measured. Which sequences their games with a known order had is not known to us:
here it ascends or descends.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping
from functools import partial
from typing import Any

import pandas as pd

import gops_lab as gl
from experiments.drawing import plot_lines
from experiments.running import Experiment, Job, Row

SOLVES = 20
"""How many solves are timed, after one that is not; the smallest time counts."""


def jobs(parameters: Mapping[str, Any]) -> Iterator[Job]:
    """Yield a job for each order and deck size; in fractions too where it is small enough."""
    theirs = parameters.get("their_times", {})
    for order, sizes in parameters["cards"].items():
        for cards in sizes:
            ranks = range(cards)
            rules = gl.Rules(hand_a=ranks, hand_b=ranks, prizes=ranks, ties="discard", order=order)
            known = "random order" if order == "random" else "known order"
            reported = theirs.get(f"{known}, {cards} cards", "")
            exact = cards <= parameters["fractions_up_to"][order]
            yield Job(
                {"order": order, "cards": cards}, rules, partial(rows, rules, exact, reported),
                {"reported": reported, "exact": exact},
            )  # fmt: skip


def rows(rules: gl.Rules, exact: bool, reported: str) -> list[Row]:
    """Return the value, its certificate, the work, and how long it took."""
    solution = gl.solve(rules, "win", workers=1)
    seconds = min(_time(rules) for _ in range(SOLVES))
    lower, upper = solution.bounds()
    value = str(gl.solve(rules, "win", exact=True).value()) if exact else ""
    bids = solution.first_bids()
    pure = bids.groupby("upcard")["probability"].max() > 1 - 1e-9
    return [{
        "exact_value": value,
        "bounds_width": f"{upper - lower:.1e}",
        "first_upcards": len(pure),
        "pure_first_bids": int(pure.sum()),
        "stage_games": sum(report.stage_games for report in solution.reports.values()),
        "values": sum(report.values for report in solution.reports.values()),
        "seconds": f"{seconds:.4f}",
        "their_time": reported,
    }]  # fmt: skip


def _time(rules: gl.Rules) -> float:
    """Return how many seconds a solve takes."""
    begin = time.perf_counter()
    gl.solve(rules, "win", workers=1)
    return time.perf_counter() - begin


def summary(table: list[Row]) -> dict[str, Any]:
    """Return the sizes that are in the paper, and the largest solved here."""
    found: dict[str, Any] = {
        f"{row['order']} order, {row['cards']} cards": (
            f"{row['stage_games']} stage games; in the paper: {row['their_time']}"
        )
        for row in table if row["their_time"]
    }
    for order in dict.fromkeys(row["order"] for row in table):
        last = [row for row in table if row["order"] == order][-1]
        found[f"largest deck, {order} order"] = (
            f"{last['cards']} cards, {last['stage_games']} stage games"
        )
    return found


def plot(table: pd.DataFrame) -> gl.reporting.Plot:
    """Draw the stage games solved by deck size."""
    with gl.reporting.paper_style(columns=1):
        drawn = plot_lines(
            [
                (f"{order} order", part["cards"], part["stage_games"])
                for order, part in table.groupby("order", sort=False)
            ],
            x="cards in each hand, 0 to d − 1", y="stage games solved",
        )
        drawn.ax_.set_yscale("log")
        return drawn


EXPERIMENT = Experiment(
    name="aij_2016",
    title="The Goofspiel games of Bosansky et al. (2016), solved",
    columns={
        "order": "of the prizes: random, or known from the start",
        "cards": "cards in each hand and prizes, ranks 0 to cards - 1; ties discarded, to win",
        "exact_value": "P(A ahead) - P(B ahead) in fractions; empty where not computed so",
        "bounds_width": "width of the certified bounds on the value from the fast solve",
        "first_upcards": "how many first prizes are possible",
        "pure_first_bids": "at how many of them the optimal strategy found is a single bid",
        "stage_games": "stage games solved",
        "values": "values kept",
    },
    measured={
        "seconds": f"wall-clock seconds of our solve on one thread, on whatever machine it ran: "
        f"the smallest of {SOLVES} after one that is not timed",
        "their_time": "time in the paper, on another machine; empty where not known to us",
    },
    jobs=jobs, plot=plot, summary=summary,
)  # fmt: skip
