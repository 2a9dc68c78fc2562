"""Stage games for Nashpy and QuantEcon."""

import pandas as pd
import pytest

import gops_lab as gl

pytest.importorskip("nashpy", reason="Nashpy has no wheel for this Python")
quantecon = pytest.importorskip("quantecon", reason="QuantEcon has no wheel for this Python")

from gops_lab.interop.games import to_nashpy, to_quantecon

STATE = gl.State((1, 3, 5), (2, 3, 6), (1, 4), upcard=5, carried=2, lead=3)


@pytest.mark.parametrize("exact", [False, True])
def test_peers_find_strategies_that_attain_the_value(exact, solved):
    """Unequal hands and a lead: swapped players or a wrong sign change the guarantees."""
    solution = solved(gl.Rules(cards=6), "margin", exact=exact, start=STATE)
    frame = solution.stage_game(STATE)
    value = float(solution.value(STATE))
    assert value != 0
    game = to_quantecon(frame)
    pairs = [
        to_nashpy(frame).linear_program(),
        *quantecon.game_theory.support_enumeration(game),
    ]
    assert len(pairs) > 1
    for pair in pairs:
        lower, upper = gl.matrix_games.guarantees(frame.to_numpy(float), *pair)
        assert (lower, upper) == pytest.approx((value, value), abs=1e-9)
    for profile in [(i, j) for i in range(3) for j in range(3)]:
        a, b = game[profile]
        assert (a, b) == (float(frame.iloc[profile]), -float(frame.iloc[profile]))


def test_a_game_that_is_not_square_keeps_its_sides(solved):
    rules = gl.Rules(hand_a=(2, 2, 6), hand_b=(0, 3, 5), prizes=(-1, 3, 4))
    frame = solved(rules).stage_game(gl.State((2, 2, 6), (0, 3, 5), (-1, 3), upcard=4))
    assert frame.shape == (2, 3)
    assert to_nashpy(frame).payoff_matrices[0].shape == (2, 3)
    assert to_quantecon(frame).nums_actions == (2, 3)


def test_a_stage_game_can_be_asked(solved):
    frame = solved(gl.Rules(cards=6)).stage_game(STATE)
    assert type(frame) is pd.DataFrame
    assert (frame.to_nashpy().payoff_matrices[0] == frame.to_numpy()).all()
    assert (frame.to_quantecon().players[0].payoff_array == frame.to_numpy()).all()
