"""What a strategy is, and the check that every answer of one goes through."""

from __future__ import annotations

import reprlib
from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import Any

import numpy as np
import pandas as pd

from gops_lab.encoding import Encoder
from gops_lab.errors import StateError, StrategyError
from gops_lab.game import Rules, State
from gops_lab.strategies.observations import Observations, Probabilities, observe

EVERYTHING = frozenset({"ranks", "opponent", "prizes", "upcard", "carried", "lead"})
"""All that a strategy can look at besides its own hand. Without ``"ranks"`` it looks at cards only
through comparisons of both hands: replacing the ranks by others in the same order changes
nothing."""

SUM_TOLERANCE = 1e-9
"""How far probabilities may sum from 1, or be below 0; they are cleaned up then."""

SUM_ROUNDING = 1e-14
"""How far floats that sum to 1 may sum from 1: 62 of them, each with its rounding."""

ANSWERS = ("distribution", "probabilities")
DECLARED = ("name", "sees", "kernel")


class Strategy:
    """A Markov strategy: what a player sees to a distribution over the player's hand.

    A subclass has a `name` and answers either for one state (`distribution`) or, faster, for many
    (`probabilities`); each is made of the other if it is missing. It never gets hold of its
    opponent, never draws a card itself and keeps no memory of earlier rounds: equal observations
    must get equal answers. What a class declares below holds for its own answers only: a subclass
    that answers anew declares anew, or has what is written here.

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

    def __init_subclass__(cls, **arguments: Any) -> None:
        super().__init_subclass__(**arguments)
        depth = {
            attribute: next(i for i, base in enumerate(cls.__mro__) if attribute in vars(base))
            for attribute in (*ANSWERS, *DECLARED)
        }
        anew = min(depth[answer] for answer in ANSWERS)
        outdated = [declared for declared in DECLARED if depth[declared] > anew]
        if depth["probabilities"] > depth["distribution"]:
            outdated.append("probabilities")
        for attribute in outdated:
            setattr(cls, attribute, vars(Strategy)[attribute])

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
                f"{type(self).__name__} must define distribution or probabilities, "
                "and not ask for the other there"
            )
        seen = _seen(rules, state)
        whole = zip(seen.ranks.tolist(), checked(self, seen)[0].tolist(), strict=True)
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
                f"{type(self).__name__} must define distribution or probabilities, "
                "and not ask for the other there"
            )
        column = {int(rank): i for i, rank in enumerate(seen.ranks)}
        result = np.zeros((len(seen), len(column)), object if seen.exact else np.float64)
        for row, state in enumerate(seen.states()):
            answer = self.distribution(seen.rules, state)
            if not isinstance(answer, Mapping | pd.Series):
                raise StrategyError(
                    f"strategy {self.name!r} answers {reprlib.repr(answer)}, not a mapping of bids "
                    f"to probabilities,{_at(seen, row)}"
                )
            for bid, probability in answer.items():
                if bid not in column:
                    raise StrategyError(
                        f"strategy {self.name!r} gives probability {reprlib.repr(probability)} to "
                        f"bid {bid!r}, which is not in the hand,{_at(seen, row)}"
                    )
                result[row, column[bid]] = _number(self, seen, row, bid, probability)
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
        If the state does not fit the rules, or has no upcard.
    StrategyError
        If the strategy's answer is no distribution over the hand.
    """
    seen = _seen(rules, state, player, exact)
    row = checked(strategy, seen)[0]
    held = seen.legal[0]
    index = pd.Index(seen.ranks[held].tolist(), name="bid")
    return pd.Series(list(row[held]), index, name="probability", dtype=object if exact else float)


def as_strategy(strategy: object) -> Strategy:
    """Return `strategy` if it is one.

    Raises
    ------
    StrategyError
        If it is not.
    """
    if not isinstance(strategy, Strategy):
        raise StrategyError(
            f"a strategy must be a gops_lab.strategies.Strategy, not {strategy!r}; a name is read "
            "by strategy_named(name, rules), a function wrapped by FunctionStrategy(function, name)"
        )
    return strategy


def checked(strategy: Strategy, seen: Observations) -> Probabilities:
    """Return a strategy's answer, if it is distributions over the hands.

    Probabilities below 0 or sums beside 1 by no more than `SUM_TOLERANCE` are put right: each row
    of the result sums to 1, of fractions exactly.

    Raises
    ------
    StrategyError
        Naming the strategy and the first state where it goes wrong: a wrong shape, something that
        is no number, a probability below 0, a card that is not in the hand, a sum that is not 1.
    """
    answer = _as_numbers(as_strategy(strategy), seen, strategy.probabilities(seen))
    if not len(seen):
        return answer
    with np.errstate(invalid="ignore"):  # infinity minus infinity, which is refused below
        total = answer @ np.ones(answer.shape[1], answer.dtype)
        beside = np.abs(total - 1)
    # Whole arrays first, for speed; written so that NaN fails as well.
    least = answer.min()
    if not (
        least >= -SUM_TOLERANCE
        and beside.max() <= SUM_TOLERANCE
        and not ((answer != 0) & ~seen.legal).any()
    ):
        good = (answer >= -SUM_TOLERANCE).all(axis=1) & (beside <= SUM_TOLERANCE)
        row = int(np.argmin(good & ~((answer != 0) & ~seen.legal).any(axis=1)))
        raise StrategyError(
            f"strategy {strategy.name!r} {_complaint(seen, answer[row], row)},{_at(seen, row)}"
        )
    rounding = 0 if seen.exact else SUM_ROUNDING
    if least < 0 or beside.max() > rounding:
        rows = (answer < 0).any(axis=1) | (beside > rounding)
        clipped = np.maximum(answer[rows], 0)
        nothing: Any = Fraction(0) if seen.exact else 0.0
        answer[rows] = clipped / clipped.sum(axis=1, keepdims=True, initial=nothing)
    return answer


def _as_numbers(strategy: Strategy, seen: Observations, answer: object) -> Probabilities:
    """Return a new array of floats, or of fractions if they are asked for."""
    wanted = (len(seen), len(seen.ranks))
    try:
        array = np.asarray(answer)
        shape = f"probabilities of shape {array.shape}"
    except ValueError:
        array, shape = np.empty(()), "rows of different lengths"
    if array.shape != wanted:
        where = f";{_at(seen, 0)}" if len(seen) else ""
        raise StrategyError(
            f"strategy {strategy.name!r} returned {shape} for {len(seen)} states and the ranks "
            f"{seen.ranks.tolist()}: {wanted} is needed{where}"
        )
    if array.dtype.kind in "biuf" and not seen.exact:
        return array.astype(np.float64)
    numbers = np.empty(wanted, object if seen.exact else np.float64)
    for (row, column), value in np.ndenumerate(array.astype(object)):
        numbers[row, column] = _number(strategy, seen, row, int(seen.ranks[column]), value)
    return numbers


def _number(strategy: Strategy, seen: Observations, row: int, bid: int, value: Any) -> Any:
    """Return one probability as a float, or as a fraction (or int) if they are asked for."""
    number = value.item() if isinstance(value, np.generic) else value
    try:
        if isinstance(number, str | bytes):
            raise TypeError  # which Python would read as numbers
        if not seen.exact:
            return float(number)
        return number if type(number) in (int, Fraction) else Fraction(number)
    except (TypeError, ValueError, OverflowError):
        raise StrategyError(
            f"strategy {strategy.name!r} gives probability {reprlib.repr(number)} to bid {bid}, "
            f"where a finite number is needed,{_at(seen, row)}"
        ) from None


def _seen(
    rules: Rules, state: State, player: str = "a", exact: bool = False
) -> Observations:
    encoder = Encoder(rules)
    seen = observe(encoder, encoder.encode([state]), player, exact)
    if state.upcard is None:
        raise StateError(f"a strategy bids on an upcard, and {state} has none")
    return seen


def _at(seen: Observations, row: int) -> str:
    return f" at {seen.state(row)} (own hand first)"


def _complaint(seen: Observations, row: Any, where: int) -> str:
    for rank, p, legal in zip(seen.ranks.tolist(), row.tolist(), seen.legal[where], strict=True):
        if p != p:
            return f"gives probability nan to bid {rank}"
        if p < -SUM_TOLERANCE:
            return f"gives a negative probability, {p}, to bid {rank}"
        if p != 0 and not legal:
            return f"gives probability {p} to bid {rank}, which is not in the hand"
    return f"gives probabilities that sum to {row.sum()}, not 1"
