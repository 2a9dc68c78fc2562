"""Figures as files: PDF, PNG or SVG that say what they show, the same bytes every time."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from gops_lab._version import __version__
from gops_lab.errors import FigureError
from gops_lab.reporting.canvas import Plot, rendered
from gops_lab.reporting.formats import check_file, write_file
from gops_lab.reporting.style import SAVING

FIGURE_FORMATS = ("pdf", "png", "svg")


def save_figure(
    figure: Any,
    file: str | os.PathLike[str],
    metadata: Mapping[str, Any] | None = None,
) -> Path:
    """Write a figure to a file: whole, or not at all, and the same bytes for the same figure.

    Parameters
    ----------
    figure : Plot or Figure
    file : path
        Its name says the format: ``.pdf`` (TrueType fonts, Type 42), ``.png`` or ``.svg``.
    metadata : mapping, optional
        What the figure shows: rules, objective, seeds, anything JSON can hold. Default: what the
        data of a Plot said of themselves. It is written into the file as JSON, under ``Subject``
        (PDF), ``Description`` (PNG, SVG), with the version of this package and without a date.

    Returns
    -------
    Path

    Raises
    ------
    FigureError
        If the figure is none, the format or the metadata cannot be written, or the file cannot.

    Examples
    --------
    >>> import os, tempfile
    >>> import gops_lab as gl
    >>> plot = gl.reporting.plot_bids(gl.solve(gl.Rules(cards=3)))
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = gl.reporting.save_figure(plot, os.path.join(folder, "bids.pdf"))
    ...     file.read_bytes()[:5]
    b'%PDF-'
    """
    import matplotlib as mpl
    from matplotlib.figure import Figure

    said = metadata
    if isinstance(figure, Plot):
        said = figure.metadata_ if metadata is None else metadata
        figure = figure.figure_
    if not isinstance(figure, Figure):
        raise FigureError(f"a figure must be a Plot or a matplotlib Figure, not {figure!r}")
    check_file(file, FigureError)
    path = Path(os.fsdecode(file))
    form = path.suffix.lower().removeprefix(".")
    if form not in FIGURE_FORMATS:
        raise FigureError(f"a figure's file must end in .pdf, .png or .svg, not {path.name!r}")
    with mpl.rc_context(SAVING):
        data = rendered(figure, form, _metadata(form, said))
    write_file(path, data, FigureError)
    return path


def _metadata(form: str, said: Mapping[str, Any] | None) -> dict[str, Any]:
    """Return what a file of a format says of itself; None keeps out what would change."""
    if said is not None and not isinstance(said, Mapping):
        raise FigureError(f"metadata must be a mapping, not {said!r}")
    try:
        text = json.dumps({"gops_lab": __version__, **(said or {})}, sort_keys=True)
    except (TypeError, ValueError) as error:
        raise FigureError(f"metadata must be what JSON can hold: {error}") from None
    creator = f"GOPS Lab {__version__}"
    if form == "pdf":
        return {"Creator": creator, "Subject": text, "CreationDate": None}
    if form == "png":
        return {"Software": creator, "Description": text}
    return {"Creator": creator, "Description": text, "Date": None}
