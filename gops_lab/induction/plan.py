"""The states of a game, tier by tier: found forwards, before anything is solved backwards."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from gops_lab.encoding.card_sets import CardSets
from gops_lab.encoding.patterns import IntArray
from gops_lab.game.state import State
from gops_lab.induction.records import Records
from gops_lab.induction.reduction import Hands, Reducer

CHUNK = 2_000_000
"""Payoff entries handled at a time; bounds the memory of temporary arrays."""


@dataclass(frozen=True, eq=False)
class Tier:
    """All states with n cards in each hand that a solve needs, reductions applied.

    Attributes
    ----------
    cards : int
        n.
    hands : Hands
        The pairs of hands that occur, as many as there are codes.
    nodes : Records
        States before the next exposure: (row of `hands`, hidden prizes, carried, lead).
    stages : Records
        Stage games: (row of `hands`, hidden prizes, stake, lead).
    exposures : Exposures
        Which stage games follow which node.
    """

    cards: int
    hands: Hands
    nodes: Records
    stages: Records
    exposures: Exposures

    def solved_stages(self, reducer: Reducer) -> IntArray:
        """Return the rows of `stages` that must be solved: all but those worth 0 by symmetry."""
        hands, _, _, lead = self.stages.columns
        return np.flatnonzero(~reducer.zero_by_symmetry(self.hands.mirror[hands], lead))

    def chunks(self, rows: IntArray) -> Iterator[IntArray]:
        """Yield `rows` in pieces of about `CHUNK` payoff entries."""
        size = max(1, CHUNK // self.cards**2)
        for first in range(0, len(rows), size):
            yield rows[first : first + size]


@dataclass(frozen=True, eq=False)
class Exposures:
    """Edges from nodes to the stage games that the next exposure can lead to."""

    node: IntArray
    stage: IntArray
    copies: IntArray
    """How many of the hidden prizes lead there."""


def plan_tiers(reducer: Reducer, starts: Sequence[State]) -> list[Tier]:
    """Return the tiers below some start states, the highest first.

    Parameters
    ----------
    reducer : Reducer
        For the rules of the game that is left at the starts.
    starts : sequence of State
        Alike but for the lead.
    """
    top = starts[0].tier
    tiers: list[Tier] = []
    codes, nodes, stages = _starts(reducer, starts)
    for cards in range(top, 0, -1):
        if reducer.rounds_left(cards) == 0 or not len(codes):
            break
        hands = reducer.hands(cards, codes)
        node_records, _ = Records.from_rows(nodes)
        exposed, node, copies = _expose(reducer.prizes, node_records)
        stage_records, numbers = Records.from_rows(
            [np.concatenate(pair) for pair in zip(exposed, stages, strict=True)]
        )
        exposures = Exposures(node, numbers[: len(node)], copies)
        tier = Tier(cards, hands, node_records, stage_records, exposures)
        tiers.append(tier)
        codes, nodes = _nodes_below(reducer, tier)
        stages = _empty()
    return tiers


def _empty() -> list[IntArray]:
    return [np.zeros(0, np.int64)] * 4


def _starts(
    reducer: Reducer, starts: Sequence[State]
) -> tuple[IntArray, list[IntArray], list[IntArray]]:
    """Return the hand codes of the starts, their nodes, and their stage games."""
    first = starts[0]
    lead = np.array([state.lead for state in starts], np.int64)
    if reducer.ignores_lead:
        lead = np.zeros_like(lead)
    ranks_a, ranks_b = (
        np.tile(np.array(hand, np.int64), (len(starts), 1))
        for hand in (first.hand_a, first.hand_b)
    )
    hidden = reducer.prizes.encode([first.prizes] * len(starts))
    if first.upcard is not None:
        codes, rows = np.unique(reducer.codes.encode(ranks_a, ranks_b), return_inverse=True)
        return codes, _empty(), [rows, hidden, np.full_like(lead, first.stake), lead]
    carried = np.full_like(lead, first.carried)
    found = reducer.represent(first.tier, ranks_a, ranks_b, hidden, carried, lead)
    open_ = ~found.known
    codes, rows = np.unique(found.codes[open_], return_inverse=True)
    columns = (found.prizes, found.carried, found.lead)
    return codes, [rows, *(column[open_] for column in columns)], _empty()


def _expose(
    prizes: CardSets, nodes: Records
) -> tuple[list[IntArray], IntArray, IntArray]:
    """Return the stage games after every possible exposure, the node and the copies of each."""
    hands, hidden, carried, lead = nodes.columns
    counts = prizes.next_counts(hidden)
    node, group = np.nonzero(counts)
    stages = [
        hands[node],
        prizes.remove(hidden[node], group),
        carried[node] + prizes.distinct[group],
        lead[node],
    ]
    return stages, node, counts[node, group]


def _nodes_below(reducer: Reducer, tier: Tier) -> tuple[IntArray, list[IntArray]]:
    """Return the hand codes and nodes that follow the stage games of a tier."""
    found: list[list[IntArray]] = []
    hands, hidden, stake, lead = tier.stages.columns
    for rows in tier.chunks(np.flatnonzero(~reducer.decided(tier.cards, hidden, stake, lead))):
        nodes, _ = reducer.after_bids(
            tier.cards, tier.hands, hands[rows], hidden[rows], stake[rows], lead[rows]
        )
        open_ = ~nodes.known
        columns = [
            column[open_] for column in (nodes.codes, nodes.prizes, nodes.carried, nodes.lead)
        ]
        found.append(list(Records.from_rows(columns)[0].columns))
    if not found:
        return np.zeros(0, np.int64), _empty()
    codes, *rest = (np.concatenate(column) for column in zip(*found, strict=True))
    distinct, rows = np.unique(codes, return_inverse=True)
    return distinct, [rows, *rest]
