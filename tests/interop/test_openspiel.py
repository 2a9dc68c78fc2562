"""Our game, policies and strategies in OpenSpiel."""

import pickle
from collections import defaultdict

import numpy as np
import pytest
from scipy.optimize import linprog

import gops_lab as gl
from gops_lab.errors import RulesError, StrategyError
from gops_lab.game import start

pyspiel = pytest.importorskip("pyspiel", reason="OpenSpiel has no wheel for this Python")

from open_spiel.python.algorithms import expected_game_score, exploitability
from open_spiel.python.observation import make_observation
from open_spiel.python.policy import TabularPolicy, UniformRandomPolicy

from gops_lab.interop.openspiel import (
    goofspiel_parameters,
    objective_of,
    openspiel_game,
    payoff_scale,
    policy_exploitability,
    policy_of,
    rules_of,
    strategy_of,
)
from gops_lab.interop.positions import Tree

VARIANTS = [
    gl.Rules(cards=1),
    gl.Rules(cards=3),
    gl.Rules(cards=3, ties="split", order="descending"),
    gl.Rules(cards=4, ties="discard", order=(3, 1, 2, 4), rounds=2),
    gl.Rules(cards=3, prizes=(1, 1, 2, 5), order=(5, 1, 2, 1)),
    gl.Rules(
        hand_a=(2, 2, 6), hand_b=(0, 3, 5), prizes=(-1, 3, 4, 4), negative_stakes="low_bid"
    ),
]  # fmt: skip
GOOFSPIELS = [
    (cards, order, objective)
    for cards in (2, 3, 4) for order in ("random", "ascending", "descending")
    for objective in ("margin", "win")
]  # fmt: skip


def goofspiel(cards, order="random", objective="margin"):
    rules = gl.Rules(cards=cards, ties="discard", order=order)
    return pyspiel.load_game("goofspiel", goofspiel_parameters(rules, objective))


def decisions(game):
    """Yield player, information state, public history and own bids at every decision."""
    waiting = [(game.new_initial_state(), (), ((), ()))]
    while waiting:
        state, public, own = waiting.pop()
        if state.is_terminal():
            continue
        if state.is_chance_node():
            waiting += [
                (state.child(action), (*public, action), own)
                for action, _ in state.chance_outcomes()
            ]
            continue
        for player in (0, 1):
            asked = state if player == 0 else state.child(state.legal_actions()[0])
            yield player, asked.information_state_string(player), public, own[player]
        for a in state.legal_actions():
            after = state.child(a)
            waiting += [
                (after.child(b), (*public, a, b), ((*own[0], a), (*own[1], b)))
                for b in after.legal_actions()
            ]


# The game


@pytest.mark.parametrize("objective", ["margin", "win"])
@pytest.mark.parametrize("rules", VARIANTS, ids=str)
def test_openspiel_accepts_our_game(rules, objective):
    for turn_based in (False, True):
        game = openspiel_game(rules, objective, turn_based=turn_based)
        pyspiel.random_sim_test(game, num_sims=10, serialize=True, verbose=False)
        assert (rules_of(game), objective_of(game)) == (rules, objective)
        again = pickle.loads(pickle.dumps(game))
        assert (rules_of(again), str(again)) == (rules, str(game))


def test_thirteen_cards_are_the_default():
    assert rules_of(pyspiel.load_game("gops_lab")) == gl.Rules(cards=13)


@pytest.mark.parametrize("rules", VARIANTS, ids=str)
@pytest.mark.parametrize("objective", ["margin", "win"])
def test_every_history_ends_as_our_rules_say(rules, objective, solved):
    """Bids, chances and returns of OpenSpiel's tree give the value that we find: all rules."""
    game = openspiel_game(rules, objective)
    for table, value in openspiel_values(game).items():
        assert value == pytest.approx(solved(rules, objective).value(table), abs=1e-9)


def test_the_observation_is_markov_and_unambiguous():
    """Equal observations mean equal states, hidden prizes included; so do equal tensors."""
    game = openspiel_game(gl.Rules(cards=4, prizes=(1, 1, 2, 3), ties="carry"))
    observation = make_observation(game, pyspiel.IIGObservationType(perfect_recall=False))
    tables = defaultdict(set)
    waiting = [game.new_initial_state()]
    while waiting:
        state = waiting.pop()
        seen = set()
        for player in (0, 1):
            observation.set_from(state, player)
            text = observation.string_from(state, player)
            seen |= {text, observation.tensor.tobytes()}
        assert len(seen) == 2  # a text and a tensor, the same for both
        for key in seen:
            tables[key].add(state.position.table)
        if state.is_chance_node():
            waiting += [state.child(action) for action, _ in state.chance_outcomes()]
        elif len(state.history()) < 4:
            waiting += children(state)
    assert {len(found) for found in tables.values()} == {1}


def children(state):
    for a in state.legal_actions(0):
        for b in state.legal_actions(1):
            after = state.clone()
            after.apply_actions([a, b])
            yield after


@pytest.mark.parametrize(("cards", "count"), [(2, 4), (3, 114), (4, 7304)])
def test_information_states_have_perfect_recall(cards, count):
    """4 + 192 + 3456 histories for each of two players with 4 cards, the last round left out."""
    game = openspiel_game(gl.Rules(cards=cards, ties="discard"), turn_based=True)
    histories = defaultdict(set)
    for player, key, public, _ in decisions(game):
        histories[player, key].add(public)
    assert len(histories) == count
    assert {len(found) for found in histories.values()} == {1}


def test_openspiels_own_game_forgets_bids():
    """From 4 cards on its turn-based information states merge histories with different own bids."""
    game = pyspiel.convert_to_turn_based(goofspiel(4))
    own_bids = defaultdict(set)
    for player, key, _, own in decisions(game):
        own_bids[player, key].add(own)
    assert sum(player == 0 for player, _ in own_bids) == 3028
    merged = [player for (player, _), found in own_bids.items() if len(found) > 1]
    assert merged.count(0) == merged.count(1) == 480


# Values


def openspiel_values(game):
    """Return A's value of every state in OpenSpiel's tree, by its transitions and returns alone."""
    tree = Tree(rules_of(game))
    scale = payoff_scale(game)
    found = {}

    def value(state):
        if state.is_terminal():
            return state.returns()[0] / scale
        table = tree.replayed(state.history()).table
        if table not in found:
            if state.is_chance_node():
                found[table] = sum(p * value(state.child(a)) for a, p in state.chance_outcomes())
            else:
                shape = [len(state.legal_actions(player)) for player in (0, 1)]
                found[table] = lp_value(np.reshape([*map(value, children(state))], shape))
        return found[table]

    value(game.new_initial_state())
    return found


def lp_value(payoff):
    rows, columns = payoff.shape
    done = linprog(
        [0] * rows + [-1], A_ub=np.column_stack([-payoff.T, np.ones(columns)]),
        b_ub=np.zeros(columns), A_eq=[[1] * rows + [0]], b_eq=[1],
        bounds=[(0, None)] * rows + [(None, None)],
    )  # fmt: skip
    assert done.status == 0
    return -done.fun


@pytest.mark.parametrize(("cards", "order", "objective"), GOOFSPIELS)
def test_values_agree_with_openspiels_goofspiel(cards, order, objective, solved):
    solution = solved(gl.Rules(cards=cards, ties="discard", order=order), objective)
    values = openspiel_values(goofspiel(cards, order, objective))
    assert len(values) >= {2: 1, 3: 10, 4: 100}[cards]
    for table, value in values.items():
        assert value == pytest.approx(solution.value(table), abs=1e-9), table


@pytest.mark.parametrize(
    ("cards", "order"), [(3, "random"), (4, "descending"), (4, (2, 4, 1, 3))], ids=str
)
@pytest.mark.parametrize("objective", ["margin", "win"])
def test_optimal_play_has_no_nash_conv(cards, order, objective, solved):
    """By OpenSpiel's own computation, turn-based; 4 cards in a shuffle are slow, and below."""
    rules = gl.Rules(cards=cards, order=order)
    game = openspiel_game(rules, objective, turn_based=True)
    assert exploitability.nash_conv(game, policy_of(game, solved(rules, objective))) <= 1e-9


def test_optimal_play_has_no_nash_conv_in_openspiels_goofspiel(solved):
    game = pyspiel.convert_to_turn_based(goofspiel(4))
    policy = policy_of(game, solved(rules_of(game)))
    assert exploitability.nash_conv(game, policy, use_cpp_br=True) <= 1e-9


# Policies and strategies


def random_policy(game, players):
    """Return a policy that bids differently after every history; uniformly in the other seat."""
    policy = TabularPolicy(game)
    draw = np.random.default_rng(5)
    for player in players:
        for key in policy.states_per_player[player]:
            row = policy.policy_for_key(key)
            row[row > 0] = draw.dirichlet(np.ones((row > 0).sum()))
    return policy


@pytest.mark.parametrize(
    "game",
    [
        openspiel_game(
            gl.Rules(hand_a=(1, 3, 5), hand_b=(2, 3, 4), prizes=(1, 2, 4)), "win", turn_based=True
        ),
        openspiel_game(gl.Rules(cards=4, order=(2, 1, 4, 3)), turn_based=True),
        pyspiel.convert_to_turn_based(goofspiel(3)),
    ],
    ids=str,
)  # fmt: skip
def test_a_policy_becomes_a_strategy_that_plays_the_same_game(game):
    """Against a seat without memory, however much the policy's own seat remembers."""
    rules, objective = rules_of(game), objective_of(game)
    for players in ((0,), (1,)):
        policy = random_policy(game, players)
        pair = [strategy_of(game, policy, player) for player in "ab"]
        value = expected_game_score.policy_value(game.new_initial_state(), [policy] * 2)[0]
        assert value != 0
        played = gl.evaluate(rules, *pair).payoff(objective) * payoff_scale(game)
        assert played == pytest.approx(value, abs=1e-12)


def test_what_a_policy_loses_is_what_openspiel_says():
    game = openspiel_game(gl.Rules(cards=4, order=(2, 1, 4, 3)), turn_based=True)
    policy = random_policy(game, (0, 1))
    found = policy_exploitability(game, policy)
    value = expected_game_score.policy_value(game.new_initial_state(), [policy] * 2)[0]
    assert found.value == pytest.approx(value, abs=1e-12)
    assert found.nash_conv == pytest.approx(exploitability.nash_conv(game, policy), abs=1e-12)


def test_a_strategy_comes_back_from_its_policy():
    """What it loses is found by two programs: on states, and on histories."""
    rules = gl.Rules(hand_a=(1, 2, 5), hand_b=(1, 3, 4), prizes=(-2, 1, 3), ties="carry")
    game = openspiel_game(rules)
    strategies = [gl.strategy_named(name, rules) for name in ("epsilon:0.3:match", "prize+1")]
    policy = policy_of(game, *strategies)
    back = [strategy_of(game, policy, player) for player in "ab"]
    for found in (gl.exploitability(rules, *back), policy_exploitability(game, policy)):
        wanted = gl.exploitability(rules, *strategies)
        assert found.best_response_a == pytest.approx(wanted.best_response_a, abs=1e-12)
        assert found.best_response_b == pytest.approx(wanted.best_response_b, abs=1e-12)
        assert found.value == pytest.approx(wanted.value, abs=1e-12)
    for strategy in back:
        assert gl.check_strategy(strategy) > 0


def test_a_policy_that_is_none_is_refused():
    game = openspiel_game(gl.Rules(cards=3))

    class Broken(UniformRandomPolicy):
        def action_probabilities(self, state, player_id=None):
            return {0: 0.5}

    with pytest.raises(StrategyError, match=r"they must sum to 1 over the actions \[0, 1, 2\]"):
        strategy_of(game, Broken(game))


# Parameters


@pytest.mark.parametrize(("cards", "order", "objective"), GOOFSPIELS)
def test_rules_and_goofspiel_parameters_round_trip(cards, order, objective):
    game = goofspiel(cards, order, objective)
    assert rules_of(game) == gl.Rules(cards=cards, ties="discard", order=order)
    assert objective_of(game) == objective
    assert payoff_scale(game) == (0.5 if objective == "margin" else 1)
    assert rules_of(pyspiel.convert_to_turn_based(game)) == rules_of(game)


def test_fewer_turns_are_fewer_rounds():
    rules = gl.Rules(cards=4, rounds=2, ties="discard")
    game = pyspiel.load_game("goofspiel", goofspiel_parameters(rules, "win"))
    assert rules_of(game) == rules
    assert openspiel_values(game)[start(rules)] == pytest.approx(0, abs=1e-12)


@pytest.mark.parametrize(
    ("rules", "said"),
    [
        (gl.Rules(cards=3), "ties='carry'"),
        (gl.Rules(cards=3, ties="discard", rounds=2), "rounds=2"),
        (gl.Rules(cards=3, ties="discard", prizes=(1, 2, 4)), r"prizes=\(1, 2, 4\)"),
        (gl.Rules(cards=3, ties="discard", order=(2, 1, 3)), "order="),
        (gl.Rules(hand_a=(1, 2), hand_b=(1, 3), ties="discard"), "hand_b="),
    ],
)
def test_a_rule_that_goofspiel_lacks_is_named(rules, said):
    with pytest.raises(RulesError, match=f"goofspiel has no {said}"):
        goofspiel_parameters(rules)


@pytest.mark.parametrize(
    ("game", "said"),
    [
        ("kuhn_poker", "must be gops_lab or goofspiel, not kuhn_poker"),
        ("goofspiel(imp_info=True)", "imp_info=False"),
        ("goofspiel(players=3)", "players=2"),
        ("goofspiel(returns_type=total_points)", "not zero-sum"),
        ("goofspiel(num_cards=4,num_turns=3)", "never ends"),
    ],
)
def test_a_game_that_is_not_ours_is_refused(game, said):
    with pytest.raises(RulesError, match=said):
        rules_of(pyspiel.load_game(game))
