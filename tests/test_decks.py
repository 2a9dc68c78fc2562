"""The solved decks that come with the package: the full deck, for margin and to win."""

import csv
import json
import random
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest

import gops_lab as gl
from gops_lab.decks import DECKS, deck_folder, deck_of
from gops_lab.game.state import expose, start
from gops_lab.induction.solve import solve_states

PUBLISHED = json.loads((Path(__file__).parent / "data" / "published.json").read_text("utf-8"))
RESULTS = Path(__file__).parents[1] / "results"

NAMES = list(DECKS)


@pytest.fixture(scope="module", params=NAMES)
def deck(request):
    return gl.load(request.param)


def test_each_is_small_and_certified(deck):
    name = deck_of(deck.rules, deck.objective)
    files = list(deck_folder(name).iterdir())
    assert sum(file.stat().st_size for file in files) < 2**21
    assert sorted(deck.tables) == [11, 12, 13]
    assert sorted(deck.reports) == list(range(1, 14))
    low, high = deck.bounds()
    assert low <= 0 <= high
    assert high - low <= 1e-6
    assert max(report.worst_gap for report in deck.reports.values()) <= 1e-8


@pytest.mark.parametrize("name", NAMES)
def test_the_audit_agrees(name):
    report = gl.audit(name, samples=40)
    assert report.agrees
    assert {check.what: check.checked for check in report.checks}["tier 12 values"] >= 40


@pytest.mark.parametrize(
    ("name", "games"), [("13-carry-margin", 2_626_333_401), ("13-discard-margin", 1_338_879_360)]
)
def test_stage_games_are_as_many_as_published(name, games):
    assert sum(report.stage_games for report in gl.load(name).reports.values()) == games


def test_first_bids_are_those_of_the_results():
    """And of every deck others, so that none stands under another's name."""
    with (RESULTS / "as_played" / "table.csv").open(encoding="utf-8", newline="") as file:
        rows = [row for row in csv.DictReader(file) if row["cards"] == "13"]
    found = {}
    for row in rows:
        name = f"13-{row['ties']}-{row['objective']}"
        found.setdefault(name, []).append(float(row["probability"]))
    assert sorted(found) == ["13-carry-margin", "13-carry-win", "13-discard-win"]
    for name, printed in found.items():
        bids = gl.load(name).first_bids()
        assert bids["unique"].all()
        assert np.abs(bids["probability"] - printed).max() <= 1e-6
    for one, other in combinations(found.values(), 2):
        assert np.abs(np.subtract(one, other)).max() > 0.1


@pytest.mark.parametrize("name", ["13-carry-win", "13-discard-win"])
def test_a_win_is_antisymmetric_and_grows_with_the_lead(name):
    """Of states below the tiers that are kept, with any lead: nothing of it is stored."""
    deck = gl.load(name)
    hands = (1, 3, 6, 8, 10, 13), (2, 3, 5, 9, 11, 12)
    prizes = 1, 4, 7, 9, 13
    values = []
    for lead in (-30, -4, 0, 4, 30):
        state = gl.State(*hands, prizes, upcard=5, carried=2, lead=lead)
        mirrored = gl.State(*hands[::-1], prizes, upcard=5, carried=2, lead=-lead)
        values.append(deck.value(state))
        assert deck.value(mirrored) == pytest.approx(-values[-1], abs=1e-9)
    assert values == sorted(values)
    assert -1 <= values[0] < values[-1] <= 1


def test_a_top_tier_taken_out_is_the_one_that_is_solved(tmp_path, monkeypatch):
    """A deck out of a solution that keeps more tiers has the bytes of one that keeps as few."""
    monkeypatch.syspath_prepend(str(RESULTS.parent))
    from experiments import shipped_decks

    rules, objective = gl.Rules(cards=6), gl.load("13-carry-win").objective
    monkeypatch.setitem(DECKS, "6-carry-win", (rules, objective))
    solve_states(
        rules, objective, [start(rules)], keep=4, dtype="int32", out=tmp_path / "more"
    )
    made = [tmp_path / "solved", tmp_path / "taken"]
    for folder, solved in zip(made, (None, tmp_path / "more"), strict=True):
        shipped_decks.make("6-carry-win", folder, solved)
    files = [
        {file.name: file.read_bytes() for file in folder.iterdir()} for folder in made
    ]
    assert files[0] == files[1]
    assert sum("values" in name for name in files[0]) == 3
    with pytest.raises(SystemExit, match="not 13-carry-win"):
        shipped_decks.make("13-carry-win", tmp_path / "other", made[0])


def test_first_bids_are_those_of_rhoads_and_bartholdi():
    """All 169 cells to four decimals, two misprints of circulating copies corrected."""
    row = PUBLISHED["first_bids"][0]
    table = np.array(row["as_circulated"])
    for cell in row["corrections"]:
        at = cell["upcard"] - 1, cell["bid"] - 1
        assert table[at] == cell["printed"]
        table[at] = cell["is"]
    deck = gl.load("13-discard-margin")
    assert row["ties"] == deck.rules.ties
    bids = deck.first_bids()
    assert bids["unique"].all()
    found = bids["probability"].to_numpy().reshape(13, 13)
    assert np.abs(found - table).max() <= 0.5e-4 + 1e-6


def test_what_is_below_is_solved_when_asked_for(deck):
    """A state of 7 cards is answered as it is when solved alone, within the bounds of both."""
    draw = random.Random(3)
    hands = [draw.sample(range(1, 14), 7) for _ in range(2)]
    prizes = draw.sample(range(1, 14), 7)
    state = gl.State(*hands, prizes[1:], prizes[0], carried=4, lead=-3)
    alone = gl.solve(deck.rules, deck.objective, start=state)
    assert deck.value(state) == pytest.approx(alone.value(state), abs=1e-9)
    top = expose(deck.rules, start(deck.rules), 13)
    low, high = deck.bounds(top)
    assert low <= 0 <= high
    assert deck.strategy(top).sum() == pytest.approx(1)


def test_names():
    for name in NAMES:
        deck = gl.load(name)
        assert deck_of(deck.rules, deck.objective) == name
        assert name == f"13-{deck.rules.ties}-{deck.objective.name}"
    assert deck_of(gl.Rules(cards=12), gl.load("13-carry-margin").objective) is None
    with pytest.raises(gl.GopsError, match="no solution"):
        gl.load("13-split-margin")
