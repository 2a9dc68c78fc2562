"""Every state of a tier, with its value and both optimal strategies."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from gops_lab.encoding import Encoder, StateBatch
from gops_lab.encoding.batch import concatenate
from gops_lab.encoding.patterns import IntArray
from gops_lab.errors import EvaluationError, TableError
from gops_lab.game.checks import as_integer
from gops_lab.induction.solution import Solution
from gops_lab.matrix_games import solve_matrix_games
from gops_lab.reporting.description import description
from gops_lab.strategies.optimal import payoffs_at
from gops_lab.strategies.states import StateSpace
from gops_lab.strategies.table import MOST_ROWS

CHUNK = 1 << 20
"""Payoffs looked at together."""


def tier_table(solution: Solution, cards: int, *, ranks: bool = False) -> pd.DataFrame:
    """Return every stage game of a tier that play can reach: value and both optimal strategies.

    Parameters
    ----------
    solution : Solution
    cards : int
        How many cards are in each hand.
    ranks : bool
        Whether hands that differ only in their ranks, not in the order of all cards, are listed
        apart. Where False they appear once, as the lowest ranks in that order: their values and
        probabilities are the same. Hands that are dealt unequal, or hold a rank twice, are always
        listed apart.

    Returns
    -------
    DataFrame
        One row for each state, player and bid: state (a number), hand_a, hand_b, prizes (text,
        ranks with blanks between), upcard, carried, lead, stake (points), value (A's, of the stage
        game), gap, player, bid (rank), probability. Under ``margin`` every lead is the one play
        began with; another is added to the value.

    Raises
    ------
    TableError
        If there is no such tier, or the table would be too long.

    Examples
    --------
    >>> import gops_lab as gl
    >>> table = gl.reporting.tier_table(gl.solve(gl.Rules(cards=3, ties="discard")), 2)
    >>> table["state"].nunique()
    42
    >>> last = table[table.state == 41]
    >>> last[["hand_a", "hand_b", "stake", "value", "player", "bid", "probability"]].round(4)
        hand_a hand_b  stake  value player  bid  probability
    164    2 3    1 3      3    1.4      a    2          0.2
    165    2 3    1 3      3    1.4      a    3          0.8
    166    2 3    1 3      3    1.4      b    1          0.6
    167    2 3    1 3      3    1.4      b    3          0.4
    """
    rules = solution.rules
    number = as_integer(cards)
    least = rules.cards - rules.rounds + 1
    if number is None or not least <= number <= solution.start.tier:
        raise TableError(
            f"the tier must be between {least} and {solution.start.tier} cards, not {cards!r}"
        )
    encoder = Encoder(rules)
    batch = _reachable(solution, encoder, number, ranks)
    rows = len(batch) * 2 * number
    if rows > MOST_ROWS:
        raise TableError(
            f"the table of tier {number} would have up to {rows:,} rows, more than {MOST_ROWS:,}"
        )
    parts = list(_solved(solution, encoder, batch, number))
    table = pd.concat(parts, ignore_index=True)
    columns = ["state", *[name for name in table.columns if name != "state"]]
    table = table.sort_values(["state", "player", "bid"], kind="stable", ignore_index=True)
    table = table[columns]
    table.attrs.update({"table": f"tier {number}", **description(solution, columns)})
    return table


def _reachable(solution: Solution, encoder: Encoder, cards: int, ranks: bool) -> StateBatch:
    """Return the stage games with so many cards in hand that play from the start can reach."""
    roots = encoder.encode([solution.start])
    try:
        space = StateSpace(
            solution.rules, roots, lead=not solution.reducer.ignores_lead, ranks=ranks
        )
        keys = space.pack_states(roots)
        exposed = bool(roots.exposed[0])
        for tier in range(solution.start.tier, cards - 1, -1):
            parts = [roots] if exposed else [
                space.stages(batch).batch for _, batch in space.chunks(keys)
            ]
            exposed = False
            if tier == cards:
                return concatenate(parts)
            keys = np.unique(
                np.concatenate([_after(space, encoder, part) for part in parts])
            )
    except EvaluationError as error:
        raise TableError(f"tier {cards} cannot be listed: {error}") from error
    raise AssertionError("the tiers are counted from the start downwards")


def _after(space: StateSpace, encoder: Encoder, batch: StateBatch) -> IntArray:
    """Return the keys of the states that follow stage games, by any pair of bids."""
    rows = max(1, CHUNK // (len(encoder.hands[0].distinct) * len(encoder.hands[1].distinct)))
    found = []
    for first in range(0, len(batch), rows):
        part = batch[first : first + rows]
        held_a, held_b = (encoder.legal_bids(part, player) for player in "ab")
        legal = held_a[:, :, None] & held_b[:, None, :]
        found.append(np.unique(space.rounds(part).keys[legal]))
    return np.unique(np.concatenate(found))


def _solved(
    solution: Solution, encoder: Encoder, batch: StateBatch, cards: int
) -> Iterator[pd.DataFrame]:
    """Yield the rows of some states after another."""
    size = max(1, CHUNK // cards**2)
    for first in range(0, len(batch), size):
        part = batch[first : first + size]
        found = np.zeros(len(part), np.bool_)
        number = np.arange(first, first + len(part))
        if not solution.exact:
            payoffs, found = payoffs_at(solution, encoder, part)
            if found.any():
                there = part[found]
                games = solve_matrix_games(payoffs[found].astype(np.float64))
                value = games.value + (there.lead if solution.reducer.ignores_lead else 0)
                state = _columns(encoder, there, number[found], value, games.gap)
                for seat, chances in enumerate((games.row, games.column)):
                    yield _bids(encoder, there, state, seat, chances, cards)
        rest = part[~found]
        states = encoder.decode(rest)
        for row, (place, state_) in enumerate(zip(number[~found], states, strict=True)):
            one = np.array([row])
            stage = solution.stage_solution(state_)
            kind = object if solution.exact else np.float64
            state = _columns(
                encoder, rest[one], np.array([place]), np.array([stage.game.value], kind),
                np.array([stage.game.gap], kind),
            )
            for player in "ab":
                answer = solution.strategy(state_, player)
                yield state.loc[state.index.repeat(len(answer))].assign(
                    player=player, bid=answer.index.to_numpy(), probability=answer.to_numpy()
                )


def _columns(
    encoder: Encoder, batch: StateBatch, number: IntArray, value: npt.NDArray[Any],
    gap: npt.NDArray[Any],
) -> pd.DataFrame:
    """Return one row for each state."""
    return pd.DataFrame(
        {
            "state": number,
            "hand_a": encoder.hands[0].texts(batch.hand_a),
            "hand_b": encoder.hands[1].texts(batch.hand_b),
            "prizes": encoder.prizes.texts(batch.prizes),
            "upcard": batch.upcard,
            "carried": batch.carried,
            "lead": batch.lead,
            "stake": batch.stake,
            "value": value,
            "gap": gap,
        }
    )


def _bids(
    encoder: Encoder, batch: StateBatch, state: pd.DataFrame, seat: int,
    chances: npt.NDArray[np.float64], cards: int,
) -> pd.DataFrame:
    """Return one row for each state and bid of a player; equal cards are one bid."""
    hand = encoder.hands[seat]
    masks = batch.hand_b if seat else batch.hand_a
    group = hand.find(hand.members(masks, cards))
    by_rank = np.zeros((len(batch), len(hand.distinct)))
    np.add.at(by_rank, (np.arange(len(batch))[:, None], group), chances)
    held = encoder.legal_bids(batch, "ab"[seat])
    row, rank = np.nonzero(held)
    return state.iloc[row].assign(
        player="ab"[seat], bid=hand.distinct[rank], probability=by_rank[row, rank]
    )
