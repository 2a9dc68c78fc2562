"""JSON that was written by a program: read with a reason for what is wrong, written strictly."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping
from fractions import Fraction
from typing import Any, NoReturn

import numpy as np

MOST_NESTED = 50
"""Deepest nesting that is read."""

ANY = re.compile(r"(?s).*")
"""The fields of a shape in which they may have any names."""


def from_json(text: str | bytes) -> Any:
    """Return what a JSON text says.

    Raises
    ------
    ValueError
        If it is not JSON, which has no NaN and no infinity, or is nested too deeply.

    Examples
    --------
    >>> from_json("[1, NaN]")
    Traceback (most recent call last):
    ValueError: NaN is not a number
    """
    try:
        data = json.loads(text, parse_constant=_no_number)
    except RecursionError:
        raise ValueError("it is nested too deeply") from None
    level = [data]
    for _ in range(MOST_NESTED):
        parts = [part.values() if isinstance(part, dict) else part for part in level
                 if isinstance(part, dict | list)]
        level = [child for part in parts for child in part]
    if level:
        raise ValueError(f"it is nested deeper than {MOST_NESTED}")
    return data


def _no_number(name: str) -> NoReturn:
    raise ValueError(f"{name} is not a number")


def check_shape(name: str, value: Any, shape: Any) -> None:
    """Check what was read from JSON, down to every type.

    Parameters
    ----------
    name : str
        What the value is called where something is wrong.
    value
        From `from_json`.
    shape
        A type (float: integers, too); None; a list ``[shape]`` of any length; a dict with the
        shape of every field, or ``{pattern: shape}`` for fields whose names match; or a tuple of
        shapes, of which one must fit.

    Raises
    ------
    ValueError
        Naming the first place that has another shape.

    Examples
    --------
    >>> check_shape("row", {"bid": 3, "range": [0, 0.5]}, {"bid": int, "range": [float]})
    >>> check_shape("row", {"bid": True}, {"bid": int})
    Traceback (most recent call last):
    ValueError: row.bid must be int, not True
    """
    if isinstance(shape, tuple):
        _check_one_of(name, value, shape)
    elif isinstance(shape, list):
        _check_type(name, value, list)
        for number, child in enumerate(value):
            check_shape(f"{name}[{number}]", child, shape[0])
    elif isinstance(shape, dict):
        _check_type(name, value, dict)
        _check_fields(name, value, shape)
    else:
        _check_type(name, value, shape)


def _check_one_of(name: str, value: Any, shapes: tuple[Any, ...]) -> None:
    wrong: ValueError | None = None
    for shape in shapes:
        try:
            return check_shape(name, value, shape)
        except ValueError as error:
            wrong = error
    assert wrong is not None
    raise wrong


def _check_fields(name: str, value: Mapping[str, Any], shape: Mapping[Any, Any]) -> None:
    pattern = next((key for key in shape if isinstance(key, re.Pattern)), None)
    if pattern is None:
        shapes = dict(shape)
    else:
        shapes = {field: shape[pattern] for field in value if pattern.fullmatch(field)}
    for field in sorted(value.keys() ^ shapes.keys()):
        raise ValueError(f"{name}.{field} is {'missing' if field in shapes else 'not known'}")
    for field, child in shapes.items():
        check_shape(f"{name}.{field}", value[field], child)


def _check_type(name: str, value: Any, kind: type | None) -> None:
    kinds = (type(None),) if kind is None else (int, float) if kind is float else (kind,)
    if type(value) not in kinds:
        wanted = "null" if kind is None else kind.__name__
        raise ValueError(f"{name} must be {wanted}, not {value!r}")


def plain(value: Any) -> Any:
    """Return a value as JSON can hold it: a fraction as text, what is not finite as null.

    Examples
    --------
    >>> plain({"low": -math.inf, 1: (Fraction(1, 3), np.int64(2))})
    {'low': None, 1: ['1/3', 2]}
    """
    if isinstance(value, Mapping):
        return {key: plain(child) for key, child in value.items()}
    if isinstance(value, list | tuple):
        return [plain(child) for child in value]
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return str(value) if isinstance(value, Fraction) else value
