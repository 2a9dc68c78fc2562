"""What does each rule of thumb lose to an opponent who knows it?"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import partial
from typing import Any

import pandas as pd

import gops_lab as gl
from experiments.drawing import panels
from experiments.running import Experiment, Job, Row
from gops_lab.reporting.canvas import colour_bar, heat_map
from gops_lab.reporting.style import chance_colours

UNITS = {"margin": "points", "win": "P(ahead) − P(behind)"}


def jobs(parameters: Mapping[str, Any]) -> Iterator[Job]:
    """Yield a job for each deck size, tie rule, objective and bidder; small decks first."""
    for objective in ("margin", "win"):
        for cards in parameters[objective]:
            for ties in parameters["ties"]:
                rules = gl.Rules(cards=cards, ties=ties)
                for name in parameters["strategies"]:
                    given = {
                        "objective": objective, "cards": cards, "ties": ties, "strategy": name,
                    }  # fmt: skip
                    yield Job(given, rules, partial(rows, rules, name, objective))


def rows(rules: gl.Rules, name: str, objective: str) -> list[Row]:
    """Return what a bidder loses to its best response."""
    strategy = gl.strategy_named(name, rules)
    found = gl.exploitability(rules, strategy, objective=objective, with_value=False)
    return [{"exploitability": f"{float(found.exploitability) + 0.0:.9f}"}]


def summary(table: list[Row]) -> dict[str, Any]:
    """Return the least and the most exploitable bidder of the largest deck, for each game."""
    found: dict[str, Any] = {}
    for objective in ("margin", "win"):
        part = [row for row in table if row["objective"] == objective]
        cards = max(int(row["cards"]) for row in part)
        for ties in dict.fromkeys(row["ties"] for row in part):
            field = sorted(
                (float(row["exploitability"]), row["strategy"])
                for row in part if row["ties"] == ties and int(row["cards"]) == cards
            )
            (least, best), (most, worst) = field[0], field[-1]
            found[f"{objective}, {ties}, {cards} cards"] = (
                f"{best} {least:.4f} to {worst} {most:.4f}"
            )
    return found


def plot(table: pd.DataFrame) -> gl.reporting.Plot:
    """Draw the losses for margin in the largest deck, and those to win by deck size.

    To win, most rules of thumb lose every game to who knows them: bars of one length say less than
    the deck sizes at which that begins.
    """
    margin, win = (table[table["objective"] == objective] for objective in ("margin", "win"))
    cards = margin["cards"].max()
    with gl.reporting.paper_style(columns=2, height=2.6):
        figure, (bars, *maps) = panels(3)
        gl.reporting.plot_exploitability(margin[margin["cards"] == cards], ax=bars, by="ties")
        bars.set_xlabel(f"exploitability ({UNITS['margin']}), {cards} cards")
        names = [label.get_text() for label in bars.get_yticklabels()]
        for ax, (ties, part) in zip(maps, win.groupby("ties", sort=False), strict=True):
            losses = part.pivot_table(index="strategy", columns="cards", values="exploitability")
            losses = losses.loc[names]
            mesh = heat_map(
                ax, losses.to_numpy(), names, list(losses.columns), colours=chance_colours(),
                low=0, high=1, annotate=True, top_down=True,
            )
            ax.set(xlabel=f"cards in each hand; ties: {ties}", yticklabels=[])
        colour_bar(ax, mesh, f"exploitability ({UNITS['win']})")
        return gl.reporting.Plot(figure, bars, (bars, *maps))


EXPERIMENT = Experiment(
    name="heuristics",
    title="What every named bidder loses to its best response",
    columns={
        "objective": "what the best response wants: margin or win",
        "cards": "cards in each hand, prizes 1 to cards in a shuffle",
        "ties": "what a tie does",
        "strategy": "name of the bidder, as strategy_named takes it",
        "exploitability": "what it loses to its best response, computed without sampling: points "
        "(margin), P(ahead) - P(behind) (win)",
    },
    jobs=jobs, plot=plot, summary=summary,
)  # fmt: skip
