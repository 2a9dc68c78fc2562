"""The encoder, where there is a number, a column or a sentence to compare with.

That it agrees with the pure transitions on random states is among the laws.
"""

from itertools import combinations, combinations_with_replacement, product
from math import comb, factorial

import numpy as np
import pytest

import gops_lab as gl
from gops_lab.encoding import (
    CardSets,
    Encoder,
    Patterns,
    RawHands,
    children,
    comparisons,
    concatenate,
    feature_names,
    features,
    hand_codes,
)
from gops_lab.errors import IllegalBidError, StateError

# Patterns


def pairs_of_hands(hands):
    """Return every pair of hands of a list, as two arrays."""
    pairs = list(product(hands, repeat=2))
    return tuple(np.array([pair[side] for pair in pairs], np.int64) for side in (0, 1))


@pytest.mark.parametrize("cards", range(1, 5))
def test_there_are_as_many_patterns_as_the_formula_says(cards):
    """Sum over t common ranks of (2n - t)! / (t! (n - t)! (n - t)!); DESIGN section 5."""
    hands_a, hands_b = pairs_of_hands(list(combinations(range(2 * cards), cards)))
    codes = np.unique(Patterns(repeats=False).encode(hands_a, hands_b))
    assert len(codes) == sum(
        factorial(2 * cards - t) // (factorial(t) * factorial(cards - t) ** 2)
        for t in range(cards + 1)
    )


@pytest.mark.parametrize("cards", range(1, 5))
def test_a_deck_of_13_has_the_patterns_in_print(cards, published):
    expected = published["counts"]["patterns at 13, n = 13..1"][-cards]
    assert expected == {1: 3, 2: 13, 3: 63, 4: 321}[cards]
    hands_a, hands_b = pairs_of_hands(list(combinations(range(1, 14), cards))[: 400])
    everything = np.array(list(combinations(range(2 * cards), cards)))
    codes = Patterns(repeats=False).encode(*pairs_of_hands(everything.tolist()))
    assert len(np.unique(codes)) == expected
    assert np.isin(Patterns(repeats=False).encode(hands_a, hands_b), codes).all()


@pytest.mark.parametrize("repeats", [False, True])
@pytest.mark.parametrize("cards", [1, 2, 3])
def test_a_code_is_the_outcome_of_all_comparisons(cards, repeats):
    choose = combinations_with_replacement if repeats else combinations
    hands_a, hands_b = pairs_of_hands(list(choose(range(2 * cards), cards)))
    patterns = Patterns(repeats)
    codes = patterns.encode(hands_a, hands_b)
    outcomes = comparisons(hands_a, hands_b).reshape(len(codes), -1)
    both = np.unique(np.column_stack((codes, outcomes)), axis=0)
    assert len(both) == len(np.unique(codes)) == len(np.unique(outcomes, axis=0))
    # Decoding gives hands of this code, in the same order of play.
    back_a, back_b = patterns.decode(codes, cards)
    np.testing.assert_array_equal(patterns.encode(back_a, back_b), codes)
    np.testing.assert_array_equal(comparisons(back_a, back_b).reshape(len(codes), -1), outcomes)
    assert (np.diff(back_a, axis=1) >= 0).all()
    assert (np.diff(back_b, axis=1) >= 0).all()


def test_the_order_of_a_hand_does_not_matter():
    patterns = Patterns(repeats=False)
    sorted_hands = np.array([[1, 4, 6]]), np.array([[2, 4, 5]])
    shuffled = np.array([[6, 1, 4]]), np.array([[4, 5, 2]])
    assert patterns.encode(*sorted_hands) == patterns.encode(*shuffled)


@pytest.mark.parametrize("repeats", [False, True])
def test_the_longest_hands_have_codes_that_fit(repeats):
    """The code with the largest digits throughout, and the one with the most digits."""
    patterns = Patterns(repeats)
    n = patterns.most_cards
    ranks = np.arange(n)
    hands = np.array([ranks, ranks, ranks + n, np.full(n, 1)])
    others = np.array([ranks, ranks + n, ranks, np.full(n, 1)])
    if not repeats:
        hands, others = hands[:3], others[:3]
    codes = patterns.encode(hands, others)
    assert (codes > 0).all()
    np.testing.assert_array_equal(
        comparisons(*patterns.decode(codes, n)), comparisons(hands, others)
    )


def test_hands_too_long_for_patterns_are_named_by_themselves():
    assert isinstance(hand_codes(gl.Rules(19)), Patterns)
    assert isinstance(hand_codes(gl.Rules(20)), RawHands)
    assert isinstance(hand_codes(gl.Rules(5), patterns=False), RawHands)
    twice = gl.Rules(hand_a=(1, 1), hand_b=(1, 2), prizes=(1, 2))
    assert hand_codes(twice) == Patterns(repeats=True)


def test_raw_hands_tell_every_pair_apart():
    rules = gl.Rules(hand_a=(1, 1, 2, 5), hand_b=(0, 2, 2, 2), prizes=(1, 2, 3, 4))
    codes = RawHands(rules.hand_a, rules.hand_b)
    hands = [
        np.array(sorted(set(combinations(hand, 2)))) for hand in (rules.hand_a, rules.hand_b)
    ]
    rows = list(product(range(len(hands[0])), range(len(hands[1]))))
    pairs = [hand[[row[side] for row in rows]] for side, hand in enumerate(hands)]
    numbers = codes.encode(*pairs)
    assert len(set(numbers.tolist())) == len(rows) == 8
    for found, pair in zip(codes.decode(numbers, 2), pairs, strict=True):
        np.testing.assert_array_equal(found, pair)


@pytest.mark.parametrize("codes", [Patterns(False), RawHands((1, 2, 4), (2, 3, 4))], ids=str)
def test_children_are_the_hands_without_the_cards_bid(codes):
    hands = np.array([[1, 2, 4]]), np.array([[2, 3, 4]])
    left = children(codes, *hands)
    for i, j in np.ndindex(3, 3):
        rest = [np.delete(hand, index, axis=1) for hand, index in zip(hands, (i, j), strict=True)]
        assert left[0, i, j] == codes.encode(*rest)[0]


# Sets of cards


def test_masks_count_and_list_repeated_cards():
    sets = CardSets((-1, 2, 2, 2, 5))
    parts = [(), (2,), (2, 2), (-1, 2, 2, 2, 5), (-1, 5)]
    masks = sets.encode(parts)
    assert [sets.decode(mask) for mask in masks] == parts
    assert sets.sizes(masks).tolist() == [0, 1, 2, 5, 2]
    assert sets.counts(masks).tolist() == [[0, 0, 0], [0, 1, 0], [0, 2, 0], [1, 3, 1], [1, 0, 1]]
    assert sets.distinct.tolist() == [-1, 2, 5]
    assert sets.find(np.array([2, 3, -1, 9])).tolist() == [1, -1, 0, -1]
    with pytest.raises(StateError, match=r"2 is too many"):
        sets.encode([(2, 2, 2, 2)])
    with pytest.raises(StateError, match=r"7 is too many"):
        sets.encode([(7,)])


def test_every_set_of_a_size_is_listed_once():
    sets = CardSets((1, 1, 1, 3, 4, 4))
    for size in range(7):
        found = [sets.decode(mask) for mask in sets.of_size(size)]
        assert sorted(found) == sorted(set(combinations((1, 1, 1, 3, 4, 4), size)))
        assert (np.diff(sets.of_size(size)) > 0).all()


def test_a_known_order_leaves_its_ends_only():
    sets = CardSets((3, 1, 3), ordered=True)
    assert [sets.decode(sets.of_size(size)[0]) for size in range(4)] == [
        (), (3,), (1, 3), (3, 1, 3),
    ]
    masks = sets.encode([(3, 1, 3), (1, 3), (3,)])
    # Equal prizes at two positions are two prizes; only the first to come can be exposed.
    assert sets.next_counts(masks).tolist() == [[1, 0, 0], [0, 1, 0], [0, 0, 1]]
    with pytest.raises(StateError, match="not the end of the known order"):
        sets.encode([(3, 1)])


def test_the_largest_total_takes_what_weighs_most():
    sets = CardSets((-6, -1, 2, 5))
    masks = sets.encode([(-6, -1, 2, 5), (-1, 2), ()])
    assert sets.largest_total(masks, 2).tolist() == [11, 3, 0]
    assert sets.largest_total(masks, 0).tolist() == [0, 0, 0]
    assert sets.largest_total(masks, 9).tolist() == [14, 3, 0]


# Batches


RULES = gl.Rules(cards=4, ties="carry")
STATES = [
    gl.State((1, 3), (2, 4), (2, 3), upcard=4, carried=1, lead=-5),
    gl.State((1, 2, 3, 4), (1, 2, 3, 4), (1, 2, 3, 4)),
    gl.State((3,), (3,), (), upcard=1, carried=0, lead=2),
]
FITTING = [gl.State((1, 3), (2, 4), (2,), upcard=4, carried=1, lead=-5), *STATES[1:]]


def test_a_state_that_does_not_fit_is_named_by_its_place():
    with pytest.raises(StateError, match="state 0: 2 hidden prizes"):
        Encoder(RULES).encode(STATES)


def test_batches_are_chosen_from_and_joined():
    encoder = Encoder(RULES)
    batch = encoder.encode(FITTING)
    joined = concatenate([batch[np.array([2, 0])], batch[1:2]])
    assert encoder.decode(joined) == [FITTING[2], FITTING[0], FITTING[1]]
    assert not joined.equals(batch)
    assert len(encoder.start(3)) == 3
    assert encoder.decode(encoder.start(2)) == [FITTING[1]] * 2


@pytest.mark.parametrize(
    ("bids_a", "bids_b", "error", "reason"),
    [
        ([1, 3], [2, 4], IllegalBidError, r"state 1: bid 4 is not in B's hand \{3\}"),
        ([2, 3], [2, 3], IllegalBidError, r"state 0: bid 2 is not in A's hand \{1, 3\}"),
        ([1, 99], [2, 3], IllegalBidError, r"state 1: bid 99 is not in A's hand \{3\}"),
        ([1], [2, 3], StateError, "bids_a must be 2 integers, one for each state"),
        ([1, 3], [2.0, 3.0], StateError, "bids_b must be 2 integers, .* float64"),
    ],
)
def test_bids_that_cannot_be_made(bids_a, bids_b, error, reason):
    encoder = Encoder(RULES)
    batch = encoder.encode([FITTING[0], FITTING[2]])
    with pytest.raises(error, match=reason):
        encoder.resolve_round(batch, np.array(bids_a), np.array(bids_b))


def test_a_round_needs_an_upcard_and_a_player_a_name():
    encoder = Encoder(RULES)
    with pytest.raises(StateError, match="state 1 has no upcard exposed"):
        encoder.resolve_round(
            encoder.encode(FITTING[:2]), np.array([1, 1]), np.array([2, 2])
        )
    with pytest.raises(StateError, match="player must be 'a' or 'b', not 'A'"):
        encoder.legal_bids(encoder.start(), "A")


def test_prizes_stay_hidden_when_no_round_is_left():
    rules = gl.Rules(cards=3, rounds=1)
    encoder = Encoder(rules)
    batch = encoder.encode([gl.State((1, 3), (2, 3), (1, 2), lead=3)])
    assert encoder.possible_upcards(batch).tolist() == [[0, 0, 0]]
    with pytest.raises(StateError, match="prize 1 cannot be exposed next"):
        encoder.expose(batch, np.array([0]))


# Numbers for states


@pytest.mark.parametrize("exposed", [False, True])
@pytest.mark.parametrize("tier", [1, 2, 3])
@pytest.mark.parametrize("order", ["random", (2, -1, 3)])
def test_every_number_of_a_tier_is_some_batch_row(order, tier, exposed):
    rules = gl.Rules(hand_a=(1, 1, 4), hand_b=(2, 3, 4), prizes=(-1, 2, 3), order=order)
    encoder = Encoder(rules)
    count = encoder.index_count(tier, exposed)
    pairs = {1: 2 * 3, 2: 2 * 3, 3: 1}[tier]  # the 1 is held twice
    hidden = 1 if rules.known_order else comb(3, tier - exposed)
    # Carried sums from -1 to 5, leads from -6 to 6, and any of three prizes exposed.
    assert count == pairs * hidden * (3 if exposed else 1) * 7 * 13
    numbers = np.arange(count)
    batch = encoder.from_index(tier, exposed, numbers)
    np.testing.assert_array_equal(encoder.index(batch), numbers)
    rows = {tuple(row) for row in np.column_stack(
        (batch.hand_a, batch.hand_b, batch.prizes, batch.upcard, batch.carried, batch.lead)
    ).tolist()}
    assert len(rows) == count


def test_numbers_are_refused_where_there_is_none():
    encoder = Encoder(RULES)
    first = encoder.encode(FITTING[:1])
    with pytest.raises(StateError, match="one tier, all exposed or none"):
        encoder.index(encoder.encode(FITTING))
    with pytest.raises(StateError, match="state 0: lead 50 has no index"):
        encoder.index(encoder.encode([gl.State((1, 3), (2, 4), (2,), 4, 1, 50)]))
    with pytest.raises(StateError, match="state 0: carried -1 has no index"):
        encoder.index(encoder.encode([gl.State((1, 3), (2, 4), (2,), 4, -1)]))
    with pytest.raises(StateError, match="must be between 0 and"):
        encoder.from_index(2, True, np.array([encoder.index_count(2, True)]))
    with pytest.raises(StateError, match="must be between 0 and"):
        encoder.from_index(2, True, np.array([-1]))
    for tier in (-1, 0, 5):
        with pytest.raises(StateError, match=f"tier {tier} has no stage game"):
            encoder.index_count(tier, True)
    with pytest.raises(StateError, match="too many to index"):
        Encoder(gl.Rules(30)).index_count(3, True)
    with pytest.raises(StateError, match="more states than a 64-bit index"):
        Encoder(gl.Rules(18)).index_count(9, True)
    assert encoder.index(first[:0]).tolist() == []


# Features


def test_every_feature_is_what_its_name_says():
    rules = gl.Rules(hand_a=(1, 1, 4), hand_b=(2, 3, 4), prizes=(-2, 3, 3, 5), rounds=3)
    encoder = Encoder(rules)
    states = [
        gl.State((1, 1, 4), (2, 3, 4), (-2, 3, 3, 5)),
        gl.State((1, 4), (3, 4), (3, 5), upcard=-2, carried=3, lead=-1),
        gl.State((), (), (3,), carried=2, lead=7),
    ]
    rows = features(encoder, encoder.encode(states))
    names = feature_names(encoder)
    assert rows.dtype == np.float64
    assert rows.shape == (3, len(names))
    shown = [dict(zip(names, row, strict=True)) for row in rows.tolist()]
    assert shown[0] == {
        "hand_a:1": 2, "hand_a:4": 1, "hand_b:2": 1, "hand_b:3": 1, "hand_b:4": 1,
        "hidden:-2": 1, "hidden:3": 2, "hidden:5": 1, "exposed": 0, "upcard": 0, "carried": 0,
        "stake": 0, "lead": 0, "rounds_left": 3, "hidden_points": 9,
        "a_beats": pytest.approx(2 / 9), "ties": pytest.approx(1 / 9),
    }
    assert shown[1] == {
        "hand_a:1": 1, "hand_a:4": 1, "hand_b:2": 0, "hand_b:3": 1, "hand_b:4": 1,
        "hidden:-2": 0, "hidden:3": 1, "hidden:5": 1, "exposed": 1, "upcard": -2, "carried": 3,
        "stake": 1, "lead": -1, "rounds_left": 2, "hidden_points": 8, "a_beats": 0.25,
        "ties": 0.25,
    }
    assert shown[2]["rounds_left"] == shown[2]["a_beats"] == 0
    assert shown[2]["lead"] == 7


def test_features_of_a_known_order_tell_positions_apart():
    rules = gl.Rules(cards=3, order=(2, 1, 2))
    encoder = Encoder(rules)
    names = feature_names(encoder)
    assert names[6:9] == ["hidden:0:2", "hidden:1:1", "hidden:2:2"]
    batch = encoder.encode([gl.State((1, 2), (1, 3), (2,), upcard=1)])
    assert features(encoder, batch)[0, 6:9].tolist() == [0, 0, 1]


def test_an_index_of_large_prizes_builds_no_list_of_points():
    encoder = Encoder(gl.Rules(2, prizes=(10**8, 10**8)))
    batch = encoder.encode([gl.State((1,), (2,), (10**8,), carried=7, lead=-(10**8))])
    numbers = encoder.index(batch)
    assert encoder.decode(encoder.from_index(1, False, numbers)) == encoder.decode(batch)


def test_too_many_states_for_an_index_are_refused_before_they_are_listed():
    with pytest.raises(StateError, match="more states than a 64-bit index can number"):
        Encoder(gl.Rules(24)).index_count(12, True)


@pytest.mark.parametrize("cards", [(1, 2, 3, 4), (0, 0, 0, 5, 5, 7)])
def test_sets_are_as_many_as_counted(cards):
    sets = CardSets(cards)
    for size in range(len(cards) + 1):
        assert sets.count_of_size(size) == len(sets.of_size(size))


@pytest.mark.parametrize("groups", [[-1], [3], [0, 1], [[0]]])
def test_positions_that_no_prize_has(groups):
    encoder = Encoder(gl.Rules(3))
    with pytest.raises(StateError, match="groups must be 1 positions between 0 and 2"):
        encoder.expose(encoder.start(), np.array(groups))


def test_no_states_at_all_play_a_round():
    encoder = Encoder(gl.Rules(3))
    batch = encoder.expose(encoder.start(), np.array([0]))
    assert len(encoder.resolve_round(batch[:0], [], [])) == 0
