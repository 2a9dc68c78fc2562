"""The simplex tableau of a matrix game, in whole numbers or in floats.

With payoffs A > 0 the column player's problem

    maximise sum_j q_j   subject to   A q <= 1, q >= 0

has value 1/v, and ``y = v q`` is optimal for the column player; the reduced costs of the slack
variables, times v, are optimal for the row player. The tableau is kept condensed: one row for each
basic variable, one column for each variable outside the basis, the right-hand side as last column
and the reduced costs as last row.

Whole numbers stay whole: every entry is stored as the numerator over one common denominator, the
last pivot, and the division in a pivot step leaves no remainder (Bareiss; Edmonds). No fraction
is ever reduced to lowest terms, which is what makes exact arithmetic slow.

References
----------
E. H. Bareiss (1968), Sylvester's identity and multistep integer-preserving Gaussian elimination,
Mathematics of Computation 22, 565-578. V. Chvatal (1983), Linear Programming, chapters 3 and 15.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt


@dataclass(frozen=True, eq=False)
class Tableau:
    """A basis of the column player's problem and everything expressed in it.

    Attributes
    ----------
    entries : ndarray, shape (m + 1, n + 1)
        Numerators: Python integers (dtype object) or float64.
    denominator : int or float
        Positive; 1.0 for floats.
    basic : ndarray of int, shape (m,)
        The variable of each row: j < n is q_j, n + i is the slack of row i of the game.
    nonbasic : ndarray of int, shape (n,)
        The variable of each column.
    """

    entries: npt.NDArray[Any]
    denominator: Any
    basic: npt.NDArray[np.int64]
    nonbasic: npt.NDArray[np.int64]

    @property
    def is_exact(self) -> bool:
        """Whether the entries are whole numbers."""
        return self.entries.dtype == object

    def row_of(self, label: int) -> int | None:
        """Return the row of a variable; None if it is outside the basis."""
        places = np.flatnonzero(self.basic == label)
        return int(places[0]) if len(places) > 0 else None

    def pivot(self, row: int, column: int) -> Tableau:
        """Return the tableau after the variables of `row` and `column` have changed places."""
        old = self.entries
        pivot, denominator = old[row, column], self.denominator
        if self.is_exact:
            entries = (pivot * old - np.outer(old[:, column], old[row])) // denominator
            entries[row] = old[row]
            entries[:, column] = -old[:, column]
            entries[row, column] = denominator
            denominator = pivot
        else:
            pivot_row = old[row] / pivot
            entries = old - np.outer(old[:, column], pivot_row)
            entries[row] = pivot_row
            entries[:, column] = -old[:, column] / pivot
            entries[row, column] = 1 / pivot
        basic, nonbasic = self.basic.copy(), self.nonbasic.copy()
        basic[row], nonbasic[column] = nonbasic[column], basic[row]
        return Tableau(entries, denominator, basic, nonbasic)


def first_tableau(positive: npt.NDArray[Any]) -> Tableau:
    """Return the tableau of the basis of all slack variables.

    Parameters
    ----------
    positive : ndarray, shape (m, n)
        Positive payoffs, Python integers (dtype object) or float64.
    """
    rows, columns = positive.shape
    one = 1 if positive.dtype == object else 1.0
    entries = np.full((rows + 1, columns + 1), one, positive.dtype)
    entries[:rows, :columns] = positive
    entries[rows] = -one
    entries[rows, columns] = 0 * one
    labels = np.arange(rows + columns)
    return Tableau(entries, one, labels[columns:], labels[:columns])


def lexicographic_row(tableau: Tableau, column: int) -> int | None:
    """Return the row that leaves the basis for `column`, by the lexicographic rule.

    Of the rows with the least ratio of right-hand side to (positive) entry, the one whose row of
    the inverse basis matrix, divided by that entry, is lexicographically least. With this rule no
    basis is met twice, whichever column enters (Chvatal, chapter 3), so exact pivoting ends.
    None if no row bounds the entering variable.
    """
    entries = tableau.entries
    rows = len(tableau.basic)
    best = None
    for row in range(rows):
        if entries[row, column] > 0 and (
            best is None or _is_lexicographically_less(tableau, column, row, best)
        ):
            best = row
    return best


def _is_lexicographically_less(tableau: Tableau, column: int, row: int, other: int) -> bool:
    entries = tableau.entries
    rows, columns = len(tableau.basic), len(tableau.nonbasic)
    weight, other_weight = entries[other, column], entries[row, column]
    difference = entries[row, columns] * weight - entries[other, columns] * other_weight
    if difference != 0:
        return bool(difference < 0)
    # the columns of the inverse basis are those of the slacks; a basic slack's is a unit vector
    place = {int(label): position for position, label in enumerate(tableau.nonbasic)}
    for slack in range(columns, columns + rows):
        if slack in place:
            position = place[slack]
            difference = entries[row, position] * weight - entries[other, position] * other_weight
        elif tableau.basic[row] == slack:
            difference = 1
        elif tableau.basic[other] == slack:
            difference = -1
        if difference != 0:
            return bool(difference < 0)
    raise AssertionError("two rows of an inverse matrix are never proportional")


def tolerant_row(tableau: Tableau, column: int, tolerance: float) -> int | None:
    """Return the row that leaves the basis for `column`, in floats.

    Entries up to `tolerance` are taken for rounding. Of the rows whose ratio is least up to a
    hundredth of it, the one with the largest entry: a small pivot would magnify rounding.
    """
    columns = len(tableau.nonbasic)
    entries = tableau.entries[:-1, column]
    candidates = np.flatnonzero(entries > tolerance)
    if len(candidates) == 0:
        return None
    ratios = np.maximum(tableau.entries[candidates, columns], 0.0) / entries[candidates]
    tied = candidates[ratios <= ratios.min() + tolerance / 100]
    return int(tied[np.argmax(entries[tied])])
