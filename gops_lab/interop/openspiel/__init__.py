"""Our game in OpenSpiel, and policies and strategies for one another.

Importing this module registers the game as ``gops_lab``. OpenSpiel's own game, ``goofspiel``, is
read as well wherever a game is taken.
"""

from gops_lab.errors import missing

try:
    import pyspiel  # noqa: F401
except ImportError as error:
    raise missing("OpenSpiel", "openspiel") from error

from gops_lab.interop.openspiel.game import openspiel_game
from gops_lab.interop.openspiel.learning import learning_curve
from gops_lab.interop.openspiel.parameters import (
    GAME_NAME,
    goofspiel_parameters,
    objective_of,
    payoff_scale,
    rules_of,
)
from gops_lab.interop.openspiel.policies import policy_exploitability, policy_of, strategy_of

__all__ = [
    "GAME_NAME",
    "goofspiel_parameters",
    "learning_curve",
    "objective_of",
    "openspiel_game",
    "payoff_scale",
    "policy_exploitability",
    "policy_of",
    "rules_of",
    "strategy_of",
]
