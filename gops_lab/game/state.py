"""A state of the game and the pure transitions between states.

``State`` is a record; the functions below take rules and a state and return a new state, a legal
one or an error. Nothing here is fast: arrays of states are the business of `gops_lab.encoding`.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any, NamedTuple

from gops_lab.errors import IllegalBidError, StateError
from gops_lab.game import checks
from gops_lab.game.checks import as_integer, missing_cards
from gops_lab.game.rules import Rules, lead_change, settle

MAX_POINTS = 2**53
"""Largest absolute lead or carried sum: beyond it float64 no longer holds every integer."""


@dataclass(frozen=True)
class State:
    """What both players see between two rounds, or once the next prize is exposed.

    Parameters
    ----------
    hand_a, hand_b : sequence of int
        Ranks still held; kept sorted.
    prizes : sequence of int
        Prizes still hidden, the upcard not among them; in the order of play where it is known.
    upcard : int or None
        The prize now exposed; None before the next exposure.
    carried : int
        Points held over from tied rounds, the upcard not among them.
    lead : int
        A's points so far minus B's.

    Raises
    ------
    StateError
        If a field is not made of integers. Whether a state fits the rules is for `check_state`.

    Examples
    --------
    >>> State(hand_a=(3, 1), hand_b=(2, 3), prizes=(2,), upcard=3, lead=1)
    State(hand_a=(1, 3), hand_b=(2, 3), prizes=(2,), upcard=3, carried=0, lead=1)
    """

    hand_a: tuple[int, ...]
    hand_b: tuple[int, ...]
    prizes: tuple[int, ...]
    upcard: int | None = None
    carried: int = 0
    lead: int = 0

    def __post_init__(self) -> None:
        set_field = object.__setattr__
        for name in ("hand_a", "hand_b", "prizes"):
            cards = checks.cards(name, getattr(self, name), -MAX_POINTS, MAX_POINTS, StateError)
            set_field(self, name, cards if name == "prizes" else tuple(sorted(cards)))
        if self.upcard is not None:
            set_field(self, "upcard", _integer("upcard", self.upcard))
        set_field(self, "carried", _integer("carried", self.carried))
        set_field(self, "lead", _integer("lead", self.lead))

    @property
    def stake(self) -> int:
        """What this round's winner takes: upcard and carried prizes.

        Raises
        ------
        StateError
            Before the next exposure, when there is no stake yet.
        """
        if self.upcard is None:
            raise StateError("the state has no upcard yet, so there is no stake")
        return self.upcard + self.carried

    @property
    def tier(self) -> int:
        """Cards in each hand."""
        return len(self.hand_a)

    def as_dict(self) -> dict[str, Any]:
        """Return all fields as plain values that JSON can hold; ``State(**d)`` gives them back."""
        return {
            "hand_a": list(self.hand_a),
            "hand_b": list(self.hand_b),
            "prizes": list(self.prizes),
            "upcard": self.upcard,
            "carried": self.carried,
            "lead": self.lead,
        }


class Round(NamedTuple):
    """What one round gave: points for each player (half points where a stake is split)."""

    upcard: int
    bid_a: int
    bid_b: int
    stake: int
    gain_a: int | Fraction
    gain_b: int | Fraction
    carried: int
    """Points that stay on the table for the next round."""


def start(rules: Rules) -> State:
    """Return the state before the first exposure.

    Examples
    --------
    >>> start(Rules(cards=2))
    State(hand_a=(1, 2), hand_b=(1, 2), prizes=(1, 2), upcard=None, carried=0, lead=0)
    """
    return State(rules.hand_a, rules.hand_b, rules.known_order or rules.prizes)


def rounds_left(rules: Rules, state: State) -> int:
    """Return how many rounds are still to be played, the current one included."""
    return rules.rounds - (rules.cards - state.tier)


def rules_left(rules: Rules, state: State) -> Rules:
    """Return the rules of the game that is left at a state, the carried sum and lead left out.

    Examples
    --------
    >>> rules_left(Rules(cards=9), State((1, 3), (2, 9), (4,), upcard=6))
    Rules(hand_a=(1, 3), hand_b=(2, 9), prizes=(4, 6), ties='carry')
    """
    prizes = state.prizes if state.upcard is None else (state.upcard, *state.prizes)
    return Rules(
        hand_a=state.hand_a,
        hand_b=state.hand_b,
        prizes=prizes,
        ties=rules.ties,
        order="random" if rules.known_order is None else prizes,
        negative_stakes=rules.negative_stakes,
        rounds=rounds_left(rules, state),
    )


def check_state(rules: Rules, state: State) -> State:
    """Return `state` with its prizes in order, if the rules allow it.

    Every state whose cards the rules hold is allowed, reachable by sensible play or not, with any
    lead and carried sum.

    Raises
    ------
    StateError
        If a card is not in the rules, hands differ in size, or the prizes cannot be those left.

    Examples
    --------
    >>> check_state(Rules(cards=3), State((1, 2), (1, 2), (3, 1)))
    State(hand_a=(1, 2), hand_b=(1, 2), prizes=(1, 3), upcard=None, carried=0, lead=0)
    >>> check_state(Rules(cards=3), State((1, 2), (1, 4), (3, 1)))
    Traceback (most recent call last):
    ...
    gops_lab.errors.StateError: hand_b (1, 4) holds 4, which is not in the rules' {1, 2, 3}
    """
    if not isinstance(state, State):
        raise StateError(f"a State is needed, not {state!r}")
    for name in ("hand_a", "hand_b"):
        _check_held(name, getattr(state, name), getattr(rules, name))
    if len(state.hand_a) != len(state.hand_b):
        raise StateError(
            f"hand_a holds {len(state.hand_a)} cards and hand_b {len(state.hand_b)}; "
            "both players must hold the same number"
        )
    played = rules.cards - state.tier
    left = rules.rounds - played
    if left < 0:
        raise StateError(
            f"{state.tier} cards in each hand mean {played} rounds played; "
            f"the rules have {rules.rounds} rounds"
        )
    if state.upcard is not None:
        if left == 0:
            raise StateError(f"upcard {state.upcard} is exposed, but no round is left to play")
        _check_held("upcard", (state.upcard,), rules.prizes)
        extra = missing_cards((*state.prizes, state.upcard), rules.prizes)
        if state.upcard in extra:
            raise StateError(
                f"upcard {state.upcard} is exposed and cannot also be hidden in prizes "
                f"{state.prizes}"
            )
    _check_held("prizes", state.prizes, rules.prizes)
    hidden = len(rules.prizes) - played - (state.upcard is not None)
    if len(state.prizes) != hidden:
        few = "few" if len(state.prizes) < hidden else "many"
        an = "no" if state.upcard is None else "an"
        raise StateError(
            f"{len(state.prizes)} hidden prizes {state.prizes} are too {few} for {left} rounds "
            f"left with {an} upcard; {hidden} must be hidden"
        )
    return replace(state, prizes=_ordered(rules, state, played))


def upcards(rules: Rules, state: State) -> dict[int, Fraction]:
    """Return the prizes that can be exposed next, each with its probability.

    Empty when no round is left.

    Examples
    --------
    >>> upcards(Rules(cards=2, prizes=(1, 1, 4)), State((1, 2), (1, 2), (1, 1, 4)))
    {1: Fraction(2, 3), 4: Fraction(1, 3)}
    """
    state = _before_exposure(check_state(rules, state))
    if rounds_left(rules, state) == 0:
        return {}
    if rules.known_order is not None:
        return {state.prizes[0]: Fraction(1)}
    count = len(state.prizes)
    return {
        prize: Fraction(state.prizes.count(prize), count) for prize in sorted(set(state.prizes))
    }


def expose(rules: Rules, state: State, upcard: int) -> State:
    """Return the state after `upcard` has been exposed.

    Raises
    ------
    StateError
        If that prize cannot come next.
    """
    possible = upcards(rules, state)
    if as_integer(upcard) not in possible:
        raise StateError(
            f"prize {upcard!r} cannot be exposed next; it must be one of {sorted(possible)}"
        )
    prizes = list(check_state(rules, state).prizes)
    prizes.remove(upcard)
    return replace(state, prizes=tuple(prizes), upcard=upcard)


def play_round(rules: Rules, state: State, bid_a: int, bid_b: int) -> tuple[Round, State]:
    """Return what a round gives and the state after it, before the next exposure.

    Raises
    ------
    IllegalBidError
        If a player does not hold the card bid.
    StateError
        If no upcard is exposed or the state does not fit the rules.

    Examples
    --------
    Tied on 8 with nines, then 5 comes: a 7 against an 11 gives B thirteen points.

    >>> rules = Rules(cards=13)
    >>> state = expose(rules, start(rules), 8)
    >>> tied, state = play_round(rules, state, 9, 9)
    >>> taken, state = play_round(rules, expose(rules, state, 5), 7, 11)
    >>> tied.carried, taken.gain_a, taken.gain_b, state.lead
    (8, 0, 13, -13)
    """
    state = check_state(rules, state)
    stake = state.stake
    bids = []
    for player, bid, hand in (("A", bid_a, state.hand_a), ("B", bid_b, state.hand_b)):
        number = as_integer(bid)
        if number is None or number not in hand:
            held = ", ".join(map(str, hand))
            raise IllegalBidError(f"bid {bid!r} is not in {player}'s hand {{{held}}}")
        bids.append(number)
    bid_a, bid_b = bids
    comparison = (bid_a > bid_b) - (bid_a < bid_b)
    gain_a, gain_b, carried = settle(rules, stake, comparison)
    change, _ = lead_change(rules, stake, comparison)
    assert state.upcard is not None  # for the type checker: `state.stake` has refused it
    result = Round(state.upcard, bid_a, bid_b, stake, gain_a, gain_b, carried)
    after = State(
        _without(state.hand_a, bid_a),
        _without(state.hand_b, bid_b),
        state.prizes,
        None,
        carried,
        state.lead + change,
    )
    return result, after


def resolve_round(rules: Rules, state: State, bid_a: int, bid_b: int) -> State:
    """Return the state after both bids, before the next exposure; see `play_round`."""
    return play_round(rules, state, bid_a, bid_b)[1]


def side_of(player: str) -> int:
    """Return 0 for player "a" and 1 for player "b"."""
    if player not in ("a", "b"):
        raise StateError(f"player must be 'a' or 'b', not {player!r}")
    return "ab".index(player)


def _without(hand: tuple[int, ...], bid: int) -> tuple[int, ...]:
    position = hand.index(bid)
    return hand[:position] + hand[position + 1 :]


def _before_exposure(state: State) -> State:
    if state.upcard is not None:
        raise StateError(f"upcard {state.upcard} is exposed already; both players must bid first")
    return state


def _check_held(name: str, cards: tuple[int, ...], allowed: tuple[int, ...]) -> None:
    extra = missing_cards(cards, allowed)
    if extra:
        held = "{" + ", ".join(map(str, allowed)) + "}"
        shown = str(cards[0]) if name == "upcard" else f"{cards} holds {extra[0]}, which"
        raise StateError(f"{name} {shown} is not in the rules' {held}")


def _ordered(rules: Rules, state: State, played: int) -> tuple[int, ...]:
    """Return the hidden prizes sorted, or in the order of play where both players know it."""
    order = rules.known_order
    if order is None:
        return tuple(sorted(state.prizes))
    if state.upcard is not None and state.upcard != order[played]:
        raise StateError(
            f"upcard {state.upcard} cannot be exposed in round {played + 1}; "
            f"the order of play is {order}"
        )
    hidden = order[played + (state.upcard is not None) :]
    if sorted(hidden) != sorted(state.prizes):
        raise StateError(
            f"prizes {state.prizes} cannot be hidden in round {played + 1}; "
            f"the order of play leaves {hidden}"
        )
    return hidden


def _integer(name: str, value: Any) -> int:
    return checks.integer(name, value, -MAX_POINTS, MAX_POINTS, StateError)
