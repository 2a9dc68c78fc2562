"""What does one bid first in a match of three games, whose totals are added, by the lead so far?

The custom at the table. Each game is solved with the value of the next, as a function of the lead
so far, as its utility; the higher total wins. With the players swapped a lead changes its sign, so
leads of 0 and more are in the table, with the bids of both.
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

GAMES = 3


def jobs(parameters: Mapping[str, Any]) -> Iterator[Job]:
    """Yield a job for each tie rule."""
    for ties in parameters["ties"]:
        rules = gl.Rules(cards=parameters["cards"], ties=ties)
        yield Job({"ties": ties}, rules, partial(rows, rules))


def rows(rules: gl.Rules) -> list[Row]:
    """Return both players' first bids in each game, for every lead that is not decided."""
    fresh, most = start(rules), sum(rules.prizes)
    found = []
    for number, solution in enumerate(gl.solve_match(rules, GAMES), start=1):
        left = GAMES - number + 1
        for lead in range(min((number - 1) * most, left * most) + 1):
            state = replace(fresh, lead=lead)
            low, high = solution.bounds(state)
            for upcard in rules.prizes:
                exposed = expose(rules, state, upcard)
                value = f"{solution.value(exposed):.6f}"
                one, other = (bids_at(solution, exposed, player) for player in ("a", "b"))
                found += [
                    {
                        "game": number, "lead": lead, "upcard": upcard, "bid": bid,
                        "probability_a": one[0][bid], "probability_b": other[0][bid],
                        "unique_a": one[1], "unique_b": other[1],
                        "value": value, "game_value": f"{solution.value(state):.6f}",
                        "bounds_width": f"{high - low:.1e}",
                    }
                    for bid in rules.hand_a
                ]
    return found


def summary(table: list[Row]) -> dict[str, Any]:
    """Return what a lead of one game's highest prize is worth, and the widest bounds."""
    found: dict[str, Any] = {}
    for row in table:
        if row["upcard"] == row["bid"] == "1" and row["game"] != "1" and row["lead"] == "8":
            found[f"{row['ties']}: a lead of 8 before game {row['game']}"] = row["game_value"]
    found["widest_bounds"] = max((row["bounds_width"] for row in table), key=float)
    return found


def plot(table: pd.DataFrame) -> gl.reporting.Plot:
    """Draw the leader's and the follower's mean first bid on the highest prize, by the lead.

    Where the optimal strategy is the only one; others say little.
    """
    top = table["upcard"].max()
    kinds = list(dict.fromkeys(table["ties"]))
    with gl.reporting.paper_style(columns=2):
        figure, axes = panels(len(kinds), sharey=True)
        for ax, ties in zip(axes, kinds, strict=True):
            lines = []
            for game in range(2, GAMES + 1):
                part = table[
                    (table["ties"] == ties) & (table["game"] == game) & (table["upcard"] == top)
                ]
                for player, who in (("a", "leader"), ("b", "follower")):
                    only = part[part[f"unique_{player}"] == "yes"]
                    mean = (only["bid"] * only[f"probability_{player}"]).groupby(only["lead"])
                    lines.append((f"game {game}, {who}", mean.sum().index, mean.sum()))
            plot_lines(
                lines, x="lead from the games before",
                y=f"mean bid with {top} exposed first" if ax is axes[0] else "", ax=ax,
                legend=ax is axes[0],
            )
            ax.set_title(f"ties: {ties}")
        return gl.reporting.Plot(figure, axes[0], tuple(axes))


EXPERIMENT = Experiment(
    name="match_of_three",
    title="A match of three games: first bids by the lead from the games before",
    columns={
        "ties": "what a tie does; hands and prizes 1 to the number of cards, prizes in a shuffle",
        "game": "of three, the first is 1",
        "lead": "A's points minus B's in the games before",
        "upcard": "the first prize of the game, points",
        "bid": "rank",
        "probability_a": "that A bids it in an optimal strategy; 0 where it is never made",
        "probability_b": "the same for B, who has the lead with its sign changed",
        "unique_a": "whether A's optimal strategy is the only one",
        "unique_b": "whether B's is",
        "value": "of the stage game, P(A wins the match) - P(B wins it)",
        "game_value": "the same before the first prize of the game is exposed",
        "bounds_width": "width of the certified bounds on it",
    },
    jobs=jobs, plot=plot, summary=summary,
)  # fmt: skip
