"""Many matrix games of one shape at once: a compiled simplex, and what takes over if it fails."""

from __future__ import annotations

import os
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from gops_lab.errors import MatrixGameError, SolverError
from gops_lab.matrix_games import _kernels
from gops_lab.matrix_games.game import MatrixGameSolution
from gops_lab.matrix_games.linprog import solve_by_linprog
from gops_lab.matrix_games.payoff import FloatMatrix, PayoffLike, as_payoff_batch

METHODS = ("simplex", "highs", "exact")
"""The methods that `MatrixGameSolutions.method` counts through, in the order they are tried."""

# below this many games a thread costs more than it brings
_FEWEST_GAMES_PER_THREAD = 1000


@dataclass(frozen=True, eq=False)
class MatrixGameSolutions:
    """Solutions of k matrix games with m rows and n columns, in the order of the games.

    Attributes
    ----------
    value : ndarray, shape (k,)
        The row player's expected payoff: the midpoint of `lower` and `upper`.
    row : ndarray, shape (k, m)
        An optimal strategy of the row player: probabilities, not negative, summing to 1.
    column : ndarray, shape (k, n)
        An optimal strategy of the column player.
    gap : ndarray, shape (k,)
        The column guarantee minus the row guarantee, as in :class:`MatrixGameSolution`; at most
        1e-12 of the spread of the game's payoffs.
    method : ndarray of int8, shape (k,)
        Which method found the solution: 0 simplex, 1 HiGHS, 2 exact.
    lower : ndarray, shape (k,)
        What `row` guarantees.
    upper : ndarray, shape (k,)
        What `column` concedes at most.
    """

    value: npt.NDArray[np.float64]
    row: npt.NDArray[np.float64]
    column: npt.NDArray[np.float64]
    gap: npt.NDArray[np.float64]
    method: npt.NDArray[np.int8]
    lower: npt.NDArray[np.float64]
    upper: npt.NDArray[np.float64]

    def __len__(self) -> int:
        return len(self.value)

    def game(self, index: int) -> MatrixGameSolution:
        """Return the solution of one game as a record of its own."""
        return MatrixGameSolution(
            float(self.value[index]),
            self.row[index].copy(),
            self.column[index].copy(),
            float(self.gap[index]),
            METHODS[self.method[index]],
            float(self.lower[index]),
            float(self.upper[index]),
        )


def solve_matrix_games(payoffs: PayoffLike, workers: int | None = None) -> MatrixGameSolutions:
    """Solve many zero-sum matrix games of one shape, and certify every one.

    A compiled simplex solves them one by one. A game whose gap, computed from its payoffs alone, is
    above 1e-12 of their spread is solved again by HiGHS and, if need be, in exact fractions.

    Parameters
    ----------
    payoffs : array_like, shape (k, m, n)
        Payoffs to the row player, who maximises. Any k, also 0; any m and n, although the simplex
        is meant for small games, up to some 16 by 16. Never changed.
    workers : int, optional
        Number of threads; the cores available to the process if omitted. The result does not
        depend on it.

    Returns
    -------
    MatrixGameSolutions
        Arrays along the games.

    Raises
    ------
    MatrixGameError
        If `payoffs` is no such array, holds anything but finite real numbers (the message gives
        the first position), or `workers` is not a positive integer.
    SolverError
        If a game cannot be solved to the tolerance by any method; the message says which.

    Examples
    --------
    >>> games = solve_matrix_games([[[4, 1], [1, 2]], [[3, 3], [0, 9]]])
    >>> games.value
    array([1.75, 3.  ])
    >>> games.row
    array([[0.25, 0.75],
           [1.  , 0.  ]])
    >>> games.method
    array([0, 0], dtype=int8)
    """
    batch = as_payoff_batch(payoffs)
    count, rows, columns = batch.shape
    threads = min(_workers(workers), max(1, count // _FEWEST_GAMES_PER_THREAD))
    row, column = np.empty((count, rows)), np.empty((count, columns))
    lower, upper, gap = np.empty(count), np.empty(count), np.empty(count)

    def solve(first: int, last: int) -> None:
        work, labels = _kernels.workspace(rows, columns)
        _kernels.solve_range(batch, first, last, work, labels, row, column, lower, upper, gap)

    bounds = [count * thread // threads for thread in range(threads + 1)]
    if threads == 1:
        solve(0, count)
    else:
        with ThreadPoolExecutor(threads) as pool:
            # a list, so that an exception in a thread is raised here
            list(pool.map(solve, bounds[:-1], bounds[1:]))

    method = np.zeros(count, np.int8)
    # NaN marks the games in which the simplex missed the tolerance
    for game in np.flatnonzero(~(gap >= 0)):
        try:
            solution = solve_by_linprog(batch[game])
        except SolverError as error:
            raise SolverError(f"payoffs[{game}]: {error}") from error
        row[game], column[game] = solution.row, solution.column
        lower[game], upper[game], gap[game] = solution.lower, solution.upper, solution.gap
        method[game] = METHODS.index(solution.method)
    value = np.where(gap > 0, lower / 2 + upper / 2, lower)
    return MatrixGameSolutions(value, row, column, gap, method, lower, upper)


def available_cores() -> int:
    """Return how many cores this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def _workers(workers: int | None) -> int:
    if workers is None:
        return available_cores()
    if isinstance(workers, bool) or not isinstance(workers, int | np.integer) or workers < 1:
        raise MatrixGameError(f"workers is {workers!r}; it must be a positive integer")
    return int(workers)


@dataclass(frozen=True, eq=False)
class SaddlePoints:
    """Pure saddle points of k matrix games: entries least in their row and largest in their column.

    Attributes
    ----------
    found : ndarray of bool, shape (k,)
        Whether the game has a saddle point.
    value : ndarray, shape (k,)
        The entry, which is the value of the game; NaN where there is none.
    row, column : ndarray of int, shape (k,)
        Where it is: the first such row and the first such column; -1 where there is none.
    """

    found: npt.NDArray[np.bool_]
    value: npt.NDArray[np.float64]
    row: npt.NDArray[np.int64]
    column: npt.NDArray[np.int64]


def saddle_points(payoffs: FloatMatrix) -> SaddlePoints:
    """Find the matrix games that pure strategies solve.

    A game has a saddle point exactly if its largest row minimum equals its least column maximum;
    any row and any column that attain these two then meet in one.

    Parameters
    ----------
    payoffs : ndarray of float, shape (k, m, n)
        Finite payoffs to the row player; not checked, for this is meant for inner loops.

    Returns
    -------
    SaddlePoints

    Examples
    --------
    >>> saddle_points(np.array([[[3.0, 3.0], [0.0, 9.0]], [[4.0, 1.0], [1.0, 2.0]]]))
    SaddlePoints(found=array([ True, False]), value=array([ 3., nan]), row=array([ 0, -1]),
    column=array([ 0, -1]))
    """
    row_minima, column_maxima = payoffs.min(axis=2), payoffs.max(axis=1)
    row, column = row_minima.argmax(axis=1), column_maxima.argmin(axis=1)
    games = np.arange(len(payoffs))
    value = row_minima[games, row]
    found = value == column_maxima[games, column]
    value[~found] = np.nan
    row[~found] = -1
    column[~found] = -1
    return SaddlePoints(found, value, row, column)
