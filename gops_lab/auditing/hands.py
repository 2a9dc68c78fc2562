"""Pairs of hands as the integers that stand for them in a folder."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Protocol

import numpy as np
import numpy.typing as npt

from gops_lab.game.rules import Rules

Hand = tuple[int, ...]


class HandCodes(Protocol):
    """How a folder writes a pair of hands."""

    def encode(self, hand_a: Hand, hand_b: Hand) -> int:
        """Return the code of two sorted hands."""

    def decode(self, code: int) -> tuple[Hand, Hand]:
        """Return two sorted hands that have a code."""


class PatternCodes:
    """Only the order of the cards counts: one symbol for each rank, see the format.

    Parameters
    ----------
    base : int
        3, or 5 where a hand holds a rank twice.

    Examples
    --------
    >>> codes = PatternCodes(3)
    >>> codes.encode((1, 3), (2, 3)), codes.decode(18)
    (18, ((1, 3), (2, 3)))
    """

    def __init__(self, base: int) -> None:
        self.base = base

    def encode(self, hand_a: Hand, hand_b: Hand) -> int:
        """Return the code of two sorted hands."""
        code = 0
        for rank in sorted({*hand_a, *hand_b}):
            of_a, of_b = hand_a.count(rank), hand_b.count(rank)
            if of_a and of_b:
                symbols = [3] + [4] * (of_a - 1) + [5] * (of_b - 1)
            else:
                symbols = [1] * of_a + [2] * of_b
            for symbol in symbols:
                code = code * self.base + symbol
        return code

    def decode(self, code: int) -> tuple[Hand, Hand]:
        """Return two sorted hands with a code, ranks from 1."""
        word: list[int] = []
        while code > 0:
            word.append((code - 1) % self.base + 1)
            code = (code - word[-1]) // self.base
        hand_a: list[int] = []
        hand_b: list[int] = []
        rank = 0
        for symbol in reversed(word):
            rank += symbol < 4
            if symbol in (1, 3, 4):
                hand_a.append(rank)
            if symbol in (2, 3, 5):
                hand_b.append(rank)
        return tuple(hand_a), tuple(hand_b)


class CardCodes:
    """The cards themselves count: how often each rank is held, as the digits of a number.

    Parameters
    ----------
    hand_a, hand_b : tuple of int
        The hands that the game starts with.

    Examples
    --------
    >>> codes = CardCodes((1, 2, 2), (1, 4, 5))
    >>> codes.encode((2, 2), (1, 5)), codes.decode(34)
    (34, ((2, 2), (1, 5)))
    """

    def __init__(self, hand_a: Hand, hand_b: Hand) -> None:
        self._ranks = [
            (side, rank, hand.count(rank))
            for side, hand in enumerate((hand_a, hand_b))
            for rank in sorted(set(hand))
        ]

    def encode(self, hand_a: Hand, hand_b: Hand) -> int:
        """Return the code of two sorted hands."""
        code = 0
        for side, rank, most in reversed(self._ranks):
            code = code * (most + 1) + (hand_a, hand_b)[side].count(rank)
        return code

    def decode(self, code: int) -> tuple[Hand, Hand]:
        """Return the two sorted hands that have a code."""
        hands: tuple[list[int], list[int]] = ([], [])
        for side, rank, most in self._ranks:
            code, held = divmod(code, most + 1)
            hands[side].extend([rank] * held)
        return tuple(hands[0]), tuple(hands[1])


def codes_of(game: Rules, patterns: bool) -> HandCodes:
    """Return how a folder of this game writes pairs of hands."""
    if not patterns:
        return CardCodes(game.hand_a, game.hand_b)
    repeated = any(len(set(hand)) < game.cards for hand in (game.hand_a, game.hand_b))
    return PatternCodes(5 if repeated else 3)


def mirror(codes: HandCodes, code: int) -> int:
    """Return the code of a pair of hands with the players swapped."""
    hand_a, hand_b = codes.decode(code)
    return codes.encode(hand_b, hand_a)


def is_pair(codes: HandCodes, code: int, cards: int) -> bool:
    """Whether a number is the code of two hands of that many cards."""
    if code <= 0:
        return False
    hand_a, hand_b = codes.decode(code)
    return len(hand_a) == len(hand_b) == cards and codes.encode(hand_a, hand_b) == code


def words(codes: npt.NDArray[np.int64]) -> tuple[npt.NDArray[np.int64], ...]:
    """Return the cards of A and B and the mirror of every pattern without repeated ranks.

    All at once, for tiers of a hundred thousand patterns. Arrays of the shape of `codes`.
    """
    rest = np.array(codes, np.int64)
    of_a, of_b, swapped = (np.zeros_like(rest) for _ in range(3))
    weight = 1
    while np.any(rest > 0):
        symbol = np.where(rest > 0, (rest - 1) % 3 + 1, 0)
        rest = (rest - symbol) // 3
        of_a += (symbol == 1) | (symbol == 3)
        of_b += (symbol == 2) | (symbol == 3)
        swapped += weight * np.array([0, 2, 1, 3])[symbol]
        weight *= 3
    return of_a, of_b, swapped


def patterns_below(
    above: dict[int, int], codes: PatternCodes, carry: bool, swap: bool
) -> dict[int, int]:
    """Return the patterns one round below, each with the most prizes that can be carried there.

    Of two mirrored patterns that with the smaller code, if `swap`.
    """
    below: dict[int, int] = {}
    for code, most in above.items():
        hand_a, hand_b = codes.decode(code)
        for left_a, bid_a in _bids(hand_a):
            for left_b, bid_b in _bids(hand_b):
                after = codes.encode(left_a, left_b)
                if swap:
                    after = min(after, codes.encode(left_b, left_a))
                carried = most + 1 if carry and bid_a == bid_b else 0
                below[after] = max(below.get(after, 0), carried)
    return below


def _bids(hand: Hand) -> Iterable[tuple[Hand, int]]:
    return [(hand[:i] + hand[i + 1 :], bid) for i, bid in enumerate(hand)]
