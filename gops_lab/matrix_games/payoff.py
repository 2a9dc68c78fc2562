"""Payoff matrices: what is accepted as one, and how it is made ready for a solver.

Everything a caller might hand over (lists, arrays of any real type, data frames, fractions) becomes
either a float64 matrix or a matrix of exact fractions; what is not a finite real matrix is refused
here, with the position of the first entry that is wrong, so that no solver ever meets it.
"""

from __future__ import annotations

import numbers
from collections.abc import Sequence
from decimal import Decimal
from fractions import Fraction
from math import inf, isfinite
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from gops_lab.errors import MatrixGameError

FloatMatrix = npt.NDArray[np.float64]
PayoffLike: TypeAlias = npt.ArrayLike | Sequence[Sequence[Any]]  # the second: fractions, decimals
ExactMatrix = npt.NDArray[Any]  # of Fraction

_ACCEPTED = "a payoff matrix is two-dimensional, not empty, and holds finite real numbers"

# numpy's one-letter names of the kinds of data that are no real numbers
_FOREIGN_KINDS = {
    "b": "booleans",
    "c": "complex numbers",
    "U": "text",
    "S": "text",
    "T": "text",
    "M": "dates",
    "m": "durations",
    "V": "records",
}


def as_payoff_matrix(payoff: PayoffLike) -> FloatMatrix:
    """Return a payoff matrix as a float64 array of its own.

    Parameters
    ----------
    payoff : array_like, shape (m, n)
        The row player's payoffs: nested lists, an array of any integer or floating type, a data
        frame, fractions or decimals. Never changed.

    Returns
    -------
    ndarray, shape (m, n)
        A C-contiguous copy; entries that float64 cannot hold are rounded to nearest.

    Raises
    ------
    MatrixGameError
        If `payoff` is empty, ragged, not two-dimensional, or holds anything but finite real
        numbers; also if an entry, or the largest minus the smallest, is beyond float64.

    Examples
    --------
    >>> as_payoff_matrix([[3, -1], [Fraction(1, 2), 4]])
    array([[ 3. , -1. ],
           [ 0.5,  4. ]])
    >>> as_payoff_matrix([[1, 2], [float("nan"), 4]])
    Traceback (most recent call last):
        ...
    gops_lab.errors.MatrixGameError: payoff at row 1, column 0 is nan; a payoff matrix is
    two-dimensional, not empty, and holds finite real numbers
    """
    array = _real_array(payoff)
    if array.dtype == object:
        matrix = np.array([[_as_float(entry) for entry in row] for row in array], np.float64)
    else:
        # a long double may exceed float64: reported below, so numpy need not warn as well
        with np.errstate(over="ignore"):
            matrix = np.array(array, np.float64, order="C")
    _refuse(~np.isfinite(matrix), array, "is beyond the largest float64")
    if float(matrix.max()) - float(matrix.min()) == inf:
        raise MatrixGameError(
            f"payoffs from {matrix.min():g} to {matrix.max():g} differ by more than the largest "
            "float64; divide them by a constant, or use method='exact'"
        )
    return matrix


def as_exact_matrix(payoff: PayoffLike) -> ExactMatrix:
    """Return a payoff matrix as fractions; a float counts as the exact rational it is.

    Parameters
    ----------
    payoff : array_like, shape (m, n)
        As for :func:`as_payoff_matrix`, of any magnitude.

    Returns
    -------
    ndarray of Fraction, shape (m, n)

    Raises
    ------
    MatrixGameError
        As for :func:`as_payoff_matrix`, except that no magnitude is too large.

    Examples
    --------
    >>> as_exact_matrix([[0.5, 10**400]])[0, 0]
    Fraction(1, 2)
    """
    array = _real_array(payoff)
    exact = np.empty(array.shape, object)
    for position in np.ndindex(array.shape):
        exact[position] = as_fraction(array[position])
    return exact


def as_fraction(number: object) -> Fraction:
    """Return a finite real number of any type as the rational it is.

    Examples
    --------
    >>> as_fraction(np.float32(0.75)), as_fraction(np.int8(-3))
    (Fraction(3, 4), Fraction(-3, 1))
    """
    if isinstance(number, numbers.Rational):
        return Fraction(int(number.numerator), int(number.denominator))
    if isinstance(number, Decimal | float):
        return Fraction(number)
    # numpy's other floating types: as_integer_ratio is exact, also for long double
    return Fraction(*(int(part) for part in number.as_integer_ratio()))  # type: ignore[attr-defined]


def scale(matrix: FloatMatrix) -> tuple[FloatMatrix, float, float]:
    """Shift and scale payoffs to the interval from 0 to 1.

    Solvers compare with absolute tolerances, so payoffs of 1e-9 would all look alike to them. The
    optimal strategies of ``(M - offset) / spread`` are those of ``M``.

    Returns
    -------
    scaled : ndarray, shape (m, n)
        Zeros if all payoffs are equal.
    offset : float
        The smallest payoff.
    spread : float
        The largest payoff minus the smallest.

    Examples
    --------
    >>> scale(np.array([[7.0, 3.0], [5.0, 3.0]]))
    (array([[1. , 0. ],
           [0.5, 0. ]]), 3.0, 4.0)
    """
    offset = float(matrix.min())
    shifted = matrix - offset
    spread = float(shifted.max())
    return (shifted / spread if spread > 0 else shifted), offset, spread


def _real_array(payoff: PayoffLike) -> npt.NDArray[np.generic]:
    """Return `payoff` as a two-dimensional array of finite real numbers, copied only if need be."""
    try:
        array = np.asanyarray(payoff)
    except (ValueError, TypeError) as reason:
        raise MatrixGameError(_ragged_message(payoff)) from reason
    if isinstance(array, np.ma.MaskedArray):
        _refuse(np.ma.getmaskarray(array), array, "is masked")
    array = np.asarray(array)
    if array.ndim != 2:
        raise MatrixGameError(
            f"payoff of type {type(payoff).__name__} has {array.ndim} dimensions; {_ACCEPTED}"
        )
    if array.size == 0:
        raise MatrixGameError(f"payoff has shape {array.shape}; {_ACCEPTED}")
    if array.dtype.kind in _FOREIGN_KINDS:
        raise MatrixGameError(f"payoff holds {_FOREIGN_KINDS[array.dtype.kind]}; {_ACCEPTED}")
    if array.dtype == object:
        bad = np.array([[not _is_finite_real(entry) for entry in row] for row in array])
    else:
        bad = ~np.isfinite(array)
    _refuse(bad, array, None)
    return array


def _refuse(bad: npt.NDArray[np.bool_], array: npt.NDArray[np.generic], what: str | None) -> None:
    """Raise for the first entry marked bad, in reading order; `what` says what is wrong with it."""
    if bad.any():
        position = tuple(int(index) for index in np.argwhere(bad)[0])
        where = (
            f"row {position[0]}, column {position[1]}"
            if len(position) == 2
            else f"position {position}"
        )
        entry = array[position]
        shown = str(entry) if isinstance(entry, numbers.Real) else repr(entry)
        shown = shown if len(shown) <= 40 else shown[:37] + "..."
        problem = f"is {shown}" if what is None else what
        raise MatrixGameError(f"payoff at {where} {problem}; {_ACCEPTED}")


def _is_finite_real(entry: object) -> bool:
    if isinstance(entry, bool | np.bool_):
        return False
    if isinstance(entry, numbers.Rational):
        return True
    if isinstance(entry, Decimal):
        return entry.is_finite()
    return isinstance(entry, numbers.Real) and bool(np.isfinite(np.longdouble(entry)))


def _as_float(entry: object) -> float:
    """Return a real number as float, infinite where float64 ends."""
    try:
        number = float(entry)  # type: ignore[arg-type]
    except OverflowError:
        return inf
    return number if isfinite(number) else inf


def _ragged_message(payoff: PayoffLike) -> str:
    """Say which row's length differs from the first's, as far as `payoff` lets one look."""
    rows: Any = payoff
    try:
        lengths = [len(row) for row in rows]
    except TypeError:
        return f"payoff of type {type(payoff).__name__} is not rectangular; {_ACCEPTED}"
    for row, length in enumerate(lengths):
        if length != lengths[0]:
            return (
                f"row {row} of the payoff has {length} entries where row 0 has {lengths[0]}; "
                "all rows must be of equal length"
            )
    return f"payoff has entries that are sequences of unequal length; {_ACCEPTED}"
