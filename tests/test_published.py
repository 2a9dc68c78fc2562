"""Numbers in print; each row of `published.json` names its source."""

from fractions import Fraction

import numpy as np
import pytest

import gops_lab as gl
from gops_lab.game import expose, start
from gops_lab.game.objectives import WIN
from gops_lab.induction.plan import plan_tiers
from gops_lab.induction.reduction import Reducer
from gops_lab.matrix_games import guarantees

# Printed to 4 to 8 digits: half a unit of the coarsest, doubled for a security level.
PRINTED = 1e-4


def small_tables(published):
    return [row for row in published["first_bids"] if row["cards"] <= 6]


def test_small_tables_are_there(published):
    assert len(small_tables(published)) == 7


def test_first_bid_tables(published, solved):
    for row in small_tables(published):
        solution = solved(gl.Rules(cards=row["cards"], ties=row["ties"]), row["objective"])
        bids = solution.first_bids()
        for upcard, printed in row["bids"].items():
            shown = bids[bids["upcard"] == int(upcard)]
            mixed = np.array([float(Fraction(p)) for p in printed])
            mixed /= mixed.sum()
            state = expose(solution.rules, start(solution.rules), int(upcard))
            payoffs = solution.stage_game(state).to_numpy()
            low, _ = guarantees(payoffs, mixed, mixed)
            assert low == pytest.approx(0, abs=PRINTED * row["cards"]), row["source"]
            if shown["unique"].all():
                tolerance = 1e-9 if row.get("exact") else 1e-6
                np.testing.assert_allclose(
                    shown["probability"], mixed, rtol=0, atol=tolerance, err_msg=row["source"]
                )


def test_exact_tables(published, solved):
    rows = [row for row in published["first_bids"] if row.get("exact")]
    assert len(rows) == 2
    for row in rows:
        rules = gl.Rules(cards=row["cards"], ties=row["ties"])
        bids = solved(rules, row["objective"], exact=True).first_bids()
        for upcard, printed in row["bids"].items():
            shown = bids[bids["upcard"] == int(upcard)]
            assert shown["unique"].all()
            assert list(shown["probability"]) == [Fraction(p) for p in printed], row["source"]


def test_matrices(published, solved, fractions):
    for row in published["matrices"]:
        solution = solved(
            gl.Rules(cards=row["cards"], ties=row["ties"]), row["objective"], exact=True
        )
        state = expose(solution.rules, start(solution.rules), row["upcard"])
        assert solution.stage_game(state).to_numpy().tolist() == fractions(row["payoff"])


def test_states(published, state_of):
    for row in published["states"]:
        ranks = sorted({*row["hand_a"], *row["hand_b"]})
        prizes = row["prizes"] if row["upcard"] is None else [*row["prizes"], row["upcard"]]
        rules = gl.Rules(
            hand_a=row["hand_a"], hand_b=row["hand_b"], prizes=prizes, ties=row["ties"]
        )
        assert ranks
        for exact in (True, False):
            solution = gl.solve(rules, row["objective"], start=state_of(row), exact=exact)
            expected = Fraction(row["value"])
            assert abs(solution.value() - expected) <= (0 if exact else 1e-12), row["source"]
            if "row" in row:
                strategy = [Fraction(p) for p in row["row"]]
                ranges = solution.optimal_ranges()
                inside = zip(ranges["min"], strategy, ranges["max"], strict=True)
                assert all(low - 1e-9 <= p <= high + 1e-9 for low, p, high in inside)


@pytest.mark.parametrize("cards", [5, 6, 7])
@pytest.mark.parametrize("ties", ["discard", "carry"])
def test_counts_for_margin(published, ties, cards):
    """Stage games halved by the swap, those between equal hands left out."""
    rows = published["counts"]
    name = "stage games, carry, margin"
    if ties == "discard":
        name = "stage games, discard, margin, halved by the swap"
    expected = rows[name].get(str(cards))
    if expected is None:
        assert (ties, cards) == ("discard", 5)
        return
    reducer = Reducer(gl.Rules(cards=cards, ties=ties), gl.game.MARGIN)
    tiers = plan_tiers(reducer, [start(reducer.rules)])
    assert sum(len(tier.solved_stages(reducer)) for tier in tiers) == expected


@pytest.mark.parametrize("ties", ["discard", "carry"])
def test_counts_of_undecided_stage_games(published, ties):
    expected = published["counts"]["stage games really reachable and undecided, win, N=4,5,6"]
    found = []
    for cards in (4, 5, 6):
        reducer = Reducer(gl.Rules(cards=cards, ties=ties), WIN)
        tiers = plan_tiers(reducer, [start(reducer.rules)])
        found.append(sum(len(tier.stages) for tier in tiers))
    assert found == expected[ties]
