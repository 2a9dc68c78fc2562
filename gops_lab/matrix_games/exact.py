"""Exact solutions of matrix games, in fractions: slow, and right whatever the entries."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from math import gcd, lcm
from typing import Any

import numpy as np
import numpy.typing as npt

from gops_lab.errors import SolverError
from gops_lab.matrix_games.game import MatrixGameSolution, guarantees
from gops_lab.matrix_games.payoff import ExactMatrix, PayoffLike, as_exact_matrix
from gops_lab.matrix_games.tableau import Tableau, first_tableau, lexicographic_row


def solve_exactly(payoff: PayoffLike) -> MatrixGameSolution:
    """Solve a zero-sum matrix game in exact fractions.

    Parameters
    ----------
    payoff : array_like, shape (m, n)
        Payoffs to the row player. Floats are taken as the exact rationals they are: 0.1 is not a
        tenth.

    Returns
    -------
    MatrixGameSolution
        In fractions, with ``lower == value == upper`` and gap 0, checked against `payoff`.

    Raises
    ------
    MatrixGameError
        If `payoff` is no finite real matrix.

    Examples
    --------
    >>> game = solve_exactly([[4, 1], [1, 2]])
    >>> game.value, game.row, game.gap
    (Fraction(7, 4), array([Fraction(1, 4), Fraction(3, 4)], dtype=object), Fraction(0, 1))
    """
    matrix = as_exact_matrix(payoff)
    return _solution(matrix, optimal_tableau(whole_numbers(matrix).positive))


@dataclass(frozen=True, eq=False)
class WholeNumbers:
    """A game in positive whole numbers, equivalent to a game in fractions.

    Attributes
    ----------
    positive : ndarray of int, shape (m, n)
        ``1 + (M - offset) / unit``; Python integers.
    offset, unit : Fraction
    """

    positive: npt.NDArray[Any]
    offset: Fraction
    unit: Fraction


def whole_numbers(matrix: ExactMatrix) -> WholeNumbers:
    """Shift and scale fractions to positive whole numbers, as small as they can be."""
    common = lcm(*(entry.denominator for entry in matrix.flat))
    whole = np.array([[int(entry * common) for entry in row] for row in matrix], object)
    least = min(whole.flat)
    whole -= least
    unit = gcd(*whole.flat) or 1
    return WholeNumbers(whole // unit + 1, Fraction(least, common), Fraction(unit, common))


def optimal_tableau(positive: npt.NDArray[Any]) -> Tableau:
    """Return an optimal tableau of a game in positive whole numbers."""
    tableau = first_tableau(positive)
    rows, columns = positive.shape
    while True:
        costs = tableau.entries[rows, :columns]
        entering = int(np.argmin(costs))
        if costs[entering] >= 0:
            return tableau
        leaving = lexicographic_row(tableau, entering)
        if leaving is None:
            raise SolverError("exact simplex: a game with positive payoffs cannot be unbounded")
        tableau = tableau.pivot(leaving, entering)


def _solution(matrix: ExactMatrix, tableau: Tableau) -> MatrixGameSolution:
    """Read both strategies off an optimal tableau and prove them from the payoffs."""
    rows, columns = matrix.shape
    entries: Any = tableau.entries
    # the sum of all q_j, and of all reduced costs of slacks, is 1 / v in the positive game
    total = entries[rows, columns]
    column, row = [Fraction(0)] * columns, [Fraction(0)] * rows
    for position, label in enumerate(tableau.basic.tolist()):
        if label < columns:
            column[label] = Fraction(entries[position, columns], total)
    for position, label in enumerate(tableau.nonbasic.tolist()):
        if label >= columns:
            row[label - columns] = Fraction(entries[rows, position], total)
    lower, upper = guarantees(matrix, row, column)
    if lower != upper:
        raise SolverError(f"exact simplex: guarantees {lower} and {upper} differ")
    return MatrixGameSolution(
        lower,
        np.array(row, object),
        np.array(column, object),
        upper - lower,
        "exact",
        lower,
        upper,
    )
