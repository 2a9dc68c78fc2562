"""What the page is told about a position: plain values that JSON can hold."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from fractions import Fraction
from typing import Any

import pandas as pd

from gops_lab.evaluation import given_away
from gops_lab.explorer import BidView, StageView, StateView, rules_fields, table_of, taker, view
from gops_lab.game import Round, Rules, State, settle, upcards
from gops_lab.induction import Solution
from gops_lab.reporting.description import unit_of_payoffs
from gops_lab.strategies import Strategy, distribution
from gops_lab.web.position import Position, write_position

Answer = dict[str, Any]


def answer(position: Position, solution: Solution) -> Answer:
    """Return all there is to show at a position.

    Parameters
    ----------
    position : Position
    solution : Solution
        The one that answers for it; see `Solutions.of`.

    Returns
    -------
    dict
        Rules, state, table, value with bounds, stage game; payoffs and values are A's.

    Examples
    --------
    >>> from gops_lab.web import Solutions, read_position
    >>> position = read_position("cards=3&line=3")
    >>> shown = answer(position, Solutions().of(position))
    >>> shown["state"]["prizes"], shown["stage"]["pairs"][0]
    ([1, 2], [1, 2, 2])
    """
    return {**table_answer(position), **state_answer(view(solution, position.line.state))}


def table_answer(position: Position) -> Answer:
    """Return what lies on the table at a position: all of it can be told without a solution."""
    rules, line = position.rules, position.line
    exposed = line.state.upcard is not None
    coming = {} if exposed else upcards(rules, line.state)
    return {
        "link": write_position(position),
        **about(position),
        "game": position.game,
        "state": line.state.as_dict(),
        "upcards": [[prize, float(chance)] for prize, chance in coming.items()],
        "over": line.is_over,
        "table": asdict(table_of(line)),
        "points": [_points(gained) for gained in line.points],
        "lead": line.state.lead,
        "played": [played_round(rules, played) for played in line.rounds],
    }


def about(position: Position) -> Answer:
    """Return what holds for all positions of a game."""
    return {
        "rules": rules_fields(position.rules),
        "objective": position.objective,
        "unit": unit_of_payoffs(position.objective),
        "games": position.games,
        "rounds": position.rules.rounds,
        "dealt": [list(position.rules.hand_a), list(position.rules.hand_b)],
    }


def state_answer(seen: StateView) -> Answer:
    """Return what depends on the state alone, however it came about."""
    return {
        "value": float(seen.value),
        "lower": float(seen.lower),
        "upper": float(seen.upper),
        "stage": None if seen.stage is None else stage_answer(seen.rules, seen.state, seen.stage),
    }


def stage_answer(rules: Rules, state: State, stage: StageView) -> Answer:
    """Return a stage game: payoffs, both players' bids, and what each pair of bids does.

    ``pairs`` says for every pair of bids which of the ``outcomes`` it has.
    """
    return {
        "payoffs": [[float(payoff) for payoff in row] for row in stage.payoffs],
        "a": [_bid(bid) for bid in stage.a],
        "b": [_bid(bid) for bid in stage.b],
        "gap": float(stage.gap),
        "pairs": pairs([bid.bid for bid in stage.a], [bid.bid for bid in stage.b]),
        "outcomes": outcomes(rules, state),
    }


def pairs(bids_a: Sequence[int], bids_b: Sequence[int]) -> list[list[int]]:
    """Return for every pair of bids which of `outcomes` it has."""
    return [[1 + (a < b) - (a > b) for b in bids_b] for a in bids_a]


def outcomes(rules: Rules, state: State) -> list[Answer]:
    """Return what a round does if A bids the higher card, if both bid the same, if B does."""
    stake = state.stake
    upcard = stake if state.upcard is None else state.upcard
    return [
        outcome(rules, Round(upcard, bid_a, bid_b, stake, *settle(rules, stake, bid_a - bid_b)))
        for bid_a, bid_b in ((1, 0), (0, 0), (0, 1))
    ]


def outcome(rules: Rules, played: Round) -> Answer:
    """Return what a round did to the points."""
    return {
        "taker": taker(rules, played),
        "gain_a": _points(played.gain_a),
        "gain_b": _points(played.gain_b),
        "carried": played.carried,
        "change": int(played.gain_a - played.gain_b),
    }


def played_round(rules: Rules, played: Round) -> Answer:
    """Return a round as it was played."""
    return {
        "upcard": played.upcard, "stake": played.stake,
        "bid_a": played.bid_a, "bid_b": played.bid_b, **outcome(rules, played),
    }


def review_answer(
    position: Position, solution: Solution, opponent: Strategy | None = None
) -> list[Answer]:
    """Return the rounds of the present game, each with what its bids gave away.

    Parameters
    ----------
    position : Position
    solution : Solution
    opponent : Strategy, optional
        Who sat in seat B: its mixture is told as well. Default: optimal play.

    Returns
    -------
    list of dict
        The value before each round is A's, what a bid gave away is told from the side of who made
        it, both in the unit of the objective.
    """
    rules, line = position.rules, position.line
    rounds = []
    before = [state for state in line.states if state.upcard is not None]
    # The present state may have an upcard for which nobody has bid yet.
    for state, played in zip(before, line.rounds, strict=False):
        bids_of_b = (
            solution.strategy(state, "b") if opponent is None
            else distribution(opponent, rules, state, "b")
        )
        rounds.append(
            {
                **played_round(rules, played),
                "value": float(solution.value(state)),
                "given_away_a": given_away(solution, state, played.bid_a, "a"),
                "given_away_b": given_away(solution, state, played.bid_b, "b"),
                "optimal_a": mixture(solution.strategy(state, "a")),
                "mixture_b": mixture(bids_of_b),
            }
        )
    return rounds


def mixture(chances: pd.Series[Any]) -> list[list[float]]:
    """Return a distribution as pairs of bid and probability."""
    return [[int(str(bid)), float(chance)] for bid, chance in chances.items()]


def _bid(bid: BidView) -> Answer:
    return {
        "bid": bid.bid, "probability": float(bid.probability), "least": float(bid.least),
        "greatest": float(bid.greatest), "given_away": bid.given_away,
    }


def _points(gained: int | Fraction) -> int | str:
    return gained if isinstance(gained, int) else str(gained)
