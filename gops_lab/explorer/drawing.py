"""What chance decides on a line of play: the next exposure, and the bids of optimal strategies."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random

from gops_lab.errors import StateError
from gops_lab.explorer.views import BidView, StateView


def drawn_upcard(seen: StateView, random: Random) -> int:
    """Return a prize that can be exposed next, drawn with its chance.

    Parameters
    ----------
    seen : StateView
    random : random.Random

    Raises
    ------
    StateError
        If none can: one is exposed already, or no round is left.

    Examples
    --------
    >>> import gops_lab as gl
    >>> seen = gl.explorer.view(gl.solve(gl.Rules(cards=2, order="descending")))
    >>> drawn_upcard(seen, Random(0))
    2
    """
    if not seen.upcards:
        raise StateError(f"no prize can be exposed at {seen.state}")
    prizes, chances = zip(*seen.upcards, strict=True)
    return int(random.choices(prizes, [float(chance) for chance in chances])[0])


def drawn_bid(bids: Sequence[BidView], random: Random) -> int:
    """Return a bid drawn from a player's optimal strategy.

    Parameters
    ----------
    bids : sequence of BidView
        All of that player's, with their probabilities: ``a`` or ``b`` of a `StageView`.
    random : random.Random

    Examples
    --------
    >>> bids = (BidView(1, 0.0, 0.0, 0.0, 0.5), BidView(2, 1.0, 1.0, 1.0, 0.0))
    >>> drawn_bid(bids, Random(0))
    2
    """
    chances = [max(float(bid.probability), 0.0) for bid in bids]
    return random.choices([bid.bid for bid in bids], chances)[0]
