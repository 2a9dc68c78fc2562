"""Fractions, linear programs and the compiled kernels agree on every state up to 4 cards."""

from itertools import product

import numpy as np
import pytest

import gops_lab as gl
from gops_lab.induction import Reductions
from gops_lab.induction.plan import plan_tiers
from gops_lab.induction.sweep import stage_payoffs
from gops_lab.matrix_games import rounding_bound

VARIANTS = list(
    product(
        ["carry", "discard", "split"],
        ["random", "ascending", "descending"],
        ["margin", "win"],
        ["table", "negative, high_bid", "negative, low_bid"],
    )
)
OF_EACH_VARIANT = pytest.mark.parametrize(("ties", "order", "objective", "prizes"), VARIANTS)
NO_REDUCTIONS = Reductions(patterns=False, swap=False, drop_lead=False, decided=False)

# How many stage games each solve must have at the least, by cards in hand. With 2 cards the first
# prize can decide who wins.
FEWEST_GAMES = {2: 0, 3: 4, 4: 12}


def rules_of(cards, ties, order, prizes):
    """Return rules whose prizes are those of the table, or some of them negative."""
    if prizes == "table":
        return gl.Rules(cards, ties=ties, order=order)
    low = (cards + 1) // 2  # 4 cards: -2, -1, 1, 2; a carried stake can be anything
    values = [value for value in range(-low, cards + 1) if value][:cards]
    negative_stakes = prizes.removeprefix("negative, ")
    return gl.Rules(
        cards, prizes=values, ties=ties, order=order, negative_stakes=negative_stakes
    )


def assert_same_tables(exact, floats):
    """Check every value of every tier, and that no error is larger than the certified one."""
    games = 0
    for tier, table in exact.tables.items():
        values, found = floats.tables[tier].lookup(*table.nodes.columns)
        # A table of the fast sweep leaves out nodes that are worth 0 by symmetry.
        left_out = [bool(value) for value in table.values[~found]]
        assert not any(left_out)
        errors = np.abs(values - table.values.astype(float))
        assert errors.max(initial=0) <= min(1e-9, floats.reports[tier].error + 1e-15)
        games += exact.reports[tier].stage_games
    return games


@OF_EACH_VARIANT
def test_all_values_of_all_tiers(ties, order, objective, prizes, solved):
    for cards, fewest in FEWEST_GAMES.items():
        rules = rules_of(cards, ties, order, prizes)
        exact = solved(rules, objective, exact=True)
        for method in ("highs", "simplex", None):
            floats = gl.solve(rules, objective, method=method)
            assert sorted(floats.tables) == sorted(exact.tables)
            assert assert_same_tables(exact, floats) >= fewest
            if method is not None:
                assert all(
                    len(table.nodes) == len(exact.tables[tier].nodes)
                    for tier, table in floats.tables.items()
                )


@OF_EACH_VARIANT
def test_all_values_with_no_reduction(ties, order, objective, prizes, solved):
    """Pairs of hands as they are, both of two mirrored ones, every lead: nothing is inferred."""
    rules = rules_of(3, ties, order, prizes)
    reduced = solved(rules, objective, exact=True)
    exact = gl.solve(rules, objective, exact=True, reductions=NO_REDUCTIONS)
    kept = sum(len(table.nodes) for table in reduced.tables.values())
    assert sum(len(table.nodes) for table in exact.tables.values()) > kept
    assert exact.value() == reduced.value()
    for method in ("highs", "simplex"):
        floats = gl.solve(rules, objective, method=method, reductions=NO_REDUCTIONS)
        assert assert_same_tables(exact, floats) >= 2 * FEWEST_GAMES[3]


@pytest.mark.parametrize(
    ("ties", "order", "objective", "prizes"),
    [variant for variant in VARIANTS if variant[0] != "split"],  # its stage games are discard's
)
def test_every_stage_game_of_4_cards(ties, order, objective, prizes, solved):
    exact = solved(rules_of(4, ties, order, prizes), objective, exact=True)
    reducer = exact.reducer
    games = 0
    for tier in plan_tiers(reducer, [exact.start]):
        payoffs, found = stage_payoffs(
            reducer, tier.cards, tier.hands, *tier.stages.columns,
            exact.tables.get(tier.cards - 1),
        )
        assert found.all()
        games += len(payoffs)
        floats, different = np.unique(payoffs.astype(float), axis=0, return_index=True)
        batch = gl.solve_matrix_games(floats)
        for row, payoff in enumerate(payoffs[different]):
            value = gl.solve_matrix_game(payoff, method="exact").value
            for other in (gl.solve_matrix_game(floats[row], method="highs"), batch.game(row)):
                assert abs(other.value - value) <= 1e-12
                rounding = rounding_bound(floats[row])
                assert other.lower - rounding <= value <= other.upper + rounding
    assert games >= FEWEST_GAMES[4]
