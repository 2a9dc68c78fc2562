"""The reference route: one linear program per game, solved by HiGHS through SciPy.

For payoffs M, scaled to the interval from 0 to 1,

    maximise v   subject to   sum_i x_i M_ij >= v for every column j,  sum_i x_i = 1,  x >= 0;

x is optimal for the row player and the multipliers of the inequalities are optimal for the column
player. Nothing the solver says is relied on but these two vectors: they are certified from M, and
a game whose gap is above tolerance is solved again in exact fractions.
"""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
import numpy.typing as npt
from scipy.optimize import linprog

from gops_lab.errors import SolverError
from gops_lab.matrix_games.exact import solve_exactly
from gops_lab.matrix_games.game import (
    GAP_TOLERANCE,
    MatrixGameSolution,
    as_distribution,
    float_solution,
)
from gops_lab.matrix_games.payoff import FloatMatrix, PayoffLike, as_payoff_matrix, scale

Strategy: TypeAlias = npt.NDArray[np.float64]
Strategies: TypeAlias = tuple[Strategy, Strategy]


def solve_by_linprog(payoff: PayoffLike) -> MatrixGameSolution:
    """Solve a zero-sum matrix game by linear programming (HiGHS).

    Parameters
    ----------
    payoff : array_like, shape (m, n)
        Payoffs to the row player.

    Returns
    -------
    MatrixGameSolution
        In floats. `method` is ``"exact"`` if HiGHS left a gap above 1e-12 of the spread of the
        payoffs (their largest minus their smallest) and the game was solved in fractions instead.
        The gap is measured on the payoffs less their smallest, so the tolerance means the same at
        every magnitude: an offset common to all payoffs adds no rounding to it.

    Raises
    ------
    MatrixGameError
        If `payoff` is no finite real matrix.
    SolverError
        If not even the exact solution, rounded to float64, meets the tolerance.

    Examples
    --------
    >>> game = solve_by_linprog([[4, 1], [1, 2]])
    >>> round(game.value, 12), game.row.round(12), game.method
    (1.75, array([0.25, 0.75]), 'highs')
    """
    matrix = as_payoff_matrix(payoff)
    scaled, _, spread = scale(matrix)
    strategies = highs_strategies(scaled)
    for refine in (_as_they_are, _on_their_supports):
        if strategies is not None:
            solution = float_solution(matrix, *refine(scaled, *strategies), "highs")
            if solution.gap <= GAP_TOLERANCE * spread:
                return solution
    return solve_exactly_in_floats(matrix)


def highs_strategies(scaled: FloatMatrix) -> Strategies | None:
    """Return HiGHS's strategies for payoffs between 0 and 1; None if it reports a failure."""
    rows, columns = scaled.shape
    objective = np.zeros(rows + 1)
    objective[rows] = -1.0
    result = linprog(
        objective,
        A_ub=np.hstack((-scaled.T, np.ones((columns, 1)))),
        b_ub=np.zeros(columns),
        A_eq=np.append(np.ones(rows), 0.0)[np.newaxis],
        b_eq=np.ones(1),
        bounds=[(0, None)] * rows + [(None, None)],
        method="highs",
        # as tight as HiGHS allows: its own 1e-7 would be the gap of the answer
        options={"primal_feasibility_tolerance": 1e-10, "dual_feasibility_tolerance": 1e-10},
    )
    if result.status != 0:
        return None
    row, column = result.x[:rows], -result.ineqlin.marginals
    # a sum far from 1 is no rounding; written so that NaN fails as well
    if not (abs(row.sum() - 1) < 1e-3 and abs(column.sum() - 1) < 1e-3):
        return None
    return as_distribution(row), as_distribution(column)


def _as_they_are(_scaled: FloatMatrix, row: Strategy, column: Strategy) -> Strategies:
    return row, column


def _on_their_supports(scaled: FloatMatrix, row: Strategy, column: Strategy) -> Strategies:
    """Compute both strategies afresh from the equations that their supports stand for.

    HiGHS is content with constraints that hold to 1e-10 and drops payoffs below 1e-9 of the spread,
    but the actions it uses are mostly the right ones. Against each of them the other player's
    strategy yields v, which together with the sum of 1 determines it.
    """
    rows, columns = np.flatnonzero(row > 1e-9), np.flatnonzero(column > 1e-9)
    block = scaled[np.ix_(rows, columns)]
    refined = (np.zeros_like(row), np.zeros_like(column))
    for strategy, support, payoffs in zip(refined, (rows, columns), (block.T, block), strict=True):
        replies, actions = payoffs.shape
        system = np.ones((replies + 1, actions + 1))
        system[:replies, :actions] = payoffs
        system[:replies, actions] = -1.0
        system[replies, actions] = 0.0
        right = np.append(np.zeros(replies), 1.0)
        strategy[support] = np.linalg.lstsq(system, right, rcond=None)[0][:actions]
    return as_distribution(refined[0]), as_distribution(refined[1])


def solve_exactly_in_floats(matrix: FloatMatrix) -> MatrixGameSolution:
    """Solve in fractions and round the strategies to float64: the last resort of float methods."""
    exact = solve_exactly(matrix)
    solution = float_solution(
        matrix,
        as_distribution(exact.row.astype(np.float64)),
        as_distribution(exact.column.astype(np.float64)),
        "exact",
    )
    spread = float(matrix.max()) - float(matrix.min())
    if not solution.gap <= GAP_TOLERANCE * spread:
        raise SolverError(
            "no method met the tolerance: the exact strategies, rounded to float64, leave a gap "
            f"of {solution.gap:g} on payoffs that spread over {spread:g}"
        )
    return solution
