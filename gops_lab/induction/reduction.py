"""Which states share a value, and which values are known without solving anything.

A *node* is a state before the exposure of the next prize, written as four integers: the code of
the pair of hands, the hidden prizes, the carried sum and the lead. `Reducer` maps every node to
the one that stands for it:

- hands count only through their order (`gops_lab.encoding.patterns`);
- swapping the players negates the value if the utility is odd: of two mirrored nodes the one with
  the smaller code stands for both, and a node that is its own mirror is worth 0;
- under ``margin`` a lead is added to the result, whatever follows: nodes are kept at lead 0 and
  worth the points still to be gained;
- where the utility is the same at every lead that can still be reached, the game is decided.

Each reduction can be switched off, and then gives the same values more slowly.
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from gops_lab.encoding import Patterns, children, comparisons, hand_codes, prize_sets
from gops_lab.encoding.card_sets import BoolArray
from gops_lab.encoding.patterns import IntArray
from gops_lab.game.objectives import NAMED_OBJECTIVES, Objective
from gops_lab.game.rules import Rules, lead_change

UNIT_ROUNDOFF = 2.0**-53

MOST_LEADS = 200_000
"""Widest range of leads on which a utility is tabulated to see where it is odd or constant."""

ValueArray = npt.NDArray[Any]
"""float64, or object holding `Fraction` in exact mode."""


@dataclass(frozen=True)
class Reductions:
    """Which reductions a solve uses; all by default."""

    patterns: bool = True
    swap: bool = True
    drop_lead: bool = True
    decided: bool = True

    def names(self) -> list[str]:
        """Return the names of the reductions in use."""
        return [field.name for field in fields(self) if getattr(self, field.name)]


class Hands(NamedTuple):
    """Pairs of hands of one tier and what bidding does to them; p pairs of n cards."""

    codes: IntArray
    """(p,) codes, ascending."""
    comparison: npt.NDArray[np.int8]
    """(p, n, n) sign of A's card minus B's."""
    child: IntArray
    """(p, n, n) code that stands for the hands left after these bids."""
    child_swapped: BoolArray
    """(p, n, n) whether that code stands for the hands with the players swapped."""
    child_mirror: BoolArray
    """(p, n, n) whether the hands left are their own mirror."""
    mirror: BoolArray
    """(p,) whether the hands are their own mirror."""


class Nodes(NamedTuple):
    """Nodes of one tier, each standing for the node asked about; arrays of one shape."""

    codes: IntArray
    prizes: IntArray
    carried: IntArray
    lead: IntArray
    sign: IntArray
    """-1 where the value must be negated because the players were swapped."""
    known: BoolArray
    """Where the value needs no table."""
    value: ValueArray
    """That value, already from the asker's side; 0 elsewhere."""
    zero: BoolArray
    """Where the node is its own mirror and worth 0, though there is something left to play."""


class Reducer:
    """Knows which nodes share a value, for one set of rules and one objective.

    Parameters
    ----------
    rules : Rules
    objective : Objective
    lead_low, lead_high : int
        Leads that a solve can start from; they bound the leads that can end a game.
    reductions : Reductions
    exact : bool
        Whether values are `Fraction`.
    carried : int
        Points on the table at the start that are not among the prizes of `rules`.
    """

    def __init__(
        self,
        rules: Rules,
        objective: Objective,
        lead_low: int = 0,
        lead_high: int = 0,
        reductions: Reductions | None = None,
        exact: bool = False,
        carried: int = 0,
    ) -> None:
        self.rules = rules
        self.objective = objective
        self.exact = exact
        reductions = reductions or Reductions()
        self.codes = hand_codes(rules, reductions.patterns)
        self.prizes = prize_sets(rules)
        self.ignores_lead = objective.ignores_lead and reductions.drop_lead
        reach = sum(map(abs, rules.prizes)) + abs(carried)
        self._rounding = 0.0
        self.start_leads = (lead_low, lead_high)
        self.final_leads = (lead_low - reach, lead_high + reach)
        self._flat = FlatParts(objective, *self.final_leads, reductions.decided)
        same_codes = isinstance(self.codes, Patterns) or rules.hand_a == rules.hand_b
        self.swap = reductions.swap and same_codes and self._flat.odd
        self.reductions = Reductions(
            patterns=isinstance(self.codes, Patterns),
            swap=self.swap,
            drop_lead=self.ignores_lead,
            decided=reductions.decided,
        )

    def rounds_left(self, tier: int) -> int:
        """Return how many rounds are still played with `tier` cards in hand."""
        return self.rules.rounds - (self.rules.cards - tier)

    def values(self, shape: int | tuple[int, ...]) -> ValueArray:
        """Return an array of zeros that can hold values."""
        return np.zeros(shape, object if self.exact else np.float64)

    def utility(self, leads: IntArray) -> ValueArray:
        """Return A's utility at each final lead; 0, nothing more to gain, if leads are dropped."""
        if self.ignores_lead:
            return self.values(leads.shape)
        distinct, where = np.unique(leads, return_inverse=True)
        table = self.values(len(distinct))
        for row, lead in enumerate(distinct.tolist()):
            goal = self.objective
            if self.exact:
                table[row] = Fraction(goal(lead))
                continue
            table[row] = goal.as_float(lead)
            if table[row] != goal(lead):  # Python compares a float and a fraction exactly
                self._rounding = max(self._rounding, UNIT_ROUNDOFF * abs(table[row]))
        return np.asarray(table[where].reshape(leads.shape))

    @property
    def utility_error(self) -> float:
        """Bound on the error of every utility given so far, their rounding to floats included."""
        return self.objective.error + self._rounding

    def hands(self, tier: int, codes: IntArray) -> Hands:
        """Return what bidding does to pairs of hands with these codes (ascending, distinct)."""
        ranks_a, ranks_b = self.codes.decode(codes, tier)
        left = children(self.codes, ranks_a, ranks_b)
        mirror, left_mirror = codes, left
        if self.swap:
            mirror = self.codes.mirror(codes, tier)
            left_mirror = self.codes.mirror(left, tier - 1)
        return Hands(
            codes=codes,
            comparison=comparisons(ranks_a, ranks_b),
            child=np.minimum(left, left_mirror),
            child_swapped=left_mirror < left,
            child_mirror=(left == left_mirror) & self.swap,
            mirror=(codes == mirror) & self.swap,
        )

    def represent(
        self, tier: int, ranks_a: IntArray, ranks_b: IntArray,
        prizes: IntArray, carried: IntArray, lead: IntArray,
    ) -> Nodes:
        """Return the nodes that stand for states given by their hands, shape (k, tier) each."""
        codes = self.codes.encode(ranks_a, ranks_b)
        mirror = self.codes.mirror(codes, tier) if self.swap else codes
        return self._stand_ins(
            tier, np.minimum(codes, mirror), mirror < codes, (mirror == codes) & self.swap,
            prizes, carried, lead,
        )

    def after_bids(
        self, tier: int, hands: Hands, rows: IntArray,
        hidden: IntArray, stake: IntArray, lead: IntArray,
    ) -> tuple[Nodes, IntArray]:
        """Return the nodes after every pair of bids at k stage games, and the points A gains.

        Parameters
        ----------
        tier : int
            Cards in each hand at the stage games.
        hands : Hands
            Pairs of hands of that tier.
        rows : array of int, shape (k,)
            The pair of hands of each stage game.
        hidden, stake, lead : array of int, shape (k,)
            Prizes still hidden, points on offer, A's lead before the round.

        Returns
        -------
        nodes : Nodes
            Arrays of shape (k, n, n), for A's card i and B's card j.
        change : array of int, shape (k, n, n)
            Points that A gains on B in the round.
        """
        comparison = hands.comparison[rows]
        wide = np.broadcast_to(stake[:, None, None], comparison.shape)
        change, carried = lead_change(self.rules, wide, comparison)
        nodes = self._stand_ins(
            tier - 1, hands.child[rows], hands.child_swapped[rows], hands.child_mirror[rows],
            np.broadcast_to(hidden[:, None, None], comparison.shape),
            carried, lead[:, None, None] + change,
        )
        return nodes, change

    def zero_by_symmetry(self, mirror: BoolArray, lead: IntArray) -> BoolArray:
        """Return where a node that is its own mirror is worth 0."""
        return np.asarray(mirror & (lead == 0))

    def decided(self, tier: int, prizes: IntArray, on_table: IntArray, lead: IntArray) -> BoolArray:
        """Return where nothing that can still happen changes the utility.

        `on_table` is the carried sum, or the stake where a prize is exposed; `prizes` are those
        hidden, of which as many as there are rounds left can be exposed (with a stake on the
        table, one fewer; the bound is then a little wide, which does no harm).
        """
        if self.rounds_left(tier) == 0:
            return np.ones(lead.shape, np.bool_)
        if self.ignores_lead:
            return np.zeros(lead.shape, np.bool_)
        reach = self._reach(tier, prizes, on_table)
        return self._flat.constant(lead - reach, lead + reach)

    def _reach(self, tier: int, prizes: IntArray, on_table: IntArray) -> IntArray:
        """Return how far a lead can still change at the most."""
        return np.abs(on_table) + self.prizes.largest_total(prizes, self.rounds_left(tier))

    def _stand_ins(
        self, tier: int, codes: IntArray, swapped: BoolArray, mirror: BoolArray,
        prizes: IntArray, carried: IntArray, lead: IntArray,
    ) -> Nodes:
        if self.ignores_lead:
            lead = np.zeros_like(lead)
        known = self.decided(tier, prizes, carried, lead)
        value = self.values(lead.shape)
        value[known] = self.utility(lead[known])
        flipped = swapped | (mirror & (lead < 0))
        sign = np.where(flipped, -1, 1)
        zero = self.zero_by_symmetry(mirror, lead) & ~known
        if not self._flat.odd_everywhere and zero.any():
            # A what-if sum can end a game at leads where the utility was not looked at.
            zero[zero] = self._reach(tier, prizes[zero], carried[zero]) <= self._flat.bound
        return Nodes(codes, prizes, carried, lead * sign, sign, known, value, zero)


class FlatParts:
    """Where a utility is constant, and whether it is odd, on a range of leads."""

    def __init__(self, objective: Objective, low: int, high: int, look: bool) -> None:
        self._sign = objective.name == "win"
        self._low = low
        self._until: IntArray | None = None
        self._look = look
        self.bound = max(abs(low), abs(high))
        narrow = 2 * self.bound < MOST_LEADS
        self.odd_everywhere = objective.name in NAMED_OBJECTIVES
        self.odd = self.odd_everywhere or (narrow and objective.is_odd(range(self.bound + 1)))
        if self.odd:
            # Swapping the players turns a lead round.
            self._low = low = -self.bound
            high = self.bound
        if look and narrow and not self.odd_everywhere:
            known = [objective.known(lead) for lead in range(low, high + 1)]
            until = np.arange(len(known))
            for i in range(len(known) - 2, -1, -1):
                if known[i] is not None and known[i] == known[i + 1]:
                    until[i] = until[i + 1]
            self._until = until

    def constant(self, low: IntArray, high: IntArray) -> BoolArray:
        """Return where the utility is the same at every lead from `low` to `high`."""
        if not self._look:
            return np.zeros(low.shape, np.bool_)
        if self._sign:
            return np.asarray((low > 0) | (high < 0) | (low == high))
        if self._until is None:
            return np.asarray(low == high)
        inside = (low >= self._low) & (high < self._low + len(self._until))
        first = np.where(inside, low - self._low, 0)
        return inside & (self._until[first] >= high - self._low)
