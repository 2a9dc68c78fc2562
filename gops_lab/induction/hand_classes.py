"""How many pairs of hands there are, by the tied rounds that can lead there; see `counts`."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Sequence
from functools import lru_cache
from typing import NamedTuple

from gops_lab.encoding import Patterns
from gops_lab.game.rules import Rules
from gops_lab.induction.reduction import Reducer

MOST_WORD_GROUPS = 100_000
"""Most groups of words that are kept apart; beyond that they are bounded, not counted."""


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
    sizes_a, sizes_b = (set_sizes(Counter(hand).values()) for hand in (rules.hand_a, rules.hand_b))
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


def set_sizes(copies: Iterable[int]) -> list[int]:
    """Return how many sub-multisets there are of each size, given how often each member occurs."""
    sizes = [1]
    for count in copies:
        sizes = [
            sum(sizes[size - taken] for taken in range(count + 1) if 0 <= size - taken < len(sizes))
            for size in range(len(sizes) + count)
        ]
    return sizes
