"""Backward induction: solve every stage game of every tier, from the last round up.

Certified error. Let e be a bound on the error of every value of the tier below, and let a stage
game be solved with strategies whose guarantees, computed from the payoff matrix alone, are
``lower <= upper``; its value is kept as their midpoint. Changing every entry of a payoff matrix by
at most e changes its value by at most e, so the true value is within ``e + (upper - lower) / 2`` of
the midpoint, plus rounding. Let u = 2**-53, n the cards in hand, k the prizes that can be exposed
and M the largest absolute entry. A guarantee is a sum of n products of probabilities with entries,
the probabilities themselves summing to 1 within n u: it is off by at most (2 n + 1) u M. An entry
is a sum of two numbers, off by u M; the midpoint adds 2 u M; the mean over k prizes (k + 1) u M.
All together (2 n + k + 5) u M to first order; we charge twice that, which covers the rest, and
guarantees computed from payoffs less their smallest entry, which can be 2 M. ``docs/theory.md``
has the proof.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from fractions import Fraction
from typing import Protocol

import numpy as np

from gops_lab.encoding.card_sets import BoolArray
from gops_lab.encoding.patterns import IntArray
from gops_lab.errors import ArgumentError
from gops_lab.game import checks
from gops_lab.induction.plan import Tier
from gops_lab.induction.records import Records
from gops_lab.induction.reduction import (
    UNIT_ROUNDOFF,
    Hands,
    Nodes,
    Reducer,
    ValueArray,
)
from gops_lab.induction.stage_solvers import StageSolver

Progress = Callable[[int, int, int], None]
"""Called with (cards in hand, stage games solved so far, stage games in all)."""


class Table(Protocol):
    """Values of the nodes of one tier."""

    def lookup(
        self, codes: IntArray, prizes: IntArray, carried: IntArray, lead: IntArray, /
    ) -> tuple[ValueArray, BoolArray]:
        """Return the value of each node and whether the table has it."""


@dataclass(frozen=True, eq=False)
class NodeTable:
    """A tier's nodes as records, each with its value."""

    nodes: Records
    """Columns: code of the pair of hands, hidden prizes, carried, lead."""
    values: ValueArray

    def lookup(
        self, codes: IntArray, prizes: IntArray, carried: IntArray, lead: IntArray
    ) -> tuple[ValueArray, BoolArray]:
        """Return the value of each node (0 where it is missing) and whether it is there."""
        row = self.nodes.locate((codes, prizes, carried, lead))
        found = row >= 0
        values = np.zeros(len(row), self.values.dtype)
        values[found] = self.values[row[found]]
        return values, found


@dataclass(frozen=True)
class TierReport:
    """What solving one tier took and how good it is."""

    cards: int
    stage_games: int
    values: int
    worst_gap: float
    """Largest gap among the tier's stage games, in units of the utility."""
    error: float
    """Certified bound on the error of every value of the tier, in units of the utility."""
    methods: dict[str, int]
    """How many stage games each method solved."""


def as_keep(keep: object) -> str | int:
    """Return how many tiers are to be kept, "all" or a number, or raise `ArgumentError`."""
    if isinstance(keep, str) and keep == "all":
        return keep
    return checks.integer("keep", keep, 1, checks.MAX_CARDS, ArgumentError, ", or 'all'")


def kept_tiers(tiers: Iterable[int], keep: str | int) -> list[int]:
    """Return those of the tiers that are kept, ascending: so many of the highest, or "all"."""
    return sorted(tiers)[0 if keep == "all" else -int(keep) :]


def node_values(nodes: Nodes, table: Table | None) -> tuple[ValueArray, BoolArray]:
    """Return the value of each node, and whether it was known or in the table.

    Arrays of any shape; the values are from the side of whoever asked.
    """
    values = nodes.value.copy()
    found = nodes.known | nodes.zero
    open_ = ~found
    if table is not None and open_.any():
        stored, there = table.lookup(
            nodes.codes[open_], nodes.prizes[open_], nodes.carried[open_], nodes.lead[open_]
        )
        values[open_] = stored * nodes.sign[open_]
        found[open_] = there
    return values, found


def stage_payoffs(
    reducer: Reducer, cards: int, hands: Hands, rows: IntArray,
    hidden: IntArray, stake: IntArray, lead: IntArray, table: Table | None,
) -> tuple[ValueArray, BoolArray]:
    """Return A's payoffs at k stage games, shape (k, n, n), and whether each entry was found.

    Under ``margin`` the payoffs are points still to be gained, the lead left out (unless that
    reduction is off); otherwise they are final utilities.
    """
    nodes, change = reducer.after_bids(cards, hands, rows, hidden, stake, lead)
    values, found = node_values(nodes, table)
    return (values + change if reducer.ignores_lead else values), found


def solve_tier(
    reducer: Reducer,
    tier: Tier,
    below: Table | None,
    error_below: float,
    solver: StageSolver,
    advance: Callable[[int], None],
) -> tuple[NodeTable, TierReport]:
    """Solve all stage games of a tier from the values of the tier below."""
    hands, hidden, stake, lead = tier.stages.columns
    stage_values = reducer.values(len(tier.stages))
    decided = reducer.decided(tier.cards, hidden, stake, lead)
    stage_values[decided] = reducer.utility(lead[decided])
    rows_to_solve = tier.solved_stages(reducer)
    rows_to_solve = rows_to_solve[~decided[rows_to_solve]]
    worst_gap = 0.0
    largest = 0.0
    methods: dict[str, int] = {}
    for rows in tier.chunks(rows_to_solve):
        payoffs, found = stage_payoffs(
            reducer, tier.cards, tier.hands, hands[rows], hidden[rows], stake[rows], lead[rows],
            below,
        )
        if not found.all():
            raise AssertionError("the plan of this solve lacks a state; please report the rules")
        solved = solver(payoffs)
        stage_values[rows] = solved.values
        worst_gap = max(worst_gap, float(np.max(solved.gaps)))
        if not reducer.exact:
            largest = max(largest, float(np.max(np.abs(payoffs))))
        for method, count in solved.methods.items():
            methods[method] = methods.get(method, 0) + count
        advance(len(rows))
    if not reducer.exact:
        # Means are taken over decided stage games too.
        largest = max(largest, float(np.abs(stage_values).max(initial=0.0)))
    values = _means(reducer, tier, stage_values)
    most_prizes = int(np.bitwise_count(tier.nodes.columns[1]).max(initial=0))
    error = 0.0
    if not reducer.exact:
        rounding = 2 * (2 * tier.cards + most_prizes + 5) * UNIT_ROUNDOFF * largest
        # A state can be decided at a utility that is not met in the tiers below.
        error = max(error_below, reducer.utility_error) + worst_gap / 2 + rounding
    rows, prizes, carried, node_lead = tier.nodes.columns
    nodes, order = Records.from_rows((tier.hands.codes[rows], prizes, carried, node_lead))
    kept = reducer.values(len(nodes))
    kept[order] = values
    report = TierReport(tier.cards, len(rows_to_solve), len(values), worst_gap, error, methods)
    return NodeTable(nodes, kept), report


def _means(reducer: Reducer, tier: Tier, stage_values: ValueArray) -> ValueArray:
    """Return the value of each node: the mean over the prizes that can be exposed next."""
    edges = tier.exposures
    total = reducer.values(len(tier.nodes))
    copies = np.zeros(len(tier.nodes), np.int64)
    np.add.at(copies, edges.node, edges.copies)
    np.add.at(total, edges.node, edges.copies * stage_values[edges.stage])
    if reducer.exact:
        return np.array([Fraction(t) / int(c) for t, c in zip(total, copies, strict=True)], object)
    return np.asarray(total / copies)
