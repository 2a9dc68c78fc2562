"""Many games between simple bidders, compiled.

The same games as `gops_lab.evaluation.play` plays through the encoder, from the same random
numbers; a test compares the two game by game. The loop holds no lock on the interpreter.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from gops_lab.compiling import compiled, inlined
from gops_lab.strategies.simple import HIGHEST, LOWEST, NEAREST_STAKE, UNIFORM

Floats = npt.NDArray[np.float64]
Integers = npt.NDArray[np.int64]


@compiled
def play_games(
    hand_a: Integers, hand_b: Integers, prizes: Integers, known_order: bool, rounds: int,
    carries: int, share: float, low_takes_negative: bool,
    kind_a: int, plus_a: int, kind_b: int, plus_b: int,
    prize_draws: Floats, draws_a: Floats, draws_b: Floats,
    lead: Integers, points: Floats, tied: Integers, unclaimed: Integers,
) -> None:
    """Play one game for each row of the draws; fill the last four arrays.

    Parameters
    ----------
    hand_a, hand_b : array of int64
        Sorted ranks.
    prizes : array of int64
        In the order of play where `known_order`, else sorted.
    carries, share : int, float
        What a tie does, as in `gops_lab.game.rules.TieRule`.
    kind_a, plus_a, kind_b, plus_b : int
        How the players bid, as in `gops_lab.strategies.simple`.
    prize_draws, draws_a, draws_b : array, shape (games, rounds)
        Uniform random numbers in [0, 1).
    lead : array of int64, shape (games,)
        A's final points minus B's are added to it.
    points : array of float64, shape (games, 2)
        What both have won.
    tied, unclaimed : array of int64, shape (games,)
        Tied rounds; points exposed that nobody has won (half points do not occur there).
    """
    left_a = np.empty(len(hand_a), np.int64)
    left_b = np.empty(len(hand_b), np.int64)
    deck = np.empty(len(prizes), np.int64)
    for game in range(len(prize_draws)):
        for i in range(len(hand_a)):
            left_a[i] = hand_a[i]
            left_b[i] = hand_b[i]
        for i in range(len(prizes)):
            deck[i] = prizes[i]
        held = len(hand_a)
        hidden = len(prizes)
        carried = 0
        exposed = 0
        change = 0
        won_a = 0.0
        won_b = 0.0
        ties = 0
        for number in range(rounds):
            place = 0 if known_order else int(prize_draws[game, number] * hidden)
            upcard = deck[place]
            hidden -= 1
            for i in range(place, hidden):
                deck[i] = deck[i + 1]
            exposed += upcard
            stake = upcard + carried
            at_a = _bid(left_a, held, kind_a, plus_a, upcard, stake, draws_a[game, number])
            at_b = _bid(left_b, held, kind_b, plus_b, upcard, stake, draws_b[game, number])
            bid_a = left_a[at_a]
            bid_b = left_b[at_b]
            held -= 1
            for i in range(at_a, held):
                left_a[i] = left_a[i + 1]
            for i in range(at_b, held):
                left_b[i] = left_b[i + 1]
            gain_a, gain_b, carried = _settled(
                bid_a, bid_b, stake, carries, share, low_takes_negative
            )
            ties += bid_a == bid_b
            won_a += gain_a
            won_b += gain_b
            change += int(gain_a - gain_b)
        lead[game] += change
        points[game, 0] = won_a
        points[game, 1] = won_b
        tied[game] = ties
        unclaimed[game] = exposed - int(won_a + won_b)


@inlined
def _settled(
    bid_a: int, bid_b: int, stake: int, carries: int, share: float, low_takes_negative: bool
) -> tuple[float, float, int]:
    """Return what `gops_lab.game.settle` does, for one round."""
    if bid_a == bid_b:
        return share * stake, share * stake, carries * stake
    if (bid_a > bid_b) != (low_takes_negative and stake < 0):
        return float(stake), 0.0, 0
    return 0.0, float(stake), 0


@inlined
def _bid(
    hand: Integers, held: int, kind: int, plus: int, upcard: int, stake: int, draw: float
) -> Any:
    """Return the position of the card bid."""
    if kind == UNIFORM:
        return int(draw * held)
    if kind == LOWEST:
        return 0
    if kind == HIGHEST:
        return held - 1
    target = stake if kind == NEAREST_STAKE else upcard + plus
    best = 0
    for i in range(1, held):
        if abs(hand[i] - target) < abs(hand[best] - target):
            best = i
    return best


@compiled
def expose_prizes(
    prizes: Integers, cards: Integers, known_order: bool, draws: Floats, number: int,
    upcards: Integers,
) -> None:
    """Take one hidden prize out of each mask and put it into `upcards`.

    Bit i of a mask is card i of `cards`; of equal cards the highest bit goes first, as in
    `gops_lab.encoding.CardSets`.
    """
    count = len(cards)
    for game in range(len(prizes)):
        mask = prizes[game]
        hidden = 0
        for i in range(count):
            hidden += (mask >> i) & 1
        place = 0 if known_order else min(int(draws[game, number] * hidden), hidden - 1)
        at = 0
        while (mask >> at) & 1 == 0 or place > 0:
            place -= (mask >> at) & 1
            at += 1
        upcards[game] = cards[at]
        if not known_order:
            while at + 1 < count and (mask >> (at + 1)) & 1 and cards[at + 1] == cards[at]:
                at += 1
        prizes[game] = mask & ~(1 << at)


@compiled
def spend_cards(
    hands: Integers, cards: Integers, bids: Integers
) -> None:
    """Take each bid, a rank that is held, out of the hand's mask."""
    for game in range(len(hands)):
        at = len(cards) - 1
        while cards[at] != bids[game] or (hands[game] >> at) & 1 == 0:
            at -= 1
        hands[game] &= ~(1 << at)


@compiled
def settle_rounds(
    bids_a: Integers, bids_b: Integers, upcards: Integers, carries: int, share: float,
    low_takes_negative: bool,
    carried: Integers, lead: Integers, points: Floats, tied: Integers, exposed: Integers,
) -> None:
    """Score one round of every game; the last five arrays are brought up to date."""
    for game in range(len(bids_a)):
        stake = upcards[game] + carried[game]
        exposed[game] += upcards[game]
        gain_a, gain_b, carried[game] = _settled(
            bids_a[game], bids_b[game], stake, carries, share, low_takes_negative
        )
        tied[game] += bids_a[game] == bids_b[game]
        points[game, 0] += gain_a
        points[game, 1] += gain_b
        lead[game] += int(gain_a - gain_b)
