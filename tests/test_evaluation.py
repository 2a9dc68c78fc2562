"""Exact payoffs, best responses and exploitability: numbers in print, and three ways to each.

The plain program here knows the rules from their description alone (DESIGN section 1) and takes
nothing from `gops_lab` but the record `Rules`: no encoder, no sweep, fractions throughout.
"""

from fractions import Fraction
from functools import cache
from itertools import product

import numpy as np
import pytest

import gops_lab as gl
from gops_lab.errors import EvaluationError, GopsError, StrategyError
from gops_lab.evaluation import (
    best_response_value,
    certified_exploitability,
    evaluate,
    expected_margin,
    exploitability,
    given_away,
    regrets,
)
from gops_lab.strategies import (
    BestResponse,
    FunctionStrategy,
    Highest,
    Lowest,
    MatchPrize,
    MatchStake,
    Mixture,
    OptimalStrategy,
    Proportional,
    Uniform,
    distribution,
    read_strategy,
    strategy_table,
)

# The plain program

def plain_uniform(own, other, hidden, upcard, carried, lead):
    return {bid: Fraction(own.count(bid), len(own)) for bid in own}


def plain_match(own, other, hidden, upcard, carried, lead):
    return {min(own, key=lambda card: (abs(card - upcard), card)): Fraction(1)}


def plain_stake(own, other, hidden, upcard, carried, lead):
    return {min(own, key=lambda card: (abs(card - upcard - carried), card)): Fraction(1)}


def plain_highest(own, other, hidden, upcard, carried, lead):
    return {max(own): Fraction(1)}


def plain_moody(own, other, hidden, upcard, carried, lead):
    """Looks at everything: high when behind or when much is carried, else cautious."""
    if lead < 0 or carried > 2:
        return {max(own): Fraction(2, 3), min(own): Fraction(1, 3)} if len(set(own)) > 1 else {
            own[0]: Fraction(1)
        }
    beaten = [card for card in sorted(own) if card > max(other)] or [min(own)]
    bid = beaten[0] if sum(hidden) >= upcard else max(own)
    return {bid: Fraction(1)}


def as_strategy(plain):
    def function(rules, state):
        return plain(
            state.hand_a, state.hand_b, state.prizes, state.upcard, state.carried, state.lead
        )

    return FunctionStrategy(function, plain.__name__)


PAIRS = {
    plain_uniform: Uniform(), plain_match: MatchPrize(), plain_stake: MatchStake(),
    plain_highest: Highest(), plain_moody: as_strategy(plain_moody),
}


def without(cards, card):
    at = cards.index(card)
    return cards[:at] + cards[at + 1 :]


def plain_rounds(rules):
    """Return a function: what a stake does to A's points minus B's, and what stays."""

    def outcome(stake, bid_a, bid_b):
        if bid_a == bid_b:
            return 0, stake if rules.ties == "carry" else 0
        higher = 1 if bid_a > bid_b else -1
        if stake < 0 and rules.negative_stakes == "low_bid":
            higher = -higher
        return higher * stake, 0

    return outcome


def plain_play(rules, choose_a, choose_b, utility):
    """Return A's expected utility; a chooser is a strategy, or None for the best response."""
    outcome = plain_rounds(rules)

    @cache
    def before(own, other, hidden, carried, lead, left):
        if left == 0:
            return Fraction(utility(lead))
        ups = [0] if rules.known_order else range(len(hidden))
        return sum(
            stage(own, other, hidden[:i] + hidden[i + 1 :], hidden[i], carried, lead, left)
            for i in ups
        ) / Fraction(len(ups))

    def stage(own, other, hidden, upcard, carried, lead, left):
        def worth(bid_a, bid_b):
            gain, stays = outcome(upcard + carried, bid_a, bid_b)
            return before(
                without(own, bid_a), without(other, bid_b), hidden, stays, lead + gain, left - 1
            )

        x = choose_a and choose_a(own, other, hidden, upcard, carried, lead)
        y = choose_b and choose_b(other, own, hidden, upcard, carried, -lead)
        if x is None:
            return max(sum(q * worth(a, b) for b, q in y.items()) for a in set(own))
        if y is None:
            return min(sum(p * worth(a, b) for a, p in x.items()) for b in set(other))
        return sum(p * q * worth(a, b) for a, p in x.items() for b, q in y.items())

    hidden = tuple(rules.known_order or rules.prizes)
    return before(rules.hand_a, rules.hand_b, hidden, 0, 0, rules.rounds)


def every_plan(rules, fixed):
    """Return the most that any pure plan of A gets, by listing the payoff of every plan.

    A plan says what to do after every history of prizes and bids that it can see. There is no
    maximum inside the recursion: payoffs of all plans are listed, and combined by `product`.
    """
    outcome = plain_rounds(rules)

    def before(own, other, hidden, carried, lead, left):
        if left == 0:
            return [Fraction(lead)]
        each = [
            stage(own, other, hidden[:i] + hidden[i + 1 :], hidden[i], carried, lead, left)
            for i in range(len(hidden))
        ]
        return [sum(parts) / len(each) for parts in product(*each)]

    def stage(own, other, hidden, upcard, carried, lead, left):
        answer = fixed(other, own, hidden, upcard, carried, -lead)
        plans = []
        for bid in own:
            after = []
            for reply, q in answer.items():
                gain, stays = outcome(upcard + carried, bid, reply)
                rest = before(
                    without(own, bid), without(other, reply), hidden, stays, lead + gain, left - 1
                )
                after.append([q * worth for worth in rest])
            plans += [sum(parts) for parts in product(*after)]
        return plans

    hidden = rules.prizes
    first = [
        max(stage(rules.hand_a, rules.hand_b, without(hidden, up), up, 0, 0, rules.rounds))
        for up in hidden
    ]
    return sum(first) / Fraction(len(first))


def margin(lead):
    return lead


def win(lead):
    return (lead > 0) - (lead < 0)


def cautious(lead):
    """A utility that is not odd."""
    return Fraction(lead) if lead > 0 else Fraction(2 * lead)


GAMES = [
    gl.Rules(cards=3),
    gl.Rules(cards=3, ties="discard", order=(2, 3, 1)),
    gl.Rules(hand_a=(2, 4, 6), hand_b=(1, 3, 5), prizes=(-1, 3, 4), negative_stakes="low_bid"),
    gl.Rules(hand_a=(1, 3, 3), hand_b=(0, 3, 9), prizes=(-2, 1, 4, 4), ties="carry", rounds=2),
    gl.Rules(cards=3, prizes=(2, 2, 5, 7), ties="split", order="descending"),
    gl.Rules(cards=3, prizes=(10**9, 5, 7)),
]


@pytest.mark.parametrize("rules", GAMES, ids=repr)
@pytest.mark.parametrize("utility", [margin, win, cautious])
def test_payoffs_are_those_of_the_plain_program(rules, utility):
    """Rejects a forward sweep with a wrong carry, lead, order, seat or negative stake."""
    objective = {margin: "margin", win: "win"}.get(utility, utility)
    for (plain_a, a), (plain_b, b) in product(PAIRS.items(), repeat=2):
        expected = plain_play(rules, plain_a, plain_b, utility)
        exact = evaluate(rules, a, b, exact=True)
        assert exact.payoff(objective) == expected, (a, b)
        assert exact.win + exact.draw + exact.loss == 1
        assert (exact.leads * exact.leads.index).sum() == exact.margin
        assert evaluate(rules, a, b).payoff(objective) == pytest.approx(
            float(expected), abs=1e-13 * sum(map(abs, rules.prizes)), rel=1e-12
        )


@pytest.mark.parametrize("rules", GAMES, ids=repr)
@pytest.mark.parametrize("utility", [margin, win, cautious])
def test_best_responses_are_those_of_the_plain_program(rules, utility):
    """Rejects a sweep that maximises for the wrong seat, or mirrors a utility wrongly."""
    objective = {margin: "margin", win: "win"}.get(utility, utility)
    for plain, strategy in PAIRS.items():
        for player in "ab":
            pair = (None, plain) if player == "b" else (plain, None)
            found = best_response_value(
                rules, strategy, player=player, objective=objective, exact=True
            )
            assert found == plain_play(rules, *pair, utility), (strategy, player)
            if utility is cautious:
                continue
            reply = BestResponse(strategy, objective)
            seats = (reply, strategy) if player == "b" else (strategy, reply)
            assert evaluate(rules, *seats, exact=True).payoff(objective) == found


@pytest.mark.parametrize("plain", [plain_match, plain_highest, plain_stake, plain_uniform])
@pytest.mark.parametrize("ties", ["carry", "discard"])
def test_no_pure_plan_does_better_than_the_best_response(plain, ties):
    """A third way: all 12 (against a pure strategy) or 192 plans after each first upcard."""
    rules = gl.Rules(cards=3, ties=ties)
    assert every_plan(rules, plain) == best_response_value(rules, PAIRS[plain], exact=True)


# Numbers in print

def test_every_reference_record(reference):
    assert len(reference["exploitability"]) == 36
    for record in reference["exploitability"]:
        rules = gl.Rules(
            cards=record["cards"], ties=record["ties"], order=record["order"],
            negative_stakes=record["negative_stakes"],
        )
        strategy = {"uniform": Uniform(), "match": MatchPrize()}[record["policy"]]
        objective = record["objective"]
        found = exploitability(
            rules, strategy, objective=objective, exact=True, with_value=False
        )
        assert found.best_response_a == Fraction(record["best_response_value"]), record
        assert found.exploitability == Fraction(record["exploitability"])
        assert best_response_value(rules, strategy, player="a", objective=objective) == (
            pytest.approx(-float(found.best_response_a), abs=1e-12)
        )
        reply = BestResponse(strategy, objective)
        for upcard, first in record["per_first_upcard"].items():
            state = gl.State(
                rules.hand_a, rules.hand_b, without(rules.prizes, int(upcard)), int(upcard)
            )
            assert best_response_value(
                rules, strategy, objective=objective, start=state, exact=True
            ) == Fraction(first["best_response_value"])
            bid = max(reply.distribution(rules, state).items(), key=lambda item: item[1])[0]
            assert bid in first["best_first_bids"]


def test_ross(reference):
    """Match-the-prize is a best response to uniform play, and gains (N * N - 1) / 6."""
    cases = {(record["cards"], record["order"]) for record in reference["ross_1971"]}
    assert len(cases) > 4
    for cards, order in cases:
        rules = gl.Rules(cards=cards, ties="discard", order=order)
        wanted = Fraction(cards**2 - 1, 6)
        exact = cards <= 4
        value = best_response_value(rules, Uniform(), exact=exact)
        matching = evaluate(rules, MatchPrize(), Uniform(), outcomes=False, exact=exact).margin
        for found in (value, matching):
            if exact:
                assert found == wanted
            else:
                assert found == pytest.approx(float(wanted), abs=1e-12)


def test_ross_at_7_and_13_cards():
    assert best_response_value(gl.Rules(cards=7, ties="discard"), Uniform()) == pytest.approx(
        8, abs=1e-12
    )
    full_deck = gl.Rules(cards=13, ties="discard")
    assert expected_margin(full_deck, MatchPrize(), Uniform()) == pytest.approx(28, abs=1e-10)


def test_published_best_responses(published):
    """Source: `best_responses` of published.json, and the issue that asked for them."""
    table = published["best_responses"]
    cases = [
        ("discard", MatchPrize(), "margin", 3, [Fraction(n * (n - 3), 2) for n in (3, 4, 5, 6)]),
        ("carry", MatchPrize(), "margin", 3, table["margin, carry, v match-the-prize, N=3..6"]),
        ("carry", Uniform(), "margin", 3, table["margin, carry, v uniform, N=3..5"]),
        ("discard", Highest(), "margin", 3, table["margin, discard, v highest-first, N=3..6"]),
        ("discard", Lowest(), "margin", 3, table["margin, discard, v lowest-first, N=3..6"]),
        ("discard", Uniform(), "win", 3, table["win, discard, v uniform, N=3..5"]),
    ]
    for ties, strategy, objective, first, values in cases:
        for cards, wanted in enumerate(values, start=first):
            rules = gl.Rules(cards=cards, ties=ties)
            exact = not isinstance(strategy, Uniform) or cards < 5
            found = best_response_value(rules, strategy, objective=objective, exact=exact)
            wanted = Fraction(wanted)
            if exact:
                assert found == wanted, (ties, strategy, cards)
            else:
                assert found == pytest.approx(float(wanted), abs=1e-12)


def test_against_match_the_prize_at_13_cards():
    """65 = N (N - 3) / 2, over 10 million states."""
    full_deck = gl.Rules(cards=13, ties="discard")
    assert best_response_value(full_deck, MatchPrize()) == pytest.approx(65, abs=1e-9)


def test_two_who_match_the_prize():
    rules = gl.Rules(cards=5)
    both = evaluate(rules, MatchPrize(), MatchPrize(), exact=True)
    assert both.leads.to_dict() == {0: 1}
    assert both.rounds["tie_rate"].tolist() == [1] * 5
    assert both.rounds[["points_a", "points_b"]].to_numpy().tolist() == [[0, 0]] * 5
    assert both.rounds["carried"].tolist() == [3, 6, 9, 12, 15]
    assert both.unclaimed == 15


@pytest.mark.parametrize(
    "use",
    [
        lambda rules: evaluate(rules, "match", Uniform()),
        lambda rules: evaluate(rules, Uniform(), "match"),
        lambda rules: best_response_value(rules, "match"),
        lambda rules: best_response_value(rules, "match", player="a"),
        lambda rules: exploitability(rules, "match"),
        lambda rules: exploitability(rules, Uniform(), "match"),
        lambda rules: expected_margin(rules, Uniform(), "match"),
        lambda rules: gl.tournament(rules, ["match", Uniform()], 10),
        lambda rules: strategy_table("match", rules),
        lambda rules: strategy_table(Uniform(), rules, opponent="match"),
    ],
)
def test_a_name_is_no_strategy(use):
    with pytest.raises(StrategyError, match=r"not 'match'; a name is read by strategy_named"):
        use(gl.Rules(cards=3))


# Ways that must agree

@pytest.mark.parametrize("ties", ["carry", "discard", "split"])
@pytest.mark.parametrize(
    "strategy", [Uniform(), MatchPrize(), MatchStake(), Lowest(), Proportional(),
                 Mixture(0.3, MatchPrize(), Uniform())], ids=repr,
)
def test_hands_side_by_side_give_the_same(ties, strategy):
    rules = gl.Rules(
        hand_a=(1, 2, 3, 5, 5), hand_b=(0, 2, 4, 5, 6), prizes=(-1, 2, 3, 3, 4, 8), ties=ties,
        negative_stakes="low_bid", rounds=4,
    )
    for player in "ab":
        ways = [
            best_response_value(rules, strategy, player=player, method=method)
            for method in ("states", "hands")
        ]
        assert ways[0] == pytest.approx(ways[1], abs=1e-12)
    for other in (Uniform(), MatchPrize(), Proportional()):
        assert expected_margin(rules, strategy, other) == pytest.approx(
            evaluate(rules, strategy, other).margin, abs=1e-12
        )


def test_forgetting_ranks_and_leads_changes_nothing():
    """What `sees` leaves out makes the sweep smaller and the numbers no different."""
    rules = gl.Rules(cards=5)

    class Curious(Uniform):
        sees = MatchPrize.sees | {"lead", "opponent"}

    for objective in ("margin", "win"):
        assert best_response_value(rules, Uniform(), objective=objective) == pytest.approx(
            best_response_value(rules, Curious(), objective=objective), abs=1e-12
        )
    short = evaluate(rules, Uniform(), Highest())
    long = evaluate(rules, Curious(), Highest())
    assert short.states < long.states
    assert np.allclose(short.leads, long.leads, rtol=0, atol=1e-12)
    forgetful = evaluate(rules, Uniform(), Highest(), outcomes=False)
    assert forgetful.margin == pytest.approx(long.margin, abs=1e-12)
    assert forgetful.win is None
    with pytest.raises(EvaluationError, match="outcomes=True"):
        forgetful.payoff("win")


def test_an_evaluation_can_begin_anywhere():
    rules = gl.Rules(cards=4)
    state = gl.State((1, 3), (2, 3), (2,), upcard=4, carried=3, lead=-2)
    found = evaluate(rules, Highest(), Lowest(), start=state, exact=True)
    # 3 beats 2 for 7 points, then 1 loses to 3 for 2 points.
    assert found.margin == -2 + 7 - 2
    assert found.unclaimed == 0
    reply = best_response_value(rules, Lowest(), start=state, exact=True)
    assert reply == 3  # the same bids: 3 on the 4
    assert best_response_value(rules, Lowest(), start=state) == 3.0


@pytest.mark.parametrize("method", ["states", "hands"])
def test_a_best_response_says_how_far_it_is(method):
    """Rejects a tier that is never told of, or one that never gets to its end."""
    told = []
    gl.best_response_value(
        gl.Rules(cards=4), MatchPrize(), method=method, progress=lambda *far: told.append(far)
    )
    assert {cards for cards, done, total in told if done == total} == {1, 2, 3, 4}
    assert all(0 < done <= total for _, done, total in told)


def test_a_best_response_off_its_own_path():
    """A best response answers for states that its own play never reaches."""
    rules = gl.Rules(cards=4, ties="discard")
    reply = BestResponse(MatchPrize())
    off = gl.State((1, 2), (1, 4), (1,), upcard=4)  # B would still hold 1, 4 after 2 and 3
    assert reply.distribution(rules, off) == {1: 1.0, 2: 0.0}
    # B bids 3 on the 4 and 2 on the 1: A's 4 takes the 4. No play leads to a lead of 9.
    what_if = gl.State((1, 4), (2, 3), (1,), upcard=4, lead=9)
    assert reply.distribution(rules, what_if) == {1: 0.0, 4: 1.0}
    to_win = BestResponse(MatchPrize(), "win")
    for lead, bid in ((-9, 1), (-4, 1), (-3, 4), (-2, 4), (2, 4), (3, 4), (4, 1), (9, 1)):
        state = gl.State((1, 4), (2, 3), (1,), upcard=4, lead=lead)
        assert to_win.distribution(rules, state)[bid] == 1, lead


# Exploitability of optimal play, regret

@pytest.mark.parametrize("ties", ["carry", "discard"])
@pytest.mark.parametrize("objective", ["margin", "win"])
def test_optimal_play_loses_no_more_than_its_certificate_says(ties, objective, solved):
    rules = gl.Rules(cards=5, ties=ties)
    optimal = OptimalStrategy(solved(rules, objective))
    bound = certified_exploitability(optimal, objective)
    assert bound == certified_exploitability(optimal)
    other = {"margin": "win", "win": "margin"}[objective]
    with pytest.raises(EvaluationError, match=f"certified for '{objective}', not for '{other}'"):
        certified_exploitability(optimal, other)
    with pytest.raises(EvaluationError, match="only optimal strategies have certificates"):
        certified_exploitability(Uniform())
    found = exploitability(rules, optimal, objective=objective)
    assert -1e-12 <= found.exploitability <= bound < 1e-8
    assert found.value == pytest.approx(0, abs=1e-9)


def test_optimal_play_in_a_handicap_game(solved):
    rules = gl.Rules(hand_a=(2, 4, 6, 7), hand_b=(1, 3, 5, 9), prizes=(-1, 3, 4, 6),
                     negative_stakes="low_bid")
    solution = solved(rules)
    optimal = OptimalStrategy(solution)
    value = solution.value()
    assert abs(value) > 0.01
    assert evaluate(rules, optimal, optimal).margin == pytest.approx(value, abs=1e-9)
    for player in "ab":
        assert best_response_value(rules, optimal, player=player) == pytest.approx(value, abs=1e-9)


def test_exactly_optimal_play_has_exploitability_zero(solved):
    rules = gl.Rules(cards=3)
    optimal = OptimalStrategy(solved(rules, "win", exact=True))
    assert exploitability(rules, optimal, objective="win", exact=True).exploitability == 0
    assert certified_exploitability(optimal) == 0


def test_an_optimal_strategy_knows_its_game_and_its_side(solved):
    rules = gl.Rules(cards=3)
    optimal = OptimalStrategy(solved(rules))
    with pytest.raises(StrategyError, match=r"solved for Rules\(cards=3, ties='carry'\)"):
        evaluate(gl.Rules(cards=3, ties="discard"), optimal, Uniform())

    lopsided = gl.solve(rules, cautious)
    with pytest.raises(StrategyError, match="player='a'"):
        evaluate(rules, OptimalStrategy(lopsided), Uniform())
    value = lopsided.value()
    pair = [OptimalStrategy(lopsided, player) for player in "ab"]
    assert evaluate(rules, *pair).payoff(cautious) == pytest.approx(value, abs=1e-9)
    for player, strategy in zip("ab", pair, strict=True):
        assert best_response_value(
            rules, strategy, player=player, objective=cautious
        ) == pytest.approx(value, abs=1e-9)


@pytest.mark.parametrize("objective", ["margin", "win"])
@pytest.mark.parametrize("player", ["a", "b"])
def test_regrets_add_up_to_what_is_lost(objective, player, solved):
    rules = gl.Rules(cards=4)
    solution = solved(rules, objective)
    table = regrets(rules, MatchPrize(), solution, player=player)
    lost = best_response_value(rules, MatchPrize(), player=player, objective=objective)
    sign = 1 if player == "b" else -1
    assert lost > 0 if player == "b" else lost < 0
    assert table["cost"].sum() == pytest.approx(sign * lost, abs=1e-9)
    assert (table["at_worst"] >= table["regret"] - 1e-9).all()
    assert (table["at_worst"] >= -1e-9).all()
    assert table.groupby("round")["reach"].sum().tolist() == pytest.approx([1] * 4)
    # Optimal play has nothing to regret anywhere.
    other = OptimalStrategy(solution)
    table = regrets(rules, other, solution, player=player, opponent=Uniform())
    assert table["at_worst"].abs().max() < 1e-9


def test_regrets_are_of_states_of_the_game(solved, reachable):
    """Rejects hands whose ranks were replaced by others in the same order."""
    rules = gl.Rules(cards=3, prizes=(1, 2, 4), ties="discard")
    possible = {
        (s.hand_a, s.hand_b, s.prizes, s.upcard, s.carried, s.lead) for s in reachable(rules)
    }
    columns = ["hand", "opponent_hand", "prizes", "upcard", "carried", "lead"]
    for strategy in (Uniform(), Highest(), Lowest()):
        table = regrets(rules, strategy, solved(rules), opponent=Highest())
        assert set(table[columns].itertuples(index=False, name=None)) <= possible
        assert not table[["round", *columns]].duplicated().any()
        last = table[table["round"] == 3]
        # Highest first leaves the lowest card, whatever came before.
        assert set(last["opponent_hand"]) == {(1,)}
    held = regrets(rules, Lowest(), solved(rules), opponent=Highest()).query("round == 3")["hand"]
    assert set(held) == {(3,)}


def test_refusals():
    rules = gl.Rules(cards=3)
    with pytest.raises(EvaluationError, match="method must be one of"):
        best_response_value(rules, Uniform(), method="magic")
    with pytest.raises(EvaluationError, match="looks at"):
        best_response_value(rules, as_strategy(plain_moody), method="hands")
    with pytest.raises(EvaluationError, match="not of"):
        regrets(gl.Rules(cards=2), Uniform(), gl.solve(rules))
    with pytest.raises(EvaluationError, match="too many"):
        evaluate(gl.Rules(cards=30), Uniform(), Uniform())


R3 = gl.Rules(cards=3)
STATE = gl.State((1, 2, 3), (1, 2, 3), (1, 2), upcard=3)
SOLVED = gl.solve(R3, method="highs")
CALLS = {
    # a function, and arguments that are each tried with something of another kind
    "evaluate": (gl.evaluate, {"rules": R3, "a": Uniform(), "b": Uniform()}),
    "best response": (
        gl.best_response_value,
        {"rules": R3, "strategy": Uniform(), "progress": lambda *_: None},
    ),
    "exploitability": (
        gl.exploitability, {"rules": R3, "a": Uniform(), "progress": lambda *_: None},
    ),
    "expected margin": (expected_margin, {"rules": R3, "a": Uniform(), "b": Uniform()}),
    "regrets": (gl.regrets, {"rules": R3, "strategy": Uniform(), "solution": SOLVED}),
    "given away": (given_away, {"solution": SOLVED, "state": STATE, "bid": 1}),
    "simulate": (
        gl.simulate,
        {"rules": R3, "a": Uniform(), "b": Uniform(), "deals": 2, "progress": lambda *_: None},
    ),
    "tournament": (
        gl.tournament,
        {"rules": R3, "strategies": [Uniform(), MatchPrize()], "deals": 2,
         "progress": lambda *_: None},
    ),
    "optimal": (OptimalStrategy, {"solution": SOLVED}),
    "distribution": (distribution, {"strategy": Uniform(), "rules": R3, "state": STATE}),
    "named": (gl.strategy_named, {"name": "match", "rules": R3, "solver": gl.solve}),
    "check": (gl.check_strategy, {"strategy": Uniform(), "rules": R3}),
    "table": (strategy_table, {"strategy": Uniform(), "rules": R3}),
    "forecast": (gl.forecast, {"rules": R3, "keep": "all"}),
    "match": (gl.solve_match, {"rules": R3, "games": 2, "progress": lambda *_: None}),
}
OPTIONAL = {"progress", "solver"}


@pytest.mark.parametrize(
    ("call", "name"), [(call, name) for call, (_, given) in CALLS.items() for name in given]
)
def test_an_argument_of_another_kind_is_one_sentence(call, name):
    function, given = CALLS[call]
    function(**given)
    for wrong in (None, object(), 1.5, [None]):
        if (wrong is None and name in OPTIONAL) or (call, name) == ("named", "rules"):
            continue
        with pytest.raises(GopsError) as refused:
            function(**{**given, name: wrong})
        assert "\n" not in str(refused.value)


@pytest.mark.parametrize("wrong", [object(), 3, [], "", "\0"])
def test_what_is_no_path(wrong):
    field = [Uniform(), MatchPrize()]
    with pytest.raises(GopsError, match="folder must be a path, not "):
        gl.tournament(R3, field, 2, folder=wrong)
    with pytest.raises(GopsError, match="file must be a path, not "):
        read_strategy(wrong)
    with pytest.raises(GopsError, match="folder must be a path, not "):
        gl.audit(wrong)
