"""One matrix game, by the method of the caller's choice."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from gops_lab.errors import MatrixGameError
from gops_lab.matrix_games.batch import solve_matrix_games
from gops_lab.matrix_games.exact import solve_exactly
from gops_lab.matrix_games.game import MatrixGameSolution
from gops_lab.matrix_games.linprog import solve_by_linprog
from gops_lab.matrix_games.payoff import PayoffLike, as_payoff_matrix


def _solve_by_simplex(payoff: PayoffLike) -> MatrixGameSolution:
    return solve_matrix_games(as_payoff_matrix(payoff)[np.newaxis], workers=1).game(0)


_METHODS: dict[str, Callable[[PayoffLike], MatrixGameSolution]] = {
    "highs": solve_by_linprog,
    "simplex": _solve_by_simplex,
    "exact": solve_exactly,
}


def solve_matrix_game(payoff: PayoffLike, method: str = "highs") -> MatrixGameSolution:
    """Solve a zero-sum matrix game and certify the solution.

    Parameters
    ----------
    payoff : array_like, shape (m, n)
        Payoffs to the row player, who maximises; the column player pays them. Lists, arrays of any
        real type, data frames, fractions. Never changed.
    method : {"highs", "simplex", "exact"}
        ``"highs"``: linear programming with `scipy.optimize.linprog`, the reference.
        ``"simplex"``: the compiled dense simplex of :func:`solve_matrix_games`.
        ``"exact"``: integer-preserving simplex; fractions in the result.

    Returns
    -------
    MatrixGameSolution
        `method` names the method that found the answer: a game whose gap is above the tolerance is
        solved again by the next method up (simplex, HiGHS, exact), and never accepted silently.

    Raises
    ------
    MatrixGameError
        If `payoff` is no finite real matrix, or `method` is none of the three.
    SolverError
        If no method meets the tolerance.

    Examples
    --------
    Rock, paper, scissors where paper wins double:

    >>> game = solve_matrix_game([[0, -2, 1], [2, 0, -1], [-1, 1, 0]], method="exact")
    >>> [str(p) for p in game.row]
    ['1/4', '1/4', '1/2']
    >>> game = solve_matrix_game([[0, -2, 1], [2, 0, -1], [-1, 1, 0]])
    >>> game.row.round(9), game.gap < 1e-12
    (array([0.25, 0.25, 0.5 ]), True)
    """
    solve = _METHODS.get(method) if isinstance(method, str) else None
    if solve is None:
        accepted = ", ".join(repr(name) for name in _METHODS)
        raise MatrixGameError(f"method {method!r} is not known; accepted are {accepted}")
    return solve(payoff)
