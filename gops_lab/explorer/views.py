"""What there is to say about a state, and about the rounds that were played."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from gops_lab.evaluation import given_away
from gops_lab.explorer.line import Line
from gops_lab.game import Round, Rules, State, check_state, rounds_left, upcards
from gops_lab.induction import Solution

PLAYERS = ("a", "b")


@dataclass(frozen=True)
class BidView:
    """A bid that a player can make.

    Attributes
    ----------
    bid : int
        The rank.
    probability : float or Fraction
        In one optimal strategy.
    least, greatest : float or Fraction
        The range of its probability over all optimal strategies.
    given_away : float
        What it loses against the other player's optimal strategy, not below 0; see
        `gops_lab.evaluation.given_away`.
    """

    bid: int
    probability: Any
    least: Any
    greatest: Any
    given_away: float


@dataclass(frozen=True)
class StageView:
    """The stage game at a state.

    Attributes
    ----------
    payoffs : tuple of tuple of float or Fraction
        A's, after both bids with optimal play from there on: rows `a`, columns `b`.
    a, b : tuple of BidView
        The bids of A and of B, lowest rank first.
    gap : float or Fraction
        The certificate of this stage game; see `gops_lab.solve_matrix_game`.
    """

    payoffs: tuple[tuple[Any, ...], ...]
    a: tuple[BidView, ...]
    b: tuple[BidView, ...]
    gap: Any


@dataclass(frozen=True)
class StateView:
    """What there is to say about a state; all payoffs are A's, the lead so far included.

    Attributes
    ----------
    rules : Rules
    objective : str
    state : State
    rounds_left : int
        The present one included.
    value, lower, upper : float or Fraction
        Under optimal play, with certified bounds.
    upcards : tuple of (int, Fraction)
        The prizes that can be exposed next and their chances; empty once one is exposed, and at
        the end.
    stage : StageView or None
        Where a prize is exposed.
    """

    rules: Rules
    objective: str
    state: State
    rounds_left: int
    value: Any
    lower: Any
    upper: Any
    upcards: tuple[tuple[int, Fraction], ...]
    stage: StageView | None


@dataclass(frozen=True)
class RoundView:
    """A round that was played, and what each bid gave away against optimal play.

    Attributes
    ----------
    number : int
        Of the round in the game, the first is 1.
    round : Round
        What it gave; points.
    given_away_a, given_away_b : float
        What A's bid and B's lost, each from the side of who made it, not below 0; in the unit of
        the objective.
    """

    number: int
    round: Round
    given_away_a: float
    given_away_b: float


def view(solution: Solution, state: State | None = None) -> StateView:
    """Return what there is to say about a state.

    Parameters
    ----------
    solution : Solution
    state : State, optional
        Default: the one the solution starts from.

    Raises
    ------
    StateError
        If the rules do not hold the state's cards.

    Examples
    --------
    >>> import gops_lab as gl
    >>> solution = gl.solve(gl.Rules(cards=2, ties="discard"), exact=True)
    >>> seen = view(solution, State((1, 2), (1, 2), (1,), upcard=2))
    >>> [(bid.bid, str(bid.probability), bid.given_away) for bid in seen.stage.a]
    [(1, '0', 1.0), (2, '1', 0.0)]
    >>> view(solution).upcards
    ((1, Fraction(1, 2)), (2, Fraction(1, 2)))
    """
    rules = solution.rules
    state = check_state(rules, solution.start if state is None else state)
    exposed = state.upcard is not None
    lower, upper = solution.bounds(state)
    return StateView(
        rules=rules,
        objective=solution.objective.name,
        state=state,
        rounds_left=rounds_left(rules, state),
        value=solution.value(state),
        lower=lower,
        upper=upper,
        upcards=() if exposed else tuple(upcards(rules, state).items()),
        stage=_stage(solution, state) if exposed else None,
    )


def review(solution: Solution, line: Line) -> tuple[RoundView, ...]:
    """Return the rounds of a line of play, with what each bid gave away.

    Parameters
    ----------
    solution : Solution
        Of the line's rules.
    line : Line

    Returns
    -------
    tuple of RoundView

    Raises
    ------
    StateError
        If the solution's rules do not hold a state's cards.

    Examples
    --------
    >>> import gops_lab as gl
    >>> solution = gl.solve(gl.Rules(cards=2, ties="discard"))
    >>> (first,) = review(solution, Line(solution.rules).expose(2).bid(1, 2))
    >>> first.given_away_a, first.given_away_b
    (1.0, 0.0)
    """
    before = [state for state in line.states if state.upcard is not None]
    first = line.rules.cards - before[0].tier + 1 if before else 1
    return tuple(
        RoundView(
            number,
            played,
            given_away(solution, state, played.bid_a, "a"),
            given_away(solution, state, played.bid_b, "b"),
        )
        # The present state may have an upcard for which nobody has bid yet.
        for number, (state, played) in enumerate(
            zip(before, line.rounds, strict=False), start=first
        )
    )


def _stage(solution: Solution, state: State) -> StageView:
    stage = solution.stage_solution(state)
    bids = {}
    for player in PLAYERS:
        chances = solution.strategy(state, player)
        ranges = solution.optimal_ranges(state, player)
        bids[player] = tuple(
            BidView(int(bid), chance, least, greatest, given_away(solution, state, bid, player))
            for bid, chance, least, greatest in zip(
                chances.index, chances, ranges["min"], ranges["max"], strict=True
            )
        )
    payoffs = tuple(map(tuple, stage.payoffs.to_numpy().tolist()))
    return StageView(payoffs, bids["a"], bids["b"], stage.game.gap)
