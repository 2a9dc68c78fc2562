"""The best response to a strategy: what it gains, and how to play it.

The responder sits in seat A of the rules given, the strategy it answers in seat B; turning the
table round serves the other seat. The states that play can reach are found from the top, then
valued from the last round up: with y the strategy's distribution at a stage game, M(i, j) the
points of bids i against j plus the value of the state that follows,

    value = max over i of sum over j of M(i, j) y(j),

and a state before an exposure is worth the mean over the prizes that can come.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

import numpy as np
import numpy.typing as npt

from gops_lab.encoding import StateBatch
from gops_lab.encoding.card_sets import BoolArray
from gops_lab.encoding.patterns import IntArray
from gops_lab.game import Rules
from gops_lab.game.objectives import Objective, as_objective
from gops_lab.strategies.observations import Observations, Probabilities, in_hand_order, observe
from gops_lab.strategies.states import Stages, StateSpace
from gops_lab.strategies.strategy import EVERYTHING, Strategy, as_strategy, checked

MOST_POLICIES = 8
"""How many best responses (to one strategy, in different games) one object remembers."""

MOST_WHAT_IFS = 64
"""How many sweeps from states off the path of play are remembered."""

_SOLVING = threading.RLock()
"""Held while best responses are found: threads of a simulation share a strategy. One for all, as
the opponent may be a best response itself; strategies stay free of locks, and can be copied."""

SAME = 1e-12
"""Bids whose values differ by no more than this, relative to their size, count as equally good."""

ValueArray = npt.NDArray[Any]

Progress = Callable[[int, int, int], None]
"""Called with (cards in each hand, states looked at so far, states with so many cards), first from
the top down, where states are found, then from the last round up, where they are valued."""


class BestResponse(Strategy):
    """The strategy that gains most against a given one, known to it beforehand.

    In print: best response; "optimal play against a player known to bid at random" (S. M. Ross
    1971). It is found when first asked, for the game it is asked about, by an exact sweep over all
    states that it can reach; of several best bids it takes the lowest.

    Parameters
    ----------
    opponent : Strategy
        What it answers. Only its distributions are used, never its draws.
    objective : {"margin", "win"}, callable or dict
        What the responder wants of its own final lead.

    Raises
    ------
    StrategyError
        If the opponent is no strategy.

    Examples
    --------
    >>> from gops_lab.game import Rules, State
    >>> from gops_lab.strategies.simple import Uniform
    >>> reply = BestResponse(Uniform())
    >>> state = State((1, 2, 3), (1, 2, 3), (1, 3), upcard=2)
    >>> reply.distribution(Rules(cards=3, ties="discard"), state)
    {1: 0.0, 2: 1.0, 3: 0.0}
    """

    def __init__(self, opponent: Strategy, objective: object = "margin") -> None:
        self.opponent = as_strategy(opponent)
        self.objective = as_objective(objective)
        self.name = f"best:{self.objective.name}:{opponent.name}"
        self.sees = EVERYTHING
        if self.objective.ignores_lead and "lead" not in opponent.sees:
            self.sees -= {"lead"}
        if "ranks" not in opponent.sees:
            self.sees -= {"ranks"}
        self._policies: OrderedDict[tuple[Rules, bool], list[Policy]] = OrderedDict()

    def probabilities(self, seen: Observations) -> Probabilities:
        """Return the distributions; see `Strategy.probabilities`."""
        return seen.one(self._columns(seen))

    def bid_values(self, seen: Observations) -> ValueArray:
        """Return what each bid is worth to the responder, shape (k, ranks).

        The final result if it bids so and goes on optimally, the lead so far included; minus
        infinity for ranks it does not hold.
        """
        result = np.full((len(seen), len(seen.ranks)), -np.inf, object if seen.exact else float)
        for rows, policy in self._asked(seen):
            result[rows] = policy.values(seen.batch[rows])
        return result

    def _columns(self, seen: Observations) -> IntArray:
        result = np.zeros(len(seen), np.int64)
        for rows, policy in self._asked(seen):
            result[rows] = policy.columns(seen.batch[rows])
        return result

    def _asked(self, seen: Observations) -> Iterator[tuple[IntArray, Policy]]:
        """Yield rows of one tier each, with the policy that knows their states."""
        tiers = seen.encoder.tier(seen.batch)
        for tier in np.unique(tiers):
            rows = np.flatnonzero(tiers == tier)
            for policy in self._known(seen):
                if not len(rows):
                    break
                there = policy.knows(seen.batch[rows])
                if there.any():
                    yield rows[there], policy
                rows = rows[~there]
            if len(rows):
                yield rows, self._solve(seen, seen.batch[rows])

    def _known(self, seen: Observations) -> list[Policy]:
        """Return the policies for one game so far, that of the whole game first."""
        key = (seen.rules, seen.exact)
        with _SOLVING:
            if key not in self._policies:
                self._policies[key] = [self._respond(seen, seen.encoder.start())]
                if len(self._policies) > MOST_POLICIES:
                    self._policies.popitem(last=False)
            return list(self._policies[key])

    def _solve(self, seen: Observations, roots: StateBatch) -> Policy:
        with _SOLVING:
            policy = self._respond(seen, roots)
            # Another thread may have made us forget the game; then this one is not kept.
            policies = self._policies.get((seen.rules, seen.exact), [])
            policies.append(policy)
            if len(policies) > MOST_WHAT_IFS:
                del policies[1]
        return policy

    def _respond(self, seen: Observations, roots: StateBatch) -> Policy:
        return respond(seen.rules, self.opponent, self.objective, roots, seen.exact)


@dataclass(frozen=True, eq=False)
class Policy:
    """A best response on all stage games that can be reached from some states."""

    space: StateSpace
    value: ValueArray
    """(r,) what each root is worth to the responder, the lead so far included."""
    adds_lead: bool
    """Whether a lead is added to what the tiers say."""
    tiers: dict[int, PolicyTier] = field(repr=False)

    def knows(self, batch: StateBatch) -> BoolArray:
        """Return which stage games of one tier the policy was found for."""
        return self._find(batch)[1]

    def columns(self, batch: StateBatch) -> IntArray:
        """Return the best bid at stage games of one tier, a position among the ranks."""
        row, _, tier = self._find(batch)
        held = self.space.encoder.hands[0].counts(batch.hand_a) > 0
        # The columns of payoffs are positions in the hand: its ranks may have been replaced.
        payoffs = tier.payoffs[row]
        best = payoffs.max(axis=1, keepdims=True)
        slack = 0 if payoffs.dtype == object else SAME * np.maximum(np.abs(best), 1.0)
        return _nth_true(held, (payoffs >= best - slack).argmax(axis=1))

    def values(self, batch: StateBatch) -> ValueArray:
        """Return the value of every bid at stage games of one tier, shape (k, ranks)."""
        row, _, tier = self._find(batch)
        held = self.space.encoder.hands[0].counts(batch.hand_a) > 0
        result = np.full(held.shape, -np.inf, tier.payoffs.dtype)
        place = np.cumsum(held, axis=1) - 1
        rows, columns = np.nonzero(held)
        result[rows, columns] = tier.payoffs[row[rows], place[rows, columns]]
        if self.adds_lead:
            result[rows, columns] += batch.lead[rows]
        return result

    def _find(self, batch: StateBatch) -> tuple[IntArray, BoolArray, PolicyTier]:
        cards = int(self.space.encoder.tier(batch[:1])[0])
        tier = self.tiers.get(cards)
        if tier is None or not len(tier.keys):
            nothing = np.zeros(len(batch), np.int64)
            return nothing, nothing > 0, PolicyTier(nothing[:0], np.zeros((0, 0)))
        keys = self.space.pack_stages(batch)
        row = np.searchsorted(tier.keys, keys).clip(max=len(tier.keys) - 1)
        return row, (tier.keys[row] == keys) & self.space.numbers(batch), tier


@dataclass(frozen=True, eq=False)
class PolicyTier:
    """The stage games of one tier, and what each bid is worth in them."""

    keys: IntArray
    """(k,) ascending."""
    payoffs: ValueArray
    """(k, n) for the distinct ranks held, lowest first; minus infinity beyond."""


def respond(
    rules: Rules,
    fixed: Strategy,
    objective: Objective,
    roots: StateBatch,
    exact: bool = False,
    progress: Progress | None = None,
) -> Policy:
    """Find A's best response to a strategy in seat B.

    Parameters
    ----------
    rules : Rules
    fixed : Strategy
        Sits in seat B.
    objective : Objective
        What A wants of A's final lead.
    roots : StateBatch
        Where play begins: states of one tier, all with an upcard or all without.
    exact : bool
        Whether to compute in fractions.
    progress : callable, optional
        See `Progress`.
    """
    told = progress or (lambda cards, done, total: None)
    adds_lead = objective.ignores_lead and "lead" not in fixed.sees
    space = StateSpace(rules, roots, lead=not adds_lead, ranks="ranks" in fixed.sees)
    levels = _descend(space, fixed, roots, exact, told)
    below: ValueArray
    tiers: dict[int, PolicyTier] = {}
    last = levels[-1]
    final = space.unpack(last.keys)
    below = np.zeros(len(last.keys), object if exact else np.float64)
    if not adds_lead:
        below[:] = utilities(objective, final.lead, exact)
    keys_below = last.keys
    for level in reversed(levels[:-1]):
        keys, payoffs, below = _value_level(
            space, level, keys_below, below, adds_lead, exact, told
        )
        if len(keys):
            tiers[level.cards(space)] = PolicyTier(keys, payoffs)
        keys_below = level.keys
    if levels[0].exposed is not None or len(levels) == 1:
        value = below
    else:
        value = below[np.searchsorted(levels[0].keys, space.pack_states(roots))]
    if adds_lead and len(value) == len(roots):
        value = value + roots.lead
    return Policy(space, value, adds_lead, tiers)


def utilities(objective: Objective, leads: IntArray, exact: bool) -> ValueArray:
    """Return the utility of each final lead, as floats or fractions."""
    distinct, where = np.unique(leads, return_inverse=True)
    table: ValueArray = np.empty(len(distinct), object if exact else np.float64)
    for row, lead in enumerate(distinct.tolist()):
        table[row] = Fraction(objective(lead)) if exact else objective.as_float(lead)
    return np.asarray(table[where])


@dataclass(eq=False)
class _Level:
    """States of one tier: keys of states before an exposure, or stage games at the very top."""

    keys: IntArray
    exposed: StateBatch | None
    first: StateBatch
    answers: list[Probabilities]
    """What the fixed strategy does, chunk by chunk."""

    @property
    def states(self) -> int:
        """How many states there are."""
        return len(self.keys) if self.exposed is None else len(self.exposed)

    def cards(self, space: StateSpace) -> int:
        """Return how many cards each player holds."""
        return int(space.encoder.tier(self.first)[0])

    def chunks(self, space: StateSpace) -> Iterator[tuple[int, int, Stages]]:
        """Yield (first state, number of states, their stage games)."""
        if self.exposed is not None:
            yield 0, len(self.exposed), Stages.at_once(self.exposed)
            return
        for first, batch in space.chunks(self.keys):
            yield first, len(batch), space.stages(batch)


def _descend(
    space: StateSpace, fixed: Strategy, roots: StateBatch, exact: bool, progress: Progress
) -> list[_Level]:
    """Return all states that can be reached, tier by tier; the last level is the end of play."""
    exposed = bool(roots.exposed[0])
    keys = np.zeros(0, np.int64) if exposed else np.unique(space.pack_states(roots))
    levels = [_Level(keys, roots if exposed else None, roots[:1], [])]
    for _ in range(space.rounds_left(roots)):
        level = levels[-1]
        after = []
        for first, count, stages in level.chunks(space):
            answer = checked(fixed, observe(space.encoder, stages.batch, "b", exact))
            level.answers.append(answer)
            keys = space.rounds(stages.batch).keys
            after.append(np.unique(keys[_played(space, stages.batch, answer)]))
            progress(level.cards(space), first + count, level.states)
        keys = np.unique(np.concatenate(after))
        levels.append(_Level(keys, None, space.unpack(keys[:1]), []))
    return levels


def _played(space: StateSpace, batch: StateBatch, answer: Probabilities) -> BoolArray:
    """Return which pairs of bids can come, shape (k, ranks of A, ranks of B)."""
    legal = space.encoder.legal_bids(batch)
    return np.asarray(legal[:, :, None] & (answer > 0)[:, None, :], np.bool_)


def _value_level(
    space: StateSpace, level: _Level, keys_below: IntArray, below: ValueArray,
    adds_lead: bool, exact: bool, progress: Progress,
) -> tuple[IntArray, ValueArray, ValueArray]:
    """Return the level's stage games, the payoff of every bid there, and the states' values."""
    kind = object if exact else np.float64
    values = np.zeros(level.states, kind)
    if exact:
        values[:] = 0
    all_keys, all_payoffs = [], []
    for (first, count, stages), answer in zip(level.chunks(space), level.answers, strict=True):
        played = _played(space, stages.batch, answer)
        rounds = space.rounds(stages.batch)
        payoff = np.zeros(played.shape, kind)
        follows = below[np.searchsorted(keys_below, rounds.keys[played])]
        if adds_lead:
            follows = follows + np.broadcast_to(rounds.change, played.shape)[played]
        payoff[played] = follows
        worth = (payoff * answer[:, None, :]).sum(axis=2)
        ordered = in_hand_order(worth, space.encoder.legal_bids(stages.batch), -np.inf)
        best = ordered.max(axis=1)
        np.add.at(values, first + stages.owner, best * stages.chances(exact))
        all_keys.append(space.pack_stages(stages.batch))
        all_payoffs.append(ordered)
        progress(level.cards(space), first + count, level.states)
    keys = np.concatenate(all_keys)
    keys, rows = np.unique(keys, return_index=True)
    return keys, np.concatenate(all_payoffs)[rows], values


def _nth_true(mask: BoolArray, n: IntArray) -> IntArray:
    """Return the column of the n-th true entry (from 0) of each row."""
    found = mask & (np.cumsum(mask, axis=1) - 1 == n[:, None])
    return np.asarray(found.argmax(axis=1), np.int64)
