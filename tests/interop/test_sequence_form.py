"""Our game as a tree with perfect recall: OpenSpiel's sequence-form linear program solves it.

It finds no strategy where information states forget bids. What it finds then, of OpenSpiel's own
goofspiel with 4 cards, and of ours, takes minutes and gigabytes: ``results/perfect_recall``.
"""

import csv
from pathlib import Path

import pytest

import gops_lab as gl

pytest.importorskip("pyspiel", reason="OpenSpiel has no wheel for this Python")
RESULTS = Path(__file__).parents[2] / "results" / "perfect_recall" / "table.csv"

from open_spiel.python.algorithms.exploitability import nash_conv
from open_spiel.python.policy import Policy

from gops_lab.interop.openspiel import openspiel_game


class Both(Policy):
    """A policy for each seat."""

    def __init__(self, game, pair):
        super().__init__(game, [0, 1])
        self._pair = pair

    def action_probabilities(self, state, player_id=None):
        player = state.current_player() if player_id is None else player_id
        return self._pair[player].action_probabilities(state, player)


@pytest.mark.filterwarnings("default")  # cvxpy announces changes in its own future
@pytest.mark.parametrize("objective", ["margin", "win"])
@pytest.mark.parametrize(
    "rules",
    [
        gl.Rules(cards=3, ties="discard"),
        gl.Rules(hand_a=(1, 3, 5), hand_b=(2, 3, 4), prizes=(-1, 2, 4)),
        gl.Rules(cards=4, hand_b=(1, 2, 3, 5), order="descending"),
    ],
    ids=str,
)
def test_the_program_finds_our_value_and_no_player_can_gain(rules, objective, solved):
    pytest.importorskip("ecos", reason="OpenSpiel's program needs ECOS, which has no wheel here")
    program = pytest.importorskip(
        "open_spiel.python.algorithms.sequence_form_lp", reason="OpenSpiel's program needs cvxpy"
    )
    game = openspiel_game(rules, objective, turn_based=True)
    value, other, *pair = program.solve_zero_sum_game(game)
    assert other == pytest.approx(-value, abs=1e-6)
    assert value == pytest.approx(solved(rules, objective).value(), abs=1e-6)
    assert nash_conv(game, Both(game, pair)) == pytest.approx(0, abs=1e-6)


def test_what_forgetting_costs_is_in_the_results():
    """From 4 cards on OpenSpiel's goofspiel forgets bids, and its program loses a point."""
    with RESULTS.open(encoding="utf-8", newline="") as file:
        table = {
            (row["cards"], row["game"], row["solver"]): row for row in csv.DictReader(file)
        }
    theirs, ours = "OpenSpiel's goofspiel", "gops_lab in OpenSpiel"
    for (cards, game, solver), row in table.items():
        counts = {("3", theirs): (57, 0), ("4", theirs): (3028, 480), ("3", ours): (57, 0),
                  ("4", ours): (3652, 0)}  # fmt: skip
        assert (int(row["information_states"]), int(row["merged"])) == counts[cards, game]
        if solver == "gops_lab optimal strategy":
            assert row["nash_conv"] == "0"
    program = "OpenSpiel sequence_form_lp"
    assert {table[n, ours, program]["nash_conv"] for n in "34"} == {"0"}
    assert table["3", theirs, program]["nash_conv"] == "0"
    assert float(table["4", theirs, program]["nash_conv"]) > 1
