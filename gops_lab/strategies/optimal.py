"""Optimal play: the strategy that a solution stands for, and what it can lose at the most."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from gops_lab.encoding import Encoder, Patterns, StateBatch
from gops_lab.encoding.card_sets import BoolArray
from gops_lab.encoding.patterns import IntArray
from gops_lab.errors import StrategyError
from gops_lab.game.state import side_of
from gops_lab.induction import Solution
from gops_lab.induction.reduction import UNIT_ROUNDOFF
from gops_lab.induction.sweep import stage_payoffs
from gops_lab.matrix_games import solve_matrix_games
from gops_lab.matrix_games.game import GAP_TOLERANCE
from gops_lab.strategies.observations import Observations, Probabilities
from gops_lab.strategies.strategy import EVERYTHING, Strategy

CHUNK = 1 << 21
"""Most payoffs that are looked at together."""


class OptimalStrategy(Strategy):
    """One optimal (maximin) strategy, from a solution of the game.

    In print: optimal, minimax or equilibrium strategy; "the solution" (S. M. Ross 1971; G. C.
    Rhoads, L. Bartholdi, Games 3 (2012) 150-156). An optimal strategy need not be unique.

    Parameters
    ----------
    solution : Solution
        Of the very rules that are played.
    player : {"a", "b"}, optional
        Whose strategy it is. Default: whoever sits there. Where both players have the same cards
        but not the same aims (a utility that is not odd) it must be said.
    name : str, optional
        What results call it. Default: ``optimal:`` and the objective.

    Raises
    ------
    StrategyError
        If it is no solution; and when it is asked about a game that it was not solved for.
    StateError
        If the player is neither "a" nor "b".

    Examples
    --------
    >>> import gops_lab as gl
    >>> rules = gl.Rules(cards=3, ties="discard")
    >>> optimal = OptimalStrategy(gl.solve(rules, exact=True))
    >>> from gops_lab.strategies import distribution
    >>> distribution(optimal, rules, gl.State((1, 3), (2, 3), (3,), upcard=2), exact=True).tolist()
    [Fraction(2, 5), Fraction(3, 5)]
    """

    def __init__(
        self, solution: Solution, player: str | None = None, name: str | None = None
    ) -> None:
        if not isinstance(solution, Solution):
            raise StrategyError(f"solution must be a Solution, not {solution!r}")
        if player is not None:
            side_of(player)
        self.solution = solution
        self._encoder = Encoder(solution.rules)
        self._player = player
        self.name = f"optimal:{solution.objective.name}" if name is None else name
        sees = set(EVERYTHING)
        if solution.reducer.ignores_lead:
            sees.discard("lead")
        if isinstance(solution.reducer.codes, Patterns):
            sees.discard("ranks")
        self.sees = frozenset(sees)

    def probabilities(self, seen: Observations) -> Probabilities:
        """Return the distributions; see `Strategy.probabilities`."""
        player = self._seat(seen)
        batch = seen.batch if player == "a" else seen.encoder.swap(seen.batch)
        if self.solution.exact:
            return self._one_by_one(seen, batch, player)
        result = np.zeros((len(seen), len(seen.ranks)))
        hand = seen.encoder.hands[0]
        tiers = seen.encoder.tier(seen.batch)
        for tier in np.unique(tiers):
            rows = np.flatnonzero(tiers == tier)
            cards = hand.members(seen.batch.hand_a[rows], tier)
            missing = []
            size = max(1, CHUNK // int(tier * tier))
            for first in range(0, len(rows), size):
                part = slice(first, first + size)
                payoffs, found = payoffs_at(self.solution, self._encoder, batch[rows[part]])
                there = rows[part][found]
                missing.append(rows[part][~found])
                if len(there):
                    games = solve_matrix_games(payoffs[found])
                    answer = games.row if player == "a" else games.column
                    columns = hand.find(cards[part][found])
                    np.add.at(result, (there[:, None], columns), answer)
            left = np.concatenate(missing)
            if len(left):
                result[left] = self._one_by_one(seen[left], batch[left], player)
        return result

    def _seat(self, seen: Observations) -> str:
        """Return whose strategy is asked for."""
        rules = self.solution.rules
        fits = [
            player
            for player, there in (("a", rules), ("b", self._encoder.swapped.rules))
            if seen.rules == there and self._player in (None, player)
        ]
        if not fits:
            of = "" if self._player is None else f" for player {self._player!r}"
            raise StrategyError(
                f"strategy {self.name!r}{of} was solved for {rules!r}; it cannot play "
                f"{seen.rules!r}"
            )
        if len(fits) == 2 and not self._is_odd():
            raise StrategyError(
                f"strategy {self.name!r}: the players want different things here; say whose "
                "strategy it is: OptimalStrategy(solution, player='a') or 'b'"
            )
        return fits[0]

    def _is_odd(self) -> bool:
        reach = sum(map(abs, self.solution.rules.prizes))
        return self.solution.objective.is_odd(range(reach + 1))

    def _one_by_one(self, seen: Observations, batch: StateBatch, player: str) -> Probabilities:
        # Also in floats, unless the solution is exact: one strategy, in whichever numbers.
        exact = seen.exact and self.solution.exact
        result = np.zeros((len(seen), len(seen.ranks)), object if exact else np.float64)
        column = {int(rank): i for i, rank in enumerate(seen.ranks)}
        for row, state in enumerate(self._encoder.decode(batch)):
            answer = self.solution.strategy(state, player)
            for bid, probability in answer.items():
                result[row, column[int(str(bid))]] = probability if exact else float(probability)
        return result

    def loss_bound(self) -> float:
        """Return a certified bound on what the strategy can lose, in either seat.

        Against every opponent it gets at least the value of the game minus this, from the start of
        the game; its exploitability is therefore at most this, and its NashConv at most twice.

        Write V for the true values, S for what the strategy secures and e(n) for the certified
        error of the values with n cards in hand. At a stage game of n cards the strategy is
        optimal, up to a gap g, for a payoff matrix whose entries are off by at most e(n - 1). It
        so secures V - g - 2 e(n - 1) if play from there on were worth V; it is worth S, hence

            V - S <= sum over n of (2 e(n - 1) + g(n) + rounding).

        The gap of an accepted solution is at most `GAP_TOLERANCE` of the payoffs' spread. Values
        that were not kept are solved again when asked for, with certificates of their own; their
        errors are bounded by the same tolerance.
        """
        solution = self.solution
        if solution.exact:
            return 0.0
        largest = self._largest_payoff()
        prizes = len(solution.rules.prizes)
        bound = 0.0
        below = solution.reducer.utility_error
        kept = solution.tables
        cap = below
        played_out = solution.rules.cards - solution.rules.rounds
        for cards in range(played_out + 1, solution.rules.cards + 1):
            rounding = 8 * (2 * cards + prizes + 5) * UNIT_ROUNDOFF * largest
            gap = 2 * GAP_TOLERANCE * largest
            bound += 2 * below + gap + rounding
            cap += gap / 2 + rounding
            report = solution.reports.get(cards)
            below = cap if report is None else report.error
            if cards not in kept:
                below = max(below, cap)
        return float(np.nextafter(bound, np.inf))

    def _largest_payoff(self) -> float:
        solution = self.solution
        if solution.reducer.ignores_lead:
            return float(sum(map(abs, solution.rules.prizes)))
        low, high = solution.reducer.final_leads
        return max(abs(solution.objective.as_float(lead)) for lead in range(low, high + 1))


def payoffs_at(
    solution: Solution, encoder: Encoder, batch: StateBatch
) -> tuple[npt.NDArray[Any], BoolArray]:
    """Return A's payoffs at stage games of one tier, by a solution's tables.

    Parameters
    ----------
    solution : Solution
    encoder : Encoder
        Of the solution's rules.
    batch : StateBatch
        k states of one tier with an upcard, from A's side.

    Returns
    -------
    payoffs : array, shape (k, n, n)
        For every pair of cards, in the order of the sorted hands; under margin the points still to
        be gained, the lead left out.
    found : array of bool, shape (k,)
        Whether the tables hold all the values that this takes.
    """
    tier = int(encoder.tier(batch[:1])[0])
    reducer = solution.reducer
    if reducer.rules != solution.rules:
        return np.zeros((len(batch), tier, tier)), np.zeros(len(batch), np.bool_)
    pair = reducer.codes.encode(
        encoder.hands[0].members(batch.hand_a, tier), encoder.hands[1].members(batch.hand_b, tier)
    )
    codes, where = np.unique(pair, return_inverse=True)
    lead: IntArray = np.zeros_like(batch.lead) if reducer.ignores_lead else batch.lead
    payoffs, found = stage_payoffs(
        reducer, tier, reducer.hands(tier, codes), where, batch.prizes, batch.stake, lead,
        solution.tables.get(tier - 1),
    )
    return payoffs, np.asarray(found.all(axis=(1, 2)), np.bool_)
