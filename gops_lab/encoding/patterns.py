"""Rank patterns: a pair of hands, up to everything that can matter in a comparison.

Only comparisons between A's and B's cards decide rounds, so a pair of hands counts only through
the order in which the two sorted hands interleave, ties included. Walk the ranks upwards and write
down one symbol for each card or tied pair:

====== ======================================================================
symbol meaning
====== ======================================================================
1      a card of A's that ties with none of B's
2      a card of B's that ties with none of A's
3      a rank both hold: one card of each
4      a further card of A's of the rank both hold (only with repeated ranks)
5      a further card of B's of that rank (only with repeated ranks)
====== ======================================================================

The word of symbols is kept as one integer, its digits in bijective numeration: base 3 where no
hand repeats a rank, else base 5. Two pairs of hands of n cards have the same code exactly if every
comparison of a card of A's with one of B's has the same outcome in both.

Source: DESIGN section 5; the counting formula (2n - t)! / (t! (n - t)! (n - t)!) for n cards with
t common ranks, no rank repeated, is the number of words with t threes and n - t ones and twos.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np
import numpy.typing as npt

IntArray = npt.NDArray[np.int64]


class HandCodes(Protocol):
    """What the sweep asks of a way to name a pair of hands by one integer."""

    def encode(self, ranks_a: IntArray, ranks_b: IntArray) -> IntArray:
        """Return the code of each pair of hands, both of shape (k, n) with rows in any order."""

    def decode(self, codes: IntArray, cards: int) -> tuple[IntArray, IntArray]:
        """Return a pair of hands with each code: sorted ranks, both of shape (k, cards)."""

    def mirror(self, codes: IntArray, cards: int) -> IntArray:
        """Return the codes of the hands with the players swapped, of any shape."""


@dataclass(frozen=True)
class Patterns:
    """Names pairs of hands by their rank pattern.

    Parameters
    ----------
    repeats : bool
        Whether a hand may hold a rank twice.

    Examples
    --------
    >>> patterns = Patterns(repeats=False)
    >>> hands_a, hands_b = np.array([[1, 3], [2, 9]]), np.array([[2, 3], [5, 9]])
    >>> patterns.encode(hands_a, hands_b)
    array([18, 18])
    >>> patterns.decode(np.array([18]), cards=2)
    (array([[0, 2]]), array([[1, 2]]))
    """

    repeats: bool

    @property
    def base(self) -> int:
        """Number of symbols."""
        return 5 if self.repeats else 3

    @property
    def most_cards(self) -> int:
        """Largest hand whose codes fit a signed 64-bit integer."""
        return 13 if self.repeats else 19

    def encode(self, ranks_a: IntArray, ranks_b: IntArray) -> IntArray:
        """Return the pattern codes of pairs of hands of any ranks, both of shape (k, n)."""
        codes = np.zeros(len(ranks_a), np.int64)
        for rank in np.unique(np.concatenate((ranks_a.ravel(), ranks_b.ravel()))):
            held_a = np.count_nonzero(ranks_a == rank, axis=1)
            held_b = np.count_nonzero(ranks_b == rank, axis=1)
            tied = np.minimum(np.minimum(held_a, held_b), 1)
            for symbol, count in (
                (3, tied),
                (1, np.where(tied, 0, held_a)),
                (2, np.where(tied, 0, held_b)),
                (4, np.where(tied, held_a - 1, 0)),
                (5, np.where(tied, held_b - 1, 0)),
            ):
                if symbol <= self.base:
                    codes = self._append(codes, symbol, count)
        return codes

    def decode(self, codes: IntArray, cards: int) -> tuple[IntArray, IntArray]:
        """Return the hands with the smallest ranks 0, 1, ... that have these codes."""
        codes = np.array(codes, np.int64)
        ranks = _no_ranks(len(codes), cards)
        missing = (np.full(len(codes), cards), np.full(len(codes), cards))
        level = np.zeros(len(codes), np.int64)  # counts down from the highest rank
        while np.any(codes):
            symbol = np.where(codes > 0, (codes - 1) % self.base + 1, 0)
            codes = (codes - symbol) // self.base
            level -= np.isin(symbol, (1, 2, 3))
            joined = np.isin(symbol, (4, 5))
            for player, symbols in enumerate(((1, 3, 4), (2, 3, 5))):
                rows = np.flatnonzero(np.isin(symbol, symbols))
                missing[player][rows] -= 1
                # A joined card has the rank of the tie met next, one level further down.
                ranks[player][rows, missing[player][rows]] = level[rows] - joined[rows]
        return ranks[0] - level[:, None], ranks[1] - level[:, None]

    def mirror(self, codes: IntArray, cards: int) -> IntArray:
        """Return the codes of the hands with the players swapped, of any shape."""
        return _mirror_by_decoding(self, codes, cards) if self.repeats else mirrored(codes)

    def _append(self, codes: IntArray, symbol: int, count: IntArray) -> IntArray:
        """Return codes with `symbol` written `count` times behind each."""
        power = self.base ** np.arange(count.max(initial=0) + 1)
        repeated = symbol * ((power[count] - 1) // (self.base - 1))
        return np.asarray(codes * power[count] + repeated, np.int64)


@dataclass(frozen=True)
class RawHands:
    """Names pairs of hands by the hands themselves: the pattern reduction switched off.

    Parameters
    ----------
    hand_a, hand_b : tuple of int
        The hands at the start, which bound how often a rank can occur.
    """

    hand_a: tuple[int, ...]
    hand_b: tuple[int, ...]

    def _radices(self) -> list[tuple[int, int, int]]:
        """Return (player, rank, how often it can be held + 1) for every digit, lowest first."""
        return [
            (player, rank, hand.count(rank) + 1)
            for player, hand in enumerate((self.hand_a, self.hand_b))
            for rank in sorted(set(hand))
        ]

    def encode(self, ranks_a: IntArray, ranks_b: IntArray) -> IntArray:
        """Return a mixed-radix number of how often each player holds each rank."""
        codes = np.zeros(len(ranks_a), np.int64)
        for player, rank, radix in reversed(self._radices()):
            held = np.count_nonzero((ranks_a, ranks_b)[player] == rank, axis=1)
            codes = codes * radix + held
        return codes

    def decode(self, codes: IntArray, cards: int) -> tuple[IntArray, IntArray]:
        """Return the hands with these codes."""
        codes = np.array(codes, np.int64)
        ranks = _no_ranks(len(codes), cards)
        filled = (np.zeros(len(codes), np.int64), np.zeros(len(codes), np.int64))
        for player, rank, radix in self._radices():
            codes, held = np.divmod(codes, radix)
            for copy in range(radix - 1):
                rows = np.flatnonzero(held > copy)
                ranks[player][rows, filled[player][rows]] = rank
                filled[player][rows] += 1
        return ranks

    def mirror(self, codes: IntArray, cards: int) -> IntArray:
        """Return the codes of the hands swapped, if both players were dealt the same."""
        return _mirror_by_decoding(self, codes, cards)


def mirrored(codes: IntArray) -> IntArray:
    """Return the patterns with the players swapped, for hands that repeat no rank.

    Symbols 1 and 2 change places; nothing else does.
    """
    rest = np.array(codes, np.int64)
    result = np.zeros_like(rest)
    place = np.ones_like(rest)
    while np.any(rest):
        symbol = np.where(rest > 0, (rest - 1) % 3 + 1, 0)
        rest = (rest - symbol) // 3
        result += np.where(symbol == 3, 3, (3 - symbol) % 3) * place
        place *= 3
    return result


def _mirror_by_decoding(hands: HandCodes, codes: IntArray, cards: int) -> IntArray:
    distinct, where = np.unique(codes, return_inverse=True)
    ranks_a, ranks_b = hands.decode(distinct, cards)
    return hands.encode(ranks_b, ranks_a)[where].reshape(codes.shape)


def _no_ranks(pairs: int, cards: int) -> tuple[IntArray, IntArray]:
    return np.zeros((pairs, cards), np.int64), np.zeros((pairs, cards), np.int64)


def comparisons(ranks_a: IntArray, ranks_b: IntArray) -> npt.NDArray[np.int8]:
    """Return the sign of A's card minus B's for every pair of cards, shape (k, n, n)."""
    return np.asarray(np.sign(ranks_a[:, :, None] - ranks_b[:, None, :]), np.int8)


def children(codes: HandCodes, ranks_a: IntArray, ranks_b: IntArray) -> IntArray:
    """Return the code of the hands left after A bids card i and B card j, shape (k, n, n)."""
    k, n = ranks_a.shape
    left = np.zeros((k, n, n), np.int64)
    without = np.array([[j for j in range(n) if j != i] for i in range(n)], np.int64)
    rest_b = ranks_b[:, without.reshape(n, n - 1)].reshape(k * n, n - 1)
    for i in range(n):
        rest_a = np.repeat(ranks_a[:, without[i]], n, axis=0)
        left[:, i, :] = codes.encode(rest_a, rest_b).reshape(k, n)
    return left
