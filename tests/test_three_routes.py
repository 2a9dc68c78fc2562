"""Fractions, linear programs and the compiled kernels agree on every state up to 4 cards."""

from itertools import product

import numpy as np
import pytest

import gops_lab as gl
from gops_lab.induction.plan import plan_tiers
from gops_lab.induction.sweep import stage_payoffs

VARIANTS = list(
    product(
        ["carry", "discard", "split"],
        ["random", "ascending", "descending"],
        ["margin", "win"],
        ["high_bid", "low_bid"],
    )
)


def prizes(cards, negative_stakes):
    """Give the lower bid something to lose where that rule is on."""
    return range(1, cards + 1) if negative_stakes == "high_bid" else range(-1, cards - 1)


@pytest.mark.parametrize(("ties", "order", "objective", "negative_stakes"), VARIANTS)
def test_all_states_of_all_tiers(ties, order, objective, negative_stakes):
    for cards in (2, 3, 4):
        rules = gl.Rules(
            cards=cards, prizes=prizes(cards, negative_stakes), ties=ties, order=order,
            negative_stakes=negative_stakes,
        )
        exact = gl.solve(rules, objective, exact=True)
        games = sum(report.stage_games for report in exact.reports.values())
        assert games >= 12 or cards < 4
        for method in ("highs", "simplex"):
            other = gl.solve(rules, objective, method=method)
            assert sorted(other.tables) == sorted(exact.tables)
            for tier, table in exact.tables.items():
                values, found = other.tables[tier].lookup(*table.nodes.columns)
                assert found.all()
                np.testing.assert_allclose(
                    values, table.values.astype(float), rtol=0, atol=1e-9
                )
                errors = np.abs(values - table.values.astype(float))
                assert errors.max(initial=0) <= other.reports[tier].error + 1e-15


@pytest.mark.parametrize(("ties", "order", "objective", "negative_stakes"), VARIANTS)
def test_every_stage_game(ties, order, objective, negative_stakes):
    rules = gl.Rules(
        cards=4, prizes=prizes(4, negative_stakes), ties=ties, order=order,
        negative_stakes=negative_stakes,
    )
    exact = gl.solve(rules, objective, exact=True)
    reducer = exact.reducer
    solved = 0
    for tier in plan_tiers(reducer, [exact.start]):
        hands, hidden, stake, lead = tier.stages.columns
        payoffs, found = stage_payoffs(
            reducer, tier.cards, tier.hands, hands, hidden, stake, lead,
            exact.tables.get(tier.cards - 1),
        )
        assert found.all()
        batch = gl.solve_matrix_games(payoffs.astype(float))
        for row, game in enumerate(payoffs):
            value = gl.solve_matrix_game(game, method="exact").value
            for other in (gl.solve_matrix_game(game.astype(float)), batch.game(row)):
                assert other.value == pytest.approx(float(value), abs=1e-9)
                assert other.lower - 1e-12 <= value <= other.upper + 1e-12
            solved += 1
    assert solved >= 12
