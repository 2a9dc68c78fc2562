"""The game itself: rules, states and their transitions, objectives."""

from gops_lab.game.objectives import MARGIN, WIN, Objective, as_objective
from gops_lab.game.rules import TIE_RULES, Rules, lead_change, settle
from gops_lab.game.state import (
    Round,
    State,
    check_state,
    expose,
    play_round,
    resolve_round,
    rounds_left,
    start,
    upcards,
)

__all__ = [
    "MARGIN", "TIE_RULES", "WIN", "Objective", "Round", "Rules", "State", "as_objective",
    "check_state", "expose", "lead_change", "play_round", "resolve_round", "rounds_left", "settle",
    "start", "upcards",
]
