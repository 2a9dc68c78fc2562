"""The explorer says what the solution says, and answers anything typed with one sentence."""

import subprocess
import sys
from contextlib import suppress
from fractions import Fraction
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import gops_lab as gl
from gops_lab.errors import ArgumentError, ForecastError, GopsError, StateError
from gops_lab.explorer import (
    Line,
    drawn_bid,
    drawn_upcard,
    explore,
    read_rules,
    read_state,
    review,
    rules_fields,
    solved,
    state_fields,
    view,
)
from gops_lab.explorer.forms import RULES_FIELDS, STATE_FIELDS
from gops_lab.explorer.pages import line_page, state_page
from gops_lab.game import MARGIN, WIN

HOUSE = gl.Rules(
    hand_a=(2, 4, 6), hand_b=(1, 3, 3), prizes=(-1, 3, 3, 4), ties="split",
    negative_stakes="low_bid", rounds=2,
)
LATE = gl.State((1, 3, 5), (2, 3, 6), prizes=(1, 4), upcard=5, carried=2, lead=3)


# Views


@pytest.mark.parametrize("exact", [False, True])
def test_a_view_says_what_the_solution_says(solved, exact):
    """At a state where optimal play is not unique, hands differ and a lead is held."""
    solution = solved(gl.Rules(cards=6), "win", start=LATE, exact=exact)
    seen = view(solution, LATE)
    assert (seen.value, seen.lower, seen.upper) == (
        solution.value(LATE), *solution.bounds(LATE)
    )
    assert seen.stage.payoffs == tuple(map(tuple, solution.stage_game(LATE).to_numpy()))
    for player in "ab":
        bids = getattr(seen.stage, player)
        assert {bid.bid: bid.probability for bid in bids} == solution.strategy(
            LATE, player
        ).to_dict()
        ranges = solution.optimal_ranges(LATE, player)
        assert [(bid.bid, bid.least, bid.greatest) for bid in bids] == list(
            ranges.itertuples(index=False, name=None)
        )
        assert any(bid.least < bid.greatest for bid in seen.stage.b)


def test_what_bids_give_away_is_told_for_both_players(solved):
    seen = view(solved(gl.Rules(cards=2, ties="discard")), gl.State((1, 2), (1, 2), (1,), 2))
    assert [bid.given_away for bid in seen.stage.a] == pytest.approx([1, 0])
    assert [bid.given_away for bid in seen.stage.b] == pytest.approx([1, 0])


def test_a_view_between_rounds_and_at_the_end(solved):
    solution = solved(HOUSE)
    seen = view(solution)
    assert seen.stage is None
    assert seen.upcards == ((-1, Fraction(1, 4)), (3, Fraction(1, 2)), (4, Fraction(1, 4)))
    assert seen.rounds_left == 2
    over = view(solution, gl.State((2,), (3,), (3, 4), lead=-7))
    assert (over.rounds_left, over.upcards, over.stage, over.value) == (0, (), None, -7)


def test_a_view_is_a_value(solved):
    solution = solved(gl.Rules(cards=3))
    assert view(solution) == view(solution)
    assert hash(view(solution)) == hash(view(solution))


# Lines of play


def test_a_line_remembers_every_state_and_goes_back():
    line = Line(HOUSE)
    steps = [line]
    for step in (lambda x: x.expose(3), lambda x: x.bid(4, 3), lambda x: x.expose(-1),
                 lambda x: x.bid(2, 1)):
        steps.append(step(steps[-1]))
    last = steps[-1]
    assert last.is_over
    assert last.points == (3, -1)
    assert last.state.lead == 4
    assert last.states == tuple(step.state for step in steps)
    for step in reversed(steps):
        assert last == step
        last = last.back()
    assert last == line


def test_split_points_are_told_exactly():
    line = Line(gl.Rules(cards=2, ties="split")).expose(1).bid(1, 1)
    assert line.points == (Fraction(1, 2), Fraction(1, 2))


@pytest.mark.parametrize(
    "wrong",
    [lambda line: line.bid(2, 1), lambda line: line.expose(7),
     lambda line: line.expose(3).expose(3), lambda line: line.expose(3).bid(3, 3),
     lambda line: Line(line.rules, [gl.State((9,), (1,), ())])],
)
def test_a_line_refuses_what_the_rules_do_not_allow(wrong):
    with pytest.raises(StateError):
        wrong(Line(HOUSE))


def test_a_review_finds_the_mistake_and_counts_rounds(solved):
    solution = solved(gl.Rules(cards=4, ties="discard"))
    begun = gl.State((1, 2, 4), (1, 2, 3), (1, 2, 4), lead=-3)
    line = Line(solution.rules, (begun,)).expose(4).bid(1, 3)
    (seen,) = review(solution, line.expose(1))
    table = gl.reporting.line_table(solution, [played[:3] for played in line.rounds], begun)
    assert seen.number == 2 == table["round"][0]
    assert seen.given_away_a == table["given_away_a"][0] > 0.5
    assert seen.given_away_b == table["given_away_b"][0]


def test_what_is_drawn_follows_chances(solved):
    solution = solved(gl.Rules(cards=4, ties="discard"))
    seen = view(solution, gl.State((1, 2, 3, 4), (1, 2, 3, 4), (1, 3, 4), 2))
    random = Random(5)
    drawn = [drawn_bid(seen.stage.a, random) for _ in range(3000)]
    assert drawn.count(3) / 3000 == pytest.approx(0.5269, abs=0.04)
    assert drawn.count(4) == 0
    prizes = [drawn_upcard(view(solved(HOUSE)), random) for _ in range(3000)]
    assert prizes.count(3) / 3000 == pytest.approx(0.5, abs=0.04)
    with pytest.raises(StateError, match="no prize can be exposed"):
        drawn_upcard(seen, random)


# Forms


@pytest.mark.parametrize(
    "rules",
    [gl.Rules(cards=4), HOUSE, gl.Rules(cards=3, order=(3, 1, 2), ties="discard"),
     gl.Rules(cards=3, order=(7, -1, 2)),
     gl.Rules(cards=3, prizes=(1, 2, 3, 4), order="descending")],
)
def test_rules_come_back_from_their_form(rules):
    fields = rules_fields(rules)
    assert set(fields) == set(RULES_FIELDS)
    assert read_rules(fields) == rules


def test_the_number_of_cards_alone_can_be_changed():
    assert read_rules(rules_fields(gl.Rules(cards=4)) | {"cards": "6"}) == gl.Rules(cards=6)


@pytest.mark.parametrize("state", [LATE, gl.State((), (), ()), gl.State((2,), (3,), (1,), lead=-4)])
def test_states_come_back_from_their_form(state):
    rules = gl.Rules(cards=6) if state.prizes != () else gl.Rules(cards=2)
    fields = state_fields(state)
    assert set(fields) == set(STATE_FIELDS)
    assert read_state(rules, fields) == state


@pytest.mark.parametrize(
    ("fields", "sentence"),
    [
        ({"cards": "four"}, "cards must be an integer of at most 18 digits, not 'four'"),
        ({"cards": "9" * 5000}, "cards must be an integer of at most 18 digits"),
        ({"cards": "٣"}, "cards must be an integer"),
        ({"cards": "3", "hand_a": "1 2 x"}, "hand_a must be integers like 1 3 5, not '1 2 x'"),
        ({"cards": "3", "order": "random shuffle"}, "order must be integers like 1 3 5"),
        ({"card": "3"}, "'card' is not a field; those known are cards"),
        ({"cards": 3}, "cards must be text as it was typed, not 3"),
        ({"cards": "3", "prizes": None}, "prizes must be text as it was typed, not None"),
    ],
)
def test_what_cannot_be_read_is_named(fields, sentence):
    with pytest.raises(ArgumentError, match=sentence):
        read_rules(fields)


TYPED = st.text(st.sampled_from("0123456789 ,-+.xé\n\0"), max_size=8) | st.text(max_size=5)


@settings(deadline=None, max_examples=200)
@given(st.dictionaries(st.sampled_from(RULES_FIELDS), TYPED))
def test_anything_typed_is_rules_or_one_error(fields):
    with suppress(GopsError):  # and nothing else
        rules = read_rules(fields)
        assert read_rules(rules_fields(rules)) == rules


@settings(deadline=None, max_examples=200)
@given(st.dictionaries(st.sampled_from(STATE_FIELDS), TYPED))
def test_anything_typed_is_a_state_or_one_error(fields):
    with suppress(GopsError):  # and nothing else
        state = read_state(gl.Rules(cards=2), fields)
        assert read_state(gl.Rules(cards=2), state_fields(state)) == state


# Solving while a person waits


def test_nobody_waits_for_hours():
    with pytest.raises(ForecastError, match=r"cards=13.*longer than a person waits"):
        solved(gl.Rules(cards=13, ties="split"), WIN)


def test_the_deck_that_comes_with_the_package_is_used():
    assert "13" in repr(solved(gl.Rules(cards=13), MARGIN).rules)


# Pages


def test_a_page_shows_the_numbers_and_their_unit(solved):
    solution = solved(gl.Rules(cards=6), "win", start=LATE)
    page = state_page(view(solution, LATE))
    assert "P(A ahead) - P(B ahead)" in page
    assert "7 at stake" in page
    assert "<td>0.5000</td>" in page
    for bound in solution.bounds(LATE):
        assert str(bound) in page


def test_the_name_of_a_utility_cannot_be_markup(solved):
    goal = gl.game.Objective("<script>", abs)
    assert "<script>" not in state_page(view(gl.solve(gl.Rules(cards=1), goal)))


def test_a_line_is_shown_with_halves():
    line = Line(gl.Rules(cards=2, ties="split")).expose(1).bid(1, 1)
    page = line_page(line, review(gl.solve(line.rules), line))
    assert "points: A 1/2, B 1/2" in page
    assert line_page(Line(line.rules), ()) == ""


# Widgets


@pytest.fixture
def explorer():
    pytest.importorskip("ipywidgets", reason="ipywidgets is not installed")
    return explore(gl.solve(gl.Rules(cards=4)), seed=1)


def press(explorer, *names):
    for name in names:
        explorer.controls[name].click()


def test_a_game_is_clicked_through(explorer):
    explorer.controls["upcard"].value = 3
    press(explorer, "expose")
    explorer.controls["bid_a"].value = 1
    explorer.controls["bid_b"].value = 4
    press(explorer, "bid")
    assert explorer.line == Line(gl.Rules(cards=4)).expose(3).bid(1, 4)
    assert [control.value for control in (explorer.controls["state.lead"],)] == ["-3"]
    while not explorer.line.is_over:
        press(explorer, "expose", "bid")
        assert explorer.message == ""
    assert explorer.controls["expose"].disabled
    assert explorer.controls["bid"].disabled
    press(explorer, "back", "back")
    assert len(explorer.line.rounds) == 3
    press(explorer, "restart")
    assert explorer.line == Line(gl.Rules(cards=4))


def test_the_explorer_changes_rules_and_state(explorer):
    for name, written in {"rules.cards": "3", "rules.ties": "discard"}.items():
        explorer.controls[name].value = written
    explorer.controls["objective"].value = WIN
    press(explorer, "solve")
    assert explorer.solution.rules == gl.Rules(cards=3, ties="discard")
    assert explorer.solution.objective == WIN
    wanted = gl.State((1, 3), (2, 3), (2,), upcard=3, lead=1)
    for name, written in state_fields(wanted).items():
        explorer.controls[f"state.{name}"].value = written
    press(explorer, "show")
    assert (explorer.message, explorer.line.state) == ("", wanted)
    assert [label for label, _ in explorer.controls["bid_b"].options] == ["drawn", "2", "3"]


@pytest.mark.parametrize(
    ("name", "written", "button"),
    [
        ("rules.cards", "", "solve"), ("rules.cards", "1.5", "solve"),
        ("rules.cards", "40", "solve"), ("rules.order", "4 3 2", "solve"),
        ("rules.hand_a", "1 2", "solve"), ("state.hand_a", "1 2 3", "show"),
        ("state.upcard", "7", "show"), ("state.lead", "<b>", "show"),
    ],
)
def test_bad_input_is_one_sentence_and_changes_nothing(explorer, capfd, name, written, button):
    before = explorer.solution, explorer.line
    explorer.controls[name].value = written
    press(explorer, button)
    assert explorer.message
    assert "\n" not in explorer.message
    assert (explorer.solution, explorer.line) == before
    assert explorer.controls[name].value == written  # to be mended
    assert capfd.readouterr() == ("", "")
    press(explorer, "restart")
    assert explorer.message == ""


def test_a_solution_of_ones_own_is_explored():
    pytest.importorskip("ipywidgets", reason="ipywidgets is not installed")
    own = gl.solve(gl.Rules(cards=3), lambda lead: min(lead, 2))
    explorer = explore(own)
    press(explorer, "expose", "bid", "solve")
    assert explorer.message == ""
    assert explorer.solution is own


def test_where_nothing_runs_an_explorer_is_text(explorer):
    shown = explorer._repr_mimebundle_()
    assert shown["text/plain"] == (
        "<Explorer of Rules(cards=4, ties='carry'), objective margin: run the cell to use it>"
    )
    assert "application/vnd.jupyter.widget-view+json" in shown


def test_without_ipywidgets_one_sentence_says_what_to_install():
    code = (
        "import sys; sys.modules['ipywidgets'] = None\n"
        "import gops_lab as gl\n"
        "try: gl.explorer.explore()\n"
        "except gl.GopsError as error: print(error)"
    )
    assert printed(code) == (
        "ipywidgets is not installed; pip install 'gops-lab[notebooks]' brings it\n"
    )


def test_importing_the_package_loads_no_widgets():
    assert printed("import sys, gops_lab; print('ipywidgets' in sys.modules)") == "False\n"


def printed(code):
    """Return what a fresh Python prints."""
    run = [sys.executable, "-c", code]
    return subprocess.run(run, capture_output=True, text=True, check=True).stdout
