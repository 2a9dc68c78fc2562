"""The values of one tier, and how to find one."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from gops_lab.encoding.patterns import IntArray, mirrored
from gops_lab.induction.rectangle.layout import BoolArray
from gops_lab.induction.rectangle.plan import TierPlan


@dataclass(frozen=True, eq=False)
class TierTable:
    """Values of the states of one tier before the next exposure.

    Attributes
    ----------
    plan : TierPlan
        The patterns, and where their values are.
    values : array, shape (plan.length,)
        Each value is this times `step`; A's view.
    step : float
        1.0 where `values` are floats.
    """

    plan: TierPlan
    values: npt.NDArray[Any]
    step: float

    @property
    def tier(self) -> int:
        """Cards in each hand."""
        return self.plan.tier

    @property
    def codes(self) -> IntArray:
        """Canonical pattern codes, ascending."""
        return self.plan.codes

    def lookup(
        self, codes: IntArray, prizes: IntArray, carried: IntArray, leads: IntArray | None = None
    ) -> tuple[npt.NDArray[np.float64], BoolArray]:
        """Return the values of states, and which of them the table holds.

        Parameters
        ----------
        codes : array of int64, shape (k,)
            Pattern codes; canonical ones, not above the code with the players swapped, where
            swapping negates values.
        prizes : array of int64, shape (k,)
            Prizes still to come, as bit masks over the sorted prizes of the rules.
        carried : array of int64, shape (k,)
            Points on the table.
        leads : array of int64, shape (k,), optional
            A's lead, default 0. Under margin it is added to a value by who asks, and not looked at.

        Returns
        -------
        values : array of float64, shape (k,)
            A's view, under margin the points still to come; 0 where not found.
        found : array of bool, shape (k,)
        """
        if leads is None:
            leads = np.zeros_like(codes)
        codes, prizes, carried, leads = (
            np.asarray(each, np.int64) for each in (codes, prizes, carried, leads)
        )
        values, found = self._kept(codes, prizes, carried, leads)
        missing = np.flatnonzero(~found)
        own = missing[mirrored(codes[missing]) == codes[missing]]
        if not self.plan.layouts.keeps_mirror:
            found[own] = np.bitwise_count(prizes[own]) == self.plan.size
        elif self.plan.layouts.swap:
            # A pattern that is its own mirror has each state twice, and may keep either.
            kept, found[own] = self._kept(codes[own], prizes[own], carried[own], -leads[own])
            values[own] = -kept
        return values, found

    def _kept(
        self, codes: IntArray, prizes: IntArray, carried: IntArray, leads: IntArray
    ) -> tuple[npt.NDArray[np.float64], BoolArray]:
        """Return the values that stand under these very numbers, and which do."""
        values = np.zeros(len(codes), np.float64)
        found = np.zeros(len(codes), np.bool_)
        if not len(self.codes):
            return values, found
        pattern = np.searchsorted(self.codes, codes).clip(max=len(self.codes) - 1)
        held = self.codes[pattern] == codes
        plan = self.plan
        groups = plan.groups[pattern]
        for group in np.unique(groups[held]):
            rows = np.flatnonzero(held & (groups == group))
            kind, ways = plan.kinds[group].tolist()
            asked = prizes[rows], carried[rows], leads[rows]
            at, there = plan.layouts.find(plan.size, kind, ways, *asked)
            rows = rows[there]
            values[rows] = self.values[plan.offsets[pattern[rows]] + at[there]] * self.step
            found[rows] = True
        return values, found


def empty_table(
    plan: TierPlan, dtype: npt.DTypeLike = np.float64, values: npt.NDArray[Any] | None = None
) -> TierTable:
    """Return a table to be filled by the sweep.

    Parameters
    ----------
    plan : TierPlan
    dtype : float64, float32 or int32
        What values are kept as; see `sweep` for what each costs.
    values : array, shape (plan.length,), optional
        Where to keep them, for example a memory map; its dtype counts.
    """
    if values is None:
        values = np.zeros(plan.length, dtype)
    step = 1.0
    if values.dtype == np.int32:
        # The smallest power of two of which 2**31 - 1 are more than any value.
        step = 2.0 ** math.ceil(math.log2(max(plan.most_points, 1.0) / (2**31 - 1)))
    return TierTable(plan, values, step)
