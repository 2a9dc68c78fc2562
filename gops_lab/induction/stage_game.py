"""What a frame of payoffs can be turned into: ``frame.to_nashpy()``, ``frame.to_quantecon()``.

They are pandas accessors, called like its own ``frame.plot()``. A class of frames would keep them
off other frames, but `pandas.testing.assert_frame_equal` tells it from the plain one.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import pandas as pd

from gops_lab.matrix_games.export import to_nashpy, to_quantecon

if TYPE_CHECKING:
    import nashpy
    from quantecon import game_theory


@pd.api.extensions.register_dataframe_accessor("to_nashpy")
class ToNashpy:
    """Makes a Nashpy game of the row player's payoffs; see `gops_lab.interop.games.to_nashpy`."""

    def __init__(self, payoffs: pd.DataFrame) -> None:
        self._payoffs = payoffs

    def __call__(self) -> nashpy.Game:
        """Return the game."""
        return to_nashpy(self._payoffs)


@pd.api.extensions.register_dataframe_accessor("to_quantecon")
class ToQuantecon:
    """Makes a QuantEcon game of them; see `gops_lab.interop.games.to_quantecon`."""

    def __init__(self, payoffs: pd.DataFrame) -> None:
        self._payoffs = payoffs

    def __call__(self) -> game_theory.NormalFormGame:
        """Return the game."""
        return to_quantecon(self._payoffs)
