"""What is true of every game, on random rules: hands, prizes, orders, rounds and utilities."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import gops_lab as gl
from gops_lab.encoding import Encoder
from gops_lab.game import as_objective, expose, resolve_round, rounds_left, start, upcards
from gops_lab.induction import Reductions
from gops_lab.matrix_games import guarantees

COMMON = settings(
    deadline=None, max_examples=30, suppress_health_check=[HealthCheck.too_slow], derandomize=True
)


def utility(lead):
    """Neither odd nor linear: nothing about swapping or leads may be assumed."""
    return Fraction(lead * lead, 7) + lead if lead > 0 else lead


OBJECTIVES = ["margin", "win", utility]


@st.composite
def rules_of_the_house(draw, most_cards=3, **fixed):
    cards = draw(st.integers(1, most_cards))
    rank = st.integers(0, 5)
    rounds = draw(st.integers(1, cards))
    prizes = draw(st.lists(st.integers(-4, 6), min_size=rounds, max_size=cards + 1))
    order = draw(st.sampled_from(["random", "ascending", "descending", "sequence"]))
    names = {
        "hand_a": draw(st.lists(rank, min_size=cards, max_size=cards)),
        "hand_b": draw(st.lists(rank, min_size=cards, max_size=cards)),
        "prizes": prizes,
        "rounds": rounds,
        "ties": draw(st.sampled_from(["carry", "discard", "split"])),
        "order": draw(st.permutations(prizes)) if order == "sequence" else order,
        "negative_stakes": draw(st.sampled_from(["high_bid", "low_bid"])),
    }
    return gl.Rules(**(names | fixed))


@st.composite
def states(draw, rules):
    """A state after some rounds of any bids, with any lead and carried sum."""
    state = start(rules)
    for _ in range(draw(st.integers(0, rules.rounds - 1))):
        state = expose(rules, state, draw(st.sampled_from(sorted(upcards(rules, state)))))
        state = resolve_round(
            rules, state, draw(st.sampled_from(state.hand_a)), draw(st.sampled_from(state.hand_b))
        )
    if draw(st.booleans()):
        state = expose(rules, state, draw(st.sampled_from(sorted(upcards(rules, state)))))
    extra = {"carried": draw(st.integers(-5, 9)), "lead": draw(st.integers(-9, 9))}
    fields = {name: getattr(state, name) for name in ("hand_a", "hand_b", "prizes", "upcard")}
    return gl.State(**fields, **extra) if draw(st.booleans()) else state


def plain_value(rules, goal, state):
    """Solve by recursion over single states: slow, and plainly what the rules say."""
    if rounds_left(rules, state) == 0:
        return Fraction(goal(state.lead))
    if state.upcard is None:
        following = upcards(rules, state)
        return sum(
            part * plain_value(rules, goal, expose(rules, state, upcard))
            for upcard, part in following.items()
        )
    payoffs = [
        [
            plain_value(rules, goal, resolve_round(rules, state, bid_a, bid_b))
            for bid_b in sorted(set(state.hand_b))
        ]
        for bid_a in sorted(set(state.hand_a))
    ]
    return gl.solve_matrix_game(payoffs, method="exact").value


@COMMON
@given(st.data(), st.sampled_from(OBJECTIVES))
def test_any_state_is_worth_what_plain_recursion_says(data, objective):
    rules = data.draw(rules_of_the_house())
    state = data.draw(states(rules))
    expected = plain_value(rules, as_objective(objective), state)
    exact = gl.solve(rules, objective, exact=True)
    assert exact.value(state) == expected
    assert gl.solve(rules, objective, start=state, exact=True).value() == expected
    float_solution = gl.solve(rules, objective)
    low, high = float_solution.bounds(state)
    assert low <= expected <= high
    assert high - low < 1e-9


@COMMON
@given(rules_of_the_house(), st.sampled_from(OBJECTIVES))
def test_no_reduction_changes_a_value(rules, objective):
    whole = gl.solve(rules, objective, exact=True).value()
    names = ("patterns", "swap", "drop_lead", "decided")
    for off in (*({name: False} for name in names), dict.fromkeys(names, False)):
        reduced = gl.solve(rules, objective, exact=True, reductions=Reductions(**off))
        assert reduced.value() == whole
        assert "all" not in reduced.method
        assert not set(off) & set(reduced.reducer.reductions.names())


@COMMON
@given(rules_of_the_house(), st.sampled_from(["margin", "win"]), st.integers(-4, 4))
def test_swapping_the_players_negates_the_value(rules, objective, lead):
    names = rules.as_dict()
    names["hand_a"], names["hand_b"] = names["hand_b"], names["hand_a"]
    swapped = gl.Rules(**names)
    here = gl.State(rules.hand_a, rules.hand_b, start(rules).prizes, lead=lead)
    there = gl.State(swapped.hand_a, swapped.hand_b, here.prizes, lead=-lead)
    value = gl.solve(rules, objective, start=here, exact=True).value()
    assert gl.solve(swapped, objective, start=there, exact=True).value() == -value


@COMMON
@given(rules_of_the_house(), st.integers(2, 5))
def test_scaling_the_prizes_scales_a_margin(rules, factor):
    names = rules.as_dict()
    names["prizes"] = [factor * prize for prize in names["prizes"]]
    if not isinstance(names["order"], str):
        names["order"] = [factor * prize for prize in names["order"]]
    scaled = gl.solve(gl.Rules(**names), exact=True).value()
    assert scaled == factor * gl.solve(rules, exact=True).value()


@COMMON
@given(st.data(), st.sampled_from(OBJECTIVES))
def test_splitting_a_tie_is_discarding_it(data, objective):
    rules = data.draw(rules_of_the_house(ties="split"))
    state = data.draw(states(rules))
    discard = gl.Rules(**(rules.as_dict() | {"ties": "discard"}))
    # What is carried into a state belongs to its stake under either rule.
    values = [gl.solve(r, objective, start=state, exact=True).value() for r in (rules, discard)]
    assert values[0] == values[1]


@COMMON
@given(rules_of_the_house(), st.sampled_from(OBJECTIVES))
def test_relabelling_ranks_in_order_changes_nothing(rules, objective):
    relabel = {rank: rank * rank + 3 for rank in (*rules.hand_a, *rules.hand_b)}
    names = rules.as_dict()
    for hand in ("hand_a", "hand_b"):
        names[hand] = [relabel[rank] for rank in names[hand]]
    relabelled = gl.solve(gl.Rules(**names), objective, exact=True)
    assert relabelled.value() == gl.solve(rules, objective, exact=True).value()


@COMMON
@given(st.data())
def test_named_objectives_are_utilities(data):
    rules = data.draw(rules_of_the_house())
    state = data.draw(states(rules))
    leads = range(-60, 61)
    for name, function in (("margin", lambda d: d), ("win", lambda d: (d > 0) - (d < 0))):
        expected = gl.solve(rules, name, exact=True).value(state)
        assert gl.solve(rules, function, exact=True).value(state) == expected
        table = {lead: function(lead) for lead in leads}
        assert gl.solve(rules, table, exact=True).value(state) == expected


@COMMON
@given(st.data(), st.sampled_from(OBJECTIVES))
def test_strategies_attain_the_value_within_the_ranges(data, objective):
    rules = data.draw(rules_of_the_house())
    state = data.draw(states(rules).filter(lambda state: state.upcard is not None))
    solution = gl.solve(rules, objective)
    payoffs = solution.stage_game(state).to_numpy()
    mixed = [solution.strategy(state, player).to_numpy() for player in "ab"]
    low, high = guarantees(payoffs, *mixed)
    assert high - low <= 1e-9 * max(1, np.abs(payoffs).max())
    assert low - 1e-9 <= solution.value(state) <= high + 1e-9
    for player, probabilities in zip("ab", mixed, strict=True):
        ranges = solution.optimal_ranges(state, player)
        assert np.all(probabilities >= ranges["min"] - 1e-7)
        assert np.all(probabilities <= ranges["max"] + 1e-7)
        worse = payoffs if player == "a" else -payoffs.T
        for i in range(len(worse)):
            if any((worse[j] > worse[i] + 1e-9).all() for j in range(len(worse))):
                assert ranges["max"][i] <= 1e-9
                assert probabilities[i] <= 1e-9


@COMMON
@given(st.data())
def test_the_encoder_does_what_the_transitions_do(data):
    rules = data.draw(rules_of_the_house(most_cards=4))
    drawn = data.draw(st.lists(states(rules), min_size=1, max_size=6))
    encoder = Encoder(rules)
    batch = encoder.encode(drawn)
    assert encoder.decode(batch) == drawn
    assert encoder.encode(encoder.decode(batch)).equals(batch)
    for player, name in (("a", "hand_a"), ("b", "hand_b")):
        held = encoder.legal_bids(batch, player)
        ranks = encoder.hands["ab".index(player)].distinct
        for row, state in enumerate(drawn):
            assert set(ranks[held[row]]) == set(getattr(state, name))
    counts = encoder.possible_upcards(batch)
    for row, state in enumerate(drawn):
        if state.upcard is None:
            following = upcards(rules, state)
            total = counts[row].sum()
            shown = {}
            for prize, copies in zip(encoder.prizes.distinct.tolist(), counts[row], strict=True):
                if copies:
                    shown[prize] = Fraction(int(copies), int(total))
            assert shown == following
    exposed = [state for state in drawn if state.upcard is not None]
    if exposed:
        bids = [
            [data.draw(st.sampled_from(getattr(state, name))) for state in exposed]
            for name in ("hand_a", "hand_b")
        ]
        after = encoder.resolve_round(encoder.encode(exposed), *map(np.array, bids))
        assert encoder.decode(after) == [
            resolve_round(rules, state, a, b) for state, a, b in zip(exposed, *bids, strict=True)
        ]


@COMMON
@given(st.data())
def test_index_and_state_are_inverse(data):
    rules = data.draw(rules_of_the_house(most_cards=4))
    tier = data.draw(st.integers(rules.cards - rules.rounds + 1, rules.cards))
    exposed = data.draw(st.booleans())
    encoder = Encoder(rules)
    count = encoder.index_count(tier, exposed)
    numbers = np.array(data.draw(st.lists(st.integers(0, count - 1), min_size=1, max_size=20)))
    batch = encoder.from_index(tier, exposed, numbers)
    np.testing.assert_array_equal(encoder.index(batch), numbers)
    assert (encoder.tier(batch) == tier).all()


@COMMON
@given(rules_of_the_house(most_cards=4))
def test_swapping_twice_is_nothing_and_mirrors_the_pattern(rules):
    encoder = Encoder(rules)
    batch = encoder.start(2)
    swapped = encoder.swap(batch)
    assert encoder.swapped.swap(swapped).equals(batch)
    there = encoder.swapped.decode(swapped)[0]
    here = encoder.decode(batch)[0]
    assert (there.hand_a, there.hand_b, there.lead) == (here.hand_b, here.hand_a, -here.lead)


@pytest.mark.parametrize("ties", ["carry", "discard"])
def test_a_utility_that_is_constant_decides_at_once(ties):
    solution = gl.solve(gl.Rules(cards=4, ties=ties), lambda lead: 3)
    assert solution.value() == 3
    assert sum(report.stage_games for report in solution.reports.values()) == 0
