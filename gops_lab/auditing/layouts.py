"""Where a pattern's values are: the layouts ``blocks`` and ``rows``, as the format describes them.

A *place* is what a position of one pattern's values stands for: a mask of the prizes still to come,
the carried sum, and the lead (0 where it is left out).
"""

from __future__ import annotations

from bisect import bisect_right
from itertools import accumulate
from typing import NamedTuple, Protocol

import numpy as np
import numpy.typing as npt

from gops_lab.auditing.manifest import Manifest
from gops_lab.auditing.prize_sets import PrizeSets

LANES = 8


class Place(NamedTuple):
    """What a value is the value of, the hands left out."""

    mask: int
    carried: int
    lead: int


class Layout(Protocol):
    """The positions of the values of the patterns of one class."""

    length: int

    def find(self, place: Place) -> int | None:
        """Return the position of a place, or None if there is none."""

    def place(self, position: int) -> Place | None:
        """Return the place at a position; None for padding."""


class Reached:
    """Those positions of another layout that are kept, one behind the other.

    Parameters
    ----------
    whole : Layout
    kept : array of bool, shape (whole.length,)
    """

    def __init__(self, whole: Layout, kept: npt.NDArray[np.bool_]) -> None:
        self._whole = whole
        self._positions = np.flatnonzero(kept).tolist()
        self._numbers = {position: number for number, position in enumerate(self._positions)}
        self.length = len(self._positions)

    def find(self, place: Place) -> int | None:
        """Return the number of a place among those kept, or None if it is not."""
        position = self._whole.find(place)
        return None if position is None else self._numbers.get(position)

    def place(self, position: int) -> Place | None:
        """Return the place of the one kept that has a number."""
        return self._whole.place(self._positions[position])


class Blocks:
    """Sets of prizes eight by eight; rows of carried sums.

    Parameters
    ----------
    sets : PrizeSets
    size : int
        Prizes still to come.
    most : int
        The most prizes that can be carried.
    """

    def __init__(self, sets: PrizeSets, size: int, most: int) -> None:
        count = len(sets.all)

        def turned(mask: int) -> int:
            return sum(1 << (count - 1 - bit) for bit in range(count) if mask >> bit & 1)

        self._masks = sorted(sets.every_mask(size), key=turned)
        self._sums = [sets.carried_sums(mask, most) for mask in self._masks]
        self._number = {mask: number for number, mask in enumerate(self._masks)}
        heights = [
            max(map(len, self._sums[first : first + LANES]))
            for first in range(0, len(self._masks), LANES)
        ]
        self._starts = list(accumulate((LANES * height for height in heights), initial=0))
        self.length = self._starts[-1]

    def find(self, place: Place) -> int | None:
        """Return the position of a place, or None if there is none."""
        number = self._number.get(place.mask)
        if number is None or place.carried not in self._sums[number]:
            return None
        row = self._sums[number].index(place.carried)
        return self._starts[number // LANES] + LANES * row + number % LANES

    def place(self, position: int) -> Place | None:
        """Return the place at a position; None for padding."""
        block = bisect_right(self._starts, position) - 1
        row, lane = divmod(position - self._starts[block], LANES)
        number = LANES * block + lane
        if number >= len(self._masks) or row >= len(self._sums[number]):
            return None
        return Place(self._masks[number], self._sums[number][row], 0)


class Rows:
    """A row of leads for each set of prizes and carried sum.

    Parameters
    ----------
    sets : PrizeSets
    size : int
        Prizes still to come.
    most : int
        The most prizes that can be carried.
    manifest : Manifest
        Its game, utility and start leads say which leads there are.
    """

    def __init__(self, sets: PrizeSets, size: int, most: int, manifest: Manifest) -> None:
        self.step, window = _leads(manifest)
        self._rows: dict[tuple[int, int], tuple[int, int, int]] = {}
        self._at: list[tuple[int, int]] = []
        self._starts = [0]
        for mask in sets.masks(size):
            left = sum(sets.prizes(mask))
            for carried in sets.carried_sums(mask, most):
                low, high = window(left + carried)
                length = max(0, (high - low) // self.step + 1)
                self._rows[mask, carried] = low, length, self._starts[-1]
                self._at.append((mask, carried))
                self._starts.append(self._starts[-1] + length)
        self.length = self._starts[-1]

    def find(self, place: Place) -> int | None:
        """Return the position of a place, or None if there is none."""
        low, length, start = self._rows.get((place.mask, place.carried), (0, 0, 0))
        steps, rest = divmod(place.lead - low, self.step)
        return start + steps if 0 <= steps < length and rest == 0 else None

    def place(self, position: int) -> Place | None:
        """Return the place at a position."""
        mask, carried = self._at[bisect_right(self._starts, position) - 1]
        low, _, start = self._rows[mask, carried]
        return Place(mask, carried, low + self.step * (position - start))


class Window(Protocol):
    """Which leads there is a value for."""

    def __call__(self, left: int) -> tuple[int, int]:
        """Return the lowest and highest lead where so many points are left to be won."""


def _leads(manifest: Manifest) -> tuple[int, Window]:
    """Return how far apart the leads of rows are, and their ends."""
    if manifest.drops_lead:
        return 1, lambda left: (0, 0)
    game, (first, last) = manifest.game, manifest.start_leads
    reach = sum(map(abs, game.prizes))
    total = sum(game.prizes)
    step = 2 if game.ties == "carry" and first == last else 1
    odd = first + total
    if manifest.swap:
        most = max(-first, last)
        first, last = -most, most
        far = most + reach
        flat_low, flat_high = manifest.utility.flat_ends(-far, far)
    else:
        flat_low, flat_high = manifest.utility.flat_ends(first - reach, last + reach)

    def window(left: int) -> tuple[int, int]:
        if min(game.prizes) < 0:
            low, high = first - reach, last + reach
        else:
            low = max(first - (reach - left), flat_low - left + 1)
            high = min(last + (reach - left), flat_high + left - 1)
        if step == 2:
            low += (low - (odd - left)) % 2
            high -= (high - (odd - left)) % 2
        return low, high

    return step, window
