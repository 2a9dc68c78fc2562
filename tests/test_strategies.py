"""What each strategy does, what every strategy must do, and how one that does not is told."""

from fractions import Fraction

import numpy as np
import pandas as pd
import pytest

import gops_lab as gl
from gops_lab.encoding import Encoder
from gops_lab.errors import StrategyError
from gops_lab.evaluation import best_response_value, evaluate
from gops_lab.strategies import (
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
    strategy_named,
    strategy_table,
)

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


FAULTS = {
    "a wrong length": (lambda good, seen: good[:, :-1], r"shape .*\bis needed"),
    "too few rows": (lambda good, seen: good[1:], "shape"),
    "a NaN": (lambda good, seen: good * np.nan, "probability nan"),
    "a negative": (_negative, "negative probability"),
    "a card not held": (_off_hand, "not in the hand"),
    "not summing to 1": (lambda good, seen: good / 2, "sum to 0.5, not 1"),
    "words": (lambda good, seen: good.astype(str), "where numbers are needed"),
    "looking at the lead": (_by_lead, "looks at 'lead'"),
    "looking at its place in the batch": (_by_row, "differently"),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_a_faulty_strategy_is_named_with_the_state(fault):
    spoil, message = FAULTS[fault]
    with pytest.raises(StrategyError, match=message) as raised:
        check_strategy(Faulty(fault, spoil))
    assert repr(fault) in str(raised.value)
    assert "State(hand_a=" in str(raised.value) or fault == "words"


@pytest.mark.parametrize("fault", list(FAULTS)[:6])
def test_every_use_of_a_faulty_strategy_is_refused(fault):
    faulty = Faulty(fault, FAULTS[fault][0])
    message = f"strategy '{fault}'"
    for use in (
        lambda: distribution(faulty, RULES, STATE),
        lambda: evaluate(RULES, Uniform(), faulty),
        lambda: best_response_value(RULES, faulty),
        lambda: distribution(Mixture(0.5, faulty, Uniform()), RULES, STATE),
    ):
        with pytest.raises(StrategyError, match=message):
            use()


def test_other_faults():
    with pytest.raises(StrategyError, match=r"FunctionStrategy\(function, name\)"):
        check_strategy(lambda rules, state: {})
    with pytest.raises(StrategyError, match="sees 'everything'"):
        check_strategy(Faulty("all", lambda good, seen: good, frozenset({"everything"})))
    with pytest.raises(StrategyError, match="needs a name"):
        check_strategy(Faulty("", lambda good, seen: good))
    with pytest.raises(StrategyError, match="between 0 and 1"):
        Mixture(1.5, Uniform(), Highest())
    with pytest.raises(NotImplementedError, match="must define"):
        Strategy().distribution(RULES, STATE)
    alone = FunctionStrategy(lambda rules, state: {min(state.hand_a): 0.5}, "half")
    with pytest.raises(StrategyError, match=r"'half' gives probabilities that sum to 0\.5"):
        bids(alone)


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


def test_a_table_looks_only_at_its_columns():
    rows = pd.DataFrame({"stake": [5, 5, 7], "bid": [1, 4, 2], "probability": [1, 3, 1]})
    strategy = TableStrategy(rows, "by stake", otherwise=Lowest())
    assert strategy.sees == {"ranks", "upcard", "carried"}
    assert check_strategy(strategy, RULES)
    assert bids(strategy) == {1: 0.25, 2: 0, 4: 0.75}
    # Without the 4 in hand, what is left is scaled up; without either, the other strategy plays.
    assert bids(strategy, gl.State((1, 2), (1, 2), (1,), 3, carried=2)) == {1: 1, 2: 0}
    assert bids(strategy, gl.State((2, 3), (1, 2), (1,), 3, carried=2)) == {2: 1, 3: 0}


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"bid": None}, "lacks 'bid'"),
        ({"colour": [1, 2, 3]}, "has 'colour'"),
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
     "search:regret:50:win:seed=3"],
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
     "table:missing.csv"],
)
def test_a_name_that_is_none(name):
    with pytest.raises(StrategyError):
        strategy_named(name, RULES)


def test_a_stored_solution_by_name(tmp_path, solved):
    solved(RULES).save(tmp_path)
    strategy = strategy_named(f"solution:{tmp_path}", RULES)
    assert evaluate(RULES, strategy, strategy).margin == pytest.approx(0, abs=1e-9)
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
    for wrong in ({"iterations": 0}, {"selection": "ucb"}, {"seed": -1}, {"iterations": 1.5}):
        with pytest.raises(StrategyError, match="must be"):
            TreeSearch(**wrong)


def test_observations_are_views_of_the_same_states():
    encoder = Encoder(RULES)
    seen = observe(encoder, encoder.encode([STATE, STATE]), "b")
    assert seen.states()[0].hand_a == STATE.hand_b
    assert seen.rules.hand_a == RULES.hand_b
    assert len(seen[np.array([0])]) == 1
