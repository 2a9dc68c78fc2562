"""Sets of prizes as the bit masks of a folder, and what can be carried there."""

from __future__ import annotations

from functools import lru_cache
from itertools import combinations, pairwise

from gops_lab.game.rules import Rules


class PrizeSets:
    """The prizes of a game, and the masks that stand for sets of them.

    Parameters
    ----------
    game : Rules

    Examples
    --------
    >>> sets = PrizeSets(Rules(cards=3, prizes=(2, 2, 5)))
    >>> sets.mask((2, 5)), sets.prizes(0b110), sets.masks(2)
    (5, (2, 5), [3, 5])
    >>> sets.carried_sums(0b001, most=2)
    (0, 2, 5, 7)
    """

    def __init__(self, game: Rules) -> None:
        self.ordered = game.known_order is not None
        self.all = game.known_order or game.prizes
        self.carried_sums = lru_cache(maxsize=None)(self._carried_sums)

    def mask(self, prizes: tuple[int, ...]) -> int:
        """Return the mask of prizes still to come; of equal ones it has the lowest bits."""
        if self.ordered:
            return ((1 << len(prizes)) - 1) << (len(self.all) - len(prizes))
        mask = 0
        for prize in set(prizes):
            first = self.all.index(prize)
            mask |= ((1 << prizes.count(prize)) - 1) << first
        return mask

    def prizes(self, mask: int) -> tuple[int, ...]:
        """Return the prizes of a mask, sorted or in the order of play."""
        return tuple(prize for bit, prize in enumerate(self.all) if mask >> bit & 1)

    def masks(self, size: int) -> list[int]:
        """Return the masks of all sets of so many prizes that can be left, ascending."""
        if self.ordered:
            return [self.mask(self.all[len(self.all) - size :])]
        return sorted(mask for mask in self.every_mask(size) if self._is_lowest(mask))

    def every_mask(self, size: int) -> list[int]:
        """Return all masks of so many bits, equal prizes told apart, in any order."""
        return [sum(1 << bit for bit in bits) for bits in combinations(range(len(self.all)), size)]

    def _is_lowest(self, mask: int) -> bool:
        steps = enumerate(pairwise(self.all))
        return not any(
            one == next_one and not mask >> bit & 1 and mask >> (bit + 1) & 1
            for bit, (one, next_one) in steps
        )

    def _carried_sums(self, mask: int, most: int) -> tuple[int, ...]:
        """Return the sums that one to `most` prizes not in a set can carry, 0 first."""
        spent = [prize for bit, prize in enumerate(self.all) if not mask >> bit & 1]
        sums: set[int] = set()
        if self.ordered:
            for count in range(1, min(most, len(spent)) + 1):
                sums.add(sum(spent[len(spent) - count :]))
        else:
            by_count: list[set[int]] = [{0}] + [set() for _ in range(most)]
            for prize in spent:
                for count in range(most, 0, -1):
                    by_count[count] |= {total + prize for total in by_count[count - 1]}
            sums = set().union(*by_count[1:])
        return 0, *sorted(sums - {0})
