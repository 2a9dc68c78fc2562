"""Strategies: what a player sees in, a distribution over the player's hand out."""

from gops_lab.strategies.conformance import check_strategy
from gops_lab.strategies.mixtures import EpsilonGreedy, Mixture
from gops_lab.strategies.names import strategy_named
from gops_lab.strategies.observations import Observations, observe
from gops_lab.strategies.optimal import OptimalStrategy
from gops_lab.strategies.response import BestResponse
from gops_lab.strategies.search import TreeSearch
from gops_lab.strategies.simple import (
    Highest,
    Lowest,
    MatchPrize,
    MatchStake,
    Proportional,
    Uniform,
)
from gops_lab.strategies.strategy import EVERYTHING, FunctionStrategy, Strategy, distribution
from gops_lab.strategies.table import TableStrategy, read_strategy, strategy_table

__all__ = [
    "EVERYTHING", "BestResponse", "EpsilonGreedy", "FunctionStrategy", "Highest", "Lowest",
    "MatchPrize", "MatchStake", "Mixture", "Observations", "OptimalStrategy", "Proportional",
    "Strategy", "TableStrategy", "TreeSearch", "Uniform", "check_strategy", "distribution",
    "observe", "read_strategy", "strategy_named", "strategy_table",
]
