"""A solved game: what every state is worth, and how to play it."""

from __future__ import annotations

import os
from collections import OrderedDict
from collections.abc import Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from gops_lab.errors import StateError
from gops_lab.game.checks import missing_cards
from gops_lab.game.objectives import Objective
from gops_lab.game.rules import Rules
from gops_lab.game.state import (
    State,
    check_state,
    expose,
    rounds_left,
    rules_left,
    side_of,
    upcards,
)
from gops_lab.induction.forecast import fastest_engine
from gops_lab.induction.reduction import UNIT_ROUNDOFF, Nodes, Reducer, Reductions, ValueArray
from gops_lab.induction.sweep import Table, TierReport, node_values, stage_payoffs
from gops_lab.matrix_games import (
    MatrixGameSolution,
    is_unique,
    optimal_ranges,
    solve_matrix_game,
)

MOST_SUBGAMES = 16
"""How many games solved on demand are remembered."""

MOST_STAGES = 256
"""How many solved stage games are remembered."""


@dataclass(frozen=True)
class StageSolution:
    """One stage game, solved: the payoffs and both optimal strategies, by bid."""

    payoffs: pd.DataFrame
    game: MatrixGameSolution
    error: float
    """Certified bound on the error of every payoff."""


class Solution:
    """The solution of one set of rules for one objective.

    Made by `gops_lab.solve` and `gops_lab.load`. All payoffs and values are A's. Under ``margin``
    they are points, under ``win`` P(A ahead) - P(B ahead), under a utility its own unit; the lead
    so far is included. States whose values were not kept are solved again when asked for.

    Attributes
    ----------
    rules : Rules
    objective : Objective
    start : State
        The state that `value` answers for when none is given.
    method : str
        How the stage games were solved and which reductions were used.
    reports : dict of int to TierReport
        What each tier took, and its certified error.
    exact : bool
        Whether values and probabilities are `fractions.Fraction`.

    Examples
    --------
    >>> import gops_lab as gl
    >>> solution = gl.solve(gl.Rules(cards=4, ties="discard"), exact=True)
    >>> solution.value()
    Fraction(0, 1)
    >>> state = gl.State((1, 3), (2, 3), prizes=(3,), upcard=2, carried=0, lead=1)
    >>> solution.value(state)
    Fraction(-2, 5)
    """

    def __init__(
        self,
        rules: Rules,
        objective: Objective,
        start: State,
        reducer: Reducer,
        tables: Mapping[int, Table],
        reports: Mapping[int, TierReport],
        method: str,
        asked: Reductions | None = None,
    ) -> None:
        self._asked = asked
        self.rules = rules
        self.objective = objective
        self.start = start
        self.method = method
        self.exact = reducer.exact
        self.reports = dict(reports)
        self.tables = dict(tables)
        self.reducer = reducer
        self._subgames: OrderedDict[State, Solution] = OrderedDict()
        self._stage = lru_cache(maxsize=MOST_STAGES)(self._solved_stage)

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickled without what was asked so far."""
        known = self.rules, self.objective, self.start, self.reducer, self.tables, self.reports
        return Solution, (*known, self.method, self._asked)

    def __repr__(self) -> str:
        return f"<Solution of {self.rules!r}, objective {self.objective.name!r}, {self.method}>"

    # What a user asks

    def value(self, state: State | None = None) -> Any:
        """Return A's value of a state.

        Parameters
        ----------
        state : State, optional
            With or without an upcard; default the state the solve started from.

        Returns
        -------
        float, or Fraction in exact mode
            The final result under optimal play, the lead so far included.

        Raises
        ------
        StateError
            If the rules do not hold the state's cards.
        """
        return self._value_and_error(self._checked(state))[0]

    def bounds(self, state: State | None = None) -> tuple[Any, Any]:
        """Return certified bounds (lower, upper) on `value`; equal in exact mode."""
        value, error = self._value_and_error(self._checked(state))
        if self.exact or not error:
            return value, value
        low, high = np.nextafter((value - error, value + error), (-np.inf, np.inf))
        return float(low), float(high)

    def stage_game(self, state: State | None = None) -> pd.DataFrame:
        """Return A's payoffs at a state: rows A's bids, columns B's bids.

        Entries are values after both bids with optimal play from there on. A rank held twice is
        one bid. ``to_nashpy()`` and ``to_quantecon()`` of the frame make games of it.

        Raises
        ------
        StateError
            If the state has no upcard or does not fit the rules.
        """
        return self._stage(self._exposed(state)).payoffs.copy()

    def strategy(self, state: State | None = None, player: str = "a") -> pd.Series[Any]:
        """Return one optimal strategy of a player at a state.

        Parameters
        ----------
        state : State, optional
            With an upcard.
        player : {"a", "b"}

        Returns
        -------
        Series
            Index bid, values its probability; sums to 1. It attains the value; there may be
            others, see `optimal_ranges`.
        """
        side = side_of(player)
        stage = self._stage(self._exposed(state))
        bids = stage.payoffs.columns if side else stage.payoffs.index
        probabilities = stage.game.column if side else stage.game.row
        index = pd.Index(bids, name="bid")
        return pd.Series(list(probabilities), index=index, name="probability", dtype=self._dtype)

    def optimal_ranges(self, state: State | None = None, player: str = "a") -> pd.DataFrame:
        """Return each bid's least and greatest probability over all optimal strategies.

        Returns
        -------
        DataFrame
            Columns bid, min, max; a bid with ``max`` 0 is never part of an optimal strategy.
        """
        side = side_of(player)
        stage = self._stage(self._exposed(state))
        bids = stage.payoffs.columns if side else stage.payoffs.index
        ranges = optimal_ranges(
            stage.payoffs.to_numpy(),
            player="column" if side else "row",
            exact=self.exact,
            error=stage.error,
        )
        return pd.DataFrame(
            {
                "bid": list(bids),
                "min": pd.Series(list(ranges[:, 0]), dtype=self._dtype),
                "max": pd.Series(list(ranges[:, 1]), dtype=self._dtype),
            }
        )

    def stage_solution(self, state: State | None = None) -> StageSolution:
        """Return a stage game with both optimal strategies and its certificate."""
        return self._stage(self._exposed(state))

    def first_bids(self, player: str = "a") -> pd.DataFrame:
        """Return a player's optimal first bids for every prize that can be exposed first.

        Returns
        -------
        DataFrame
            One row for each upcard and bid: upcard, bid, probability, value (of the stage game,
            A's view), gap (of the solved stage game), unique (whether the player's optimal
            strategy is).
        """
        side = side_of(player)
        if self.start.upcard is not None:
            states = [self.start]
        else:
            states = [expose(self.rules, self.start, up) for up in upcards(self.rules, self.start)]
        rows = []
        for state in states:
            stage = self._stage(state)
            strategy = self.strategy(state, player)
            unique = is_unique(
                stage.payoffs.to_numpy(),
                player="column" if side else "row",
                exact=self.exact,
                error=stage.error,
            )
            rows += [
                (state.upcard, bid, probability, stage.game.value, stage.game.gap, unique)
                for bid, probability in strategy.items()
            ]
        columns = ["upcard", "bid", "probability", "value", "gap", "unique"]
        return pd.DataFrame(rows, columns=columns)

    def save(self, folder: str | os.PathLike[str]) -> Path:
        """Write the solution to a folder; see `gops_lab.load`.

        The same solution that is there already (same rules, objective, start and arithmetic) is
        replaced.

        Raises
        ------
        StoreError
            If the folder holds something else, or cannot be written; nothing is changed then.
        """
        from gops_lab.induction.store import save

        return save(self, folder)

    # How it is found

    @property
    def _dtype(self) -> type:
        return object if self.exact else float

    def _checked(self, state: State | None) -> State:
        return self.start if state is None else check_state(self.rules, state)

    def _exposed(self, state: State | None) -> State:
        state = self._checked(state)
        if state.upcard is None:
            raise StateError(
                "a stage game needs an upcard; this state is before the next exposure"
            )
        return state

    def _value_and_error(self, state: State) -> tuple[Any, float]:
        if state.upcard is not None:
            stage = self._stage(state)
            return stage.game.value, stage.error + float(stage.game.gap) / 2
        if self._in_scope(state):
            nodes = self._node(state)
            values, found = node_values(nodes, self.tables.get(state.tier))
            if found[0]:
                needs_no_table = nodes.zero[0] or nodes.known[0]
                error = self._table_error(0 if needs_no_table else state.tier)
                value = self._final(values[0], state.lead)
                if error and self.reducer.ignores_lead:
                    error += UNIT_ROUNDOFF * abs(value)  # of adding the lead
                return value, error
        if self._better_by_upcard(state):
            return self._mean_over_upcards(state)
        return self._subgame(state)._value_and_error(state)

    def _better_by_upcard(self, state: State) -> bool:
        """Whether the games after each exposure, with the stake for a prize, are solved faster."""
        if not state.carried or self.exact or self._asked is not None:
            return False
        left = rules_left(self.rules, state)
        return fastest_engine(left, self.objective, (state.lead, state.lead)) != "general"

    def _mean_over_upcards(self, state: State) -> tuple[float, float]:
        """Return the value before an exposure from those after it, and its certified error."""
        mean = error = largest = 0.0
        chances = upcards(self.rules, state)
        for upcard, chance in chances.items():
            value, off = self._value_and_error(expose(self.rules, state, upcard))
            mean += float(chance) * value
            error += float(chance) * off
            largest = max(largest, abs(value))
        return mean, error * (1 + 1e-9) + (len(chances) + 3) * UNIT_ROUNDOFF * largest

    def _in_scope(self, state: State) -> bool:
        """Whether a state's cards are among those of the game this solution was solved for."""
        game = self.reducer.rules
        if game == self.rules:
            return True
        held = (
            (state.hand_a, game.hand_a),
            (state.hand_b, game.hand_b),
            (state.prizes, game.prizes),
        )
        played = game.cards - state.tier
        return (
            played >= 0
            and not any(missing_cards(cards, there) for cards, there in held)
            and len(state.prizes) == len(game.prizes) - played - (state.upcard is not None)
        )

    def _holds(self, state: State) -> bool:
        """Whether the tables have what a state takes, so that nothing has to be solved."""
        if not self._in_scope(state):
            return False
        if state.upcard is not None:
            return self._payoffs(state) is not None
        nodes = self._node(state)
        return bool(node_values(nodes, self.tables.get(state.tier))[1][0])

    def _final(self, value: Any, lead: int) -> Any:
        """Return a value as a final result, of the type users see."""
        if self.reducer.ignores_lead:
            value = value + lead
        return Fraction(value) if self.exact else float(value)

    def _node(self, state: State) -> Nodes:
        return self.reducer.represent(
            state.tier,
            np.array([state.hand_a], np.int64),
            np.array([state.hand_b], np.int64),
            self.reducer.prizes.encode([state.prizes]),
            np.array([state.carried]),
            np.array([state.lead]),
        )

    def _solved_stage(self, state: State) -> StageSolution:
        """Return the solved stage game of a state with an upcard."""
        payoffs = self._payoffs(state) if self._in_scope(state) else None
        if payoffs is None:
            return self._subgame(state)._stage(state)
        if self.reducer.ignores_lead:
            payoffs = payoffs + state.lead
        rows = _first_of_each_rank(state.hand_a)
        columns = _first_of_each_rank(state.hand_b)
        payoffs = payoffs[np.ix_(rows, columns)]
        frame = pd.DataFrame(
            payoffs,
            index=pd.Index([state.hand_a[row] for row in rows], name="bid_a"),
            columns=pd.Index([state.hand_b[column] for column in columns], name="bid_b"),
        )
        game = solve_matrix_game(payoffs, method="exact" if self.exact else "highs")
        error = 0.0
        if not self.exact:
            # A lead that nearly cancels payoffs leaves the rounding they had before.
            largest = float(np.abs(payoffs).max()) + abs(state.lead)
            rounding = 4 * (state.tier + 2) * UNIT_ROUNDOFF * largest
            error = self._table_error(state.tier - 1) + rounding
        return StageSolution(frame, game, error)

    def _table_error(self, tier: int) -> float:
        """Return a certified bound on the error of the values of a tier; 0 cards: utilities."""
        report = self.reports.get(tier)
        return self.reducer.utility_error if report is None else report.error

    def _payoffs(self, state: State) -> ValueArray | None:
        """Return A's payoffs for every pair of cards, or None if the tables lack one."""
        ranks = np.array([state.hand_a], np.int64), np.array([state.hand_b], np.int64)
        hands = self.reducer.hands(state.tier, self.reducer.codes.encode(*ranks))
        payoffs, found = stage_payoffs(
            self.reducer,
            state.tier,
            hands,
            np.zeros(1, np.int64),
            self.reducer.prizes.encode([state.prizes]),
            np.array([state.stake]),
            np.array([0 if self.reducer.ignores_lead else state.lead]),
            self.tables.get(state.tier - 1),
        )
        return payoffs[0] if found.all() else None

    def _subgame(self, state: State) -> Solution:
        """Return the solution of the game from a state on, solved now or remembered."""
        from gops_lab.induction.solve import solve_states

        if self.reducer.ignores_lead:
            state = replace(state, lead=0)  # one solution serves every lead
        if state in self._subgames:
            self._subgames.move_to_end(state)
            return self._subgames[state]
        for known in reversed(self._subgames.values()):
            if known._holds(state):  # as when play goes on from a state that was asked about
                return known
        if rounds_left(self.rules, state) == 0:
            raise AssertionError(f"the tables of this solution lack {state}; please report it")
        solution = solve_states(
            self.rules, self.objective, [state], exact=self.exact, reductions=self._asked,
            upcard_only=True,
        )  # fmt: skip
        self._subgames[state] = solution
        if len(self._subgames) > MOST_SUBGAMES:
            self._subgames.popitem(last=False)
        return solution


def _first_of_each_rank(hand: tuple[int, ...]) -> list[int]:
    return [i for i, rank in enumerate(hand) if i == 0 or hand[i - 1] != rank]
