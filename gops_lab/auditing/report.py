"""What an audit found."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from fractions import Fraction
from typing import Any


@dataclass(frozen=True)
class Check:
    """One thing that was looked at.

    Attributes
    ----------
    what : str
        What was looked at: ``"manifest"``, ``"tier 4 values"``.
    checked, total : int
        How much of it was checked, and how much there is.
    note : str
        How it was checked, or why it was not.
    """

    what: str
    checked: int
    total: int
    note: str

    def __str__(self) -> str:
        return f"{self.what}: {self.checked:,} of {self.total:,} checked: {self.note}"


@dataclass(frozen=True)
class Disagreement:
    """One thing that is not as the folder says.

    Attributes
    ----------
    what : str
        What is wrong.
    tier : int or None
        Cards in each hand; None where no single tier is to blame.
    hand_a, hand_b : tuple of int or None
        Hands of the state, card values; those of a rank pattern are the smallest ranks from 1 that
        have it. None, like the rest, where it is no single state that is wrong.
    prizes : tuple of int or None
        Prizes still to come, those that stay hidden included.
    carried, lead : int or None
        Points on the table; A's points so far minus B's.
    stored, recomputed : float, Fraction or None
        A's view, in points under ``margin`` (the lead left out where the folder leaves it out),
        else in units of the utility.
    """

    what: str
    tier: int | None = None
    hand_a: tuple[int, ...] | None = None
    hand_b: tuple[int, ...] | None = None
    prizes: tuple[int, ...] | None = None
    carried: int | None = None
    lead: int | None = None
    stored: float | Fraction | None = None
    recomputed: float | Fraction | None = None

    def __str__(self) -> str:
        parts = [] if self.tier is None else [f"tier {self.tier}"]
        if self.hand_a is not None:
            parts.append(
                f"hand_a={self.hand_a} hand_b={self.hand_b} prizes={self.prizes} "
                f"carried={self.carried} lead={self.lead}"
            )
        if self.stored is not None:
            parts.append(f"stored {self.stored}, recomputed {self.recomputed}")
        return ": ".join([*parts, self.what])


@dataclass(frozen=True)
class AuditReport:
    """What an audit looked at and what it found.

    Attributes
    ----------
    folder : str
    game, objective : str
        Which game the folder says it holds.
    samples, seed : int
        How many values of each tier were to be re-solved, and how they were drawn.
    checks : tuple of Check
        Everything that was looked at, and all that was not, in order.
    disagreements : tuple of Disagreement
        Everything that is not as the folder says; none if the audit agrees.
    """

    folder: str
    game: str
    objective: str
    samples: int
    seed: int
    checks: tuple[Check, ...]
    disagreements: tuple[Disagreement, ...]

    @property
    def agrees(self) -> bool:
        """Whether nothing was found that is not as the folder says."""
        return not self.disagreements

    def as_dict(self) -> dict[str, Any]:
        """Return the report as plain values that JSON can hold; fractions become text."""
        data = {"agrees": self.agrees, **asdict(self)}
        for found in data["disagreements"]:
            for name in ("stored", "recomputed"):
                value = found[name]
                found[name] = str(value) if isinstance(value, Fraction) else value
        return data
