"""Backward induction: plan the tiers, solve them, answer for every state."""

from gops_lab.induction.forecast import Forecast, forecast
from gops_lab.induction.reduction import Reductions
from gops_lab.induction.solution import Solution
from gops_lab.induction.solve import solve, solve_match
from gops_lab.induction.stage_game import ToNashpy, ToQuantecon
from gops_lab.induction.store import load, shipped

__all__ = [
    "Forecast", "Reductions", "Solution", "ToNashpy", "ToQuantecon", "forecast", "load", "shipped",
    "solve", "solve_match",
]
