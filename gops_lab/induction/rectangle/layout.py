"""Where the values and stage games of one rank pattern stand in memory.

A pattern has a value for every set S of prizes still to come and every sum that can be carried;
its stage games have a set R of hidden prizes and a stake. Both are laid out alike: sets of one size
in *blocks* of eight, such that sets of a block differ in high prizes if they can (the best bids
for a stake change less with those than with low ones); a block has as many *rows* as the largest
list of sums in it; a row holds one number of each of the eight sets. So eight neighbouring prize
sets are eight neighbouring numbers, and one instruction reads them.

How much can be carried depends on how many prizes can be: a pattern's *class* is the largest number
of tied rounds that can have led to it. Patterns of one tier and class share a layout. Without
carry-over there is one class, and each value list is the sum 0 alone.

With carry-over, row 0 of a list of carried sums is always the sum 0, the others follow in
ascending order. The stakes of a stage game (R, class k) are the sums of one to k + 1 prizes outside
R; a tie carries the stake to the value (R, class k + 1), whose carried sums are the same and 0. The
games therefore use the layout of those values, row by row, and leave row 0 empty unless prizes can
add up to 0: the stake and what it becomes on a tie are at the same position.

Games are solved in *batches* of eight with the same stake, since neighbouring prize sets then
mostly have the same optimal supports; see `Batches`.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from typing import Any

import numpy as np
import numpy.typing as npt

from gops_lab.encoding.patterns import IntArray
from gops_lab.induction.rectangle.kernels import LANES, link

_ENOUGH = 6
"""So many games of one block and stake make a batch of their own; fewer join others."""

BoolArray = npt.NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class Layout:
    """Positions of (prize set, sum) pairs.

    Attributes
    ----------
    count_of_prizes : int
        How many prizes there are in all.
    masks : array of int64, shape (k,)
        The prize sets, those with the same low prizes next to each other.
    starts : array of int64, shape (blocks + 1,)
        Where each block begins; the last entry is the number of positions, padding included.
    rows : array of int64, shape (k,)
        How many rows of its block each set uses.
    sums : array of int64, shape (positions,)
        The sum at each position; 0 where there is none.
    used : array of bool, shape (positions,)
        Whether there is a value (or stage game) at a position.
    zero_first : bool
        Whether row 0 is set aside for the sum 0.
    """

    count_of_prizes: int
    masks: IntArray
    starts: IntArray
    rows: IntArray
    sums: IntArray
    used: BoolArray
    zero_first: bool

    @property
    def positions(self) -> int:
        """Numbers the layout takes, padding included."""
        return int(self.starts[-1])

    def length(self, ways: int) -> int:
        """Return the numbers a pattern takes, whatever the ways that lead to it (see `rows`)."""
        return self.positions

    def count(self, ways: int = -1) -> int:
        """Return the values, or stage games, without padding, whatever the ways (see `rows`)."""
        return int(np.count_nonzero(self.used))

    @cached_property
    def _keys(self) -> IntArray:
        return _key(self.masks, self.count_of_prizes)

    @property
    def owners(self) -> IntArray:
        """Which prize set, as a position in `masks`, each position belongs to; padding too."""
        blocks = np.repeat(np.arange(len(self.starts) - 1), np.diff(self.starts))
        return np.asarray(blocks * LANES + np.arange(self.positions) % LANES, np.int64)

    def find(
        self, sets: IntArray, sums: IntArray, leads: IntArray | None = None
    ) -> tuple[IntArray, BoolArray]:
        """Return the position of each (prize set, sum), whatever the lead; is there one?"""
        place = np.searchsorted(self._keys, _key(sets, self.count_of_prizes))
        place = place.clip(max=len(self.masks) - 1)
        base = self.starts[place // LANES] + place % LANES
        low = np.full(len(sets), int(self.zero_first), np.int64)
        high = np.maximum(self.rows[place] - 1, low)
        if self.zero_first:
            low[sums == 0] = high[sums == 0] = 0
        high = np.minimum(high, self.rows[place] - 1)
        low = np.minimum(low, high)
        while np.any(low < high):
            middle = (low + high) // 2
            below = (self.sums[base + LANES * middle] < sums) & (low < high)
            low, high = np.where(below, middle + 1, low), np.where(below, high, middle)
        at = base + LANES * low
        return at, (self.masks[place] == sets) & (self.sums[at] == sums) & self.used[at]


@dataclass(frozen=True, eq=False)
class Batches:
    """Stage games of one class, eight at a time, all of a batch with the same stake.

    Neighbouring prize sets with equal stakes mostly have the same optimal supports.

    Attributes
    ----------
    games : array of int64, shape (8 * batches,)
        Position of each game in its layout, -1 where a lane holds none.
    owners : array of int64, shape (8 * batches,)
        Its prize set; that of some other game of the batch or block where a lane holds none.
    aligned : array of bool, shape (batches,)
        Whether the eight prize sets are those of a block.
    stake_numbers, stakes : array of int64, shape (batches,)
        The stake, as a number of its own and in points.
    """

    games: IntArray
    owners: IntArray
    aligned: BoolArray
    stake_numbers: IntArray
    stakes: IntArray

    @property
    def lanes_used(self) -> IntArray:
        """Which lanes of each batch hold a game, as bits."""
        held = self.games.reshape(-1, LANES) >= 0
        return np.asarray(held @ (1 << np.arange(LANES)), np.int64)


def prize_sets(count: int, size: int) -> IntArray:
    """Return the bit masks of all sets of `size` out of `count` prizes, in their order."""
    masks = np.arange(1 << count, dtype=np.int64)
    masks = masks[np.bitwise_count(masks) == size]
    return np.asarray(masks[np.argsort(_key(masks, count))], np.int64)


def _key(masks: IntArray, count: int) -> IntArray:
    """Return the masks with their `count` bits reversed: ascending, low prizes change last."""
    key = np.zeros_like(masks)
    for bit in range(count):
        key |= ((masks >> bit) & 1) << (count - 1 - bit)
    return key


class Layouts:
    """The layouts of one set of prizes, made when they are first asked for.

    Parameters
    ----------
    prizes : tuple of int
        Sorted.
    carry : bool
        Whether a tie carries the stake over.
    spent : int, optional
        The position of a prize that is never to come: only sets without it have values.

    Attributes
    ----------
    swap : bool
        Whether swapping the players negates values, so that one of two mirrored patterns is kept.
    keeps_mirror : bool
        Whether a pattern that is its own mirror is kept; here it is worth 0.
    rising : bool
        Whether a higher lead is never worth less.
    largest : float
        A bound on the absolute value of every stake, payoff and value.
    end_error : float
        A bound on the error of what a game is worth that is over.
    """

    swap = True
    keeps_mirror = False
    rising = True
    end_error = 0.0

    def __init__(self, prizes: tuple[int, ...], carry: bool, spent: int | None = None) -> None:
        self.prizes = np.array(prizes, np.int64)
        self._spent = 0 if spent is None else 1 << spent
        self.carry = carry
        self.largest = float(np.abs(self.prizes).sum())
        self._sums = lru_cache(maxsize=2)(self._all_sums)
        self.values = lru_cache(maxsize=None)(self._values)
        self.games = lru_cache(maxsize=None)(self._games)
        self.batches = lru_cache(maxsize=2)(self._batches)

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickled without what can be made again."""
        spent = self._spent.bit_length() - 1 if self._spent else None
        return Layouts, (tuple(self.prizes.tolist()), self.carry, spent)

    def links(self, size: int, kind: int) -> npt.NDArray[np.int32]:
        """Return, for every value with `size` prizes to come, the stage games it is the mean of.

        Returns
        -------
        array of int32, shape (positions, size)
            Places of games in their batches; where there is no value, the place after the last.
        """
        values, games = self.values(size, kind), self.games(size - 1, kind)
        rank = np.zeros(1 << len(self.prizes), np.int64)
        rank[games.masks] = np.arange(len(games.masks))
        links = np.empty((values.positions, size), np.int32)
        link(
            values.masks, values.starts, values.rows, values.sums, self.prizes, rank,
            games.starts, games.rows, games.sums, int(games.zero_first), games.positions, links,
        )  # fmt: skip
        batches = self.batches(size - 1, kind)
        places = np.full(games.positions + 1, len(batches.games), np.int32)
        held = batches.games >= 0
        places[batches.games[held]] = np.flatnonzero(held)
        return places[links]

    def find(
        self, size: int, kind: int, ways: int, sets: IntArray, sums: IntArray, leads: IntArray
    ) -> tuple[IntArray, BoolArray]:
        """Return where values with `size` prizes stand for a pattern, and which of them it has.

        Neither the ways that lead to the pattern nor leads count; see `rows`.
        """
        return self.values(size, kind).find(sets, sums)

    def places(
        self, size: int, kind: int, child_kind: int
    ) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.int32]]:
        """Return where among a child's values those of each game in batches are.

        Returns
        -------
        free, tied : array of int32, shape (8 * batches,)
            With nothing carried, and with the stake carried (0 where that cannot be).
        """
        games, values = self.games(size, kind), self.values(size, child_kind)
        batches = self.batches(size, kind)
        owners = batches.owners
        free = values.starts[owners // LANES] + owners % LANES
        tied = np.zeros_like(free)
        if self.carry and child_kind > kind:
            held = batches.games >= 0
            at, _ = values.find(games.masks[owners[held]], games.sums[batches.games[held]])
            tied[held] = at
        return free.astype(np.int32), tied.astype(np.int32)

    def _batches(self, size: int, kind: int) -> Batches:
        games = self.games(size, kind)
        at = np.flatnonzero(games.used)
        owner = games.owners[at]
        stakes, stake = np.unique(games.sums[at], return_inverse=True)
        block = owner // LANES
        # Games of one block and stake fill a batch alone where they are many enough.
        key = stake * (len(games.starts) - 1) + block
        _, group, count = np.unique(key, return_inverse=True, return_counts=True)
        whole = count[group] >= _ENOUGH
        batch = np.where(whole, group, 0)
        lane = owner % LANES
        rest = np.flatnonzero(~whole)
        rest = rest[np.lexsort((owner[rest], stake[rest]))]
        within = np.arange(len(rest)) - np.searchsorted(stake[rest], stake[rest])
        batch[rest] = (stake[rest] + 1) * len(at) + len(count) + within // LANES
        lane[rest] = within % LANES
        _, batch = np.unique(batch, return_inverse=True)
        number = int(batch.max(initial=-1)) + 1
        # In the order of their first prize sets, so that the tables below are read once.
        first = np.full(number, len(games.masks), np.int64)
        np.minimum.at(first, batch, owner)
        batch_stake = np.zeros(number, np.int64)
        batch_stake[batch] = stake
        order = np.lexsort((batch_stake, first))
        place = np.empty(number, np.int64)
        place[order] = np.arange(number)
        held = np.full((number, LANES), -1, np.int64)
        held[place[batch], lane] = at
        owners = np.full((number, LANES), -1, np.int64)
        owners[place[batch], lane] = owner
        filler = np.broadcast_to(first[order, None], owners.shape)
        blocks = filler // LANES * LANES + np.arange(LANES)
        aligned = np.all((owners < 0) | (owners == blocks), axis=1)
        owners = np.where(aligned[:, None], blocks, np.where(owners < 0, filler, owners))
        return Batches(
            held.ravel(), owners.ravel(), aligned, batch_stake[order], stakes[batch_stake[order]]
        )

    def _masks(self, size: int) -> IntArray:
        """Return the sets of prizes that can be hidden, or still to come."""
        masks = prize_sets(len(self.prizes), size)
        return np.asarray(masks[masks & self._spent == 0])

    def _values(self, size: int, kind: int) -> Layout:
        count = len(self.prizes)
        masks = self._masks(size)
        nothing = np.zeros((len(masks), 1), np.int64)
        if not self.carry:
            return _packed(count, masks, nothing, None)
        sums, counts = self._sums(size)
        return _packed(count, masks, nothing, sums[:, (counts > 0) & (counts <= kind)])

    def _games(self, size: int, kind: int) -> Layout:
        count = len(self.prizes)
        masks = self._masks(size)
        if not self.carry:
            hidden = ((masks | self._spent)[:, None] >> np.arange(count)) & 1 == 1
            upcards = np.broadcast_to(self.prizes, hidden.shape)[~hidden]
            return _packed(count, masks, None, upcards.reshape(len(masks), -1))
        layout = self.values(size, kind + 1)
        sums, counts = self._sums(size)
        zero = np.any(sums[:, (counts > 0) & (counts <= kind + 1)] == 0, axis=1)
        used = layout.used.copy()
        place = np.arange(len(masks))
        used[layout.starts[place // LANES] + place % LANES] = zero
        return replace(layout, used=used)

    def _all_sums(self, size: int) -> tuple[IntArray, IntArray]:
        """Return the sums of all subsets of each complement, and how many prizes each adds up.

        A prize spent from the start on is only carried where all have been tied since.
        """
        masks = self._masks(size)
        hidden = ((masks | self._spent)[:, None] >> np.arange(len(self.prizes))) & 1 == 1
        others = np.broadcast_to(self.prizes, hidden.shape)[~hidden].reshape(len(masks), -1)
        sums = np.zeros((len(masks), 1), np.int64)
        counts = np.zeros(1, np.int64)
        for column in others.T:
            sums = np.concatenate((sums, sums + column[:, None]), axis=1)
            counts = np.concatenate((counts, counts + 1))
        if self._spent:
            first = int(self.prizes[self._spent.bit_length() - 1])
            sums = np.concatenate((sums, sums[:, -1:] + first), axis=1)
            counts = np.concatenate((counts, counts[-1:] + 1))
        return sums, counts


def _packed(
    count: int,
    masks: IntArray,
    first: IntArray | None,
    others: IntArray | None,
) -> Layout:
    """Return the layout of a first column, if any, and the distinct other sums, ascending."""
    zero_first = first is not None
    columns = [] if first is None else [first]
    keep = [] if first is None else [np.ones(first.shape, np.bool_)]
    if others is not None and others.shape[1]:
        ordered = np.sort(others, axis=1)
        fresh = np.ones(ordered.shape, np.bool_)
        fresh[:, 1:] = ordered[:, 1:] != ordered[:, :-1]
        if zero_first:
            fresh &= ordered != 0
        columns.append(ordered)
        keep.append(fresh)
    held = np.concatenate(keep, axis=1)
    rows = held.sum(axis=1)
    blocks = -(-len(masks) // LANES)
    padded = np.zeros(blocks * LANES, np.int64)
    padded[: len(masks)] = rows
    starts = np.zeros(blocks + 1, np.int64)
    starts[1:] = np.cumsum(padded.reshape(-1, LANES).max(axis=1)) * LANES
    place, _ = np.nonzero(held)
    row = (np.cumsum(held, axis=1) - 1)[held]
    at = starts[place // LANES] + place % LANES + LANES * row
    sums = np.zeros(starts[-1], np.int64)
    sums[at] = np.concatenate(columns, axis=1)[held]
    used = np.zeros(starts[-1], np.bool_)
    used[at] = True
    return Layout(count, masks, starts, rows, sums, used, zero_first)
