"""OpenSpiel's learning algorithms, measured by both programs."""

import pandas as pd
import pytest

import gops_lab as gl
from gops_lab.errors import ArgumentError, RulesError

pyspiel = pytest.importorskip("pyspiel", reason="OpenSpiel has no wheel for this Python")

from gops_lab.interop.openspiel import goofspiel_parameters, learning_curve, openspiel_game

HANDICAP = gl.Rules(hand_a=(1, 3, 5), hand_b=(2, 3, 4), prizes=(2, 4, -1), order=(2, 4, -1))
PLAIN = gl.Rules(cards=3, ties="discard")


@pytest.mark.parametrize("algorithm", ["cfr", "cfr+", "fictitious_play", "mmd"])
@pytest.mark.parametrize(
    "game",
    [
        openspiel_game(HANDICAP),
        openspiel_game(HANDICAP, "win", turn_based=True),
        pyspiel.load_game("goofspiel", goofspiel_parameters(PLAIN)),
    ],
    ids=str,
)
def test_algorithms_come_near_and_both_programs_agree(game, algorithm):
    """In points, where OpenSpiel's goofspiel counts half of the margin."""
    curve = learning_curve(game, algorithm, iterations=12)
    assert curve["iteration"].tolist() == [1, 2, 4, 8, 12]
    assert curve["exploitability"].tolist() == pytest.approx(curve["openspiel"], abs=1e-9)
    assert (curve["exploitability"] > 0).all()
    assert curve["exploitability"].iloc[-1] < 0.6 * curve["exploitability"].iloc[0]
    assert set(curve["algorithm"]) == {algorithm}


def test_the_curve_of_cfr_is_what_its_policy_loses_at_that_iteration():
    """Measuring more or less often changes nothing."""
    game = openspiel_game(HANDICAP, "win")
    often = learning_curve(game, "cfr", 6, every=1).set_index("iteration")["exploitability"]
    seldom = learning_curve(game, "cfr", 6, every=4).set_index("iteration")["exploitability"]
    assert often.index.tolist() == [1, 2, 3, 4, 5, 6]
    assert seldom.index.tolist() == [4, 6]
    assert seldom.tolist() == often.loc[[4, 6]].tolist()


def test_a_curve_is_drawn_as_it_is():
    game = openspiel_game(HANDICAP, "win")
    curve = pd.concat(learning_curve(game, name, 4) for name in ("cfr", "cfr+"))
    plot = gl.reporting.plot_convergence(curve, exact=0, column="exploitability", error=True)
    assert plot.ax_.get_ylabel().endswith("(P(A ahead) − P(B ahead))")
    assert [text.get_text() for text in plot.ax_.get_legend().get_texts()] == ["cfr", "cfr+"]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ({"algorithm": "qlearning"}, "algorithm must be one of cfr, .*, not 'qlearning'"),
        ({"iterations": 0}, "iterations must be 1 or more, not 0"),
        ({"every": 0}, "every must be 1 or more, not 0"),
    ],
)
def test_what_makes_no_sense_is_refused(arguments, said):
    with pytest.raises(ArgumentError, match=said):
        learning_curve(openspiel_game(PLAIN), **arguments)


def test_a_game_that_is_not_ours_is_refused():
    with pytest.raises(RulesError, match="not kuhn_poker"):
        learning_curve(pyspiel.load_game("kuhn_poker"), iterations=1)
