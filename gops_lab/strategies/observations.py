"""What a player sees, many times over: stage games from the player's own side.

Whoever sits in seat B sees the table turned round: the own hand first, the lead with its sign
changed. A strategy therefore never needs to know in which seat it sits.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from gops_lab.encoding import Encoder, StateBatch
from gops_lab.encoding.card_sets import BoolArray
from gops_lab.encoding.patterns import IntArray
from gops_lab.game import Rules, State
from gops_lab.game.state import side_of

Probabilities = npt.NDArray[Any]
"""float64, or object holding `Fraction` where exact arithmetic was asked for."""


@dataclass(frozen=True, eq=False)
class Observations:
    """Stage games as one player sees them; k of them.

    Attributes
    ----------
    encoder : Encoder
        Of the rules from the player's side: ``hand_a`` is the player's own.
    batch : StateBatch
        The states from the player's side, each with an upcard; ``lead`` is the player's own.
    exact : bool
        Whether probabilities should be `Fraction`.

    Examples
    --------
    >>> rules = Rules(hand_a=(1, 2), hand_b=(3, 4), prizes=(1, 2))
    >>> state = State((1, 2), (3, 4), (1,), upcard=2, lead=5)
    >>> seen = observe(Encoder(rules), Encoder(rules).encode([state]), player="b")
    >>> seen.states()
    [State(hand_a=(3, 4), hand_b=(1, 2), prizes=(1,), upcard=2, carried=0, lead=-5)]
    """

    encoder: Encoder
    batch: StateBatch
    exact: bool = False

    def __len__(self) -> int:
        return len(self.batch)

    def __getitem__(self, rows: npt.NDArray[Any] | slice) -> Observations:
        """Return those of the rows chosen by a mask, positions or a slice."""
        return Observations(self.encoder, self.batch[rows], self.exact)

    @property
    def rules(self) -> Rules:
        """The rules from the player's side."""
        return self.encoder.rules

    @property
    def ranks(self) -> IntArray:
        """The distinct ranks of the player's first hand, ascending: what columns stand for."""
        return self.encoder.hands[0].distinct

    @cached_property
    def held(self) -> IntArray:
        """How many cards of each rank the player holds, shape (k, number of ranks)."""
        return self.encoder.hands[0].counts(self.batch.hand_a)

    @cached_property
    def legal(self) -> BoolArray:
        """Which ranks the player holds, shape (k, number of ranks)."""
        return self.held > 0

    @property
    def stake(self) -> IntArray:
        """Upcard and carried prizes together; points."""
        return self.batch.stake

    def states(self) -> list[State]:
        """Return the states, from the player's side."""
        return self.encoder.decode(self.batch)

    def state(self, row: int) -> State:
        """Return one of the states, from the player's side."""
        return self[np.array([row])].states()[0]

    # What strategies answer with

    def shares(self, weights: IntArray) -> Probabilities:
        """Return the distributions in proportion to weights, shape (k, number of ranks).

        Parameters
        ----------
        weights : array of int, shape (k, number of ranks)
            Not negative; at least one above 0 in each row.
        """
        total = weights.sum(axis=1)
        if not self.exact:
            return np.asarray(weights / total[:, None])
        return exact_quotients(weights, np.broadcast_to(total[:, None], weights.shape))

    def one(self, columns: IntArray) -> Probabilities:
        """Return the distributions that put everything on one rank each.

        Parameters
        ----------
        columns : array of int, shape (k,)
            Positions in `ranks`.
        """
        result = np.zeros((len(self), len(self.ranks)), np.float64)
        result[np.arange(len(self)), columns] = 1.0
        return result.astype(np.int64).astype(object) if self.exact else result

    def nearest(self, numerator: IntArray, denominator: IntArray | int = 1) -> Probabilities:
        """Return the pure bids nearest to a target, of two equally near ones the lower.

        Parameters
        ----------
        numerator, denominator : array of int, shape (k,)
            The target is their quotient; the denominator is above 0.
        """
        denominator = np.broadcast_to(np.asarray(denominator, np.int64), (len(self),))
        distance = np.abs(self.ranks * denominator[:, None] - numerator[:, None])
        return self.one(np.where(self.legal, distance, np.iinfo(np.int64).max).argmin(axis=1))


def observe(
    encoder: Encoder, batch: StateBatch, player: str = "a", exact: bool = False
) -> Observations:
    """Return what a player sees at stage games of these rules.

    Parameters
    ----------
    encoder : Encoder
    batch : StateBatch
        Seen from A's side, as always.
    player : {"a", "b"}
    exact : bool
        Whether the player should answer in fractions.
    """
    if side_of(player) == 0:
        return Observations(encoder, batch, exact)
    return Observations(encoder.swapped, encoder.swap(batch), exact)


def exact_quotients(numerators: npt.NDArray[Any], denominators: npt.NDArray[Any]) -> Probabilities:
    """Return quotients of integers as an object array of `Fraction` (of 0 where it is 0)."""
    result = np.empty(numerators.shape, object)
    flat: Sequence[Any] = [
        Fraction(int(n), int(d)) if n else 0
        for n, d in zip(numerators.ravel(), denominators.ravel(), strict=True)
    ]
    result.ravel()[:] = flat
    return result


def in_hand_order(
    answer: npt.NDArray[Any], legal: BoolArray, nothing: float = 0.0
) -> npt.NDArray[Any]:
    """Return the columns of the ranks held, pushed to the left.

    Parameters
    ----------
    answer : array, shape (k, number of ranks)
    legal : array of bool, shape (k, number of ranks)
        Which ranks are held.
    nothing : float
        Stands behind them.

    Returns
    -------
    array, shape (k, most ranks held)
    """
    most = int(legal.sum(axis=1).max(initial=0))
    result = np.full((len(answer), most), nothing, answer.dtype)
    place = np.cumsum(legal, axis=1) - 1
    rows, columns = np.nonzero(legal)
    result[rows, place[rows, columns]] = answer[rows, columns]
    return result
