"""Tables as LaTeX: booktabs, everything escaped, first bids and stage games as they are printed."""

from __future__ import annotations

import re
from collections.abc import Sequence
from fractions import Fraction
from math import isfinite
from numbers import Rational
from typing import Any

import numpy as np
import pandas as pd

from gops_lab.game.objectives import NAMED_OBJECTIVES
from gops_lab.reporting.text import NOISE, fixed, shown

SPECIALS = {
    "\\": r"\textbackslash{}", "&": r"\&", "%": r"\%", "$": r"\$", "#": r"\#", "_": r"\_",
    "{": r"\{", "}": r"\}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}",
    "<": r"\textless{}", ">": r"\textgreater{}", "|": r"\textbar{}",
    # At the start of a row these two would belong to the \\ before.
    "[": "{[}", "*": "{*}",
}
"""Characters that mean something to LaTeX, and how they are written."""

FIRST_BIDS = "first bids"
STAGE_GAME = "stage game"

LONG = 50
"""Rows of a table that may no longer fit a page: a longer one is broken across pages."""

DECIMALS = 4
"""Most decimals of a number."""

HEADERS = {
    "hand_a": "A holds", "hand_b": "B holds", "bid_a": "A bids", "bid_b": "B bids",
    "probability_a": "probability of A", "probability_b": "probability of B",
    "given_away_a": "A loses", "given_away_b": "B loses", "gain_a": "A scores",
    "gain_b": "B scores", "mean_bid": "mean bid", "support_size": "size of support",
    "stage_games": "stage games", "nash_conv": "NashConv",
}
"""How columns are called in print, where their names are not words."""

LEFT_OUT = {
    "comparison": {"cards", "ties", "order", "objective", "gap"},
    "first bids by upcard": {"gap"},
    "bids by carried": {"carried", "pure", "gap"},
    "bids by lead": {"stake", "pure", "gap"},
    "tier": {"state", "upcard", "carried", "gap"},
    "line of play": {
        "hand_a", "hand_b", "prizes", "carried", "probability_a", "probability_b", "gain_a",
        "gain_b",
    },
    "summary": {"support_size"},
    "exploitability": {"nash_conv"},
}
"""Columns of whole tables that say again what others say, or are for machines: not printed."""


def escaped(value: object) -> str:
    r"""Return a cell's text with every special character escaped.

    Examples
    --------
    >>> print(escaped("50% of bid_a"))
    50\% of bid\_a
    """
    return "".join(SPECIALS.get(char, char) for char in shown(value))


def as_latex(table: pd.DataFrame) -> str:
    """Return a table for a LaTeX document that loads ``booktabs``, and ``longtable`` for long ones.

    First bids become a wide table, upcards as rows and bids as columns; a stage game rows for A's
    bids and columns for B's, both optimal strategies at the margins. Any other table is written
    row by row, without the columns that say nothing to a reader of the whole table (`LEFT_OUT`;
    of a part of a table's columns all are written). Values no larger than the certified error are
    zeros.
    """
    kind = table.attrs.get("table")
    if kind == FIRST_BIDS:
        blocks = _first_bids(table)
    elif kind == STAGE_GAME:
        blocks = _stage_game(table)
    else:
        blocks = None
    return _plain(table) if blocks is None else _tabular(blocks)


class _Block:
    """A header over some columns, their names, and rows; cells are LaTeX already."""

    def __init__(self, span: str, names: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
        self.span = span
        self.names = names
        self.rows = rows


def _plain(table: pd.DataFrame) -> str:
    names = _printed(table)
    columns = [_column(table.iloc[:, place], _noise(table)) for place in names]
    rows = list(zip(*(cells for _, cells in columns), strict=True))
    header = [escaped(HEADERS.get(name, name)) for name in names.values()]
    return _tabular([_Block("", header, rows)], "".join(side for side, _ in columns))


def _printed(table: pd.DataFrame) -> dict[int, Any]:
    """Return the columns that are written, name by place."""
    names = dict(enumerate(table.columns))
    if not set(table.attrs.get("units", ())) <= set(map(str, table.columns)):
        return names  # somebody has chosen among the columns
    kind = str(table.attrs.get("table", ""))
    out = LEFT_OUT.get("tier" if kind.startswith("tier ") else kind, set())
    if kind == "line of play":
        # After the line itself: with what probability every card would have been bid.
        out = out | {name for name in names.values() if re.fullmatch(r"[ab]_.*", str(name))}
    return {place: name for place, name in names.items() if name not in out}


def _noise(table: pd.DataFrame) -> float:
    """Return the size up to which the table's values are zeros."""
    return max(NOISE, float(table.attrs.get("certified_error", 0.0)))


def _column(column: pd.Series[Any], noise: float) -> tuple[str, list[str]]:
    """Return on which side a column is aligned, and its cells, all with the same decimals."""
    cells = list(column)
    floats = [cell for cell in cells if isinstance(cell, float) and isfinite(cell)]
    most = DECIMALS if max(map(abs, floats), default=0) < 1000 else 1
    used = [fixed(cell, most, noise).partition(".")[2].rstrip("0") for cell in floats]
    digits = max(map(len, used), default=0)
    # Halves and quarters are written as such; what needs more decimals gets all there are.
    digits = digits if digits <= 2 else most

    def text_of(cell: Any) -> str:
        if isinstance(cell, bool | np.bool_):
            return "yes" if cell else "no"
        if isinstance(cell, float) and isfinite(cell):
            return _number(fixed(cell, digits, noise))
        return _number(str(cell)) if isinstance(cell, Rational) else escaped(cell)

    left = any(isinstance(cell, str | bool | np.bool_) for cell in cells)
    return "l" if left else "r", list(map(text_of, cells))


def _number(text: str) -> str:
    """Return a number as LaTeX: a sign needs mathematics."""
    return text if text[0].isdigit() else f"${text}$"


def _tabular(blocks: Sequence[_Block], sides: str = "") -> str:
    width = max(len(block.names) for block in blocks)
    long = max(len(block.rows) for block in blocks) > LONG
    kind = "longtable" if long else "tabular"
    lines = [rf"\begin{{{kind}}}{{{sides or 'r' * width}}}", r"\toprule"]
    for number_, block in enumerate(blocks):
        if number_:
            lines.append(r"\midrule")
        if block.span:
            spanned = width - 2
            lines += [
                rf" & \multicolumn{{{spanned}}}{{c}}{{{block.span}}} & \\",
                rf"\cmidrule(lr){{2-{width - 1}}}",
            ]
        lines += [_line(block.names), r"\midrule"]
        if long and not number_:
            lines.append(r"\endhead")
        lines += map(_line, block.rows)
    return "\n".join([*lines, r"\bottomrule", rf"\end{{{kind}}}"]) + "\n"


def _line(cells: Sequence[str]) -> str:
    return " & ".join(cells) + r" \\"


def _first_bids(table: pd.DataFrame) -> list[_Block] | None:
    """Return a block for each player, or one if both play alike; None if a column is missing."""
    needed = ["player", "upcard", "bid", "probability", "value"]
    if not len(table) or not set(needed) <= set(table.columns):
        return None
    if table.duplicated(["player", "upcard", "bid"]).any():
        return None
    rules, noise = table.attrs.get("rules", {}), _noise(table)
    players = list(dict.fromkeys(table["player"]))
    alike = rules.get("hand_a") == rules.get("hand_b") and (
        table.attrs.get("objective") in NAMED_OBJECTIVES
    )
    if alike:
        players = players[:1]
    width = max(table.loc[table["player"] == player, "bid"].nunique() for player in players)
    blocks = []
    for player in players:
        part = table[table["player"] == player]
        bids = sorted(part["bid"].unique())
        rows = []
        for upcard, row in part.groupby("upcard", sort=True):
            chances = dict(zip(row["bid"], row["probability"], strict=True))
            cells = [_value(chances[bid]) if bid in chances else "" for bid in bids]
            value = _value(row["value"].iloc[0], noise)
            rows.append([escaped(upcard), *_padded(cells, width), value])
        names = ["upcard", *_padded(list(map(escaped, bids)), width), "value"]
        blocks.append(_Block("bid" if alike else f"bid of {str(player).upper()}", names, rows))
    return blocks


def _stage_game(table: pd.DataFrame) -> list[_Block] | None:
    needed = ["bid_a", "bid_b", "payoff", "probability_a", "probability_b"]
    if not len(table) or not set(needed) <= set(table.columns):
        return None
    if table.duplicated(["bid_a", "bid_b"]).any():
        return None
    columns, noise = sorted(table["bid_b"].unique()), _noise(table)
    rows = []
    for bid, row in table.groupby("bid_a", sort=True):
        payoffs = dict(zip(row["bid_b"], row["payoff"], strict=True))
        cells = [_value(payoffs[column], noise) if column in payoffs else "" for column in columns]
        rows.append([escaped(bid), *cells, _value(row["probability_a"].iloc[0])])
    chances = dict(zip(table["bid_b"], table["probability_b"], strict=True))
    rows.append(["probability", *(_value(chances[column]) for column in columns), ""])
    return [_Block("bid of B", ["bid of A", *map(escaped, columns), "probability"], rows)]


def _padded(cells: list[str], width: int) -> list[str]:
    return cells + [""] * (width - len(cells))


def _value(value: Any, noise: float = NOISE) -> str:
    """Return a value or a probability to four decimals, a fraction as it is."""
    if isinstance(value, Fraction):
        return _number(str(value))
    return _number(fixed(float(value), DECIMALS, noise))
