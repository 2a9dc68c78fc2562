"""Strategies: a player's observation in, a distribution over the hand out."""

from gops_lab.strategies.mixtures import EpsilonGreedy, Mixture
from gops_lab.strategies.observations import Observations, observe
from gops_lab.strategies.response import BestResponse
from gops_lab.strategies.simple import (
    Highest,
    Lowest,
    MatchPrize,
    MatchStake,
    Proportional,
    Uniform,
)
from gops_lab.strategies.strategy import EVERYTHING, FunctionStrategy, Strategy, distribution

__all__ = [
    "EVERYTHING", "BestResponse", "EpsilonGreedy", "FunctionStrategy", "Highest", "Lowest",
    "MatchPrize", "MatchStake", "Mixture", "Observations", "Proportional", "Strategy", "Uniform",
    "distribution", "observe",
]
