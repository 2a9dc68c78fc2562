"""Where values and stage games that depend on the lead stand in memory.

A pattern has a value for every set S of prizes still to come, every carried sum c and every lead.
The leads of one (S, c) are neighbours: a *row*, from its lowest lead up. Stage games have rows too,
one for every set R of hidden prizes and stake. Eight neighbouring leads are solved side by side.

**Which leads a row holds** depends on one number only, what is *left* to be won, sum(S) + c, and
that is sum(R) + stake for a stage game. So a value's row and the rows of the stage games it is the
mean of hold the same leads, and the mean is taken row by row. With no prize below 0, a lead is at
most the leads a solve starts from plus everything already spent, and beyond some lead the utility
is constant whatever happens to what is left (for ``win``: a lead larger than that). Rows end there.
With a prize below 0, every row holds every lead that can occur.

**Parity.** Where a tied stake is carried over, every prize that is no longer to come or on the
table was won by someone (but for what is left on the table at the end), so all leads of a row are
even or all are odd, and a row takes every second lead.

**Mirrored rows.** Where the utility is odd, a pattern and its mirror share their rows, one of them
read backwards and negated; rows are then symmetric about lead 0.

**Ways.** Not every lead of a row can come about, least of all with every pattern: one in which A
has kept only high cards was not reached by A winning much. A *way* is how many prizes each player
has won. Every position of a row has the ways that lead to it, every pattern the ways that lead to
it; a stage game whose two have nothing in common is not solved, and no value is kept. So a
pattern's values are those positions of its class that its ways *reach*, one behind the other. Ways
are counted up to 7 prizes a player, 7 standing for more, and say no more than that something may
come about: what cannot is sometimes solved, what can always is.

Under ``margin`` a lead is added to a value whatever follows: a row is the lead 0 alone. That is
how games of margin with a known order are solved; with a random one, `layout` is faster.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from gops_lab.encoding import prize_sets
from gops_lab.encoding.card_sets import BoolArray
from gops_lab.encoding.patterns import IntArray
from gops_lab.game import Objective, Rules
from gops_lab.induction.rectangle.kernels import LANES, count_ways, merge_ways

MOST_LEADS = 4096
"""Longest row."""

MOST_WORK = 4_000_000_000
"""Ways are left out, and everything is solved, where counting them takes more steps than this."""


class Utility(NamedTuple):
    """A utility of the final lead, tabulated.

    Attributes
    ----------
    low : int
        The lowest final lead.
    values : array of float64
        The utility of `low` and every lead up from there; nothing but zeros under margin, where
        values are what is still to be gained.
    lead_counts : bool
        False under margin.
    odd : bool
        Whether u(-d) = -u(d), so that swapping the players negates values.
    error : float
        Every utility is within this of what was asked for.
    """

    low: int
    values: npt.NDArray[np.float64]
    lead_counts: bool
    odd: bool
    error: float

    @property
    def flat_below(self) -> int:
        """The highest lead at and below which the utility is the same."""
        different = np.flatnonzero(self.values != self.values[0])
        return self.low + (int(different[0]) if len(different) else len(self.values)) - 1

    @property
    def flat_above(self) -> int:
        """The lowest lead at and above which the utility is the same."""
        different = np.flatnonzero(self.values != self.values[-1])
        return self.low + (int(different[-1]) + 1 if len(different) else 0)


def tabulated(rules: Rules, objective: Objective, start_leads: tuple[int, int]) -> Utility:
    """Return the utility of every lead that can end a game.

    Raises
    ------
    ObjectiveError
        If the utility has no finite value at one of them.
    """
    reach = sum(map(abs, rules.prizes))
    low, high = start_leads[0] - reach, start_leads[1] + reach
    if objective.ignores_lead:
        return Utility(low, np.zeros(high - low + 1), False, True, 0.0)
    odd = objective.is_odd(range(max(-low, high) + 1))
    if odd:
        high = max(-low, high)
        low = -high
    exact = [objective(lead) for lead in range(low, high + 1)]
    values = np.array([objective.as_float(lead) for lead in range(low, high + 1)])
    kept = values.tolist()
    rounded = [abs(one) for one, given in zip(kept, exact, strict=True) if one != given]
    error = objective.error + max(rounded, default=0.0) * 2.0**-53
    return Utility(low, values, True, odd, error)


@dataclass(frozen=True, eq=False)
class Rows:
    """Rows of leads, each belonging to a set of prizes and a sum.

    Attributes
    ----------
    masks : array of int64, shape (k,)
        The prize sets, ascending.
    set_starts : array of int64, shape (k + 1,)
        Where the rows of each set begin in the arrays below.
    sums : array of int64, shape (rows,)
        The carried sum, or the stake, of each row, ascending for each set; but a carried sum of 0
        comes first.
    lows, lengths : array of int64, shape (rows,)
        The lowest lead of each row and how many it holds.
    starts : array of int64, shape (rows + 1,)
        Where each row begins in memory; the last entry is the length of all.
    step : int
        How far neighbouring leads are apart: 1 or 2.
    zero_first : bool
    ways : array of int64, shape (positions,)
        The ways that lead to each position, as bits: 8 x + y for x prizes won by A and y by B.
    """

    masks: IntArray
    set_starts: IntArray
    sums: IntArray
    lows: IntArray
    lengths: IntArray
    starts: IntArray
    step: int
    zero_first: bool
    ways: IntArray

    @property
    def positions(self) -> int:
        """Numbers the rows take in memory."""
        return int(self.starts[-1])

    def reached(self, ways: int) -> BoolArray:
        """Return which positions a pattern with these ways has."""
        return np.asarray((self.ways & ways) != 0)

    def count(self, ways: int) -> int:
        """Return the values, or stage games, that a pattern with these ways has."""
        return int(np.count_nonzero(self.reached(ways)))

    length = count
    """Of values nothing else is kept."""

    def places(self, ways: int) -> npt.NDArray[np.int32]:
        """Return, for every position, how many a pattern with these ways has before it, else -1."""
        reached = self.reached(ways)
        return np.where(reached, np.cumsum(reached, dtype=np.int32) - 1, np.int32(-1))

    @cached_property
    def _keys(self) -> IntArray:
        owner = np.repeat(np.arange(len(self.masks)), np.diff(self.set_starts))
        return np.asarray(owner * self._spread + self._ranked(self.sums), np.int64)

    @cached_property
    def _spread(self) -> int:
        return 2 * int(np.abs(self.sums).max(initial=0)) + 3

    def _ranked(self, sums: IntArray) -> IntArray:
        """Return numbers that ascend as the sums of a set do."""
        ranked = sums + self._spread // 2 + 1
        return np.where(sums == 0, 0, ranked) if self.zero_first else ranked

    def find_rows(self, sets: IntArray, sums: IntArray) -> tuple[IntArray, BoolArray]:
        """Return the row of each (prize set, sum), and whether there is one."""
        place = np.searchsorted(self.masks, sets).clip(max=len(self.masks) - 1)
        # A sum beyond the largest would get the key of the next set's first.
        within = np.abs(sums) < self._spread // 2
        keys = place * self._spread + self._ranked(np.where(within, sums, 0))
        row = np.searchsorted(self._keys, keys).clip(max=len(self._keys) - 1)
        return row, within & (self.masks[place] == sets) & (self._keys[row] == keys)

    def find(
        self, sets: IntArray, sums: IntArray, leads: IntArray
    ) -> tuple[IntArray, BoolArray]:
        """Return the position of each (prize set, sum, lead), and whether there is one."""
        row, found = self.find_rows(sets, sums)
        place, odd = np.divmod(leads - self.lows[row], self.step)
        inside = (place >= 0) & (place < self.lengths[row]) & (odd == 0)
        return self.starts[row] + np.where(inside, place, 0), found & inside


class RowLayouts:
    """The rows of one game, made when they are first asked for.

    Parameters
    ----------
    rules : Rules
    objective : Objective
    start_leads : tuple of int
        The lowest and the highest lead that the solve starts from.
    spent : int, optional
        The position of a prize that is never to come; see `layout.Layouts`. Not with a known order.

    Attributes
    ----------
    swap, keeps_mirror, rising, largest, end_error
        As for `layout.Layouts`.
    """

    def __init__(
        self, rules: Rules, objective: Objective, start_leads: tuple[int, int],
        spent: int | None = None,
    ) -> None:
        self._made_of = (rules, objective, start_leads, spent)
        self._spent = 0 if spent is None else 1 << spent
        self.sets = prize_sets(rules)
        self.prizes = self.sets.cards
        self.carry = rules.tie_rule.carried == 1
        self.utility = tabulated(rules, objective, start_leads)
        self.end_error = self.utility.error
        self.swap = self.utility.odd
        # Under margin the one pattern that is its own mirror is worth 0.
        self.keeps_mirror = self.utility.lead_counts
        self.rising = bool(np.all(np.diff(self.utility.values) >= 0))
        self.largest = float(
            np.abs(self.utility.values).max()
            if self.utility.lead_counts
            else np.abs(self.prizes).sum()
        )
        self._start_leads = low, high = start_leads
        self._lead_bounds = (-max(-low, high), max(-low, high)) if self.swap else (low, high)
        self.step = 2 if self.carry and self.utility.lead_counts and low == high else 1
        self._parity = (low + int(self.prizes.sum())) % 2
        self.values = lru_cache(maxsize=None)(self._values)
        self.games = lru_cache(maxsize=None)(self._games)
        self._places = lru_cache(maxsize=16)(lambda size, *kind: self.places(size, *kind))

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickled without what can be made again."""
        return RowLayouts, self._made_of

    def window(self, left: IntArray) -> tuple[IntArray, IntArray]:
        """Return the lowest and the highest lead of rows with so many points left to be won."""
        if not self.utility.lead_counts:
            return np.zeros_like(left), np.zeros_like(left)
        low, high = (np.full_like(left, bound) for bound in self._lead_bounds)
        total = int(np.abs(self.prizes).sum())
        if np.any(self.prizes < 0):
            low, high = low - total, high + total
        else:
            low = np.maximum(low - (total - left), self.utility.flat_below - left + 1)
            high = np.minimum(high + (total - left), self.utility.flat_above + left - 1)
        if self.step == 2:
            parity = (self._parity - left) % 2
            low, high = low + (low - parity) % 2, high - (high - parity) % 2
        return low, np.maximum(high, low - self.step)

    def places(self, size: int, kind: int, ways: int) -> npt.NDArray[np.int32]:
        """Return where each position of a class stands for a pattern with these ways, or -1."""
        return self.values(size, kind).places(ways)

    def find(
        self, size: int, kind: int, ways: int, sets: IntArray, sums: IntArray, leads: IntArray
    ) -> tuple[IntArray, BoolArray]:
        """Return where values with `size` prizes stand for a pattern, and which of them it has."""
        position, there = self.values(size, kind).find(sets, sums, leads)
        places = self._places(size, kind, ways)
        if not len(places):  # where every lead is decided
            return position, there
        place = places[position]
        return place.astype(np.int64), there & (place >= 0)

    def links(self, size: int, kind: int) -> npt.NDArray[np.int32]:
        """Return, for every row of values with `size` prizes, the rows of games it is the mean of.

        Returns
        -------
        array of int32, shape (rows, prizes that can come next)
        """
        return self._linked(self.games(size - 1, kind), *self._next(self.values(size, kind)))

    def _linked(self, games: Rows, hidden: IntArray, stakes: IntArray) -> npt.NDArray[np.int32]:
        found, there = games.find_rows(hidden.ravel(), stakes.ravel())
        if not there.all():
            raise AssertionError("a value is the mean of a stage game without a row")
        return found.reshape(hidden.shape).astype(np.int32)

    def _next(self, rows: Rows) -> tuple[IntArray, IntArray]:
        """Return hidden prizes and stake after each prize that can be exposed next, by row."""
        owner = np.repeat(rows.masks, np.diff(rows.set_starts))
        size = int(np.bitwise_count(rows.masks[0]))
        held = (owner[:, None] >> np.arange(len(self.prizes))) & 1 == 1
        bits = np.nonzero(held)[1].reshape(len(owner), size)
        if self.sets.ordered:
            bits = bits[:, :1]
        hidden = owner[:, None] ^ (np.int64(1) << bits)
        return self.sets.canonical(hidden), rows.sums[:, None] + self.prizes[bits]

    def _masks(self, size: int) -> IntArray:
        """Return the sets of prizes that can be hidden, or still to come."""
        masks = self.sets.of_size(size)
        return np.asarray(masks[masks & self._spent == 0])

    def _values(self, size: int, kind: int) -> Rows:
        masks = self._masks(size)
        sums = np.zeros((len(masks), 1), np.int64)
        if self.carry and kind > 0:
            others = self._sums_outside(masks, kind)
            sums = np.concatenate((sums, np.sort(others, axis=1)), axis=1)
        fresh = np.ones(sums.shape, np.bool_)
        fresh[:, 1:] = (sums[:, 1:] != sums[:, :-1]) & (sums[:, 1:] != 0)
        if sums.shape[1] > 1:
            fresh[:, 1] = sums[:, 1] != 0
        owner, _ = np.nonzero(fresh)
        rows = self._rows(masks, owner, sums[fresh], zero_first=True)
        self._count_ways(rows)
        return rows

    def _sums_outside(self, masks: IntArray, kind: int) -> IntArray:
        """Return the sums of one to `kind` prizes, not in each set, that can have been tied.

        A prize spent from the start on is only carried where all have been tied since.
        """
        outside = ((masks | self._spent)[:, None] >> np.arange(len(self.prizes))) & 1 == 0
        others = np.broadcast_to(self.prizes, outside.shape)[outside].reshape(len(masks), -1)
        if self.sets.ordered:
            return np.cumsum(others[:, ::-1], axis=1)[:, :kind]
        sums = np.zeros((len(masks), 1), np.int64)
        counts = np.zeros(1, np.int64)
        for column in others.T:
            fits = counts < kind
            sums = np.concatenate((sums, sums[:, fits] + column[:, None]), axis=1)
            counts = np.concatenate((counts, counts[fits] + 1))
        if self._spent and others.shape[1] < kind:
            everything = (~masks[:, None] >> np.arange(len(self.prizes))) & 1
            sums = np.concatenate((sums, everything @ self.prizes[:, None]), axis=1)
        return sums[:, 1:]

    def _games(self, size: int, kind: int) -> Rows:
        values = self.values(size + 1, kind)
        hidden, stakes = self._next(values)
        masks = self._masks(size)
        owner = np.searchsorted(masks, hidden.ravel())
        pairs = np.unique(np.column_stack((owner, stakes.ravel())), axis=0)
        games = self._rows(masks, pairs[:, 0], pairs[:, 1], zero_first=False)
        links = self._linked(games, hidden, stakes)
        merge_ways(values.lengths, values.starts, links, games.starts, values.ways, games.ways)
        return games

    def _rows(self, masks: IntArray, owner: IntArray, sums: IntArray, zero_first: bool) -> Rows:
        """Return rows from each one's prize set and sum; rows of games fill whole lanes."""
        set_starts = np.searchsorted(owner, np.arange(len(masks) + 1))
        left = (((masks[:, None] >> np.arange(len(self.prizes))) & 1) @ self.prizes)[owner] + sums
        lows, highs = self.window(left)
        lengths = (highs - lows) // self.step + 1
        taken = lengths if zero_first else -(-lengths // LANES) * LANES
        starts = np.concatenate(([0], np.cumsum(taken)))
        ways = np.zeros(starts[-1], np.int64)
        return Rows(masks, set_starts, sums, lows, lengths, starts, self.step, zero_first, ways)

    def _count_ways(self, rows: Rows) -> None:
        """Fill in the ways to the positions of rows of values."""
        reach = 2 * int(np.abs(self.prizes).sum()) + 1
        work = len(rows.masks) * len(self.prizes) * reach * (reach if self.carry else 1)
        if not self.utility.lead_counts or work > MOST_WORK:
            rows.ways[:] = -1
            return
        low, high = self._start_leads
        first = np.arange(low, high + 1)
        if self.swap:
            first = np.union1d(first, -first)
        furthest = max(-low, high)
        shape = 2 * furthest + reach, reach if self.carry else 1
        count_ways(
            rows.masks, self.prizes, rows.set_starts, rows.sums, rows.lows, rows.lengths,
            rows.starts, rows.step, self.carry, first, furthest,
            np.zeros(shape, np.int64), np.zeros(shape, np.int64), rows.ways,
        )  # fmt: skip


def row_tables(
    layouts: RowLayouts, size: int, kind: int, child_kinds: tuple[int, ...], low_bid: bool
) -> tuple[Any, ...]:
    """Return the arrays that `kernels.solve_rows` reads for patterns of one class.

    Parameters
    ----------
    layouts : RowLayouts
    size : int
        Prizes still to come before the exposure.
    kind : int
        The class.
    child_kinds : tuple of int
        Classes of the patterns of the tier below; none if the game is over there.
    low_bid : bool
        Whether the lower bid takes a stake below 0.
    """
    games = layouts.games(size - 1, kind)
    owner = np.repeat(np.arange(len(games.masks)), np.diff(games.set_starts))
    swings = np.abs(games.sums) if low_bid else games.sums
    highs = games.lows + games.step * (games.lengths - 1)
    far = np.iinfo(np.int64).max // 4
    # The leads after a round without a tie, for all stakes with the same hidden prizes.
    first = np.full(len(games.masks), far)
    last = np.full(len(games.masks), -far)
    np.minimum.at(first, owner, np.minimum(games.lows + swings, games.lows - swings))
    np.maximum.at(last, owner, np.maximum(highs + swings, highs - swings))
    if not layouts.carry:
        np.minimum.at(first, owner, games.lows)
        np.maximum.at(last, owner, highs)
    free_left = ((games.masks[:, None] >> np.arange(len(layouts.prizes))) & 1) @ layouts.prizes
    free_lows, free_highs = layouts.window(free_left)
    most = max(child_kinds, default=0) + 1
    free_starts = np.zeros((most, len(games.masks)), np.int64)
    tie_starts = np.zeros((most, len(games.sums)), np.int64)
    for child in child_kinds:
        below = layouts.values(size - 1, child)
        free_starts[child] = below.starts[below.set_starts[:-1]]
        if layouts.carry and child > kind:
            row, there = below.find_rows(games.masks[owner], games.sums)
            if not there.all():
                raise AssertionError("a tie leads to a value without a row")
            tie_starts[child] = below.starts[row]
    _, ranks = np.unique(games.sums, return_inverse=True)
    widths = (last - first) // layouts.step + 1
    return (
        games.set_starts, games.lows, games.lengths, games.starts, games.ways, swings, ranks,
        first, widths,
        free_lows, (free_highs - free_lows) // layouts.step + 1, free_starts, tie_starts,
        layouts.step, int(widths.max(initial=0)),
    )  # fmt: skip
