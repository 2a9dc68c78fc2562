"""How the stage games of a sweep are solved: one batch in, values and gaps out."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from gops_lab.errors import MatrixGameError
from gops_lab.matrix_games import METHODS, solve_matrix_game, solve_matrix_games


@dataclass(frozen=True, eq=False)
class SolvedStages:
    """Values and gaps of k stage games, and how many of them each method solved."""

    values: npt.NDArray[Any]
    gaps: npt.NDArray[np.float64]
    methods: dict[str, int]


StageSolver = Callable[[npt.NDArray[Any]], SolvedStages]
"""Takes payoffs of shape (k, m, n)."""

def stage_solver(method: str) -> StageSolver:
    """Return the batch solver of a name: simplex (our kernel), highs (linprog) or exact."""
    if method == "simplex":
        return _solve_in_batch
    if method in ("highs", "exact"):
        return lambda payoffs: _solve_one_by_one(payoffs, method)
    raise MatrixGameError(f"method must be one of {', '.join(METHODS)}, not {method!r}")


def _solve_in_batch(payoffs: npt.NDArray[Any]) -> SolvedStages:
    solved = solve_matrix_games(payoffs)
    counts = np.bincount(solved.method, minlength=len(METHODS))
    methods = {name: int(count) for name, count in zip(METHODS, counts, strict=True) if count}
    return SolvedStages(solved.value, solved.gap, methods)


def _solve_one_by_one(payoffs: npt.NDArray[Any], method: str) -> SolvedStages:
    """Read saddle points off, solve one linear program for each other game."""
    values = payoffs.min(axis=2).max(axis=1)
    solved = values == payoffs.max(axis=1).min(axis=1)
    gaps = np.zeros(len(payoffs))
    methods = Counter({"saddle point": int(np.count_nonzero(solved))})
    for row in np.flatnonzero(~solved):
        game = solve_matrix_game(payoffs[row], method=method)
        values[row] = game.value
        gaps[row] = float(game.gap)
        methods[game.method] += 1
    return SolvedStages(values, gaps, {name: n for name, n in methods.items() if n})
