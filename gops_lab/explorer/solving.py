"""Solutions for a person who waits: at once, or not at all."""

from __future__ import annotations

from functools import lru_cache

from gops_lab.errors import ForecastError
from gops_lab.game import MARGIN, WIN, Objective, Rules, State, rounds_left
from gops_lab.induction import Solution, forecast, shipped, solve, solve_match
from gops_lab.induction.solve import left_to_play
from gops_lab.reporting.text import duration

PATIENCE = 60.0
"""Seconds that a solve may take while a person waits."""

MATCH_GAME = 20.0
"""How much longer a game of a match takes than one by itself: every lead can be brought along."""


def at_hand(rules: Rules, objective: Objective) -> Solution | None:
    """Return the solution that comes with the package; None where there is none, but a quick solve.

    Raises
    ------
    ForecastError
        If the game needs more time than a person would wait.

    Examples
    --------
    >>> at_hand(Rules(cards=3), MARGIN) is None, at_hand(Rules(cards=13), MARGIN).rules
    (True, Rules(cards=13, ties='carry'))
    """
    solution = shipped(rules, objective)
    if solution is None:
        _check_patience(f"{rules!r} for {objective.name}", forecast(rules, objective).seconds)
    return solution


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
    >>> solved(Rules(cards=3), MARGIN).value()
    0.0
    """
    return at_hand(rules, objective) or solve(rules, objective)


@lru_cache(maxsize=8)
def solved_below(rules: Rules, objective: Objective, state: State) -> Solution:
    """Return the solution of what is left of a game, where the whole would take too long.

    Parameters
    ----------
    rules : Rules
    objective : Objective
    state : State
        From where on.

    Raises
    ------
    ForecastError
        If this needs more time than a person would wait as well.

    Examples
    --------
    >>> state = State((1, 5, 9), (2, 6, 13), prizes=(3, 4), upcard=12)
    >>> abs(solved_below(Rules(cards=13), WIN, state).value()) <= 1
    True
    """
    left = left_to_play(rules, state)
    _check_patience(f"{left!r} for {objective.name}", forecast(left, objective).seconds)
    return solve(rules, objective, start=state)


@lru_cache(maxsize=4)
def solved_match(rules: Rules, objective: Objective, games: int) -> tuple[Solution, ...]:
    """Return the solution of each game of a match, first game first; see `gops_lab.solve_match`.

    Played for points, the games of a match have nothing to do with each other.

    Parameters
    ----------
    rules : Rules
        Of every game.
    objective : Objective
        What A wants of the total lead.
    games : int

    Raises
    ------
    ForecastError
        If the match needs more time than a person would wait, or more memory than there is.

    Examples
    --------
    >>> len(solved_match(Rules(cards=3), MARGIN, 3))
    3
    """
    if objective == MARGIN or games == 1:
        return (solved(rules, objective),) * games
    one_game = forecast(rules, WIN).seconds
    _check_patience(f"a match of {games} games of {rules!r}", one_game * games * MATCH_GAME)
    return tuple(solve_match(rules, games, objective=objective))


def check_soon(solution: Solution, state: State) -> None:
    """Refuse a state that a solution does not keep, and could not answer for soon.

    Parameters
    ----------
    solution : Solution
    state : State
        That its rules hold.

    Raises
    ------
    ForecastError
        If what is left there has to be solved, and nobody would wait for it.

    Examples
    --------
    >>> check_soon(solved(Rules(cards=3), MARGIN), State((1, 2), (1, 3), (1, 2)))
    """
    exposed = state.upcard is not None
    kept = state.tier - exposed in solution.tables
    if not kept and rounds_left(solution.rules, state) > exposed:
        left = left_to_play(solution.rules, state)
        name = solution.objective.name
        _check_patience(f"{left!r} for {name}", forecast(left, solution.objective).seconds)


def _check_patience(what: str, seconds: float) -> None:
    if seconds > PATIENCE:
        raise ForecastError(
            f"solving {what} would take about {duration(seconds)}, longer than a person waits "
            f"({duration(PATIENCE)}): choose fewer cards or rounds"
        )
