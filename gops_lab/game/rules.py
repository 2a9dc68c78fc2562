"""The rules of one game of GOPS: what is dealt, what a tie does, who takes a stake.

This is the one place where a rule is decided. :data:`TIE_RULES` says what becomes of a tied stake
and :func:`settle` who scores what in a round; the encoder, the sweep and the explorer all ask here.
A new tie rule is one more entry in :data:`TIE_RULES`.
"""

from __future__ import annotations

from collections.abc import Iterable, Set
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np

from gops_lab.errors import ArgumentError, RulesError
from gops_lab.game import checks
from gops_lab.game.checks import MAX_CARDS

MAX_PRIZE = 10**9
"""Largest absolute value of a prize; sums of 62 of them stay far inside 2**53."""


class TieRule(NamedTuple):
    """What becomes of a stake on which both players bid the same rank."""

    carried: int
    """1 if the stake stays on the table for the next round, else 0."""
    share: Fraction
    """The part of the stake that each player scores."""


TIE_RULES: dict[str, TieRule] = {
    "carry": TieRule(carried=1, share=Fraction(0)),
    "discard": TieRule(carried=0, share=Fraction(0)),
    "split": TieRule(carried=0, share=Fraction(1, 2)),
}

NAMED_ORDERS = ("random", "ascending", "descending")

NEGATIVE_STAKES = ("high_bid", "low_bid")


@dataclass(frozen=True, init=False)
class Rules:
    """The rules of one game.

    Parameters
    ----------
    cards : int, optional
        Cards in each hand. Hands and prizes not given are the ranks ``1 .. cards``.
    hand_a, hand_b : sequence of int, optional
        Ranks each player starts with, 0 or more, repeats allowed, the same number for both.
    prizes : sequence of int, optional
        The prizes, any integers, at least as many as rounds. Default ``1 .. cards``, or the
        prizes of `order` where that is a sequence.
    ties : {"carry", "discard", "split"}
        What becomes of the stake on equal bids: it stays on the table for the next round (and goes
        to nobody after the last), it is removed unscored, or each player scores half.
    order : {"random", "ascending", "descending"} or sequence of int
        The order in which the prizes are exposed: a uniform shuffle of which only the upcard is
        seen, or a sequence both players know from the start.
    negative_stakes : {"high_bid", "low_bid"}
        Who takes a stake below zero; the sign of the whole stake decides.
    rounds : int, optional
        Rounds played; default as many as cards in a hand. Prizes left over stay hidden, cards left
        over are worth nothing.

    Raises
    ------
    RulesError
        If the parameters describe no game; the message names the rule and the value given.

    Examples
    --------
    >>> Rules(cards=3)
    Rules(cards=3, ties='carry')
    >>> Rules(hand_a=(2, 4, 6), hand_b=(1, 3, 5), prizes=(-1, 3, 4), ties="discard")
    Rules(hand_a=(2, 4, 6), hand_b=(1, 3, 5), prizes=(-1, 3, 4), ties='discard')
    """

    hand_a: tuple[int, ...]
    hand_b: tuple[int, ...]
    prizes: tuple[int, ...]
    ties: str
    order: str | tuple[int, ...]
    negative_stakes: str
    rounds: int

    def __init__(
        self,
        cards: int | None = None,
        hand_a: Iterable[int] | None = None,
        hand_b: Iterable[int] | None = None,
        prizes: Iterable[int] | None = None,
        ties: str = "carry",
        order: str | Iterable[int] = "random",
        negative_stakes: str = "high_bid",
        rounds: int | None = None,
    ) -> None:
        hands = {
            name: _ranks(name, hand)
            for name, hand in (("hand_a", hand_a), ("hand_b", hand_b))
            if hand is not None
        }
        if cards is not None:
            cards = checks.integer("cards", cards, 1, MAX_CARDS, RulesError)
            for name, hand in hands.items():
                if len(hand) != cards:
                    raise RulesError(f"{name} holds {len(hand)} cards, but cards={cards}")
        elif hands:
            cards = len(next(iter(hands.values())))
        else:
            raise RulesError("cards is missing: give cards, or hand_a and hand_b")
        default = tuple(range(1, cards + 1))
        set_field = object.__setattr__
        set_field(self, "hand_a", hands.get("hand_a", default))
        set_field(self, "hand_b", hands.get("hand_b", default))
        if len(self.hand_a) != len(self.hand_b):
            raise RulesError(
                f"hand_a holds {len(self.hand_a)} cards and hand_b {len(self.hand_b)}; "
                "both players must hold the same number"
            )
        set_field(self, "ties", _choice("ties", ties, tuple(TIE_RULES)))
        set_field(
            self,
            "negative_stakes",
            _choice("negative_stakes", negative_stakes, NEGATIVE_STAKES),
        )
        if isinstance(order, Set):
            raise RulesError(f"order must be a sequence of the prizes; {order!r} has no order")
        sequence = None if isinstance(order, str) else _prizes("order", order)
        if sequence is None:
            _choice("order", order, NAMED_ORDERS, "a sequence of the prizes")
        if prizes is not None:
            set_field(self, "prizes", tuple(sorted(_prizes("prizes", prizes))))
        else:
            set_field(self, "prizes", default if sequence is None else tuple(sorted(sequence)))
        if sequence is not None and tuple(sorted(sequence)) != self.prizes:
            raise RulesError(
                f"order {sequence} is not an arrangement of the prizes {self.prizes}"
            )
        set_field(self, "order", order if sequence is None else sequence)
        if rounds is None:
            rounds = cards
        most = " (the cards in a hand)"
        rounds = checks.integer("rounds", rounds, 1, cards, RulesError, most)
        set_field(self, "rounds", rounds)
        if len(self.prizes) < self.rounds:
            raise RulesError(
                f"{len(self.prizes)} prizes are too few for {self.rounds} rounds; "
                "give more prizes or fewer rounds"
            )

    @property
    def cards(self) -> int:
        """Cards in each hand at the start."""
        return len(self.hand_a)

    @property
    def known_order(self) -> tuple[int, ...] | None:
        """The prizes in the order of play if both players know it, else None."""
        if isinstance(self.order, tuple):
            return self.order
        if self.order == "random":
            return None
        return self.prizes if self.order == "ascending" else self.prizes[::-1]

    @property
    def tie_rule(self) -> TieRule:
        """What becomes of a tied stake."""
        return TIE_RULES[self.ties]

    def as_dict(self) -> dict[str, Any]:
        """Return all rules as plain values that JSON can hold; ``Rules(**d)`` gives them back."""
        return {
            "hand_a": list(self.hand_a),
            "hand_b": list(self.hand_b),
            "prizes": list(self.prizes),
            "ties": self.ties,
            "order": self.order if isinstance(self.order, str) else list(self.order),
            "negative_stakes": self.negative_stakes,
            "rounds": self.rounds,
        }

    def __repr__(self) -> str:
        default = tuple(range(1, self.cards + 1))
        parts: list[str] = []
        if self.hand_a == self.hand_b == default:
            parts.append(f"cards={self.cards}")
        else:
            parts += [f"hand_a={self.hand_a}", f"hand_b={self.hand_b}"]
        if self.prizes != default and self.prizes != tuple(sorted(self.order)):
            parts.append(f"prizes={self.prizes}")
        parts.append(f"ties={self.ties!r}")
        if self.order != "random":
            parts.append(f"order={self.order!r}")
        if self.negative_stakes != "high_bid":
            parts.append(f"negative_stakes={self.negative_stakes!r}")
        if self.rounds != self.cards:
            parts.append(f"rounds={self.rounds}")
        return f"Rules({', '.join(parts)})"


def as_rules(rules: object) -> Rules:
    """Return `rules` if they are rules, or raise `ArgumentError`."""
    return checks.instance("rules", rules, Rules, ArgumentError)


def settle(rules: Rules, stake: Any, comparison: Any) -> tuple[Any, Any, Any]:
    """Return what A scores, what B scores and what stays on the table after one round.

    Parameters
    ----------
    rules : Rules
        Decide ties and negative stakes.
    stake : int or array of int
        Upcard and carried prizes together.
    comparison : int or array of int
        Positive where A bid the higher rank, negative where B did, 0 where they tied.

    Returns
    -------
    gain_a, gain_b, carried : number or array
        Points; the three add up to the stake unless it was discarded. Numbers give exact numbers
        (a `Fraction` for half an odd stake), arrays give arrays.

    Examples
    --------
    >>> settle(Rules(cards=13), 13, -1)
    (0, 13, 0)
    >>> settle(Rules(cards=13), 8, 0)
    (0, 0, 8)
    """
    tie = rules.tie_rule
    comparison = np.sign(comparison)
    if rules.negative_stakes == "low_bid":
        comparison = np.where(np.less(stake, 0), -comparison, comparison)
    tied = comparison == 0
    if np.ndim(stake) == 0 and np.ndim(comparison) == 0:
        if tied:
            share = tie.share * stake
            share = share.numerator if share.denominator == 1 else share
            return share, share, tie.carried * stake
        return (stake, 0, 0) if comparison > 0 else (0, stake, 0)
    share_of_tie = np.where(tied, stake, 0) * (float(tie.share) if tie.share else 0)
    return (
        np.where(comparison > 0, stake, share_of_tie),
        np.where(comparison < 0, stake, share_of_tie),
        np.where(tied, stake, 0) * tie.carried,
    )


def lead_change(rules: Rules, stake: Any, comparison: Any) -> tuple[Any, Any]:
    """Return how A's lead changes in a round, and what stays on the table; integers, always.

    The same as :func:`settle`, with the two gains taken together: a stake that is split changes no
    lead. Arrays broadcast.

    Examples
    --------
    >>> lead_change(Rules(cards=3, ties="split"), np.array([3, 3]), np.array([1, 0]))
    (array([3, 0]), array([0, 0]))
    """
    gain_a, gain_b, carried = settle(rules, stake, comparison)
    change = gain_a - gain_b
    if isinstance(change, np.ndarray):
        return change.astype(np.int64), carried
    return int(change), carried


def _ranks(name: str, values: Any) -> tuple[int, ...]:
    return tuple(sorted(_some(name, checks.cards(name, values, 0, MAX_PRIZE, RulesError))))


def _prizes(name: str, values: Any) -> tuple[int, ...]:
    return _some(name, checks.cards(name, values, -MAX_PRIZE, MAX_PRIZE, RulesError))


def _some(name: str, cards: tuple[int, ...]) -> tuple[int, ...]:
    if not cards:
        raise RulesError(f"{name} is empty; at least one card is needed")
    return cards


def _choice(name: str, value: Any, accepted: tuple[str, ...], other: str = "") -> str:
    if not isinstance(value, str) or value not in accepted:
        names = ", ".join(repr(choice) for choice in accepted)
        if other:
            names += f" or {other}"
        raise RulesError(f"{name} must be one of {names}, not {value!r}")
    return str(value)
