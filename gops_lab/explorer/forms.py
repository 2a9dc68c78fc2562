"""What a person types into a form: rules and states, every field as text."""

from __future__ import annotations

import re
import reprlib
from collections.abc import Mapping
from typing import Any

from gops_lab.errors import ArgumentError
from gops_lab.game import Rules, State, check_state
from gops_lab.game.rules import NAMED_ORDERS

RULES_FIELDS = (
    "cards", "hand_a", "hand_b", "prizes", "ties", "order", "negative_stakes", "rounds"
)
STATE_FIELDS = ("hand_a", "hand_b", "prizes", "upcard", "carried", "lead")

_CARDS = ("hand_a", "hand_b", "prizes")


def read_rules(fields: Mapping[str, str]) -> Rules:
    """Return the rules that a form holds.

    Parameters
    ----------
    fields : mapping of str to str
        Arguments of `gops_lab.Rules` as text; lists of cards like ``1 3 5`` or ``1,3,5``. A field
        that is empty or left out is the default.

    Raises
    ------
    ArgumentError
        If a field is not known, or cannot be read.
    RulesError
        If the fields describe no game.

    Examples
    --------
    >>> read_rules({"cards": "3", "prizes": "-1 2, 4", "ties": "split", "rounds": ""})
    Rules(cards=3, prizes=(-1, 2, 4), ties='split')
    """
    given = _given(fields, RULES_FIELDS)
    arguments: dict[str, Any] = {}
    for name, written in given.items():
        if name in _CARDS or (name == "order" and written not in NAMED_ORDERS):
            arguments[name] = _cards(name, written)
        elif name in ("cards", "rounds"):
            arguments[name] = read_integer(name, written)
        else:
            arguments[name] = written
    return Rules(**arguments)


def read_state(rules: Rules, fields: Mapping[str, str]) -> State:
    """Return the state that a form holds.

    Parameters
    ----------
    rules : Rules
    fields : mapping of str to str
        Arguments of `gops_lab.State` as text. A field that is empty or left out is: no cards, no
        upcard, nothing carried over, no lead.

    Raises
    ------
    ArgumentError
        If a field is not known, or cannot be read.
    StateError
        If the rules do not allow the state.

    Examples
    --------
    >>> read_state(Rules(cards=3), {"hand_a": "1 3", "hand_b": "2 3", "prizes": "2", "upcard": "3"})
    State(hand_a=(1, 3), hand_b=(2, 3), prizes=(2,), upcard=3, carried=0, lead=0)
    """
    given = _given(fields, STATE_FIELDS)
    arguments: dict[str, Any] = {name: _cards(name, given.get(name, "")) for name in _CARDS}
    for name, written in given.items():
        if name not in _CARDS:
            arguments[name] = read_integer(name, written)
    return check_state(rules, State(**arguments))


def rules_fields(rules: Rules) -> dict[str, str]:
    """Return rules as a form holds them; what is usual is left empty.

    Examples
    --------
    >>> rules_fields(Rules(cards=3, hand_a=(1, 2, 4)))["hand_a"]
    '1 2 4'
    """
    usual = tuple(range(1, rules.cards + 1))
    fields = {
        name: "" if getattr(rules, name) == usual else _text(getattr(rules, name))
        for name in _CARDS
    }
    order = rules.order if isinstance(rules.order, str) else _text(rules.order)
    if order not in NAMED_ORDERS:
        fields["prizes"] = ""  # the order names them
    return {
        "cards": str(rules.cards),
        **fields,
        "ties": rules.ties,
        "order": order,
        "negative_stakes": rules.negative_stakes,
        "rounds": "" if rules.rounds == rules.cards else str(rules.rounds),
    }


def state_fields(state: State) -> dict[str, str]:
    """Return a state as a form holds it.

    Examples
    --------
    >>> state_fields(State((1, 3), (2, 3), (2,)))["upcard"]
    ''
    """
    return {
        **{name: _text(getattr(state, name)) for name in _CARDS},
        "upcard": "" if state.upcard is None else str(state.upcard),
        "carried": str(state.carried),
        "lead": str(state.lead),
    }


def _given(fields: Mapping[str, str], known: tuple[str, ...]) -> dict[str, str]:
    """Return the fields that are not empty, without blanks around them."""
    odd = next((name for name in fields if name not in known), None)
    if odd is not None:
        raise ArgumentError(f"{odd!r} is not a field; those known are {', '.join(known)}")
    for name, written in fields.items():
        if not isinstance(written, str):
            raise ArgumentError(f"{name} must be text as it was typed, not {reprlib.repr(written)}")
    return {name: written.strip() for name, written in fields.items() if written.strip()}


def read_integer(name: str, written: str) -> int:
    """Return the integer that a field holds.

    Raises
    ------
    ArgumentError
        If there is none.
    """
    if not re.fullmatch(r"[+-]?[0-9]{1,18}", written):
        raise ArgumentError(
            f"{name} must be an integer of at most 18 digits, not {reprlib.repr(written)}"
        )
    return int(written)


def _cards(name: str, written: str) -> tuple[int, ...]:
    parts = written.replace(",", " ").split()
    try:
        return tuple(read_integer(name, part) for part in parts)
    except ArgumentError:
        raise ArgumentError(
            f"{name} must be integers like 1 3 5, not {reprlib.repr(written)}"
        ) from None


def _text(cards: tuple[int, ...]) -> str:
    return " ".join(map(str, cards))
