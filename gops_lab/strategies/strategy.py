"""What a strategy is, and the check that every answer of one goes through."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import Any

import numpy as np
import pandas as pd

from gops_lab.encoding import Encoder
from gops_lab.errors import StrategyError
from gops_lab.game import Rules, State
from gops_lab.strategies.observations import Observations, Probabilities, observe

EVERYTHING = frozenset({"ranks", "opponent", "prizes", "upcard", "carried", "lead"})
"""All that a strategy can look at besides its own hand. Without ``"ranks"`` it looks at cards only
through comparisons of both hands: replacing the ranks by others in the same order changes
nothing."""

SUM_TOLERANCE = 1e-9
"""How far probabilities may sum from 1, or be below 0; they are cleaned up then."""


class Strategy:
    """A Markov strategy: what a player sees to a distribution over the player's hand.

    A subclass has a `name` and answers either for one state (`distribution`) or, faster, for many
    (`probabilities`); each is made of the other if it is missing. It never gets hold of its
    opponent, never draws a card itself and keeps no memory of earlier rounds: equal observations
    must get equal answers.

    Attributes
    ----------
    name : str
        What results call it, its parameters included: different strategies, different names.
    sees : frozenset of str
        What the answer depends on besides the own hand, a part of `EVERYTHING`. Saying less than
        everything makes exact evaluation faster; `check_strategy` tests that it is true.
    kernel : tuple of int or None
        How the compiled simulation plays it, see `gops_lab.strategies.simple`; None: it cannot.

    Examples
    --------
    >>> class SecondLowest(Strategy):
    ...     name = "second-lowest"
    ...     def distribution(self, rules, state):
    ...         return {sorted(state.hand_a)[:2][-1]: 1.0}
    >>> SecondLowest().distribution(Rules(cards=3), State((1, 3), (1, 2), (2,), upcard=3))
    {3: 1.0}
    """

    name: str = "unnamed"
    sees: frozenset[str] = EVERYTHING
    kernel: tuple[int, int] | None = None

    def __repr__(self) -> str:
        return f"<Strategy {self.name}>"

    def distribution(self, rules: Rules, state: State) -> Mapping[int, Any]:
        """Return the probability of each bid at one state.

        Parameters
        ----------
        rules : Rules
            From the player's side: ``hand_a`` is the player's own.
        state : State
            With an upcard, from the player's side: ``hand_a`` and ``lead`` are the player's own.

        Returns
        -------
        mapping of int to float or Fraction
            Bid to probability; bids left out have probability 0.
        """
        if type(self).probabilities is Strategy.probabilities:
            raise NotImplementedError(
                f"{type(self).__name__} must define distribution or probabilities"
            )
        encoder = Encoder(rules)
        row = checked(self, Observations(encoder, encoder.encode([state])))[0]
        ranks = encoder.hands[0].distinct
        whole = zip(ranks.tolist(), row.tolist(), strict=True)
        return {rank: p for rank, p in whole if rank in state.hand_a}

    def probabilities(self, seen: Observations) -> Probabilities:
        """Return the probability of each bid at k states.

        Returns
        -------
        array, shape (k, number of ranks)
            Columns as ``seen.ranks``; each row sums to 1 and is 0 where a rank is not held.
            float64, or object holding `Fraction` if ``seen.exact``.
        """
        if type(self).distribution is Strategy.distribution:
            raise NotImplementedError(
                f"{type(self).__name__} must define distribution or probabilities"
            )
        column = {int(rank): i for i, rank in enumerate(seen.ranks)}
        result = np.zeros((len(seen), len(column)), object if seen.exact else np.float64)
        for row, state in enumerate(seen.states()):
            for bid, probability in dict(self.distribution(seen.rules, state)).items():
                if bid not in column:
                    raise StrategyError(
                        f"strategy {self.name!r} gives probability {probability} to bid {bid!r}, "
                        f"which is not in the hand, at {state} (own hand first)"
                    )
                result[row, column[bid]] = Fraction(probability) if seen.exact else probability
        return result


class FunctionStrategy(Strategy):
    """A strategy from a plain function of one state.

    Parameters
    ----------
    function : callable
        ``(rules, state) -> {bid: probability}``, both from the player's side.
    name : str
        What results call it.

    Examples
    --------
    >>> always_highest = FunctionStrategy(lambda rules, state: {max(state.hand_a): 1}, "high")
    >>> distribution(always_highest, Rules(cards=2), State((1, 2), (1, 2), (1,), upcard=2))
    bid
    1    0.0
    2    1.0
    Name: probability, dtype: float64
    """

    def __init__(self, function: Callable[[Rules, State], Mapping[int, Any]], name: str) -> None:
        self._function = function
        self.name = name

    def distribution(self, rules: Rules, state: State) -> Mapping[int, Any]:
        """Return what the function returns."""
        return self._function(rules, state)


def distribution(
    strategy: Strategy, rules: Rules, state: State, player: str = "a", exact: bool = False
) -> pd.Series[Any]:
    """Return what a strategy does at one state, checked.

    Parameters
    ----------
    strategy : Strategy
    rules : Rules
    state : State
        With an upcard; seen from A's side, whoever is asked.
    player : {"a", "b"}
        In which seat the strategy sits.
    exact : bool
        Whether to answer in fractions.

    Returns
    -------
    Series
        Index bid, each rank in the player's hand; values its probability.

    Raises
    ------
    StateError
        If the state does not fit the rules.
    StrategyError
        If the strategy's answer is no distribution over the hand.
    """
    encoder = Encoder(rules)
    seen = observe(encoder, encoder.encode([state]), player, exact)
    row = checked(strategy, seen)[0]
    held = seen.legal[0]
    index = pd.Index(seen.ranks[held].tolist(), name="bid")
    return pd.Series(list(row[held]), index, name="probability", dtype=object if exact else float)


def checked(strategy: Strategy, seen: Observations) -> Probabilities:
    """Return a strategy's answer, if it is distributions over the hands.

    Raises
    ------
    StrategyError
        Naming the strategy and the first state where it goes wrong: a wrong shape, a NaN, a
        probability below 0, a card that is not in the hand, a sum that is not 1.
    """
    answer = np.asarray(strategy.probabilities(seen))
    wanted = (len(seen), len(seen.ranks))
    if answer.shape != wanted:
        where = f"; the first is {seen.state(0)}" if len(seen) else ""
        raise StrategyError(
            f"strategy {strategy.name!r} returned probabilities of shape {answer.shape} for "
            f"{len(seen)} states and the ranks {seen.ranks.tolist()}: {wanted} is needed{where}"
        )
    if answer.dtype.kind not in "biufO":
        raise StrategyError(
            f"strategy {strategy.name!r} returned {answer.dtype} where numbers are needed"
        )
    numbers = answer.astype(np.float64)
    total = numbers @ np.ones(wanted[1])
    # Whole arrays first, for speed; written so that NaN fails as well.
    fine = len(seen) == 0 or (
        numbers.min() >= -SUM_TOLERANCE
        and np.abs(total - 1).max() <= SUM_TOLERANCE
        and not ((numbers != 0) & ~seen.legal).any()
    )
    if not fine:
        good = (numbers >= -SUM_TOLERANCE).all(axis=1) & (np.abs(total - 1) <= SUM_TOLERANCE)
        row = int(np.argmin(good & ~((numbers != 0) & ~seen.legal).any(axis=1)))
        raise StrategyError(
            f"strategy {strategy.name!r} {_complaint(seen, numbers[row], row)}, at "
            f"{seen.state(row)} (own hand first)"
        )
    if seen.exact:
        if answer.dtype != object:
            answer = np.vectorize(Fraction, otypes=[object])(answer)
        return answer
    if len(seen) and numbers.min() < 0:
        numbers = np.maximum(numbers, 0.0)
    return numbers


def _complaint(seen: Observations, row: Any, where: int) -> str:
    for rank, p, legal in zip(seen.ranks.tolist(), row.tolist(), seen.legal[where], strict=True):
        if np.isnan(p):
            return f"gives probability nan to bid {rank}"
        if p < -SUM_TOLERANCE:
            return f"gives a negative probability, {p}, to bid {rank}"
        if p != 0 and not legal:
            return f"gives probability {p} to bid {rank}, which is not in the hand"
    return f"gives probabilities that sum to {row.sum()}, not 1"
