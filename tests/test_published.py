"""Numbers in print, up to 6 cards; every test's name says which table, and whose it is."""

import json
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

import gops_lab as gl
from gops_lab.game import MARGIN, WIN, expose, start
from gops_lab.induction import Reductions
from gops_lab.induction.plan import plan_tiers
from gops_lab.induction.reduction import Reducer

PUBLISHED = json.loads(
    (Path(__file__).parent / "data" / "published.json").read_text(encoding="utf-8")
)
MOST_CARDS = 8
TABLES = [row for row in PUBLISHED["first_bids"] if row["cards"] <= MOST_CARDS]
COUNTS = PUBLISHED["counts"]


def name_of(row):
    source = row.get("source", "icynic.com/~don/psych4.html")
    shape = [str(row[key]) for key in ("cards", "ties", "objective") if key in row]
    return "-".join([*shape, source[:48]])


def digits_of(row):
    """Return how many decimals a table is printed to."""
    numbers = [str(p) for bids in row["bids"].values() for p in bids]
    return max(len(number.partition(".")[2]) for number in numbers)


def test_what_is_looked_at_is_there():
    assert len(TABLES) == 9
    assert len(PUBLISHED["states"]) == 7
    assert len(PUBLISHED["matrices"]) == 2


@pytest.mark.parametrize("row", TABLES, ids=name_of)
def test_first_bids(row, solved):
    """Each printed row guarantees the value; where the optimum is unique it is the one computed."""
    rules = gl.Rules(row["cards"], ties=row["ties"])
    solution = solved(rules, row["objective"])
    table = solution.first_bids().groupby("upcard")
    rounding = 1e-15 if row.get("exact") else 0.5 * 10.0 ** -digits_of(row)
    compared = 0
    for upcard, bids in row["bids"].items():
        printed = np.array([float(Fraction(p)) for p in bids])
        shown = table.get_group(int(upcard))
        assert list(shown["bid"]) == list(rules.hand_a)
        payoffs = solution.stage_game(expose(rules, start(rules), int(upcard))).to_numpy()
        # Every stage game with two equal hands is worth 0.
        lost = len(printed) * rounding * np.abs(payoffs).max() + 1e-12
        assert (printed @ payoffs).min() >= -lost
        assert shown["value"].abs().max() <= 1e-9
        if shown["unique"].all():
            assert np.abs(shown["probability"] - printed).max() <= 1.01 * rounding + 1e-9
            compared += 1
    assert compared == len(row["bids"])


@pytest.mark.parametrize("row", [row for row in TABLES if row.get("exact")], ids=name_of)
def test_first_bids_exactly(row, solved):
    rules = gl.Rules(row["cards"], ties=row["ties"])
    table = solved(rules, row["objective"], exact=True).first_bids().groupby("upcard")
    for upcard, bids in row["bids"].items():
        shown = table.get_group(int(upcard))
        assert shown["unique"].all()
        assert list(shown["probability"]) == list(map(Fraction, bids))


@pytest.mark.parametrize(
    "row", PUBLISHED["matrices"], ids=lambda row: f"{name_of(row)}-upcard {row['upcard']}"
)
def test_stage_games(row, solved, fractions):
    rules = gl.Rules(row["cards"], ties=row["ties"])
    state = expose(rules, start(rules), row["upcard"])
    exact = solved(rules, row["objective"], exact=True).stage_game(state)
    assert exact.to_numpy().tolist() == fractions(row["payoff"])
    floats = solved(rules, row["objective"]).stage_game(state).to_numpy()
    assert np.abs(floats - exact.to_numpy().astype(float)).max() <= 1e-12


@pytest.mark.parametrize("exact", [True, False], ids=["exact", "floats"])
@pytest.mark.parametrize("row", PUBLISHED["states"], ids=name_of)
def test_states(row, exact, state_of):
    exposed = () if row["upcard"] is None else (row["upcard"],)
    rules = gl.Rules(
        hand_a=row["hand_a"], hand_b=row["hand_b"], prizes=(*row["prizes"], *exposed),
        ties=row["ties"],
    )
    state = state_of(row)
    solution = gl.solve(rules, row["objective"], exact=exact)
    tolerance = 0 if exact else 1e-12
    assert abs(solution.value(state) - Fraction(row["value"])) <= tolerance
    if "row" in row:
        ranges = solution.optimal_ranges(state)
        for least, printed, most in zip(ranges["min"], row["row"], ranges["max"], strict=True):
            assert least - tolerance <= Fraction(printed) <= most + tolerance
        assert (ranges["max"] - ranges["min"]).max() <= tolerance


@pytest.mark.parametrize("first", [0, 1])
def test_bosansky_et_al_2016_a_pure_optimum_exists_with_ranks_from_0_only(first):
    """Artificial Intelligence 237: matching every prize is optimal at 0..3, not at 1..4."""
    cards = range(first, first + 4)
    rules = gl.Rules(hand_a=cards, hand_b=cards, prizes=cards, ties="discard")
    solution = gl.solve(rules, exact=True)
    matching = []
    for upcard in cards:
        ranges = solution.optimal_ranges(expose(rules, start(rules), upcard)).set_index("bid")
        matching.append(ranges["max"][upcard] == 1)
    assert all(matching) == (first == 0)


def counts(name, most_cards=8):
    found = [(int(cards), count) for cards, count in COUNTS[name].items()]
    return [(cards, count) for cards, count in found if cards <= most_cards]


@pytest.mark.parametrize(
    ("ties", "cards", "expected"),
    [
        *(("discard", *row) for row in counts("stage games, discard, margin, halved by the swap")),
        *(("carry", *row) for row in counts("stage games, carry, margin")),
    ],
)
def test_counts_of_stage_games_margin(ties, cards, expected, solved):
    """Solved by the fast sweep, and found by the general one."""
    rules = gl.Rules(cards, ties=ties)
    reports = solved(rules, "margin").reports.values()
    assert sum(report.stage_games for report in reports) == expected
    if cards <= 7:
        reducer = Reducer(rules, MARGIN)
        tiers = plan_tiers(reducer, [start(rules)])
        assert sum(len(tier.solved_stages(reducer)) for tier in tiers) == expected


@pytest.mark.parametrize(
    ("ties", "cards", "expected"),
    [
        *(("discard", *row) for row in counts("values, discard, margin")),
        *(("carry", *row) for row in counts("values, carry, margin")),
    ],
)
def test_counts_of_values_margin(ties, cards, expected, solved):
    rules = gl.Rules(cards, ties=ties)
    reports = solved(rules, "margin").reports.values()
    assert sum(report.values for report in reports) == expected


@pytest.mark.parametrize("ties", ["discard", "carry"])
@pytest.mark.parametrize("position", range(3))
def test_counts_of_undecided_stage_games_win(ties, position):
    name = "stage games really reachable and undecided, win, N=4,5,6"
    rules = gl.Rules(4 + position, ties=ties)
    tiers = plan_tiers(Reducer(rules, WIN), [start(rules)])
    assert sum(len(tier.stages) for tier in tiers) == COUNTS[name][ties][position]


@pytest.mark.parametrize("cards", [4, 5, 7])
def test_counts_without_patterns(cards):
    """Sum of C(N, k)**3 over k = 1 .. N: hands of A, hands of B, prizes to come, tier by tier."""
    whole = Reductions(patterns=False, swap=False)
    rules = gl.Rules(cards, ties="discard")
    found = sum(
        len(tier.nodes)
        for tier in plan_tiers(Reducer(rules, MARGIN, reductions=whole), [start(rules)])
    )
    # The Franel numbers, OEIS A000172, less the empty hands.
    in_print = COUNTS["raw states without patterns, sum of C(N,k)^3"]
    assert found == {"4": 345, "5": 2251, **in_print}[str(cards)]
