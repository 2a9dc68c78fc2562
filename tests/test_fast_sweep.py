"""The fast sweep gives what the plain one gives: every value of every tier, and what-if states."""

import random
from dataclasses import replace

import numpy as np
import pytest

import gops_lab as gl
from gops_lab.game.state import start
from gops_lab.induction import rectangle
from gops_lab.induction.solve import solve_states

RULES = [
    {"cards": 5},
    {"hand_a": (1, 3, 5, 6), "hand_b": (2, 3, 4, 7), "prizes": (-2, 1, 3, 4)},
    {"cards": 4, "prizes": (1, 1, 3, 3)},
    {"cards": 4, "prizes": (-3, 0, 2, 5)},
    {"cards": 4, "order": (3, 1, 4, 2)},
    {"cards": 5, "order": "descending"},
    {"hand_a": (0, 2, 5, 6), "hand_b": (2, 3, 4, 6), "prizes": (1, 2, 3, 5, 6), "rounds": 3},
    {"hand_a": (1, 4, 5), "hand_b": (2, 4, 6), "prizes": (-2, 2, 3), "order": (2, -2, 3)},
]


def cubed(lead):
    return lead**3


def bent(lead):
    """Neither odd nor linear, and flat far out."""
    return max(-4, min(lead, 3) + min(lead, 2) / 7)


OBJECTIVES = ["margin", "win", cubed, bent]


def fast_and_plain(objective, leads=(0,), **names):
    """Return both solutions from the start of a game, with each of some leads."""
    rules = gl.Rules(**names)
    starts = [replace(start(rules), lead=lead) for lead in leads]
    fast = solve_states(rules, objective, starts)
    assert fast.method.startswith(("rectangle sweep", "rows sweep"))
    plain = solve_states(rules, objective, starts, method="simplex")
    assert plain.method.startswith("general sweep")
    return rules, fast, plain


@pytest.mark.parametrize("leads", [(0,), (1,), (-2, 0, 3)], ids=str)
@pytest.mark.parametrize("objective", OBJECTIVES)
@pytest.mark.parametrize("negative_stakes", ["high_bid", "low_bid"])
@pytest.mark.parametrize("ties", ["carry", "discard", "split"])
@pytest.mark.parametrize("names", RULES, ids=str)
def test_every_node_of_the_plain_sweep_has_the_same_value(
    names, ties, negative_stakes, objective, leads
):
    _, fast, plain = fast_and_plain(
        objective, leads, ties=ties, negative_stakes=negative_stakes, **names
    )
    seen = 0
    for tier, table in plain.tables.items():
        values, found = fast.tables[tier].lookup(*table.nodes.columns)
        # Under margin pairs of equal hands are worth 0, and the fast sweep keeps no zeros.
        assert np.all(found | (table.values == 0 if objective == "margin" else False))
        error = fast.reports[tier].error + plain.reports[tier].error
        assert error < 1e-9
        np.testing.assert_allclose(values[found], table.values[found], rtol=0, atol=error)
        seen += np.count_nonzero(found)
    assert seen >= (10 if "order" not in names else 3)


@pytest.mark.parametrize("objective", OBJECTIVES)
@pytest.mark.parametrize("names", RULES, ids=str)
def test_any_state_is_answered_as_the_plain_sweep_answers_it(names, objective):
    """Also what-if states: sums and leads that cannot come about, with an upcard and before it."""
    rules, fast, plain = fast_and_plain(objective, **names)
    draw = random.Random(7)
    for _ in range(25):
        played = draw.randrange(rules.rounds)
        cards = rules.cards - played
        if rules.known_order is None:
            prizes = draw.sample(rules.prizes, len(rules.prizes) - played)
        else:
            prizes = list(rules.known_order[played:])
        upcard = prizes.pop(0) if draw.random() < 0.7 else None
        state = gl.State(
            draw.sample(rules.hand_a, cards),
            draw.sample(rules.hand_b, cards),
            prizes,
            upcard,
            carried=draw.choice([0, 0, 1, 2, 7, -1]),
            lead=draw.randint(-5, 5),
        )
        value = plain.value(state)
        assert fast.value(state) == pytest.approx(value, rel=1e-12, abs=1e-12)
        low, high = fast.bounds(state)
        assert low <= value + 1e-12 * max(1, abs(value))
        assert value - 1e-12 * max(1, abs(value)) <= high
        if upcard is not None:
            np.testing.assert_allclose(
                fast.stage_game(state), plain.stage_game(state), rtol=1e-12, atol=1e-12
            )


def test_tiers_that_were_not_kept_are_solved_again():
    rules = gl.Rules(cards=7, ties="carry")
    whole, top = gl.solve(rules), gl.solve(rules, keep=2)
    assert sorted(top.tables) == [6, 7]
    state = gl.State((1, 3, 6), (2, 3, 7), (4, 5), upcard=7, carried=3, lead=-2)
    assert top.value(state) == pytest.approx(whole.value(state), abs=1e-12)
    assert top.strategy(state).sum() == pytest.approx(1)


@pytest.mark.parametrize(("objective", "cards"), [("margin", 8), ("win", 7)])
def test_any_number_of_threads_gives_the_same_bytes(objective, cards):
    rules = gl.Rules(cards=cards, ties="carry")
    one, three = (gl.solve(rules, objective, workers=workers) for workers in (1, 3))
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
