"""Stage games for Nashpy and QuantEcon, from the frames that `Solution.stage_game` returns.

The frames themselves can be asked: ``frame.to_nashpy()``, ``frame.to_quantecon()``. Both programs
compute in floats, so fractions are rounded.

>>> import gops_lab as gl
>>> solution = gl.solve(gl.Rules(cards=3, ties="discard"))
>>> state = gl.State((1, 3), (2, 3), prizes=(3,), upcard=2)
>>> row, column = to_nashpy(solution.stage_game(state)).linear_program()
>>> row.round(4)
array([0.4, 0.6])
>>> game = to_quantecon(solution.stage_game(state))
>>> bool(game.players[1].payoff_array[0, 1] == -solution.stage_game(state).loc[3, 2])
True
"""

from __future__ import annotations

from importlib.util import find_spec

from gops_lab.errors import missing
from gops_lab.matrix_games.export import to_nashpy, to_quantecon

__all__ = ["to_nashpy", "to_quantecon"]

if not (find_spec("nashpy") and find_spec("quantecon")):
    raise missing("Nashpy or QuantEcon", "games")
