"""The tree of a game, for tools that follow every history of play.

Chance acts where several prizes can come next, the players where one of them has a choice; all
else plays itself. Actions are positions, from 0: of a bid among the player's distinct ranks, of a
prize among the distinct prizes.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property, lru_cache, partial

from gops_lab.game import Round, Rules, State, expose, play_round, rounds_left, start, upcards

MOST_POSITIONS = 1 << 16
"""How many positions a game remembers the continuations of."""


@dataclass(frozen=True)
class Position:
    """Where a play stands: the state, and the rounds that led to it."""

    table: State
    past: tuple[Round, ...] = ()

    def __deepcopy__(self, memo: object) -> Position:
        """Return itself: nothing in it can change, and OpenSpiel copies its states all the time."""
        return self


class Tree:
    """The positions of one game in which chance or a player acts, and how they follow.

    Parameters
    ----------
    rules : Rules
    """

    def __init__(self, rules: Rules) -> None:
        self.rules = rules
        self.ranks = tuple(tuple(sorted(set(hand))) for hand in (rules.hand_a, rules.hand_b))
        self.prizes = tuple(sorted(set(rules.prizes)))
        self.exposed = lru_cache(MOST_POSITIONS)(self._exposed)
        self.bid = lru_cache(MOST_POSITIONS)(self._bid)
        # Many histories lead to a state: what follows from it is found once.
        self._upcards = lru_cache(MOST_POSITIONS)(partial(upcards, rules))
        self._expose = lru_cache(MOST_POSITIONS)(partial(expose, rules))
        self._play_round = lru_cache(MOST_POSITIONS)(partial(play_round, rules))

    @cached_property
    def root(self) -> Position:
        """Where play begins."""
        return self._settled(Position(start(self.rules)))

    def is_over(self, position: Position) -> bool:
        """Whether no round is left."""
        return position.table.upcard is None and rounds_left(self.rules, position.table) == 0

    def chances(self, position: Position) -> list[tuple[int, Fraction]]:
        """Return the prizes that can come next, as actions, each with its probability."""
        possible = self._upcards(position.table)
        return [(self.prizes.index(prize), chance) for prize, chance in possible.items()]

    def legal(self, position: Position, player: int) -> list[int]:
        """Return a player's bids as actions, ascending."""
        hand = (position.table.hand_a, position.table.hand_b)[player]
        return [self.ranks[player].index(rank) for rank in sorted(set(hand))]

    def replayed(self, actions: Sequence[int]) -> Position:
        """Return the position after actions as they stand in an OpenSpiel history.

        A bid of A that B has not answered yet counts for nothing.
        """
        position = self.root
        rest = list(actions)
        while rest and not self.is_over(position):
            if position.table.upcard is None:
                position = self.exposed(position, rest.pop(0))
            elif len(rest) == 1:
                break
            else:
                position = self.bid(position, rest.pop(0), rest.pop(0))
        return position

    def _exposed(self, position: Position, action: int) -> Position:
        table = self._expose(position.table, self.prizes[action])
        return self._settled(Position(table, position.past))

    def _bid(self, position: Position, action_a: int, action_b: int) -> Position:
        bids = self.ranks[0][action_a], self.ranks[1][action_b]
        done, table = self._play_round(position.table, *bids)
        return self._settled(Position(table, (*position.past, done)))

    def _settled(self, position: Position) -> Position:
        """Return the next position in which there is something to decide."""
        table = position.table
        if table.upcard is None:
            possible = self._upcards(table)
            if len(possible) != 1:
                return position
            upcard = next(iter(possible))
            return self._settled(Position(self._expose(table, upcard), position.past))
        if len(set(table.hand_a)) > 1 or len(set(table.hand_b)) > 1:
            return position
        done, after = self._play_round(table, table.hand_a[0], table.hand_b[0])
        return self._settled(Position(after, (*position.past, done)))


def seen(table: State) -> str:
    """Return a state as text: all that matters from here on, and nothing else.

    Examples
    --------
    >>> seen(State((1, 3), (2, 3), (2,), upcard=3, lead=1))
    'A 1 3 | B 2 3 | hidden 2 | upcard 3 | carried 0 | lead 1'
    """
    a, b, hidden = (
        " ".join(["", *map(str, cards)]) for cards in (table.hand_a, table.hand_b, table.prizes)
    )
    upcard = "-" if table.upcard is None else table.upcard
    return (
        f"A{a} | B{b} | hidden{hidden} | upcard {upcard} | carried {table.carried} "
        f"| lead {table.lead}"
    )


def recalled(position: Position) -> str:
    """Return a history as text: upcard, A's bid and B's of every round, then the upcard.

    Examples
    --------
    >>> tree = Tree(Rules(cards=3))
    >>> recalled(tree.replayed([2, 0, 1, 0]))
    '3:1-2 1:'
    """
    rounds = [f"{done.upcard}:{done.bid_a}-{done.bid_b}" for done in position.past]
    if position.table.upcard is not None:
        rounds.append(f"{position.table.upcard}:")
    return " ".join(rounds)
