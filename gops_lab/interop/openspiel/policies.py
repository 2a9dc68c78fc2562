"""OpenSpiel policies and our strategies for one another, and what a policy can lose.

A policy answers at information states, which remember every bid; a strategy answers at states,
which do not. So a strategy is a policy as it stands, but a policy is a strategy only where it bids
alike after all histories that lead to a state.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd
from open_spiel.python.policy import Policy

from gops_lab.errors import StrategyError
from gops_lab.evaluation import Exploitability
from gops_lab.game import State
from gops_lab.game.objectives import NAMED_OBJECTIVES
from gops_lab.game.state import side_of
from gops_lab.induction import Solution
from gops_lab.interop.openspiel.parameters import objective_of, rules_of
from gops_lab.interop.positions import Position, Tree
from gops_lab.strategies import OptimalStrategy, Strategy, TableStrategy, Uniform, distribution

Floats = npt.NDArray[np.float64]


def policy_of(game: Any, a: Strategy | Solution, b: Strategy | Solution | None = None) -> Policy:
    """Return the OpenSpiel policy that plays our strategies.

    Parameters
    ----------
    game : pyspiel.Game
        Ours or OpenSpiel's goofspiel, turn-based or not.
    a, b : Strategy or Solution
        For player 0, who is A, and for player 1; `b` is `a` where it is not given. A solution
        plays its optimal strategy.

    Returns
    -------
    open_spiel.python.policy.Policy

    Raises
    ------
    RulesError
        If the game is neither ours nor a goofspiel that is ours.

    Examples
    --------
    >>> import gops_lab as gl
    >>> from gops_lab.interop.openspiel import openspiel_game
    >>> game = openspiel_game(gl.Rules(cards=3, ties="discard"))
    >>> policy = policy_of(game, gl.solve(gl.Rules(cards=3, ties="discard")))
    >>> state = game.new_initial_state().child(2)  # the 3 comes first
    >>> policy.action_probabilities(state, 0)
    {0: 0.0, 1: 0.0, 2: 1.0}
    """
    other = a if b is None else b
    return StrategyPolicy(
        game,
        tuple(OptimalStrategy(side) if isinstance(side, Solution) else side for side in (a, other)),
    )


class StrategyPolicy(Policy):  # type: ignore[misc]
    """Two strategies as a policy; made by `policy_of`."""

    def __init__(self, game: Any, strategies: tuple[Strategy, ...]) -> None:
        super().__init__(game, [0, 1])
        self._strategies = strategies
        self._tree = Tree(rules_of(game))
        self._known: dict[tuple[State, int], dict[int, float]] = {}

    def action_probabilities(self, state: Any, player_id: int | None = None) -> dict[int, float]:
        """Return the probability of each legal action at an OpenSpiel state."""
        player = state.current_player() if player_id is None else player_id
        position = self._tree.replayed(state.history())
        # The strategy never sees more than this, so it is asked about each state only once.
        key = (position.table, player)
        if key not in self._known:
            answer = distribution(
                self._strategies[player], self._tree.rules, position.table, "ab"[player]
            )
            legal = self._tree.legal(position, player)
            self._known[key] = dict(zip(legal, map(float, answer), strict=True))
        return self._known[key]


def strategy_of(
    game: Any, policy: Policy, player: str = "a", name: str = "openspiel"
) -> TableStrategy:
    """Return an OpenSpiel policy as a strategy.

    Where a policy bids differently after different histories that lead to the same state, the
    strategy bids their mean, each history weighted with the probability that the policy, in both
    seats, comes there. Against the policy's other seat it then gets what the policy gets if that
    seat has no such memory; what it loses to a best response may differ in any case, and
    `policy_exploitability` has the policy's own.

    Parameters
    ----------
    game : pyspiel.Game
        The game that the policy is for: ours or OpenSpiel's goofspiel, turn-based or not.
    policy : open_spiel.python.policy.Policy
    player : {"a", "b"}
        Whose side of it.
    name : str
        What results call the strategy.

    Returns
    -------
    TableStrategy
        It bids at random in states that play cannot reach.

    Raises
    ------
    RulesError
        If the game is neither ours nor a goofspiel that is ours.
    StrategyError
        If the policy has no distribution over the hand somewhere.

    Examples
    --------
    >>> from open_spiel.python.policy import UniformRandomPolicy
    >>> import gops_lab as gl
    >>> from gops_lab.interop.openspiel import openspiel_game
    >>> rules = gl.Rules(cards=3, ties="discard")
    >>> game = openspiel_game(rules)
    >>> strategy = strategy_of(game, UniformRandomPolicy(game))
    >>> round(gl.exploitability(rules, strategy).exploitability, 9)
    1.333333333
    """
    side = side_of(player)
    tree = Tree(rules_of(game))
    reached: defaultdict[State, Floats] = defaultdict(lambda: np.zeros(len(tree.ranks[side])))
    counted: defaultdict[State, Floats] = defaultdict(lambda: np.zeros(len(tree.ranks[side])))
    for node, reach in _visits(Walk(tree, policy), game.new_initial_state()):
        answer = np.zeros(len(tree.ranks[side]))
        answer[list(node.answers[side])] = list(node.answers[side].values())
        reached[node.position.table] += reach * answer
        counted[node.position.table] += answer
    rows = []
    for table, weights in reached.items():
        # Never reached by the policy itself: all histories count alike.
        weights = weights if weights.sum() > 0 else counted[table]
        own = table
        if side:
            own = replace(table, hand_a=table.hand_b, hand_b=table.hand_a, lead=-table.lead)
        for action in np.flatnonzero(weights):
            rows.append(
                {
                    "hand": own.hand_a,
                    "opponent_hand": own.hand_b,
                    "prizes": own.prizes,
                    "upcard": own.upcard,
                    "carried": own.carried,
                    "lead": own.lead,
                    "bid": tree.ranks[side][action],
                    "probability": weights[action] / weights.sum(),
                }
            )
    return TableStrategy(pd.DataFrame(rows), name, otherwise=Uniform())


def policy_exploitability(game: Any, policy: Policy, name: str = "openspiel") -> Exploitability:
    """Return what an OpenSpiel policy can lose to best responses, exactly.

    Found by our rules on the tree of all histories, so that the responder may use everything that
    has been seen, as the policy may. For small decks. Payoffs are ours: points under margin, also
    where OpenSpiel's goofspiel counts half of them.

    Parameters
    ----------
    game : pyspiel.Game
        The game that the policy is for: ours or OpenSpiel's goofspiel, turn-based or not.
    policy : open_spiel.python.policy.Policy
    name : str
        What the result calls the policy.

    Returns
    -------
    Exploitability

    Raises
    ------
    RulesError
        If the game is neither ours nor a goofspiel that is ours.
    StrategyError
        If the policy has no distribution over the hand somewhere.

    Examples
    --------
    >>> from open_spiel.python.policy import UniformRandomPolicy
    >>> import pyspiel
    >>> game = pyspiel.load_game("goofspiel(num_cards=3,returns_type=point_difference)")
    >>> round(policy_exploitability(game, UniformRandomPolicy(game)).exploitability, 9)
    1.333333333
    """
    rules, objective = rules_of(game), objective_of(game)
    walk = Walk(Tree(rules), policy)
    utility = NAMED_OBJECTIVES[objective].as_float

    def payoffs(state: Any, position: Position) -> Floats:
        """Return A's payoff of the policy, of A's best response and of B's."""
        if walk.tree.is_over(position):
            return np.full(3, utility(position.table.lead))
        if position.table.upcard is None:
            mean: Floats = np.sum(
                [
                    float(chance)
                    * payoffs(state.child(action), walk.tree.exposed(position, action))
                    for action, chance in walk.tree.chances(position)
                ],
                axis=0,
            )
            return mean
        node = walk.node(state, position)
        x, y = (np.array(list(answer.values())) for answer in node.answers)
        below = np.array(
            [
                [payoffs(*node.child(walk.tree, i, j)) for j in node.answers[1]]
                for i in node.answers[0]
            ]
        )
        return np.array(
            [x @ below[:, :, 0] @ y, (below[:, :, 1] @ y).max(), (x @ below[:, :, 2]).min()]
        )

    value, best_a, best_b = map(float, payoffs(game.new_initial_state(), walk.tree.root))
    return Exploitability(rules, objective, name, name, value, best_a, best_b)


@dataclass(frozen=True)
class Node:
    """A position in which both players bid, with what a policy does there."""

    state: Any
    position: Position
    answers: tuple[dict[int, float], dict[int, float]]
    """Probability of each legal action, for A and for B."""

    def child(self, tree: Tree, action_a: int, action_b: int) -> tuple[Any, Position]:
        """Return OpenSpiel's state and our position after a pair of bids."""
        if self.state.is_simultaneous_node():
            after = self.state.clone()
            after.apply_actions([action_a, action_b])
        else:
            after = self.state.child(action_a).child(action_b)
        return after, tree.bid(self.position, action_a, action_b)


class Walk:
    """Follows OpenSpiel's states and our positions side by side, asking a policy."""

    def __init__(self, tree: Tree, policy: Policy) -> None:
        self.tree = tree
        self._policy = policy

    def node(self, state: Any, position: Position) -> Node:
        """Return a position with both players' answers, checked."""
        legal = [self.tree.legal(position, player) for player in (0, 1)]
        # Turn-based, B is asked after A has bid; what A has bid is hidden from it.
        simultaneous = state.is_simultaneous_node()
        asked = (state, state if simultaneous else state.child(legal[0][0]))
        answers = []
        for player in (0, 1):
            given = self._policy.action_probabilities(asked[player], player)
            answer = {action: float(given.get(action, 0)) for action in legal[player]}
            if not abs(sum(answer.values()) - 1) < 1e-6 or min(answer.values()) < 0:
                raise StrategyError(
                    f"the policy gives player {player} the probabilities {dict(given)} at "
                    f"{position.table}; they must sum to 1 over the actions {legal[player]}"
                )
            answers.append(answer)
        return Node(state, position, (answers[0], answers[1]))


def _visits(walk: Walk, root: Any) -> Iterator[tuple[Node, float]]:
    """Yield every node, with the probability that the policy comes there."""
    waiting = [(root, walk.tree.root, 1.0)]
    while waiting:
        state, position, reach = waiting.pop()
        if walk.tree.is_over(position):
            continue
        if position.table.upcard is None:
            waiting += [
                (state.child(action), walk.tree.exposed(position, action), reach * float(chance))
                for action, chance in walk.tree.chances(position)
            ]
            continue
        node = walk.node(state, position)
        yield node, reach
        waiting += [
            (*node.child(walk.tree, i, j), reach * p * q)
            for i, p in node.answers[0].items()
            for j, q in node.answers[1].items()
        ]
