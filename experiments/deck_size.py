"""How do optimal first bids scale with the size of the deck?"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import partial
from typing import Any

import pandas as pd

import gops_lab as gl
from experiments.drawing import panels, plot_lines
from experiments.games import NEVER, read_by, solution_of
from experiments.running import Experiment, Job, Row


def jobs(parameters: Mapping[str, Any]) -> Iterator[Job]:
    """Yield a job for each deck size and tie rule."""
    for ties in parameters["ties"]:
        for cards in parameters["cards"]:
            rules = gl.Rules(cards=cards, ties=ties)
            yield Job({"ties": ties, "cards": cards}, rules, partial(rows, rules), read_by(rules))


def rows(rules: gl.Rules) -> list[Row]:
    """Return one row for each upcard: what its lottery over bids is like."""
    found = []
    for upcard, lottery in solution_of(rules).first_bids().groupby("upcard"):
        chances = {
            int(bid): float(chance)
            for bid, chance in zip(lottery["bid"], lottery["probability"], strict=True)
        }
        mean = sum(bid * chance for bid, chance in chances.items())
        support = [bid for bid, chance in chances.items() if chance > NEVER]
        found.append({
            "upcard": int(str(upcard)),
            "mean_bid": f"{mean:.6f}",
            "mean_bid_of_cards": f"{mean / rules.cards:.6f}",
            "highest_card": f"{chances[rules.cards]:.6f}",
            "support": " ".join(map(str, support)),
            "support_size": len(support),
            "unique": "yes" if lottery["unique"].all() else "no",
        })
    return found


def summary(table: list[Row]) -> dict[str, Any]:
    """Return what is bid on the highest prize of the largest deck."""
    found: dict[str, Any] = {}
    for ties in dict.fromkeys(row["ties"] for row in table):
        last = [row for row in table if row["ties"] == ties][-1]
        found[f"{ties}: highest prize of {last['cards']}"] = (
            f"mean bid {last['mean_bid']}, the highest card {last['highest_card']}"
        )
        found[f"{ties}: upcards whose optimum is not unique"] = sum(
            row["unique"] == "no" for row in table if row["ties"] == ties
        )
    return found


def plot(table: pd.DataFrame) -> gl.reporting.Plot:
    """Draw the mean bid against the upcard, both as parts of the deck, for some deck sizes."""
    sizes = sorted(table["cards"].unique())
    shown = sizes[::-1][::3][:4][::-1]
    kinds = list(dict.fromkeys(table["ties"]))
    with gl.reporting.paper_style(columns=2):
        figure, axes = panels(len(kinds), sharey=True)
        for ax, ties in zip(axes, kinds, strict=True):
            lines = []
            for cards in shown:
                part = table[(table["ties"] == ties) & (table["cards"] == cards)]
                lines.append(
                    (f"{cards} cards", part["upcard"] / cards, part["mean_bid_of_cards"])
                )
            plot_lines(
                lines, x="upcard / cards", y="mean bid / cards" if ax is axes[0] else "", ax=ax,
                whole=False, legend=ax is axes[0],
            )
            ax.plot([0, 1], [0, 1], color="0.7", linewidth=0.8, zorder=0)
            ax.set_title(f"ties: {ties}")
        return gl.reporting.Plot(figure, axes[0], tuple(axes))


EXPERIMENT = Experiment(
    name="deck_size",
    title="How optimal first bids for margin scale with the size of the deck",
    columns={
        "ties": "what a tie does",
        "cards": "cards in each hand, prizes 1 to cards in a shuffle",
        "upcard": "the first prize, points",
        "mean_bid": "mean rank of the optimal lottery",
        "mean_bid_of_cards": "the same, divided by cards",
        "highest_card": "probability of bidding the highest card",
        "support": "ranks that are bid",
        "support_size": "how many they are",
        "unique": "whether the optimal strategy at this upcard is the only one",
    },
    jobs=jobs, plot=plot, summary=summary,
)  # fmt: skip
