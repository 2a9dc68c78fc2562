"""Solutions for a person who waits: at once, or not at all."""

from __future__ import annotations

from functools import lru_cache

from gops_lab.errors import ForecastError
from gops_lab.game import Objective, Rules
from gops_lab.induction import Solution, forecast, load, solve
from gops_lab.induction.decks import deck_of
from gops_lab.reporting.text import duration

PATIENCE = 60.0
"""Seconds that a solve may take while a person waits."""


def at_hand(rules: Rules, objective: Objective) -> Solution | None:
    """Return the solution that comes with the package; None where there is none, but a quick solve.

    Raises
    ------
    ForecastError
        If the game needs more time than a person would wait.

    Examples
    --------
    >>> from gops_lab.game import MARGIN
    >>> at_hand(Rules(cards=3), MARGIN) is None, at_hand(Rules(cards=13), MARGIN).rules
    (True, Rules(cards=13, ties='carry'))
    """
    deck = deck_of(rules, objective)
    if deck is not None:
        return load(deck)
    expected = forecast(rules, objective)
    if expected.seconds > PATIENCE:
        raise ForecastError(
            f"solving {rules!r} for {objective.name} would take about "
            f"{duration(expected.seconds)}, longer than a person waits "
            f"({duration(PATIENCE)}): choose fewer cards or rounds"
        )
    return None


@lru_cache(maxsize=8)
def solved(rules: Rules, objective: Objective) -> Solution:
    """Return the solution of a game: one that comes with the package, or one found quickly.

    Parameters
    ----------
    rules : Rules
    objective : Objective
        `gops_lab.game.MARGIN`, `gops_lab.game.WIN` or a utility of yours.

    Raises
    ------
    ForecastError
        If the game needs more time than a person would wait, or more memory than there is.

    Examples
    --------
    >>> from gops_lab.game import MARGIN
    >>> solved(Rules(cards=3), MARGIN).value()
    0.0
    """
    return at_hand(rules, objective) or solve(rules, objective)
