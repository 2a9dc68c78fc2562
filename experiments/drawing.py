"""Charts that several experiments share; each is drawn on the Axes given, in the paper's style."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any

import pandas as pd
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

import gops_lab as gl
from gops_lab.reporting.style import COLOURS, MARKERS


def panels(count: int, **shared: Any) -> tuple[Figure, list[Any]]:
    """Return a figure of the current style's size with axes side by side."""
    figure = Figure(layout="constrained")
    axes = figure.subplots(1, count, squeeze=False, **shared)
    return figure, list(axes[0])


def plot_lines(
    lines: Sequence[tuple[str, Any, Any]], *, x: str, y: str, ax: Any = None,
    marks_only: Collection[int] = (), whole: bool = True, legend: bool = True,
) -> gl.reporting.Plot:
    """Draw lines, each a name, its places and its heights.

    Parameters
    ----------
    lines : sequence of (name, x, y)
    x, y : str
        Labels of the axes.
    ax : Axes, optional
    marks_only : collection of int
        Numbers of the lines of which only the marks are drawn.
    whole : bool
        Whether x is labelled with whole numbers only.
    legend : bool
    """
    if ax is None:
        ax = panels(1)[1][0]
    for number, (name, places, heights) in enumerate(lines):
        ax.plot(
            places, heights, label=name, color=COLOURS[number % len(COLOURS)],
            marker="" if marks_only and number not in marks_only else MARKERS[number],
            linestyle="" if number in marks_only else "-",
        )  # fmt: skip
    if whole:
        ax.xaxis.set_major_locator(MaxNLocator(integer=True))
    ax.set(xlabel=x, ylabel=y)
    if legend:
        ax.legend()
    return gl.reporting.Plot(ax.figure, ax, (ax,))


def plot_by_ties(table: pd.DataFrame, columns: Sequence[tuple[str, str]]) -> gl.reporting.Plot:
    """Draw columns of a table by deck size, side by side, with a line for each tie rule.

    Parameters
    ----------
    table : DataFrame
    columns : sequence of (name, label)
    """
    with gl.reporting.paper_style(columns=2):
        figure, axes = panels(len(columns))
        for ax, (column, label) in zip(axes, columns, strict=True):
            plot_lines(
                [
                    (f"ties: {ties}", part["cards"], part[column])
                    for ties, part in table.groupby("ties", sort=False)
                ],
                x="cards in each hand", y=label, ax=ax,
            )
        return gl.reporting.Plot(figure, axes[0], tuple(axes))
