"""Counting states without listing them: against print, against the plan of the general sweep."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gops_lab.game import Rules, as_objective, start
from gops_lab.induction import hand_classes as hands_module
from gops_lab.induction import prize_classes as prizes_module
from gops_lab.induction.counts import count_states
from gops_lab.induction.hand_classes import hand_classes
from gops_lab.induction.plan import Tier, plan_tiers
from gops_lab.induction.prize_classes import prize_classes
from gops_lab.induction.reduction import Reducer

PUBLISHED = json.loads(
    (Path(__file__).parent / "data" / "published.json").read_text(encoding="utf-8")
)["counts"]

# (cards, stage games, values) for win: all leads that the spent prizes allow and that are not
# decided, halved, the states worth 0 by symmetry included. Source: the project's own feasibility
# study, a separate program.
WIN_BOUNDS = {
    "discard": [
        (10, 144_610_463, 25_634_304),
        (11, 1_051_083_112, 167_635_044),
        (12, 7_407_905_530, 1_073_082_112),
        (13, 51_726_039_647, 6_859_051_026),
    ],
    "carry": [
        (10, 143_232_186, 56_716_775),
        (11, 1_072_499_316, 407_411_285),
        (12, 7_892_640_540, 2_899_149_646),
        (13, 56_898_901_775, 20_347_552_080),
    ],
}


def worse_to_lose(lead: int) -> int:
    return lead if lead > 0 else 2 * lead


OBJECTIVES: tuple[str | Callable[[int], int], ...] = ("margin", "win", worse_to_lose)


def plan(rules: Rules, objective: object) -> tuple[Reducer, list[Tier]]:
    reducer = Reducer(rules, as_objective(objective))
    return reducer, plan_tiers(reducer, [start(rules)])


def planned(rules: Rules, objective: object) -> dict[int, tuple[int, int, int]]:
    """Return (patterns with their mirrors, stage games to solve, values not 0 by symmetry)."""
    reducer, tiers = plan(rules, objective)
    found = {}
    for tier in tiers:
        mirror = tier.hands.mirror
        patterns = 2 * len(mirror) - int(mirror.sum()) if reducer.swap else len(mirror)
        rows, _, _, lead = tier.nodes.columns
        zero = reducer.zero_by_symmetry(mirror[rows], lead)
        found[tier.cards] = patterns, len(tier.solved_stages(reducer)), int((~zero).sum())
    return found


def check(rules: Rules, objective: object) -> None:
    """Compare the counts of every tier with those of the plan."""
    counted = count_states(rules, objective)
    true = planned(rules, objective)
    for tier in counted.tiers:
        numbers = tuple(tier[1:])
        expected = true.get(tier.tier, (0, 0, 0))
        if counted.exact:
            assert numbers == expected, (rules, objective, tier)
        else:
            assert all(a >= b for a, b in zip(numbers, expected, strict=True)), (rules, tier)


def published(title: str) -> list[tuple[str, int, int]]:
    ties = "carry" if "carry" in title else "discard"
    return [(ties, int(cards), count) for cards, count in PUBLISHED[title].items()]


@pytest.mark.parametrize(
    ("ties", "cards", "count"),
    [
        *published("stage games, discard, margin, halved by the swap"),
        *published("stage games, carry, margin"),
    ],
)
def test_published_stage_games(ties: str, cards: int, count: int) -> None:
    counted = count_states(Rules(cards=cards, ties=ties))
    assert counted.exact
    assert counted.stage_games == count


@pytest.mark.parametrize(
    ("ties", "cards", "count"),
    [*published("values, discard, margin"), *published("values, carry, margin")],
)
def test_published_values(ties: str, cards: int, count: int) -> None:
    assert count_states(Rules(cards=cards, ties=ties)).values == count


def test_published_patterns() -> None:
    tiers = count_states(Rules(cards=13)).tiers
    assert [tier.tier for tier in tiers] == list(range(13, 0, -1))
    assert [tier.patterns for tier in tiers] == PUBLISHED["patterns at 13, n = 13..1"]


@pytest.mark.parametrize("ties", ["discard", "carry"])
def test_published_bounds_for_win(ties: str) -> None:
    for cards, games, values in WIN_BOUNDS[ties]:
        rules = Rules(cards=cards, ties=ties)
        reducer = Reducer(rules, as_objective("win"))
        hands = hand_classes(rules, reducer).tiers
        prizes = prize_classes(rules, reducer, hands).of
        pairs = [
            (words.all, sizes[tied])
            for classes, sizes in zip(hands, prizes, strict=True)
            for tied, words in classes.items()
        ]
        # The study printed halves, rounded to even; they are far below 2**53.
        assert round(sum(words * each.games for words, each in pairs) / 2) == games
        assert round(sum(words * each.values for words, each in pairs) / 2) == values


@pytest.mark.parametrize("ties", ["discard", "carry"])
def test_published_reachable_states_for_win(ties: str) -> None:
    # These counts keep the games worth 0 by symmetry: they are the plan's stage games, all of them.
    true = PUBLISHED["stage games really reachable and undecided, win, N=4,5,6"][ties]
    for cards, games in zip((4, 5, 6), true, strict=True):
        rules = Rules(cards=cards, ties=ties)
        reducer, tiers = plan(rules, "win")
        assert sum(len(tier.stages) for tier in tiers) == games
        solved = sum(len(tier.solved_stages(reducer)) for tier in tiers)
        assert solved <= count_states(rules, "win").stage_games < 2 * solved


@pytest.mark.parametrize("objective", OBJECTIVES)
@pytest.mark.parametrize("order", ["random", "ascending"])
@pytest.mark.parametrize("ties", ["carry", "discard", "split"])
def test_small_decks_agree_with_the_plan(ties: str, order: str, objective: object) -> None:
    for cards in range(1, 6):
        for rounds in range(1, cards + 1):
            check(Rules(cards=cards, ties=ties, order=order, rounds=rounds), objective)


def test_margin_is_exact_for_all_hands_without_repeats() -> None:
    for hand_b in ((1, 2, 3, 4), (1, 2, 3, 9), (5, 6, 7, 8), (1, 2, 6, 7), (0, 2, 4, 6)):
        for prizes in ((1, 2, 3, 4), (2, 2, 2, 5, 5), (-3, 0, 1, 3)):
            rules = Rules(hand_a=(1, 2, 3, 4), hand_b=hand_b, prizes=prizes)
            assert count_states(rules).exact
            check(rules, "margin")


hands = st.integers(1, 4).flatmap(
    lambda cards: st.tuples(*[st.lists(st.integers(0, 5), min_size=cards, max_size=cards)] * 2)
)


@st.composite
def any_rules(draw: st.DrawFn) -> Rules:
    hand_a, hand_b = draw(hands)
    rounds = draw(st.integers(1, len(hand_a)))
    return Rules(
        hand_a=hand_a,
        hand_b=draw(st.sampled_from([hand_a, hand_b])),
        prizes=draw(st.lists(st.integers(-3, 6), min_size=rounds, max_size=5)),
        ties=draw(st.sampled_from(["carry", "discard"])),
        order=draw(st.sampled_from(["random", "descending"])),
        negative_stakes=draw(st.sampled_from(["high_bid", "low_bid"])),
        rounds=rounds,
    )


@settings(deadline=None, max_examples=100)
@given(rules=any_rules(), objective=st.sampled_from(OBJECTIVES))
def test_any_rules_agree_with_the_plan(rules: Rules, objective: object) -> None:
    check(rules, objective)


@pytest.mark.parametrize("objective", OBJECTIVES)
@pytest.mark.parametrize(
    "limit", ["MOST_BITS", "MOST_ENTRIES", "MOST_POINTS", "MOST_WORD_GROUPS"]
)
def test_cheap_bounds_are_bounds(
    monkeypatch: pytest.MonkeyPatch, limit: str, objective: object
) -> None:
    module = hands_module if limit == "MOST_WORD_GROUPS" else prizes_module
    monkeypatch.setattr(module, limit, 0)
    for kind in (
        {"cards": 4}, {"cards": 4, "ties": "discard"}, {"cards": 4, "order": "ascending"},
        {"hand_a": (1, 2, 4, 7), "hand_b": (2, 3, 4, 5), "prizes": (-2, -2, 1, 1, 5)},
        {"hand_a": (2, 2, 3), "hand_b": (2, 3, 3), "ties": "discard"},
    ):
        check(Rules(**kind), objective)


@pytest.mark.parametrize("objective", ["margin", "win"])
@pytest.mark.parametrize(
    "kind",
    [
        {"cards": 62},
        {"cards": 62, "order": "ascending", "ties": "discard"},
        {"cards": 20, "rounds": 2},
        {"hand_a": range(0, 38, 2), "hand_b": range(1, 39, 2)},
        {"hand_a": [1] * 62, "hand_b": [1] * 31 + [2] * 31},
        {"cards": 12, "prizes": [10**9 - 7**k for k in range(12)]},
    ],
)
def test_whatever_rules_accept_is_counted_at_once(kind: dict[str, Any], objective: str) -> None:
    counted = count_states(Rules(**kind), objective)
    assert counted.stage_games > 0
    assert counted.values > 0
