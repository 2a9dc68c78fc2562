"""A solved matrix game and the certificate that it carries.

In a zero-sum game with payoff matrix M (to the row player, who maximises) a row strategy x
guarantees ``min_j (x M)_j`` and a column strategy y concedes at most ``max_i (M y)_i``. The value
lies between these two numbers whatever x and y are, so their difference, the gap, proves the
quality of a solution from M alone; no solver has to be believed.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from gops_lab.errors import MatrixGameError
from gops_lab.matrix_games.payoff import (
    FloatMatrix,
    PayoffLike,
    as_exact_matrix,
    as_fraction,
    as_payoff_matrix,
)

GAP_TOLERANCE = 1e-12
"""Largest gap accepted of a solution in floats, as a share of the spread of the payoffs: their
largest minus their smallest. The gap is measured on the payoffs less their smallest, so that the
tolerance means the same at every magnitude: an offset common to all payoffs adds nothing to it."""

StrategyLike: TypeAlias = npt.ArrayLike | Sequence[Any]  # the second: fractions

# how far probabilities handed over may be below 0, or their sum from 1, and still be a strategy
_STRATEGY_TOLERANCE = 1e-9

_UNIT_ROUNDOFF = 2.0**-53


@dataclass(frozen=True, eq=False)
class MatrixGameSolution:
    """The value of a zero-sum matrix game, one optimal strategy of each player, and their proof.

    Floats throughout, or fractions throughout if the method asked for was ``"exact"``.

    Attributes
    ----------
    value : float or Fraction
        The row player's expected payoff under optimal play: the midpoint of `lower` and `upper`.
    row : ndarray, shape (m,)
        Probability of each row; not negative, sums to 1. Need not be the only optimal strategy.
    column : ndarray, shape (n,)
        Probability of each column.
    gap : float or Fraction
        `upper` - `lower`, from the payoff matrix and the two strategies alone. For floats it is
        taken before the smallest payoff is added back, so that it still means something where all
        payoffs share many leading digits.
    method : str
        ``"highs"``, ``"simplex"`` or ``"exact"``: the method that found these strategies, which is
        not the one asked for if that one missed the tolerance.
    lower : float or Fraction
        What `row` guarantees: min over columns of ``row @ payoff``.
    upper : float or Fraction
        What `column` concedes at most: max over rows of ``payoff @ column``.
    """

    value: float | Fraction
    row: npt.NDArray[Any]
    column: npt.NDArray[Any]
    gap: float | Fraction
    method: str
    lower: float | Fraction
    upper: float | Fraction

    def __post_init__(self) -> None:
        # a record that is shared must not change under another reader
        self.row.setflags(write=False)
        self.column.setflags(write=False)


def guarantees(
    payoff: PayoffLike, row: StrategyLike, column: StrategyLike
) -> tuple[float | Fraction, float | Fraction]:
    """Return what a row strategy guarantees and what a column strategy concedes at most.

    Parameters
    ----------
    payoff : array_like, shape (m, n)
        Payoffs to the row player.
    row : array_like, shape (m,)
        Probability of each row. Entries down to -1e-9 are taken as 0 and sums within 1e-9 of 1
        are divided out, for a solver's rounding is not the caller's mistake.
    column : array_like, shape (n,)
        Probability of each column.

    Returns
    -------
    lower, upper : float or Fraction
        ``min_j (row @ payoff)_j`` and ``max_i (payoff @ column)_i``: bounds of the game's value.
        Exact fractions if both strategies are arrays or sequences of Python integers and fractions
        only. Otherwise floats, right to :func:`rounding_bound`; where only rounding would put
        `lower` above `upper`, both are their midpoint.

    Raises
    ------
    MatrixGameError
        If `payoff` is no payoff matrix or a strategy is no probability distribution over it.

    Examples
    --------
    >>> guarantees([[4, 1], [1, 2]], [0.5, 0.5], [0.25, 0.75])
    (1.5, 1.75)
    >>> guarantees([[4, 1], [1, 2]], [Fraction(1, 4), Fraction(3, 4)], [0, 1])
    (Fraction(7, 4), Fraction(2, 1))
    """
    if _is_exact(row) and _is_exact(column):
        exact = as_exact_matrix(payoff)
        x = np.array([as_fraction(p) for p in _as_vector(row, "row", exact.shape[0])])
        y = np.array([as_fraction(p) for p in _as_vector(column, "column", exact.shape[1])])
        for name, strategy in (("row", x), ("column", y)):
            if min(strategy) < 0 or sum(strategy) != 1:
                raise MatrixGameError(_strategy_message(name, min(strategy), sum(strategy)))
        return min(x @ exact), max(exact @ y)
    matrix = as_payoff_matrix(payoff)
    lower, upper, _ = float_guarantees(
        matrix,
        _as_float_strategy(row, "row", matrix.shape[0]),
        _as_float_strategy(column, "column", matrix.shape[1]),
    )
    return lower, upper


def float_guarantees(
    matrix: FloatMatrix, row: npt.NDArray[np.float64], column: npt.NDArray[np.float64]
) -> tuple[float, float, float]:
    """Return lower, upper and gap of two distributions, as described in :func:`guarantees`.

    The gap is the difference before the smallest payoff is added back.
    """
    offset = float(matrix.min())
    shifted = matrix - offset
    low = float((row @ shifted).min())
    high = float((shifted @ column).max())
    if low > high:
        low = high = low + (high - low) / 2
    return offset + low, offset + high, high - low


def rounding_bound(payoff: PayoffLike) -> float:
    """Bound the error that float64 arithmetic may have left in computed guarantees.

    Write d for the largest minus the smallest payoff c, k for the larger number of actions and u
    for 2**-53. Each ``M_ij - c`` is off by at most u d; a product sum of k such numbers with a
    distribution by another k u d, to first order; a distribution whose entries are rounded sums to
    1 only within k u, which matters to the shifted payoffs only, hence k u d once more; adding c
    back costs u max|M|. With room for the terms of second order the bound is

        (2 k + 4) u d + 2 u max|M|.

    The true value of the game therefore lies between ``lower - bound`` and ``upper + bound``.

    Examples
    --------
    >>> rounding_bound([[1, -1], [-1, 1]])
    1.9984014443252818e-15
    """
    matrix = as_payoff_matrix(payoff)
    spread = float(matrix.max()) - float(matrix.min())
    largest = float(np.abs(matrix).max())
    return float(((2 * max(matrix.shape) + 4) * spread + 2 * largest) * _UNIT_ROUNDOFF)


def as_distribution(vector: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """Return a solver's probabilities without its rounding: clipped at 0, divided by their sum."""
    clipped = np.maximum(vector, 0.0)
    distribution: npt.NDArray[np.float64] = clipped / clipped.sum()
    return distribution


def float_solution(
    matrix: FloatMatrix,
    row: npt.NDArray[np.float64],
    column: npt.NDArray[np.float64],
    method: str,
) -> MatrixGameSolution:
    """Build the record of two distributions found by `method`, certified from `matrix`."""
    lower, upper, gap = float_guarantees(matrix, row, column)
    # halves first: the sum of two large floats may not be one
    value = lower / 2 + upper / 2 if gap > 0 else lower
    return MatrixGameSolution(value, row, column, gap, method, lower, upper)


def _is_exact(strategy: StrategyLike) -> bool:
    entries = np.asarray(strategy, object).ravel()
    return all(isinstance(p, int | Fraction) for p in entries)


def _as_vector(strategy: StrategyLike, name: str, length: int) -> npt.NDArray[Any]:
    vector = np.asarray(strategy)
    if vector.shape != (length,) or vector.dtype.kind not in "iufO":
        raise MatrixGameError(
            f"{name} strategy has shape {vector.shape} and type {vector.dtype}; "
            f"it must hold {length} probabilities"
        )
    return vector


def _as_float_strategy(strategy: StrategyLike, name: str, length: int) -> npt.NDArray[np.float64]:
    vector = _as_vector(strategy, name, length).astype(np.float64)
    smallest, total = vector.min(), vector.sum()
    # written so that NaN fails as well
    if not (smallest >= -_STRATEGY_TOLERANCE and abs(total - 1) <= _STRATEGY_TOLERANCE):
        raise MatrixGameError(_strategy_message(name, smallest, total))
    return as_distribution(vector)


def _strategy_message(name: str, smallest: object, total: object) -> str:
    return (
        f"{name} strategy has smallest entry {smallest} and sum {total}; "
        "probabilities must not be negative and must sum to 1"
    )
