"""What all figures share: where they are drawn, what they return, and the checks of their data."""

from __future__ import annotations

import io
import math
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from gops_lab.errors import FigureError
from gops_lab.game.state import side_of
from gops_lab.induction.solution import Solution
from gops_lab.reporting.description import PAYOFF_UNITS
from gops_lab.reporting.tables import first_bids_table
from gops_lab.reporting.text import fixed

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.cm import ScalarMappable
    from matplotlib.colors import Colormap
    from matplotlib.figure import Figure, SubFigure

Numbers = npt.NDArray[np.float64]

TICK_ROOM = 0.16
"""Inches that a tick's label of two digits needs beside the next."""

LONG_LABEL = 30
"""Characters of a label that no longer fit beside a figure of one column."""

MINUS = "\N{MINUS SIGN}"

CELL_ROOM = 0.30
"""Inches that a number in a cell of a heat map needs."""


@dataclass(frozen=True, eq=False)
class Plot:
    """A figure that was drawn.

    Attributes
    ----------
    figure_ : Figure
        The figure that holds the axes.
    ax_ : Axes
        What was drawn on; of small multiples the first.
    axes_ : tuple of Axes
        All of them.
    metadata_ : dict
        What the data said of themselves: rules, objective, versions.
    """

    figure_: Figure
    ax_: Axes
    axes_: tuple[Axes, ...]
    metadata_: dict[str, Any] = field(default_factory=dict, repr=False)

    def _repr_png_(self) -> bytes:
        """Return the figure as a notebook shows it."""
        return rendered(self.figure_, "png", {"Software": None}, dpi=150)


def rendered(figure: Figure, form: str, metadata: Mapping[str, Any], **how: Any) -> bytes:
    """Return a figure as the bytes of a file, drawn without pyplot, and leave it as it was.

    A layout begins from where the axes are, so that the same figure written twice would differ by
    a hair if the axes stayed where the first layout had put them.
    """
    places = [
        (ax, ax.get_position(original=True), ax.get_position(), ax.get_in_layout())
        for ax in figure.axes
    ]
    sink = io.BytesIO()
    try:
        figure.savefig(sink, format=form, metadata=dict(metadata), **how)
    finally:
        for ax, original, active, in_layout in places:
            ax.set_position(original, which="original")
            ax.set_position(active, which="active")
            ax.set_in_layout(in_layout)
    return sink.getvalue()


def drawn(axes: Sequence[Axes], data: object) -> Plot:
    """Return the record of what was drawn from some data."""
    figure = root_figure(axes[0])
    said: dict[str, Any] = {}
    if isinstance(data, pd.DataFrame):
        said = {str(name): value for name, value in data.attrs.items()}
    return Plot(figure, axes[0], tuple(axes), said)


def root_figure(ax: Axes) -> Figure:
    """Return the figure at the top of those that hold an Axes."""
    figure: Any = ax.figure
    while figure.figure is not figure:
        figure = figure.figure
    result: Figure = figure
    return result


def root_size(ax: Axes) -> tuple[float, float]:
    """Return about how many inches an Axes will have, its labels and a legend left out."""
    place = ax.get_window_extent()
    dpi = float(ax.figure.dpi)
    return 0.95 * place.width / dpi, 0.85 * place.height / dpi


def axes_for(ax: Axes | None) -> Axes:
    """Return the Axes given, or those of a new figure that pyplot knows nothing of.

    Raises
    ------
    FigureError
        If it is something else.
    """
    from matplotlib.axes import Axes

    if ax is None:
        return new_figure().add_subplot()
    if not isinstance(ax, Axes):
        raise FigureError(f"ax must be a matplotlib Axes, not {ax!r}")
    return ax


def new_figure(size: tuple[float, float] | None = None) -> Figure:
    """Return an empty figure of the current style's size, its layout kept free of overlaps."""
    from matplotlib.figure import Figure

    return Figure(figsize=size, layout="constrained")


def default_width() -> float:
    """Return the width in inches that the current style gives a figure."""
    import matplotlib as mpl

    return float(mpl.rcParams["figure.figsize"][0])


def panels_for(
    count: int,
    across: int,
    figure: Figure | SubFigure | None,
    axes: Any,
    height: float,
) -> list[Axes]:
    """Return so many Axes: those given, or new ones in the figure given or in a new one.

    Parameters
    ----------
    count, across : int
        Panels in all, and in a row of a new figure.
    figure, axes
        At most one of them.
    height : float
        Inches of a row in a new figure.
    """
    from matplotlib.axes import Axes
    from matplotlib.figure import FigureBase

    if figure is not None and axes is not None:
        raise FigureError("give figure or axes, not both")
    if axes is not None:
        given = list(np.ravel(np.asarray(axes, dtype=object)))
        wrong = next((ax for ax in given if not isinstance(ax, Axes)), None)
        if wrong is not None:
            raise FigureError(f"axes must hold matplotlib Axes, not {wrong!r}")
        if len(given) < count:
            raise FigureError(f"{count} panels need {count} axes; {len(given)} are given")
        for ax in given[count:]:
            ax.set_axis_off()
        return given[:count]
    rows = math.ceil(count / across)
    if figure is None:
        figure = new_figure((default_width(), rows * height + 0.45))
    elif not isinstance(figure, FigureBase):
        raise FigureError(f"figure must be a matplotlib Figure, not {figure!r}")
    grid = figure.add_gridspec(rows, across)
    first = figure.add_subplot(grid[0, 0])
    rest = [
        figure.add_subplot(grid[divmod(place, across)], sharex=first, sharey=first)
        for place in range(1, count)
    ]
    return [first, *rest]


# Data


def checked(data: object, needed: Sequence[str], what: str) -> pd.DataFrame:
    """Return the data if they are a table with some rows and the columns needed.

    Raises
    ------
    FigureError
        If they are not.
    """
    if not isinstance(data, pd.DataFrame):
        raise FigureError(f"{what} is drawn from a DataFrame, not from {data!r}")
    missing = [name for name in needed if name not in data.columns]
    if missing:
        raise FigureError(
            f"{what} needs the columns {', '.join(needed)}; the table has no {missing[0]!r}"
        )
    if not len(data):
        raise FigureError(f"{what} cannot be drawn: the table has no rows")
    return data


def numbers(data: pd.DataFrame, column: str, what: str) -> Numbers:
    """Return a column as floats, all of them finite."""
    try:
        values = np.array([float(value) for value in data[column]], np.float64)
    except (TypeError, ValueError):
        raise FigureError(f"{what} needs numbers in the column {column!r}") from None
    if not np.isfinite(values).all():
        wrong = values[~np.isfinite(values)][0]
        raise FigureError(f"{what} needs finite numbers in the column {column!r}, not {wrong}")
    return values


BID_COLUMNS = ("player", "upcard", "bid", "probability")


def bids_of(data: object, player: str, what: str) -> pd.DataFrame:
    """Return a player's rows of a first-bid table, or of a solution's."""
    side_of(player)
    if isinstance(data, Solution):
        data = first_bids_table(data)
    return of_player(checked(data, BID_COLUMNS, what), player, what)


def of_player(data: pd.DataFrame, player: str, what: str) -> pd.DataFrame:
    """Return a player's rows."""
    side_of(player)
    rows = data[data["player"] == player]
    if not len(rows):
        raise FigureError(f"{what} cannot be drawn: the table has no rows of player {player!r}")
    return rows


def matrix(
    data: pd.DataFrame, row: str, column: str, value: str, what: str
) -> tuple[list[Any], list[Any], Numbers]:
    """Return the labels of rows and columns, ascending, and the numbers; NaN where none is."""
    if data.duplicated([row, column]).any():
        raise FigureError(f"{what} needs one number for each {row} and {column}, not several")
    rows, columns = sorted(data[row].unique()), sorted(data[column].unique())
    result = np.full((len(rows), len(columns)), np.nan)
    places = [
        [labels.index(label) for label in data[name]]
        for labels, name in ((rows, row), (columns, column))
    ]
    result[places[0], places[1]] = numbers(data, value, what)
    return rows, columns, result


def payoff_unit(data: pd.DataFrame) -> str:
    """Return the unit of A's payoffs, as far as the data say it."""
    objective = data.attrs.get("objective")
    if objective is None:
        names = {game["objective"] for game in data.attrs.get("games", {}).values()}
        objective = names.pop() if len(names) == 1 else None
    return PAYOFF_UNITS.get(str(objective), "" if objective is None else "utility")


def with_unit(label: str, unit: str) -> str:
    """Return an axis label with its unit in brackets, in two lines if it is long.

    Examples
    --------
    >>> with_unit("value", "points"), with_unit("value", "")
    ('value (points)', 'value')
    """
    if not unit:
        return label
    between = " " if len(label) + len(unit) < LONG_LABEL else "\n"
    return f"{label}{between}({unit.replace(' - ', f' {MINUS} ')})"


def series_of(data: pd.DataFrame, names: Iterable[str]) -> list[tuple[str, pd.DataFrame]]:
    """Return the rows that belong together, named by those columns in which they differ."""
    apart = [name for name in names if name in data.columns and len(set(data[name])) > 1]
    if not apart:
        return [("", data)]
    keyed = data.groupby(apart, sort=False)
    return [
        (", ".join(_said(name, part) for name, part in zip(apart, key, strict=True)), rows)
        for key, rows in keyed
    ]


def _said(name: str, value: object) -> str:
    """Return one column's part of a series' name.

    Examples
    --------
    >>> _said("cards", 4), _said("ties", "carry")
    ('4 cards', 'carry')
    """
    return f"{value} cards" if name == "cards" else str(value)


# Heat maps


def heat_map(
    ax: Axes, values: Numbers, rows: Sequence[Any], columns: Sequence[Any], *,
    colours: str | Colormap, low: float, high: float, annotate: bool | None, digits: int = 2,
    empty: float | None = None, width: float | None = None, top_down: bool = False,
) -> ScalarMappable:
    """Draw a matrix as coloured cells.

    Parameters
    ----------
    ax : Axes
    values : array, shape (rows, columns)
        NaN is left blank.
    rows, columns : sequence
        Labels.
    colours : str or Colormap
        From `low` to `high`.
    annotate : bool, optional
        Whether the numbers are written into the cells; default: where they fit.
    digits : int
        Their decimals.
    empty : float, optional
        Cells not above this are left white, without a number.
    width : float, optional
        Inches of the axes, if they are known better than by their place in the figure.
    top_down : bool
        Whether the first row is at the top, as in a printed matrix.
    """
    shown = values if empty is None else np.where(values > empty, values, np.nan)
    mesh = ax.pcolormesh(
        np.arange(len(columns) + 1) - 0.5, np.arange(len(rows) + 1) - 0.5,
        np.ma.masked_invalid(shown), cmap=colours, vmin=low, vmax=high,
        edgecolors="white", linewidth=0.4, rasterized=values.size > 4000,
    )
    ax.set_xlim(-0.5, len(columns) - 0.5)
    ax.set_ylim(*((len(rows) - 0.5, -0.5) if top_down else (-0.5, len(rows) - 0.5)))
    ax.tick_params(length=0)
    for spine in ax.spines.values():
        spine.set_visible(True)
        spine.set_color("0.7")
    place = ax.get_window_extent()
    dpi = root_figure(ax).dpi
    # Labels and a colour bar will take their part.
    across = 0.85 * place.width / dpi if width is None else width
    down = 0.85 * place.height / dpi
    label_cells(ax, "x", columns, across, TICK_ROOM)
    label_cells(ax, "y", rows, down, 0.12)
    if annotate is None:
        annotate = across / len(columns) >= CELL_ROOM and down / len(rows) >= 0.12
    if annotate:
        _write_numbers(ax, mesh, shown, digits)
    return mesh


def signed(number: object) -> str:
    """Return a number as it is printed, with a minus and not a hyphen."""
    return str(number).replace("-", MINUS)


def label_cells(ax: Axes, side: str, labels: Sequence[Any], size: float, room: float) -> None:
    """Label the cells along an axis, as many as there is room for."""
    numeric = all(isinstance(label, int | np.integer) for label in labels)
    texts = [signed(label) if numeric else str(label) for label in labels]
    longest = max(map(len, texts))
    needed = room if side == "y" else room * max(1.0, longest / 2)
    step = 1
    if numeric:
        step = max(1, math.ceil(needed * len(labels) / size))
    # Count from the far end: the highest card is the one to see; of leads the middle.
    middle = len(labels) // 2 if numeric and min(labels) < 0 else len(labels) - 1
    places = [place for place in range(len(labels)) if (place - middle) % step == 0]
    axis = ax.xaxis if side == "x" else ax.yaxis
    axis.set_ticks(places, [texts[place] for place in places])


def _write_numbers(ax: Axes, mesh: ScalarMappable, values: Numbers, digits: int) -> None:
    for (row, column), value in np.ndenumerate(values):
        if np.isnan(value):
            continue
        red, green, blue, _ = mesh.to_rgba(np.array([value]))[0]
        dark = 0.299 * red + 0.587 * green + 0.114 * blue < 0.5
        # There is no room for the nought of "<0.01".
        text = re.sub(r"([<>]-?)0\.", r"\1.", fixed(value, digits))
        ax.text(
            column, row, signed(text), ha="center", va="center", fontsize=6,
            color="white" if dark else "black",
        )


def legend_above(ax: Axes, marks: Sequence[Any], title: str = "") -> None:
    """Put the legend above the axes, in rows that fit, where it hides nothing."""
    longest = max(len(str(mark.get_label())) for mark in marks)
    width = root_size(ax)[0]
    columns = max(1, min(len(marks), int(1.15 * width / (0.06 * longest + 0.33))))
    ax.legend(
        handles=list(marks), loc="lower center", bbox_to_anchor=(0.5, 1.0), ncols=columns,
        borderaxespad=0.3, handletextpad=0.4, columnspacing=1.2, borderpad=0.2,
        title=title or None,
    )


def colour_bar(ax: Axes, mesh: ScalarMappable, label: str) -> None:
    """Put a colour bar beside an Axes, inside what belongs to it."""
    from matplotlib.colorbar import Colorbar

    bar = Colorbar(ax.inset_axes((1.03, 0.0, 0.04, 1.0)), mesh)
    bar.set_label(label)
    bar.outline.set_linewidth(0.4)
    bar.ax.tick_params(width=0.4, length=2)
