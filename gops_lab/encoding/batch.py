"""Many states at once: a struct of arrays."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields
from typing import Any

import numpy as np
import numpy.typing as npt

from gops_lab.encoding.card_sets import BoolArray
from gops_lab.encoding.patterns import IntArray


@dataclass(frozen=True, eq=False)
class StateBatch:
    """States of one set of rules, one entry each in every array of shape (k,).

    Attributes
    ----------
    hand_a, hand_b : int64
        Bit masks over the hands the rules deal, lowest rank first.
    prizes : int64
        Bit masks of the hidden prizes, over the rules' prizes ascending, or over the order of play
        where it is known.
    upcard : int64
        The prize exposed; 0 where none is.
    exposed : bool
        Whether a prize is exposed.
    carried, lead : int64
        Points, as in `State`.
    """

    hand_a: IntArray
    hand_b: IntArray
    prizes: IntArray
    upcard: IntArray
    exposed: BoolArray
    carried: IntArray
    lead: IntArray

    def __len__(self) -> int:
        return len(self.hand_a)

    def __getitem__(self, rows: npt.NDArray[Any] | slice) -> StateBatch:
        """Return the states of the rows chosen by a mask, positions or a slice."""
        return StateBatch(*(getattr(self, field.name)[rows] for field in fields(self)))

    @property
    def stake(self) -> IntArray:
        """Upcard and carried prizes together; points."""
        return self.upcard + self.carried

    def equals(self, other: StateBatch) -> bool:
        """Whether both hold the same states in the same order."""
        return all(
            np.array_equal(getattr(self, field.name), getattr(other, field.name))
            for field in fields(self)
        )


def concatenate(batches: Sequence[StateBatch]) -> StateBatch:
    """Return the states of all batches, one after another."""
    return StateBatch(
        *(
            np.concatenate([getattr(batch, field.name) for batch in batches])
            for field in fields(StateBatch)
        )
    )
