"""Rules of thumb: strategies that a person can follow at the table."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from gops_lab.errors import StrategyError
from gops_lab.game import checks
from gops_lab.strategies.observations import Observations, Probabilities
from gops_lab.strategies.strategy import Strategy

# Each of them says in `kernel` how the compiled simulation plays it: a kind and a number.
UNIFORM, NEAREST_PRIZE, NEAREST_STAKE, HIGHEST, LOWEST = range(5)

MOST_PLUS = 10**9


@dataclass(frozen=True, repr=False)
class Uniform(Strategy):
    """Every card in the hand with the same probability.

    In print: "plays his cards at random" (S. M. Ross, Goofspiel -- the game of pure strategy,
    J. Appl. Prob. 8 (1971) 621-625); ``uniform_random`` in OpenSpiel.

    Examples
    --------
    >>> from gops_lab.game import Rules, State
    >>> Uniform().distribution(Rules(cards=3), State((1, 3), (1, 2), (2,), upcard=3))
    {1: 0.5, 3: 0.5}
    """

    name = "uniform"
    sees = frozenset()
    kernel = (UNIFORM, 0)

    def probabilities(self, seen: Observations) -> Probabilities:
        """Return the distributions; see `Strategy.probabilities`."""
        return seen.shares(seen.held)


@dataclass(frozen=True, repr=False)
class MatchPrize(Strategy):
    """Bid the rank of the prize (plus `plus`), else the nearest card held, of two the lower.

    In print: the strategy that is optimal against a uniform opponent (S. M. Ross 1971); "matching"
    (G. C. Rhoads, L. Bartholdi, Computer solution to the game of pure strategy, Games 3 (2012)
    150-156).

    Parameters
    ----------
    plus : int
        Added to the prize: 1 bids just above it.

    Raises
    ------
    StrategyError
        If `plus` is not an integer between -1,000,000,000 and 1,000,000,000.

    Examples
    --------
    >>> from gops_lab.game import Rules, State
    >>> MatchPrize().distribution(Rules(cards=3), State((1, 3), (1, 2), (3,), upcard=2))
    {1: 1.0, 3: 0.0}
    """

    plus: int = 0
    sees = frozenset({"ranks", "upcard"})

    def __post_init__(self) -> None:
        checks.integer("plus", self.plus, -MOST_PLUS, MOST_PLUS, StrategyError)

    @property
    def name(self) -> str:  # type: ignore[override]
        """``match``, or ``prize+1`` and the like."""
        return f"prize{self.plus:+d}" if self.plus else "match"

    @property
    def kernel(self) -> tuple[int, int]:  # type: ignore[override]
        """How the compiled simulation plays it."""
        return (NEAREST_PRIZE, self.plus)

    def probabilities(self, seen: Observations) -> Probabilities:
        """Return the distributions; see `Strategy.probabilities`."""
        return seen.nearest(seen.batch.upcard + self.plus)


@dataclass(frozen=True, repr=False)
class MatchStake(Strategy):
    """Bid the rank of the whole stake, carried prizes included, else the nearest card held.

    The same as `MatchPrize` where ties do not carry over. In print under no name that we know.

    Examples
    --------
    >>> from gops_lab.game import Rules, State
    >>> state = State((1, 3), (1, 2), (3,), upcard=2, carried=1)
    >>> MatchStake().distribution(Rules(cards=3), state)
    {1: 0.0, 3: 1.0}
    """

    name = "stake"
    sees = frozenset({"ranks", "upcard", "carried"})
    kernel = (NEAREST_STAKE, 0)

    def probabilities(self, seen: Observations) -> Probabilities:
        """Return the distributions; see `Strategy.probabilities`."""
        return seen.nearest(seen.stake)


@dataclass(frozen=True, repr=False)
class Highest(Strategy):
    """Always the highest card held.

    In print: "highest first", the order in which a hand is then played, whatever comes.

    Examples
    --------
    >>> from gops_lab.game import Rules, State
    >>> Highest().distribution(Rules(cards=3), State((1, 3), (1, 2), (2,), upcard=3))
    {1: 0.0, 3: 1.0}
    """

    name = "highest"
    sees = frozenset()
    kernel = (HIGHEST, 0)

    def probabilities(self, seen: Observations) -> Probabilities:
        """Return the distributions; see `Strategy.probabilities`."""
        return seen.one(len(seen.ranks) - 1 - seen.legal[:, ::-1].argmax(axis=1))


@dataclass(frozen=True, repr=False)
class Lowest(Strategy):
    """Always the lowest card held.

    In print: "lowest first".

    Examples
    --------
    >>> from gops_lab.game import Rules, State
    >>> Lowest().distribution(Rules(cards=3), State((1, 3), (1, 2), (2,), upcard=3))
    {1: 1.0, 3: 0.0}
    """

    name = "lowest"
    sees = frozenset()
    kernel = (LOWEST, 0)

    def probabilities(self, seen: Observations) -> Probabilities:
        """Return the distributions; see `Strategy.probabilities`."""
        return seen.one(seen.legal.argmax(axis=1))


@dataclass(frozen=True, repr=False)
class Proportional(Strategy):
    """Spend the hand in proportion to the stake.

    The target is the sum of the ranks held times the stake's share of all points still to come,
    the stake included; bid the card nearest to it, of two the lower. Where no points are to come,
    or fewer than none, the lowest card. In print under no name that we know.

    Examples
    --------
    Three of the five points left are at stake, and the hand sums to 5.

    >>> from gops_lab.game import Rules, State
    >>> Proportional().distribution(Rules(cards=3), State((1, 3), (1, 2), (2,), upcard=3))
    {1: 0.0, 3: 1.0}
    """

    name = "proportional"
    sees = frozenset({"ranks", "prizes", "upcard", "carried"})

    def probabilities(self, seen: Observations) -> Probabilities:
        """Return the distributions; see `Strategy.probabilities`."""
        prizes = seen.encoder.prizes
        to_come = prizes.counts(seen.batch.prizes) @ prizes.distinct + seen.stake
        hand = seen.held @ seen.ranks
        something = to_come > 0
        target = np.where(something, seen.stake * hand, np.int64(-1))
        return seen.nearest(target, np.where(something, to_come, 1))


_OF_KIND: dict[int, Callable[[int], Strategy]] = {
    UNIFORM: lambda plus: Uniform(),
    NEAREST_PRIZE: MatchPrize,
    NEAREST_STAKE: lambda plus: MatchStake(),
    HIGHEST: lambda plus: Highest(),
    LOWEST: lambda plus: Lowest(),
}


def of_kernel(strategy: Strategy) -> Strategy | None:
    """Return the simple bidder that the compiled simulation plays for a strategy, if any.

    Raises
    ------
    StrategyError
        If the strategy has a kernel that the simulation does not know.

    Examples
    --------
    >>> of_kernel(MatchPrize(2)).name, of_kernel(Proportional())
    ('prize+2', None)
    """
    kernel = strategy.kernel
    if kernel is None:
        return None
    whole = isinstance(kernel, tuple) and [*map(checks.as_integer, kernel)] == list(kernel)
    if not whole or len(kernel) != 2 or kernel[0] not in _OF_KIND:
        raise StrategyError(
            f"strategy {strategy.name!r} has kernel {kernel!r}; it must be None, or a kind between "
            f"{min(_OF_KIND)} and {max(_OF_KIND)} and an integer"
        )
    return _OF_KIND[kernel[0]](kernel[1])
