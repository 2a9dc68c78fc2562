"""What is true of every game, on random rules: hands, prizes, orders, rounds and utilities.

States are drawn off the path of play as well, with any carried sum and lead. Values are exact, and
compared exactly, unless a law is about floats.
"""

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

import gops_lab as gl
from gops_lab.encoding import Encoder
from gops_lab.errors import IllegalBidError, StateError
from gops_lab.game import as_objective, expose, resolve_round, rounds_left, upcards
from gops_lab.induction import Reductions
from gops_lab.matrix_games import guarantees

COMMON = settings(
    deadline=None, max_examples=30, suppress_health_check=[HealthCheck.too_slow], derandomize=True
)


def uneven(lead):
    """Neither odd nor linear: nothing about swapping or leads may be assumed."""
    return Fraction(lead * lead, 7) + lead if lead > 0 else lead


def cube(lead):
    """Odd, but no lead can be added to it."""
    return lead**3


def capped(lead):
    """Odd, and flat where a lead is large: games are decided early, other than under ``win``."""
    return max(-3, min(3, lead))


def floor(lead):
    """Flat on one side, jumping on the other; not monotone."""
    return 1 if lead < -2 else lead % 4


ODD = ["margin", "win", cube, capped]
OBJECTIVES = [*ODD, uneven, floor]


@st.composite
def rules_of_the_house(draw, most_cards=3, **fixed):
    """Unequal hands, repeated and zero ranks, prizes of any sign, fewer rounds than cards."""
    cards = draw(st.integers(1, most_cards))
    ranks = st.lists(st.integers(0, 5), min_size=cards, max_size=cards)
    rounds = draw(st.sampled_from([cards, cards, *range(1, cards)]))
    prizes = draw(st.lists(st.integers(-4, 6), min_size=rounds, max_size=cards + 1))
    order = draw(st.sampled_from(["random", "random", "ascending", "descending", "sequence"]))
    hand_a = draw(ranks)
    names = {
        "hand_a": hand_a,
        "hand_b": draw(st.one_of(ranks, st.just(hand_a))),
        "prizes": prizes,
        "rounds": rounds,
        "ties": draw(st.sampled_from(["carry", "discard", "split"])),
        "order": draw(st.permutations(prizes)) if order == "sequence" else order,
        "negative_stakes": draw(st.sampled_from(["high_bid", "low_bid"])),
    }
    return gl.Rules(**(names | fixed))


@st.composite
def states(draw, rules, exposed=None, tier=None, carried=(-5, 9), lead=(-9, 9)):
    """Any state that the rules hold cards for, with rounds left to play.

    `exposed` asks for an upcard or for none, `tier` for that many cards in each hand.
    """
    if tier is None:
        tier = draw(st.integers(rules.cards - rules.rounds + 1, rules.cards))
    played = rules.cards - tier
    hands = [draw(st.permutations(hand))[:tier] for hand in (rules.hand_a, rules.hand_b)]
    prizes = list(rules.known_order or draw(st.permutations(rules.prizes)))[played:]
    upcard = prizes.pop(0) if (draw(st.booleans()) if exposed is None else exposed) else None
    if rules.known_order is None:
        prizes.sort()
    return gl.State(
        *hands, prizes, upcard, draw(st.integers(*carried)), draw(st.integers(*lead))
    )


@st.composite
def games(draw, objectives=OBJECTIVES, exposed=None, **rules):
    """Rules, a state of theirs, and an objective."""
    house = draw(rules_of_the_house(**rules))
    return house, draw(states(house, exposed)), draw(st.sampled_from(objectives))


def changed(rules, **names):
    return gl.Rules(**(rules.as_dict() | names))


# Values


@COMMON
@given(games())
def test_any_state_is_worth_what_a_plain_program_says(plain_value, game):
    rules, state, objective = game
    expected = plain_value(rules, state, as_objective(objective))
    assert gl.solve(rules, objective, exact=True).value(state) == expected
    assert gl.solve(rules, objective, start=state, exact=True).value() == expected


@COMMON
@given(games(most_cards=4))
def test_bounds_hold_the_true_value(game):
    rules, state, objective = game
    exact = gl.solve(rules, objective, start=state, exact=True).value()
    for solution in (gl.solve(rules, objective), gl.solve(rules, objective, start=state)):
        lower, upper = map(Fraction, solution.bounds(state))
        assert lower <= exact <= upper
        assert lower <= Fraction(solution.value(state)) <= upper
        assert upper - lower <= 1e-9


@COMMON
@given(games())
def test_a_value_is_made_of_the_values_that_follow(game):
    rules, state, objective = game
    solution = gl.solve(rules, objective, exact=True)
    if state.upcard is None:
        following = upcards(rules, state)
        assert sum(following.values()) == 1
        assert solution.value(state) == sum(
            part * solution.value(expose(rules, state, upcard))
            for upcard, part in following.items()
        )
        return
    payoffs = solution.stage_game(state)
    assert list(payoffs.index) == sorted(set(state.hand_a))
    assert list(payoffs.columns) == sorted(set(state.hand_b))
    for bid_a in payoffs.index:
        for bid_b in payoffs.columns:
            after = resolve_round(rules, state, bid_a, bid_b)
            assert payoffs.loc[bid_a, bid_b] == solution.value(after)


@COMMON
@given(games())
def test_when_nothing_is_left_to_play_the_lead_decides(game):
    rules, state, objective = game
    solution = gl.solve(rules, objective, exact=True)
    while rounds_left(rules, state):
        if state.upcard is None:
            state = expose(rules, state, min(upcards(rules, state)))
        state = resolve_round(rules, state, state.hand_a[0], state.hand_b[-1])
    assert solution.value(state) == as_objective(objective)(state.lead)
    assert solution.bounds(state) == (solution.value(state),) * 2


@COMMON
@given(rules_of_the_house(), st.sampled_from(OBJECTIVES), st.integers(-5, 5))
def test_a_solve_may_start_where_nothing_is_left_to_play(rules, objective, lead):
    left = rules.cards - rules.rounds
    order = rules.known_order or rules.prizes
    state = gl.State(rules.hand_a[:left], rules.hand_b[:left], order[rules.rounds :], lead=lead)
    for exact in (True, False):
        value = gl.solve(rules, objective, start=state, exact=exact).value()
        assert value == pytest.approx(float(as_objective(objective)(lead)), abs=1e-12)


# Reductions


@COMMON
@given(games())
def test_no_reduction_changes_a_number(game):
    rules, state, objective = game
    whole = gl.solve(rules, objective, exact=True)
    names = ("patterns", "swap", "drop_lead", "decided")
    for off in (*({name: False} for name in names), dict.fromkeys(names, False)):
        plainer = gl.solve(rules, objective, exact=True, reductions=Reductions(**off))
        assert not set(off) & set(plainer.reducer.reductions.names())
        assert plainer.value() == whole.value()
        assert plainer.value(state) == whole.value(state)
        if state.upcard is not None:
            assert plainer.stage_game(state).equals(whole.stage_game(state))


# Symmetries


@COMMON
@given(games(ODD))
def test_swapping_the_players_negates_the_value(game):
    rules, state, objective = game
    swapped = changed(rules, hand_a=rules.hand_b, hand_b=rules.hand_a)
    mirrored = replace(state, hand_a=state.hand_b, hand_b=state.hand_a, lead=-state.lead)
    here, there = (gl.solve(r, objective, exact=True) for r in (rules, swapped))
    assert there.value(mirrored) == -here.value(state)
    assert there.value() == -here.value()
    if state.upcard is not None:
        payoffs = here.stage_game(state).to_numpy()
        assert (there.stage_game(mirrored).to_numpy() == -payoffs.T).all()


@COMMON
@given(games(["margin"]), st.integers(2, 5))
def test_scaling_the_prizes_scales_a_margin(game, factor):
    rules, state, _ = game
    names = {"prizes": [factor * prize for prize in rules.prizes]}
    if isinstance(rules.order, tuple):
        names["order"] = [factor * prize for prize in rules.order]
    larger = gl.State(
        state.hand_a, state.hand_b, [factor * prize for prize in state.prizes],
        None if state.upcard is None else factor * state.upcard,
        factor * state.carried, factor * state.lead,
    )
    value = gl.solve(changed(rules, **names), exact=True).value(larger)
    assert value == factor * gl.solve(rules, exact=True).value(state)


@COMMON
@given(games(["margin"]), st.integers(-9, 9))
def test_a_lead_is_added_to_a_margin(game, more):
    rules, state, _ = game
    solution = gl.solve(rules, exact=True)
    ahead = replace(state, lead=state.lead + more)
    assert solution.value(ahead) == solution.value(state) + more


@COMMON
@given(games(ties="split"))
def test_splitting_a_tie_is_discarding_it(game):
    rules, state, objective = game
    split, discard = (
        gl.solve(r, objective, exact=True) for r in (rules, changed(rules, ties="discard"))
    )
    # What is carried into a state belongs to its stake under either rule.
    assert split.value(state) == discard.value(state)
    if state.upcard is not None:
        assert split.stage_game(state).equals(discard.stage_game(state))


@COMMON
@given(games(), st.lists(st.integers(1, 9), min_size=6, max_size=6))
def test_relabelling_ranks_in_order_changes_nothing(game, steps):
    rules, state, objective = game
    relabel = np.cumsum(steps).tolist()

    def hands(of):
        return {name: [relabel[r] for r in getattr(of, name)] for name in ("hand_a", "hand_b")}

    here = gl.solve(rules, objective, exact=True)
    there = gl.solve(changed(rules, **hands(rules)), objective, exact=True)
    relabelled = replace(state, **hands(state))
    assert there.value(relabelled) == here.value(state)
    assert there.value() == here.value()
    if state.upcard is not None:
        for player in "ab":
            ranges = here.optimal_ranges(state, player)
            ranges["bid"] = [relabel[bid] for bid in ranges["bid"]]
            assert there.optimal_ranges(relabelled, player).equals(ranges)


# Objectives


@COMMON
@given(games(["margin", "win"]))
def test_named_objectives_are_utilities(game):
    rules, state, name = game
    function = {"margin": lambda d: d, "win": lambda d: (d > 0) - (d < 0)}[name]
    reach = sum(map(abs, rules.prizes)) + abs(state.lead) + abs(state.carried)
    table = {lead: function(lead) for lead in range(-reach, reach + 1)}
    expected = gl.solve(rules, name, exact=True).value(state)
    for objective in (function, table):
        assert gl.solve(rules, objective, exact=True).value(state) == expected
        assert abs(gl.solve(rules, objective).value(state) - expected) <= 1e-12


@COMMON
@given(games(), st.integers(1, 4), st.integers(-6, 6))
def test_scale_and_origin_of_a_utility(game, factor, shift):
    rules, state, objective = game
    goal = as_objective(objective)
    before = gl.solve(rules, objective, exact=True)
    after = gl.solve(rules, lambda lead: factor * goal(lead) + shift, exact=True)
    assert after.value(state) == factor * before.value(state) + shift
    if state.upcard is not None:
        assert after.optimal_ranges(state).equals(before.optimal_ranges(state))


@pytest.mark.parametrize("ties", ["carry", "discard"])
def test_a_utility_that_is_constant_decides_at_once(ties):
    solution = gl.solve(gl.Rules(cards=4, ties=ties), lambda lead: 3)
    assert solution.value() == 3
    assert sum(report.stage_games for report in solution.reports.values()) == 0


# Strategies


@COMMON
@given(games(exposed=True), st.booleans())
def test_strategies_attain_the_value_within_the_ranges(game, exact):
    rules, state, objective = game
    solution = gl.solve(rules, objective, exact=exact)
    payoffs = solution.stage_game(state).to_numpy()
    mixed = [solution.strategy(state, player).to_numpy() for player in "ab"]
    lower, upper = guarantees(payoffs, *mixed)
    tolerance = 0 if exact else 1e-9 * max(1, np.abs(payoffs).max())
    assert upper - lower <= tolerance
    assert lower - tolerance <= solution.value(state) <= upper + tolerance
    for player, probabilities in zip("ab", mixed, strict=True):
        ranges = solution.optimal_ranges(state, player)
        assert sum(probabilities) == pytest.approx(1, abs=1e-12)
        assert all(ranges["min"] - tolerance <= probabilities)
        assert all(probabilities <= ranges["max"] + tolerance)


@COMMON
@given(games(exposed=True), st.booleans())
def test_strictly_dominated_bids_are_never_played(game, exact):
    rules, state, objective = game
    solution = gl.solve(rules, objective, exact=exact)
    payoffs = solution.stage_game(state).to_numpy()
    tolerance = 0 if exact else 1e-9
    seen = False
    for player, own in (("a", payoffs), ("b", -payoffs.T)):
        ranges = solution.optimal_ranges(state, player)
        strategy = solution.strategy(state, player)
        for i, bid in enumerate(strategy.index):
            if any((better > own[i] + tolerance).all() for better in own):
                seen = True
                assert strategy[bid] <= tolerance
                assert ranges["max"][i] <= tolerance
    assume(seen)


# The encoder


@COMMON
@given(st.data())
def test_encoding_a_state_loses_nothing(data):
    rules = data.draw(rules_of_the_house(most_cards=5))
    drawn = data.draw(st.lists(states(rules), max_size=6))
    encoder = Encoder(rules)
    batch = encoder.encode(drawn)
    assert len(batch) == len(drawn)
    assert encoder.decode(batch) == drawn
    assert encoder.encode(encoder.decode(batch)).equals(batch)
    assert encoder.tier(batch).tolist() == [state.tier for state in drawn]
    shown = [(s.upcard or 0) + s.carried for s in drawn]
    assert batch.stake.tolist() == shown


@COMMON
@given(st.data())
def test_vectorised_bids_and_rounds_are_those_of_the_transitions(data):
    rules = data.draw(rules_of_the_house(most_cards=4))
    drawn = data.draw(st.lists(states(rules, exposed=True), min_size=1, max_size=6))
    encoder = Encoder(rules)
    batch = encoder.encode(drawn)
    legal = [encoder.legal_bids(batch, player) for player in "ab"]
    for row, state in enumerate(drawn):
        for side, hand in enumerate((state.hand_a, state.hand_b)):
            held = encoder.hands[side].distinct[legal[side][row]]
            assert held.tolist() == sorted(set(hand))
    assert not encoder.possible_upcards(batch).any()
    rows, i, j = np.nonzero(legal[0][:, :, None] & legal[1][:, None, :])
    bids_a, bids_b = encoder.hands[0].distinct[i], encoder.hands[1].distinct[j]
    after = encoder.decode(encoder.resolve_round(batch[rows], bids_a, bids_b))
    assert after == [
        resolve_round(rules, drawn[row], bid_a, bid_b)
        for row, bid_a, bid_b in zip(rows, bids_a.tolist(), bids_b.tolist(), strict=True)
    ]
    rows, i = np.nonzero(~legal[0])
    if len(rows):
        illegal = encoder.hands[0].distinct[i]
        bids_b = np.array([drawn[row].hand_b[0] for row in rows])
        message = rf"state 0: bid {illegal[0]} is not in A's hand"
        with pytest.raises(IllegalBidError, match=message):
            encoder.resolve_round(batch[rows], illegal, bids_b)


@COMMON
@given(st.data())
def test_vectorised_exposures_are_those_of_the_transitions(data):
    rules = data.draw(rules_of_the_house(most_cards=4))
    drawn = data.draw(st.lists(states(rules, exposed=False), min_size=1, max_size=6))
    encoder = Encoder(rules)
    batch = encoder.encode(drawn)
    copies = encoder.possible_upcards(batch)
    for state, counts in zip(drawn, copies, strict=True):
        chances = {}
        for prize, count in zip(encoder.prizes.distinct.tolist(), counts, strict=True):
            if count:
                chances[prize] = Fraction(int(count), int(counts.sum()))
        assert chances == upcards(rules, state)
    rows, groups = np.nonzero(copies)
    exposed = encoder.decode(encoder.expose(batch[rows], groups))
    prizes = encoder.prizes.distinct[groups].tolist()
    assert exposed == [
        expose(rules, drawn[row], prize) for row, prize in zip(rows, prizes, strict=True)
    ]
    rows, groups = np.nonzero(copies == 0)
    if len(rows):
        with pytest.raises(StateError, match=r"state 0: prize .* cannot be exposed next"):
            encoder.expose(batch[rows], groups)


@COMMON
@given(st.data())
def test_an_index_numbers_states_and_finds_them_again(data):
    rules = data.draw(rules_of_the_house(most_cards=4))
    tier = data.draw(st.integers(rules.cards - rules.rounds + 1, rules.cards))
    exposed = data.draw(st.booleans())
    gains = sum(prize for prize in rules.prizes if prize > 0)
    losses = sum(prize for prize in rules.prizes if prize < 0)
    some = states(
        rules, exposed, tier, carried=(losses, gains), lead=(losses - gains, gains - losses)
    )
    drawn = data.draw(st.lists(some, min_size=1, max_size=8, unique=True))
    encoder = Encoder(rules)
    numbers = encoder.index(encoder.encode(drawn))
    assert len(set(numbers.tolist())) == len(drawn)
    assert encoder.decode(encoder.from_index(tier, exposed, numbers)) == drawn
    count = encoder.index_count(tier, exposed)
    others = np.array(data.draw(st.lists(st.integers(0, count - 1), min_size=1, max_size=20)))
    batch = encoder.from_index(tier, exposed, others)
    np.testing.assert_array_equal(encoder.index(batch), others)
    assert (encoder.tier(batch) == tier).all()
    assert (batch.exposed == exposed).all()


@COMMON
@given(st.data())
def test_swapping_a_batch_mirrors_every_state(data):
    rules = data.draw(rules_of_the_house(most_cards=4))
    drawn = data.draw(st.lists(states(rules), min_size=1, max_size=6))
    encoder = Encoder(rules)
    batch = encoder.encode(drawn)
    swapped = encoder.swap(batch)
    assert encoder.swapped.decode(swapped) == [
        replace(state, hand_a=state.hand_b, hand_b=state.hand_a, lead=-state.lead)
        for state in drawn
    ]
    assert encoder.swapped.swap(swapped).equals(batch)


@COMMON
@given(st.data())
def test_hands_have_one_pattern_exactly_if_all_comparisons_agree(data):
    rules = data.draw(rules_of_the_house(most_cards=4))
    tier = data.draw(st.integers(rules.cards - rules.rounds + 1, rules.cards))
    drawn = data.draw(st.lists(states(rules, tier=tier), min_size=2, max_size=8))
    encoder = Encoder(rules)
    codes = encoder.patterns(encoder.encode(drawn)).tolist()
    outcomes = [
        [[(a > b) - (a < b) for b in state.hand_b] for a in state.hand_a] for state in drawn
    ]
    for i in range(len(drawn)):
        for j in range(i):
            assert (codes[i] == codes[j]) == (outcomes[i] == outcomes[j])
