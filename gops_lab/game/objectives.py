"""What the players play for: a utility of the final lead, A's view, zero-sum.

``"margin"`` is u(d) = d, ``"win"`` is u(d) = sign(d); any other utility is a callable or a table.
"""

from __future__ import annotations

import math
import reprlib
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from numbers import Rational, Real
from typing import Any

from gops_lab.errors import ObjectiveError

Number = int | float | Fraction


@dataclass(frozen=True)
class Objective:
    """A utility of the final lead.

    Parameters
    ----------
    name : str
        ``"margin"``, ``"win"``, or what a result calls this utility.
    utility : callable
        Final lead (A's points minus B's, an int) to A's utility.
    error : float
        Bound on the error of every utility: 0, unless they were computed, as the next game's
        values are in a match.
    """

    name: str
    utility: Callable[[int], Any] = field(repr=False)
    error: float = 0.0

    def __post_init__(self) -> None:
        ours = {"margin": margin, "win": win}.get(self.name)
        if ours is not None and self.utility is not ours:
            raise ObjectiveError(f"{self.name!r} names our own utility; give yours another name")

    @property
    def ignores_lead(self) -> bool:
        """Whether a lead is simply added to the result, so that play does not depend on it."""
        return self.name == "margin"

    def __call__(self, lead: int) -> Number:
        """Return A's utility of a final lead: a finite number.

        Raises
        ------
        ObjectiveError
            If the utility has no finite value there.
        """
        try:
            value = self.utility(lead)
        except Exception as error:  # a user's function may fail in any way
            raise ObjectiveError(
                f"objective {self.name!r} has no value at lead {lead} "
                f"({type(error).__name__}: {error})"
            ) from error
        if isinstance(value, Rational):
            return int(value.numerator) if value.denominator == 1 else Fraction(value)
        if not isinstance(value, Real) or not math.isfinite(value):
            raise ObjectiveError(
                f"objective {self.name!r} must give a finite number; at lead {lead} it gives "
                f"{reprlib.repr(value)}"
            )
        return float(value)

    def as_float(self, lead: int) -> float:
        """Return A's utility of a final lead as a float.

        Raises
        ------
        ObjectiveError
            If the utility has no finite value there, or one that no float can hold.
        """
        value = self(lead)
        try:
            return float(value)
        except OverflowError:
            raise ObjectiveError(
                f"objective {self.name!r} must give a finite number; at lead {lead} it gives "
                f"{reprlib.repr(value)}, which only exact=True can hold"
            ) from None

    def is_odd(self, leads: Iterable[int]) -> bool:
        """Whether u(-d) = -u(d) at all `leads`, so that swapping players negates values."""
        if self.name in NAMED_OBJECTIVES:
            return True
        for lead in leads:
            here, there = self.known(lead), self.known(-lead)
            if here is None or there is None or there != -here:
                return False
        return True

    def known(self, lead: int) -> Number | None:
        """Return the utility at `lead`, or None where a table says nothing."""
        try:
            return self(lead)
        except ObjectiveError:
            return None


def margin(lead: int) -> int:
    """Return the lead itself: points."""
    return lead


def win(lead: int) -> int:
    """Return 1 if A is ahead, -1 if B is, 0 for a draw."""
    return (lead > 0) - (lead < 0)


MARGIN = Objective("margin", margin)
WIN = Objective("win", win)
NAMED_OBJECTIVES = {objective.name: objective for objective in (MARGIN, WIN)}


def as_objective(objective: object) -> Objective:
    """Return an `Objective` from a name, a callable, a table ``{lead: utility}`` or itself.

    Raises
    ------
    ObjectiveError
        If it is none of these.

    Examples
    --------
    >>> as_objective("win")(-3)
    -1
    >>> as_objective({-1: -1, 0: 0, 1: 0.5})(1)
    0.5
    """
    if isinstance(objective, Objective):
        return objective
    if isinstance(objective, str):
        if objective in NAMED_OBJECTIVES:
            return NAMED_OBJECTIVES[objective]
    elif isinstance(objective, Mapping):
        table = dict(objective)
        return Objective("table", table.__getitem__)
    elif callable(objective):
        name = getattr(objective, "__name__", type(objective).__name__)
        # A user's function that happens to be called margin or win must not be taken for ours.
        return Objective(f"utility {name}", objective)
    raise ObjectiveError(
        f"objective must be 'margin', 'win', a callable lead -> number or a table "
        f"{{lead: number}}, not {objective!r}"
    )
