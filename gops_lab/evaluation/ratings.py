"""Ratings from results: Bradley-Terry strengths on the Elo scale."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
from scipy import special

from gops_lab.errors import EvaluationError

ELO = 400 / np.log(10)
"""Elo points for a unit of log strength: 400 points are odds of ten to one."""

MOST_STEPS = 10_000

TOLERANCE = 1e-10

PRIOR = 0.5
"""Points added to each side of every pair, together one drawn game: who never wins still has a
rating."""


def bradley_terry(points: npt.ArrayLike) -> npt.NDArray[np.float64]:
    """Return Elo ratings, mean 0, by penalised likelihood of the Bradley-Terry model.

    The model says that i beats j with the probability ``p(i, j) = 1 / (1 + exp(t(j) - t(i)))``, t
    being log strengths. With w(i, j) the points that i took from j and half a point more, the
    ratings are where

        sum over i, j of w(i, j) log p(i, j)

    is largest: one drawn game of every pair is added to what was played, which draws the ratings
    together a little and keeps them finite. The sum is concave; Newton's method climbs it, each
    step s shortened by ``log(1 + r) / r`` with r the largest difference of two entries of s, which
    makes sure that it goes up, as third derivatives are at most r times the second (F. Bach,
    Electronic Journal of Statistics 4 (2010) 384-414). The model is R. A. Bradley, M. E. Terry,
    Biometrika 39 (1952) 324-345.

    Parameters
    ----------
    points : array, shape (n, n)
        Points i took from j: a win is 1, a draw a half each. The diagonal is not looked at.

    Raises
    ------
    EvaluationError
        If it is no square array of finite numbers that are not negative, or empty.

    Examples
    --------
    >>> bradley_terry([[0, 75.25], [24.75, 0]]).round()
    array([ 95., -95.])
    """
    try:
        won = np.array(points, np.float64)
    except (TypeError, ValueError) as error:
        raise EvaluationError(f"points must be a square array of numbers: {error}") from None
    if won.ndim != 2 or won.shape[0] != won.shape[1] or not won.size:
        raise EvaluationError(
            f"points must be a square array of at least one row, not of shape {won.shape}"
        )
    np.fill_diagonal(won, 0.0)
    if not (np.isfinite(won) & (won >= 0)).all():
        raise EvaluationError("points must be finite numbers that are not negative")
    won += PRIOR
    np.fill_diagonal(won, 0.0)
    strength = np.zeros(len(won))
    for _ in range(MOST_STEPS):
        chance = special.expit(strength[:, None] - strength)
        # Written without a difference of large numbers: whoever lost all games has a tiny chance.
        slope = (won * chance.T - won.T * chance).sum(axis=1)
        bend = (won + won.T) * chance * chance.T
        hessian = np.diag(bend.sum(axis=1)) - bend
        # Only differences count: the first strength stays where it is.
        step = np.zeros(len(won))
        step[1:] = np.linalg.solve(hessian[1:, 1:], slope[1:])
        widest = float(np.ptp(step))
        if widest < TOLERANCE:
            return np.asarray(ELO * (strength - strength.mean()))
        strength += step * np.log1p(widest) / widest
    raise EvaluationError(f"ratings have not settled after {MOST_STEPS} steps")
