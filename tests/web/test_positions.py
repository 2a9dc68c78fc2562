"""A position is one line of text, and any line of text is a position or one error."""

from contextlib import suppress

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import gops_lab as gl
from gops_lab.errors import GopsError
from gops_lab.explorer import Line, table_of, taker
from gops_lab.web import read_position, write_position
from gops_lab.web.position import FIELDS, LONGEST_LINK

HOUSE = gl.Rules(
    hand_a=(2, 4, 6), hand_b=(1, 3, 3), prizes=(-1, 3, 3, 4), ties="split",
    negative_stakes="low_bid", rounds=2,
)


def test_a_link_is_a_position():
    position = read_position("cards=3&ties=discard&objective=win&line=3:1:1,2")
    assert (position.rules, position.objective) == (gl.Rules(cards=3, ties="discard"), "win")
    assert position.line.state == gl.State((2, 3), (2, 3), (1,), upcard=2)
    assert len(position.line.rounds) == 1


@pytest.mark.parametrize(
    "link",
    [
        "cards=4", "cards=13&line=7:9:9,4:2:3,12", "cards=2&line=1:2:1,2:1:2",
        "cards=3&hand_a=2,4,6&hand_b=1,3,3&prizes=-1,3,3,4&ties=split&negative_stakes=low_bid"
        "&rounds=2&line=-1:4:3,3",
        "cards=3&order=3,1,2&line=3:1:2,1",
        "cards=6&objective=win&at_hand_a=1,3,5&at_hand_b=2,3,6&at_prizes=1,4&at_upcard=5"
        "&at_carried=2&at_lead=3&line=5:1:2,4",
        "cards=2&objective=win&games=3&line=1:1:1,2:2:2/2:1:2,1:2:1/",
    ],
)
def test_links_come_back(link):
    assert write_position(read_position(link)) == link
    assert read_position(write_position(read_position(link))) == read_position(link)


def test_the_next_game_of_a_match_begins_with_the_lead():
    position = read_position("cards=2&games=2&line=1:2:1,2:1:2/2")
    assert position.game == 2
    assert position.line.state == gl.State((1, 2), (1, 2), (1,), upcard=2, lead=-1)


@pytest.mark.parametrize(
    ("link", "sentence"),
    [
        ("", "cards is missing"),
        ("cards", "cannot be read"),
        ("cards=%ff", "cannot be read"),
        ("cards=4&cards=5", "twice"),
        ("cards=4&colour=red", "'colour' is not a field of a link"),
        ("cards=4&<script>=1", "not a field"),
        ("cards=63", "cards"),
        ("cards=" + "9" * 3000, "at most 18 digits"),
        ("cards=4&objective=fun", "objective must be one of margin, win"),
        ("cards=4&games=4", "games must be from 1 to 3"),
        ("cards=4&games=-1", "games must be from 1 to 3"),
        ("cards=4&line=9", "prize 9 cannot be exposed next"),
        ("cards=4&line=3:1", "rounds like 5:3:4"),
        ("cards=4&line=3:1:1:1", "rounds like 5:3:4"),
        ("cards=4&line=3,2", "exposed already"),
        ("cards=4&line=3:7:1", "bid 7 is not in A's hand"),
        ("cards=4&line=3:1:7", "bid 7 is not in B's hand"),
        ("cards=4&line=3:1:1,3", "prize 3 cannot be exposed next"),
        ("cards=4&line=3:a:1", "line must be an integer"),
        ("cards=4&line=3:1:1/", "before one is over"),
        ("cards=1&line=1:1:1/1", "more than 1 games"),
        ("cards=4&line=" + "1," * LONGEST_LINK, "at most 4,000 are read"),
    ],
)
def test_what_is_wrong_with_a_link_is_one_sentence(link, sentence):
    with pytest.raises(GopsError) as raised:
        read_position(link)
    assert sentence in str(raised.value)
    assert "\n" not in str(raised.value)
    assert len(str(raised.value)) < 400


TYPED = st.text(st.sampled_from("0123456789,:/-+%&=. <>é\n\0"), max_size=12) | st.text(max_size=6)


@settings(deadline=None, max_examples=100)
@given(st.lists(st.tuples(st.sampled_from(FIELDS) | TYPED, TYPED), max_size=4), st.booleans())
def test_any_text_is_a_position_or_one_error(pairs, with_cards):
    link = "&".join(f"{name}={value}" for name, value in pairs)
    with suppress(GopsError):  # and nothing else
        position = read_position(f"cards=3&{link}" if with_cards else link)
        assert read_position(write_position(position)) == position


# Where the cards lie


def test_tied_prizes_grow_on_the_table_until_they_are_taken():
    line = Line(gl.Rules(cards=4)).expose(2).bid(3, 3).expose(4).bid(1, 1)
    seen = table_of(line)
    assert (seen.tied, seen.captured_a, seen.spent_b) == ((2, 4), (), (1, 3))
    assert table_of(line.expose(1).bid(4, 2)).captured_a == (2, 4, 1)
    last = line.expose(1).bid(4, 4).expose(3).bid(2, 2)
    assert last.is_over
    assert table_of(last).tied == (2, 4, 1, 3)  # nobody gets them


@pytest.mark.parametrize(("ties", "where"), [("discard", "nobody"), ("split", "both")])
def test_tied_prizes_that_are_not_carried_are_gone(ties, where):
    line = Line(gl.Rules(cards=2, ties=ties)).expose(2).bid(1, 1)
    assert taker(line.rules, line.rounds[0]) == where
    assert (table_of(line).gone, table_of(line).tied) == ((2,), ())


def test_the_lower_bid_takes_what_is_below_zero():
    line = Line(HOUSE).expose(-1).bid(4, 3)
    assert taker(HOUSE, line.rounds[0]) == "b"
    assert table_of(line).captured_b == (-1,)


def test_a_stake_of_nothing_goes_to_the_higher_bid():
    rules = gl.Rules(cards=2, prizes=(0, 1), negative_stakes="low_bid")
    assert table_of(Line(rules).expose(0).bid(2, 1)).captured_a == (0,)


def test_what_was_carried_before_a_line_is_told_apart():
    begun = gl.State((1, 3), (2, 3), (1,), upcard=2, carried=5)
    line = Line(gl.Rules(cards=3), (begun,)).bid(3, 3)
    assert (table_of(line).carried_before, table_of(line).tied) == (5, (2,))
    assert table_of(line.expose(1).bid(1, 2)).captured_b == (2, 1)
