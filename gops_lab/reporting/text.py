"""Numbers and tables as text for people."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any

import numpy as np
import pandas as pd


def heading(rules: object, objective: str) -> str:
    """Return the line that says which game a table belongs to."""
    return f"{rules!r}, objective {objective}"


LONGEST_FRACTION = 24
"""Most characters of a fraction that is shown as one; a longer one is shown as a decimal."""

NOISE = 1e-12
"""Absolute size below which a float is the rounding of a zero."""


def aligned(table: pd.DataFrame, formats: Mapping[Any, str] | None = None) -> str:
    """Return a frame as right-aligned text, an index column first if it has a name.

    Parameters
    ----------
    table : DataFrame
    formats : mapping, optional
        Format specifications of columns of floats; default ``".4f"``.

    Examples
    --------
    >>> print(aligned(pd.DataFrame({"bid": [1, 2], "probability": [0.25, 0.75]})))
    bid  probability
      1       0.2500
      2       0.7500
    """
    frame = table.reset_index() if table.index.name else table
    columns: list[Sequence[str]] = [
        [str(name), *(number(value, (formats or {}).get(name, ".4f")) for value in frame[name])]
        for name in frame.columns
    ]
    widths = [max(map(len, column)) for column in columns]
    lines = (
        "  ".join(cell.rjust(width) for cell, width in zip(row, widths, strict=True))
        for row in zip(*columns, strict=True)
    )
    return "\n".join(line.rstrip() for line in lines)


def number(value: Any, form: str = ".4f") -> str:
    """Return a cell as text; a small number that `form` would show as zero is shown as it is.

    Examples
    --------
    >>> number(0.5), number(-1e-16), number(0.00003), number(True)
    ('0.5000', '0.0000', '3e-05', 'yes')
    >>> number(Fraction(1, 3)), number(Fraction(10**40, 3 * 10**40 + 1))
    ('1/3', '0.3333')
    """
    if isinstance(value, bool | np.bool_):
        return "yes" if value else "no"
    if isinstance(value, Fraction) and len(str(value)) > LONGEST_FRACTION:
        value = float(value)
    if not isinstance(value, float):
        return str(value)
    if value == 0 and form.endswith("e"):
        return "0"
    if form.endswith("f"):
        if abs(value) < NOISE:
            value = 0.0
        elif float(format(value, form)) == 0:
            form = ".0e"
    return format(value, form)


def fixed(value: float, digits: int, noise: float = NOISE) -> str:
    """Return a number for print; one too small for its digits is told from a zero.

    Parameters
    ----------
    value : float
    digits : int
        Decimals.
    noise : float
        What is no larger is a zero.

    Examples
    --------
    >>> fixed(0.25, 2), fixed(0.0, 2), fixed(0.001, 2), fixed(-0.01, 1), fixed(-0.3, 0)
    ('0.25', '0', '<0.01', '>-0.1', '>-1')
    """
    if abs(value) <= noise:
        return "0"
    text = f"{value:.{digits}f}"
    if float(text):
        return text
    least = f"{10.0**-digits:.{digits}f}"
    return f"<{least}" if value > 0 else f">-{least}"


def shown(value: Any) -> str:
    """Return a cell of a written table: six significant digits, fractions as they are, no NaN.

    Examples
    --------
    >>> shown(2 / 3), shown(Fraction(2, 3)), shown(float("nan")), shown("two\\nlines")
    ('0.666667', '2/3', '', 'two lines')
    """
    if isinstance(value, float):
        return "" if value != value else f"{value:.6g}"
    return "" if value is None or value is pd.NA else " ".join(str(value).split())


def duration(seconds: float) -> str:
    """Return a time in the largest unit that keeps it above 1.

    Examples
    --------
    >>> duration(0.04), duration(5400.0)
    ('0.0 s', '1.5 h')
    """
    amount = seconds
    unit = "s"
    for longer, size_ in (("min", 60), ("h", 60), ("days", 24), ("years", 365)):
        if amount < size_:
            break
        amount /= size_
        unit = longer
    return _short(amount, unit)


def _short(amount: float, unit: str) -> str:
    return f"{amount:,.1f} {unit}" if amount < 1e6 else f"{amount:.1e} {unit}"
