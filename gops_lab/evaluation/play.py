"""One block of games between two strategies, from given random numbers.

Simple bidders are played by a compiled loop over games; other strategies are asked round by round,
for all games at once, with compiled rounds in between. `compiled=False` plays everything through
the encoder; the games are the same.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from gops_lab.encoding import Encoder, StateBatch
from gops_lab.encoding.patterns import IntArray
from gops_lab.evaluation.play_kernel import (
    expose_prizes,
    play_games,
    settle_rounds,
    spend_cards,
)
from gops_lab.game import Rules, settle
from gops_lab.strategies import Strategy, observe
from gops_lab.strategies.draw import drawn
from gops_lab.strategies.strategy import checked

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Draws:
    """Uniform random numbers in [0, 1) for a block of games, each of shape (games, rounds)."""

    prizes: Floats
    a: Floats
    b: Floats


@dataclass(frozen=True, eq=False)
class Played:
    """What came of a block of games; arrays of shape (games,)."""

    lead: IntArray
    """A's final points minus B's, the lead at the start included."""
    points_a: Floats
    points_b: Floats
    tied: IntArray
    """How many rounds were tied."""
    unclaimed: Floats
    """Points exposed that nobody has won."""


def play_block(
    encoder: Encoder, a: Strategy, b: Strategy, draws: Draws, lead: IntArray | None = None,
    compiled: bool = True,
) -> Played:
    """Play one game for each row of the draws.

    Parameters
    ----------
    encoder : Encoder
        Of the rules.
    a, b : Strategy
        In seat A and in seat B.
    draws : Draws
    lead : array of int, optional
        A's lead when each game begins; default 0.
    compiled : bool
        Whether compiled loops may be used; for testing.
    """
    games = len(draws.prizes)
    start = np.zeros(games, np.int64) if lead is None else lead
    if compiled and a.kernel is not None and b.kernel is not None:
        rules = encoder.rules
        final, points = start.copy(), np.zeros((games, 2))
        tied, unclaimed = np.zeros(games, np.int64), np.zeros(games, np.int64)
        play_games(
            np.array(rules.hand_a), np.array(rules.hand_b), encoder.prizes.cards,
            rules.known_order is not None, rules.rounds, *_settling(rules),
            *a.kernel, *b.kernel, draws.prizes, draws.a, draws.b,
            final, points, tied, unclaimed,
        )
        return Played(final, points[:, 0], points[:, 1], tied, unclaimed.astype(np.float64))
    play = _play_in_rounds if compiled else _play_through_encoder
    return play(encoder, a, b, draws, start)


def _play_in_rounds(
    encoder: Encoder, a: Strategy, b: Strategy, draws: Draws, lead: IntArray
) -> Played:
    rules = encoder.rules
    games = len(draws.prizes)
    begun = encoder.start(games)
    hands = (begun.hand_a.copy(), begun.hand_b.copy())
    prizes, upcards, carried = begun.prizes.copy(), begun.upcard.copy(), begun.carried.copy()
    exposed, tied, points = np.zeros_like(prizes), np.zeros_like(prizes), np.zeros((games, 2))
    final = lead.copy()
    everywhere = np.ones(games, np.bool_)
    for number in range(rules.rounds):
        expose_prizes(
            prizes, encoder.prizes.cards, rules.known_order is not None, draws.prizes, number,
            upcards,
        )
        batch = StateBatch(hands[0], hands[1], prizes, upcards, everywhere, carried, final)
        bids = []
        for player, strategy, numbers in (("a", a, draws.a), ("b", b, draws.b)):
            seen = observe(encoder, batch, player)
            bids.append(seen.ranks[drawn(checked(strategy, seen), numbers[:, number])])
        for side in (0, 1):
            spend_cards(hands[side], encoder.hands[side].cards, bids[side])
        settle_rounds(
            bids[0], bids[1], upcards, *_settling(rules), carried, final, points, tied, exposed,
        )
    return Played(final, points[:, 0], points[:, 1], tied, exposed - points[:, 0] - points[:, 1])


def _settling(rules: Rules) -> tuple[int, float, bool]:
    """Return what compiled loops must know of `gops_lab.game.settle`: ties, negative stakes."""
    tie = rules.tie_rule
    return tie.carried, float(tie.share), rules.negative_stakes == "low_bid"


def _play_through_encoder(
    encoder: Encoder, a: Strategy, b: Strategy, draws: Draws, lead: IntArray
) -> Played:
    games = len(draws.prizes)
    batch = replace(encoder.start(games), lead=lead.copy())
    points = [np.zeros(games), np.zeros(games)]
    tied = np.zeros(games, np.int64)
    exposed = np.zeros(games)
    for number in range(encoder.rules.rounds):
        possible = encoder.possible_upcards(batch)
        batch = encoder.expose(batch, drawn(possible, draws.prizes[:, number]))
        exposed += batch.upcard
        bids: list[IntArray] = []
        for player, strategy, numbers in (("a", a, draws.a), ("b", b, draws.b)):
            seen = observe(encoder, batch, player)
            bids.append(seen.ranks[drawn(checked(strategy, seen), numbers[:, number])])
        comparison = np.sign(bids[0] - bids[1])
        tied += comparison == 0
        gains = settle(encoder.rules, batch.stake, comparison)
        points[0] += gains[0]
        points[1] += gains[1]
        batch = encoder.resolve_round(batch, bids[0], bids[1])
    return Played(batch.lead, points[0], points[1], tied, exposed - points[0] - points[1])
