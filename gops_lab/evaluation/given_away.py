"""What a single bid costs against optimal play."""

from __future__ import annotations

from gops_lab.errors import EvaluationError, IllegalBidError
from gops_lab.game import State, checks
from gops_lab.game.state import side_of
from gops_lab.induction import Solution


def given_away(solution: Solution, state: State, bid: int, player: str = "a") -> float:
    """Return what a player's bid gives away at a state against optimal play, not below 0.

    What the state is worth to the player, minus what the bid gets against the other's optimal
    strategy there, with optimal play thereafter; in the unit of the solution's objective.

    Parameters
    ----------
    solution : Solution
    state : State
        With an upcard.
    bid : int
        A rank in the player's hand.
    player : {"a", "b"}

    Raises
    ------
    EvaluationError
        If it is no solution.
    IllegalBidError
        If the player does not hold that rank.
    StateError
        If the state has no upcard or does not fit the rules.

    Examples
    --------
    >>> import gops_lab as gl
    >>> solution = gl.solve(gl.Rules(cards=2, ties="discard"))
    >>> given_away(solution, State((1, 2), (1, 2), (1,), upcard=2), 1)
    1.0
    """
    checks.instance("solution", solution, Solution, EvaluationError)
    payoffs = solution.stage_game(state).astype(float)
    side = side_of(player)
    held = state.hand_b if side else state.hand_a
    if bid not in held:
        raise IllegalBidError(
            f"bid {bid!r} is not in {'AB'[side]}'s hand {{{', '.join(map(str, held))}}}"
        )
    reply = solution.strategy(state, "ba"[side]).to_numpy(float)
    row = (payoffs[bid] if side else payoffs.loc[bid]).to_numpy(float)
    lost = float(solution.value(state)) - float(row @ reply)
    return max(-lost if side else lost, 0.0) + 0.0  # never -0.0
