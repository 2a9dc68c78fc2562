"""Which solution answers for a position."""

from __future__ import annotations

from gops_lab.errors import ArgumentError, ForecastError
from gops_lab.explorer import check_soon, solved, solved_below, solved_match
from gops_lab.game import Rules, as_objective, start
from gops_lab.game.objectives import NAMED_OBJECTIVES
from gops_lab.induction import Solution
from gops_lab.web.position import Position


class Solutions:
    """The solutions that a page shows: one that was stored, and others, solved when asked for.

    Parameters
    ----------
    stored : Solution, optional
        Used for the game that it is the solution of.

    Raises
    ------
    ArgumentError
        If the stored solution is of a part of a game, or for a utility.

    Examples
    --------
    >>> from gops_lab.web import read_position
    >>> Solutions().of(read_position("cards=3")).value()
    0.0
    """

    def __init__(self, stored: Solution | None = None) -> None:
        if stored is not None and stored.objective.name not in NAMED_OBJECTIVES:
            raise ArgumentError(
                f"the page shows solutions for {' or '.join(sorted(NAMED_OBJECTIVES))}; this one "
                f"is for {stored.objective.name!r}"
            )
        if stored is not None and stored.start != start(stored.rules):
            raise ArgumentError(
                f"the page shows solutions of whole games; this one begins at {stored.start}"
            )
        self.stored = stored

    def of(self, position: Position) -> Solution:
        """Return the solution that says what optimal play is at a position.

        Raises
        ------
        ForecastError
            If it is not there, and nobody would wait for it.
        """
        goal = as_objective(position.objective)
        if position.games == 1 or position.objective == "margin":
            try:
                solution = self.game(position.rules, position.objective)
                check_soon(solution, position.line.state)
                return solution
            except ForecastError:
                return solved_below(position.rules, goal, position.line.state)
        return solved_match(position.rules, goal, position.games)[position.game - 1]

    def game(self, rules: Rules, objective: str) -> Solution:
        """Return the solution of a single game."""
        stored = self.stored
        if stored is not None and (stored.rules, stored.objective.name) == (rules, objective):
            return stored
        return solved(rules, as_objective(objective))
