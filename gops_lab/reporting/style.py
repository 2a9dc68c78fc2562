"""How figures look on paper: widths of a column, fonts, colours that everybody can tell apart.

Nothing here imports matplotlib before a figure is drawn.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from gops_lab.errors import FigureError
from gops_lab.game import checks

if TYPE_CHECKING:
    from matplotlib.colors import Colormap

WIDTHS = {1: 3.5, 2: 7.16}
"""Inches of a figure that spans one or two columns of a journal."""

COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000")
"""Of M. Okabe and K. Ito, Color universal design (2008): told apart by the colour-blind."""

MARKERS = ("o", "s", "^", "D", "v", "P", "X")

PAYOFFS = "RdBu"
"""Colour map of payoffs: blue is good for A, red for B, white is 0."""

SAVING: Any = {
    "pdf.fonttype": 42, "ps.fonttype": 42, "svg.fonttype": "path", "svg.hashsalt": "gops_lab",
    "savefig.bbox": None,
}
"""What must hold while a file is written: TrueType fonts, no random names, the width as set."""


def chance_colours() -> Colormap:
    """Return the colour map of probabilities, pale to dark: its palest is not white.

    What is never bid stays white, and is told from what is hardly ever bid.
    """
    import matplotlib as mpl
    from matplotlib.colors import LinearSegmentedColormap

    shades = mpl.colormaps["YlGnBu"]([0.18 + 0.82 * place / 255 for place in range(256)])
    return LinearSegmentedColormap.from_list("chances", shades)


def shades(count: int) -> list[Any]:
    """Return colours for bars that belong together, told apart by how dark they are too."""
    import matplotlib as mpl

    if count == 1:
        return [COLOURS[0]]
    return [mpl.colormaps["cividis"](0.9 * place / (count - 1)) for place in range(count)]


@contextmanager
def paper_style(columns: int = 1, *, height: float | None = None) -> Iterator[None]:
    """Draw and save figures as they are printed, while the context lasts.

    Parameters
    ----------
    columns : {1, 2}
        Columns of the page that a figure spans: 3.5 or 7.16 inches.
    height : float, optional
        Inches; default three quarters (one column) or two fifths (two columns) of the width.

    Raises
    ------
    FigureError
        If `columns` is neither 1 nor 2, or the height is not a positive number.

    Examples
    --------
    >>> import gops_lab as gl
    >>> with gl.reporting.paper_style(columns=2):
    ...     plot = gl.reporting.plot_bids(gl.solve(gl.Rules(cards=3)))
    >>> float(plot.figure_.get_size_inches()[0])
    7.16
    """
    if columns not in WIDTHS or isinstance(columns, bool):
        raise FigureError(f"columns must be 1 or 2, not {columns!r}")
    if height is not None and not 0 < checks.real("height", height, FigureError) < 100:
        raise FigureError(f"height must be a positive number of inches, not {height!r}")
    import matplotlib as mpl

    width = WIDTHS[columns]
    tall = width * (0.75 if columns == 1 else 0.4) if height is None else height
    style: Any = {**_look(), **SAVING, "figure.figsize": (width, tall)}
    with mpl.rc_context(style):
        yield


def _look() -> dict[str, Any]:
    from cycler import cycler

    return {
        "font.family": "sans-serif",
        "font.sans-serif": ["DejaVu Sans"],  # comes with matplotlib: the same everywhere
        "font.size": 8.0,
        "axes.titlesize": 8.0,
        "axes.labelsize": 8.0,
        "xtick.labelsize": 7.0,
        "ytick.labelsize": 7.0,
        "legend.fontsize": 7.0,
        "text.usetex": False,
        "axes.linewidth": 0.6,
        "xtick.major.width": 0.6,
        "ytick.major.width": 0.6,
        "xtick.major.size": 2.5,
        "ytick.major.size": 2.5,
        "lines.linewidth": 1.2,
        "lines.markersize": 3.5,
        "axes.spines.top": False,
        "axes.spines.right": False,
        "legend.frameon": False,
        "axes.prop_cycle": cycler(color=list(COLOURS)),
        "figure.dpi": 200,
        "savefig.dpi": 300,
    }
