"""How do first bids to win change with the lead, and how does what a pair of bids is worth?

A game begun with a lead, as the second of a match is, or a handicap: every deck size here is solved
for all leads at once. The solution of the full deck holds the leads that play can bring only.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import partial
from typing import Any

import pandas as pd

import gops_lab as gl
from experiments.drawing import panels, plot_lines
from experiments.games import bids_at
from experiments.running import Experiment, Job, Row
from gops_lab.game.state import expose, start
from gops_lab.induction.solve import solve_states


def jobs(parameters: Mapping[str, Any]) -> Iterator[Job]:
    """Yield one job: all leads are solved at once."""
    rules = gl.Rules(cards=parameters["cards"])
    leads, upcards = parameters["leads"], parameters["upcards"]
    yield Job(
        {"cards": rules.cards}, rules, partial(rows, rules, leads, upcards),
        {"leads": leads, "upcards": upcards},
    )  # fmt: skip


def rows(rules: gl.Rules, leads: list[int], upcards: list[int]) -> list[Row]:
    """Return the first stage games with all their entries, by lead and upcard."""
    fresh = start(rules)
    begun = [replace(fresh, lead=lead) for lead in leads]
    solution = solve_states(rules, "win", begun, keep=2)
    found = []
    for state in begun:
        for upcard in upcards:
            exposed = expose(rules, state, upcard)
            stage = solution.stage_solution(exposed)
            low, high = solution.bounds(exposed)
            bids = [bids_at(solution, exposed, player) for player in ("a", "b")]
            found += [
                {
                    "lead": state.lead, "upcard": upcard, "bid_a": bid_a, "bid_b": bid_b,
                    "payoff": f"{stage.payoffs.loc[bid_a, bid_b]:.6f}",
                    "probability_a": bids[0][0][bid_a], "probability_b": bids[1][0][bid_b],
                    "unique_a": bids[0][1], "unique_b": bids[1][1],
                    "value": f"{stage.game.value:.6f}", "bounds_width": f"{high - low:.1e}",
                }
                for bid_a in rules.hand_a for bid_b in rules.hand_b
            ]
    return found


def summary(table: list[Row]) -> dict[str, Any]:
    """Return what a lead is worth, and the widest bounds."""
    top = max(int(row["upcard"]) for row in table)
    values = {int(row["lead"]): row["value"] for row in table if int(row["upcard"]) == top}
    widest = max((row["bounds_width"] for row in table), key=float)
    return {
        "cards": table[0]["cards"],
        f"value with {top} exposed, by lead": ", ".join(
            f"{lead}: {value}" for lead, value in values.items()
        ),
        "widest_bounds": widest,
    }


def plot(table: pd.DataFrame) -> gl.reporting.Plot:
    """Draw mean bids, and what bids on the highest prize are worth, against A's lead.

    A mean is drawn where the optimal strategy is the only one; others say little.
    """
    top, most = int(table["upcard"].max()), int(table["cards"].max())
    with gl.reporting.paper_style(columns=2):
        figure, axes = panels(2)
        lines = []
        for upcard, part in table.groupby("upcard"):
            for player in ("a", "b"):
                each = part.drop_duplicates(["lead", f"bid_{player}"])
                each = each[each[f"unique_{player}"] == "yes"]
                mean = (each[f"bid_{player}"] * each[f"probability_{player}"]).groupby(
                    each["lead"]
                ).sum()
                lines.append((f"{player.upper()}, upcard {upcard}", mean.index, mean))
        plot_lines(lines, x="A's lead", y="mean bid", ax=axes[0])
        axes[0].legend(loc="lower center", bbox_to_anchor=(0.5, 1.0), ncols=3)
        part = table[table["upcard"] == top]
        pairs = ((most, most - 1), (most, most), (most - 1, most), (1, most))
        lines = []
        for bid_a, bid_b in pairs:
            cell = part[(part["bid_a"] == bid_a) & (part["bid_b"] == bid_b)]
            lines.append((f"A {bid_a}, B {bid_b}", cell["lead"], cell["payoff"]))
        plot_lines(lines, x="A's lead", y=f"payoff with {top} exposed", ax=axes[1])
        return gl.reporting.Plot(figure, axes[0], tuple(axes))


EXPERIMENT = Experiment(
    name="leads",
    title="First bids to win by the lead, and what pairs of first bids are worth",
    columns={
        "cards": "cards in each hand, prizes 1 to cards in a shuffle, ties carried over",
        "lead": "A's points minus B's when the game begins",
        "upcard": "the first prize, points",
        "bid_a": "A's bid, rank",
        "bid_b": "B's bid, rank",
        "payoff": "of the pair of bids: P(A ahead) - P(B ahead) under optimal play from there on",
        "probability_a": "of A's bid in an optimal strategy; 0 where it is never made",
        "probability_b": "of B's bid in an optimal strategy; 0 where it is never made",
        "unique_a": "whether A's optimal strategy is the only one",
        "unique_b": "whether B's is",
        "value": "of the stage game, P(A ahead) - P(B ahead)",
        "bounds_width": "width of the certified bounds on the value",
    },
    jobs=jobs, plot=plot, summary=summary,
)  # fmt: skip
