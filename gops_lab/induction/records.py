"""Sets of integer rows, each row with a number: how a tier's states are kept and found again."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from gops_lab.encoding.patterns import IntArray


@dataclass(frozen=True, eq=False)
class Records:
    """Distinct rows of integers in lexicographic order; row numbers start at 0.

    Columns may hold any 64-bit integers: a row is turned into one number column by column, and
    the numbers are made dense again after each, so that nothing can overflow.
    """

    columns: tuple[IntArray, ...]
    _values: tuple[IntArray, ...]
    _keys: tuple[IntArray, ...]

    @classmethod
    def from_rows(cls, columns: Sequence[IntArray]) -> tuple[Records, IntArray]:
        """Return the distinct rows, and for each given row its number among them."""
        values: list[IntArray] = []
        keys: list[IntArray] = []
        numbers = np.zeros(len(columns[0]), np.int64)
        for column in columns:
            distinct, digit = np.unique(column, return_inverse=True)
            key, numbers = np.unique(
                numbers * max(len(distinct), 1) + digit, return_inverse=True
            )
            values.append(distinct)
            keys.append(key)
        numbers = numbers.astype(np.int64, copy=False)
        first = np.zeros(len(keys[-1]), np.int64)
        first[numbers] = np.arange(len(numbers))
        rows = tuple(np.asarray(column)[first] for column in columns)
        return cls(rows, tuple(values), tuple(keys)), numbers

    def __len__(self) -> int:
        return len(self.columns[0])

    def locate(self, columns: Sequence[IntArray]) -> IntArray:
        """Return the number of each row, or -1 where it is not one of these."""
        numbers = np.zeros(len(columns[0]), np.int64)
        found = np.full(len(numbers), len(self) > 0)
        for column, distinct, key in zip(columns, self._values, self._keys, strict=True):
            if not len(distinct):
                break
            digit = np.searchsorted(distinct, column).clip(max=len(distinct) - 1)
            found &= distinct[digit] == column
            wanted = numbers * len(distinct) + digit
            numbers = np.searchsorted(key, wanted).clip(max=len(key) - 1)
            found &= key[numbers] == wanted
        return np.where(found, numbers, -1)
