"""The utility of a final lead, as a manifest gives it."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

from gops_lab.errors import StoreError

Number = float | Fraction


@dataclass(frozen=True)
class Utility:
    """A's utility of every lead that can end the game.

    Parameters
    ----------
    name : str
        ``"margin"``, ``"win"``, or another name.
    exact : bool
        Whether utilities are fractions.
    error : float
        How far a utility may be from the truth, in units of the utility.
    table : mapping of int to number
        By final lead, for other utilities than the two that have names.
    """

    name: str
    exact: bool
    error: float
    table: Mapping[int, Number]
    _until: Mapping[int, int] = field(repr=False)
    """By lead: the highest lead such that all from here to there have one utility."""

    @classmethod
    def read(
        cls, written: Mapping[str, Any], exact: bool, low: int, high: int, odd: bool
    ) -> Utility:
        """Read an objective, which must say something of the leads from `low` to `high`.

        If the utility must be `odd` for swapping the players to negate values, that is checked,
        and each lead says what the opposite one is worth.
        """
        name = written["name"]
        if not isinstance(name, str):
            raise TypeError(f"an objective's name must be text, not {name!r}")
        if name in ("margin", "win"):
            if set(written) != {"name"}:
                raise ValueError(f"objective {name} has fields {sorted(written)}")
            return cls(name, exact, 0.0, {}, {})
        if set(written) != {"name", "table", "error"}:
            raise ValueError(f"objective {name!r} has fields {sorted(written)}")
        table = {int(lead): _number(text, exact) for lead, text in written["table"].items()}
        if not table or not set(table) <= set(range(low, high + 1)):
            raise ValueError(f"the table of {name!r} is not one of leads from {low} to {high}")
        if odd:
            for lead, value in list(table.items()):
                if table.setdefault(-lead, -value) != -value:
                    raise ValueError(f"swap is used, but the utility of {lead} and {-lead} differ")
        error = float(written["error"])
        if not 0 <= error < math.inf:
            raise ValueError(f"the error of {name!r} is {error}")
        until: dict[int, int] = {}
        for lead in sorted(table, reverse=True):
            same = table.get(lead + 1) == table[lead]
            until[lead] = until[lead + 1] if same else lead
        return cls(name, exact, error, table, until)

    @property
    def is_margin(self) -> bool:
        """Whether the lead is the utility."""
        return self.name == "margin"

    def __call__(self, lead: int) -> Number:
        """Return the utility of a final lead.

        Raises
        ------
        StoreError
            If the table does not say.
        """
        if self.is_margin:
            value: Number = lead
        elif self.name == "win":
            value = (lead > 0) - (lead < 0)
        elif lead in self.table:
            value = self.table[lead]
        else:
            raise StoreError(f"objective {self.name!r} says nothing of lead {lead}")
        return Fraction(value) if self.exact else float(value)

    def is_constant(self, low: int, high: int) -> bool:
        """Whether the utility is the same at every lead from `low` to `high`."""
        if self.is_margin:
            return low == high
        if self.name == "win":
            return low > 0 or high < 0 or low == high
        return low in self._until and self._until[low] >= high

    def flat_ends(self, low: int, high: int) -> tuple[int, int]:
        """Return where the utility leaves the value it has at the lowest lead, and at the highest.

        The highest lead such that it is the same there and at all from `low` on, and the lowest
        such that it is the same there and at all up to `high`.
        """
        first = low
        while first < high and self(first + 1) == self(low):
            first += 1
        last = high
        while last > low and self(last - 1) == self(high):
            last -= 1
        return first, last


def _number(text: Any, exact: bool) -> Number:
    if not isinstance(text, str):
        raise TypeError(f"a utility must be text, not {text!r}")
    # A decimal number stands for the float that is nearest, a fraction for itself.
    whole = re.fullmatch(r"-?\d+(/\d+)?", text)
    value = Fraction(text) if whole else float(text)
    if not math.isfinite(value):
        raise ValueError(f"{text} is no finite utility")
    return Fraction(value) if exact else float(value)
