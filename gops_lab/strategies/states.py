"""The states that play between strategies can reach, kept tier by tier as sorted integers.

A state before the next exposure is one 63-bit key: both hands and the prizes as bit masks, the
carried sum and the lead. The lead is left out where nobody looks at it and the objective only adds
it up. Where no strategy looks at the ranks themselves, both hands are replaced by the lowest ranks
in the same order: bit i of both masks is dropped wherever neither player holds card i.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from gops_lab.encoding import CardSets, Encoder, StateBatch
from gops_lab.encoding.card_sets import BoolArray
from gops_lab.encoding.patterns import IntArray
from gops_lab.errors import EvaluationError
from gops_lab.game import Rules, lead_change
from gops_lab.strategies.observations import exact_quotients

MOST_STATES = 60_000_000
"""Most states of one tier that are kept; more are refused."""

CHUNK = 1 << 21
"""About how many pairs of bids are looked at at once."""

KEY_BITS = 62

MOST_SUMS = 1 << 20


@dataclass(frozen=True, eq=False)
class Stages:
    """Stage games that follow from some states by the next exposure; k of them."""

    batch: StateBatch
    owner: IntArray
    """(k,) position of the state before the exposure."""
    copies: IntArray
    """(k,) how many copies of that prize could come."""
    total: IntArray
    """(k,) out of how many prizes."""

    @classmethod
    def at_once(cls, batch: StateBatch) -> Stages:
        """Return stage games that play begins with: each is its own owner, and certain."""
        one = np.ones(len(batch), np.int64)
        return cls(batch, np.arange(len(batch)), one, one)

    def chances(self, exact: bool) -> npt.NDArray[Any]:
        """Return the probability of each exposure, as floats or fractions."""
        return exact_quotients(self.copies, self.total) if exact else self.copies / self.total


@dataclass(frozen=True, eq=False)
class Rounds:
    """What every pair of bids does at k stage games; arrays of shape (k, ranks of A, ranks of B).

    Meaningless where a rank is not held.
    """

    change: IntArray
    """Points that A gains on B."""
    carried: IntArray
    """Points that stay on the table."""
    keys: IntArray
    """The states that follow."""


class StateSpace:
    """How states of one set of rules are numbered while strategies are followed.

    Parameters
    ----------
    rules : Rules
    roots : StateBatch
        States of one tier from which play begins, all with an upcard or all without.
    lead : bool
        Whether the lead is kept; else it is 0 everywhere.
    ranks : bool
        Whether the ranks themselves are kept, or only their order.
    """

    def __init__(self, rules: Rules, roots: StateBatch, lead: bool, ranks: bool) -> None:
        self.rules = rules
        self.encoder = Encoder(rules)
        self.keeps_lead = lead
        self.keeps_ranks = ranks or not order_suffices(rules)
        prizes = np.abs(np.array(rules.prizes))
        on_table = np.unique(roots.carried)
        carried = _sums(on_table, np.array(rules.prizes)) if rules.tie_rule.carried else on_table
        leads = np.zeros(1, np.int64)
        if lead:
            reach = np.concatenate([prizes, np.abs(on_table)])
            leads = _sums(np.unique(roots.lead), np.concatenate([reach, -reach]))
        self._hand_bits = rules.cards
        self._prize_bits = len(rules.prizes)
        self._carried = _Digits(np.union1d(carried, 0))
        self._leads = _Digits(leads)
        self._upcard_bits = len(self.encoder.prizes.distinct).bit_length()
        bits = (
            2 * self._hand_bits + self._prize_bits + self._carried.bits + self._leads.bits
            + self._upcard_bits
        )
        if bits > KEY_BITS:
            raise EvaluationError(
                f"the states of {rules!r} are too many to number exactly; use a simulation"
            )

    # States as keys

    def pack(
        self, hand_a: IntArray, hand_b: IntArray, prizes: IntArray, carried: IntArray,
        lead: IntArray,
    ) -> IntArray:
        """Return the key of each state before an exposure; arrays that broadcast."""
        if not self.keeps_ranks:
            hand_a, hand_b = self._in_order(hand_a, hand_b)
        key = (hand_a << self._hand_bits) | hand_b
        key = (key << self._prize_bits) | prizes
        key = (key << self._carried.bits) | self._carried.digit(carried)
        if self.keeps_lead:
            key = (key << self._leads.bits) | self._leads.digit(lead)
        return np.asarray(key, np.int64)

    def pack_states(self, batch: StateBatch) -> IntArray:
        """Return the key of each state before an exposure."""
        return self.pack(batch.hand_a, batch.hand_b, batch.prizes, batch.carried, batch.lead)

    def pack_stages(self, batch: StateBatch) -> IntArray:
        """Return a key of each stage game."""
        group = np.zeros(len(batch), np.int64)
        if not self.encoder.prizes.ordered:
            group = self.encoder.prizes.find(batch.upcard)
        return (self.pack_states(batch) << self._upcard_bits) | group

    def numbers(self, batch: StateBatch) -> BoolArray:
        """Return which states have a key at all: their carried sums and leads can come about."""
        there = self._carried.holds(batch.carried)
        return there & self._leads.holds(batch.lead) if self.keeps_lead else there

    def unpack(self, keys: IntArray) -> StateBatch:
        """Return the states with these keys."""
        lead = np.zeros(len(keys), np.int64)
        if self.keeps_lead:
            keys, lead = self._leads.split(keys)
        keys, carried = self._carried.split(keys)
        prizes = keys & ((1 << self._prize_bits) - 1)
        keys = keys >> self._prize_bits
        nothing = np.zeros(len(keys), np.int64)
        return StateBatch(
            keys >> self._hand_bits,
            keys & ((1 << self._hand_bits) - 1),
            prizes,
            nothing,
            nothing.astype(np.bool_),
            carried,
            lead,
        )

    def _in_order(self, hand_a: IntArray, hand_b: IntArray) -> tuple[IntArray, IntArray]:
        if self._order_table is None:
            return without_gaps(hand_a, hand_b, self._hand_bits)
        packed = self._order_table[(hand_a << self._hand_bits) | hand_b]
        return packed >> self._hand_bits, packed & ((1 << self._hand_bits) - 1)

    @cached_property
    def _order_table(self) -> IntArray | None:
        """`without_gaps` of every pair of hands, where they are few."""
        if self._hand_bits > 9:
            return None
        pairs = np.arange(1 << (2 * self._hand_bits))
        hand_a, hand_b = without_gaps(
            pairs >> self._hand_bits, pairs & ((1 << self._hand_bits) - 1), self._hand_bits
        )
        return (hand_a << self._hand_bits) | hand_b

    # Play

    def chunks(self, keys: IntArray) -> Iterator[tuple[int, StateBatch]]:
        """Yield the states of one tier in parts small enough to look at all their bids."""
        if len(keys) > MOST_STATES:
            raise EvaluationError(
                f"{len(keys):,} states of one tier of {self.rules!r} are too many to follow "
                "exactly; use a simulation"
            )
        width = len(self.encoder.hands[0].distinct) * len(self.encoder.hands[1].distinct)
        size = max(1, CHUNK // (width * max(1, self._prize_bits // 2)))
        for first in range(0, len(keys), size):
            yield first, self.unpack(keys[first : first + size])

    def stages(self, batch: StateBatch) -> Stages:
        """Return the stage games that follow from states before the next exposure."""
        possible = self.encoder.possible_upcards(batch)
        owner, group = np.nonzero(possible)
        total = possible.sum(axis=1)[owner]
        return Stages(
            self.encoder.expose(batch[owner], group), owner, possible[owner, group], total
        )

    def rounds(self, batch: StateBatch) -> Rounds:
        """Return what every pair of bids does at stage games."""
        hands = self.encoder.hands
        comparison = np.sign(hands[0].distinct[:, None] - hands[1].distinct)[None]
        change, carried = lead_change(self.rules, batch.stake[:, None, None], comparison)
        keys = self.pack(
            _each_removed(hands[0], batch.hand_a)[:, :, None],
            _each_removed(hands[1], batch.hand_b)[:, None, :],
            batch.prizes[:, None, None],
            carried,
            batch.lead[:, None, None] + change if self.keeps_lead else batch.lead[:, None, None],
        )
        return Rounds(change, carried, np.broadcast_to(keys, change.shape))

    def rounds_left(self, batch: StateBatch) -> int:
        """Return how many rounds are left in states of one tier, the current one included."""
        tier = int(self.encoder.tier(batch[:1])[0])
        return self.rules.rounds - (self.rules.cards - tier)


def order_suffices(rules: Rules) -> bool:
    """Return whether hands can be replaced by others in the same order: equal, nothing twice."""
    return rules.hand_a == rules.hand_b and len(set(rules.hand_a)) == rules.cards


class _Digits:
    """The values that a part of a key can take: all integers of a range, or a list."""

    def __init__(self, values: IntArray) -> None:
        span = int(values[-1] - values[0]) + 1
        self._low, self._high = int(values[0]), int(values[-1])
        self._values = values if span.bit_length() > len(values).bit_length() + 2 else None
        self.bits = ((len(values) if self._values is not None else span) - 1).bit_length()

    def digit(self, values: IntArray) -> IntArray:
        if self._values is None:
            return values - self._low
        # Where a rank is not held the value need not be in the list.
        return np.searchsorted(self._values, values).clip(max=len(self._values) - 1)

    def holds(self, values: IntArray) -> BoolArray:
        if self._values is None:
            return np.asarray((values >= self._low) & (values <= self._high), np.bool_)
        return np.asarray(np.isin(values, self._values), np.bool_)

    def split(self, keys: IntArray) -> tuple[IntArray, IntArray]:
        """Return the rest of each key and the value of its last digit."""
        digit = keys & ((1 << self.bits) - 1)
        value = digit + self._low if self._values is None else self._values[digit]
        return keys >> self.bits, value


def _sums(starts: IntArray, terms: IntArray) -> IntArray:
    """Return all sums of one of `starts` and any of `terms`, ascending."""
    sums = starts
    for term in terms:
        sums = np.union1d(sums, sums + term)
        if len(sums) > MOST_SUMS:
            raise EvaluationError(
                f"prizes {tuple(sorted(set(np.abs(terms).tolist())))} have too many different "
                "sums to follow exactly; use a simulation"
            )
    return sums


def _each_removed(sets: CardSets, masks: IntArray) -> IntArray:
    """Return the hands without one card of each rank, shape (k, ranks)."""
    return sets.remove(masks[:, None], np.arange(len(sets.distinct)))


def without_gaps(hand_a: IntArray, hand_b: IntArray, bits: int) -> tuple[IntArray, IntArray]:
    """Return the masks with every bit dropped that neither has.

    For hands of `order_suffices`: the lowest ranks in the same order.

    Examples
    --------
    >>> without_gaps(np.array([0b10010]), np.array([0b00110]), bits=5)
    (array([5]), array([3]))
    """
    hand_a, hand_b = np.broadcast_arrays(hand_a, hand_b)
    out_a, out_b = np.zeros_like(hand_a), np.zeros_like(hand_b)
    place = np.zeros_like(hand_a)
    for bit in range(bits):
        in_a, in_b = (hand_a >> bit) & 1, (hand_b >> bit) & 1
        out_a |= in_a << place
        out_b |= in_b << place
        place += in_a | in_b
    return out_a, out_b
