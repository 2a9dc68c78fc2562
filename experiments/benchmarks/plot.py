"""Draw what `sweep.py` and `matrix_games.py` measured.

    python experiments/benchmarks/plot.py
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import matplotlib as mpl
import pandas as pd
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

from gops_lab.reporting.style import COLOURS

RESULTS = Path(__file__).parents[2] / "results" / "benchmarks"

mpl.rcParams.update({"pdf.fonttype": 42, "font.size": 8, "svg.hashsalt": "gops-lab"})


def plot_solves(solves: pd.DataFrame, *, ax: Any) -> None:
    """Draw CPU seconds against stage games, a line for each kind of game."""
    kinds = solves.groupby(["objective", "ties"])
    for (name, rows), colour in zip(kinds, COLOURS, strict=False):
        rows = rows[rows["order"] == "random"].sort_values("workers").groupby("cards").head(1)
        rows = rows.sort_values("cards")
        ax.plot(
            rows["stage_games"], rows["cpu_seconds"], "o-", color=colour, label=", ".join(name),
            markersize=3, linewidth=1,
        )  # fmt: skip
        for cards, group in rows.groupby("cards"):
            ax.annotate(
                str(cards), (group["stage_games"].iloc[0], group["cpu_seconds"].iloc[0]),
                textcoords="offset points", xytext=(3, -8), fontsize=6, color=colour,
            )  # fmt: skip
    ax.set(xscale="log", yscale="log", xlabel="stage games", ylabel="CPU seconds")
    ax.legend(frameon=False, fontsize=6)
    ax.set_title("Whole decks, cards at each point", fontsize=8)


def plot_tiers(tiers: pd.DataFrame, *, ax: Any) -> None:
    """Draw nanoseconds a stage game against the cards in hand."""
    chosen = tiers[(tiers["tier"] > 2) & (tiers["stage_games"] > 10_000)]
    kinds = chosen.groupby(["objective", "ties", "cards"])
    largest = {key[:2]: key for key in sorted(kinds.groups)}
    for key, colour in zip(largest.values(), COLOURS, strict=False):
        rows = kinds.get_group(key)
        objective, ties, cards = key
        ax.plot(
            rows["tier"], rows["nanoseconds_per_game"], "o-", color=colour, markersize=3,
            linewidth=1, label=f"{objective}, {ties}, {cards} cards",
        )  # fmt: skip
    ax.set(yscale="log", xlabel="cards in hand", ylabel="ns a stage game, one core")
    ax.legend(frameon=False, fontsize=6)
    ax.set_title("Cost of a stage game by tier", fontsize=8)


def plot_solvers(games: pd.DataFrame, *, ax: Any) -> None:
    """Draw games a second against the size of a game, a line for each solver."""
    chosen = games[games["kind"] == "sweep"]
    for (solver, rows), colour in zip(chosen.groupby("solver"), COLOURS, strict=False):
        ax.plot(
            rows["size"], rows["games_per_second"], "o-", color=colour, label=solver,
            markersize=3, linewidth=1,
        )  # fmt: skip
    ax.set(yscale="log", xlabel="bids of each player", ylabel="games a second, one core")
    ax.legend(frameon=False, fontsize=6)
    ax.set_title("Matrix games of the sweep", fontsize=8)


def main() -> None:
    """Write ``benchmarks.pdf`` and ``benchmarks.png``."""
    solves, tiers, games = (
        pd.read_csv(RESULTS / f"{name}.csv") for name in ("sweep", "tiers", "matrix_games")
    )
    figure = Figure(figsize=(7.16, 2.6), layout="constrained")
    FigureCanvasAgg(figure)
    axes = figure.subplots(1, 3)
    plot_solves(solves, ax=axes[0])
    plot_tiers(tiers, ax=axes[1])
    plot_solvers(games, ax=axes[2])
    figure.savefig(RESULTS / "benchmarks.pdf", metadata={"CreationDate": None, "Creator": None})
    figure.savefig(RESULTS / "benchmarks.png", dpi=200, metadata={"Software": None})


if __name__ == "__main__":
    main()
