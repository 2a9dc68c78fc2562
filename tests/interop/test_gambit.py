"""Games written for Gambit, read back by pygambit."""

from fractions import Fraction

import pandas as pd
import pytest

import gops_lab as gl
from gops_lab.errors import RulesError, TableError

pygambit = pytest.importorskip("pygambit", reason="pygambit has no wheel for this Python")

from gops_lab.interop.gambit import (
    extensive_game,
    extreme_strategies,
    strategic_game,
    write_efg,
    write_nfg,
)


def own_utility(lead):
    return lead if lead > 0 else Fraction(3 * lead, 2)


def value_by(node, matrix_value):
    """Return A's value of a node as Gambit has it: its players, chances and outcomes."""
    if node.is_terminal:
        return Fraction(str(node.outcome["A"]))
    children = list(node.children)
    if node.player.is_chance:
        chances = [Fraction(str(action.prob)) for action in node.infoset.actions]
        return sum(
            p * value_by(child, matrix_value) for p, child in zip(chances, children, strict=True)
        )
    # B does not see A's bid: all nodes after it are in one information set, and no other is.
    (hidden,) = {child.infoset.number for child in children}
    assert len(list(node.infoset.members)) == 1
    assert len(list(children[0].infoset.members)) == len(children)
    assert all(child.player.label == "B" and child.infoset.number == hidden for child in children)
    return matrix_value(
        [[value_by(after, matrix_value) for after in child.children] for child in children]
    )


@pytest.mark.parametrize(
    "rules",
    [
        gl.Rules(cards=2),
        gl.Rules(cards=3, ties="discard"),
        gl.Rules(hand_a=(1, 3, 4), hand_b=(1, 2, 5), prizes=(-1, 2, 3)),
        gl.Rules(hand_a=(1, 3, 4), hand_b=(1, 2, 5), prizes=(-1, 2, 3), order="ascending"),
        gl.Rules(cards=4, order="descending"),
    ],
    ids=str,
)
@pytest.mark.parametrize("objective", ["margin", "win", own_utility])
def test_the_tree_that_gambit_reads_has_our_value(rules, objective, plain_matrix_value):
    game = extensive_game(rules, objective)
    assert game.is_perfect_recall
    value = value_by(game.root, plain_matrix_value)
    assert value == gl.solve(rules, objective, exact=True).value()


LINE = gl.Rules(hand_a=(1, 3, 5), hand_b=(2, 3, 4), order="ascending", ties="discard")


# Not for "win": pygambit 16.7.0's lp_solve gives 0 for the handicap game above in ascending order,
# whose value on its own tree is -1, and 7/75 for the symmetrical 4 cards in descending order.
@pytest.mark.parametrize(
    ("rules", "objective"),
    [
        (gl.Rules(hand_a=(1, 3, 5), hand_b=(2, 3, 4)), "margin"),  # takes some seconds
        (gl.Rules(cards=3, order="descending"), "margin"),
        (gl.Rules(cards=3, order="descending"), own_utility),
        (LINE, "margin"),
        (LINE, own_utility),
    ],
    ids=lambda given: getattr(given, "__name__", str(given)),
)
def test_gambits_exact_program_agrees(rules, objective):
    game = extensive_game(rules, objective)
    (profile,) = pygambit.nash.lp_solve(game, use_strategic=False).equilibria
    value = Fraction(str(profile.payoff(game.players["A"])))
    assert value == gl.solve(rules, objective, exact=True).value()


def test_files_keep_exact_fractions(tmp_path):
    third = {lead: Fraction(lead, 3) for lead in range(-3, 4)}
    write_efg(gl.Rules(cards=2), tmp_path / "game.efg", third)
    game = pygambit.read_efg(tmp_path / "game.efg")
    assert {Fraction(str(outcome["A"])) for outcome in game.outcomes} <= set(third.values())
    assert len(list(game.outcomes)) > 1
    frame = pd.DataFrame(
        [[Fraction(1, 3), Fraction(-96327089083, 61292236518), 2], [0.1, 0.0, 1]],
        index=[2, 4], columns=[1, 2, 5],
    )  # fmt: skip
    write_nfg(frame, tmp_path / "stage.nfg")
    arrays = pygambit.read_nfg(tmp_path / "stage.nfg").to_arrays(dtype=pygambit.Rational)
    for row in range(2):
        for column in range(3):
            wanted = Fraction(frame.iloc[row, column])
            assert Fraction(str(arrays[0][row, column])) == wanted
            assert Fraction(str(arrays[1][row, column])) == -wanted


def test_extreme_strategies_span_the_ranges_of_all_optimal_ones():
    """The least and the greatest probability of a bid are those of two corners."""
    rules = gl.Rules(cards=6, ties="carry")
    solution = gl.solve(rules, "win", exact=True)
    state = gl.State((1, 3, 5), (2, 3, 6), (1, 4), upcard=5, carried=2, lead=3)
    for player in "ab":
        corners = extreme_strategies(solution.stage_game(state), player)
        assert (corners.sum(axis=1) == 1).all()
        ranges = solution.optimal_ranges(state, player)
        assert corners.min().tolist() == ranges["min"].tolist()
        assert corners.max().tolist() == ranges["max"].tolist()
    assert len(corners) == 2


@pytest.mark.parametrize("scale", [10**12, Fraction(1, 10**12), 0])
def test_extreme_strategies_of_payoffs_of_any_size(scale):
    """Of the first game, as it is, pygambit 16.7 finds no equilibrium and says nothing."""
    frame = pd.DataFrame([[3 * scale, -scale], [-2 * scale, scale]], index=[1, 3], columns=[2, 3])
    wanted = [[Fraction(3, 7), Fraction(4, 7)]] if scale else [[1, 0], [0, 1]]
    assert extreme_strategies(frame).to_numpy().tolist() == wanted


def test_labels_are_bids_whatever_they_are():
    frame = pd.DataFrame([[0, 1], [1, 0]], index=[2, 1], columns=[2, 3])
    labels = [[s.label for s in player.strategies] for player in strategic_game(frame).players]
    assert labels == [["bid 2", "bid 1"], ["bid 2", "bid 3"]]


def test_a_deck_that_is_too_large_is_refused(monkeypatch, tmp_path):
    write_efg(gl.Rules(cards=2), tmp_path / "game.efg")
    nodes = len((tmp_path / "game.efg").read_text().splitlines()) - 2  # behind the header
    monkeypatch.setattr("gops_lab.interop.gambit.MOST_NODES", nodes)
    assert len(extensive_game(gl.Rules(cards=2)).players) == 2
    monkeypatch.setattr("gops_lab.interop.gambit.MOST_NODES", 1000)
    with pytest.raises(RulesError, match="too many for an extensive game"):
        extensive_game(gl.Rules(cards=6))


def test_a_file_that_cannot_be_written_is_told_in_one_sentence(tmp_path):
    stage = pd.DataFrame([[0, 1], [1, 0]], [1, 2], [1, 2])
    for write in (
        lambda file: write_efg(gl.Rules(cards=2), file), lambda file: write_nfg(stage, file)
    ):
        with pytest.raises(TableError, match="its folder does not exist"):
            write(tmp_path / "nowhere" / "game")
        with pytest.raises(TableError, match="exists and is not a file"):
            write(tmp_path)
