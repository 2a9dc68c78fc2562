"""Compiled kernels: the dense simplex for small matrix games.

All compiled code of this package is in this one module, because numba's cache on disk notices a
change of the file a kernel is in, but none in a file it imports from. The same holds for kernels
elsewhere that call :func:`solve_one`: their cached code contains the old one until their own file
changes or the cache is cleared.

The kernels know float64, C-contiguous arrays only, hence compile once, at their first call.

The linear program
------------------
The column player minimises v subject to ``M y <= v``, ``sum(y) = 1``, ``y >= 0``. For payoffs
scaled to a spread of 1, take the column q whose largest entry is least and the row p in which it
lies. With ``y_q = 1 - sum of the other y_j`` and ``v = (M y)_p + s_p`` eliminated, every other row's
slack is

    s_i = (M_pq - M_iq) - sum_j [(M_ij - M_iq) - (M_pj - M_pq)] y_j + s_p,

and ``v = M_pq + sum_j (M_pj - M_pq) y_j + s_p``. By the choice of p and q this basis (y_q and the
slacks s_i, i != p) is feasible: no first phase, no artificial shift to positive payoffs, and only
differences of payoffs enter. At the optimum the basic y_j form the column strategy and the reduced
costs of the slacks form the row strategy.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import numba
import numpy as np
import numpy.typing as npt

FloatArray = npt.NDArray[np.float64]
IntArray = npt.NDArray[np.int64]

Function = TypeVar("Function", bound=Callable[..., Any])

# Payoffs are scaled to a spread of 1, so these are absolute. A reduced cost above -COST_TOLERANCE
# can lower the value by no more than that; an entry below PIVOT_TOLERANCE may be rounding alone.
COST_TOLERANCE = 1e-13
PIVOT_TOLERANCE = 1e-10
TIE_TOLERANCE = 1e-14


def kernel(function: Function) -> Function:
    """Compile `function` when it is first called, without holding the interpreter lock.

    Machine code is kept on disk where numba finds a folder it may write to, else in memory only.
    Floating-point rules stay strict: relaxed ones would remove the tests that reject NaN.
    """
    try:
        compiled = numba.njit(cache=True, nogil=True, error_model="numpy")(function)
    except RuntimeError:
        compiled = numba.njit(nogil=True, error_model="numpy")(function)
    return compiled  # type: ignore[no-any-return]


@kernel
def pivot(work: FloatArray, rows: int, width: int, leaving: int, entering: int) -> None:
    """Exchange the variables of a row and a column in the condensed tableau.

    The first `rows` + 1 rows of `work` are the tableau, the one after is scratch; `width`, a
    multiple of 4, is the number of columns in use. Columns are taken four at a time because four
    explicit lanes become one vector instruction.
    """
    scratch = rows + 1
    inverse = 1.0 / work[leaving, entering]
    for j in range(width):
        work[scratch, j] = work[leaving, j] * inverse
        work[leaving, j] = 0.0
    work[scratch, entering] = inverse
    for i in range(scratch):
        work[i, entering], factor = 0.0, work[i, entering]
        if i == leaving:
            factor = -1.0
        for j in range(0, width, 4):
            a = work[i, j] - factor * work[scratch, j]
            b = work[i, j + 1] - factor * work[scratch, j + 1]
            c = work[i, j + 2] - factor * work[scratch, j + 2]
            d = work[i, j + 3] - factor * work[scratch, j + 3]
            work[i, j] = a
            work[i, j + 1] = b
            work[i, j + 2] = c
            work[i, j + 3] = d


@kernel
def solve_one(
    payoff: FloatArray,
    rows: int,
    columns: int,
    work: FloatArray,
    labels: IntArray,
    row: FloatArray,
    column: FloatArray,
) -> tuple[float, float, float]:
    """Solve one game by the simplex method and certify the result from its payoffs.

    Parameters
    ----------
    payoff : ndarray, shape (at least rows, at least columns)
        Payoffs to the row player; only the leading block of `rows` x `columns` is read.
    rows, columns : int
    work : ndarray, shape (at least rows + 2, at least columns + 4)
        Scratch space.
    labels : ndarray of int64, shape (at least rows + columns,)
        Scratch space.
    row, column : ndarray
        The strategies are written to their first `rows` and `columns` entries: not negative, each
        divided by its sum.

    Returns
    -------
    lower, upper, gap : float
        Guarantees of the two strategies and their difference, taken before the smallest payoff is
        added back. NaN, and strategies of NaN or anything, if the solve broke down: a caller
        accepts exactly if ``gap <= tolerance``, which NaN is not.
    """
    basic = labels[:rows]
    nonbasic = labels[rows : rows + columns]
    width = (columns + 4) // 4 * 4
    # the column whose largest payoff is least
    for j in range(columns):
        work[0, j] = payoff[0, j]
    smallest = payoff[0, 0]
    for i in range(rows):
        for j in range(columns):
            entry = payoff[i, j]
            work[0, j] = max(work[0, j], entry)
            smallest = min(smallest, entry)
    largest = work[0, 0]
    q = 0
    for j in range(1, columns):
        largest = max(largest, work[0, j])
        if work[0, j] < work[0, q]:
            q = j
    corner = work[0, q]
    p = 0
    for i in range(rows):
        if payoff[i, q] == corner:
            p = i
    spread = largest - smallest
    unit = 1.0 / spread if spread > 0.0 else 0.0

    for j in range(columns):
        work[rows, j] = (payoff[p, j] - corner) * unit
        nonbasic[j] = j
    for i in range(rows):
        basic[i] = columns + i
        base = payoff[i, q]
        for j in range(columns):
            work[i, j] = (payoff[i, j] - base) * unit - work[rows, j]
        work[i, q] = -1.0
        work[i, columns] = (corner - base) * unit
        for j in range(columns + 1, width):
            work[i, j] = 0.0
    for j in range(columns):
        work[p, j] = 1.0
    work[p, q] = 0.0
    work[p, columns] = 1.0
    work[rows, q] = 1.0
    for j in range(columns, width):
        work[rows, j] = 0.0
    basic[p] = q
    nonbasic[q] = columns + p

    # Largest reduced cost first, ties by the largest pivot: fast and stable, but it may cycle;
    # after as many pivots as no ordinary game needs, Bland's rule takes over, which may not.
    patience = 4 * (rows + columns)
    for count in range(10 * patience):
        entering = 0
        least = work[rows, 0]
        if count < patience:
            for j in range(1, columns):
                if work[rows, j] < least:
                    least = work[rows, j]
                    entering = j
        else:
            least = 0.0
            for j in range(columns):
                if work[rows, j] < -COST_TOLERANCE and (
                    least == 0.0 or nonbasic[j] < nonbasic[entering]
                ):
                    least = work[rows, j]
                    entering = j
        if not least < -COST_TOLERANCE:
            break
        leaving = -1
        best = 0.0
        best_side = 0.0
        for i in range(rows):
            entry = work[i, entering]
            if entry > PIVOT_TOLERANCE:
                side = max(work[i, columns], 0.0)
                if leaving < 0:
                    better = True
                else:
                    difference = side * best - best_side * entry
                    tied = abs(difference) <= TIE_TOLERANCE
                    if count < patience:
                        better = difference < -TIE_TOLERANCE or (tied and entry > best)
                    else:
                        better = difference < -TIE_TOLERANCE or (
                            tied and basic[i] < basic[leaving]
                        )
                if better:
                    leaving = i
                    best = entry
                    best_side = side
        if leaving < 0:
            return np.nan, np.nan, np.nan
        pivot(work, rows, width, leaving, entering)
        basic[leaving], nonbasic[entering] = nonbasic[entering], basic[leaving]
    # Out of pivots or optimal: the certificate tells them apart.
    return _read_off(payoff, rows, columns, work, labels, row, column, smallest)


@kernel
def _read_off(
    payoff: FloatArray,
    rows: int,
    columns: int,
    work: FloatArray,
    labels: IntArray,
    row: FloatArray,
    column: FloatArray,
    smallest: float,
) -> tuple[float, float, float]:
    """Take both strategies from the tableau and their guarantees from the payoffs."""
    for j in range(columns):
        column[j] = 0.0
    for i in range(rows):
        row[i] = 0.0
    total = 0.0
    for i in range(rows):
        if labels[i] < columns:
            side = max(work[i, columns], 0.0)
            column[labels[i]] = side
            total += side
    for j in range(columns):
        column[j] /= total
    total = 0.0
    for j in range(columns):
        label = labels[rows + j] - columns
        if label >= 0:
            cost = max(work[rows, j], 0.0)
            row[label] = cost
            total += cost
    for i in range(rows):
        row[i] /= total

    low = np.inf
    for j in range(columns):
        guarantee = 0.0
        for i in range(rows):
            guarantee += row[i] * (payoff[i, j] - smallest)
        if not guarantee >= low:
            low = guarantee
    high = -np.inf
    for i in range(rows):
        guarantee = 0.0
        for j in range(columns):
            guarantee += column[j] * (payoff[i, j] - smallest)
        if not guarantee <= high:
            high = guarantee
    if low > high:
        # theory forbids it, so it is rounding
        low = high = low + (high - low) / 2.0
    return smallest + low, smallest + high, high - low


@kernel
def solve_range(
    payoffs: FloatArray,
    first: int,
    last: int,
    row: FloatArray,
    column: FloatArray,
    lower: FloatArray,
    upper: FloatArray,
    gap: FloatArray,
) -> None:
    """Solve the games from `first` up to `last` of a batch, each into its place of the results.

    Parameters
    ----------
    payoffs : ndarray, shape (k, m, n)
    first, last : int
    row, column : ndarray, shapes (k, m) and (k, n)
    lower, upper, gap : ndarray, shape (k,)
    """
    rows, columns = payoffs.shape[1], payoffs.shape[2]
    work = np.zeros((rows + 2, columns + 4))
    labels = np.zeros(rows + columns, np.int64)
    for game in range(first, last):
        lower[game], upper[game], gap[game] = solve_one(
            payoffs[game], rows, columns, work, labels, row[game], column[game]
        )
