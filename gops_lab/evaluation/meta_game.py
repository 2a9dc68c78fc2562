"""The game of choosing a strategy: equilibrium, replicator dynamics, alpha-rank.

Payoffs are a skew-symmetric matrix: what strategy i gets from strategy j, seats drawn by lot.
"""

from __future__ import annotations

import importlib

import numpy as np
import numpy.typing as npt
import pandas as pd

from gops_lab.errors import EvaluationError
from gops_lab.game import checks
from gops_lab.matrix_games import solve_matrix_game

Floats = npt.NDArray[np.float64]

MOST_STEPS = 10**7

LONGEST_STEP = 100.0
"""A share grows by a factor of up to ``exp(step)``, which must be a number."""


def meta_equilibrium(payoffs: pd.DataFrame) -> pd.Series[float]:
    """Return an optimal mixture of strategies for the game of choosing one.

    Parameters
    ----------
    payoffs : DataFrame
        Square and skew-symmetric: what the row's strategy gets from the column's.

    Returns
    -------
    Series
        Index strategy, values its probability. It need not be unique.

    Raises
    ------
    EvaluationError
        If the payoffs are not square, finite and skew-symmetric.

    Examples
    --------
    >>> names = ["rock", "paper", "scissors"]
    >>> matrix = pd.DataFrame([[0, -1, 1], [1, 0, -1], [-1, 1, 0]], names, names)
    >>> meta_equilibrium(matrix).round(3).tolist()
    [0.333, 0.333, 0.333]
    """
    matrix = _skew(payoffs)
    game = solve_matrix_game(matrix)
    return pd.Series(game.row.astype(float), payoffs.index, name="probability")


def replicator_dynamics(
    payoffs: pd.DataFrame, steps: int = 2000, step: float = 0.05, start: npt.ArrayLike | None = None
) -> pd.DataFrame:
    """Return how the shares of a population of strategies move.

    ``dx_i / dt = x_i ((M x)_i - x M x)``, in discrete steps that keep shares positive. Source:
    P. Taylor, L. Jonker, Mathematical Biosciences 40 (1978) 145-156. Around a mixed equilibrium of
    such a game the shares circle; it is their mean over time that approaches it.

    Parameters
    ----------
    payoffs : DataFrame
        As in `meta_equilibrium`.
    steps, step : int, float
        How many steps, and the time of one, in units of 1 / the largest payoff.
    start : array, shape (n,), optional
        First shares, scaled to sum to 1; default equal.

    Returns
    -------
    DataFrame
        One row for the start and one for each step, a column for each strategy; rows sum to 1.

    Raises
    ------
    EvaluationError
        If the payoffs are not as in `meta_equilibrium`, or another argument is none of these.

    Examples
    --------
    >>> matrix = pd.DataFrame([[0, 1], [-1, 0]], ["good", "bad"], ["good", "bad"])
    >>> replicator_dynamics(matrix, steps=400).iloc[-1].round(3).tolist()
    [1.0, 0.0]
    """
    matrix = _skew(payoffs)
    steps = checks.integer("steps", steps, 0, MOST_STEPS, EvaluationError)
    checks.number("step", step, 0, LONGEST_STEP, EvaluationError)
    scale = np.abs(matrix).max()
    matrix = matrix / scale if scale else matrix
    shares = _shares(np.ones(len(matrix)) if start is None else start, len(matrix))
    path = [shares]
    for _ in range(steps):
        shares = shares * np.exp(step * (matrix @ shares))
        shares = shares / shares.sum()
        path.append(shares)
    return pd.DataFrame(np.array(path), columns=payoffs.index)


def alpha_rank(payoffs: pd.DataFrame) -> pd.Series[float]:
    """Return the stationary distribution of alpha-rank, by OpenSpiel's egt tools.

    Source: S. Omidshafiei et al., alpha-rank: multi-agent evaluation by evolution, Scientific
    Reports 9 (2019) 9937.

    Parameters
    ----------
    payoffs : DataFrame
        As in `meta_equilibrium`.

    Returns
    -------
    Series
        Index strategy, values its share of the population in the long run.

    Raises
    ------
    EvaluationError
        If the payoffs are not as in `meta_equilibrium`; if OpenSpiel, or networkx, which its egt
        tools need, is not installed.
    """
    matrix = _skew(payoffs)
    try:
        alpharank = importlib.import_module("open_spiel.python.egt.alpharank")
    except ImportError as error:
        raise EvaluationError(
            f"alpha-rank needs OpenSpiel's egt tools ({error}): pip install open_spiel networkx; "
            "meta_equilibrium and replicator_dynamics work without"
        ) from error
    found = alpharank.compute([matrix], use_inf_alpha=True)
    return pd.Series(np.asarray(found[2], float), payoffs.index, name="share")


def _skew(payoffs: pd.DataFrame) -> Floats:
    if not isinstance(payoffs, pd.DataFrame):
        raise EvaluationError(f"payoffs must be a DataFrame, not {payoffs!r}")
    try:
        matrix = payoffs.to_numpy(np.float64)
    except (TypeError, ValueError) as error:
        raise EvaluationError(f"payoffs must be numbers: {error}") from None
    if matrix.shape[0] != matrix.shape[1] or not matrix.size:
        raise EvaluationError(f"payoffs must be a square table, not of shape {matrix.shape}")
    size = np.abs(matrix).max()
    if not np.isfinite(size) or np.abs(matrix + matrix.T).max() > 1e-9 * max(size, 1.0):
        raise EvaluationError("payoffs must be finite, and what i gets from j the negative of j's")
    return np.asarray((matrix - matrix.T) / 2)


def _shares(start: npt.ArrayLike, count: int) -> Floats:
    try:
        shares = np.array(start, np.float64)
    except (TypeError, ValueError):
        shares = np.full(0, np.nan)
    if shares.shape != (count,) or not (np.isfinite(shares) & (shares >= 0)).all() or (
        not shares.any()
    ):
        raise EvaluationError(
            f"start must be {count} finite shares, not negative and not all 0, not {start!r}"
        )
    return np.asarray(shares / shares.sum())
