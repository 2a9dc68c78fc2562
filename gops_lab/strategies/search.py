"""Monte Carlo tree search for simultaneous moves.

Every visit to a node picks a bid for each player separately, from that player's own statistics
(the "decoupled" form), plays on, and credits both bids with the result. Two ways to pick:

- ``"uct"``: the bid with the largest mean result plus an exploration bonus
  ``c sqrt(log(visits) / visits of the bid)``; the answer is how often each bid was picked.
- ``"regret"``: regret matching, bids in proportion to their positive cumulative regret, mixed
  with a little uniform play; the answer is the average of these distributions.

Sources: decoupled UCT, H. Finnsson, Y. Bjornsson, AAAI 2008; both forms on Goofspiel, M. Lanctot,
V. Lisy, M. Winands, Monte Carlo tree search in simultaneous move games with applications to
Goofspiel, 2014; convergence of the second, V. Lisy, V. Kovarik, M. Lanctot, B. Bosansky, NIPS
2013; regret matching, S. Hart, A. Mas-Colell, Econometrica 68 (2000).
"""

from __future__ import annotations

import hashlib
import math
import random
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any, NamedTuple

from gops_lab.errors import StrategyError
from gops_lab.game import Rules, State, checks, lead_change, rounds_left
from gops_lab.game.objectives import as_objective
from gops_lab.strategies.strategy import Strategy

SELECTIONS = {"uct": (0.7, 1000.0), "regret": (0.1, 1.0)}
"""How a bid can be picked: the usual exploration, and the most that makes sense."""

MOST_ITERATIONS = 10**7


class TreeSearch(Strategy):
    """Monte Carlo tree search from the state at hand, with a budget of iterations.

    A search is seeded by `seed` and by the state, so the same state always gets the same answer:
    the strategy is a Markov strategy and can be evaluated exactly on small decks.

    In print: ``"uct"`` is SM-MCTS with decoupled UCT (DUCT), ``"regret"`` is SM-MCTS with regret
    matching (RM); sources in this module.

    Parameters
    ----------
    iterations : int
        Playouts at every decision.
    selection : {"uct", "regret"}
    objective : {"margin", "win"}, callable or dict
        The player's utility of its own final lead; the opponent is taken to want the opposite.
    seed : int
    exploration : float, optional
        ``c`` of ``"uct"``, between 0 and 1000 (default 0.7; results are scaled to between -1 and
        1), or the share of uniform play of ``"regret"``, between 0 and 1 (default 0.1).

    Raises
    ------
    StrategyError
        If a parameter is none of these.

    Examples
    --------
    >>> search = TreeSearch(200, "uct", seed=1)
    >>> state = State((1, 3), (2, 3), (), upcard=2)
    >>> rules = Rules(hand_a=(1, 3), hand_b=(2, 3), prizes=(2,), rounds=1)
    >>> answer = search.distribution(rules, state)
    >>> max(answer, key=answer.get), search.distribution(rules, state) == answer
    (3, True)
    """

    def __init__(
        self,
        iterations: int = 1000,
        selection: str = "regret",
        objective: object = "margin",
        seed: int = 0,
        exploration: float | None = None,
    ) -> None:
        if not isinstance(selection, str) or selection not in SELECTIONS:
            raise StrategyError(
                f"selection must be one of {', '.join(SELECTIONS)}, not {selection!r}"
            )
        self.iterations = checks.integer(
            "iterations", iterations, 1, MOST_ITERATIONS, StrategyError
        )
        self.selection = selection
        self.objective = as_objective(objective)
        self.seed = checks.integer("seed", seed, 0, 2**63, StrategyError)
        usual, most = SELECTIONS[selection]
        self.exploration = usual
        self.name = f"search:{selection}:{self.iterations}"
        if self.objective.name != "margin":
            self.name += f":{self.objective.name}"
        if self.seed:
            self.name += f":seed={self.seed}"
        if exploration is not None:
            self.exploration = float(
                checks.number("exploration", exploration, 0, most, StrategyError)
            )
            self.name += f":explore={self.exploration}"

    def distribution(self, rules: Rules, state: State) -> Mapping[int, Any]:
        """Return the answer of a search from this state; see `Strategy.distribution`."""
        # The answer depends on nothing but the seed and the state, on every platform.
        digest = hashlib.sha256(repr((self.name, rules, state)).encode()).digest()
        search = _Search(self, rules, random.Random(int.from_bytes(digest, "big")))
        root = _Table(
            state.hand_a, state.hand_b, state.prizes, state.stake, state.lead,
            rounds_left(rules, state),
        )
        return search.run(root, self.iterations)


class _Table(NamedTuple):
    """A stage game as the search keeps it."""

    hand_a: tuple[int, ...]
    hand_b: tuple[int, ...]
    hidden: tuple[int, ...]
    stake: int
    lead: int
    rounds: int


class _Node:
    """What a search knows of a stage game: for each player and bid."""

    __slots__ = ("bids", "picked", "score", "visits")

    def __init__(self, table: _Table) -> None:
        self.bids = (tuple(sorted(set(table.hand_a))), tuple(sorted(set(table.hand_b))))
        self.visits = 0
        self.picked = [[0.0] * len(bids) for bids in self.bids]
        """How often a bid was picked, or (regret matching) its summed probability."""
        self.score = [[0.0] * len(bids) for bids in self.bids]
        """The sum of results after a bid, or (regret matching) its regret."""


class _Search:
    def __init__(self, strategy: TreeSearch, rules: Rules, draw: random.Random) -> None:
        self._draw = draw
        self._nodes: dict[_Table, _Node] = {}
        self._utility = lru_cache(maxsize=None)(strategy.objective.as_float)
        self._outcome = lru_cache(maxsize=None)(
            lambda stake, comparison: lead_change(rules, stake, comparison)
        )
        self._uct = strategy.selection == "uct"
        self._explore = strategy.exploration
        self._known_order = rules.known_order is not None

    def run(self, root: _Table, iterations: int) -> dict[int, float]:
        reach = abs(root.stake) + sum(sorted(map(abs, root.hidden))[-max(root.rounds - 1, 0) :])
        ends = [self._utility(root.lead + step) for step in (-reach, 0, reach)]
        self._middle = (max(ends) + min(ends)) / 2
        self._scale = max((max(ends) - min(ends)) / 2, 1e-12)
        for _ in range(iterations):
            self._visit(root)
        weights = self._nodes[root].picked[0]
        total = sum(weights)
        return {
            bid: weight / total
            for bid, weight in zip(self._nodes[root].bids[0], weights, strict=True)
        }

    def _visit(self, table: _Table) -> None:
        """Play once from a stage game on, and credit every bid with the result."""
        path = []
        while True:
            node = self._nodes.get(table)
            fresh = node is None
            if node is None:
                node = self._nodes[table] = _Node(table)
            chosen = [self._pick(node, player) for player in (0, 1)]
            path.append((node, chosen))
            after = self._after(table, node.bids[0][chosen[0][0]], node.bids[1][chosen[1][0]])
            if isinstance(after, int):
                lead = after
                break
            if fresh:
                lead = self._playout(after)
                break
            table = after
        result = (self._utility(lead) - self._middle) / self._scale
        for node, chosen in path:
            node.visits += 1
            for player, sign in ((0, 1.0), (1, -1.0)):
                self._credit(node, player, chosen[player], sign * result)

    def _pick(self, node: _Node, player: int) -> tuple[int, list[float] | None]:
        """Return the position of a bid, and the distribution it was drawn from."""
        score, picked = node.score[player], node.picked[player]
        if self._uct:
            untried = [i for i, count in enumerate(picked) if not count]
            if untried:
                return self._draw.choice(untried), None
            bonus = self._explore**2 * math.log(node.visits)
            values = [
                total / count + math.sqrt(bonus / count)
                for total, count in zip(score, picked, strict=True)
            ]
            best = max(values)
            return self._draw.choice([i for i, v in enumerate(values) if v == best]), None
        positive = [max(regret, 0.0) for regret in score]
        total = sum(positive)
        count = len(score)
        matched = [regret / total for regret in positive] if total > 0 else [1 / count] * count
        mixed = [self._explore / count + (1 - self._explore) * p for p in matched]
        for i, p in enumerate(matched):
            picked[i] += p
        return self._draw.choices(range(count), mixed)[0], mixed

    def _credit(
        self, node: _Node, player: int, chosen: tuple[int, list[float] | None], result: float
    ) -> None:
        bid, mixed = chosen
        score = node.score[player]
        if mixed is None:
            node.picked[player][bid] += 1
            score[bid] += result
            return
        # An unbiased estimate of each bid's result: what came, over how likely it was to come.
        for i in range(len(score)):
            score[i] -= result
        score[bid] += result / mixed[bid]

    def _after(self, table: _Table, bid_a: int, bid_b: int) -> _Table | int:
        """Return the next stage game, or the final lead."""
        change, carried = self._outcome(table.stake, (bid_a > bid_b) - (bid_a < bid_b))
        lead = table.lead + int(change)
        if table.rounds == 1:
            return lead
        place = 0 if self._known_order else self._draw.randrange(len(table.hidden))
        hidden = table.hidden
        return _Table(
            _without(table.hand_a, bid_a),
            _without(table.hand_b, bid_b),
            hidden[:place] + hidden[place + 1 :],
            hidden[place] + int(carried),
            lead,
            table.rounds - 1,
        )

    def _playout(self, table: _Table) -> int:
        """Play to the end with random bids; return the final lead."""
        hands: list[Sequence[int]] = [
            self._draw.sample(hand, table.rounds) for hand in (table.hand_a, table.hand_b)
        ]
        prizes = table.hidden
        if not self._known_order:
            prizes = tuple(self._draw.sample(prizes, table.rounds - 1))
        stake, lead = table.stake, table.lead
        for i, (bid_a, bid_b) in enumerate(zip(*hands, strict=True)):
            change, carried = self._outcome(stake, (bid_a > bid_b) - (bid_a < bid_b))
            lead += change
            if i < table.rounds - 1:
                stake = int(carried) + prizes[i]
        return lead


def _without(hand: tuple[int, ...], bid: int) -> tuple[int, ...]:
    place = hand.index(bid)
    return hand[:place] + hand[place + 1 :]
