"""Strategies made of other strategies."""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

import numpy as np

from gops_lab.errors import StrategyError
from gops_lab.game import checks
from gops_lab.strategies.observations import Observations, Probabilities
from gops_lab.strategies.simple import Uniform
from gops_lab.strategies.strategy import Strategy, as_strategy, checked


@dataclass(frozen=True, repr=False)
class Mixture(Strategy):
    """At every state: with probability `weight` as the first strategy says, else as the second.

    The choice is made afresh at every state (a behaviour mixture), not once for the whole game.

    Parameters
    ----------
    weight : float or Fraction
        Between 0 and 1.
    first, second : Strategy

    Raises
    ------
    StrategyError
        If the weight is not between 0 and 1, or one of the two is no strategy.

    Examples
    --------
    >>> from gops_lab.game import Rules, State
    >>> from gops_lab.strategies.simple import Highest, Lowest
    >>> state = State((1, 3), (1, 2), (2,), upcard=3)
    >>> Mixture(0.25, Highest(), Lowest()).distribution(Rules(cards=3), state)
    {1: 0.75, 3: 0.25}
    """

    weight: float | Fraction
    first: Strategy
    second: Strategy

    def __post_init__(self) -> None:
        checks.number("weight", self.weight, 0, 1, StrategyError)
        as_strategy(self.first)
        as_strategy(self.second)

    @property
    def name(self) -> str:  # type: ignore[override]
        """``mix:weight:first:second``."""
        return f"mix:{self.weight}:{self.first.name}:{self.second.name}"

    @property
    def sees(self) -> frozenset[str]:  # type: ignore[override]
        """What either of the two looks at."""
        return self.first.sees | self.second.sees

    def probabilities(self, seen: Observations) -> Probabilities:
        """Return the distributions; see `Strategy.probabilities`."""
        weight: Any = Fraction(self.weight) if seen.exact else float(self.weight)
        first, second = checked(self.first, seen), checked(self.second, seen)
        return np.asarray(weight * first + (1 - weight) * second)


@dataclass(frozen=True, repr=False)
class EpsilonGreedy(Mixture):
    """A strategy that, with probability epsilon, bids any card it holds instead.

    Parameters
    ----------
    weight : float or Fraction
        Epsilon, between 0 and 1.
    first : Strategy
        What is done otherwise.
    second : Strategy
        What is done with probability epsilon; uniform.

    Examples
    --------
    >>> from gops_lab.game import Rules, State
    >>> from gops_lab.strategies.simple import Highest
    >>> state = State((1, 3), (1, 2), (2,), upcard=3)
    >>> EpsilonGreedy(0.5, Highest()).distribution(Rules(cards=3), state)
    {1: 0.25, 3: 0.75}
    """

    second: Strategy = field(default_factory=Uniform)
    sees = Mixture.sees

    @property
    def name(self) -> str:  # type: ignore[override]
        """``epsilon:weight:first``."""
        return f"epsilon:{self.weight}:{self.first.name}"

    def probabilities(self, seen: Observations) -> Probabilities:
        """Return the distributions; see `Strategy.probabilities`."""
        return Mixture(1 - self.weight, self.first, self.second).probabilities(seen)
