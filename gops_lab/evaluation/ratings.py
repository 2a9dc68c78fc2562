"""Ratings from results: Bradley-Terry strengths on the Elo scale."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from gops_lab.errors import EvaluationError

ELO = 400 / np.log(10)
"""Elo points for a unit of log strength: 400 points are odds of ten to one."""

MOST_STEPS = 100_000

TOLERANCE = 1e-10

PRIOR = 0.5
"""Half a draw with everybody is added, so that who never wins still has a rating."""


def bradley_terry(points: npt.ArrayLike) -> npt.NDArray[np.float64]:
    """Return Elo ratings, mean 0, by maximum likelihood of the Bradley-Terry model.

    The model says that i beats j with odds s(i) : s(j). Found by the iteration of D. R. Hunter
    (Annals of Statistics 32 (2004) 384-406); the model is R. A. Bradley, M. E. Terry, Biometrika
    39 (1952) 324-345.

    Parameters
    ----------
    points : array, shape (n, n)
        Points i took from j: a win is 1, a draw a half each. The diagonal is not looked at.

    Raises
    ------
    EvaluationError
        If it is no square array of numbers that are not negative.

    Examples
    --------
    >>> bradley_terry([[0, 75.25], [24.75, 0]]).round()
    array([ 95., -95.])
    """
    won = np.array(points, np.float64)
    if won.ndim != 2 or won.shape[0] != won.shape[1] or not (won >= 0).all():
        raise EvaluationError("points must be a square array of numbers that are not negative")
    won += PRIOR
    np.fill_diagonal(won, 0.0)
    games = won + won.T
    strength = np.ones(len(won))
    for _ in range(MOST_STEPS):
        shares = games / (strength[:, None] + strength)
        after = won.sum(axis=1) / shares.sum(axis=1) if len(won) > 1 else strength
        after /= np.exp(np.log(after).mean())
        if np.abs(np.log(after / strength)).max() < TOLERANCE:
            return np.asarray(ELO * np.log(after))
        strength = after
    raise EvaluationError(f"ratings have not settled after {MOST_STEPS} steps")
