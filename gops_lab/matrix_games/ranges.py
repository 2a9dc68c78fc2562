"""The set of all optimal strategies: each action's probability over it, from least to largest.

The optimal strategies of a player form a polytope, and often more than one point. An optimal
simplex tableau describes it: it is the set of feasible points in which every variable with a
positive reduced cost is 0. Least and largest probabilities are therefore linear programs that
start from the optimum already found and use the remaining columns only.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

from gops_lab.errors import MatrixGameError, SolverError
from gops_lab.matrix_games.exact import optimal_tableau, whole_numbers
from gops_lab.matrix_games.payoff import (
    PayoffLike,
    as_exact_matrix,
    as_fraction,
    as_payoff_matrix,
    scale,
)
from gops_lab.matrix_games.tableau import Tableau, first_tableau, lexicographic_row, tolerant_row

TIE_TOLERANCE = 1e-10
"""Payoffs closer than this share of the spread are tied, unless the caller says otherwise."""

# a range narrower than this is a point, and a vertex may miss the value by as much
_ACCURACY = 1e-9

# Pivots for one linear program. Games of a dozen actions need about as many; the limit is there so
# that rounding can never make a float search endless.
_MOST_PIVOTS = 2000


def optimal_ranges(
    payoff: PayoffLike,
    player: str = "row",
    exact: bool = False,
    tolerance: float = TIE_TOLERANCE,
) -> npt.NDArray[Any]:
    """Return each action's least and largest probability over all optimal strategies.

    Parameters
    ----------
    payoff : array_like, shape (m, n)
        Payoffs to the row player, who maximises.
    player : {"row", "column"}
        Whose optimal strategies.
    exact : bool
        In fractions, for the payoffs exactly as they are: payoffs that differ by rounding only are
        then no ties, and what would be a range in truth may come out as a point.
    tolerance : float
        Without `exact`: differences up to this share of the spread of the payoffs (largest minus
        smallest) count as rounding, so that ties which it has broken are still seen as ties. Raise
        it for payoffs known less accurately, for instance to 1e-5 for float32 tables; the ranges
        are then about as accurate as the payoffs.

    Returns
    -------
    ndarray, shape (k, 2)
        Column 0 least and column 1 largest probability of each of the player's k actions, floats
        or fractions. The two agree where the probability is the same in all optimal strategies.

    Raises
    ------
    MatrixGameError
        If `payoff` is no finite real matrix, `player` is neither of the two, or `tolerance` is not
        between 0 and 0.01.
    SolverError
        If rounding defeats the search in floats; `exact` still answers.

    See Also
    --------
    is_unique

    Examples
    --------
    Rows 0 and 1 are worth the same whatever the mixture of them, row 2 is never played:

    >>> optimal_ranges([[1, 1], [1, 1], [0, 0]])
    array([[0., 1.],
           [0., 1.],
           [0., 0.]])
    >>> optimal_ranges([[2, 0, 1], [0, 2, 1]], player="column", exact=True).astype(str)
    array([['0', '1/2'],
           ['0', '1/2'],
           ['0', '1']], dtype=object)
    """
    if player not in ("row", "column"):
        raise MatrixGameError(f"player is {player!r}; accepted are 'row' and 'column'")
    if exact:
        return _exact_ranges(payoff, player)
    if not 0 <= tolerance <= 0.01:
        raise MatrixGameError(f"tolerance is {tolerance!r}; it must lie between 0 and 0.01")
    return _float_ranges(payoff, player, float(tolerance))


def is_unique(
    payoff: PayoffLike,
    player: str = "row",
    exact: bool = False,
    tolerance: float = TIE_TOLERANCE,
) -> bool:
    """Return whether a player has only one optimal strategy.

    Parameters and errors are those of :func:`optimal_ranges`. In floats, ranges narrower than 1e-9
    count as points.

    Examples
    --------
    >>> is_unique([[1, -1], [-1, 1]]), is_unique([[0, 0], [0, 0]])
    (True, False)
    """
    ranges = optimal_ranges(payoff, player, exact, tolerance)
    width = max(ranges[:, 1] - ranges[:, 0])
    return bool(width == 0 if exact else width <= _ACCURACY)


def _exact_ranges(payoff: PayoffLike, player: str) -> npt.NDArray[Any]:
    matrix = as_exact_matrix(payoff)
    # the row player of M is the column player of the transposed negative
    tableau = optimal_tableau(whole_numbers(matrix if player == "column" else -matrix.T).positive)

    def probability(end: Tableau, label: int) -> Any:
        columns = len(end.nonbasic)
        row = end.row_of(label)
        numerator = 0 if row is None else end.entries[row, columns]
        return as_fraction(numerator) / as_fraction(end.entries[-1, columns])

    return _ranges(tableau, lexicographic_row, probability, 0)


def _float_ranges(payoff: PayoffLike, player: str, tolerance: float) -> npt.NDArray[np.float64]:
    scaled, _, _ = scale(as_payoff_matrix(payoff))
    matrix = scaled if player == "column" else 1.0 - scaled.T

    def leaving_row(tableau: Tableau, column: int) -> int | None:
        return tolerant_row(tableau, column, tolerance)

    def probability(end: Tableau, label: int) -> float:
        return float(_vertex(matrix, end, max(_ACCURACY, 10 * tolerance))[label])

    tableau = _optimum(first_tableau(matrix + 1.0), leaving_row, min(tolerance, 1e-13))
    ranges = _ranges(tableau, leaving_row, probability, tolerance)
    return np.sort(ranges.astype(np.float64), axis=1)


def _optimum(
    tableau: Tableau, leaving_row: Callable[[Tableau, int], int | None], tolerance: float
) -> Tableau:
    """Return an optimal tableau in floats."""
    columns = len(tableau.nonbasic)
    for _ in range(_MOST_PIVOTS):
        entering = int(np.argmin(tableau.entries[-1, :columns]))
        if tableau.entries[-1, entering] >= -tolerance:
            return tableau
        leaving = leaving_row(tableau, entering)
        if leaving is None:
            # every entry of the column is rounding, hence so is its reduced cost
            return tableau
        tableau = tableau.pivot(leaving, entering)
    raise SolverError(f"simplex in floats: no optimum after {_MOST_PIVOTS} pivots; try exact=True")


def _ranges(
    tableau: Tableau,
    leaving_row: Callable[[Tableau, int], int | None],
    probability: Callable[[Tableau, int], Any],
    tolerance: float,
) -> npt.NDArray[Any]:
    """Minimise and maximise every q_j over the optimal face of an optimal tableau."""
    columns = len(tableau.nonbasic)
    costs = tableau.entries[-1, :columns]
    fixed = np.zeros(columns + len(tableau.basic), bool)
    fixed[tableau.nonbasic[(costs > tolerance).astype(bool)]] = True
    ranges = np.empty((columns, 2), object)
    for label in range(columns):
        if fixed[tableau.nonbasic].all():
            # no column can enter: the face is this one point
            ranges[label] = probability(tableau, label)
            continue
        for side, sign in enumerate((1, -1)):
            end = _extreme(tableau, fixed, label, sign, leaving_row, tolerance)
            ranges[label, side] = probability(end, label)
    return ranges


def _extreme(
    tableau: Tableau,
    fixed: npt.NDArray[np.bool_],
    label: int,
    sign: int,
    leaving_row: Callable[[Tableau, int], int | None],
    tolerance: float,
) -> Tableau:
    """Minimise (sign 1) or maximise (sign -1) one variable; variables marked fixed stay 0."""
    for _ in range(_MOST_PIVOTS):
        row = tableau.row_of(label)
        free = ~fixed[tableau.nonbasic]
        if row is None:
            # at 0, its least; to grow it has to enter first
            places = np.flatnonzero(free & (tableau.nonbasic == label))
            if sign == 1 or len(places) == 0:
                return tableau
            entering = int(places[0])
        else:
            # the variable falls by its row's entry for each unit of the variable that enters
            slopes = np.where(free, sign * tableau.entries[row, :-1], 0)
            entering = int(np.argmax(slopes))
            if slopes[entering] <= tolerance:
                return tableau
        leaving = leaving_row(tableau, entering)
        if leaving is None:
            # probabilities are bounded, so what lets this one grow for ever is rounding
            return tableau
        tableau = tableau.pivot(leaving, entering)
    raise SolverError(f"simplex in floats: no extreme after {_MOST_PIVOTS} pivots; try exact=True")


def _vertex(
    matrix: npt.NDArray[np.float64], tableau: Tableau, accuracy: float
) -> npt.NDArray[np.float64]:
    """Return the column strategy of a basis, computed afresh from the payoffs, and checked.

    The basis says which probabilities may be positive and which rows are best replies; the
    equations ``M y = v`` in these rows and columns and ``sum(y) = 1`` then determine y without
    the rounding of the pivots that led there.
    """
    rows, columns = matrix.shape
    support = np.sort(tableau.basic[tableau.basic < columns])
    replies = np.sort(tableau.nonbasic[tableau.nonbasic >= columns]) - columns
    size = len(support)
    system = np.ones((size + 1, size + 1))
    system[:size, :size] = matrix[np.ix_(replies, support)]
    system[:size, size] = -1.0
    system[size, size] = 0.0
    solution = np.linalg.lstsq(system, np.append(np.zeros(size), 1.0), rcond=None)[0]
    strategy = np.zeros(columns)
    strategy[support] = solution[:size]
    excess = (matrix @ strategy).max() - solution[size]
    # written so that NaN fails as well
    if not (strategy.min() >= -accuracy and excess <= accuracy):
        raise SolverError(
            f"simplex in floats: a vertex misses the value by {excess:g} of the spread and has "
            f"smallest probability {strategy.min():g}; try exact=True"
        )
    return np.clip(strategy, 0.0, 1.0)
