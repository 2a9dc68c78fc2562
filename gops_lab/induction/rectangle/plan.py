"""What a sweep will solve, tier by tier, known before anything is solved."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

import numpy as np

from gops_lab.encoding.patterns import IntArray, Patterns, mirrored
from gops_lab.errors import RulesError
from gops_lab.game import MARGIN, Objective, Rules
from gops_lab.induction.rectangle.kernels import MOST_BIDS, reach
from gops_lab.induction.rectangle.layout import Layout, Layouts
from gops_lab.induction.rectangle.rows import MOST_LEADS, RowLayouts, Rows

GAMES_PER_SHARD = 2_000_000
"""Stage games of a work unit: a fraction of a second."""

FLOATS_UP_TO = 2**32
"""Where no dtype is asked for, values that would take more bytes as float64 are kept as int32."""

MOST_PRIZES = 20
"""Prize sets are enumerated, all of them."""


def supports(
    rules: Rules, objective: Objective, start_leads: tuple[int, int] = (0, 0)
) -> str:
    """Return why the rectangle sweep cannot solve a game, or ``""`` if it can."""
    if any(len(set(hand)) < len(hand) for hand in (rules.hand_a, rules.hand_b)):
        return "a hand holds a rank twice"
    if rules.cards > MOST_BIDS:
        return f"hands of {rules.cards} cards are larger than {MOST_BIDS}"
    if rules.known_order is None and len(rules.prizes) > MOST_PRIZES:
        return f"{len(rules.prizes)} prizes are more than {MOST_PRIZES}"
    if objective.ignores_lead:
        return ""
    reach = sum(map(abs, rules.prizes))
    leads = start_leads[1] - start_leads[0] + 2 * reach + 1
    if leads > MOST_LEADS:
        return f"{leads} leads are more than {MOST_LEADS}"
    for lead in range(start_leads[0] - reach, start_leads[1] + reach + 1):
        if objective.known(lead) is None:
            return f"objective {objective.name!r} has no value at lead {lead}"
    return ""


def leads_do_not_count(rules: Rules, objective: Objective) -> bool:
    """Whether games are laid out by prize sets alone (`layout`), else by leads too (`rows`)."""
    return objective.ignores_lead and rules.known_order is None


@dataclass(frozen=True, eq=False)
class TierPlan:
    """The states with n cards in each hand.

    Attributes
    ----------
    tier : int
        n.
    codes : array of int64, shape (k,)
        Pattern codes, ascending; canonical ones where the layouts say that swapping the players
        negates values. The pattern of two equal hands may be left out, its values being 0.
    classes : array of int64, shape (k,)
        The most prizes that can be carried at each pattern; see `layout`.
    ways : array of int64, shape (k,)
        The ways that lead to each pattern, as bits; see `rows`.
    kinds : array of int64, shape (g, 2)
        The different pairs of class and ways, ascending: patterns of one have the same positions.
    groups : array of int64, shape (k,)
        Which of them each pattern has.
    offsets : array of int64, shape (k + 1,)
        Where each pattern's values begin in the tier's array; the last entry is its length.
    game_offsets : array of int64, shape (k + 1,)
        Stage games of all patterns before each.
    size : int
        Prizes still to come, those that will stay hidden included.
    layouts : Layouts or RowLayouts
    low_bid : bool
        Whether the lower bid takes a stake below 0.
    drop_dominated : bool
        Whether bids that a lower one dominates are left out of stage games.
    shards : tuple of (int, int)
        Ranges of patterns that are solved as one work unit.
    """

    tier: int
    codes: IntArray
    classes: IntArray
    ways: IntArray
    kinds: IntArray
    groups: IntArray
    offsets: IntArray
    game_offsets: IntArray
    size: int
    layouts: Layouts | RowLayouts
    low_bid: bool
    drop_dominated: bool
    shards: tuple[tuple[int, int], ...]

    @property
    def games(self) -> int:
        """Stage games to solve."""
        return int(self.game_offsets[-1])

    @cached_property
    def values(self) -> int:
        """Values of states before the next exposure, without padding."""
        counts = np.bincount(self.groups)
        return sum(
            count * self.layout(kind).count(ways)
            for (kind, ways), count in zip(self.kinds.tolist(), counts.tolist(), strict=True)
        )

    @property
    def most_points(self) -> float:
        """A bound on the absolute value of every payoff and value."""
        return self.layouts.largest

    @property
    def length(self) -> int:
        """Numbers in the tier's array of values, padding included."""
        return int(self.offsets[-1])

    def layout(self, kind: int) -> Layout | Rows:
        """Return the layout of the values of patterns of one class."""
        return self.layouts.values(self.size, kind)


def layout_name(tier: TierPlan) -> str:
    """Return how a tier's values are laid out: ``blocks`` (see `layout`) or ``rows``."""
    return "blocks" if isinstance(tier.layouts, Layouts) else "rows"


@dataclass(frozen=True, eq=False)
class SweepPlan:
    """All tiers of a sweep.

    Attributes
    ----------
    rules : Rules
    tiers : tuple of TierPlan
        The lowest first: the order in which they are solved.
    games_per_shard : int
        About how many stage games make a work unit.
    """

    rules: Rules
    tiers: tuple[TierPlan, ...]
    games_per_shard: int

    @property
    def games(self) -> int:
        """Stage games to solve."""
        return sum(tier.games for tier in self.tiers)

    @property
    def values(self) -> int:
        """Values to keep, all tiers, without padding."""
        return sum(tier.values for tier in self.tiers)

    def kept(self, keep: str | int) -> int:
        """Return how many tiers are kept if so many of the highest, or "all", are asked for."""
        return kept_of(len(self.tiers), keep)

    def held(self, keep: str | int) -> int:
        """Return how many numbers are held at the same time, padding included.

        Tiers that are not kept are held until the next is solved.
        """
        return held_at_once([tier.length for tier in self.tiers], keep)

    def dtype(self, keep: str | int) -> str:
        """Return what values are kept as where nothing is asked for; see `FLOATS_UP_TO`."""
        return "float64" if 8 * self.held(keep) <= FLOATS_UP_TO else "int32"


def kept_of(tiers: int, keep: str | int) -> int:
    """Return how many of some tiers are kept if so many of the highest, or "all", are asked for."""
    return tiers if keep == "all" else min(int(keep), tiers)


def held_at_once(lengths: Sequence[int], keep: str | int) -> int:
    """Return the largest sum of the lengths of the tiers that are held at the same time.

    Parameters
    ----------
    lengths : sequence of int
        Of all tiers, the lowest first: the order in which they are solved.
    keep : "all" or int
        How many of the highest tiers are kept; the others are held until the next is solved.

    Examples
    --------
    >>> held_at_once([10, 50, 30, 1], 1), held_at_once([10, 50, 30, 1], "all")
    (80, 91)
    """
    first_kept = len(lengths) - kept_of(len(lengths), keep)
    passing = [low + high for low, high in list(pairwise(lengths))[:first_kept]]
    at_the_end = sum(lengths[max(0, first_kept - 1) :])
    return max([at_the_end, *passing])


def may_drop_dominated(rules: Rules, objective: Objective, start_leads: tuple[int, int]) -> bool:
    """Return whether bids that a lower one dominates may be left out.

    No prize may be below 0 and no lead worth less than a lower one; see the theory page.

    Examples
    --------
    >>> may_drop_dominated(Rules(cards=4), MARGIN, (0, 0))
    True
    >>> may_drop_dominated(Rules(cards=2, prizes=(-1, 2)), MARGIN, (0, 0))
    False
    """
    return _may_drop(rules, _layouts(rules, objective, start_leads))


def _may_drop(rules: Rules, layouts: Layouts | RowLayouts) -> bool:
    return layouts.rising and min(rules.prizes) >= 0


def _layouts(
    rules: Rules, objective: Objective, start_leads: tuple[int, int], spent: int | None = None
) -> Layouts | RowLayouts:
    """Return where values stand in the tables of a game."""
    if not leads_do_not_count(rules, objective):
        return RowLayouts(rules, objective, start_leads, spent)
    return Layouts(rules.prizes, rules.tie_rule.carried == 1, spent)


def plan_sweep(
    rules: Rules,
    objective: Objective = MARGIN,
    start_leads: tuple[int, int] = (0, 0),
    start_codes: IntArray | None = None,
    games_per_shard: int | None = None,
    lowest: int = 1,
    drop_dominated: bool = True,
    upcard: int | None = None,
) -> SweepPlan:
    """Return what has to be solved below some pairs of hands.

    Parameters
    ----------
    rules : Rules
    objective : Objective
    start_leads : tuple of int
        The lowest and the highest lead to start from. `supports` must accept all three.
    start_codes : array of int64, optional
        Rank patterns of the hands to start from, with as many cards as the rules; default those of
        the rules.
    games_per_shard : int, optional
        About how many stage games make a work unit; default `GAMES_PER_SHARD`.
    lowest : int
        Cards in hand of the lowest tier to plan; no tier is left out above it.
    drop_dominated : bool
        Whether to leave out bids that a lower one dominates, where `may_drop_dominated`.
    upcard : int, optional
        The prize that is exposed first: what follows another is left out, and the highest tier,
        which is before the exposure. Everything is planned where the order is known.

    Raises
    ------
    RulesError
        If a start code is no pattern of that many cards.
    """
    spent, highest = None, rules.cards
    if upcard is not None and rules.known_order is None:
        # Of equal prizes, sets hold the first.
        spent, highest = bisect_right(rules.prizes, upcard) - 1, highest - 1
    layouts = _layouts(rules, objective, start_leads, spent)
    patterns = Patterns(repeats=False)
    if start_codes is None:
        hands = (np.array([hand], np.int64) for hand in (rules.hand_a, rules.hand_b))
        start_codes = patterns.encode(*hands)
    if layouts.swap:
        start_codes = np.minimum(start_codes, mirrored(start_codes))
    codes = np.unique(start_codes)
    if not np.array_equal(patterns.encode(*patterns.decode(codes, rules.cards)), codes):
        raise RulesError(f"start_codes must all be patterns of {rules.cards} cards")
    classes = np.zeros(len(codes), np.int64)
    ways = np.zeros((len(codes), MOST_BIDS), np.int64)
    if isinstance(layouts, RowLayouts):
        ways[:, 0] = 1
    extra = len(rules.prizes) - rules.rounds
    games_per_shard = games_per_shard or GAMES_PER_SHARD
    drop_dominated = drop_dominated and _may_drop(rules, layouts)
    tiers = []
    if highest < rules.cards:
        codes, classes, ways = _patterns_below(codes, classes, ways, 0, rules, layouts.swap)
    for tier in range(highest, max(rules.cards - rules.rounds, lowest - 1), -1):
        rounds = tier - (rules.cards - rules.rounds)
        kept = _kept(codes, classes, ways, layouts)
        size = rounds + extra
        lengths = np.zeros(len(kept[0]), np.int64)
        games = np.zeros(len(kept[0]), np.int64)
        kinds, groups = np.unique(np.column_stack(kept[1:]), axis=0, return_inverse=True)
        for number, (kind, bits) in enumerate(kinds.tolist()):
            lengths[groups == number] = layouts.values(size, kind).length(bits)
            games[groups == number] = layouts.games(size - 1, kind).count(bits)
        offsets, game_offsets = (
            np.concatenate(([0], np.cumsum(each))) for each in (lengths, games)
        )
        shards = _shards(game_offsets, games_per_shard)
        low_bid = rules.negative_stakes == "low_bid"
        tiers.append(
            TierPlan(
                tier, *kept, kinds, groups, offsets, game_offsets, size, layouts, low_bid,
                drop_dominated, shards,
            )
        )
        if tier > lowest:
            played = rules.cards - tier
            codes, classes, ways = _patterns_below(
                codes, classes, ways, played, rules, layouts.swap
            )
    return SweepPlan(rules, tuple(reversed(tiers)), games_per_shard)


def _kept(
    codes: IntArray, classes: IntArray, ways: IntArray, layouts: Layouts | RowLayouts
) -> tuple[IntArray, IntArray, IntArray]:
    """Return the patterns to solve of those there are, their classes, and ways as bits."""
    own = codes == mirrored(codes)
    if isinstance(layouts, Layouts):
        # Where the lead does not count, how it came about does not either.
        return codes[~own], classes[~own], np.full(np.count_nonzero(~own), -1, np.int64)
    bits = _as_bits(ways)
    if layouts.keeps_mirror:
        return codes, classes, bits
    return codes[~own], classes[~own], bits[~own]


def _as_bits(ways: IntArray) -> IntArray:
    """Return ways as bits 8 x + y, 7 standing for 7 and more."""
    bits = np.zeros(len(ways), np.int64)
    for x in range(ways.shape[1]):
        few = ways[:, x] & 0x7F
        many = (ways[:, x] >> 7 != 0).astype(np.int64) << 7
        bits |= (few | many) << (8 * min(x, 7))
    return bits


def _patterns_below(
    codes: IntArray, classes: IntArray, ways: IntArray, played: int, rules: Rules, swap: bool
) -> tuple[IntArray, IntArray, IntArray]:
    """Return the patterns one round below, their classes, and the ways there."""
    carry = rules.tie_rule.carried == 1
    low_bid = rules.negative_stakes == "low_bid" and min(rules.prizes) < 0
    capacity = 1024
    notes = np.zeros(4 * MOST_BIDS, np.int64)
    while True:
        keys = np.full(capacity, -1, np.int64)
        most = np.zeros(capacity, np.int64)
        there = np.zeros((capacity, MOST_BIDS), np.int64)
        arguments = (codes, classes, ways, played, swap, carry, low_bid)
        if reach(*arguments, keys, most, there, notes) >= 0:
            break
        capacity *= 4
    order = np.argsort(keys)
    order = order[np.count_nonzero(keys < 0) :]
    return keys[order], most[order], there[order]


def _shards(game_offsets: IntArray, per_shard: int) -> tuple[tuple[int, int], ...]:
    """Return ranges of patterns with about as many games each as asked for, one at least."""
    shards = []
    first = 0
    while first < len(game_offsets) - 1:
        last = int(np.searchsorted(game_offsets, game_offsets[first] + per_shard, "right")) - 1
        shards.append((first, max(last, first + 1)))
        first = shards[-1][1]
    return tuple(shards)
