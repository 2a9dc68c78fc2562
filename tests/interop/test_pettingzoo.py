"""Our game as a PettingZoo environment."""

from fractions import Fraction
from functools import cache

import numpy as np
import pytest

import gops_lab as gl
from gops_lab.encoding import features
from gops_lab.errors import IllegalBidError, StateError

pytest.importorskip("pettingzoo", reason="PettingZoo is not installed")

from pettingzoo.test import parallel_api_test, parallel_seed_test

from gops_lab.interop.pettingzoo import GopsEnv

VARIANTS = [
    gl.Rules(cards=1),
    gl.Rules(cards=4),
    gl.Rules(cards=4, ties="split", order="descending"),
    gl.Rules(cards=5, ties="discard", prizes=(1, 1, 2, 3, 5, 8), rounds=3),
    gl.Rules(
        hand_a=(2, 2, 6), hand_b=(0, 3, 5), prizes=(-1, 3, -4, 4), negative_stakes="low_bid"
    ),
]  # fmt: skip


def heavier_to_lose(lead):
    return Fraction(lead if lead > 0 else 3 * lead, 2)


@cache
def policy(rules, strategy, state):
    """Return a strategy's probability of each action, all from the player's side."""
    answer = gl.strategies.distribution(strategy, rules, state)
    return answer.reindex(env_ranks(rules), fill_value=0.0).to_numpy()


def swapped(rules):
    fields = rules.as_dict()
    return gl.Rules(**{**fields, "hand_a": fields["hand_b"], "hand_b": fields["hand_a"]})


def env_ranks(rules):
    return sorted(set(rules.hand_a))


def games(rules, objective, strategies, seed, count):
    """Yield each agent's return of some games."""
    env = GopsEnv(rules, objective)
    seats = tuple(zip("ab", (rules, swapped(rules)), strategies, strict=True))
    draw = np.random.default_rng(seed)
    for game in range(count):
        _, infos = env.reset(seed=seed if game == 0 else None)
        total = dict.fromkeys("ab", 0.0)
        while env.agents:
            chances = {
                agent: policy(side, strategy, infos[agent]["state"])
                for agent, side, strategy in seats
            }
            actions = {agent: int(draw.choice(len(p), p=p)) for agent, p in chances.items()}
            _, rewards, _, _, infos = env.step(actions)
            total = {agent: total[agent] + rewards[agent] for agent in "ab"}
        yield total, infos["a"]["state"].lead


@pytest.mark.filterwarnings("default")  # theirs, where a library they need is older or newer
@pytest.mark.parametrize("rules", VARIANTS, ids=str)
def test_pettingzoo_accepts_our_environment(rules):
    parallel_api_test(GopsEnv(rules), num_cycles=100)
    parallel_seed_test(lambda: GopsEnv(rules), num_cycles=100)


@pytest.mark.parametrize("rules", VARIANTS, ids=str)
@pytest.mark.parametrize("objective", ["margin", "win", heavier_to_lose])
def test_rewards_add_up_to_the_objective(rules, objective):
    goal = gl.game.as_objective(objective)
    uniform = gl.strategies.Uniform()
    for total, lead in games(rules, objective, (uniform, uniform), 3, 30):
        assert total == {"a": float(goal(lead)), "b": -float(goal(lead))}


def test_mean_returns_are_the_exact_payoffs():
    """A wrong shuffle, a card that is not spent or swapped sides change the mean."""
    rules = gl.Rules(hand_a=(1, 3, 5), hand_b=(2, 3, 4), prizes=(1, 2, 6), ties="carry")
    strategies = gl.strategy_named("match", rules), gl.strategy_named("epsilon:0.3:highest", rules)
    exact = gl.evaluate(rules, *strategies)
    returns = [total["a"] for total, _ in games(rules, "margin", strategies, 11, 1500)]
    error = np.std(returns) / np.sqrt(len(returns))
    assert abs(np.mean(returns) - exact.margin) < 4 * error
    assert error < 0.15


def test_a_seed_fixes_every_game_and_no_seed_goes_on():
    """13 cards: two shuffles that agree by chance are not to be feared."""
    def shuffles(seed):
        env = GopsEnv(gl.Rules(cards=13))
        for game in range(2):
            _, infos = env.reset(seed=seed if game == 0 else None)
            order = []
            while env.agents:
                order.append(infos["a"]["state"].upcard)
                _, _, _, _, infos = env.step(dict.fromkeys("ab", len(order) - 1))
            yield tuple(order)

    first, again, other = (list(shuffles(seed)) for seed in (1, 1, 2))
    assert first == again
    assert len({*first, *other}) == 4
    assert all(sorted(order) == list(range(1, 14)) for order in first)


def test_each_agent_sees_the_table_from_its_own_side():
    rules = gl.Rules(hand_a=(1, 3, 5), hand_b=(2, 3, 4), prizes=(-1, 2, 4))
    env = GopsEnv(rules)
    env.reset(seed=2)
    seen, rewards, _, _, infos = env.step({"a": 2, "b": 0})
    assert rewards["a"] == -rewards["b"] != 0
    a, b = (infos[agent]["state"] for agent in "ab")
    assert (a.hand_a, b.hand_a, a.hand_b, b.hand_b) == ((1, 3), (3, 4), (3, 4), (1, 3))
    assert a.lead == -b.lead == rewards["a"]
    assert a.upcard == b.upcard
    done = infos["a"]["round"]
    assert (done.bid_a, done.bid_b, done.gain_a - done.gain_b) == (5, 2, rewards["a"])
    assert infos["b"]["round"] == done
    for agent, state, side in (("a", a, rules), ("b", b, swapped(rules))):
        encoder = gl.encoding.Encoder(side)
        row = features(encoder, encoder.encode([state]))[0]
        assert seen[agent]["observation"].tolist() == row.tolist()
        assert env.observation_space(agent).contains(seen[agent])
        held = [rank in state.hand_a for rank in env_ranks(side)]
        assert seen[agent]["action_mask"].astype(bool).tolist() == held


def test_in_the_end_nothing_is_allowed():
    """Cards are left over, and no action is legal any more."""
    env = GopsEnv(gl.Rules(cards=3, rounds=1))
    env.reset(seed=0)
    seen, _, ended, cut_short, infos = env.step({"a": 0, "b": 1})
    assert ended == {"a": True, "b": True}
    assert cut_short == {"a": False, "b": False}
    assert env.agents == []
    assert infos["a"]["state"].hand_a == (2, 3)
    assert not seen["a"]["action_mask"].any()
    with pytest.raises(StateError, match=r"reset\(\) begins one"):
        env.step({"a": 1, "b": 1})


@pytest.mark.parametrize(
    ("actions", "said"),
    [
        ({"a": 1}, "agent 'b' must act with one of 0 to 2, not None"),
        ({"a": -1, "b": 0}, "agent 'a' must act with one of 0 to 2, not -1"),
        ({"a": 3, "b": 0}, "agent 'a' must act with one of 0 to 2, not 3"),
        ({"a": 0, "b": 1}, r"bid 2 is not in A's hand \{4, 6\}"),
        ({"a": 1, "b": 0}, r"bid 1 is not in B's hand \{3, 5\}"),
    ],
)
def test_an_action_that_is_not_allowed_is_refused(actions, said):
    env = GopsEnv(gl.Rules(hand_a=(2, 4, 6), hand_b=(1, 3, 5), prizes=(1, 2, 3)))
    env.reset(seed=0)
    env.step({"a": 0, "b": 0})
    with pytest.raises(IllegalBidError, match=said):
        env.step(actions)
