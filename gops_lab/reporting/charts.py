"""Figures with axes of numbers: panels of bids, supports, stakes, losses, convergence, costs."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from gops_lab.errors import FigureError
from gops_lab.game import checks
from gops_lab.reporting.canvas import (
    Plot,
    axes_for,
    bids_of,
    checked,
    default_width,
    drawn,
    label_cells,
    legend_above,
    matrix,
    numbers,
    panels_for,
    payoff_unit,
    root_size,
    series_of,
    signed,
    with_unit,
)
from gops_lab.reporting.style import COLOURS, MARKERS, shades
from gops_lab.reporting.text import NOISE

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure, SubFigure

PANEL = 1.15
"""Inches across that a panel of bids needs."""

NEVER = 2.0
"""Points across that the dot of a rank has that is never bid."""

GAMES = ("game", "cards", "ties", "order", "objective")
"""Columns that set one series of a chart apart from the next."""


def plot_bid_panels(
    data: Any,
    *,
    figure: Figure | SubFigure | None = None,
    axes: Any = None,
    player: str = "a",
) -> Plot:
    """Draw a player's optimal first bids as small multiples: a panel of bars for each upcard.

    Parameters
    ----------
    data : DataFrame or Solution
        From `first_bids_table`: columns player, upcard, bid, probability.
    figure : Figure, optional
        Where the panels are put; default a new one, as high as they need.
    axes : array of Axes, optional
        Instead of a figure: one for each upcard; those left over are emptied.
    player : {"a", "b"}

    Returns
    -------
    Plot
        Keeps ``axes_``, one for each upcard, ``ax_``, the first of them, and ``figure_``.

    Raises
    ------
    FigureError
        If the table lacks a column or rows, or there are too few axes.

    Examples
    --------
    >>> import gops_lab as gl
    >>> plot = gl.reporting.plot_bid_panels(gl.solve(gl.Rules(cards=3)))
    >>> [ax.get_title() for ax in plot.axes_]
    ['upcard 1', 'upcard 2', 'upcard 3']
    """
    what = "the panels of bids"
    rows = bids_of(data, player, what)
    bids, upcards, chances = matrix(rows, "bid", "upcard", "probability", what)
    most = max(1, int(default_width() / PANEL))
    across = math.ceil(len(upcards) / math.ceil(len(upcards) / most))
    panels = panels_for(len(upcards), across, figure, axes, height=0.85)
    top = 1.05 * float(np.nanmax(chances))
    width = 0.75 * default_width() / across
    lowest = max(0, len(upcards) - across)
    for place, (ax, upcard) in enumerate(zip(panels, upcards, strict=True)):
        ax.bar(range(len(bids)), np.nan_to_num(chances[:, place]), width=0.85, color=COLOURS[0])
        ax.set_title(f"upcard {signed(upcard)}", pad=2)
        ax.set_ylim(0, top)
        ax.set_xlim(-0.7, len(bids) - 0.3)
        label_cells(ax, "x", bids, width, 0.17)
        if axes is None:
            ax.tick_params(labelbottom=place >= lowest, labelleft=place % across == 0)
    if axes is None:
        holder = panels[0].figure
        holder.supxlabel(f"bid of {player.upper()}", fontsize=_label_size())
        holder.supylabel("probability", fontsize=_label_size())
    else:
        panels[-1].set_xlabel(f"bid of {player.upper()}")
        panels[0].set_ylabel("probability")
    return drawn(panels, rows)


def plot_support(data: Any, *, ax: Axes | None = None, player: str = "a") -> Plot:
    """Draw which ranks are bid at all, odd and even ones apart.

    For many upcards optimal play bids odd ranks only, or even ones only, but for the highest
    bids; the chart shows where. The larger a mark, the more often that rank is bid.

    Parameters
    ----------
    data : DataFrame or Solution
        From `first_bids_table`: columns player, upcard, bid, probability.
    ax : Axes, optional
        Default: of a new figure.
    player : {"a", "b"}

    Returns
    -------
    Plot
        Keeps ``ax_`` and ``figure_``.

    Raises
    ------
    FigureError
        If the table lacks a column or rows, or `ax` is no Axes.

    Examples
    --------
    >>> import gops_lab as gl
    >>> plot = gl.reporting.plot_support(gl.solve(gl.Rules(cards=4, ties="discard")))
    >>> [text.get_text() for text in plot.ax_.get_legend().get_texts()]
    ['odd bid', 'even bid', 'never bid']
    """
    from matplotlib.lines import Line2D

    what = "the support chart"
    rows = bids_of(data, player, what)
    bids, upcards, chances = matrix(rows, "bid", "upcard", "probability", what)
    ax = axes_for(ax)
    size = root_size(ax)
    room = 72 * 0.7 * min(size[0] / len(upcards), size[1] / len(bids))
    kinds = (("odd bid", 1, COLOURS[0], "o"), ("even bid", 0, COLOURS[1], "s"))
    place_bid, place_upcard = np.nonzero(chances > NOISE)
    chance = chances[place_bid, place_upcard]
    odd = np.array(bids)[place_bid] % 2
    for _, parity, colour, marker in kinds:
        these = odd == parity
        ax.scatter(
            place_upcard[these], place_bid[these], color=colour, marker=marker, linewidths=0,
            # Areas grow with the square root: a rank that is hardly ever bid is seen too.
            s=(1.2 * room) ** 2 * np.clip(np.sqrt(chance[these]), 0.1, 1),
        )
    never = np.nonzero(chances <= NOISE)
    ax.scatter(never[1], never[0], color="0.55", marker="o", s=NEVER**2, linewidths=0)
    ax.set_xlim(-0.6, len(upcards) - 0.4)
    ax.set_ylim(-0.6, len(bids) - 0.4)
    label_cells(ax, "x", upcards, size[0], 0.16)
    label_cells(ax, "y", bids, size[1], 0.12)
    ax.set_xlabel("upcard")
    ax.set_ylabel(f"bid of {player.upper()}")
    marks = [
        Line2D(
            [], [], linestyle="", color=colour, marker=marker, label=label, markeredgewidth=0,
            markersize=NEVER if label == "never bid" else 5,
        )
        for label, _, colour, marker in (*kinds, ("never bid", 0, "0.55", "o"))
    ]
    legend_above(ax, marks, "the larger a mark, the more often")
    return drawn([ax], rows)


def plot_stakes(data: pd.DataFrame, *, ax: Axes | None = None) -> Plot:
    """Draw A's value as the stake grows.

    Parameters
    ----------
    data : DataFrame
        From `stake_table`: columns stake, value; and if several games or states are shown, a
        column game that names them.
    ax : Axes, optional
        Default: of a new figure.

    Returns
    -------
    Plot
        Keeps ``ax_`` and ``figure_``.

    Raises
    ------
    FigureError
        If the table lacks a column or rows, or `ax` is no Axes.

    Examples
    --------
    >>> import gops_lab as gl
    >>> state = gl.State((1, 4), (2, 3), (1,), upcard=4)
    >>> table = gl.reporting.stake_table(gl.solve(gl.Rules(cards=4)), state, range(4))
    >>> gl.reporting.plot_stakes(table).ax_.get_ylabel()
    "A's value (points)"
    """
    what = "the value by stake"
    rows = checked(data, ("stake", "value"), what)
    ax = axes_for(ax)
    for place, (name, part) in enumerate(series_of(rows, GAMES)):
        line = part.drop_duplicates("stake").sort_values("stake")
        ax.plot(
            numbers(line, "stake", what), numbers(line, "value", what), label=name,
            **_mark(place),
        )
    ax.axhline(0, color="0.6", linewidth=0.6, zorder=0)
    ax.set_xlabel("stake (points)")
    ax.set_ylabel(with_unit("A's value", payoff_unit(rows)))
    _name_series(ax)
    return drawn([ax], rows)


def plot_exploitability(
    data: pd.DataFrame, *, ax: Axes | None = None, by: str | None = None
) -> Plot:
    """Draw what strategies lose to their best responses, as bars, the worst at the bottom.

    Parameters
    ----------
    data : DataFrame
        From `exploitability_table`: columns strategy, exploitability; with several games a bar for
        each.
    ax : Axes, optional
        Default: of a new figure.
    by : str, optional
        The column that sets the bars of one strategy apart; default: what differs among game,
        cards, ties, order and objective.

    Returns
    -------
    Plot
        Keeps ``ax_`` and ``figure_``.

    Raises
    ------
    FigureError
        If the table lacks a column or rows, or has a strategy's loss twice, or `ax` is no Axes.

    Examples
    --------
    >>> import gops_lab as gl
    >>> rules = gl.Rules(cards=3, ties="discard")
    >>> found = [gl.exploitability(rules, gl.strategy_named(name, rules))
    ...          for name in ("uniform", "match")]
    >>> plot = gl.reporting.plot_exploitability(gl.reporting.exploitability_table(found))
    >>> [label.get_text() for label in plot.ax_.get_yticklabels()]
    ['match', 'uniform']
    """
    what = "the chart of exploitability"
    rows = checked(data, ("strategy", "exploitability", *([by] if by else [])), what)
    parts = series_of(rows, (by,) if by else GAMES)
    losses = [
        dict(zip(part["strategy"], numbers(part, "exploitability", what), strict=True))
        for _, part in parts
    ]
    if any(len(loss) < len(part) for loss, (_, part) in zip(losses, parts, strict=True)):
        raise FigureError(f"{what} needs one number for each strategy and game, not several")
    names = sorted(
        dict.fromkeys(rows["strategy"]),
        key=lambda name: max(loss.get(name, 0.0) for loss in losses),
    )
    ax = axes_for(ax)
    height = 0.8 / len(parts)
    colours = shades(len(parts))
    for place, ((label, _), loss) in enumerate(zip(parts, losses, strict=True)):
        at = [
            i + (place - (len(parts) - 1) / 2) * height
            for i, name in enumerate(names) if name in loss
        ]
        ax.barh(
            at, [loss[name] for name in names if name in loss], height=0.92 * height,
            label=label, color=colours[place],
        )
    ax.set_yticks(range(len(names)), [str(name) for name in names])
    ax.set_ylim(len(names) - 0.45, -0.55)
    ax.tick_params(axis="y", length=0)
    ax.set_xlabel(with_unit("exploitability", payoff_unit(rows)))
    _name_series(ax)
    return drawn([ax], rows)


def plot_convergence(
    data: pd.DataFrame,
    exact: float | None = None,
    *,
    ax: Axes | None = None,
    column: str = "value",
    error: bool = False,
) -> Plot:
    """Draw how a learning algorithm comes near the exact answer.

    Parameters
    ----------
    data : DataFrame
        Columns iteration (1 or more) and what `column` names; with several algorithms a column
        algorithm that names them.
    exact : number, optional
        The exact answer, drawn as a line.
    ax : Axes, optional
        Default: of a new figure.
    column : str
        What is drawn: a value, or an exploitability; in the unit of the data's objective.
    error : bool
        Whether the distance to `exact` is drawn, on logarithmic axes. Distances of 0 are left out.

    Returns
    -------
    Plot
        Keeps ``ax_`` and ``figure_``.

    Raises
    ------
    FigureError
        If the table lacks a column or rows, an iteration is below 1, the distance to an answer is
        asked for that is not given, or `ax` is no Axes.

    Examples
    --------
    >>> import gops_lab as gl
    >>> import pandas as pd
    >>> data = pd.DataFrame({"iteration": [1, 10, 100], "value": [0.5, 0.2, 0.11]})
    >>> plot = gl.reporting.plot_convergence(data, exact=0.1)
    >>> [text.get_text() for text in plot.ax_.get_legend().get_texts()]
    ['value', 'exact']
    """
    what = "the chart of convergence"
    rows = checked(data, ("iteration", column), what)
    if exact is not None and not math.isfinite(checks.real("exact", exact, FigureError)):
        raise FigureError(f"exact must be a finite number, not {exact!r}")
    if error and exact is None:
        raise FigureError("the distance to the exact answer needs exact=...")
    if (numbers(rows, "iteration", what) < 1).any():
        raise FigureError(f"{what} needs iterations from 1 on: its axis is logarithmic")
    ax = axes_for(ax)
    for place, (name, part) in enumerate(series_of(rows, ("algorithm", *GAMES))):
        line = part.sort_values("iteration")
        at, values = numbers(line, "iteration", what), numbers(line, column, what)
        if error:
            values = np.abs(values - float(exact or 0.0))
            at, values = at[values > 0], values[values > 0]
        ax.plot(at, values, label=name or column, **_mark(place, len(at)))
    if exact is not None and not error:
        ax.axhline(float(exact), color="black", linestyle="--", linewidth=0.8, label="exact")
    ax.set_xscale("log")
    if error:
        ax.set_yscale("log")
    ax.set_xlabel("iteration")
    label = f"distance of {column} to exact" if error else column
    ax.set_ylabel(with_unit(label, payoff_unit(rows)))
    _name_series(ax)
    return drawn([ax], rows)


QUANTITIES = {
    "seconds": "time (s)",
    "wall_seconds": "time (s)",
    "cpu_seconds": "processor time (s)",
    "memory": "memory (bytes)",
    "peak_gib": "memory (GiB)",
    "stage_games": "stage games",
    "values": "values kept",
}
"""How the axis of a cost is called."""


def plot_costs(
    data: pd.DataFrame, *, ax: Axes | None = None, quantity: str = "seconds"
) -> Plot:
    """Draw what solving costs by the size of the deck, on a logarithmic axis.

    Parameters
    ----------
    data : DataFrame
        From `cost_table`, or measured: columns cards and what `quantity` names; rows that differ
        in ties, order or objective are lines of their own.
    ax : Axes, optional
        Default: of a new figure.
    quantity : str
        The column that is drawn: seconds, memory (bytes), stage_games, values, or one of yours.

    Returns
    -------
    Plot
        Keeps ``ax_`` and ``figure_``.

    Raises
    ------
    FigureError
        If the table lacks a column or rows, a cost is not above 0, or `ax` is no Axes.

    Examples
    --------
    >>> import gops_lab as gl
    >>> table = gl.reporting.cost_table(gl.forecast(gl.Rules(cards=n)) for n in (4, 6, 8))
    >>> gl.reporting.plot_costs(table, quantity="stage_games").ax_.get_ylabel()
    'stage games'
    """
    from matplotlib.ticker import MaxNLocator

    what = "the chart of costs"
    rows = checked(data, ("cards", quantity), what)
    if (numbers(rows, quantity, what) <= 0).any():
        raise FigureError(f"{what} needs a {quantity} above 0: its axis is logarithmic")
    ax = axes_for(ax)
    for place, (name, part) in enumerate(series_of(rows, ("game", "ties", "order", "objective"))):
        line = part.sort_values("cards", kind="stable")
        ax.plot(
            numbers(line, "cards", what), numbers(line, quantity, what), label=name, **_mark(place)
        )
    ax.set_yscale("log")
    ax.xaxis.set_major_locator(MaxNLocator(integer=True))
    ax.set_xlabel("cards in each hand")
    ax.set_ylabel(QUANTITIES.get(quantity, quantity))
    _name_series(ax)
    return drawn([ax], rows)


def _mark(place: int, count: int = 0) -> dict[str, Any]:
    """Return colour, mark and line of a series; many points have marks here and there only.

    Every other series is dashed and its marks are hollow: where it runs over the one before, both
    are seen.
    """
    colour = COLOURS[place % len(COLOURS)]
    return {
        "color": colour,
        "marker": MARKERS[place % len(MARKERS)],
        "markerfacecolor": "none" if place % 2 else colour,
        "linestyle": "--" if place % 2 else "-",
        "markevery": max(1, count // 12),
    }


def _label_size() -> Any:
    import matplotlib as mpl

    return mpl.rcParams["axes.labelsize"]


def _name_series(ax: Axes) -> None:
    """Add a legend if there is more than one series."""
    handles, labels = ax.get_legend_handles_labels()
    named = [(handle, label) for handle, label in zip(handles, labels, strict=True) if label]
    if len(named) > 1:
        legend_above(ax, [handle for handle, _ in named])
