"""The fast sweep gives what the plain one gives: every value of every tier, and what-if states."""

import random

import numpy as np
import pytest

import gops_lab as gl
from gops_lab.induction import rectangle

RULES = [
    {"cards": 5},
    {"hand_a": (1, 3, 5, 6), "hand_b": (2, 3, 4, 7), "prizes": (-2, 1, 3, 4)},
    {"cards": 4, "prizes": (1, 1, 3, 3)},
    {"cards": 4, "prizes": (-3, 0, 2, 5)},
]


def fast_and_plain(**names):
    rules = gl.Rules(**names)
    fast = gl.solve(rules)
    assert fast.method.startswith("rectangle sweep")
    plain = gl.solve(rules, method="simplex")
    assert plain.method.startswith("general sweep")
    return rules, fast, plain


@pytest.mark.parametrize("negative_stakes", ["high_bid", "low_bid"])
@pytest.mark.parametrize("ties", ["carry", "discard", "split"])
@pytest.mark.parametrize("names", RULES, ids=str)
def test_every_node_of_the_plain_sweep_has_the_same_value(names, ties, negative_stakes):
    _, fast, plain = fast_and_plain(ties=ties, negative_stakes=negative_stakes, **names)
    seen = 0
    for tier, table in plain.tables.items():
        codes, prizes, carried, lead = table.nodes.columns
        values, found = fast.tables[tier].lookup(codes, prizes, carried, lead)
        # Pairs of equal hands are worth 0, and the fast sweep keeps no table of zeros.
        mirror = table.values == 0
        assert np.all(found | mirror)
        np.testing.assert_allclose(values[found], table.values[found], rtol=0, atol=1e-12)
        seen += np.count_nonzero(found)
    assert seen > 20


@pytest.mark.parametrize("names", RULES, ids=str)
def test_any_state_is_answered_as_the_plain_sweep_answers_it(names):
    rules, fast, plain = fast_and_plain(**names)
    draw = random.Random(7)
    for _ in range(40):
        cards = draw.randint(1, rules.cards)
        prizes = draw.sample(rules.prizes, cards)
        upcard = prizes.pop() if draw.random() < 0.7 else None
        state = gl.State(
            draw.sample(rules.hand_a, cards),
            draw.sample(rules.hand_b, cards),
            prizes,
            upcard,
            carried=draw.choice([0, 0, 1, 2, 7, -1]),
            lead=draw.randint(-5, 5),
        )
        assert fast.value(state) == pytest.approx(plain.value(state), abs=1e-12)
        low, high = fast.bounds(state)
        assert low <= plain.value(state) + 1e-12
        assert plain.value(state) - 1e-12 <= high
        if upcard is not None:
            np.testing.assert_allclose(
                fast.stage_game(state), plain.stage_game(state), rtol=0, atol=1e-12
            )


def test_tiers_that_were_not_kept_are_solved_again():
    rules = gl.Rules(cards=7, ties="carry")
    whole, top = gl.solve(rules), gl.solve(rules, keep=2)
    assert sorted(top.tables) == [6, 7]
    state = gl.State((1, 3, 6), (2, 3, 7), (4, 5), upcard=7, carried=3, lead=-2)
    assert top.value(state) == pytest.approx(whole.value(state), abs=1e-12)
    assert top.strategy(state).sum() == pytest.approx(1)


def test_any_number_of_threads_gives_the_same_bytes():
    rules = gl.Rules(cards=8, ties="carry")
    one, three = (gl.solve(rules, workers=workers) for workers in (1, 3))
    for tier, table in one.tables.items():
        assert table.values.tobytes() == three.tables[tier].values.tobytes()


@pytest.mark.parametrize(
    ("ties", "cards", "games"),
    # tests/data/published.json, "counts": halved by the swap, margin.
    [("discard", 8, 202_728), ("carry", 8, 324_970), ("discard", 9, 1_184_031)],
)
def test_stage_games_are_as_many_as_published(ties, cards, games):
    plan = rectangle.plan_sweep(gl.Rules(cards=cards, ties=ties))
    assert plan.games == games
    if cards == 8:
        reports = gl.solve(gl.Rules(cards=cards, ties=ties)).reports.values()
        assert sum(report.stage_games for report in reports) == games
        assert max(report.error for report in reports) < 1e-11
