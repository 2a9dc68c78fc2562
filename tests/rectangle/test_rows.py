"""Rows of leads: which stage games are solved, how values are kept, what they add up to."""

from __future__ import annotations

import pickle
from itertools import product
from typing import Any

import numpy as np
import pytest

from gops_lab.encoding import prize_sets
from gops_lab.encoding.patterns import Patterns, mirrored
from gops_lab.game import WIN, Rules
from gops_lab.game.objectives import as_objective
from gops_lab.induction.rectangle import InMemory, plan_sweep, solve_plan, solve_tiers
from gops_lab.induction.rectangle.rows import RowLayouts, tabulated

PATTERNS = Patterns(repeats=False)


def reachable_games(rules: Rules) -> dict[int, set[tuple[Any, ...]]]:
    """Return the undecided stage games of each tier that can come about, straight from the rules.

    Hands as patterns, one of each mirrored pair; for win.
    """
    before: set[tuple[Any, ...]] = {(rules.hand_a, rules.hand_b, rules.prizes, 0, 0)}
    games: dict[int, set[tuple[Any, ...]]] = {}
    for tier in range(rules.cards, 0, -1):
        after: set[tuple[Any, ...]] = set()
        found: set[tuple[Any, ...]] = set()
        for hand_a, hand_b, prizes, carried, lead in before:
            for at, upcard in enumerate(prizes):
                rest = prizes[:at] + prizes[at + 1 :]
                stake = upcard + carried
                if abs(lead) > stake + sum(rest):
                    continue  # decided: no play can change who wins
                code, mirror = _codes(hand_a, hand_b)
                found.add(min((code, rest, stake, lead), (mirror, rest, stake, -lead)))
                for a, b in product(hand_a, hand_b):
                    left = tuple(c for c in hand_a if c != a), tuple(c for c in hand_b if c != b)
                    change = stake * ((a > b) - (a < b))
                    kept = stake if a == b and rules.ties == "carry" else 0
                    after.add((*left, rest, kept, lead + change))
        games[tier] = found
        before = after
    return games


def _codes(hand_a: tuple[int, ...], hand_b: tuple[int, ...]) -> tuple[int, int]:
    codes = PATTERNS.encode(np.array([hand_a]), np.array([hand_b]))
    return int(codes[0]), int(mirrored(codes)[0])


@pytest.mark.parametrize("ties", ["discard", "carry"])
def test_games_solved_are_those_that_can_come_about_and_few_others(ties: str) -> None:
    # Rejects: ways that leave out a state (it would be missing), and ways that do nothing: every
    # lead of the rows is then solved, nearly twice as much.
    rules = Rules(cards=5, ties=ties)
    exact = reachable_games(rules)
    _, reports = solve_tiers(rules, WIN)
    for report in reports:
        least = len(exact[report.tier])
        # A pattern that is its own mirror is solved at both leads, found above once.
        assert least <= report.games <= 1.2 * least + 20
    hull = sum(
        int(tier.layouts.games(tier.size - 1, kind).lengths.sum())
        for tier in plan_sweep(rules, WIN).tiers
        for kind in tier.classes.tolist()
    )
    assert sum(report.games for report in reports) < 0.8 * hull


@pytest.mark.parametrize(
    ("rules", "objective"),
    [
        (Rules(cards=6, ties="carry"), "margin"),
        (Rules(cards=6, ties="discard"), "margin"),
        (Rules(cards=6, ties="carry"), "win"),
        (Rules(cards=6, ties="split"), "win"),
        (Rules(cards=6, ties="carry"), lambda lead: max(-3, min(lead, 8))),
        (Rules(hand_a=(1, 2, 3, 7, 8), hand_b=(2, 4, 5, 6, 8), prizes=(0, 1, 3, 4, 9)), "win"),
        (Rules(hand_a=(3, 4, 5, 6), hand_b=(1, 2, 7, 8), prizes=(1, 2, 2, 5), rounds=3), "margin"),
        (Rules(cards=6, ties="carry", order="descending"), "win"),
    ],
    ids=repr,
)
def test_values_without_dominated_bids_are_those_with_all(rules: Rules, objective: Any) -> None:
    # Rejects: a bid left out that is needed anywhere, and bids that are never left out.
    goal = as_objective(objective)
    values = []
    for drop in (True, False):
        plan = plan_sweep(rules, goal, drop_dominated=drop)
        assert {tier.drop_dominated for tier in plan.tiers} == {drop}
        tables, reports = solve_plan(plan, InMemory())
        values.append({tier: table.values for tier, table in tables.items()})
        assert reports[-1].error < 1e-10
    for tier, few in values[0].items():
        np.testing.assert_allclose(few, values[1][tier], rtol=0, atol=1e-12)


@pytest.mark.parametrize(
    ("rules", "objective"),
    [
        (Rules(cards=4, prizes=(-1, 2, 3, 4)), "margin"),
        (Rules(cards=4, prizes=(-1, 2, 3, 4)), "win"),
        (Rules(cards=4), lambda lead: abs(lead)),
    ],
    ids=repr,
)
def test_no_bid_is_left_out_where_a_worse_hand_may_be_better(rules: Rules, objective: Any) -> None:
    plan = plan_sweep(rules, as_objective(objective))
    assert not any(tier.drop_dominated for tier in plan.tiers)


@pytest.mark.parametrize(
    ("rules", "objective"),
    [
        (Rules(cards=4, ties="carry"), "win"),
        (Rules(cards=4, ties="discard"), "win"),
        (Rules(cards=4, ties="split"), "win"),
        (Rules(cards=4, ties="carry"), lambda lead: max(-3, min(lead, 8))),
        (Rules(hand_a=(1, 3, 4, 9), hand_b=(2, 3, 5, 8), prizes=(1, 2, 2, 11)), "win"),
        (Rules(cards=4, prizes=(-3, -1, 1, 5), negative_stakes="low_bid"), lambda lead: lead**3),
        (Rules(cards=4, rounds=2, prizes=(1, 2, 3, 4, 6)), "win"),
    ],
    ids=repr,
)
@pytest.mark.parametrize("lead", [0, 2])
def test_what_follows_one_upcard(
    rules: Rules, objective: Any, lead: int, following: Any
) -> None:
    """Every state that can follow is there as in the whole game; other upcards are left out."""
    goal = as_objective(objective)
    whole_plan = plan_sweep(rules, goal, (lead, lead))
    whole, _ = solve_plan(whole_plan, InMemory())
    prizes = prize_sets(rules)
    undecided = 0
    for upcard in sorted(set(rules.prizes)):
        plan = plan_sweep(rules, goal, (lead, lead), upcard=upcard)
        assert max(tier.tier for tier in plan.tiers) == rules.cards - 1
        assert plan.games < whole_plan.games
        tables, _ = solve_plan(plan, InMemory())
        if objective == "win":
            tables = pickle.loads(pickle.dumps(tables))
        states = following(rules, upcard, lead)
        swap = plan.tiers[0].layouts.swap
        for tier, table in tables.items():
            places = []
            for state in states:
                if state.tier == tier:
                    code, mirror = _codes(state.hand_a, state.hand_b)
                    sign = -1 if swap and mirror < code else 1
                    (mask,) = prizes.encode([state.prizes])
                    place = (code if sign == 1 else mirror), mask, state.carried, sign * state.lead
                    places.append(place)
            arrays = np.array(places).T
            value, found = table.lookup(*arrays)
            expected, there = whole[tier].lookup(*arrays)
            assert np.array_equal(found, there)
            np.testing.assert_allclose(value, expected, rtol=0, atol=1e-12)
            undecided += np.count_nonzero(found)
    assert undecided > 30


@pytest.mark.parametrize("ties", ["discard", "carry"])
def test_values_kept_as_whole_numbers(ties: str) -> None:
    """Half the size, within the bounds that are said."""
    rules = Rules(cards=6, ties=ties)
    floats, _ = solve_tiers(rules, WIN)
    small, reports = solve_tiers(rules, WIN, dtype=np.int32)
    for report in reports:
        wide, narrow = floats[report.tier].values, small[report.tier]
        errors = np.abs(narrow.values * narrow.step - wide)
        assert errors.max() <= report.error < 1e-8
        # Rejects a table of zeros.
        assert np.abs(wide).max() > 0.1 or report.tier == 6


@pytest.mark.parametrize("ties", ["discard", "carry"])
def test_nothing_is_kept_of_what_cannot_come_about(ties: str) -> None:
    """Rejects whole rows with every pattern, twice as much, and places that two values share."""
    rules = Rules(cards=6, ties=ties)
    tables, _ = solve_tiers(rules, WIN)
    whole = 0
    for table in tables.values():
        plan = table.plan
        assert len(table.values) == plan.length == plan.values
        assert np.isfinite(table.values).all()
        for kind, ways in plan.kinds.tolist():
            places = plan.layouts.places(plan.size, kind, ways)
            kept = places[places >= 0]
            assert np.array_equal(kept, np.arange(plan.layout(kind).count(ways)))
        whole += sum(plan.layout(kind).positions for kind in plan.classes.tolist())
    assert sum(table.plan.length for table in tables.values()) < 0.7 * whole


def test_large_tables_are_kept_at_half_the_size(monkeypatch: pytest.MonkeyPatch) -> None:
    from gops_lab.induction.rectangle import plan as plan_module

    rules = Rules(cards=6, ties="discard")
    plan = plan_sweep(rules, WIN)
    lengths = {tier.tier: tier.length for tier in plan.tiers}
    assert plan.held(6) == sum(lengths.values())
    assert plan.held(1) == max(lengths[n] + lengths[n + 1] for n in range(1, 6))
    for keep in ("all", 1):
        bytes_held = 8 * plan.held(6 if keep == "all" else keep)
        for room, dtype in ((bytes_held, np.float64), (bytes_held - 1, np.int32)):
            monkeypatch.setattr(plan_module, "FLOATS_UP_TO", room)
            tables, _ = solve_tiers(rules, WIN, keep=keep)
            assert {table.values.dtype for table in tables.values()} == {np.dtype(dtype)}


def test_where_a_utility_is_flat() -> None:
    def clipped(lead: int) -> int:
        return max(-2, min(3, lead))

    rules = Rules(cards=3)
    utility = tabulated(rules, as_objective(clipped), (0, 0))
    assert (utility.low, len(utility.values)) == (-6, 13)
    assert (utility.flat_below, utility.flat_above) == (-2, 3)
    assert not utility.odd
    constant = tabulated(rules, as_objective(lambda lead: 4), (0, 0))
    assert constant.flat_below >= 6
    assert constant.flat_above <= -6
    assert tabulated(rules, WIN, (0, 0)).odd


def test_leads_of_a_row_are_those_that_can_still_matter() -> None:
    """After 1 and 2 of four prizes, 3 and 4 hidden: |lead| <= 3 is left of 3 won or lost."""
    layouts = RowLayouts(Rules(cards=4, ties="discard"), WIN, (0, 0))
    low, high = layouts.window(np.array([7]))
    assert (low.tolist(), high.tolist()) == ([-3], [3])
    # 8 of the 10 points are gone: a lead above 2 can no longer be made up for.
    low, high = layouts.window(np.array([2]))
    assert (low.tolist(), high.tolist()) == ([-2], [2])
    # Under carry-over all leads are odd or all even: 7 left, 3 won or lost.
    layouts = RowLayouts(Rules(cards=4, ties="carry"), WIN, (0, 0))
    low, high = layouts.window(np.array([7]))
    assert layouts.step == 2
    assert (low.tolist(), high.tolist()) == ([-3], [3])
