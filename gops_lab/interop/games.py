"""Stage games for Nashpy and QuantEcon, from the frames that `Solution.stage_game` returns.

Both compute in floats, so fractions are rounded.
"""

from __future__ import annotations

import pandas as pd

from gops_lab.errors import missing

try:
    import nashpy
    from quantecon import game_theory
except ImportError as error:
    raise missing("Nashpy or QuantEcon", "games") from error

__all__ = ["to_nashpy", "to_quantecon"]


def to_nashpy(stage_game: pd.DataFrame) -> nashpy.Game:
    """Return a stage game as a zero-sum Nashpy game; A is the row player.

    Parameters
    ----------
    stage_game : DataFrame
        A's payoffs, rows A's bids, columns B's bids. Nashpy numbers them from 0.

    Examples
    --------
    >>> import gops_lab as gl
    >>> solution = gl.solve(gl.Rules(cards=3, ties="discard"))
    >>> state = gl.State((1, 3), (2, 3), prizes=(3,), upcard=2)
    >>> row, column = to_nashpy(solution.stage_game(state)).linear_program()
    >>> row.round(4)
    array([0.4, 0.6])
    """
    return nashpy.Game(stage_game.to_numpy(float))


def to_quantecon(stage_game: pd.DataFrame) -> game_theory.NormalFormGame:
    """Return a stage game as a QuantEcon game; player 0 is A, player 1 is B.

    Parameters
    ----------
    stage_game : DataFrame
        A's payoffs, rows A's bids, columns B's bids. QuantEcon numbers them from 0.

    Examples
    --------
    >>> import gops_lab as gl
    >>> solution = gl.solve(gl.Rules(cards=3, ties="discard"))
    >>> state = gl.State((1, 3), (2, 3), prizes=(3,), upcard=2)
    >>> game = to_quantecon(solution.stage_game(state))
    >>> bool(game.players[1].payoff_array[0, 1] == -solution.stage_game(state).loc[3, 2])
    True
    """
    payoffs = stage_game.to_numpy(float)
    # Each player's own actions come first; a difference has no -0.
    players = game_theory.Player(payoffs), game_theory.Player(0 - payoffs.T)
    return game_theory.NormalFormGame(players)
