"""The solved decks that come with the package: the full deck, for margin, both tie rules."""

import json
import random
from pathlib import Path

import numpy as np
import pytest

import gops_lab as gl
from gops_lab.decks import DECKS, deck_folder, deck_of
from gops_lab.game.state import expose, start

PUBLISHED = json.loads((Path(__file__).parent / "data" / "published.json").read_text("utf-8"))

NAMES = list(DECKS)


@pytest.fixture(scope="module", params=NAMES)
def deck(request):
    return gl.load(request.param)


def test_each_is_small_and_certified(deck):
    name = deck_of(deck.rules, deck.objective)
    files = list(deck_folder(name).iterdir())
    assert sum(file.stat().st_size for file in files) < 2**20
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


def test_stage_games_are_as_many_as_published(deck):
    games = {"carry": 2_626_333_401, "discard": 1_338_879_360}[deck.rules.ties]
    assert sum(report.stage_games for report in deck.reports.values()) == games


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
    alone = gl.solve(deck.rules, start=state)
    assert deck.value(state) == pytest.approx(alone.value(state), abs=1e-9)
    top = expose(deck.rules, start(deck.rules), 13)
    low, high = deck.bounds(top)
    assert low <= 0 <= high
    assert deck.strategy(top).sum() == pytest.approx(1)


def test_names():
    assert deck_of(gl.Rules(cards=13), gl.load("13-carry-margin").objective) == "13-carry-margin"
    assert deck_of(gl.Rules(cards=12), gl.load("13-carry-margin").objective) is None
    with pytest.raises(gl.GopsError, match="no solution"):
        gl.load("13-split-margin")
