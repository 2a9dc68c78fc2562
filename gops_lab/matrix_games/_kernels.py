"""Compiled kernels: a dense simplex for small matrix games, certificate included.

All compiled code of this package is in this one module, because numba's cache on disk notices a
change of the file a kernel is in, but none in a file it imports from. The same holds for kernels
elsewhere that call :func:`solve_one`: their cached code contains the old one until their own file
changes or the cache is cleared. Kernels know float64, C-contiguous arrays only, hence compile once,
when they are first called.

The linear program
------------------
The column player minimises v subject to ``M y <= v``, ``sum(y) = 1``, ``y >= 0``. For payoffs
scaled to a spread of 1, take the column q whose largest entry is least and a row p in which it
lies. With ``y_q = 1 - sum of the other y_j`` and ``v = (M y)_p + s_p`` eliminated, the slack of
every other row is

    s_i = (M_pq - M_iq) - sum_j [(M_ij - M_iq) - (M_pj - M_pq)] y_j + s_p,

and ``v = M_pq + sum_j (M_pj - M_pq) y_j + s_p``. By the choice of p and q this basis (y_q and the
slacks s_i, i != p) is feasible: no first phase, no shift to positive payoffs, and only differences
of payoffs enter. At the optimum the basic y_j form the column strategy and the reduced costs of the
slacks form the row strategy.

The tableau
-----------
``work[i, b, c]`` is row i, column 4 b + c: columns come in blocks of four, so that the inner loops
have four independent steps and constant indices, which numba need not test for being negative.
Rows 0 to m - 1 belong to the basic variables, row m holds the reduced costs, rows m + 1 and m + 2
are scratch. Columns 0 to n - 1 belong to the variables outside the basis, column n is the
right-hand side, the rest of its block is 0.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from gops_lab.compiling import compiled, copied
from gops_lab.matrix_games.game import GAP_TOLERANCE

FloatArray = npt.NDArray[np.float64]
IntArray = npt.NDArray[np.int64]

# All payoffs are scaled to a spread of 1, so these are absolute. A variable with a reduced cost
# above -COST_TOLERANCE can lower the value by no more than that; an entry below PIVOT_TOLERANCE may
# be rounding alone; ratios closer than TIE_TOLERANCE are tied. Bland's rule comes into play after
# many pivots have left their rounding, hence BLAND_TOLERANCE for its ties.
_COST_TOLERANCE = 1e-13
_PIVOT_TOLERANCE = 1e-12
_TIE_TOLERANCE = 1e-14
_BLAND_TOLERANCE = 1e-12

# pivots by the fast rule before Bland's takes over, for each action of either player
_PATIENCE = 4


def workspace(rows: int, columns: int) -> tuple[FloatArray, IntArray]:
    """Return the scratch arrays that :func:`solve_one` needs for games up to this size.

    `work` has shape (rows + 3, b, 4) with 4 b > max(rows, columns), `labels` has length
    2 (rows + columns); each thread needs its own.
    """
    blocks = (max(rows, columns) + 4) >> 2
    return np.zeros((rows + 3, blocks, 4)), np.zeros(2 * (rows + columns), np.int64)


@compiled
def _pivot(
    work: FloatArray, labels: IntArray, rows: int, columns: int, leaving: int, entering: int
) -> None:
    """Exchange the variables of row `leaving` and column `entering`."""
    scratch = rows + 1
    block, lane = entering >> 2, entering & 3
    inverse = 1.0 / work[leaving, block, lane]
    blocks = (columns + 4) >> 2
    for b in range(blocks):
        for c in range(4):
            work[scratch, b, c] = work[leaving, b, c] * inverse
            work[leaving, b, c] = 0.0
    work[scratch, block, lane] = inverse
    # 0 - (-1) times the scaled row is the scaled row: the pivot row needs no case of its own
    work[leaving, block, lane] = -1.0
    for i in range(scratch):
        factor = work[i, block, lane]
        work[i, block, lane] = 0.0
        for b in range(blocks):
            w0 = work[i, b, 0] - factor * work[scratch, b, 0]
            w1 = work[i, b, 1] - factor * work[scratch, b, 1]
            w2 = work[i, b, 2] - factor * work[scratch, b, 2]
            w3 = work[i, b, 3] - factor * work[scratch, b, 3]
            work[i, b, 0] = w0
            work[i, b, 1] = w1
            work[i, b, 2] = w2
            work[i, b, 3] = w3
    # The objective's own value is of no use, and must never pass for a reduced cost: it only rises,
    # but rounding knows nothing of that.
    work[rows, columns >> 2, columns & 3] = 0.0
    label = labels[leaving]
    labels[leaving] = labels[rows + entering]
    labels[rows + entering] = label


@copied
def _start(
    payoff: FloatArray, rows: int, columns: int, work: FloatArray, labels: IntArray
) -> tuple[float, float]:
    """Write the first tableau; return the smallest payoff and the spread."""
    smallest = payoff[0, 0]
    largest = smallest
    corner = np.inf
    q = 0
    for j in range(columns):
        top = payoff[0, j]
        for i in range(rows):
            entry = payoff[i, j]
            top = max(top, entry)
            smallest = min(smallest, entry)
        largest = max(largest, top)
        if top < corner:
            corner = top
            q = j
    p = 0
    for i in range(rows):
        if payoff[i, q] == corner:
            p = i
    spread = largest - smallest
    unit = 1.0 / spread if spread > 0.0 else 0.0

    q_block, q_lane = q >> 2, q & 3
    side_block, side_lane = columns >> 2, columns & 3
    for i in range(rows + 1):
        for lane in range(4):
            work[i, side_block, lane] = 0.0
    for j in range(columns):
        work[rows, j >> 2, j & 3] = (payoff[p, j] - corner) * unit
        labels[rows + j] = j
    for i in range(rows):
        labels[i] = columns + i
        base = payoff[i, q]
        for j in range(columns):
            work[i, j >> 2, j & 3] = (payoff[i, j] - base) * unit - work[rows, j >> 2, j & 3]
        work[i, q_block, q_lane] = -1.0
        work[i, side_block, side_lane] = (corner - base) * unit
    for j in range(columns):
        work[p, j >> 2, j & 3] = 1.0
    work[p, q_block, q_lane] = 0.0
    work[p, side_block, side_lane] = 1.0
    work[rows, q_block, q_lane] = 1.0
    labels[p] = q
    labels[rows + q] = columns + p
    return smallest, spread


@copied
def _iterate(rows: int, columns: int, work: FloatArray, labels: IntArray) -> None:
    """Pivot until no reduced cost is negative, no row can leave, or patience ends.

    The column with the least reduced cost enters, ties between rows go to the largest pivot: fast
    and stable, but it may cycle. After as many pivots as no ordinary game needs, Bland's rule takes
    over, which may not. Whatever the reason for stopping, the certificate judges the result.
    """
    blocks = (columns + 4) >> 2
    side_block, side_lane = columns >> 2, columns & 3
    keys = rows + 2
    patience = _PATIENCE * (rows + columns)
    for count in range(patience + 40 * (rows + columns)):
        entering = 0
        least = -_COST_TOLERANCE
        for b in range(blocks):
            least = min(
                least,
                min(
                    min(work[rows, b, 0], work[rows, b, 1]),
                    min(work[rows, b, 2], work[rows, b, 3]),
                ),
            )
        if not least < -_COST_TOLERANCE:
            return
        # a search for the number just found: branches in the loop above would be mispredicted
        while work[rows, entering >> 2, entering & 3] != least:
            entering += 1
        if count >= patience:
            for j in range(columns):
                if (
                    work[rows, j >> 2, j & 3] < -_COST_TOLERANCE
                    and labels[rows + j] < labels[rows + entering]
                ):
                    entering = j

        block, lane = entering >> 2, entering & 3
        best = np.inf
        for i in range(rows):
            entry = work[i, block, lane]
            # of tied rows, the one with the largest pivot has the least key, pivots above 1 alike
            key = max(work[i, side_block, side_lane], 0.0) / max(entry, _PIVOT_TOLERANCE)
            key = key - _TIE_TOLERANCE * min(entry, 1.0)
            key = key if entry > _PIVOT_TOLERANCE else np.inf
            work[keys, i >> 2, i & 3] = key
            best = min(best, key)
        if not best < np.inf:
            return
        leaving = 0
        while work[keys, leaving >> 2, leaving & 3] != best:
            leaving += 1
        if count >= patience:
            for i in range(rows):
                if (
                    work[keys, i >> 2, i & 3] <= best + _BLAND_TOLERANCE
                    and labels[i] < labels[leaving]
                ):
                    leaving = i
        _pivot(work, labels, rows, columns, leaving, entering)


@compiled
def _return_to_basis(rows: int, columns: int, work: FloatArray, labels: IntArray) -> None:
    """Pivot from the first tableau to the basis marked wanted, by the largest pivots there are.

    On its way the simplex may have had to take pivots so small that their rounding stayed in the
    tableau; a basis does not remember the way.
    """
    wanted = rows + columns
    for _ in range(rows):
        leaving = entering = -1
        best = _PIVOT_TOLERANCE
        for i in range(rows):
            if labels[wanted + labels[i]] == 0:
                for j in range(columns):
                    size = abs(work[i, j >> 2, j & 3])
                    if labels[wanted + labels[rows + j]] == 1 and size > best:
                        best = size
                        leaving = i
                        entering = j
        if leaving < 0:
            return
        _pivot(work, labels, rows, columns, leaving, entering)


@copied
def _read_off(
    payoff: FloatArray,
    rows: int,
    columns: int,
    work: FloatArray,
    labels: IntArray,
    row: FloatArray,
    column: FloatArray,
    smallest: float,
) -> tuple[float, float]:
    """Take both strategies from the tableau, and their guarantees from the payoffs.

    The guarantees are those in the game less its smallest payoff; NaN if anything is not finite.
    """
    side_block, side_lane = columns >> 2, columns & 3
    for j in range(columns):
        column[j] = 0.0
    for i in range(rows):
        row[i] = 0.0
    total = 0.0
    for i in range(rows):
        if labels[i] < columns:
            side = max(work[i, side_block, side_lane], 0.0)
            column[labels[i]] = side
            total += side
    for j in range(columns):
        column[j] /= total
    total = 0.0
    for j in range(columns):
        label = labels[rows + j] - columns
        if label >= 0:
            cost = max(work[rows, j >> 2, j & 3], 0.0)
            row[label] = cost
            total += cost
    for i in range(rows):
        row[i] /= total

    # comparisons pass over NaN, sums do not
    total = 0.0
    low = np.inf
    for j in range(columns):
        guarantee = 0.0
        for i in range(rows):
            guarantee += row[i] * (payoff[i, j] - smallest)
        total += guarantee
        low = min(low, guarantee)
    high = -np.inf
    for i in range(rows):
        guarantee = 0.0
        for j in range(columns):
            guarantee += column[j] * (payoff[i, j] - smallest)
        total += guarantee
        high = max(high, guarantee)
    if not abs(total) < np.inf:
        return np.nan, np.nan
    if low > high:
        # theory forbids it, so it is rounding
        low = high = low + (high - low) / 2.0
    return low, high


@compiled
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
        The size of the game.
    work, labels : ndarray
        Scratch arrays from :func:`workspace`, for this size or a larger one.
    row, column : ndarray, shapes (at least rows,) and (at least columns,)
        The strategies are written to their leading entries.

    Returns
    -------
    lower, upper, gap : float
        The guarantees of the two strategies, and their difference before the smallest payoff is
        added back. All three are NaN, and the strategies are of no use, if the gap is not within
        `GAP_TOLERANCE` of the spread of the payoffs: no doubtful result can be used by mistake, and
        a caller tells success by ``gap >= 0``.

    Examples
    --------
    >>> work, labels = workspace(2, 2)
    >>> row, column = np.empty(2), np.empty(2)
    >>> payoff = np.array([[4.0, 1.0], [1.0, 2.0]])
    >>> lower, upper, gap = solve_one(payoff, 2, 2, work, labels, row, column)
    >>> float(lower), float(upper), float(gap)
    (1.75, 1.75, 0.0)
    >>> row
    array([0.25, 0.75])
    """
    wanted = rows + columns
    for attempt in range(3):
        if attempt > 0:
            for i in range(wanted):
                labels[wanted + labels[i]] = 1 if i < rows else 0
        smallest, spread = _start(payoff, rows, columns, work, labels)
        if attempt > 0:
            _return_to_basis(rows, columns, work, labels)
        _iterate(rows, columns, work, labels)
        low, high = _read_off(payoff, rows, columns, work, labels, row, column, smallest)
        # written so that NaN is no success
        if high - low <= GAP_TOLERANCE * spread:
            return smallest + low, smallest + high, high - low
    return np.nan, np.nan, np.nan


@compiled
def solve_range(
    payoffs: FloatArray,
    first: int,
    last: int,
    work: FloatArray,
    labels: IntArray,
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
    work, labels : ndarray
        Scratch arrays from :func:`workspace`.
    row, column : ndarray, shapes (k, m) and (k, n)
    lower, upper, gap : ndarray, shape (k,)
        As returned by :func:`solve_one`.
    """
    rows, columns = payoffs.shape[1], payoffs.shape[2]
    for game in range(first, last):
        lower[game], upper[game], gap[game] = solve_one(
            payoffs[game], rows, columns, work, labels, row[game], column[game]
        )
