"""Figures with a colour for each cell: bids by upcard, stage games, leads, tournaments."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from gops_lab.errors import FigureError
from gops_lab.evaluation import Tournament
from gops_lab.reporting.canvas import (
    BID_COLUMNS,
    MINUS,
    Plot,
    axes_for,
    bids_of,
    checked,
    colour_bar,
    default_width,
    drawn,
    heat_map,
    legend_above,
    matrix,
    of_player,
    panels_for,
    payoff_unit,
    root_figure,
    with_unit,
)
from gops_lab.reporting.description import PAYOFF_UNITS
from gops_lab.reporting.style import PAYOFFS, chance_colours
from gops_lab.reporting.text import NOISE

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure, SubFigure


def plot_bids(
    data: Any, *, ax: Axes | None = None, player: str = "a", annotate: bool | None = None
) -> Plot:
    """Draw a player's optimal first bids as a heat map: a column for each upcard.

    Parameters
    ----------
    data : DataFrame or Solution
        From `first_bids_table`: columns player, upcard, bid, probability.
    ax : Axes, optional
        Default: of a new figure.
    player : {"a", "b"}
    annotate : bool, optional
        Whether probabilities are written into the cells; default: where they fit.

    Returns
    -------
    Plot
        Keeps ``ax_`` and ``figure_``. Ranks that are never bid stay white.

    Raises
    ------
    FigureError
        If the table lacks a column or rows, or `ax` is no Axes.

    Examples
    --------
    >>> import gops_lab as gl
    >>> plot = gl.reporting.plot_bids(gl.solve(gl.Rules(cards=3)))
    >>> plot.ax_.get_xlabel(), plot.ax_.get_ylabel()
    ('upcard', 'bid of A')
    """
    what = "the heat map of bids"
    rows = bids_of(data, player, what)
    bids, upcards, chances = matrix(rows, "bid", "upcard", "probability", what)
    ax = axes_for(ax)
    mesh = heat_map(
        ax, chances, bids, upcards, colours=chance_colours(), low=0, high=1, annotate=annotate,
        empty=NOISE,
    )
    ax.set_xlabel("upcard")
    ax.set_ylabel(f"bid of {player.upper()}")
    colour_bar(ax, mesh, "probability")
    return drawn([ax], rows)


def plot_comparison(
    data: pd.DataFrame,
    *,
    figure: Figure | SubFigure | None = None,
    axes: Any = None,
    player: str = "a",
) -> Plot:
    """Draw the first bids of several games side by side, in the same colours.

    Parameters
    ----------
    data : DataFrame
        From `comparison_table`: columns game, player, upcard, bid, probability.
    figure : Figure, optional
        Where the panels are put; default a new one.
    axes : array of Axes, optional
        Instead of a figure: one for each game.
    player : {"a", "b"}

    Returns
    -------
    Plot
        Keeps ``axes_``, one for each game, ``ax_``, the first of them, and ``figure_``.

    Raises
    ------
    FigureError
        If the table lacks a column or rows, or there are too few axes.

    Examples
    --------
    >>> import gops_lab as gl
    >>> games = [gl.solve(gl.Rules(cards=3, ties=ties)) for ties in ("carry", "discard")]
    >>> plot = gl.reporting.plot_comparison(gl.reporting.comparison_table(games))
    >>> [ax.get_title() for ax in plot.axes_]
    ['ties carry', 'ties discard']
    """
    what = "the comparison of bids"
    rows = of_player(checked(data, ("game", *BID_COLUMNS), what), player, what)
    games = list(dict.fromkeys(rows["game"]))
    drawings = [
        matrix(rows[rows["game"] == game], "bid", "upcard", "probability", what)
        for game in games
    ]
    across = min(len(games), max(2, int(default_width() / 1.7)))
    panels = panels_for(len(games), across, figure, axes, height=1.75)
    width = 0.8 * root_figure(panels[0]).get_size_inches()[0] / across - 0.2
    for place, (ax, game, (bids, upcards, chances)) in enumerate(
        zip(panels, games, drawings, strict=True)
    ):
        mesh = heat_map(
            ax, chances, bids, upcards, colours=chance_colours(), low=0, high=1, annotate=None,
            empty=NOISE, width=width,
        )
        ax.set_title(str(game))
        ax.set_xlabel("upcard")
        if place % across == 0:
            ax.set_ylabel(f"bid of {player.upper()}")
        if place % across == across - 1 or place == len(games) - 1:
            colour_bar(ax, mesh, "probability")
    return drawn(panels, rows)


def plot_stage_game(
    data: Any, *, ax: Axes | None = None, annotate: bool | None = None
) -> Plot:
    """Draw what every pair of bids is worth to A: rows A's bids, columns B's.

    Parameters
    ----------
    data : DataFrame
        From `stage_table` (columns bid_a, bid_b, payoff), or a matrix from `Solution.stage_game`.
    ax : Axes, optional
        Default: of a new figure.
    annotate : bool, optional
        Whether payoffs are written into the cells; default: where they fit.

    Returns
    -------
    Plot
        Keeps ``ax_`` and ``figure_``. Blue is good for A, red for B, white is 0.

    Raises
    ------
    FigureError
        If the table lacks a column or rows, or `ax` is no Axes.

    Examples
    --------
    >>> import gops_lab as gl
    >>> state = gl.State((1, 2, 3), (1, 2, 3), (1, 2), upcard=3)
    >>> plot = gl.reporting.plot_stage_game(
    ...     gl.reporting.stage_table(gl.solve(gl.Rules(cards=3)), state))
    >>> plot.ax_.get_xlabel(), plot.ax_.get_ylabel()
    ('bid of B', 'bid of A')
    """
    what = "the stage game"
    if isinstance(data, pd.DataFrame) and data.index.name == "bid_a" and len(data):
        said = data.attrs
        data = pd.DataFrame(
            [
                (bid_a, bid_b, payoff)
                for bid_a, row in zip(data.index, data.to_numpy(), strict=True)
                for bid_b, payoff in zip(data.columns, row, strict=True)
            ],
            columns=["bid_a", "bid_b", "payoff"],
        )
        data.attrs = said
    rows = checked(data, ("bid_a", "bid_b", "payoff"), what)
    bids_a, bids_b, payoffs = matrix(rows, "bid_a", "bid_b", "payoff", what)
    ax = axes_for(ax)
    most = float(np.nanmax(np.abs(payoffs))) or 1.0
    mesh = heat_map(
        ax, payoffs, bids_a, bids_b, colours=PAYOFFS, low=-most, high=most, annotate=annotate,
        top_down=True,
    )
    ax.set_xlabel("bid of B")
    ax.set_ylabel("bid of A")
    colour_bar(ax, mesh, with_unit("A's payoff", payoff_unit(rows)))
    return drawn([ax], rows)


def plot_leads(
    data: pd.DataFrame, *, ax: Axes | None = None, player: str = "a",
    annotate: bool | None = None,
) -> Plot:
    """Draw how a player's optimal bids change with A's lead: a column for each lead.

    Parameters
    ----------
    data : DataFrame
        From `lead_table`: columns lead, player, bid, probability, and pure. The leads stand beside
        each other in order, whatever lies between them.
    ax : Axes, optional
        Default: of a new figure.
    player : {"a", "b"}
    annotate : bool, optional
        Whether probabilities are written into the cells; default: where they fit.

    Returns
    -------
    Plot
        Keeps ``ax_`` and ``figure_``. A lead at which every bid is optimal, as where the game is
        decided, is hatched, and no probability is drawn; without a column pure the bids of one
        optimal strategy are.

    Raises
    ------
    FigureError
        If the table lacks a column or rows, or `ax` is no Axes.

    Examples
    --------
    >>> import gops_lab as gl
    >>> state = gl.State((1, 2, 3), (1, 2, 3), (1, 2), upcard=3)
    >>> table = gl.reporting.lead_table(gl.solve(gl.Rules(cards=3), "win"), state, range(-6, 7))
    >>> gl.reporting.plot_leads(table).ax_.get_xlabel()
    "A's lead (points)"
    """
    what = "the effect of the lead"
    rows = of_player(checked(data, ("lead", "player", "bid", "probability"), what), player, what)
    bids, leads, chances = matrix(rows, "bid", "lead", "probability", what)
    ax = axes_for(ax)
    free = np.zeros(len(leads), np.bool_)
    if "pure" in rows.columns:
        free = rows.groupby("lead")["pure"].all().loc[leads].to_numpy(np.bool_)
    mesh = heat_map(
        ax, np.where(free, np.nan, chances), bids, leads, colours=chance_colours(), low=0, high=1,
        annotate=annotate, empty=NOISE,
    )
    if free.any():
        _hatch(ax, np.flatnonzero(free), len(bids))
    ax.set_xlabel("A's lead (points)")
    ax.set_ylabel(f"bid of {player.upper()}")
    colour_bar(ax, mesh, "probability")
    return drawn([ax], rows)


def plot_tournament(
    data: Any, *, ax: Axes | None = None, objective: str = "margin",
    annotate: bool | None = None,
) -> Plot:
    """Draw what each strategy of a tournament gets from each other.

    Parameters
    ----------
    data : Tournament or DataFrame
        A tournament, or the square table of `Tournament.payoffs`: what the row's strategy gets
        from the column's.
    ax : Axes, optional
        Default: of a new figure.
    objective : {"margin", "win"}
        Whether payoffs are points a game, or the share of games won minus the share lost.
    annotate : bool, optional
        Whether payoffs are written into the cells; default: where they fit.

    Returns
    -------
    Plot
        Keeps ``ax_`` and ``figure_``. Blue is good for the row's strategy.

    Raises
    ------
    FigureError
        If the table is not square with the same names on both sides, or `ax` is no Axes.

    Examples
    --------
    >>> import gops_lab as gl
    >>> rules = gl.Rules(cards=4)
    >>> field = [gl.strategy_named(name, rules) for name in ("uniform", "match", "highest")]
    >>> plot = gl.reporting.plot_tournament(gl.tournament(rules, field, 100))
    >>> [label.get_text() for label in plot.ax_.get_yticklabels()]
    ['uniform', 'match', 'highest']
    """
    what = "the tournament"
    if objective not in PAYOFF_UNITS:
        raise FigureError(f"objective must be 'margin' or 'win', not {objective!r}")
    said: dict[str, Any] = {"objective": objective}
    if isinstance(data, Tournament):
        said["rules"] = data.rules.as_dict()
        data = data.payoffs(objective)
    table = checked(data, (), what)
    names = [str(name) for name in table.index]
    if names != [str(name) for name in table.columns]:
        raise FigureError(f"{what} needs a square table with the same names on both sides")
    try:
        payoffs = table.to_numpy(dtype=np.float64)
    except (TypeError, ValueError):
        raise FigureError(f"{what} needs numbers in every cell") from None
    ax = axes_for(ax)
    most = float(np.nanmax(np.abs(payoffs))) or 1.0
    mesh = heat_map(
        ax, payoffs, names, names, colours=PAYOFFS, low=-most, high=most, annotate=annotate,
        digits=1 if objective == "margin" else 2, top_down=True,
    )
    for label in ax.get_xticklabels():
        label.set(rotation=45, ha="right", rotation_mode="anchor")
    ax.set_xlabel("against")
    unit = {"margin": "points a game", "win": f"P(ahead) {MINUS} P(behind)"}[objective]
    colour_bar(ax, mesh, unit)
    table = table.copy()
    table.attrs.update(said)
    return drawn([ax], table)


def _hatch(ax: Axes, columns: npt.NDArray[np.intp], rows: int) -> None:
    """Hatch whole columns of a heat map, and say above it what that means."""
    from matplotlib.patches import Rectangle

    for column in columns:
        mark = Rectangle(
            (column - 0.5, -0.5), 1, rows, facecolor="0.95", edgecolor="0.6", hatch="////",
            linewidth=0, label="every bid is optimal",
        )
        ax.add_patch(mark)
    legend_above(ax, [mark])
