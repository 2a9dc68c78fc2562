"""Sets of cards as bit masks: bit i of a mask stands for card i of a fixed list."""

from __future__ import annotations

from itertools import chain, combinations
from math import comb

import numpy as np
import numpy.typing as npt

from gops_lab.encoding.patterns import IntArray
from gops_lab.errors import StateError

BoolArray = npt.NDArray[np.bool_]

MAX_ENUMERATED = 24
"""Longest card list whose subsets are enumerated: at most 2,704,156 masks of one size."""


class CardSets:
    """Sub-multisets of a list of cards, one 64-bit mask each.

    A rank that occurs several times has several bits; a mask is *canonical* if it uses the lowest
    of them, so that equal sets have equal masks. In an `ordered` list (prizes in a known order of
    play) equal cards at different positions are different cards, and every mask is canonical.

    Parameters
    ----------
    cards : tuple of int
        The list; equal cards must be neighbours unless it is ordered. At most 62.
    ordered : bool
        Whether positions matter.

    Examples
    --------
    >>> sets = CardSets((1, 2, 2, 5))
    >>> masks = sets.encode([(2, 5), (1, 2, 2)])
    >>> masks
    array([10,  7])
    >>> sets.decode(masks[0])
    (2, 5)
    >>> sets.counts(masks)
    array([[0, 1, 1],
           [1, 2, 0]])
    """

    def __init__(self, cards: tuple[int, ...], ordered: bool = False) -> None:
        self.cards = np.array(cards, np.int64)
        self.ordered = ordered
        keys = np.arange(len(cards)) if ordered else self.cards
        _, self._first, self._copies = np.unique(keys, return_index=True, return_counts=True)
        self.distinct: IntArray = self.cards[self._first]
        """One entry for each group of equal cards (for each position if ordered)."""
        self._group_masks = ((np.int64(1) << self._copies) - 1) << self._first

    def encode(self, sets: list[tuple[int, ...]]) -> IntArray:
        """Return the canonical mask of each set of cards; an ordered set is a tail of the list."""
        masks = np.zeros(len(sets), np.int64)
        whole = tuple(self.cards.tolist())
        for row, cards in enumerate(sets):
            if self.ordered:
                first = len(whole) - len(cards)
                if whole[first:] != tuple(cards):
                    raise StateError(f"{tuple(cards)} is not the end of the known order {whole}")
                masks[row] = (1 << len(whole)) - (1 << first)
                continue
            for card in sorted(set(cards)):
                group = np.flatnonzero(self.distinct == card)
                count = tuple(cards).count(card)
                if not len(group) or count > self._copies[group[0]]:
                    raise StateError(f"{tuple(cards)} is not a part of {whole}: {card} is too many")
                masks[row] |= ((1 << count) - 1) << int(self._first[group[0]])
        return masks

    def decode(self, mask: int | np.integer) -> tuple[int, ...]:
        """Return the cards of one mask, in the order of the list."""
        return tuple(card for i, card in enumerate(self.cards.tolist()) if int(mask) >> i & 1)

    def texts(self, masks: IntArray) -> npt.NDArray[np.object_]:
        """Return each set as people write it, cards with blanks between; shape (k,).

        Examples
        --------
        >>> CardSets((1, 2, 5)).texts(np.array([5, 0, 5]))
        array(['1 5', '', '1 5'], dtype=object)
        """
        distinct, where = np.unique(masks, return_inverse=True)
        texts = np.array([" ".join(map(str, self.decode(mask))) for mask in distinct], np.object_)
        return texts[where]

    def sizes(self, masks: IntArray) -> IntArray:
        """Return how many cards each set holds."""
        return np.bitwise_count(masks).astype(np.int64)

    def counts(self, masks: IntArray) -> IntArray:
        """Return how often each distinct card is in each set, shape (k, number of distinct)."""
        held = np.bitwise_count(masks[..., None] & self._group_masks)
        return np.asarray(held, np.int64)

    def next_counts(self, masks: IntArray) -> IntArray:
        """Return how many copies of each distinct card can come next, shape (k, distinct).

        Any card of the set, each copy equally likely; in an ordered list only the first.
        """
        counts = self.counts(masks)
        if not self.ordered:
            return counts
        return np.asarray(counts * (np.cumsum(counts, axis=-1) == 1), np.int64)

    def canonical(self, masks: IntArray) -> IntArray:
        """Return the canonical mask of each set."""
        low = ((np.int64(1) << self.counts(masks)) - 1) << self._first
        return np.asarray(low.sum(axis=-1), np.int64)

    def find(self, cards: IntArray) -> IntArray:
        """Return the position of each card in `distinct`, or -1 where the list has none.

        Not for an ordered list, where a card may stand at several positions.
        """
        position = np.searchsorted(self.distinct, cards).clip(max=len(self.distinct) - 1)
        return np.where(self.distinct[position] == cards, position, -1)

    def remove(self, masks: IntArray, group: IntArray | int) -> IntArray:
        """Return the sets without one card of `distinct[group]` each, which they must hold."""
        held = np.bitwise_count(masks & self._group_masks[group]).astype(np.int64)
        return np.asarray(masks & ~(np.int64(1) << (self._first[group] + held - 1)), np.int64)

    def members(self, masks: IntArray, size: int) -> IntArray:
        """Return the cards of sets that all hold `size` cards, shape (k, size), in list order."""
        bits = (masks[:, None] >> np.arange(len(self.cards))) & 1
        rows, columns = np.nonzero(bits)
        if len(rows) != len(masks) * size:
            raise StateError(f"every set must hold {size} cards")
        return np.asarray(self.cards[columns].reshape(len(masks), size), np.int64)

    def count_of_size(self, size: int) -> int:
        """Return how many sets of `size` cards there are, without listing them."""
        if self.ordered:
            return 1
        counts = [1] + [0] * size  # coefficients of the product of 1 + x + ... + x**copies
        for copies in self._copies.tolist():
            counts = [sum(counts[max(0, n - copies) : n + 1]) for n in range(size + 1)]
        return counts[size]

    def of_size(self, size: int) -> IntArray:
        """Return the canonical masks of all sets of `size` cards, ascending.

        Raises
        ------
        StateError
            If the list is too long to enumerate its subsets.
        """
        if self.ordered:
            return self.encode([tuple(self.cards[len(self.cards) - size :].tolist())])
        if len(self.cards) > MAX_ENUMERATED:
            raise StateError(
                f"sets of {len(self.cards)} cards are too many to index; at most "
                f"{MAX_ENUMERATED} cards are"
            )
        count = comb(len(self.cards), size)
        picks = np.fromiter(
            chain.from_iterable(combinations(range(len(self.cards)), size)), np.int64, count * size
        ).reshape(count, size)
        return np.unique(self.canonical((np.int64(1) << picks).sum(axis=1)))

    def largest_total(self, masks: IntArray, count: int) -> IntArray:
        """Return the sum of the `count` largest absolute values in each set."""
        total = np.zeros(masks.shape, np.int64)
        taken = np.zeros(masks.shape, np.int64)
        for i in np.argsort(-np.abs(self.cards), kind="stable"):
            chosen = ((masks >> i) & 1) * (taken < count)
            total += chosen * abs(self.cards[i])
            taken += chosen
        return total
