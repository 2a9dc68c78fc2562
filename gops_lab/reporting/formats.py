"""Writing tables: CSV, Parquet, LaTeX and Markdown, whole or not at all, always the same bytes."""

from __future__ import annotations

import io
import json
import os
import re
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import Any

import pandas as pd

from gops_lab.errors import GopsError, TableError
from gops_lab.induction.files import replace_file
from gops_lab.reporting.latex import as_latex
from gops_lab.reporting.text import shown

FORMATS = ("csv", "parquet", "latex", "markdown")


def format_of(file: str | os.PathLike[str] | None) -> str:
    """Return the format that a file's name asks for; CSV where it says nothing.

    Examples
    --------
    >>> format_of("first bids.tex"), format_of("bids.txt"), format_of(None)
    ('latex', 'csv', 'csv')
    """
    suffixes = {".parquet": "parquet", ".tex": "latex", ".md": "markdown"}
    return suffixes.get(Path(os.fsdecode(file or "")).suffix.lower(), "csv")


def as_text(table: pd.DataFrame, format: str) -> str:
    """Return a table as text.

    Parameters
    ----------
    table : DataFrame
        An index with a name becomes the first column.
    format : {"csv", "latex", "markdown"}
        ``"latex"`` needs the package booktabs, and longtable for more than 50 rows. The first-bid
        table of a solution is written wide, as it is printed in papers: upcards as rows, bids as
        columns. Numbers have at most four decimals (fractions are written as they are), values no
        larger than their certified error are zeros, and columns of a whole table that say again
        what others say are left out.

    Raises
    ------
    TableError
        If the format is not one of these.

    Examples
    --------
    >>> print(as_text(pd.DataFrame({"bid": [1], "share_%": [0.5]}), "latex"))
    \\begin{tabular}{rr}
    \\toprule
    bid & share\\_\\% \\\\
    \\midrule
    1 & 0.5 \\\\
    \\bottomrule
    \\end{tabular}
    <BLANKLINE>
    """
    writers: dict[str, Callable[[pd.DataFrame], str]] = {
        "csv": _csv,
        "latex": as_latex,
        "markdown": _markdown,
    }
    if not isinstance(format, str) or format not in writers:
        raise TableError(f"a text table is csv, latex or markdown, not {format!r}")
    return writers[format](_without_index(table))


def write_table(
    table: pd.DataFrame, file: str | os.PathLike[str], format: str | None = None
) -> None:
    """Write a table to a file: whole, or not at all, and the same bytes for the same table.

    Parameters
    ----------
    table : DataFrame
        An index with a name becomes the first column.
    file : path
    format : {"csv", "parquet", "latex", "markdown"}, optional
        Default: what the file's name says (``.parquet``, ``.tex``, ``.md``), else CSV. Parquet
        keeps ``table.attrs`` and a checksum for every page, and fractions as text; for LaTeX see
        `as_text`.

    Raises
    ------
    TableError
        If the format is unknown or the file cannot be written.

    Examples
    --------
    >>> import os, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = os.path.join(folder, "t.parquet")
    ...     table = pd.DataFrame({"bid": [1, 2]})
    ...     table.attrs["units"] = {"bid": "rank"}
    ...     write_table(table, file)
    ...     pd.read_parquet(file).attrs
    {'units': {'bid': 'rank'}}
    """
    if not isinstance(table, pd.DataFrame):
        raise TableError(f"a table must be a DataFrame, not {table!r}")
    check_file(file)
    form = format_of(file) if format is None else format
    if not isinstance(form, str) or form not in FORMATS:
        raise TableError(f"format must be one of {', '.join(FORMATS)}, not {form!r}")
    data = _parquet(_without_index(table)) if form == "parquet" else as_text(table, form).encode()
    write_file(file, data, TableError)


def check_file(file: str | os.PathLike[str], error: type[GopsError] = TableError) -> None:
    """Refuse a path where nothing can be written; a file that is there may be replaced.

    Raises
    ------
    TableError, or what `error` says
        If its folder does not exist, or something that is not a file has that name.
    """
    what = "figure" if error is not TableError else "table"
    try:
        name = os.fsdecode(file)
    except TypeError:
        raise error(f"a {what}'s file must be a path, not {file!r}") from None
    path = Path(name)
    if not path.name or "\0" in name:
        raise error(f"a {what} needs the name of a file, not {name!r}")
    try:
        if not path.parent.is_dir():
            raise error(f"{path} cannot be written: its folder does not exist")
        if path.exists() and not path.is_file():
            raise error(f"{path} exists and is not a file")
    except OSError as wrong:
        raise error(f"{path} cannot be written: {wrong.strerror or wrong}") from wrong


def write_file(file: str | os.PathLike[str], data: bytes, error: type[GopsError]) -> None:
    """Write a file, whole or not at all, or raise `error` with the system's reason."""
    path = Path(os.fsdecode(file))
    try:
        replace_file(path, data)
    except OSError as wrong:
        raise error(f"{path} cannot be written: {wrong.strerror or wrong}") from wrong


def _without_index(table: pd.DataFrame) -> pd.DataFrame:
    return table.reset_index() if table.index.name else table


def _csv(table: pd.DataFrame) -> str:
    return table.to_csv(index=False, lineterminator="\n")


def _parquet(table: pd.DataFrame) -> bytes:
    """Return the table as a Parquet file with page checksums and its description as metadata."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    plain = table.map(lambda cell: str(cell) if isinstance(cell, Fraction) else cell)
    plain.columns = plain.columns.map(str)
    plain.attrs = {}
    arrow = pa.Table.from_pandas(plain, preserve_index=False)
    said = json.dumps(table.attrs).encode()
    # Ours, and the key from which pandas fills `attrs` again.
    metadata = {**(arrow.schema.metadata or {}), b"gops_lab": said, b"PANDAS_ATTRS": said}
    sink = io.BytesIO()
    pq.write_table(arrow.replace_schema_metadata(metadata), sink, write_page_checksum=True)
    return sink.getvalue()


def _markdown(table: pd.DataFrame) -> str:
    def line(values: Any) -> str:
        cells = (re.sub(r"([\\|*<`\[])", r"\\\1", shown(value)) for value in values)
        return "| " + " | ".join(cells) + " |"

    lines = [line(table.columns), "|" + " --- |" * len(table.columns)]
    lines += [line(row) for row in table.itertuples(index=False)]
    return "\n".join(lines) + "\n"
