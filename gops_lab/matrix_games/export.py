"""Matrix games for other programs.

Both compute in floats, so fractions are rounded.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import pandas as pd

from gops_lab.errors import missing

if TYPE_CHECKING:
    import nashpy
    from quantecon import game_theory


def to_nashpy(payoffs: pd.DataFrame) -> nashpy.Game:
    """Return a zero-sum game as Nashpy has it, which numbers bids from 0.

    Parameters
    ----------
    payoffs : DataFrame
        The row player's.

    Raises
    ------
    MissingExtraError
        If Nashpy is not installed.

    Examples
    --------
    >>> to_nashpy(pd.DataFrame([[1, -1], [-1, 1]])).zero_sum
    True
    """
    try:
        import nashpy
    except ImportError as error:
        raise missing("Nashpy", "games") from error
    return nashpy.Game(payoffs.to_numpy(float))


def to_quantecon(payoffs: pd.DataFrame) -> game_theory.NormalFormGame:
    """Return a zero-sum game as QuantEcon has it: player 0 chooses rows; bids are numbered from 0.

    Parameters
    ----------
    payoffs : DataFrame
        The row player's.

    Raises
    ------
    MissingExtraError
        If QuantEcon is not installed.

    Examples
    --------
    >>> game = to_quantecon(pd.DataFrame([[1, 2], [3, 4]]))
    >>> game.players[1].payoff_array
    array([[-1., -3.],
           [-2., -4.]])
    """
    try:
        from quantecon import game_theory
    except ImportError as error:
        raise missing("QuantEcon", "games") from error
    ours = payoffs.to_numpy(float)
    # Each player's own actions come first; a difference has no -0.
    players = game_theory.Player(ours), game_theory.Player(0 - ours.T)
    return game_theory.NormalFormGame(players)
