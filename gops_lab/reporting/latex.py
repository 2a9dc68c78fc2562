"""Tables as LaTeX: booktabs, everything escaped, first bids and stage games as they are printed."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import pandas as pd

from gops_lab.game.objectives import NAMED_OBJECTIVES
from gops_lab.reporting.text import NOISE, number, shown

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

SMALLEST = 0.00005
"""A probability below this would read 0.0000."""


def escaped(value: object) -> str:
    r"""Return a cell's text with every special character escaped.

    Examples
    --------
    >>> print(escaped("50% of bid_a"))
    50\% of bid\_a
    """
    return "".join(SPECIALS.get(char, char) for char in shown(value))


def as_latex(table: pd.DataFrame) -> str:
    """Return a table for a LaTeX document that loads ``booktabs``.

    First bids become a wide table, upcards as rows and bids as columns; a stage game rows for A's
    bids and columns for B's, both optimal strategies at the margins. Any other table is written
    row by row.
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
    rows = [[escaped(cell) for cell in row] for row in table.itertuples(index=False)]
    return _tabular([_Block("", [escaped(name) for name in table.columns], rows)])


def _tabular(blocks: Sequence[_Block]) -> str:
    width = max(len(block.names) for block in blocks)
    lines = [r"\begin{tabular}{" + "r" * width + "}", r"\toprule"]
    for number_, block in enumerate(blocks):
        if number_:
            lines.append(r"\midrule")
        if block.span:
            spanned = width - 2
            lines += [
                rf" & \multicolumn{{{spanned}}}{{c}}{{{block.span}}} & \\",
                rf"\cmidrule(lr){{2-{width - 1}}}",
            ]
        lines += [_line(block.names), r"\midrule", *map(_line, block.rows)]
    return "\n".join([*lines, r"\bottomrule", r"\end{tabular}"]) + "\n"


def _line(cells: Sequence[str]) -> str:
    return " & ".join(cells) + r" \\"


def _first_bids(table: pd.DataFrame) -> list[_Block] | None:
    """Return a block for each player, or one if both play alike; None if a column is missing."""
    needed = ["player", "upcard", "bid", "probability", "value"]
    if not len(table) or not set(needed) <= set(table.columns):
        return None
    if table.duplicated(["player", "upcard", "bid"]).any():
        return None
    rules = table.attrs.get("rules", {})
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
            cells = [_probability(chances[bid]) if bid in chances else "" for bid in bids]
            rows.append([escaped(upcard), *_padded(cells, width), _value(row["value"].iloc[0])])
        names = ["upcard", *_padded(list(map(escaped, bids)), width), "value"]
        blocks.append(_Block("bid" if alike else f"bid of {str(player).upper()}", names, rows))
    return blocks


def _stage_game(table: pd.DataFrame) -> list[_Block] | None:
    needed = ["bid_a", "bid_b", "payoff", "probability_a", "probability_b"]
    if not len(table) or not set(needed) <= set(table.columns):
        return None
    if table.duplicated(["bid_a", "bid_b"]).any():
        return None
    columns = sorted(table["bid_b"].unique())
    rows = []
    for bid, row in table.groupby("bid_a", sort=True):
        payoffs = dict(zip(row["bid_b"], row["payoff"], strict=True))
        cells = [_value(payoffs[column]) if column in payoffs else "" for column in columns]
        rows.append([escaped(bid), *cells, _probability(row["probability_a"].iloc[0])])
    chances = dict(zip(table["bid_b"], table["probability_b"], strict=True))
    rows.append(["probability", *(_probability(chances[column]) for column in columns), ""])
    return [_Block("bid of B", ["bid of A", *map(escaped, columns), "probability"], rows)]


def _padded(cells: list[str], width: int) -> list[str]:
    return cells + [""] * (width - len(cells))


def _probability(value: Any) -> str:
    """Return a probability to four decimals, a fraction as it is."""
    if isinstance(value, Fraction):
        return str(value)
    if abs(value) < NOISE:
        return "0"
    return escaped("<0.0001") if value < SMALLEST else f"{value:.4f}"


def _value(value: Any) -> str:
    if isinstance(value, Fraction):
        return str(value)
    return "0" if abs(value) < NOISE else number(float(value))
