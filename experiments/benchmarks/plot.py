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
from matplotlib.ticker import MaxNLocator

from gops_lab.reporting.style import COLOURS, MARKERS

RESULTS = Path(__file__).parents[2] / "results" / "benchmarks"

mpl.rcParams.update({"pdf.fonttype": 42, "font.size": 8, "svg.hashsalt": "gops-lab"})


def plot_solves(solves: pd.DataFrame, *, ax: Any) -> None:
    """Draw CPU seconds against the size of the deck, a line for each kind of game."""
    chosen = solves[solves["order"] == "random"].sort_values(["cards", "workers"])
    for place, (name, rows) in enumerate(chosen.groupby(["objective", "ties"])):
        rows = rows.drop_duplicates("cards")
        ax.plot(rows["cards"], rows["cpu_seconds"], label=", ".join(name), **_mark(place))
    ax.set(yscale="log", xlabel="cards in each hand", ylabel="CPU seconds")
    _legend(ax, "Whole decks")


def plot_tiers(tiers: pd.DataFrame, *, ax: Any) -> None:
    """Draw nanoseconds a stage game against the cards in hand."""
    chosen = tiers[(tiers["tier"] > 2) & (tiers["stage_games"] > 10_000)]
    kinds = chosen.groupby(["objective", "ties", "cards"])
    largest = {key[:2]: key for key in sorted(kinds.groups)}
    for place, key in enumerate(largest.values()):
        rows = kinds.get_group(key)
        objective, ties, cards = key
        ax.plot(
            rows["tier"], rows["nanoseconds_per_game"], label=f"{objective}, {ties}, {cards} cards",
            **_mark(place),
        )  # fmt: skip
    ax.set(yscale="log", xlabel="cards in hand", ylabel="ns a stage game, one core")
    _legend(ax, "Cost of a stage game by tier")


def plot_solvers(games: pd.DataFrame, *, ax: Any) -> None:
    """Draw games a second against the size of a game, a line for each solver."""
    chosen = games[games["kind"] == "sweep"]
    for place, (solver, rows) in enumerate(chosen.groupby("solver")):
        ax.plot(rows["size"], rows["games_per_second"], label=solver, **_mark(place))
    ax.set(yscale="log", xlabel="bids of each player", ylabel="games a second, one core")
    _legend(ax, "Matrix games of the sweep")


def _mark(place: int) -> dict[str, Any]:
    """Return colour, mark and line of a series."""
    return {
        "color": COLOURS[place], "marker": MARKERS[place], "markersize": 3, "linewidth": 1,
        # Where two lines run together both are seen.
        "markerfacecolor": "none" if place % 2 else COLOURS[place],
    }  # fmt: skip


def _legend(ax: Any, title: str) -> None:
    """Put the legend above the axes, where it hides nothing, and have whole numbers below."""
    ax.xaxis.set_major_locator(MaxNLocator(integer=True))
    ax.legend(
        frameon=False, fontsize=6, title=title, title_fontsize=8, loc="lower left",
        bbox_to_anchor=(0, 1), alignment="left", borderpad=0.2, labelspacing=0.3,
    )  # fmt: skip


def main() -> None:
    """Write ``benchmarks.pdf`` and ``benchmarks.png``."""
    solves, tiers, games = (
        pd.read_csv(RESULTS / f"{name}.csv") for name in ("sweep", "tiers", "matrix_games")
    )
    figure = Figure(figsize=(7.16, 3.1), layout="constrained")
    FigureCanvasAgg(figure)
    axes = figure.subplots(1, 3)
    plot_solves(solves, ax=axes[0])
    plot_tiers(tiers, ax=axes[1])
    plot_solvers(games, ax=axes[2])
    figure.savefig(RESULTS / "benchmarks.pdf", metadata={"CreationDate": None, "Creator": None})
    figure.savefig(RESULTS / "benchmarks.png", dpi=200, metadata={"Software": None})


if __name__ == "__main__":
    main()
