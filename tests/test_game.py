"""Rules, states and objectives: what is refused and why, what is accepted, what a round gives."""

import json
from fractions import Fraction

import numpy as np
import pytest

import gops_lab as gl
from gops_lab.errors import (
    ForecastError,
    GopsError,
    IllegalBidError,
    ObjectiveError,
    RulesError,
    StateError,
)
from gops_lab.game import (
    Objective,
    as_objective,
    check_state,
    expose,
    play_round,
    resolve_round,
    settle,
    start,
    upcards,
)

BAD_RULES = [
    ({}, "cards is missing"),
    ({"cards": 0}, "cards must be between 1 and 62, not 0"),
    ({"cards": -3}, "not -3"),
    ({"cards": 63}, "not 63"),
    ({"cards": 10**30}, "cards must be between"),
    ({"cards": 3.0}, "cards must be an integer, not 3.0"),
    ({"cards": "3"}, "not '3'"),
    ({"cards": True}, "not True"),
    ({"cards": 4, "hand_a": (1, 2, 3)}, "hand_a holds 3 cards, but cards=4"),
    ({"hand_a": (1, 2), "hand_b": (1, 2, 3)}, "both players must hold the same number"),
    ({"hand_a": (), "hand_b": ()}, "hand_a is empty"),
    ({"hand_a": (1, -2), "hand_b": (1, 2)}, r"hand_a\[1\] must be between 0"),
    ({"hand_a": (1, 2.5), "hand_b": (1, 2)}, "not 2.5"),
    ({"hand_a": "12", "hand_b": (1, 2)}, "hand_a must be a sequence of integers, not '12'"),
    ({"hand_a": 12, "hand_b": (1, 2)}, "not 12"),
    ({"cards": 3, "prizes": (1, 2)}, "2 prizes are too few for 3 rounds"),
    ({"cards": 3, "prizes": (1, 2, None)}, r"prizes\[2\] must be an integer, not None"),
    ({"cards": 2, "prizes": (1, 10**12)}, r"prizes\[1\] must be between"),
    ({"cards": 3, "prizes": range(100)}, "prizes holds more than 62 cards"),
    ({"cards": 3, "ties": "keep"}, "ties must be one of 'carry', 'discard', 'split', not 'keep'"),
    ({"cards": 3, "ties": None}, "not None"),
    ({"cards": 3, "order": "shuffled"}, "or a sequence of the prizes, not 'shuffled'"),
    ({"cards": 3, "order": (1, 2, 4), "prizes": (1, 2, 3)}, "is not an arrangement of the prizes"),
    ({"cards": 3, "order": 7}, "order must be a sequence"),
    ({"cards": 3, "negative_stakes": "low"}, "negative_stakes must be one of"),
    ({"cards": 3, "rounds": 0}, "rounds must be between 1 and 3"),
    ({"cards": 3, "rounds": 4}, "not 4"),
    ({"cards": 3, "rounds": 1.5}, "rounds must be an integer"),
]


@pytest.mark.parametrize(("names", "reason"), BAD_RULES)
def test_rules_that_describe_no_game(names, reason):
    with pytest.raises(RulesError, match=reason) as caught:
        gl.Rules(**names)
    assert isinstance(caught.value, ValueError)
    assert "\n" not in str(caught.value)


def test_an_order_names_the_prizes():
    assert gl.Rules(cards=3, order=(1, 2, 2)).prizes == (1, 2, 2)


GOOD_RULES = [
    {"cards": np.int64(4)},
    {"cards": 1},
    {"hand_a": [0, 0, 1], "hand_b": (5, 5, 5), "prizes": iter([3, -1, -1])},
    {"hand_a": np.array([1, 2]), "hand_b": (1, 2)},
    {"cards": 3, "prizes": (1, 2, 3, 4, 5), "rounds": 2},
    {"cards": 2, "order": [5, -3]},
    {"cards": 62},
]


@pytest.mark.parametrize("names", GOOD_RULES)
def test_good_rules_are_accepted_and_come_back_from_plain_values(names):
    rules = gl.Rules(**names)
    assert gl.Rules(**rules.as_dict()) == rules
    assert hash(gl.Rules(**rules.as_dict())) == hash(rules)
    assert eval(repr(rules), {"Rules": gl.Rules}) == rules


@pytest.mark.parametrize("upcard", [None, 4])
def test_a_state_goes_through_json(upcard):
    state = gl.State((1, 3), (2, 9), (7, -2), upcard, carried=3, lead=-5)
    assert gl.State(**json.loads(json.dumps(state.as_dict()))) == state


def test_the_defaults_are_the_table_game():
    rules = gl.Rules(cards=13)
    assert rules.hand_a == rules.hand_b == rules.prizes == tuple(range(1, 14))
    assert (rules.ties, rules.order, rules.rounds) == ("carry", "random", 13)
    assert rules.negative_stakes == "high_bid"
    assert sum(rules.prizes) == 91
    with pytest.raises(AttributeError):
        rules.ties = "split"


BAD_STATES = [
    (((1, 2, 7), (1, 2, 3), (1, 2, 3)), "hand_a .* holds 7, which is not in the rules'"),
    (((1, 1, 2), (1, 2, 3), (1, 2, 3)), "hand_a .* holds 1"),
    (((1, 2), (1, 2, 3), (1, 2, 3)), "both players must hold the same number"),
    (((1, 2), (1, 2), (1,)), "too few for 2 rounds"),
    (((1, 2), (1, 2), (1, 2, 3)), "too many for 2 rounds"),
    (((1, 2), (1, 2), (1, 2), 3), "too many"),
    (((1, 2), (1, 2), (1,), None), "too few"),
    (((1, 2), (1, 2), (3,), 3), "upcard 3 is exposed and cannot also be hidden"),
    (((1, 2), (1, 2), (3,), 9), "upcard 9 is not in the rules'"),
    (((1, 2), (1, 2), (9,), 3), "prizes .* holds 9"),
    (((), (), (), 3), "no round is left"),
    (((), (), (1,)), "too many"),
]


@pytest.mark.parametrize(("fields", "reason"), BAD_STATES)
def test_states_that_cannot_be(fields, reason):
    state = gl.State(*fields)
    rules = gl.Rules(cards=3)
    with pytest.raises(StateError, match=reason):
        check_state(rules, state)
    solution = gl.solve(rules)
    for ask in (solution.value, solution.bounds, solution.stage_game, solution.optimal_ranges):
        with pytest.raises(StateError, match=reason):
            ask(state)


@pytest.mark.parametrize(
    ("fields", "reason"),
    [
        (((1, "x"), (1, 2), (1,)), r"hand_a\[1\] must be an integer, not 'x'"),
        (((1, 2), (1, 2), 5), "prizes must be a sequence"),
        (((1, 2), (1, 2), (1,), 1.5), "upcard must be an integer"),
        (((1, 2), (1, 2), (1,), 2, 0.5), "carried must be an integer"),
        (((1, 2), (1, 2), (1,), 2, 0, None), "lead must be an integer"),
        (((1, 2), (1, 2), (1,), 2, 0, 10**30), "lead must be between"),
    ],
)
def test_states_that_are_not_made_of_integers(fields, reason):
    with pytest.raises(StateError, match=reason):
        gl.State(*fields)


def test_known_orders_leave_no_choice():
    rules = gl.Rules(cards=3, order=(2, 3, 1))
    assert start(rules).prizes == (2, 3, 1)
    assert upcards(rules, start(rules)) == {2: 1}
    assert check_state(rules, gl.State((1, 2), (1, 3), (1, 3))).prizes == (3, 1)
    with pytest.raises(StateError, match="cannot be exposed in round 2"):
        check_state(rules, gl.State((1, 2), (1, 3), (3,), upcard=1))
    with pytest.raises(StateError, match="cannot be hidden in round 2"):
        check_state(rules, gl.State((1, 2), (1, 3), (1, 2)))
    with pytest.raises(StateError, match="cannot be exposed next"):
        expose(rules, start(rules), 3)


def test_any_lead_and_carried_sum_is_a_question():
    solution = gl.solve(gl.Rules(cards=3))
    state = gl.State((1, 3), (2, 3), (2,), upcard=3, carried=-40, lead=1000)
    assert solution.value(state) == pytest.approx(
        1000 + solution.value(gl.State((1, 3), (2, 3), (2,), upcard=3, carried=-40))
    )


def test_bids_must_be_held():
    rules = gl.Rules(cards=3)
    state = expose(rules, start(rules), 2)
    with pytest.raises(IllegalBidError, match=r"bid 7 is not in A's hand \{1, 2, 3\}"):
        play_round(rules, state, 7, 1)
    with pytest.raises(IllegalBidError, match="bid None is not in B's hand"):
        resolve_round(rules, state, 1, None)
    with pytest.raises(StateError, match="no upcard"):
        play_round(rules, start(rules), 1, 1)
    with pytest.raises(StateError, match="exposed already"):
        upcards(rules, state)


def test_a_round_changes_no_state_in_place():
    rules = gl.Rules(cards=3, ties="split")
    before = expose(rules, start(rules), 3)
    copy = gl.State(before.hand_a, before.hand_b, before.prizes, before.upcard)
    played, after = play_round(rules, before, 2, 2)
    assert before == copy
    assert played.gain_a == played.gain_b == Fraction(3, 2)
    assert after == gl.State((1, 3), (1, 3), (1, 2))


@pytest.mark.parametrize("ties", ["carry", "discard", "split"])
@pytest.mark.parametrize("negative_stakes", ["high_bid", "low_bid"])
def test_arrays_are_settled_as_numbers_are(ties, negative_stakes):
    rules = gl.Rules(cards=3, ties=ties, negative_stakes=negative_stakes)
    stakes, signs = np.meshgrid(np.arange(-4, 5), [-1, 0, 1])
    gains_a, gains_b, carried = settle(rules, stakes, signs)
    for index in np.ndindex(stakes.shape):
        one = settle(rules, int(stakes[index]), int(signs[index]))
        assert (gains_a[index], gains_b[index], carried[index]) == one


@pytest.mark.parametrize(
    "objective", ["draw", "", None, 3, ["win"], b"win", np.array([1.0])], ids=repr
)
def test_objectives_that_are_none(objective):
    with pytest.raises(ObjectiveError, match="objective must be 'margin', 'win', a callable"):
        gl.solve(gl.Rules(cards=2), objective)


@pytest.mark.parametrize(
    ("objective", "reason"),
    [
        ({0: 0.0}, "'table' has no value at lead"),
        (lambda lead: float("nan"), "must give a finite number"),
        (lambda lead: float("inf"), "must give a finite number"),
        (lambda lead: "much", "must give a finite number"),
        (lambda lead: 1 / lead, "has no value at lead 0"),
        (lambda lead: 1j, "must give a finite number"),
        (lambda lead: 10**400 * lead, "which only exact=True can hold"),
        (lambda lead: None.lead, "has no value at lead"),
    ],
)
def test_utilities_without_a_number(objective, reason):
    with pytest.raises(ObjectiveError, match=reason):
        gl.solve(gl.Rules(cards=3), objective)


def test_a_users_function_called_margin_is_not_taken_for_ours():
    def margin(lead):
        return -lead

    assert not as_objective(margin).ignores_lead
    state = gl.State((3,), (1,), (), upcard=2)
    assert gl.solve(gl.Rules(cards=3), margin).value(state) == -2


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        ({"method": "cplex"}, "method must be one of"),
        ({"method": "exact"}, "needs exact=True"),
        ({"method": "highs", "exact": True}, "needs method='exact'"),
        ({"start": "here"}, "a State is needed"),
        ({"workers": 0}, "workers must be between 1 and"),
        ({"workers": "two"}, "workers must be an integer"),
        ({"keep": 0}, "keep must be between 1 and 62, or 'all', not 0"),
        ({"keep": "some"}, "keep must be an integer"),
        ({"progress": 5}, "progress must be callable"),
        ({"reductions": "none"}, "reductions must be Reductions"),
        ({"start": gl.State((9,), (1,), (1,))}, "not in the rules"),
    ],
)
def test_solve_refuses_what_it_cannot_do(arguments, reason):
    with pytest.raises(GopsError, match=reason):
        gl.solve(gl.Rules(cards=3), **arguments)


@pytest.mark.parametrize("rules", [None, 3, {"cards": 3}])
def test_solve_wants_rules(rules):
    with pytest.raises(GopsError, match="rules must be Rules"):
        gl.solve(rules)


def test_a_match_with_more_leads_than_can_be_solved_is_refused():
    rules = gl.Rules(cards=2, prizes=(10**9, 1))
    with pytest.raises(ForecastError, match="can begin with 4,000,000,005 different leads"):
        gl.solve_match(rules, games=3)
    with pytest.raises(GopsError, match="rules must be Rules"):
        gl.solve_match(3)


def test_a_finished_game_has_a_value():
    over = gl.State((), (), (), lead=3)
    for objective, value in (("margin", 3), ("win", 1)):
        solution = gl.solve(gl.Rules(cards=3), objective, start=over)
        assert solution.value() == gl.solve(gl.Rules(cards=3), objective).value(over) == value
        assert solution.bounds() == (value, value)


@pytest.mark.parametrize("carried", [10**10, 2**53 - 5, -(10**12)])
def test_any_carried_sum_can_be_asked_for(carried):
    rules = gl.Rules(cards=3)
    state = gl.State((1, 3), (2, 3), (2,), upcard=3, carried=carried)
    exact = gl.solve(rules, exact=True).value(state)
    for solution in (gl.solve(rules), gl.solve(rules, start=state)):
        assert solution.value(state) == pytest.approx(float(exact), rel=1e-12)
        low, high = solution.bounds(state)
        assert low <= exact <= high


@pytest.mark.parametrize("method", ["simplex", None])
def test_only_the_tiers_asked_for_are_kept(method):
    rules = gl.Rules(cards=5)
    solution = gl.solve(rules, method=method, keep=2)
    assert sorted(solution.tables) == [4, 5]
    state = gl.State((1, 3), (2, 5), (4,), upcard=3, lead=1)
    assert solution.value(state) == pytest.approx(gl.solve(rules).value(state), abs=1e-12)


@pytest.mark.parametrize("games", [0, -1, 1.5, "3", None])
def test_a_match_has_games(games):
    with pytest.raises(GopsError, match="games must be"):
        gl.solve_match(gl.Rules(cards=2), games)


def test_questions_about_a_stage_game_need_an_upcard_and_a_player():
    solution = gl.solve(gl.Rules(cards=3))
    with pytest.raises(StateError, match="needs an upcard"):
        solution.stage_game()
    with pytest.raises(StateError, match="player must be 'a' or 'b', not 'c'"):
        solution.strategy(gl.State((1, 3), (2, 3), (2,), upcard=3), player="c")
    with pytest.raises(StateError, match="a State is needed"):
        solution.value((1, 2))


# The facts of DESIGN section 1 (whole rounds are played in test_reference)


def test_eight_stays_on_the_table_and_goes_with_the_five():
    """Both bid 9 for the 8; then A bids 7 against B's 11: B takes 13, and the 11 scores nothing."""
    rules = gl.Rules(13)
    tied, state = play_round(rules, expose(rules, start(rules), 8), 9, 9)
    assert (tied.gain_a, tied.gain_b, tied.carried) == (0, 0, 8)
    assert state.carried == 8
    taken, state = play_round(rules, expose(rules, state, 5), 7, 11)
    assert (taken.stake, taken.gain_a, taken.gain_b, taken.carried) == (13, 0, 13, 0)
    assert (state.lead, state.carried) == (-13, 0)
    assert 9 not in state.hand_a
    assert 11 in state.hand_a
    assert 11 not in state.hand_b


def test_a_winner_need_not_reach_46():
    """43-43 with 5 unclaimed is a draw; one point from it is not."""
    rules = gl.Rules(13)
    solution = gl.solve(rules, "win", start=gl.State((8,), (8,), (), upcard=4, carried=1))
    assert solution.value() == 0
    ahead = gl.State((8,), (8,), (), upcard=4, carried=1, lead=1)
    assert gl.solve(rules, "win", start=ahead).value() == 1


@pytest.mark.parametrize("ties", ["carry", "discard"])
def test_two_who_match_every_prize_tie_every_round(ties):
    rules = gl.Rules(13, ties=ties)
    state = start(rules)
    unclaimed = 0
    for upcard in (7, 1, 13, 2, 12, 3, 11, 4, 10, 5, 9, 6, 8):
        played, state = play_round(rules, expose(rules, state, upcard), upcard, upcard)
        assert (played.gain_a, played.gain_b) == (0, 0)
        unclaimed += upcard
        assert state.carried == (unclaimed if ties == "carry" else 0)
    assert state == gl.State((), (), (), carried=91 if ties == "carry" else 0)


def test_the_sign_of_the_whole_stake_decides_who_takes_it():
    """Geier: an upcard of 3 on top of a carried -5 is taken by the lower bid."""
    rules = gl.Rules(
        hand_a=(1, 4), hand_b=(2, 4), prizes=(-5, 3), negative_stakes="low_bid"
    )
    state = gl.State((1,), (2,), (), upcard=3, carried=-5)
    assert resolve_round(rules, state, 1, 2).lead == -2
    high = gl.Rules(hand_a=(1, 4), hand_b=(2, 4), prizes=(-5, 3))
    assert resolve_round(high, state, 1, 2).lead == 2


def test_cards_left_over_are_worth_nothing():
    rules = gl.Rules(hand_a=(1, 2, 9), hand_b=(3, 3, 3), prizes=(1, 2, 3, 4), rounds=1)
    solution = gl.solve(rules, exact=True)
    # A wins the only prize, whatever it is: 5/2 on average.
    assert solution.value() == Fraction(5, 2)
    after = gl.State((1, 2), (3, 3), (1, 2, 4), lead=3)
    assert solution.value(after) == 3
    assert upcards(rules, after) == {}
    with pytest.raises(StateError, match="2 rounds played; the rules have 1 rounds"):
        check_state(rules, gl.State((1,), (3,), (1, 4), lead=3))


def test_equal_prizes_are_as_likely_as_they_are_many():
    rules = gl.Rules(3, prizes=(2, 2, 2, 5))
    assert upcards(rules, start(rules)) == {2: Fraction(3, 4), 5: Fraction(1, 4)}
    assert expose(rules, start(rules), 2).prizes == (2, 2, 5)


# Good input


def test_numpy_integers_are_integers():
    one, two, three = np.int64(1), np.uint8(2), np.int32(3)
    rules = gl.Rules(
        hand_a=np.array([3, 1, 2]), hand_b=[one, two, three], prizes=np.arange(1, 4, dtype=np.int8),
        rounds=three,
    )
    assert rules == gl.Rules(3)
    assert all(type(card) is int for card in (*rules.hand_a, *rules.hand_b, *rules.prizes))
    state = gl.State(np.array([2, 1]), [one, three], (two,), three, one, np.int16(-4))
    assert state == gl.State((1, 2), (1, 3), (2,), upcard=3, carried=1, lead=-4)
    assert gl.solve(rules).value(state) == gl.solve(gl.Rules(3)).value(state)
    assert expose(rules, start(rules), two) == expose(rules, start(rules), 2)


def test_bids_may_be_numpy_integers():
    """A strategy's bids come from arrays."""
    rules = gl.Rules(3)
    state = expose(rules, start(rules), 2)
    for bids in ((3, 1), (1, 3), (2, 2)):
        played, after = play_round(rules, state, *np.array(bids))
        assert (played, after) == play_round(rules, state, *bids)
        assert type(after.lead) is type(after.carried) is int


def test_hands_and_hidden_prizes_are_sets_not_sequences():
    assert gl.Rules(hand_a=(3, 1, 2), hand_b=(2, 1, 3), prizes=(2, 3, 1)) == gl.Rules(3)
    shuffled = gl.State((3, 1), (2, 1), (3, 1))
    assert check_state(gl.Rules(3), shuffled) == check_state(
        gl.Rules(3), gl.State((1, 3), (1, 2), (1, 3))
    )
    solution = gl.solve(gl.Rules(3))
    assert solution.value(shuffled) == solution.value(gl.State((1, 3), (1, 2), (1, 3)))


@pytest.mark.parametrize("points", [10**12, -(10**12)])
@pytest.mark.parametrize("objective", ["margin", "win"])
def test_any_carried_sum_is_a_question_however_large(objective, points):
    solution = gl.solve(gl.Rules(3), objective, exact=True)
    state = gl.State((1, 2), (2, 3), (1,), upcard=3, carried=points, lead=-points)
    low = gl.State((1,), (2,), (), upcard=3, carried=points, lead=-points)
    # B takes the last stake.
    final = -points - points - 3
    assert solution.value(low) == (final if objective == "margin" else (final > 0) - (final < 0))
    assert solution.stage_game(state).shape == (2, 2)


def test_rules_and_states_do_not_change():
    rules = gl.Rules(3)
    state = start(rules)
    played, _ = play_round(rules, expose(rules, state, 1), 1, 2)
    for record, field in ((rules, "ties"), (state, "lead"), (played, "stake")):
        with pytest.raises(AttributeError):
            setattr(record, field, 1)
    with pytest.raises(StateError, match="no upcard yet"):
        _ = state.stake
    assert len({state, start(gl.Rules(3)), expose(rules, state, 1)}) == 2


# Arguments of `solve` that are none of the rules


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        ({"keep": "some"}, "keep must be .* not 'some'"),
        ({"keep": -1}, "keep must be .* not -1"),
        ({"keep": 1.5}, "keep must be .* not 1.5"),
        ({"keep": "some", "objective": "win"}, "keep must be .* not 'some'"),
        ({"workers": 0}, "workers must be .* not 0"),
        ({"workers": "two"}, "workers must be .* not 'two'"),
        ({"reductions": "none"}, "reductions must be .* not 'none'"),
    ],
    ids=str,
)
def test_solve_refuses_what_it_would_misread(arguments, reason):
    with pytest.raises(GopsError, match=reason):
        gl.solve(gl.Rules(3), **arguments)


def test_a_utility_beyond_floats_is_refused_and_solved_exactly():
    def huge(lead):
        return 10**400 * lead

    state = gl.State((1, 2), (2, 3), (1,), upcard=3)
    margin = gl.solve(gl.Rules(3), exact=True).value(state)
    assert gl.solve(gl.Rules(3), huge, exact=True).value(state) == 10**400 * margin
    with pytest.raises(ObjectiveError, match="finite number"):
        gl.solve(gl.Rules(3), huge)


@pytest.mark.parametrize("prize", [None, "x", 2.0, True, 9], ids=repr)
def test_prizes_that_cannot_be_exposed(prize):
    rules = gl.Rules(3)
    with pytest.raises(StateError):
        expose(rules, start(rules), prize)


def test_the_order_of_play_is_a_sequence():
    """A set has no order of its own."""
    with pytest.raises(RulesError, match="order"):
        gl.Rules(3, order={1, 2, 3})


def test_a_carried_sum_can_end_the_game_where_a_utility_is_no_longer_odd():
    def cut(lead):
        return max(lead, -6)

    state = gl.State((2, 3), (1, 2), (1, 2), carried=-10)
    assert gl.solve(gl.Rules(cards=3), cut, exact=True).value(state) == -6
    assert gl.solve(gl.Rules(cards=3), cut, start=state, exact=True).value() == -6


def test_bounds_hold_the_rounding_of_leads_and_utilities():
    rules = gl.Rules(hand_a=(1, 2, 4), hand_b=(1, 2, 3), prizes=(1, 2, 4))
    exact, floats = gl.solve(rules, exact=True), gl.solve(rules)
    for lead in (*range(-300, 300, 7), 2**50):
        state = gl.State(rules.hand_a, rules.hand_b, rules.prizes, lead=lead)
        low, high = floats.bounds(state)
        assert low <= exact.value(state) <= high
    over = gl.State((), (), (), lead=1)
    low, high = gl.solve(rules, lambda lead: Fraction(lead, 3)).bounds(over)
    assert low <= Fraction(1, 3) <= high


@pytest.mark.parametrize("objective", ["margin", "win"])
def test_a_stage_game_has_the_tier_below_however_few_are_kept(objective):
    rules = gl.Rules(cards=4)
    start_state = gl.State(rules.hand_a, rules.hand_b, (1, 2, 4), upcard=3)
    kept = gl.solve(rules, objective, start=start_state, keep=1)
    assert kept.value() == pytest.approx(gl.solve(rules, objective).value(start_state), abs=1e-12)


def test_states_below_the_kept_tiers_are_solved_by_the_fast_sweep_once_for_all_leads():
    solution = gl.solve(gl.Rules(cards=7), keep=2)
    for lead in (0, 3, -2):
        solution.value(gl.State((1, 3, 4, 6), (2, 3, 5, 7), (1, 4, 5, 7), lead=lead))
    (below,) = solution._subgames.values()
    assert below.method.startswith("rectangle sweep")


@pytest.mark.parametrize("objective", ["margin", "win"])
@pytest.mark.parametrize("ties", ["carry", "discard", "split"])
def test_play_goes_on_below_a_state_that_was_asked_about(objective, ties, solved):
    """Nothing is solved again, and every value is that of the whole game."""
    rules = gl.Rules(cards=6, ties=ties)
    whole, kept = solved(rules, objective), gl.solve(rules, objective, keep=1)
    state = gl.State((1, 3, 4, 6), (2, 3, 5, 6), (1, 3, 5), upcard=4, carried=2, lead=-1)
    kept.stage_game(state)
    for bid_a, bid_b, upcard in ((3, 3, 1), (1, 5, 5), (4, 2, 3), (6, 6, None)):
        state = resolve_round(rules, state, bid_a, bid_b)
        assert kept.value(state) == pytest.approx(whole.value(state), abs=1e-12)
        if upcard is not None:
            state = expose(rules, state, upcard)
            low, high = kept.bounds(state)
            assert low - 1e-12 <= whole.value(state) <= high + 1e-12
            assert np.allclose(kept.stage_game(state), whole.stage_game(state), atol=1e-12)
    assert len(kept._subgames) == 1
    kept.value(gl.State((1, 2, 4, 5), (1, 2, 3, 6), (1, 2, 3, 4)))  # not below it
    assert len(kept._subgames) == 2


def test_an_objective_cannot_borrow_our_names():
    with pytest.raises(ObjectiveError, match="names our own utility"):
        Objective("win", lambda lead: lead)


def test_a_table_with_gaps_is_not_taken_for_odd():
    with pytest.raises(ObjectiveError, match="has no value at lead"):
        gl.solve(gl.Rules(cards=2), {}, start=gl.State((1, 2), (1, 2), (1, 2))).value()
