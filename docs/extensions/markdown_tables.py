"""Tables as Markdown."""

from __future__ import annotations

from collections.abc import Iterable, Sequence


def table(head: Sequence[object], rows: Iterable[Sequence[object]], right: bool = False) -> str:
    """Return a table; all columns but the first to the right, if asked."""
    rule = ["---", *(["---:"] if right else ["---"]) * (len(head) - 1)]
    lines = [_row(head), _row(rule), *map(_row, rows)]
    return "\n".join(lines) + "\n"


def _row(cells: Sequence[object]) -> str:
    return "| " + " | ".join(str(cell).replace("|", "\\|") for cell in cells) + " |"


def thousands(count: int) -> str:
    """Return a count with commas."""
    return f"{count:,}"


def small(number: float) -> str:
    """Return a small number in two digits, 0 as 0."""
    return f"{number:.1e}" if number else "0"
