"""The set of all optimal strategies: each action's probability over it, from least to largest.

The optimal strategies of a player form a polytope, and often more than one point. An optimal
simplex tableau describes it: it is the set of feasible points in which every variable with a
positive reduced cost is 0. Least and largest probabilities are therefore linear programs that
start from the optimum already found and use the remaining columns only.
"""

from __future__ import annotations

from collections.abc import Callable
from math import inf
from typing import Any

import numpy as np
import numpy.typing as npt

from gops_lab.errors import MatrixGameError, SolverError
from gops_lab.matrix_games.exact import optimal_tableau, whole_numbers
from gops_lab.matrix_games.game import as_distribution
from gops_lab.matrix_games.payoff import (
    PayoffLike,
    as_exact_matrix,
    as_fraction,
    as_payoff_matrix,
    scale,
)
from gops_lab.matrix_games.tableau import Tableau, first_tableau, lexicographic_row, tolerant_row

PAYOFF_ERROR = 1e-14
"""How far payoffs may be off through rounding, unless the caller knows better; in their unit."""

# Numbers up to this are rounding, in a game whose payoffs are scaled to a spread of 1; more if the
# payoffs have an error of their own, which the solution of equations magnifies: so many times that
# error, up to a limit beyond which a tableau would not mean anything.
_LEAST_TOLERANCE = 1e-10
_MAGNIFICATION = 30.0
_LARGEST_TOLERANCE = 1e-2

# a range narrower than this is a point, and a vertex may miss the value by as much
_ACCURACY = 1e-9

# what arithmetic on payoffs of this size may have left, as a share of the largest
_ROUNDING = 4 * 2.0**-52

# a variable with a smaller reduced cost has nothing to gain
_COST_TOLERANCE = 1e-13

# Pivots for one linear program. Games of a dozen actions need about as many; the limit is there so
# that rounding can never make a float search endless.
_MOST_PIVOTS = 2000


def optimal_ranges(
    payoff: PayoffLike,
    player: str = "row",
    exact: bool = False,
    error: float = PAYOFF_ERROR,
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
    error : float
        Without `exact`: how far each payoff may be off, in its own unit, so that ties which this
        error has broken are still seen as ties; the ranges are then about as accurate as the
        payoffs are for their spread (largest minus smallest). Payoffs that differ by no more than
        the error explains are all tied. The default suits payoffs of order 1 or more that were
        computed in float64; rounding that is small for the spread (1e-10 of it) or for the largest
        payoff (four units in its last place) is allowed for even if `error` is 0.

    Returns
    -------
    ndarray, shape (k, 2)
        Column 0 least and column 1 largest probability of each of the player's k actions, floats
        or fractions. The two agree where the probability is the same in all optimal strategies.

    Raises
    ------
    MatrixGameError
        If `payoff` is no finite real matrix, `player` is neither of the two, or `error` is negative
        or not finite.
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
           ['0', '1']], dtype='<U3')
    """
    _check_player(player)
    if exact:
        return _exact_ranges(payoff, player)
    return _float_ranges(payoff, player, error)[0]


def is_unique(
    payoff: PayoffLike,
    player: str = "row",
    exact: bool = False,
    error: float = PAYOFF_ERROR,
) -> bool:
    """Return whether a player has only one optimal strategy.

    Parameters and errors are those of :func:`optimal_ranges`. In floats, ranges no wider than
    rounding (1e-9, more if the payoffs have an error) count as points.

    Examples
    --------
    >>> is_unique([[1, -1], [-1, 1]]), is_unique([[0, 0], [0, 0]])
    (True, False)
    """
    _check_player(player)
    if exact:
        ranges, accuracy = _exact_ranges(payoff, player), 0.0
    else:
        ranges, accuracy = _float_ranges(payoff, player, error)
    return bool(max(ranges[:, 1] - ranges[:, 0]) <= accuracy)


def _check_player(player: str) -> None:
    if player not in ("row", "column"):
        raise MatrixGameError(f"player is {player!r}; accepted are 'row' and 'column'")


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


def _float_ranges(
    payoff: PayoffLike, player: str, error: float
) -> tuple[npt.NDArray[np.float64], float]:
    """Return the ranges and how accurate they are."""
    unscaled = as_payoff_matrix(payoff)
    if not 0 <= error < inf:
        raise MatrixGameError(
            f"error of the payoffs is {error!r}; it must be 0 or more, and finite"
        )
    scaled, _, spread = scale(unscaled)
    matrix = scaled if player == "column" else 1.0 - scaled.T
    error = max(float(error), _ROUNDING * float(np.abs(unscaled).max()))
    if spread <= 2 * error:
        matrix = np.zeros_like(matrix)
        tolerance = _LEAST_TOLERANCE
    else:
        tolerance = max(_LEAST_TOLERANCE, _MAGNIFICATION * error / spread)
        tolerance = min(tolerance, _LARGEST_TOLERANCE)
    accuracy = max(_ACCURACY, 10 * tolerance)

    def leaving_row(tableau: Tableau, column: int) -> int | None:
        return tolerant_row(tableau, column, tolerance)

    optimum = _optimum(first_tableau(matrix + 1.0), leaving_row)
    lower = _dual_guarantee(matrix, optimum)

    def probability(end: Tableau, label: int) -> float:
        strategy = _vertex(matrix, end)
        excess = float((matrix @ strategy).max()) - lower
        # written so that NaN fails as well
        if not excess <= accuracy:
            raise SolverError(
                f"simplex in floats: a vertex of the optimal strategies misses the value by "
                f"{excess:g} of the spread of the payoffs; try exact=True"
            )
        return float(strategy[label])

    ranges = _ranges(optimum, leaving_row, probability, tolerance)
    return np.sort(ranges.astype(np.float64), axis=1), accuracy


def _optimum(tableau: Tableau, leaving_row: Callable[[Tableau, int], int | None]) -> Tableau:
    """Return an optimal tableau in floats."""
    columns = len(tableau.nonbasic)
    for _ in range(_MOST_PIVOTS):
        entering = int(np.argmin(tableau.entries[-1, :columns]))
        if tableau.entries[-1, entering] >= -_COST_TOLERANCE:
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


def _dual_guarantee(matrix: npt.NDArray[np.float64], tableau: Tableau) -> float:
    """Return what the other player's strategy guarantees, which no better vertex can undercut."""
    rows, columns = matrix.shape
    strategy = np.zeros(rows)
    slack = tableau.nonbasic >= columns
    strategy[tableau.nonbasic[slack] - columns] = tableau.entries[-1, :columns][slack]
    return float((as_distribution(strategy) @ matrix).min())


def _vertex(matrix: npt.NDArray[np.float64], tableau: Tableau) -> npt.NDArray[np.float64]:
    """Return the column strategy of a basis, computed afresh from the payoffs.

    The basis says which probabilities may be positive and which rows are best replies; the
    equations ``M y = v`` in these rows and columns and ``sum(y) = 1`` then determine y without
    the rounding of the pivots that led there.
    """
    columns = matrix.shape[1]
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
    return as_distribution(strategy)
