"""Exact, certified solutions of GOPS (Goofspiel, the Game of Pure Strategy)."""

from gops_lab import explorer, reporting
from gops_lab._version import __version__
from gops_lab.auditing import AuditReport, audit
from gops_lab.errors import GopsError
from gops_lab.evaluation import (
    best_response_value,
    evaluate,
    exploitability,
    regrets,
    simulate,
    tournament,
)
from gops_lab.explorer import explore
from gops_lab.game import Rules, State
from gops_lab.induction import Forecast, Solution, forecast, load, solve, solve_match
from gops_lab.matrix_games import solve_matrix_game, solve_matrix_games
from gops_lab.strategies import Strategy, check_strategy, strategy_named

__all__ = [
    "AuditReport", "Forecast", "GopsError", "Rules", "Solution", "State", "Strategy",
    "__version__", "audit", "best_response_value", "check_strategy", "evaluate", "exploitability",
    "explore", "explorer", "forecast", "load", "regrets", "reporting", "simulate", "solve",
    "solve_match", "solve_matrix_game", "solve_matrix_games", "strategy_named", "tournament",
]
