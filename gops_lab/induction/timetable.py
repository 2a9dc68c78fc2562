"""How far a solve has come, as a share of the time it takes, not of the stage games.

A stage game of a high tier takes many times as long as one of a low tier. How many there are of
each is known before a solve begins, so the share of the time that is over can be told from the
first tier on, and with it an honest time that is left.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

Show = Callable[[int, float, int, int], None]
"""Called with (cards in hand, share of the time, stage games solved, stage games in all)."""

GROWTH = {"blocks": 1.1, "rows": 2.0, "general": 1.0, "exact": 100.0}
"""How many times longer an entry of a payoff matrix takes with each card in hand above four.

Measured for 9 to 12 cards, nanoseconds an entry of tiers 4, 5, ... on two cores: ``blocks`` 2.8,
2.2, 1.9, 2.6, 2.7, 3.3 (discard), 3.5, 2.5, 2.6, 3.6, 4.6 (carry); ``rows``, where fewer neighbours
have the same optimal support, 4.1, 7.4, 18, 48 (win, discard), 4.8, 9.7, 16, 30 (win, carry). The
others as in `forecast.ENGINES`.
"""


class Timetable:
    """A progress callback that knows how long tiers take.

    Parameters
    ----------
    show : callable
        Told of every step.

    Examples
    --------
    >>> clock = Timetable(lambda cards, share, done, total: print(cards, round(share, 3), done))
    >>> clock.expect([(1, 90), (3, 10)], growth=1.0)
    >>> clock(1, 90, 100)
    1 0.5 90
    >>> clock(3, 95, 100)
    3 0.75 95
    """

    def __init__(self, show: Show) -> None:
        self._show = show
        self._tiers: list[tuple[int, float]] = []

    def expect(self, tiers: Sequence[tuple[int, int]], growth: float) -> None:
        """Say which tiers will be solved, in this order: (cards in hand, stage games) of each."""
        self._tiers = [
            (games, float(cards**2 * growth ** max(0, cards - 4))) for cards, games in tiers
        ]

    def __call__(self, cards: int, done: int, total: int) -> None:
        """Be told of progress, as `gops_lab.solve` tells it."""
        self._show(cards, self._share(done), done, total)

    def _share(self, done: int) -> float:
        """Return the share of the time after so many stage games."""
        spent = 0.0
        left = done
        for games, each in self._tiers:
            spent += min(left, games) * each
            left -= min(left, games)
        return spent / (sum(games * each for games, each in self._tiers) or 1.0)
