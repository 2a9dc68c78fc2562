"""Tables of a solution: tidy frames, and their text in four formats.

A tidy frame has one row for each state and bid. What the numbers mean (unit, whose payoff, rules)
travels in ``frame.attrs`` and, for Parquet, in the file's metadata.
"""

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
import pyarrow as pa
import pyarrow.parquet as pq

from gops_lab.errors import TableError
from gops_lab.induction.files import replace_file
from gops_lab.induction.solution import Solution

FORMATS = ("csv", "parquet", "latex", "markdown")


def bids_table(solution: Solution, player: str = "a") -> pd.DataFrame:
    """Return the first-bid table as it is printed: a row for each upcard, a column for each bid.

    Returns
    -------
    DataFrame
        Index upcard; columns the bids (probabilities), then value, gap, unique.

    Examples
    --------
    >>> import gops_lab as gl
    >>> bids_table(gl.solve(gl.Rules(cards=2)))[[1, 2]]
              1    2
    upcard
    1       1.0  0.0
    2       0.0  1.0
    """
    tidy = solution.first_bids(player)
    columns = {
        bid: rows.set_index("upcard")["probability"] for bid, rows in tidy.groupby("bid")
    }
    wide = pd.DataFrame(columns)
    rest = tidy.drop_duplicates("upcard").set_index("upcard")[["value", "gap", "unique"]]
    return wide.join(rest)


def first_bids_table(solution: Solution) -> pd.DataFrame:
    """Return `Solution.first_bids` of both players in one tidy frame, with its description.

    Returns
    -------
    DataFrame
        Columns player, upcard, bid, probability, value, gap, unique; ``attrs`` describes them.
    """
    frames = []
    for player in ("a", "b"):
        frame = solution.first_bids(player)
        frame.insert(0, "player", player)
        frames.append(frame)
    table = pd.concat(frames, ignore_index=True)
    table.attrs.update(description(solution))
    return table


def description(solution: Solution) -> dict[str, Any]:
    """Return what a reader of a table must know: rules, objective, units, how it was solved."""
    unit = {"margin": "points", "win": "P(A ahead) - P(B ahead)"}
    return {
        "rules": solution.rules.as_dict(),
        "objective": solution.objective.name,
        "method": solution.method,
        "units": {
            "upcard": "points",
            "bid": "rank",
            "probability": "probability of the bid in one optimal strategy",
            "value": f"A's value of the stage game, {unit.get(solution.objective.name, 'utility')}",
            "gap": "column guarantee minus row guarantee, in the unit of value",
            "unique": "whether the player's optimal strategy is the only one",
        },
    }


def format_of(file: str | None) -> str:
    """Return the format that a file's name asks for; CSV where it says nothing.

    Examples
    --------
    >>> format_of("first bids.tex"), format_of("bids.txt"), format_of(None)
    ('latex', 'csv', 'csv')
    """
    suffixes = {".parquet": "parquet", ".tex": "latex", ".md": "markdown"}
    return suffixes.get(Path(file or "").suffix.lower(), "csv")


def as_text(table: pd.DataFrame, form: str) -> str:
    """Return a table as text.

    Parameters
    ----------
    table : DataFrame
    form : {"csv", "latex", "markdown"}

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
        "latex": _latex,
        "markdown": _markdown,
    }
    if form not in writers:
        raise TableError(f"a text table is csv, latex or markdown, not {form!r}")
    return writers[form](table)


def write_table(table: pd.DataFrame, form: str, file: str | os.PathLike[str]) -> None:
    """Write a table to a file: whole, or not at all.

    Parameters
    ----------
    table : DataFrame
    form : {"csv", "parquet", "latex", "markdown"}
    file : path

    Raises
    ------
    TableError
        If the format is unknown or the file cannot be written.
    """
    if form not in FORMATS:
        raise TableError(f"format must be one of {', '.join(FORMATS)}, not {form!r}")
    check_file(file)
    path = Path(os.fsdecode(file))
    data = _parquet(table) if form == "parquet" else as_text(table, form).encode()
    try:
        replace_file(path, data)
    except OSError as error:
        raise TableError(f"{path} cannot be written: {error.strerror or error}") from error


def check_file(file: str | os.PathLike[str]) -> None:
    """Refuse a path where no table can be written; a table that is there may be replaced.

    Raises
    ------
    TableError
        If its folder does not exist, or something that is not a file has that name.
    """
    try:
        name = os.fsdecode(file)
    except TypeError:
        raise TableError(f"a table's file must be a path, not {file!r}") from None
    path = Path(name)
    if not path.name or "\0" in name:
        raise TableError(f"a table needs the name of a file, not {name!r}")
    try:
        if not path.parent.is_dir():
            raise TableError(f"{path} cannot be written: its folder does not exist")
        if path.exists() and not path.is_file():
            raise TableError(f"{path} exists and is not a file")
    except OSError as error:
        raise TableError(f"{path} cannot be written: {error.strerror or error}") from error


def _csv(table: pd.DataFrame) -> str:
    return table.to_csv(index=False, lineterminator="\n")


def _parquet(table: pd.DataFrame) -> bytes:
    """Return the table as a Parquet file with page checksums and its description as metadata."""
    plain = table.map(lambda cell: str(cell) if isinstance(cell, Fraction) else cell)
    plain.attrs = {}
    arrow = pa.Table.from_pandas(plain, preserve_index=False)
    metadata = {**(arrow.schema.metadata or {}), b"gops_lab": json.dumps(table.attrs).encode()}
    sink = io.BytesIO()
    pq.write_table(arrow.replace_schema_metadata(metadata), sink, write_page_checksum=True)
    return sink.getvalue()


_LATEX_SPECIALS = {
    "\\": r"\textbackslash{}", "&": r"\&", "%": r"\%", "$": r"\$", "#": r"\#", "_": r"\_",
    "{": r"\{", "}": r"\}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}",
    "<": r"\textless{}", ">": r"\textgreater{}", "|": r"\textbar{}",
    # At the start of a row these two would belong to the \\ before.
    "[": "{[}", "*": "{*}",
}


def _latex(table: pd.DataFrame) -> str:
    def cell(value: Any) -> str:
        return "".join(_LATEX_SPECIALS.get(char, char) for char in _shown(value))

    lines = [
        r"\begin{tabular}{" + "r" * len(table.columns) + "}",
        r"\toprule",
        " & ".join(map(cell, table.columns)) + r" \\",
        r"\midrule",
        *(" & ".join(map(cell, row)) + r" \\" for row in table.itertuples(index=False)),
        r"\bottomrule",
        r"\end{tabular}",
    ]
    return "\n".join(lines) + "\n"


def _markdown(table: pd.DataFrame) -> str:
    def line(values: Any) -> str:
        cells = (re.sub(r"([\\|*<`\[])", r"\\\1", _shown(value)) for value in values)
        return "| " + " | ".join(cells) + " |"

    lines = [line(table.columns), "|" + " --- |" * len(table.columns)]
    lines += [line(row) for row in table.itertuples(index=False)]
    return "\n".join(lines) + "\n"


def _shown(value: Any) -> str:
    """Return a cell as a reader wants it: six decimals at most, fractions as they are."""
    if isinstance(value, float):
        return f"{value:.6g}"
    return " ".join(str(value).split())
