"""Columns drawn at random, row by row: which prize is exposed, which card is bid."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from gops_lab.compiling import compiled
from gops_lab.encoding.patterns import IntArray

Floats = npt.NDArray[np.float64]


def drawn(weights: npt.NDArray[Any], numbers: Floats) -> IntArray:
    """Return a column of each row, drawn in proportion to the weights.

    Parameters
    ----------
    weights : array, shape (k, n)
        Not negative.
    numbers : array of float, shape (k,)
        In [0, 1): the column is the first whose cumulative share is above it.

    Examples
    --------
    >>> drawn(np.array([[1, 0, 3], [1, 0, 3]]), np.array([0.24, 0.25]))
    array([0, 2])
    """
    columns = np.empty(len(weights), np.int64)
    _draw_columns(
        np.ascontiguousarray(weights, np.float64), np.ascontiguousarray(numbers), columns
    )
    return columns


@compiled
def _draw_columns(weights: Floats, numbers: Floats, columns: IntArray) -> None:
    for row in range(len(weights)):
        total = 0.0
        for column in range(weights.shape[1]):
            total += weights[row, column]
        target = numbers[row] * total
        reached = 0.0
        chosen = -1
        for column in range(weights.shape[1]):
            if weights[row, column] > 0:
                # The last column with any weight is chosen also where rounding passes the total.
                chosen = column
                reached += weights[row, column]
                if reached > target:
                    break
        columns[row] = chosen
