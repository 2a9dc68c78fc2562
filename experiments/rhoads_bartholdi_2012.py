"""Does the table of the full deck in print come out again, cell by cell?

G. C. Rhoads, L. Bartholdi, Computer solution to the game of pure strategy, Games 3 (2012) 150-156:
optimal first bids for margin, ties discarded. The printed numbers are those that the tests check,
in ``tests/data/published.json``, misprints of the circulated copy included.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from functools import partial
from typing import Any

import pandas as pd

import gops_lab as gl
from experiments.games import probability, read_by, solution_of
from experiments.running import HERE, Experiment, Job, Row

PUBLISHED = HERE.parent / "tests" / "data" / "published.json"

Printed = dict[str, dict[str, float]]


def jobs(parameters: Mapping[str, Any]) -> Iterator[Job]:
    """Yield a job for each deck size, with what is in print of it."""
    for cards in parameters["cards"]:
        rules = gl.Rules(cards=cards, ties="discard")
        print_of_it = printed(cards)
        yield Job(
            {"cards": cards}, rules, partial(rows, rules, print_of_it),
            {"printed": print_of_it, **read_by(rules)},
        )  # fmt: skip


def printed(cards: int) -> Printed:
    """Return the printed probabilities of a deck size by upcard and bid, if there are any."""
    tables = json.loads(PUBLISHED.read_text(encoding="utf-8"))["first_bids"]
    for table in tables:
        kind = (table["cards"], table["ties"], table["objective"])
        if kind != (cards, "discard", "margin") or "Rhoads" not in table["source"]:
            continue
        if "bids" in table:
            return {
                upcard: {str(bid): chance for bid, chance in enumerate(chances, 1)}
                for upcard, chances in table["bids"].items()
            }
        # A column of the print is an upcard; in the file it is a row.
        return {
            str(upcard): {str(bid): chance for bid, chance in enumerate(chances, 1)}
            for upcard, chances in enumerate(table["as_circulated"], 1)
        }
    return {}


def rows(rules: gl.Rules, in_print: Printed) -> list[Row]:
    """Return A's optimal first bids, one row for each upcard and bid, beside those in print."""
    cells = [chance for chances in in_print.values() for chance in chances.values()]
    digits = max((len(str(chance).partition(".")[2]) for chance in cells), default=0)
    found = []
    for cell in solution_of(rules).first_bids().itertuples():
        shown = in_print.get(str(cell.upcard), {}).get(str(cell.bid))
        difference = None if shown is None else abs(float(cell.probability) - shown)
        agrees = difference is None or difference <= 0.51 * 10.0**-digits
        found.append({
            "upcard": int(cell.upcard), "bid": int(cell.bid),
            "probability": probability(cell.probability),
            "unique": "yes" if cell.unique else "no",
            "printed": "" if shown is None else f"{shown:.{digits}f}",
            "difference": "" if difference is None else f"{difference:.6f}",
            "agrees": "" if difference is None else "yes" if agrees else "no",
        })
    return found


def summary(table: list[Row]) -> dict[str, Any]:
    """Return how many cells are in print, the largest difference, and those that do not agree."""
    cells = [row for row in table if row["printed"]]
    wrong = [row for row in cells if row["agrees"] == "no"]
    return {
        "cells_in_print": len(cells),
        "cells_that_agree": len(cells) - len(wrong),
        "largest_difference_of_those": max(
            (row["difference"] for row in cells if row["agrees"] == "yes"), default=""
        ),
        "others": [
            f"{row['cards']} cards, upcard {row['upcard']}, bid {row['bid']}: printed "
            f"{row['printed']}, is {row['probability']}"
            for row in wrong
        ],
        "lotteries_that_are_not_the_only_optimum": len(
            {(row["cards"], row["upcard"]) for row in table if row["unique"] == "no"}
        ),
    }


def plot(table: pd.DataFrame) -> gl.reporting.Plot:
    """Draw the first bids of the largest deck."""
    largest = table[table["cards"] == table["cards"].max()].assign(player="a")
    with gl.reporting.paper_style(columns=2, height=3.6):
        return gl.reporting.plot_bids(largest)


EXPERIMENT = Experiment(
    name="rhoads_bartholdi_2012",
    title="Optimal first bids, ties discarded, against Rhoads and Bartholdi (2012)",
    columns={
        "cards": "cards in each hand, prizes 1 to cards in a shuffle, ties discarded, for margin",
        "upcard": "the first prize, points",
        "bid": "rank",
        "probability": "of the bid in an optimal strategy; 0 where it is never made",
        "unique": "whether the optimal strategy at this upcard is the only one",
        "printed": "the probability in print; empty where none is",
        "difference": "between the two, without sign",
        "agrees": "whether the difference is rounding, half a unit of the last printed digit",
    },
    jobs=jobs, plot=plot, summary=summary,
)  # fmt: skip
