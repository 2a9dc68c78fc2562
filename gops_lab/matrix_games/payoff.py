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

# what is accepted, by the number of dimensions
_ACCEPTED = {
    2: "a payoff matrix is two-dimensional, not empty, and holds finite real numbers",
    3: "a batch of payoff matrices has shape (games, rows, columns) and holds finite real numbers",
}

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
    matrix = np.array(_as_floats(_real_array(payoff, 2)), order="C")
    _refuse_overflow(matrix)
    return matrix


def as_payoff_batch(payoffs: PayoffLike) -> FloatMatrix:
    """Return a batch of payoff matrices as a C-contiguous float64 array.

    Parameters
    ----------
    payoffs : array_like, shape (k, m, n)
        Anything that :func:`as_payoff_matrix` accepts, k times; k may be 0.

    Returns
    -------
    ndarray, shape (k, m, n)
        `payoffs` itself where it is such an array already: batches may be large.

    Raises
    ------
    MatrixGameError
        As for :func:`as_payoff_matrix`, except that spreads are left for the solver to check.

    Examples
    --------
    >>> as_payoff_batch([[[1, 2]], [[3, 4]]]).shape
    (2, 1, 2)
    """
    return np.ascontiguousarray(_as_floats(_real_array(payoffs, 3)))


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
    array = _real_array(payoff, 2)
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


def _real_array(payoff: PayoffLike, dimensions: int) -> npt.NDArray[Any]:
    """Return `payoff` as an array of finite real numbers, copied only if need be.

    With three dimensions it is a batch of matrices, which may hold none.
    """
    try:
        array = np.asanyarray(payoff)
    except (ValueError, TypeError) as reason:
        raise MatrixGameError(_ragged_message(payoff, dimensions)) from reason
    accepted = _ACCEPTED[dimensions]
    mask = np.ma.getmaskarray(array) if isinstance(array, np.ma.MaskedArray) else None
    array = np.asarray(array)
    if array.ndim != dimensions:
        raise MatrixGameError(
            f"payoff of type {type(payoff).__name__} has {array.ndim} dimensions; {accepted}"
        )
    if 0 in array.shape[-2:]:
        raise MatrixGameError(f"payoff has shape {array.shape}; {accepted}")
    if array.dtype.kind in _FOREIGN_KINDS:
        raise MatrixGameError(f"payoff holds {_FOREIGN_KINDS[array.dtype.kind]}; {accepted}")
    if mask is not None:
        _refuse(mask, array, "is masked")
    if array.dtype == object:
        bad = np.array([not _is_finite_real(entry) for entry in array.flat], bool)
        _refuse(bad.reshape(array.shape), array, None)
    else:
        # a finite sum proves all entries finite, in one pass and without a temporary array
        with np.errstate(over="ignore", invalid="ignore"):
            total = array.sum()
        if not np.isfinite(total):
            _refuse(~np.isfinite(array), array, None)
    return array


def _as_floats(array: npt.NDArray[Any]) -> FloatMatrix:
    """Return finite real numbers as float64, the array itself if it is one."""
    if array.dtype == object:
        floats = np.array([_as_float(entry) for entry in array.flat], np.float64)
        floats = floats.reshape(array.shape)
    else:
        # a long double may exceed float64: reported below, so numpy need not warn as well
        with np.errstate(over="ignore"):
            floats = array.astype(np.float64, copy=False)
    if array.dtype.kind == "O" or array.dtype.itemsize > 8:
        _refuse(~np.isfinite(floats), array, "is beyond the largest float64")
    return floats


def _refuse_overflow(matrix: FloatMatrix) -> None:
    if float(matrix.max()) - float(matrix.min()) == inf:
        raise MatrixGameError(
            f"payoffs from {matrix.min():g} to {matrix.max():g} differ by more than the largest "
            "float64; divide them by a constant, or use method='exact'"
        )


def _refuse(bad: npt.NDArray[np.bool_], array: npt.NDArray[Any], what: str | None) -> None:
    """Raise for the first entry marked bad, in reading order; `what` says what is wrong with it."""
    if not bad.any():
        return
    position = tuple(int(index) for index in np.argwhere(bad)[0])
    names = ("game", "row", "column")[3 - len(position) :]
    where = ", ".join(f"{name} {index}" for name, index in zip(names, position, strict=True))
    if what is None:
        entry = array[position]
        shown = str(entry) if isinstance(entry, numbers.Real) else repr(entry)
        what = f"is {shown if len(shown) <= 40 else shown[:37] + '...'}"
    raise MatrixGameError(f"payoff at {where} {what}; {_ACCEPTED[len(position)]}")


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


def _ragged_message(payoff: PayoffLike, dimensions: int) -> str:
    """Say which row's length differs from the first's, as far as `payoff` lets one look."""
    rows: Any = payoff
    try:
        lengths = [len(row) for row in rows]
    except TypeError:
        return f"payoff of type {type(payoff).__name__} is not rectangular; {_ACCEPTED[dimensions]}"
    what = {2: "row", 3: "game"}[dimensions]
    for index, length in enumerate(lengths):
        if length != lengths[0]:
            return (
                f"{what} {index} of the payoff has length {length} where {what} 0 has "
                f"{lengths[0]}; all must be equally long"
            )
    return f"payoff has entries that are sequences of unequal length; {_ACCEPTED[dimensions]}"
