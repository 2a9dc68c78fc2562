"""Who can be played against, and what chance decides in play."""

from __future__ import annotations

import re
from collections.abc import Sequence
from random import Random

from gops_lab.errors import StateError, StrategyError
from gops_lab.game import upcards
from gops_lab.strategies import Strategy, distribution, strategy_named
from gops_lab.web.position import Position, write_position
from gops_lab.web.solutions import Solutions

OPTIMAL = "optimal"
"""Optimal play for what the position is played for; in a match, for the match."""

OFFERED = (
    OPTIMAL, "optimal:margin", "optimal:win", "match", "prize+1", "stake", "proportional",
    "uniform", "highest", "lowest", "epsilon:0.1:match", "search:regret:1000",
)
"""What the page offers; other names can be typed."""

FROM_FILES = ("table", "solution")
"""Strategies that read files: only those given when the page was opened."""

LONGEST_NAME = 100

MOST_ITERATIONS = 4
"""Most digits of the iterations of a tree search for which a person waits."""

MOST_ROUNDS_ANSWERED = 6
"""Most rounds of a game in which a best response is found while a person waits."""


class Opponents:
    """The strategies that can sit in seat B.

    Parameters
    ----------
    solutions : Solutions
        Where optimal strategies come from.
    from_files : sequence of str
        Names of strategies in files that may be played against.

    Examples
    --------
    >>> from gops_lab.web import read_position
    >>> Opponents(Solutions()).strategy("match", read_position("cards=3")).name
    'match'
    """

    def __init__(self, solutions: Solutions, from_files: Sequence[str] = ()) -> None:
        self._solutions = solutions
        self._from_files = tuple(from_files)

    @property
    def names(self) -> tuple[str, ...]:
        """Names to offer."""
        return (*self._from_files, *OFFERED)

    def strategy(self, name: str, position: Position) -> Strategy | None:
        """Return the strategy of this name; None is optimal play for the position's objective.

        Raises
        ------
        StrategyError
            If there is none of this name, it reads a file that was not given when the page was
            opened, or a person would not wait for it.
        """
        if name == OPTIMAL:
            return None
        if len(name) > LONGEST_NAME and name not in self._from_files:
            raise StrategyError(
                f"the name of a strategy has at most {LONGEST_NAME} characters, not {len(name):,}"
            )
        parts = name.split(":")
        if any(part in FROM_FILES for part in parts) and name not in self._from_files:
            raise StrategyError(
                f"{name!r} reads a file: such strategies are named when the page is opened, with "
                "gops-lab explore --against"
            )
        if "best" in parts and position.rules.rounds > MOST_ROUNDS_ANSWERED:
            raise StrategyError(
                f"{name!r}: a best response is found while you wait in games of up to "
                f"{MOST_ROUNDS_ANSWERED} rounds, not {position.rules.rounds}"
            )
        if "search" in parts and any(re.fullmatch(rf"[0-9]{{{MOST_ITERATIONS + 1},}}", part)
                                     for part in parts):
            raise StrategyError(
                f"{name!r}: a search of at most {10**MOST_ITERATIONS - 1:,} iterations answers "
                "while you wait"
            )
        return strategy_named(name, position.rules, self._solutions.game)


def drawn_exposure(position: Position, seed: str) -> int:
    """Return the prize that chance exposes next; the same for the same seed and position."""
    state = position.line.state
    chances = upcards(position.rules, state)
    if not chances:
        raise StateError(f"no round is left to play at {state}")
    return _random(position, seed).choices(list(chances), list(map(float, chances.values())))[0]


def drawn_bid(
    position: Position,
    solutions: Solutions,
    player: str,
    strategy: Strategy | None = None,
    *,
    seed: str,
) -> int:
    """Return the bid that a player draws; the same for the same seed and position.

    Parameters
    ----------
    strategy : Strategy, optional
        Default: optimal play.
    """
    rules, state = position.rules, position.line.state
    if state.upcard is None:
        raise StateError(f"nobody can bid before a prize is exposed, as at {state}")
    if strategy is None:
        chances = solutions.of(position).strategy(state, player)
    else:
        chances = distribution(strategy, rules, state, player)
    weights = [max(float(chance), 0.0) for chance in chances]
    drawn = _random(position, f"{seed} {player}").choices(list(chances.index), weights)
    return int(drawn[0])


def _random(position: Position, seed: str) -> Random:
    return Random(f"{seed} {write_position(position)}")
