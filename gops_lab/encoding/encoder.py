"""The vectorised state encoder: arrays of states in, arrays out, no Python loop over states.

States become bit masks (`StateBatch`); from there come legal bids, rounds, rank patterns, the swap
of the players and a number for every state of a tier. Only `Encoder.encode` and `Encoder.decode`
touch single `State` objects.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import cached_property
from math import prod
from typing import NamedTuple

import numpy as np

from gops_lab.encoding.batch import StateBatch
from gops_lab.encoding.card_sets import BoolArray, CardSets
from gops_lab.encoding.patterns import HandCodes, IntArray, Patterns, RawHands
from gops_lab.errors import IllegalBidError, StateError
from gops_lab.game.rules import Rules, as_rules, lead_change
from gops_lab.game.state import State, check_state, side_of, start


def hand_codes(rules: Rules, patterns: bool = True) -> HandCodes:
    """Return the way pairs of hands are named: by rank pattern, unless switched off or too long."""
    repeats = any(len(set(hand)) < rules.cards for hand in (rules.hand_a, rules.hand_b))
    codes = Patterns(repeats)
    if patterns and rules.cards <= codes.most_cards:
        return codes
    return RawHands(rules.hand_a, rules.hand_b)


def prize_sets(rules: Rules) -> CardSets:
    """Return the prizes that masks refer to: in the order of play where it is known."""
    order = rules.known_order
    return CardSets(order or rules.prizes, ordered=order is not None)


class Encoder:
    """Turns states of one set of rules into arrays and back.

    Parameters
    ----------
    rules : Rules
        The rules every state must fit.

    Attributes
    ----------
    hands : tuple of CardSets
        The cards of A and of B that masks refer to.
    prizes : CardSets
        The prizes that masks refer to.

    Examples
    --------
    >>> from gops_lab.game import Rules, State
    >>> encoder = Encoder(Rules(cards=3))
    >>> batch = encoder.encode([State((1, 2, 3), (1, 2, 3), (1, 3), upcard=2)])
    >>> after = encoder.resolve_round(batch, np.array([3]), np.array([2]))
    >>> encoder.decode(after)
    [State(hand_a=(1, 2), hand_b=(1, 3), prizes=(1, 3), upcard=None, carried=0, lead=2)]
    """

    def __init__(self, rules: Rules) -> None:
        self.rules = as_rules(rules)
        self.hands = (CardSets(rules.hand_a), CardSets(rules.hand_b))
        self.prizes = prize_sets(rules)
        self._prize_values = CardSets(rules.prizes)

    # States and masks

    def encode(self, states: Iterable[State]) -> StateBatch:
        """Return the states as a batch.

        Raises
        ------
        StateError
            If a state does not fit the rules; the message says which and why.
        """
        checked = []
        for position, state in enumerate(states):
            try:
                checked.append(check_state(self.rules, state))
            except StateError as error:
                raise StateError(f"state {position}: {error}") from None
        return StateBatch(
            hand_a=self.hands[0].encode([state.hand_a for state in checked]),
            hand_b=self.hands[1].encode([state.hand_b for state in checked]),
            prizes=self.prizes.encode([state.prizes for state in checked]),
            upcard=_column([state.upcard or 0 for state in checked]),
            exposed=np.array([state.upcard is not None for state in checked], np.bool_),
            carried=_column([state.carried for state in checked]),
            lead=_column([state.lead for state in checked]),
        )

    def decode(self, batch: StateBatch) -> list[State]:
        """Return the batch as states; the exact inverse of `encode`."""
        return [
            State(
                self.hands[0].decode(batch.hand_a[row]),
                self.hands[1].decode(batch.hand_b[row]),
                self.prizes.decode(batch.prizes[row]),
                int(batch.upcard[row]) if batch.exposed[row] else None,
                int(batch.carried[row]),
                int(batch.lead[row]),
            )
            for row in range(len(batch))
        ]

    def start(self, size: int = 1) -> StateBatch:
        """Return `size` copies of the state before the first exposure."""
        return self.encode([start(self.rules)])[np.zeros(size, np.int64)]

    def tier(self, batch: StateBatch) -> IntArray:
        """Return the number of cards in each hand, shape (k,)."""
        return self.hands[0].sizes(batch.hand_a)

    # Rounds

    def legal_bids(self, batch: StateBatch, player: str = "a") -> BoolArray:
        """Return which ranks a player holds.

        Parameters
        ----------
        batch : StateBatch
        player : {"a", "b"}

        Returns
        -------
        array of bool, shape (k, number of distinct ranks)
            Columns are ``encoder.hands[0].distinct`` (or ``[1]`` for B), ascending.
        """
        side = side_of(player)
        masks = (batch.hand_a, batch.hand_b)[side]
        return self.hands[side].counts(masks) > 0

    def resolve_round(self, batch: StateBatch, bids_a: IntArray, bids_b: IntArray) -> StateBatch:
        """Return the states after both bids, before the next exposure.

        Parameters
        ----------
        batch : StateBatch
            Every state with an upcard exposed.
        bids_a, bids_b : array of int, shape (k,)
            Ranks, not positions.

        Raises
        ------
        IllegalBidError
            If a player does not hold the card bid; the message gives the first such state.
        StateError
            If a state has no upcard, or the arrays differ in length.
        """
        bids = [np.asarray(bid) for bid in (bids_a, bids_b)]
        for name, bid in zip(("bids_a", "bids_b"), bids, strict=True):
            whole = np.issubdtype(bid.dtype, np.integer) or bid.size == 0
            if bid.shape != (len(batch),) or not whole:
                raise StateError(
                    f"{name} must be {len(batch)} integers, one for each state, "
                    f"not {bid.dtype} of shape {bid.shape}"
                )
        if not batch.exposed.all():
            row = int(np.argmin(batch.exposed))
            raise StateError(f"state {row} has no upcard exposed")
        bids = [bid.astype(np.int64) for bid in bids]
        left = []
        for side, masks in enumerate((batch.hand_a, batch.hand_b)):
            group = self.hands[side].find(bids[side])
            counts = self.hands[side].counts(masks)
            legal = (group >= 0) & (counts[np.arange(len(batch)), group] > 0)
            if not legal.all():
                row = int(np.argmin(legal))
                held = ", ".join(map(str, self.hands[side].decode(masks[row])))
                raise IllegalBidError(
                    f"state {row}: bid {bids[side][row]} is not in {'AB'[side]}'s hand {{{held}}}"
                )
            left.append(self.hands[side].remove(masks, group))
        change, carried = lead_change(self.rules, batch.stake, np.sign(bids[0] - bids[1]))
        return StateBatch(
            hand_a=left[0],
            hand_b=left[1],
            prizes=batch.prizes,
            upcard=np.zeros(len(batch), np.int64),
            exposed=np.zeros(len(batch), np.bool_),
            carried=carried,
            lead=batch.lead + change,
        )

    def possible_upcards(self, batch: StateBatch) -> IntArray:
        """Return how many copies of each prize can be exposed next, shape (k, number of prizes).

        Columns are ``encoder.prizes.distinct``; a row divided by its sum is the distribution of
        the next upcard. Zero where a prize is exposed already or no round is left.
        """
        counts = self.prizes.next_counts(batch.prizes)
        played = self.rules.cards - self.tier(batch)
        ready = ~batch.exposed & (played < self.rules.rounds)
        return counts * ready[:, None]

    def expose(self, batch: StateBatch, groups: IntArray) -> StateBatch:
        """Return the states with prize ``encoder.prizes.distinct[groups]`` exposed in each.

        Parameters
        ----------
        batch : StateBatch
        groups : array of int, shape (k,)
            Positions in ``encoder.prizes.distinct``, as the columns of `possible_upcards`: in a
            known order equal prizes have different positions.

        Raises
        ------
        StateError
            If a prize cannot come next; the message gives the first such state.
        """
        groups = np.asarray(groups, np.int64)
        count = len(self.prizes.distinct)
        if groups.shape != (len(batch),) or ((groups < 0) | (groups >= count)).any():
            raise StateError(
                f"groups must be {len(batch)} positions between 0 and {count - 1}, one for each "
                "state"
            )
        possible = self.possible_upcards(batch)[np.arange(len(batch)), groups] > 0
        if not possible.all():
            row = int(np.argmin(possible))
            raise StateError(
                f"state {row}: prize {self.prizes.distinct[groups[row]]} cannot be exposed next"
            )
        return StateBatch(
            batch.hand_a,
            batch.hand_b,
            self.prizes.remove(batch.prizes, groups),
            self.prizes.distinct[groups],
            np.ones(len(batch), np.bool_),
            batch.carried,
            batch.lead,
        )

    # Symmetry

    @cached_property
    def swapped(self) -> Encoder:
        """The encoder of the same rules with the players' hands exchanged."""
        names = self.rules.as_dict()
        names["hand_a"], names["hand_b"] = names["hand_b"], names["hand_a"]
        return Encoder(Rules(**names))

    def swap(self, batch: StateBatch) -> StateBatch:
        """Return the states seen from B's side; they belong to `swapped`.

        Their values are the negatives of the original ones if the utility is odd.
        """
        return StateBatch(
            batch.hand_b,
            batch.hand_a,
            batch.prizes,
            batch.upcard,
            batch.exposed,
            batch.carried,
            -batch.lead,
        )

    def patterns(self, batch: StateBatch) -> IntArray:
        """Return the rank pattern code of each pair of hands (see `gops_lab.encoding.patterns`)."""
        codes = hand_codes(self.rules)
        result = np.zeros(len(batch), np.int64)
        tiers = self.tier(batch)
        for tier in np.unique(tiers):
            rows = np.flatnonzero(tiers == tier)
            result[rows] = codes.encode(
                self.hands[0].members(batch.hand_a[rows], tier),
                self.hands[1].members(batch.hand_b[rows], tier),
            )
        return result

    # Numbers for states

    def _axes(self, tier: int, exposed: bool) -> list[_Axis]:
        """Return what each digit of an index stands for, the leading digit first."""
        played = self.rules.cards - tier
        if not 0 <= tier <= self.rules.cards or played + exposed > self.rules.rounds:
            raise StateError(
                f"tier {tier} has no {'stage game' if exposed else 'state'} under these rules"
            )
        prizes = self.prizes.cards
        lowest, highest = int(prizes[prizes < 0].sum()), int(prizes[prizes > 0].sum())
        reach = highest - lowest
        sets = (
            ("hand_a", self.hands[0], tier),
            ("hand_b", self.hands[1], tier),
            ("prizes", self.prizes, len(prizes) - played - exposed),
        )
        upcards = self._prize_values.distinct if exposed else np.zeros(1, np.int64)
        sizes = [cards.count_of_size(size) for _, cards, size in sets]
        if prod(sizes) * len(upcards) * (reach + 1) * (2 * reach + 1) >= 2**63:
            raise StateError(f"tier {tier} has more states than a 64-bit index can number")
        return [
            *(_Axis(name, cards.of_size(size), 0, 0) for name, cards, size in sets),
            _Axis("upcard", upcards, 0, 0),
            _Axis("carried", None, lowest, highest),
            _Axis("lead", None, -reach, reach),
        ]

    def index_count(self, tier: int, exposed: bool) -> int:
        """Return how many index values a tier has; some of them stand for no legal state.

        The axes are independent, so an upcard that is also hidden gets a number too.
        """
        return prod(axis.size for axis in self._axes(tier, exposed))

    def index(self, batch: StateBatch) -> IntArray:
        """Return a number for each state, unique among the states of its tier.

        All states must be of one tier and all exposed or none. Carried sums and leads must be
        such as the prizes can add up to.

        Raises
        ------
        StateError
            If the batch mixes tiers, or a carried sum or lead is out of range.
        """
        if len(batch) == 0:
            return np.zeros(0, np.int64)
        tiers = self.tier(batch)
        if (tiers != tiers[0]).any() or (batch.exposed != batch.exposed[0]).any():
            raise StateError("an index numbers the states of one tier, all exposed or none")
        axes = self._axes(int(tiers[0]), bool(batch.exposed[0]))
        index = np.zeros(len(batch), np.int64)
        for axis in axes:
            index = index * axis.size + axis.digits(getattr(batch, axis.name))
        return index

    def from_index(self, tier: int, exposed: bool, index: IntArray) -> StateBatch:
        """Return the states with these numbers; the exact inverse of `index`."""
        axes = self._axes(tier, exposed)
        index = np.asarray(index, np.int64)
        size = prod(axis.size for axis in axes)
        if ((index < 0) | (index >= size)).any():
            raise StateError(f"an index of tier {tier} must be between 0 and {size - 1}")
        columns = {}
        for axis in reversed(axes):
            index, digit = np.divmod(index, axis.size)
            columns[axis.name] = axis.low + digit if axis.values is None else axis.values[digit]
        return StateBatch(**columns, exposed=np.full(len(index), exposed, np.bool_))


class _Axis(NamedTuple):
    """The values one digit of an index stands for: a list, or all integers of a range."""

    name: str
    values: IntArray | None
    low: int
    high: int

    @property
    def size(self) -> int:
        return self.high - self.low + 1 if self.values is None else len(self.values)

    def digits(self, column: IntArray) -> IntArray:
        """Return the digit of each entry, or say which entry has none."""
        if self.values is None:
            wrong = (column < self.low) | (column > self.high)
            digits = column - self.low
            shown = f"between {self.low} and {self.high}"
        else:
            digits = np.searchsorted(self.values, column).clip(max=len(self.values) - 1)
            wrong = self.values[digits] != column
            shown = f"one of {len(self.values)} values from {self.values[0]} to {self.values[-1]}"
        if wrong.any():
            row = int(np.argmax(wrong))
            raise StateError(
                f"state {row}: {self.name} {column[row]} has no index; it must be {shown}"
            )
        return np.asarray(digits, np.int64)


def _column(values: list[int]) -> IntArray:
    return np.array(values, np.int64)
