"""Payoffs against a strategy that does not look at its opponent's hand.

Such a strategy goes its own way whatever the responder still holds, so everything but the
responder's hand (the strategy's hand, the prizes, what is carried) forms a small set of *courses*,
and values are a rectangle: courses times all hands of one size, the hands side by side in memory.
This is how the full deck is reached: 13 cards against match-the-prize are 10 million states, but
only 8,192 courses. Hands that cannot come about together with a course are valued all the same.

The numbers are those of `gops_lab.strategies.response`, found more quickly.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from gops_lab.encoding import CardSets, Encoder, StateBatch
from gops_lab.encoding.patterns import IntArray
from gops_lab.errors import EvaluationError
from gops_lab.game import Rules, lead_change
from gops_lab.strategies.observations import observe
from gops_lab.strategies.states import StateSpace
from gops_lab.strategies.strategy import Strategy, checked

Floats = npt.NDArray[np.float64]

MOST_VALUES = 400_000_000
"""Most values of two neighbouring tiers kept at once."""


def payoff_on_hand_axis(
    rules: Rules,
    fixed: Strategy,
    follow: Strategy | None = None,
    progress: Callable[[int, int, int], None] | None = None,
) -> float:
    """Return the points A gains on B with a strategy in seat B that does not look at A's hand.

    Parameters
    ----------
    rules : Rules
    fixed : Strategy
        In seat B; may look at neither its opponent's hand nor the lead.
    follow : Strategy, optional
        In seat A; may look neither at the lead nor, this way, at B's hand. Default: a best
        response.
    progress : callable, optional
        Called as ``progress(cards_in_hand, courses_valued, courses_with_so_many)``.

    Returns
    -------
    float
        Expected final lead of A; points.

    Raises
    ------
    EvaluationError
        If a strategy looks at what it may not, or there are too many states.

    Examples
    --------
    Matching the prize against uniform play gains (N * N - 1) / 6 points (Ross 1971).

    >>> from gops_lab.strategies.simple import MatchPrize, Uniform
    >>> rules = Rules(cards=8, ties="discard")
    >>> round(-payoff_on_hand_axis(rules, MatchPrize(), Uniform()), 12)
    10.5
    """
    for name, strategy in (("fixed", fixed), ("follow", follow)):
        if strategy is not None and strategy.sees & {"opponent", "lead"}:
            raise EvaluationError(
                f"{name} strategy {strategy.name!r} looks at its opponent's hand or the lead; "
                "follow it state by state"
            )
    courses = _Courses(rules, fixed)
    hands = CardSets(rules.hand_a)
    size = rules.cards - rules.rounds
    masks = hands.of_size(size)
    values = np.zeros((courses.ends, len(masks)))
    for tier in reversed(courses.tiers):
        size += 1
        wider = hands.of_size(size)
        if (len(tier.keys) * len(wider)) + values.size > MOST_VALUES:
            raise EvaluationError(
                f"{len(tier.keys):,} courses times {len(wider):,} hands of {rules!r} are too many "
                "to follow exactly; use a simulation"
            )
        values = _valued(courses, tier, values, _HandsOfSize(hands, wider, masks, size), follow)
        if progress is not None:
            progress(size, len(values), len(values))
        masks = wider
    return float(values[0, 0])


@dataclass(frozen=True, eq=False)
class _Tier:
    keys: IntArray
    """Courses before an exposure, ascending."""
    stages: StateBatch
    """Courses with an upcard; A's hand in them stands for any."""
    owner: IntArray
    share: Floats
    answer: Floats
    """(k, ranks of B)."""
    follows: IntArray
    """(k, ranks of B, 3) row of the next tier after A bids lower, level, higher."""
    change: IntArray
    """(3, k) points that A gains."""


class _Courses:
    """All the ways a strategy in seat B can go, whatever A holds."""

    def __init__(self, rules: Rules, fixed: Strategy) -> None:
        start = Encoder(rules).start()
        self.space = space = StateSpace(rules, start, lead=False, ranks=True)
        encoder = space.encoder
        keys = space.pack_states(start)
        self.tiers: list[_Tier] = []
        any_hand = encoder.hands[0]
        outcomes = np.array([-1, 0, 1])
        for size in range(rules.cards, rules.cards - rules.rounds, -1):
            batch = space.unpack(keys)
            stages = space.stages(batch)
            answer = checked(fixed, observe(encoder, stages.batch, "b"))
            stake = stages.batch.stake
            change, carried = lead_change(rules, stake, outcomes[:, None])
            left = encoder.hands[1].remove(
                stages.batch.hand_b[:, None], np.arange(answer.shape[1])
            )
            # A's hand is a mere placeholder of the right size.
            placeholder = any_hand.of_size(size - 1)[:1]
            after = space.pack(
                placeholder[:, None, None],
                left[:, :, None],
                stages.batch.prizes[:, None, None],
                carried.T[:, None, :],
                np.zeros((1, 1, 1), np.int64),
            )
            comes = np.broadcast_to((answer > 0)[:, :, None], after.shape)
            below = np.unique(after[comes])
            follows = np.searchsorted(below, after).clip(max=len(below) - 1)
            self.tiers.append(
                _Tier(
                    keys, stages.batch, stages.owner, stages.chances(exact=False), answer,
                    follows, change,
                )
            )
            keys = below
        self.ends = len(keys)
        """How many courses there are when the last round is over."""


class _HandsOfSize:
    """All hands of one size, and which hand each card leaves behind."""

    def __init__(self, sets: CardSets, masks: IntArray, smaller: IntArray, size: int) -> None:
        self.sets = sets
        self.masks = masks
        self.cards = sets.members(masks, size)
        """(h, size) ranks."""
        group = sets.find(self.cards)
        self.rank = group
        self.left = np.searchsorted(smaller, sets.remove(masks[:, None], group))
        """(h, size) position among the smaller hands."""
        same = self.cards[:, :, None] == self.cards[:, None, :]
        self.copies = same.sum(axis=2)
        """(h, size) how many cards of that rank are held."""


def _valued(
    courses: _Courses, tier: _Tier, below: Floats, hands: _HandsOfSize, follow: Strategy | None
) -> Floats:
    """Return the value of each course and hand of a tier, from those of the tier below."""
    encoder = courses.space.encoder
    ranks_b = encoder.hands[1].distinct
    values = np.zeros((len(tier.keys), len(hands.masks)))
    width = below.shape[1]
    flat = below.ravel()
    # 0 where A's card is lower than B's rank, 1 where level, 2 where higher.
    outcome = np.sign(hands.cards[None] - ranks_b[:, None, None]) + 1
    kept: dict[tuple[int, ...], Floats] = {}
    for row in range(len(tier.stages)):
        worth = np.zeros(hands.cards.shape)
        for bid in np.flatnonzero(tier.answer[row]):
            next_row = tier.follows[row, bid]
            change = tier.change[:, row].astype(np.float64)
            if (next_row == next_row[0]).all():
                part = below[next_row[0]][hands.left]
            else:
                part = flat[(next_row * width)[outcome[bid]] + hands.left]
            worth += tier.answer[row, bid] * (part + change[outcome[bid]])
        if follow is None:
            chosen = worth.max(axis=1)
        else:
            chosen = (worth * _followed(courses, tier, row, hands, follow, kept)).sum(axis=1)
        values[tier.owner[row]] += tier.share[row] * chosen
    return values


def _followed(
    courses: _Courses, tier: _Tier, row: int, hands: _HandsOfSize, follow: Strategy,
    kept: dict[tuple[int, ...], Floats],
) -> Floats:
    """Return the probability of each card of each hand at one course, shape (h, cards).

    Answers are remembered by what the strategy looks at.
    """
    stage = tier.stages[np.array([row])]
    looks = {"prizes": stage.prizes, "upcard": stage.upcard, "carried": stage.carried}
    key = tuple(int(looks[name][0]) for name in sorted(looks) if name in follow.sees)
    if key not in kept:
        many = stage[np.zeros(len(hands.masks), np.int64)]
        batch = StateBatch(
            hands.masks, many.hand_b, many.prizes, many.upcard, many.exposed, many.carried,
            many.lead,
        )
        answer = checked(follow, observe(courses.space.encoder, batch, "a"))
        kept[key] = np.take_along_axis(answer, hands.rank, axis=1) / hands.copies
    return kept[key]
