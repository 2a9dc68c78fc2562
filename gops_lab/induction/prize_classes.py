"""How many prize sets, carried sums and leads there are for a class of hands; see `counts`."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import zip_longest
from math import comb, gcd
from typing import NamedTuple, TypeVar

import numpy as np

from gops_lab.game.rules import Rules
from gops_lab.induction.hand_classes import Tied, set_sizes
from gops_lab.induction.reduction import Reducer

# Up to these limits prize sets are gone through one by one; beyond them counts are bounded by
# products. Decks of 1 .. 16 are inside the first (1 s), those of 1 .. 15 inside the second (7 s).
MOST_BITS = 1 << 26
"""Most prize sets times the points of all prizes, in units of their common divisor."""
MOST_ENTRIES = 1 << 22
"""Most pairs of a prize set and a carried sum, where the lead is kept."""
MOST_POINTS = 8192
"""Most points of all prizes in the same unit, where the lead is kept."""


@dataclass
class Sizes:
    """How much there is of one tier and class for every word."""

    values: int = 0
    values_at_0: int = 0
    """Those at lead 0; all of them where the lead is dropped."""
    games: int = 0
    games_at_0: int = 0


class PrizeClasses(NamedTuple):
    """What the prizes allow in every tier, the highest first, for each class of words."""

    of: list[dict[Tied, Sizes]]
    exact: bool


def prize_classes(
    rules: Rules, reducer: Reducer, classes: Sequence[Iterable[Tied]]
) -> PrizeClasses:
    """Return how many prize sets, carried sums and leads there are for every word of a class."""
    found: list[dict[Tied, Sizes]] = [{tied: Sizes() for tied in tier} for tier in classes]
    carry = bool(rules.tie_rule.carried)
    if reducer.ignores_lead and not carry:
        sets = _prize_sets(rules)
        for spent, tier in enumerate(found):
            for sizes in tier.values():
                sizes.values = sizes.values_at_0 = sets.spent[spent]
                sizes.games = sizes.games_at_0 = sets.games[spent]
        return PrizeClasses(found, True)
    unit = gcd(*rules.prizes) or 1
    if not _can_be_listed(rules, reducer, sum(map(abs, rules.prizes)) // unit):
        _bound(rules, reducer, unit, found)
        return PrizeClasses(found, False)
    if reducer.ignores_lead:
        _count_sums(rules, unit, found)
    elif carry:
        _count_sums_and_leads(rules, reducer, unit, found)
    else:
        _count_leads(rules, reducer, unit, found)
    return PrizeClasses(found, reducer.ignores_lead)


class _PrizeSets(NamedTuple):
    """How many sets of prizes there are, by how many prizes are spent."""

    spent: list[int]
    """Sets of prizes spent."""
    games: list[int]
    """Pairs of such a set and the next upcard."""


def _prize_sets(rules: Rules) -> _PrizeSets:
    if rules.known_order is not None:
        return _PrizeSets([1] * (rules.rounds + 1), [1] * (rules.rounds + 1))
    copies = list(Counter(rules.prizes).values())
    games = [0] * len(rules.prizes)
    for count, alike in Counter(copies).items():
        others = copies.copy()
        others.remove(count)
        for spent, sets in enumerate(set_sizes([*others, count - 1])):
            games[spent] += alike * sets
    return _PrizeSets(set_sizes(copies), games)


def _can_be_listed(rules: Rules, reducer: Reducer, points: int) -> bool:
    """Return whether the prize sets are few, and the sums small enough, to go through them."""
    sets = sum(_prize_sets(rules).spent[: rules.rounds + 1])
    if reducer.ignores_lead:
        return sets * max(points, 512) < MOST_BITS
    entries = sets * rules.rounds
    if rules.tie_rule.carried:
        entries = min(sets * points, 3 ** len(rules.prizes))
    return entries <= MOST_ENTRIES and points <= MOST_POINTS


Table = TypeVar("Table")


def _walk(
    rules: Rules, empty: Table, add: Callable[[Table, int], Table]
) -> Iterator[tuple[tuple[int, ...], Table]]:
    """Yield every set of prizes that can be spent, with its table, made prize by prize.

    Depth first, so that few tables are in memory at a time.
    """
    order = rules.known_order
    prizes = order or rules.prizes

    def walk(
        spent: tuple[int, ...], first: int, table: Table
    ) -> Iterator[tuple[tuple[int, ...], Table]]:
        yield spent, table
        if len(spent) == rules.rounds:
            return
        for position in range(first, first + 1 if order else len(prizes)):
            # Of equal prizes the lowest position not taken stands for all.
            if order or position == first or prizes[position] != prizes[position - 1]:
                prize = prizes[position]
                yield from walk((*spent, prize), position + 1, add(table, prize))

    yield from walk((), 0, empty)


def _count_sums(rules: Rules, unit: int, found: Sequence[dict[Tied, Sizes]]) -> None:
    """Count carried sums and stakes, the lead dropped.

    The table of a prize set is, for each k, the sums of k of its members as bits of one integer;
    every prize is raised by `shift` so that none is negative, and the bits of k by k times that.
    """
    shift = max(0, -min(rules.prizes)) // unit
    known = rules.known_order is not None

    def add(table: tuple[int, ...], prize: int) -> tuple[int, ...]:
        raised = prize // unit + shift
        tied = [sums << raised for sums in table]
        # In a known order what is carried are the last prizes, in a random one any of them.
        left = [1] if known else [*table, 0]
        return tuple(a | b for a, b in zip_longest(left, [0, *tied], fillvalue=0))

    def different(table: tuple[int, ...], counts: Iterable[int]) -> int:
        sums = 0
        for k in counts:
            sums |= table[k] << (len(table) - k) * shift
        return sums.bit_count()

    start: tuple[int, ...] = (1,)
    for spent, table in _walk(rules, start, add):
        rounds = len(spent)
        if rounds < rules.rounds:
            for tied, sizes in found[rounds].items():
                sizes.values += different(table, tied)
        if rounds > 0:
            # The upcard is one of these prizes and the carried ones are others.
            for tied, sizes in found[rounds - 1].items():
                sizes.games += different(table, [k + 1 for k in tied])
    for tier in found:
        for sizes in tier.values():
            sizes.values_at_0, sizes.games_at_0 = sizes.values, sizes.games


class _OpenLeads:
    """Leads as bits of one integer, and which of them still leave the game open.

    Parameters
    ----------
    rules : Rules
    reducer : Reducer
    unit : int
        A divisor of all prizes; leads are counted in it.
    """

    def __init__(self, rules: Rules, reducer: Reducer, unit: int) -> None:
        self._rules = rules
        self._reducer = reducer
        self._unit = unit
        self._all = sum(map(abs, rules.prizes)) // unit
        self._open: dict[int, int] = {}
        self.level = 1 << self._all
        """The lead 0."""

    def after(self, leads: int, points: int) -> int:
        """Return the leads after one player or the other has won so many points."""
        return leads << abs(points) | leads >> abs(points)

    def at_0(self, leads: int) -> int:
        """Return 1 if 0 is one of the leads."""
        return leads >> self._all & 1

    def open(self, points: int) -> int:
        """Return the leads that are not decided with so many points still to come."""
        if points not in self._open:
            leads = np.arange(-self._all, self._all + 1) * self._unit
            table = np.full(len(leads), points * self._unit)
            # All points are put on the table: only their total matters.
            none = np.zeros(len(leads), np.int64)
            decided = self._reducer.decided(self._rules.cards, none, table, leads)
            bits = np.packbits(~decided, bitorder="little").tobytes()
            self._open[points] = int.from_bytes(bits, "little")
        return self._open[points]

    def hidden_points(self, spent: Sequence[int], rounds: int) -> int:
        """Return the most points that so many of the prizes not spent can bring."""
        if rounds >= len(self._rules.prizes) - len(spent):
            return self._all - sum(map(abs, spent)) // self._unit
        hidden = Counter(self._rules.prizes) - Counter(spent)
        points = sorted((abs(prize) // self._unit for prize in hidden.elements()), reverse=True)
        return sum(points[:rounds])


def _count_leads(
    rules: Rules, reducer: Reducer, unit: int, found: Sequence[dict[Tied, Sizes]]
) -> None:
    """Count leads where ties leave nothing on the table.

    The table of a prize set is, for each k, the leads after k ties.
    """
    leads_ = _OpenLeads(rules, reducer, unit)

    def add(table: tuple[int, ...], prize: int) -> tuple[int, ...]:
        won = [leads_.after(leads, prize // unit) for leads in table]
        return tuple(a | b for a, b in zip_longest(won, [0, *table], fillvalue=0))

    start: tuple[int, ...] = (leads_.level,)
    for spent, table in _walk(rules, start, add):
        rounds = len(spent)
        if rounds == rules.rounds:
            continue
        undecided = leads_.open(leads_.hidden_points(spent, rules.rounds - rounds))
        hidden = Counter(rules.prizes) - Counter(spent)
        upcards = 1 if rules.known_order is not None else len(hidden)
        for tied, sizes in found[rounds].items():
            leads = 0
            for k in tied:
                leads |= table[k]
            leads &= undecided
            # Each game follows one of these states only, for the lead is that before the round.
            count, at_0 = leads.bit_count(), leads_.at_0(leads)
            sizes.values += count
            sizes.values_at_0 += at_0
            sizes.games += count * upcards
            sizes.games_at_0 += at_0 * upcards


def _count_sums_and_leads(
    rules: Rules, reducer: Reducer, unit: int, found: Sequence[dict[Tied, Sizes]]
) -> None:
    """Count pairs of a carried sum (or stake) and a lead.

    The table of a prize set is, for each k, the sums of k carried prizes, each with the leads that
    the others allow. All others have been won, which fixes whether the lead is odd.
    """
    leads_ = _OpenLeads(rules, reducer, unit)
    SumsOfTies = tuple[dict[int, int], ...]

    def add(table: SumsOfTies, prize: int) -> SumsOfTies:
        points = prize // unit
        result: list[dict[int, int]] = [
            {total: leads_.after(leads, points) for total, leads in sums.items()} for sums in table
        ]
        result.append({})
        for k, sums in enumerate(table):
            _merge(result[k + 1], {total + points: leads for total, leads in sums.items()})
        return tuple(result)

    def add_next(table: SumsOfTies, prize: int) -> SumsOfTies:
        # In a known order the prizes carried are the last ones, won all at once.
        points = prize // unit
        won = 0
        tied: list[dict[int, int]] = []
        for sums in table:
            tied.append({total + points: leads for total, leads in sums.items()})
            for total, leads in tied[-1].items():
                won |= leads_.after(leads, total)
        return ({0: won}, *tied)

    start: SumsOfTies = ({0: leads_.level},)
    for spent, table in _walk(rules, start, add if rules.known_order is None else add_next):
        rounds = len(spent)
        points = leads_.hidden_points(spent, rules.rounds - rounds)
        if rounds < rules.rounds:
            counts = _open_pairs(leads_, table, points)
            for tied, sizes in found[rounds].items():
                sizes.values += counts[tied[-1]][0]
                sizes.values_at_0 += counts[tied[-1]][1]
        if rounds > 0:
            # The upcard is one of these prizes and the carried ones are others. The state before
            # was open: its points to come are at most the stake and these, plus what prizes of
            # opposite signs hide in a stake.
            before = leads_.hidden_points(spent, rules.rounds - rounds + 1)
            if min(spent) < 0:
                before += 2 * max(map(abs, spent)) // unit
            counts = _open_pairs(leads_, table[1:], before)
            for tied, sizes in found[rounds - 1].items():
                sizes.games += counts[tied[-1]][0]
                sizes.games_at_0 += counts[tied[-1]][1]


def _merge(into: dict[int, int], sums: dict[int, int]) -> None:
    for total, leads in sums.items():
        into[total] = into.get(total, 0) | leads


def _open_pairs(
    leads_: _OpenLeads, table: Sequence[dict[int, int]], points: int
) -> list[tuple[int, int]]:
    """Return, for each k, how many open (sum, lead) there are with k ties or fewer.

    Of each also those at lead 0. `points` are those that hidden prizes can bring.
    """
    counts: list[tuple[int, int]] = []
    seen: dict[int, int] = {}
    count = at_0 = 0
    for sums in table:
        for total, leads in sums.items():
            before = seen.get(total, 0)
            new = leads & leads_.open(abs(total) + points) & ~before
            seen[total] = before | new
            count += new.bit_count()
            at_0 += leads_.at_0(new)
        counts.append((count, at_0))
    return counts


def _bound(
    rules: Rules, reducer: Reducer, unit: int, found: Sequence[dict[Tied, Sizes]]
) -> None:
    """Bound every count by the number of ways, and by the range of sums and leads."""
    carry = bool(rules.tie_rule.carried)
    largest = sorted((abs(prize) // unit for prize in rules.prizes), reverse=True)

    def ways(prizes: int, tied: Tied, exposed: int) -> int:
        """Return a bound on (sum, lead) for one set of prizes, an upcard among them or not."""
        reach = sum(largest[:prizes])
        sums = sum(comb(prizes, k + exposed) for k in tied) if carry else 1
        if rules.known_order is not None:
            sums = min(sums, len(tied))
        sums = min(sums, 2 * reach + 1)
        if reducer.ignores_lead:
            return sums
        outcomes: int = (2 if carry else 3) ** prizes
        return sums * min(outcomes, 2 * reach + 1)

    sets = _prize_sets(rules)
    for spent, tier in enumerate(found):
        for tied, sizes in tier.items():
            sizes.values = sets.spent[spent] * ways(spent, tied, 0)
            if carry:
                sizes.games = sets.spent[spent + 1] * ways(spent + 1, tied, 1)
            else:
                sizes.games = sets.games[spent] * ways(spent, tied, 0)
