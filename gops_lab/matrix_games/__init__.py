"""Zero-sum matrix games, solved and certified; knows nothing of GOPS.

The row player maximises, the column player pays. Every solution carries a proof, its gap, computed
from the payoff matrix alone.
"""

from gops_lab.matrix_games.batch import (
    METHODS,
    MatrixGameSolutions,
    SaddlePoints,
    saddle_points,
    solve_matrix_games,
)
from gops_lab.matrix_games.game import MatrixGameSolution, guarantees, rounding_bound
from gops_lab.matrix_games.ranges import is_unique, optimal_ranges
from gops_lab.matrix_games.solver import solve_matrix_game

__all__ = [
    "METHODS",
    "MatrixGameSolution",
    "MatrixGameSolutions",
    "SaddlePoints",
    "guarantees",
    "is_unique",
    "optimal_ranges",
    "rounding_bound",
    "saddle_points",
    "solve_matrix_game",
    "solve_matrix_games",
]
