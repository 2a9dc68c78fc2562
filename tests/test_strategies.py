"""What each strategy does, what every strategy must do, and how one that does not is told."""

import re
import time
from concurrent.futures import ThreadPoolExecutor
from fractions import Fraction

import numpy as np
import pandas as pd
import pytest

import gops_lab as gl
from gops_lab.encoding import Encoder
from gops_lab.errors import StrategyError
from gops_lab.evaluation import best_response_value, evaluate
from gops_lab.strategies import (
    EVERYTHING,
    BestResponse,
    EpsilonGreedy,
    FunctionStrategy,
    Highest,
    Lowest,
    MatchPrize,
    MatchStake,
    Mixture,
    OptimalStrategy,
    Proportional,
    Strategy,
    TableStrategy,
    TreeSearch,
    Uniform,
    check_strategy,
    distribution,
    observe,
    read_strategy,
    response,
    strategy_named,
    strategy_table,
    table,
)
from gops_lab.strategies.simple import HIGHEST, NEAREST_PRIZE, UNIFORM

RULES = gl.Rules(cards=4)
STATE = gl.State((1, 2, 4), (2, 3, 4), (1, 4), upcard=3, carried=2, lead=-1)


def bids(strategy, state=STATE, rules=RULES, player="a"):
    return distribution(strategy, rules, state, player).to_dict()


def test_simple_bidders():
    assert bids(Uniform()) == {1: 1 / 3, 2: 1 / 3, 4: 1 / 3}
    assert bids(MatchPrize()) == {1: 0, 2: 1, 4: 0}  # 2 and 4 are as near to 3: the lower
    assert bids(MatchPrize(1)) == {1: 0, 2: 0, 4: 1}
    assert bids(MatchPrize(-2)) == {1: 1, 2: 0, 4: 0}
    assert bids(MatchStake()) == {1: 0, 2: 0, 4: 1}  # nearest to 5
    assert bids(Highest()) == {1: 0, 2: 0, 4: 1}
    assert bids(Lowest()) == {1: 1, 2: 0, 4: 0}
    # 5 of the 10 points left are at stake, the hand sums to 7: nearest to 3.5 is 4.
    assert bids(Proportional()) == {1: 0, 2: 0, 4: 1}
    assert bids(Mixture(0.25, Highest(), Uniform())) == {1: 0.25, 2: 0.25, 4: 0.5}
    assert bids(EpsilonGreedy(0.3, Lowest())) == pytest.approx({1: 0.8, 2: 0.1, 4: 0.1})


def test_seat_b_sees_the_table_turned_round():
    """Rejects a strategy in seat B that is shown A's hand or A's lead."""
    seen = []

    def watch(rules, state):
        seen.append(state)
        return {state.hand_a[0]: 1}

    assert bids(FunctionStrategy(watch, "watch"), player="b") == {2: 1, 3: 0, 4: 0}
    assert seen == [gl.State((2, 3, 4), (1, 2, 4), (1, 4), upcard=3, carried=2, lead=1)]


def test_ranks_held_twice_count_twice():
    rules = gl.Rules(hand_a=(1, 3, 3), hand_b=(1, 2, 3))
    state = gl.State((1, 3, 3), (1, 2, 3), (1, 3), upcard=2)
    answer = distribution(Uniform(), rules, state, exact=True)
    assert answer.to_dict() == {1: Fraction(1, 3), 3: Fraction(2, 3)}


@pytest.mark.parametrize(
    "strategy",
    [Uniform(), MatchPrize(), MatchPrize(2), MatchStake(), Highest(), Lowest(), Proportional(),
     Mixture(0.5, MatchStake(), Highest()), EpsilonGreedy(Fraction(1, 3), Proportional()),
     BestResponse(MatchPrize()), BestResponse(Uniform(), "win"),
     TreeSearch(20, "uct"), TreeSearch(20, "regret", "win")],
    ids=repr,
)
def test_ours_pass_the_conformance_test(strategy):
    assert check_strategy(strategy, states=60) > 300


@pytest.mark.parametrize("objective", ["margin", "win"])
def test_optimal_strategies_pass_it_too(objective, solved):
    for rules in (RULES, gl.Rules(hand_a=(2, 4, 6), hand_b=(1, 3, 5), ties="split")):
        assert check_strategy(OptimalStrategy(solved(rules, objective)), rules)


class Faulty(Strategy):
    """Wrong in one way each."""

    def __init__(self, name, spoil, sees=Uniform.sees):
        self.name = name
        self.sees = sees
        self._spoil = spoil

    def probabilities(self, seen):
        return self._spoil(Uniform().probabilities(seen), seen)


def _off_hand(good, seen):
    good[:, ::-1][~seen.legal[:, ::-1]] = 0.1
    return good


def _negative(good, seen):
    good[:, 0] -= 1
    good[:, -1] += 1
    return good


def _by_lead(good, seen):
    wanted = (seen.batch.lead % 2 == 0)[:, None]
    return np.where(wanted, good, Highest().probabilities(seen))


def _by_row(good, seen):
    return np.where(np.arange(len(seen))[:, None] % 2, good, Highest().probabilities(seen))


def _one_word(good, seen):
    good = good.astype(object)
    good[0, 0] = "half"
    return good


FAULTS = {
    "a wrong length": (lambda good, seen: good[:, :-1], r"shape .*\bis needed"),
    "too few rows": (lambda good, seen: good[1:], "shape"),
    "nothing": (lambda good, seen: None, "shape"),
    "rows of different lengths": (
        lambda good, seen: [[1], *good[1:].tolist(), [1, 0]], "rows of different lengths"
    ),
    "a NaN": (lambda good, seen: good * float("nan"), "probability nan"),
    "infinities": (lambda good, seen: np.where(seen.legal, np.inf, -np.inf), "nan|inf"),
    "a negative": (_negative, "negative probability"),
    "a card not held": (_off_hand, "not in the hand"),
    "not summing to 1": (lambda good, seen: good / 2, "sum to (0.5|1/2), not 1"),
    "words": (lambda good, seen: good.astype(str), "'.*' to bid 1, where a finite number"),
    "one word": (_one_word, "'half' to bid 1, where a finite number"),
}
"""Faults of one answer; each is told wherever the strategy is used."""

HABITS = {
    "looking at the lead": (_by_lead, "looks at 'lead'"),
    "looking at its place in the batch": (_by_row, "differently"),
    "another strategy in fractions": (
        lambda good, seen: Highest().probabilities(seen) if seen.exact else good, "fractions"
    ),
}
"""Faults that show only when answers are compared."""


@pytest.mark.parametrize("fault", [*FAULTS, *HABITS])
def test_a_faulty_strategy_is_named_with_the_state(fault):
    spoil, message = {**FAULTS, **HABITS}[fault]
    with pytest.raises(StrategyError, match=message) as raised:
        check_strategy(Faulty(fault, spoil, EVERYTHING - {"lead"}))
    assert repr(fault) in str(raised.value)
    assert "State(hand_a=" in str(raised.value)


@pytest.mark.parametrize("exact", [False, True])
@pytest.mark.parametrize("fault", FAULTS)
def test_every_use_of_a_faulty_strategy_is_refused(fault, exact):
    faulty = Faulty(fault, FAULTS[fault][0])
    message = f"(?s)strategy '{fault}'.*State"
    for use in (
        lambda: distribution(faulty, RULES, STATE, exact=exact),
        lambda: evaluate(RULES, Uniform(), faulty, exact=exact),
        lambda: best_response_value(RULES, faulty, exact=exact),
        lambda: distribution(Mixture(0.5, faulty, Uniform()), RULES, STATE, exact=exact),
    ):
        with pytest.raises(StrategyError, match=message):
            use()


@pytest.mark.parametrize("exact", [False, True])
@pytest.mark.parametrize(
    ("answer", "message"),
    [
        (None, "answers None, not a mapping"),
        ([0.5, 0, 0.5], "not a mapping"),
        ([(1, 1.0)], "not a mapping"),
        ({1: "half", 2: 0.5}, "'half' to bid 1, where a finite number"),
        ({1: "1"}, "'1' to bid 1, where a finite number"),
        ({1: None}, "None to bid 1, where a finite number"),
        ({1: [1]}, r"\[1\] to bid 1, where a finite number"),
        ({1: float("nan")}, "probability nan to bid 1"),
        ({1: float("inf")}, "inf"),
        ({1: 10**400}, "to bid 1|sum to 1000"),
        ({1: -0.5, 2: 1.5}, "negative probability"),
        ({3: 1}, "to bid 3, which is not in the hand"),
        ({"1": 1}, "to bid '1', which is not in the hand"),
        ({1: 0.5}, "sum to"),
        ({}, "sum to 0"),
    ],
    ids=repr,
)
def test_a_faulty_function_is_named_with_the_state(answer, message, exact):
    faulty = FunctionStrategy(lambda rules, state: answer, "faulty")
    for use in (
        lambda: distribution(faulty, RULES, STATE, exact=exact),
        lambda: distribution(EpsilonGreedy(0.5, faulty), RULES, STATE, exact=exact),
        lambda: check_strategy(faulty, RULES),
    ):
        with pytest.raises(StrategyError, match=message) as raised:
            use()
        assert "strategy 'faulty'" in str(raised.value)
        assert "State(hand_a=" in str(raised.value)


def test_what_counts_as_a_number():
    for answer in (
        {1: 1}, {1: True}, {1: np.float32(0.5), 2: np.int64(0), 4: Fraction(1, 2)},
        pd.Series([0.5, 0.5], [1, 4]),
    ):
        good = FunctionStrategy(lambda rules, state, answer=answer: answer, "good")
        assert distribution(good, RULES, STATE).sum() == 1
        assert distribution(good, RULES, STATE, exact=True).sum() == 1


def test_answers_are_cleaned_up_to_sum_to_one():
    """Rejects clipping alone: what was below 0 makes the others sum to more than 1."""
    rough = FunctionStrategy(lambda rules, state: {1: -8e-10, 2: 0.3, 4: 0.7 + 1.6e-9}, "rough")
    answer = distribution(rough, RULES, STATE)
    assert answer.min() == 0
    assert answer.sum() == pytest.approx(1, abs=1e-15)
    tenths = FunctionStrategy(lambda rules, state: {1: 0.1, 2: 0.2, 4: 0.7}, "tenths")
    for strategy in (rough, tenths, Mixture(0.1, tenths, rough)):
        exact = distribution(strategy, RULES, STATE, exact=True)
        assert all(isinstance(p, int | Fraction) for p in exact)
        assert exact.sum() == 1
        assert min(exact) >= 0
    # Answers that are right to rounding stay as they are.
    assert bids(tenths) == {1: 0.1, 2: 0.2, 4: 0.7}


def test_a_state_before_an_exposure_is_refused():
    state = gl.State((1, 2), (1, 2), (1, 2), lead=1)
    with pytest.raises(gl.errors.StateError, match="has none"):
        distribution(Uniform(), RULES, state)
    with pytest.raises(gl.errors.StateError, match="has none"):
        Uniform().distribution(RULES, state)


# What a strategy declares

LOOKS = {
    "ranks": lambda seen: seen.ranks[seen.legal.argmax(axis=1)],
    "opponent": lambda seen: seen.batch.hand_b,
    "prizes": lambda seen: seen.batch.prizes,
    "upcard": lambda seen: seen.batch.upcard,
    "carried": lambda seen: seen.batch.carried,
    "lead": lambda seen: seen.batch.lead,
}
"""How a strategy can look at each thing of EVERYTHING, and at nothing else but ranks."""


def looking_at(thing, sees):
    def odd_or_even(good, seen):
        return np.where(LOOKS[thing](seen)[:, None] % 2, good, Highest().probabilities(seen))

    return Faulty(f"by {thing}", odd_or_even, frozenset(sees))


@pytest.mark.parametrize("thing", sorted(EVERYTHING))
def test_a_strategy_must_declare_what_it_looks_at(thing):
    for claimed in (EVERYTHING - {thing}, set()):
        with pytest.raises(StrategyError, match=f"looks at .*'{thing}'.*not in sees"):
            check_strategy(looking_at(thing, claimed))
    assert check_strategy(looking_at(thing, {thing, "ranks"}))


def test_the_first_upcard_counts_as_looked_at():
    """Nothing is spent yet, so it changes only together with the hidden prizes."""
    rules = gl.Rules(cards=4, rounds=1)
    with pytest.raises(StrategyError, match="looks at 'prizes' or 'upcard'"):
        check_strategy(looking_at("upcard", {"ranks"}), rules)
    for known in ({"upcard"}, {"prizes"}):
        assert check_strategy(looking_at("upcard", known), rules)


def test_a_subclass_that_answers_anew_inherits_no_declaration():
    """Rejects Uniform's kernel, and its blindness, in a strategy that is not uniform."""

    class Matching(Uniform):
        def probabilities(self, seen):
            return MatchPrize().probabilities(seen)

    class AlsoMatching(Uniform):
        def distribution(self, rules, state):
            return MatchPrize().distribution(rules, state)

    class Apart:
        def probabilities(self, seen):
            return MatchPrize().probabilities(seen)

    class Mixed(Apart, Uniform):
        pass

    class Declared(Uniform):
        name = "declared"
        sees = MatchPrize.sees
        kernel = (NEAREST_PRIZE, 0)

        def probabilities(self, seen):
            return MatchPrize().probabilities(seen)

    class Renamed(Uniform):
        name = "even"

    rules = gl.Rules(cards=4)
    for strategy in (Matching(), AlsoMatching(), Mixed(), Declared()):
        assert strategy.name != "uniform"
        assert check_strategy(strategy)
        for play in (evaluate, lambda *players: gl.simulate(*players, 200)):
            expected = play(rules, MatchPrize(), Uniform()).margin
            assert play(rules, strategy, Uniform()).margin == pytest.approx(expected, abs=1e-12)
    assert (Matching.sees, Matching.kernel, Matching.name) == (EVERYTHING, None, "unnamed")
    assert (Declared.kernel, Renamed.kernel) == ((NEAREST_PRIZE, 0), (UNIFORM, 0))
    assert check_strategy(Renamed())


def test_a_kernel_must_play_what_the_strategy_answers():
    class Other(Highest):
        name = "other"
        kernel = (UNIFORM, 0)

    with pytest.raises(StrategyError, match=r"'other' is played as 'uniform' by its kernel.*State"):
        check_strategy(Other())
    for kernel in ((99, 0), (-1, 0), (HIGHEST,), (True, 0), (NEAREST_PRIZE, 0.5), 3, "uniform"):
        Other.kernel = kernel
        with pytest.raises(StrategyError, match=r"has kernel .*it must be"):
            check_strategy(Other())


def test_other_faults():
    with pytest.raises(StrategyError, match=r"FunctionStrategy\(function, name\)"):
        check_strategy(lambda rules, state: {})
    for sees in (frozenset({"everything"}), "lead", None):
        with pytest.raises(StrategyError, match=r"sees .* must be a set of some of carried, lead"):
            check_strategy(Faulty("all", lambda good, seen: good, sees))
    with pytest.raises(StrategyError, match="needs a name"):
        check_strategy(Faulty("", lambda good, seen: good))
    with pytest.raises(NotImplementedError, match="must define"):
        Strategy().distribution(RULES, STATE)
    with pytest.raises(StrategyError, match="a strategy must be a gops_lab"):
        bids(Uniform)
    for wrong in ({"states": 0}, {"states": 1.5}, {"seed": -1}, {"rules": []}, {"rules": 5}):
        with pytest.raises(StrategyError, match="must be"):
            check_strategy(Uniform(), **wrong)


def test_threads_share_one_best_response(monkeypatch):
    """Rejects a memory that threads fill together: each would sweep the game again."""
    swept = []
    respond = response.respond

    def slow(*arguments):
        swept.append(arguments)
        time.sleep(0.05)
        return respond(*arguments)

    monkeypatch.setattr(response, "respond", slow)
    state = gl.State((1, 2, 3, 4), (1, 2, 3, 4), (1, 2, 4), upcard=3)
    reply = BestResponse(MatchPrize())
    with ThreadPoolExecutor(4) as pool:
        answers = list(pool.map(lambda _: bids(reply, state), range(8)))
    assert len(swept) == 1
    assert all(answer == bids(BestResponse(MatchPrize()), state) for answer in answers)


# Tables

def test_a_table_gives_the_strategy_back(tmp_path, solved):
    """A written strategy plays as the strategy does, from CSV and from Parquet."""
    optimal = OptimalStrategy(solved(RULES, "win"))
    table = strategy_table(optimal, RULES)
    table.to_csv(tmp_path / "s.csv", index=False)
    table.to_parquet(tmp_path / "s.parquet")
    for name in ("s.csv", "s.parquet"):
        copy = read_strategy(tmp_path / name)
        for seats in ((copy, Highest()), (Highest(), copy), (copy, copy)):
            original = [optimal if player is copy else player for player in seats]
            assert evaluate(RULES, *seats).win == pytest.approx(
                evaluate(RULES, *original).win, abs=1e-12
            )
    with pytest.raises(StrategyError, match="has no row for State"):
        bids(copy, gl.State((1, 2), (1, 2), (4,), upcard=3, carried=55))


def test_a_table_that_would_be_too_long_is_refused(monkeypatch):
    """Rejects listing the whole of 13 cards: memory is full long before."""
    rows = len(strategy_table(Highest(), gl.Rules(cards=4)))
    monkeypatch.setattr(table, "MOST_ROWS", rows - 1)
    with pytest.raises(StrategyError, match=rf"'highest' for .*cards=4.*more than {rows - 1:,} ro"):
        strategy_table(Highest(), gl.Rules(cards=4))


def test_a_table_looks_only_at_its_columns():
    rows = pd.DataFrame({"stake": [5, 5, 7], "bid": [1, 4, 2], "weight": [1, 3, 1]})
    strategy = TableStrategy(rows, "by stake", otherwise=Lowest())
    assert strategy.sees == {"ranks", "upcard", "carried"}
    assert check_strategy(strategy, RULES)
    assert bids(strategy) == {1: 0.25, 2: 0, 4: 0.75}
    # Without the 4 in hand, what is left is scaled up; without either, the other strategy plays.
    assert bids(strategy, gl.State((1, 2), (1, 2), (1,), 3, carried=2)) == {1: 1, 2: 0}
    assert bids(strategy, gl.State((2, 3), (1, 2), (1,), 3, carried=2)) == {2: 1, 3: 0}


def test_a_table_falls_back_in_fractions():
    """Rejects ninths that went through floats."""
    rows = pd.DataFrame({"stake": [7, 7], "bid": [1, 4], "probability": [0.5, 0.5]})
    strategy = TableStrategy(rows, "by stake", otherwise=EpsilonGreedy(Fraction(1, 3), Highest()))
    answer = distribution(strategy, RULES, STATE, exact=True)
    assert answer.tolist() == [Fraction(1, 9), Fraction(1, 9), Fraction(7, 9)]
    state = gl.State((1, 2, 4), (2, 3, 4), (1, 4), upcard=3, carried=4)
    assert distribution(strategy, RULES, state, exact=True).tolist() == [Fraction(1, 2), 0,
                                                                         Fraction(1, 2)]


def test_half_a_table_is_refused(tmp_path):
    """Rejects a table that lost rows: what is left of a state is not what was meant."""
    table = strategy_table(EpsilonGreedy(0.5, Highest()), gl.Rules(cards=3))
    table.drop(index=[1]).to_csv(tmp_path / "half.csv", index=False)
    with pytest.raises(
        StrategyError,
        match=r"half\.csv.* sums to 0\.8333.* where hand 1 2 3, opponent_hand 1 2 3, prizes "
        r"2 3, upcard 1, carried 0 \(from row 1 on\)",
    ):
        read_strategy(tmp_path / "half.csv")
    weights = table.rename(columns={"probability": "weight"})
    weights["weight"] *= 6
    for whole in (table, weights, weights.iloc[::-1]):
        copy = TableStrategy(whole, "copy")
        assert evaluate(gl.Rules(cards=3), copy, Lowest()).margin == pytest.approx(
            evaluate(gl.Rules(cards=3), EpsilonGreedy(0.5, Highest()), Lowest()).margin, abs=1e-12
        )
    for rows, message in (
        ({"bid": [1, 2], "probability": [0.5, 0.4]}, "sums to 0.9 where it says nothing"),
        ({"hand": ["1 2", "2 1"], "bid": [1, 2], "probability": [1, 1]}, "to 2 where hand 1 2"),
        ({"upcard": [1], "bid": [1], "weight": [0]}, "sums to 0 where upcard 1.* above 0"),
    ):
        with pytest.raises(StrategyError, match=message):
            TableStrategy(pd.DataFrame(rows), "half")


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"bid": None}, "lacks 'bid'"),
        ({"colour": [1, 2, 3]}, "has 'colour'"),
        ({"probability": None}, "lacks 'probability'"),
        ({"weight": [1, 3, 1]}, "both probability and weight"),
        ({"probability": [1, -1, 1]}, "in row 2"),
        ({"probability": [1, "x", 1]}, "in row 2"),
        ({"stake": [5, 5, 1.5]}, "in row 3"),
        ({"hand": ["1 2", "1 two", "1"]}, "written like 1 3 5"),
    ],
)
def test_a_table_with_a_fault(change, message):
    rows = {"stake": [5, 5, 7], "bid": [1, 4, 2], "probability": [1, 3, 1], **change}
    rows = {name: column for name, column in rows.items() if column is not None}
    with pytest.raises(StrategyError, match=message):
        TableStrategy(pd.DataFrame(rows), "faulty")


def test_a_file_that_is_no_table(tmp_path):
    with pytest.raises(StrategyError, match="cannot be read"):
        read_strategy(tmp_path / "nothing.csv")
    (tmp_path / "x.parquet").write_bytes(b"not parquet")
    with pytest.raises(StrategyError, match="cannot be read"):
        read_strategy(tmp_path / "x.parquet")


# Names

@pytest.mark.parametrize(
    "name",
    ["uniform", "match", "prize+2", "prize-1", "stake", "highest", "lowest", "proportional",
     "optimal:margin", "optimal:win", "best:win:epsilon:0.1:match", "epsilon:1/3:uniform",
     "mix:0.25:best:margin:match:mix:0.5:stake:lowest", "search:uct:50",
     "search:regret:50:win:seed=3", "search:uct:50:explore=2.0",
     "search:regret:50:win:seed=3:explore=0.5"],
)
def test_a_strategy_is_found_by_the_name_it_gives_itself(name):
    rules = gl.Rules(cards=3)
    strategy = strategy_named(name, rules)
    assert strategy.name == name
    assert check_strategy(strategy, rules, states=12) > 0


@pytest.mark.parametrize(
    "name",
    ["", "unknown", "uniform:2", "best:uniform", "best:margin", "mix:2:match:match", "mix:x:match",
     "epsilon:1/0:match", "search:uct", "search:magic:10", "prize+", "optimal:points",
     "search:regret:10:explore=2", "search:uct:10:explore=nan", "search:uct:10:explore=",
     "table:missing.csv"],
)
def test_a_name_that_is_none(name):
    with pytest.raises(StrategyError):
        strategy_named(name, RULES)


def test_a_stored_solution_by_name(tmp_path, solved):
    solved(RULES).save(tmp_path)
    strategy = strategy_named(f"solution:{tmp_path}", RULES)
    assert evaluate(RULES, strategy, strategy).margin == pytest.approx(0, abs=1e-9)
    assert strategy.name == f"solution:{tmp_path}"
    # Rejects naming the part after the whole.
    for name in (f"best:margin:solution:{tmp_path}", f"mix:0.5:solution:{tmp_path}:uniform"):
        assert strategy_named(name, RULES).name == name
    with pytest.raises(StrategyError, match="is to be played"):
        strategy_named(f"solution:{tmp_path}", gl.Rules(cards=3))


# Search

def test_search_finds_what_there_is_to_find():
    """Regret matching approaches optimal play; UCT sees a bid that always wins."""
    rules = gl.Rules(cards=3, ties="discard")
    state = gl.State((1, 3), (2, 3), (3,), upcard=2)
    optimal = distribution(OptimalStrategy(gl.solve(rules)), rules, state)
    found = distribution(TreeSearch(20_000, "regret"), rules, state)
    assert found.to_dict() == pytest.approx(optimal.to_dict(), abs=0.05)
    sure = gl.State((1, 3), (1, 2), (1,), upcard=3)
    assert distribution(TreeSearch(400, "uct"), rules, sure)[3] > 0.9
    lost = [best_response_value(rules, TreeSearch(n, "regret", seed=1)) for n in (3, 2000)]
    assert lost[1] < lost[0] / 2


def test_search_answers_for_one_seed_alike_and_for_two_differently():
    answers = [
        distribution(TreeSearch(30, "regret", seed=seed), RULES, STATE).tolist()
        for seed in (0, 0, 1)
    ]
    assert answers[0] == answers[1] != answers[2]


@pytest.mark.parametrize(
    "make",
    [
        lambda: TreeSearch(iterations=0), lambda: TreeSearch(iterations=1.5),
        lambda: TreeSearch(iterations=True), lambda: TreeSearch(selection="ucb"),
        lambda: TreeSearch(selection=["uct"]), lambda: TreeSearch(seed=-1),
        lambda: TreeSearch(exploration=2), lambda: TreeSearch(exploration=-0.1),
        lambda: TreeSearch(exploration=float("nan")), lambda: TreeSearch(exploration="much"),
        lambda: TreeSearch(selection="uct", exploration=float("inf")),
        lambda: TreeSearch(selection="uct", exploration=1e200),
        lambda: MatchPrize(0.5), lambda: MatchPrize("1"), lambda: MatchPrize(10**30),
        lambda: Mixture(1.5, Uniform(), Highest()), lambda: Mixture("x", Uniform(), Highest()),
        lambda: Mixture(float("nan"), Uniform(), Highest()), lambda: EpsilonGreedy(None, Highest()),
        lambda: Mixture(0.5, "match", Uniform()), lambda: EpsilonGreedy(0.5, Uniform),
        lambda: BestResponse("match"), lambda: strategy_named(None, RULES),
        lambda: OptimalStrategy(Uniform()), lambda: TableStrategy(None, "none"),
        lambda: TableStrategy(pd.DataFrame({"bid": [1], "weight": [1]}), "x", otherwise="match"),
    ],
)
def test_a_parameter_that_makes_no_sense(make):
    with pytest.raises(StrategyError, match="must be"):
        make()


def test_a_search_explores_as_much_as_it_is_told():
    answers = [
        distribution(TreeSearch(200, "regret", exploration=share), RULES, STATE).tolist()
        for share in (0, 0.5, Fraction(1))
    ]
    assert answers[0] != answers[1] != answers[2]
    assert TreeSearch(np.int64(5), "uct", exploration=2).name == "search:uct:5:explore=2.0"


def test_observations_are_views_of_the_same_states():
    encoder = Encoder(RULES)
    seen = observe(encoder, encoder.encode([STATE, STATE]), "b")
    assert seen.states()[0].hand_a == STATE.hand_b
    assert seen.rules.hand_a == RULES.hand_b
    assert len(seen[np.array([0])]) == 1


def test_names_in_names_in_names():
    """Many are read; so many that no strategy could ask them all are refused in a short line."""
    rules = gl.Rules(cards=2)
    deep = gl.strategy_named("epsilon:0.1:" * 49 + "match", rules)
    assert evaluate(rules, deep, deep).margin == pytest.approx(0.0, abs=1e-12)
    for name in ("epsilon:0.1:" * 50 + "match", "epsilon:0.1:" * 2000 + "match"):
        with pytest.raises(StrategyError, match="more than 100") as refused:
            gl.strategy_named(name, rules)
        assert len(str(refused.value)) < 400


@pytest.mark.parametrize(
    ("column", "number"), [("probability", -1), ("probability", -0.5), ("bid", 1.5)]
)
def test_a_wrong_number_in_a_table_is_named_as_it_stands_there(column, number):
    rows = pd.DataFrame({"upcard": [3, 3], "bid": [2, 3], "probability": [0, 1]})
    rows[column] = [number, 1]
    with pytest.raises(StrategyError, match=rf"has {column} {re.escape(str(number))} in row 1"):
        TableStrategy(rows, "mine")
