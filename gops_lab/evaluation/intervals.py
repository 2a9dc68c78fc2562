"""Confidence intervals."""

from __future__ import annotations

import math

# `scipy.stats` has the same functions, and takes half a second to import.
from scipy import special


def wilson(successes: float, trials: int, level: float = 0.95) -> tuple[float, float]:
    """Return Wilson's interval for a probability, from independent trials.

    Source: E. B. Wilson, J. Amer. Statist. Assoc. 22 (1927) 209-212.

    Examples
    --------
    >>> low, high = wilson(8, 10)
    >>> round(low, 4), round(high, 4)
    (0.4902, 0.9433)
    """
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
        Of the sample; the deviation with the divisor count - 1.
    count : int

    Examples
    --------
    >>> low, high = student(2.0, 1.0, 4)
    >>> round(low, 3), round(high, 3)
    (0.409, 3.591)
    """
    if count < 2:
        return -math.inf, math.inf
    half = float(special.stdtrit(count - 1, (1 + level) / 2)) * deviation / math.sqrt(count)
    return mean - half, mean + half
