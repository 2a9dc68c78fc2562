"""How many states a solve will meet, tier by tier, counted without listing them.

A *word* is a rank pattern (`gops_lab.encoding.patterns`) read as letters: a card of A's alone, a
card of B's alone, or a rank both hold. States are a word, the prizes spent, what is carried and,
unless the lead is dropped, the lead. The hands and the prizes meet at one point only: k tied rounds
have spent k ranks of both hands. So words are counted by how many prizes can have been tied
(`hand_classes`), prize sets by how many sums and leads they allow for each (`prize_classes`), and
the products are added up.

Let c be the number of cards common to what A and B have spent, as multisets, in m rounds. The last
k of them can all have been ties, and the one before not, for ``k = 0 .. c`` if the two differ; if
they are equal (c = m) every k is possible but m - 1, for a last pair of equal cards would tie too.

Under ``margin`` the count is exact, unless hands hold a common rank twice under carry-over or are
too long for patterns. With a lead it is an upper bound: every prize that was not tied
is taken to be won by either player, whatever the bids; a lead that can no longer be overturned is
left out as the sweep leaves it out.

Of mirrored states one is counted, and none of those that are worth 0 by symmetry.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import zip_longest
from math import comb, gcd
from typing import NamedTuple, TypeVar

import numpy as np

from gops_lab.encoding import Patterns
from gops_lab.game.objectives import as_objective
from gops_lab.game.rules import Rules
from gops_lab.induction.reduction import Reducer

# Up to these limits prize sets are gone through one by one; beyond them counts are bounded by
# products. Decks of 1 .. 16 are inside the first (1 s), those of 1 .. 15 inside the second (7 s).
MOST_BITS = 1 << 26
"""Most prize sets times the points of all prizes, in units of their common divisor."""
MOST_ENTRIES = 1 << 22
"""Most pairs of a prize set and a carried sum, where the lead is kept."""
MOST_POINTS = 8192
"""Most points of all prizes in the same unit, where the lead is kept."""

MOST_WORD_GROUPS = 100_000
"""Most groups of words that are kept apart; beyond that they are bounded, not counted."""


class TierCount(NamedTuple):
    """How much there is of one tier."""

    tier: int
    """Cards in each hand."""
    patterns: int
    """Rank patterns, with their mirrors where those have the same values; pairs of hands where
    patterns are not used."""
    stage_games: int
    """Stage games to solve."""
    values: int
    """Values of states before the next exposure."""


@dataclass(frozen=True)
class Counts:
    """How many states a solve from the start of a game will meet.

    Attributes
    ----------
    tiers : tuple of TierCount
        The highest first.
    exact : bool
        Whether the counts are exact; else they are upper bounds.
    """

    tiers: tuple[TierCount, ...]
    exact: bool

    @property
    def patterns(self) -> int:
        """Rank patterns of all tiers."""
        return sum(tier.patterns for tier in self.tiers)

    @property
    def stage_games(self) -> int:
        """Stage games of all tiers."""
        return sum(tier.stage_games for tier in self.tiers)

    @property
    def values(self) -> int:
        """Values of all tiers."""
        return sum(tier.values for tier in self.tiers)


def count_states(rules: Rules, objective: object = "margin") -> Counts:
    """Return how many patterns, stage games and values a solve from the start has.

    Parameters
    ----------
    rules : Rules
        Any rules; those with very many or very large prizes are bounded in a cheaper way.
    objective : {"margin", "win"}, callable or dict
        As `gops_lab.solve` takes it.

    Returns
    -------
    Counts

    Examples
    --------
    >>> counts = count_states(Rules(cards=13, ties="discard"))
    >>> counts.stage_games, counts.values, counts.exact
    (1338879360, 168258727, True)
    >>> [tier.patterns for tier in counts.tiers]
    [1, 157, 4423, 37401, 110641, 117295, 45207, 8989, 1683, 321, 63, 13, 3]
    """
    reducer = Reducer(rules, as_objective(objective))
    hands = hand_classes(rules, reducer)
    prizes = prize_classes(rules, reducer, hands.tiers)
    tiers: list[TierCount] = []
    for spent, classes in enumerate(hands.tiers):
        patterns = games = values = 0
        for tied, words in classes.items():
            each = prizes.of[spent][tied]
            patterns += words.all
            games += words.all * each.games
            values += words.all * each.values
            if reducer.swap:
                # A word that is its own mirror is worth 0 at lead 0.
                games -= words.mirrored * each.games_at_0
                values -= words.mirrored * each.values_at_0
        if reducer.swap:
            # Rounded up: bounds need not have the symmetry that makes a total even.
            games, values = -(-games // 2), -(-values // 2)
        tiers.append(TierCount(rules.cards - spent, patterns, games, values))
    return Counts(tuple(tiers), hands.exact and prizes.exact)


# The hands


class Words(NamedTuple):
    """How many words there are, and how many of them are their own mirror."""

    all: int
    mirrored: int


Tied = tuple[int, ...]
"""How many of the rounds just played can all have been tied, in ascending order."""


class HandClasses(NamedTuple):
    """The pairs of hands of every tier, the highest first, by the ties that can lead there.

    Where the players may be swapped a class counts the words of both orientations.
    """

    tiers: list[dict[Tied, Words]]
    exact: bool


Classify = Callable[[Collection[int], int], Tied]
"""Takes the numbers of common cards that can be spent, and of rounds played."""


def hand_classes(rules: Rules, reducer: Reducer) -> HandClasses:
    """Return how many words there are for every number of rounds played."""
    ranks = sorted({*rules.hand_a, *rules.hand_b})
    held = [(rules.hand_a.count(rank), rules.hand_b.count(rank)) for rank in ranks]
    apart = bool(rules.tie_rule.carried) or not reducer.ignores_lead

    def classify(commons: Collection[int], spent: int) -> Tied:
        if not apart:
            return (0,)
        if not reducer.ignores_lead:
            # A bound in any case; one class for each largest number keeps it simple.
            return tuple(range(max(commons) + 1))
        return tuple(sorted(set().union(*(_ties(common, spent) for common in commons))))

    if isinstance(reducer.codes, Patterns):
        tiers = _words(held, rules, reducer.swap, classify)
        if tiers is not None:
            # A common rank held twice could be all that was spent; then no k but m is possible.
            return HandClasses(tiers, not apart or all(min(pair) < 2 for pair in held))
    tiers = _pairs_of_hands(held, rules, reducer, classify)
    return HandClasses(tiers, not apart and not isinstance(reducer.codes, Patterns))


def _ties(common: int, spent: int) -> set[int]:
    """Return how many last rounds can have been tied if `common` of the cards spent are alike."""
    possible = set(range(common + 1))
    return possible - {spent - 1} if common == spent else possible


def _add(classes: dict[Tied, Words], tied: Tied, count: int, mirrored: int) -> None:
    before = classes.get(tied, Words(0, 0))
    classes[tied] = Words(before.all + count, before.mirrored + mirrored)


_Letter = tuple[int, int, int]
"""(whether the two share a rank, cards of A's, cards of B's)."""

_Place = tuple[int, int, int]
"""(common cards held so far, position among the ranks, cards of the last letter there)."""


class _Reading(NamedTuple):
    """How the words read so far can be laid into the ranks the players were dealt.

    Words that can go on alike share a reading, which is what makes them countable.
    """

    cards_a: int
    cards_b: int
    last: int
    """1 or 2 if the last letter was a card of A's or B's alone, else 0."""
    mirrored: bool
    """Whether the word is its own mirror so far."""
    places: tuple[tuple[_Place, ...], ...]
    """Earliest places, one tuple for each orientation of the hands; empty where there is none."""


def _words(
    held: Sequence[tuple[int, int]], rules: Rules, swap: bool, classify: Classify
) -> list[dict[Tied, Words]] | None:
    """Return the words of every tier, or None if there are too many kinds of them.

    Distinct words are counted by reading each in one way only, letter by letter, every letter
    laid into the earliest rank that has it: a rank is earlier for every continuation. Holding a
    common card costs a tied round, so the earliest place is kept for each such cost.
    """
    orientations = [tuple(held)]
    if swap and any(a != b for a, b in held):
        orientations.append(tuple((b, a) for a, b in held))
    alike = sum(min(pair) for pair in held)
    letters = [(0, 1, 0), (0, 0, 1)]
    letters += sorted({(1, a + 1, b + 1) for pair in held for a in range(pair[0])
                       for b in range(pair[1])})
    if swap:
        letters = sorted({*letters, *((tie, b, a) for tie, a, b in letters)})
    start = _Reading(0, 0, 0, True, ((( 0, -1, 0),),) * len(orientations))
    layers: list[Counter[_Reading]] = [Counter() for _ in range(2 * rules.cards + 1)]
    layers[0][start] = 1
    tiers: list[dict[Tied, Words]] = [{} for _ in range(rules.rounds)]
    groups = 0
    for layer in layers:
        groups += len(layer)
        if groups > MOST_WORD_GROUPS:
            return None
        for reading, count in layer.items():
            spent = rules.cards - reading.cards_a
            if reading.cards_a == reading.cards_b and spent < rules.rounds:
                commons = {alike - cost for places in reading.places for cost, _, _ in places}
                _add(tiers[spent], classify(commons, spent), count, count * reading.mirrored)
            for letter in letters:
                following = _read(reading, letter, orientations, rules.cards)
                if following is not None:
                    layers[following.cards_a + following.cards_b][following] += count
    return tiers


def _read(
    reading: _Reading, letter: _Letter,
    orientations: Sequence[tuple[tuple[int, int], ...]], cards: int,
) -> _Reading | None:
    """Return the reading of words with one more letter, or None if no hands have such words."""
    tie, more_a, more_b = letter
    cards_a, cards_b = reading.cards_a + more_a, reading.cards_b + more_b
    if max(cards_a, cards_b) > cards:
        return None
    last = 0 if tie else 1 if more_a else 2
    places = tuple(
        _lay(held, letter, before, last != 0 and last == reading.last)
        for held, before in zip(orientations, reading.places, strict=True)
    )
    if not any(places):
        return None
    mirrored = reading.mirrored and more_a == more_b
    return _Reading(cards_a, cards_b, last, mirrored, places)


@lru_cache(maxsize=1 << 16)
def _lay(
    held: tuple[tuple[int, int], ...], letter: _Letter,
    before: tuple[_Place, ...], same: bool,
) -> tuple[_Place, ...]:
    """Return the earliest places of a letter after these places, one for each cost."""
    _, more_a, more_b = letter
    earliest: dict[int, tuple[int, int]] = {}

    def offer(cost: int, position: int, used: int) -> None:
        earliest[cost] = min(earliest.get(cost, (len(held), 0)), (position, used))

    for cost, position, used in before:
        if same and used < max(more_a * held[position][0], more_b * held[position][1]):
            # A card of the same player's alone may be of the rank of the one before.
            a, b = used * more_a, used * more_b
            extra = _common_held(held[position], a + more_a, b + more_b)
            offer(cost + extra - _common_held(held[position], a, b), position, used + 1)
        for later in range(position + 1, len(held)):
            if more_a <= held[later][0] and more_b <= held[later][1]:
                offer(cost + _common_held(held[later], more_a, more_b), later, 1)
    # Only the lowest cost and the one above it make a difference (see `_ties`).
    return tuple(
        (cost, *place)
        for cost, place in sorted(earliest.items())
        if not any(other < cost - 1 and earliest[other] <= place for other in earliest)
    )


def _common_held(pair: tuple[int, int], a: int, b: int) -> int:
    """Return how many pairs of equal cards of a rank are lost for ties by holding a and b of it."""
    return min(pair) - min(pair[0] - a, pair[1] - b)


def _pairs_of_hands(
    held: Sequence[tuple[int, int]], rules: Rules, reducer: Reducer, classify: Classify
) -> list[dict[Tied, Words]]:
    """Return all pairs of hands, as if all could follow any ties: a bound on the words."""
    sizes_a, sizes_b = (_set_sizes(Counter(hand).values()) for hand in (rules.hand_a, rules.hand_b))
    alike = sum(min(pair) for pair in held)
    tiers: list[dict[Tied, Words]] = []
    for spent in range(rules.rounds):
        cards = rules.cards - spent
        words = Words(sizes_a[cards] * sizes_b[cards], 0)
        if reducer.swap and isinstance(reducer.codes, Patterns):
            # Every kept pattern is one of these pairs', and the caller takes half.
            words = Words(2 * words.all, 0)
        elif reducer.swap:
            words = Words(words.all, sizes_a[cards])
        tied = classify(range(min(spent, alike) + 1), spent)
        tiers.append({tied: words})
    return tiers


def _set_sizes(copies: Iterable[int]) -> list[int]:
    """Return how many sub-multisets there are of each size, given how often each member occurs."""
    sizes = [1]
    for count in copies:
        sizes = [
            sum(sizes[size - taken] for taken in range(count + 1) if 0 <= size - taken < len(sizes))
            for size in range(len(sizes) + count)
        ]
    return sizes


# The prizes


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
        for spent, sets in enumerate(_set_sizes([*others, count - 1])):
            games[spent] += alike * sets
    return _PrizeSets(_set_sizes(copies), games)


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
