"""Reading integers and cards from what a caller passed, with a sentence for what is wrong."""

from __future__ import annotations

import operator
from collections import Counter
from collections.abc import Iterable
from numbers import Real
from typing import Any

import numpy as np

from gops_lab.errors import GopsError

MAX_CARDS = 62
"""Most cards in a hand and most prizes: sets of them are bits of a signed 64-bit integer."""


def as_integer(value: Any) -> int | None:
    """Return `value` as a Python int, or None if it is not an integer (a bool is not one)."""
    if isinstance(value, bool | np.bool_):
        return None
    try:
        return operator.index(value)
    except TypeError:
        return None


def integer(
    name: str, value: Any, low: int, high: int, error: type[GopsError], why: str = ""
) -> int:
    """Return `value` as an int between `low` and `high`, or raise `error` with the reason."""
    number = as_integer(value)
    if number is None:
        raise error(f"{name} must be an integer, not {value!r}")
    if not low <= number <= high:
        raise error(f"{name} must be between {low} and {high}{why}, not {number}")
    return number


def real(name: str, value: Any, error: type[GopsError]) -> Any:
    """Return `value` if it is a real number, NaN and infinity among them, or raise `error`."""
    if not isinstance(value, Real) or isinstance(value, bool):
        raise error(f"{name} must be a number, not {value!r}")
    return value


def number(name: str, value: Any, low: float, high: float, error: type[GopsError]) -> Any:
    """Return `value` if it is a real number between `low` and `high`, or raise `error`."""
    if not low <= real(name, value, error) <= high:  # NaN is refused as well
        raise error(f"{name} must be between {low} and {high}, not {value}")
    return value


def cards(
    name: str, values: Any, low: int, high: int, error: type[GopsError]
) -> tuple[int, ...]:
    """Return `values` as a tuple of ints between `low` and `high`, or raise `error`."""
    if isinstance(values, str | bytes) or not isinstance(values, Iterable):
        raise error(f"{name} must be a sequence of integers, not {values!r}")
    result: list[int] = []
    for position, value in enumerate(values):
        if position >= MAX_CARDS:
            raise error(f"{name} holds more than {MAX_CARDS} cards")
        result.append(integer(f"{name}[{position}]", value, low, high, error))
    return tuple(result)


def missing_cards(held: Iterable[int], rules_hold: Iterable[int]) -> list[int]:
    """Return the cards of `held` that `rules_hold` does not have (often enough), in order."""
    return sorted((Counter(held) - Counter(rules_hold)).elements())
