"""How many states a solve will meet, tier by tier, counted without listing them.

A *word* is a rank pattern (`gops_lab.encoding.patterns`) read as letters: a card of A's alone, a
card of B's alone, or a rank both hold. States are a word, the prizes spent, what is carried and,
unless the lead is dropped, the lead. The hands and the prizes meet at one point only: k tied rounds
have spent k ranks of both hands. So words are counted by how many prizes can have been tied
(`hand_classes`), prize sets by how many sums and leads they allow for each (`prize_classes`), and
the products are added up.

Let c be the number of cards common to what A and B have spent, as multisets, in m rounds. The last
k of them can all have been ties, and the one before not, for ``k = 0 .. c`` if the two differ; if
they are equal (c = m) every k is possible but m - 1, for a last pair of equal cards would tie too.

Under ``margin`` the count is exact, unless hands hold a common rank twice under carry-over or are
too long for patterns. With a lead it is an upper bound: every prize that was not tied
is taken to be won by either player, whatever the bids; a lead that can no longer be overturned is
left out as the sweep leaves it out.

Of mirrored states one is counted, and none of those that are worth 0 by symmetry.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from gops_lab.game.objectives import as_objective
from gops_lab.game.rules import Rules
from gops_lab.induction.hand_classes import hand_classes
from gops_lab.induction.prize_classes import prize_classes
from gops_lab.induction.reduction import Reducer


class TierCount(NamedTuple):
    """How much there is of one tier."""

    tier: int
    """Cards in each hand."""
    patterns: int
    """Rank patterns, with their mirrors where those have the same values; pairs of hands where
    patterns are not used."""
    stage_games: int
    """Stage games to solve."""
    values: int
    """Values of states before the next exposure."""


@dataclass(frozen=True)
class Counts:
    """How many states a solve from the start of a game will meet.

    Attributes
    ----------
    tiers : tuple of TierCount
        The highest first.
    exact : bool
        Whether the counts are exact; else they are upper bounds.
    """

    tiers: tuple[TierCount, ...]
    exact: bool

    @property
    def patterns(self) -> int:
        """Rank patterns of all tiers."""
        return sum(tier.patterns for tier in self.tiers)

    @property
    def stage_games(self) -> int:
        """Stage games of all tiers."""
        return sum(tier.stage_games for tier in self.tiers)

    @property
    def values(self) -> int:
        """Values of all tiers."""
        return sum(tier.values for tier in self.tiers)


def count_states(rules: Rules, objective: object = "margin") -> Counts:
    """Return how many patterns, stage games and values a solve from the start has.

    Parameters
    ----------
    rules : Rules
        Any rules; those with very many or very large prizes are bounded in a cheaper way.
    objective : {"margin", "win"}, callable or dict
        As `gops_lab.solve` takes it.

    Returns
    -------
    Counts

    Examples
    --------
    >>> counts = count_states(Rules(cards=13, ties="discard"))
    >>> counts.stage_games, counts.values, counts.exact
    (1338879360, 168258727, True)
    >>> [tier.patterns for tier in counts.tiers]
    [1, 157, 4423, 37401, 110641, 117295, 45207, 8989, 1683, 321, 63, 13, 3]
    """
    reducer = Reducer(rules, as_objective(objective))
    hands = hand_classes(rules, reducer)
    prizes = prize_classes(rules, reducer, hands.tiers)
    tiers: list[TierCount] = []
    for spent, classes in enumerate(hands.tiers):
        patterns = games = values = 0
        for tied, words in classes.items():
            each = prizes.of[spent][tied]
            patterns += words.all
            games += words.all * each.games
            values += words.all * each.values
            if reducer.swap:
                # A word that is its own mirror is worth 0 at lead 0.
                games -= words.mirrored * each.games_at_0
                values -= words.mirrored * each.values_at_0
        if reducer.swap:
            # Rounded up: bounds need not have the symmetry that makes a total even.
            games, values = -(-games // 2), -(-values // 2)
        tiers.append(TierCount(rules.cards - spent, patterns, games, values))
    return Counts(tuple(tiers), hands.exact and prizes.exact)
