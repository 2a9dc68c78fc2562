"""Confidence intervals."""

from __future__ import annotations

import math

# `scipy.stats` has the same functions, and takes half a second to import.
from scipy import special

from gops_lab.errors import EvaluationError
from gops_lab.game import checks

MOST = 10**18
"""Most trials or numbers of a sample."""


def wilson(successes: float, trials: int, level: float = 0.95) -> tuple[float, float]:
    """Return Wilson's interval for a probability, from independent trials.

    Source: E. B. Wilson, J. Amer. Statist. Assoc. 22 (1927) 209-212.

    Parameters
    ----------
    successes : float
        Between 0 and the number of trials; a draw may count a half.
    trials : int
        Without any, the interval is all of [0, 1].
    level : float
        How often the interval is to hold the truth, between 0 and 1.

    Raises
    ------
    EvaluationError
        If an argument is none of these.

    Examples
    --------
    >>> low, high = wilson(8, 10)
    >>> round(low, 4), round(high, 4)
    (0.4902, 0.9433)
    """
    trials = checks.integer("trials", trials, 0, MOST, EvaluationError)
    checks.number("successes", successes, 0, trials, EvaluationError)
    _check(level)
    if trials == 0:
        return 0.0, 1.0
    z = float(special.ndtri((1 + level) / 2))
    share = successes / trials
    middle = (share + z * z / (2 * trials)) / (1 + z * z / trials)
    spread = z / (1 + z * z / trials) * math.sqrt(
        share * (1 - share) / trials + z * z / (4 * trials * trials)
    )
    return max(0.0, middle - spread), min(1.0, middle + spread)


def student(mean: float, deviation: float, count: int, level: float = 0.95) -> tuple[float, float]:
    """Return Student's t interval for a mean.

    Parameters
    ----------
    mean, deviation : float
        Of the sample, finite; the deviation with the divisor count - 1.
    count : int
        Numbers in the sample; with fewer than two the interval has no ends.
    level : float
        How often the interval is to hold the truth, between 0 and 1.

    Raises
    ------
    EvaluationError
        If an argument is none of these.

    Examples
    --------
    >>> low, high = student(2.0, 1.0, 4)
    >>> round(low, 3), round(high, 3)
    (0.409, 3.591)
    """
    count = checks.integer("count", count, 0, MOST, EvaluationError)
    if not math.isfinite(checks.real("mean", mean, EvaluationError)):
        raise EvaluationError(f"mean must be a finite number, not {mean!r}")
    if not 0 <= checks.real("deviation", deviation, EvaluationError) < math.inf:
        raise EvaluationError(f"deviation must be a finite number, 0 or more, not {deviation!r}")
    _check(level)
    if count < 2:
        return -math.inf, math.inf
    half = float(special.stdtrit(count - 1, (1 + level) / 2)) * deviation / math.sqrt(count)
    return mean - half, mean + half


def _check(level: float) -> None:
    if not 0 < checks.real("level", level, EvaluationError) < 1:
        raise EvaluationError(f"level must be between 0 and 1, like 0.95, not {level!r}")
