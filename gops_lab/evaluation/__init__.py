"""Strategies against each other: exact payoffs, best responses, simulation, tournaments."""

from gops_lab.evaluation.exact import Evaluation, evaluate
from gops_lab.evaluation.exploitability import (
    Exploitability,
    best_response_value,
    certified_exploitability,
    expected_margin,
    exploitability,
    regrets,
)
from gops_lab.evaluation.given_away import given_away
from gops_lab.evaluation.intervals import student, wilson
from gops_lab.evaluation.meta_game import alpha_rank, meta_equilibrium, replicator_dynamics
from gops_lab.evaluation.ratings import bradley_terry
from gops_lab.evaluation.simulation import Simulation, simulate
from gops_lab.evaluation.tournament import Tournament, tournament

__all__ = [
    "Evaluation", "Exploitability", "Simulation", "Tournament", "alpha_rank",
    "best_response_value", "bradley_terry", "certified_exploitability", "evaluate",
    "expected_margin", "exploitability", "given_away", "meta_equilibrium", "regrets",
    "replicator_dynamics", "simulate", "student", "tournament", "wilson",
]
