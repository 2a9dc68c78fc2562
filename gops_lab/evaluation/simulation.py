"""Many games between two strategies, with error bars.

Games come in blocks. The prizes of block k are drawn from ``SeedSequence(seed, spawn_key=(0, k))``,
the same for every pair of strategies; the bids from ``SeedSequence(seed, spawn_key=(1, pair, k))``.
A result therefore depends on the seed, the pair's number and the number of deals, never on how many
workers shared the work.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from gops_lab.encoding import Encoder
from gops_lab.encoding.patterns import IntArray
from gops_lab.errors import EvaluationError
from gops_lab.evaluation.intervals import student, wilson
from gops_lab.evaluation.play import Draws, Floats, Played, play_block
from gops_lab.game import Rules, checks
from gops_lab.matrix_games.batch import available_cores
from gops_lab.strategies import Strategy

BLOCK = 1024
"""Deals in a block: their random numbers stay in memory that a thread reuses."""

TOGETHER = 4
"""Blocks that a thread plays before it reports, and that strategies are asked about at once: with
fewer, calls take longer than answers; with more, arrays leave the cache and threads go idle at the
usual number of deals."""

MOST_DEALS = 10**11


@dataclass(frozen=True)
class Simulation:
    """What came of many games; everything from A's side.

    Attributes
    ----------
    rules : Rules
    a, b : str
        Names of the strategies; with seats swapped, of the first and the second.
    deals : int
        Independent shuffles (of whole matches, where several games are one match).
    games : int
        Games (or matches) played: deals, or twice as many with seats swapped.
    wins, draws, losses : int
        Games that the first strategy ended ahead, level, behind.
    margin, deviation : float
        Mean and standard deviation, over deals, of its points minus the other's; with seats
        swapped a deal counts with the mean of its two games.
    points_a, points_b : float
        Mean points won in a game.
    tie_rate : float
        Share of rounds with equal bids.
    unclaimed : float
        Mean points that nobody has won at the end.
    seed, pair : int
    games_per_match : int
    swapped : bool
        Whether every deal was played in both seatings.
    """

    rules: Rules
    a: str
    b: str
    deals: int
    games: int
    wins: int
    draws: int
    losses: int
    margin: float
    deviation: float
    points_a: float
    points_b: float
    tie_rate: float
    unclaimed: float
    seed: int
    pair: int
    games_per_match: int
    swapped: bool

    @property
    def win_rate(self) -> float:
        """Share of games that the first strategy ended ahead."""
        return self.wins / self.games

    def win_interval(self, level: float = 0.95) -> tuple[float, float]:
        """Return Wilson's interval for the probability to end ahead.

        With seats swapped the two games of a deal count as one trial, which can only widen it.
        """
        return wilson(self.win_rate * self.deals, self.deals, level)

    def margin_interval(self, level: float = 0.95) -> tuple[float, float]:
        """Return Student's interval for the expected margin."""
        return student(self.margin, self.deviation, self.deals, level)


def simulate(
    rules: Rules,
    a: Strategy | Sequence[Strategy],
    b: Strategy | Sequence[Strategy],
    deals: int,
    *,
    seed: int = 0,
    pair: int = 0,
    games_per_match: int = 1,
    swap_seats: bool = False,
    workers: int | None = None,
    compiled: bool = True,
    progress: Callable[[int, int], None] | None = None,
) -> Simulation:
    """Play many games and count.

    Parameters
    ----------
    rules : Rules
    a, b : Strategy or sequence of them
        In seat A and in seat B; a sequence gives one strategy for each game of a match.
    deals : int
        How many independent games or matches.
    seed, pair : int
        Say which random numbers; see this module.
    games_per_match : int
        Games whose totals are added; the lead so far is what a strategy sees when the next begins.
    swap_seats : bool
        Whether to play each deal a second time with the strategies in each other's seat: the same
        prizes, each seat the same random numbers. Needs equal hands.
    workers : int, optional
        Threads; default as many as there are cores. The result does not depend on it.
    compiled : bool
        Whether compiled loops may be used, or everything goes through the encoder; for testing.
    progress : callable, optional
        Called as ``progress(deals_done, deals)``.

    Returns
    -------
    Simulation

    Raises
    ------
    EvaluationError
        If an argument is none of these.
    StrategyError
        If a strategy's answer is no distribution over the hand.

    Examples
    --------
    >>> from gops_lab.strategies import MatchPrize, Uniform
    >>> result = simulate(Rules(cards=13, ties="discard"), MatchPrize(), Uniform(), 20_000)
    >>> low, high = result.margin_interval(0.999)
    >>> low < 28 < high
    True
    """
    deals = checks.integer("deals", deals, 1, MOST_DEALS, EvaluationError)
    seed = checks.integer("seed", seed, 0, 2**63, EvaluationError)
    pair = checks.integer("pair", pair, 0, 2**63, EvaluationError)
    length = checks.integer("games_per_match", games_per_match, 1, 100, EvaluationError)
    threads = available_cores()
    if workers is not None:
        threads = checks.integer("workers", workers, 1, 1024, EvaluationError)
    checks.callback("progress", progress, EvaluationError)
    encoder = Encoder(rules)
    if swap_seats and rules.hand_a != rules.hand_b:
        raise EvaluationError("seats can be swapped only where both players hold the same cards")
    first, second = _for_each_game(a, length), _for_each_game(b, length)
    blocks = -(-deals // BLOCK)

    # Compiled games are played block by block, while their numbers are in the cache; other
    # strategies are asked about several blocks at once. How many never depends on the workers.
    fast = compiled and all(strategy.kernel is not None for strategy in (*first, *second))

    def play(draws: list[Draws]) -> _Sums:
        ways = [_Match(encoder, first, second, compiled).play(draws)]
        if swap_seats:
            # The random numbers stay with the seats: each strategy gets the other's luck.
            ways.append(_turned(_Match(encoder, second, first, compiled).play(draws)))
        return _summed(ways)

    def several(begin: int) -> _Sums:
        numbers = (
            _draws(rules, seed, pair, block, min(BLOCK, deals - block * BLOCK), length)
            for block in range(begin, min(begin + TOGETHER, blocks))
        )
        return _added(map(play, numbers if fast else [_joined(list(numbers))]))

    whole = _Sums()
    step = TOGETHER * threads * 16
    with ThreadPoolExecutor(threads) as pool:
        for group in range(0, blocks, step):
            # In groups, so that billions of deals are not all waiting at once.
            tasks = range(group, min(group + step, blocks), TOGETHER)
            for begin, sums in zip(tasks, pool.map(several, tasks), strict=True):
                whole = _added([whole, sums])
                if progress is not None:
                    progress(min((begin + TOGETHER) * BLOCK, deals), deals)
    games = deals * (2 if swap_seats else 1)
    # Divisions of whole numbers: nothing cancels, however large the prizes.
    spread = deals * whole.square - whole.margin**2
    return Simulation(
        rules, _name(first), _name(second), deals, games,
        whole.wins, whole.draws, games - whole.wins - whole.draws,
        whole.margin / (2 * deals), math.sqrt(spread / (4 * deals * max(deals - 1, 1))),
        whole.points_a / (2 * games), whole.points_b / (2 * games),
        whole.tied / (games * rules.rounds * length), whole.unclaimed / (2 * games),
        seed, pair, length, swap_seats,
    )


class _Sums(NamedTuple):
    """What was counted, as whole numbers and so exactly; margin and points are twice what was won,
    as they may be halves, and the square is that of twice the margin."""

    wins: int = 0
    draws: int = 0
    margin: int = 0
    square: int = 0
    points_a: int = 0
    points_b: int = 0
    tied: int = 0
    unclaimed: int = 0


def _added(parts: Iterable[_Sums]) -> _Sums:
    return _Sums(*map(sum, zip(*parts, strict=True)))


def _summed(ways: list[Played]) -> _Sums:
    margin = np.sum([way.lead for way in ways], axis=0) * (2 // len(ways))
    return _Sums(
        sum(int((way.lead > 0).sum()) for way in ways),
        sum(int((way.lead == 0).sum()) for way in ways),
        int(margin.sum()),
        _sum_of_squares(margin),
        sum(_twice(way.points_a) for way in ways),
        sum(_twice(way.points_b) for way in ways),
        sum(int(way.tied.sum()) for way in ways),
        sum(_twice(way.unclaimed) for way in ways),
    )


def _sum_of_squares(numbers: IntArray) -> int:
    largest = int(np.abs(numbers).max())
    if largest * largest * len(numbers) < 2**63:
        return int(numbers @ numbers)
    return sum(number * number for number in numbers.tolist())


def _twice(points: Floats) -> int:
    return int((2 * points).astype(np.int64).sum())


def _turned(played: Played) -> Played:
    return Played(
        -played.lead, played.points_b, played.points_a, played.tied, played.unclaimed
    )


class _Match:
    """One or several games whose totals are added."""

    def __init__(
        self, encoder: Encoder, a: Sequence[Strategy], b: Sequence[Strategy], compiled: bool
    ) -> None:
        self._encoder = encoder
        self._pairs = list(zip(a, b, strict=True))
        self._compiled = compiled

    def play(self, draws: list[Draws]) -> Played:
        whole: Played | None = None
        for (a, b), numbers in zip(self._pairs, draws, strict=True):
            lead = None if whole is None else whole.lead
            game = play_block(self._encoder, a, b, numbers, lead, self._compiled)
            whole = game if whole is None else Played(
                game.lead, whole.points_a + game.points_a, whole.points_b + game.points_b,
                whole.tied + game.tied, whole.unclaimed + game.unclaimed,
            )
        assert whole is not None  # a match has at least one game
        return whole


def _draws(
    rules: Rules, seed: int, pair: int, block: int, count: int, games: int
) -> list[Draws]:
    """Return the random numbers of a block of matches, game by game."""
    prizes = np.random.Generator(
        np.random.SFC64(np.random.SeedSequence(seed, spawn_key=(0, block)))
    )
    bids = np.random.Generator(
        np.random.SFC64(np.random.SeedSequence(seed, spawn_key=(1, pair, block)))
    )
    shape = (count, rules.rounds)
    return [
        Draws(prizes.random(shape), bids.random(shape), bids.random(shape)) for _ in range(games)
    ]


def _joined(blocks: list[list[Draws]]) -> list[Draws]:
    """Return the random numbers of several blocks as if they were one, game by game."""
    if len(blocks) == 1:
        return blocks[0]
    return [
        Draws(
            np.concatenate([draws.prizes for draws in same]),
            np.concatenate([draws.a for draws in same]),
            np.concatenate([draws.b for draws in same]),
        )
        for same in zip(*blocks, strict=True)
    ]


def _for_each_game(given: Strategy | Sequence[Strategy], games: int) -> list[Strategy]:
    strategies = list(given) if isinstance(given, Sequence) else [given] * games
    if len(strategies) != games or not all(isinstance(one, Strategy) for one in strategies):
        raise EvaluationError(
            f"a strategy, or {games} of them for {games} games in a match, are needed, "
            f"not {given!r}"
        )
    return strategies


def _name(strategies: list[Strategy]) -> str:
    names = [strategy.name for strategy in strategies]
    return names[0] if len(set(names)) == 1 else ", ".join(names)
