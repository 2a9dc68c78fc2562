"""The sweep: all tiers of a game from the lowest up, in work units, on several threads.

**Certified error.** Let u = 2**-53, and B the sum of all |prizes|, which no payoff, value or stake
exceeds. Say every kept value of tier n - 1 is within e of the truth. A payoff of a stage game with
n bids is one kept value plus or minus a stake, rounded once: within e + uB of the truth, so the
value of the true game is that close to the value v of the game M that is solved. For M there are
weights x and y, no weight below 0, whose sums differ from 1 by at most nu (the first weight is 1
minus the others, subtracted one by one; or each was divided by their sum). A sum of n products is
off by at most nuB. So the computed numbers low = min (x M) and high = max (M y) bound v but for
2nuB; their midpoint is rounded once and is within gap/2 + (2n + 1)uB of v, gap being high - low.
The mean over m upcards, m - 1 additions and a division, adds muB; keeping it adds half a unit in
the last place of what it is kept as. In all (``docs/theory.md`` has the proof)::

    e(n) = e(n - 1) + worst gap(n) / 2 + (2n + m + 3) u B + rounding of kept values

with e = 0 below the lowest tier. `TierReport.error` is this number, with the products of roundings
that a first-order bound leaves out covered by taking B a millionth larger. The *tolerance* for a
gap is a small multiple of B (`TOLERANCE`); games beyond it are solved by another method, and if the
float methods all miss it, in fractions. A tier with such a game is charged (2n + 2)uB more: its
guarantees are computed from payoffs less their smallest, numbers up to 2B.

**Kept values** are float64, or at half the memory int32: multiples of a power of two such that
B is below 2**31 of them. That is a fixed point, whose error for 13 cards is 3e-8 points in a tier;
float32 works as well, but is off by up to 2e-6 where values are large.

**The same bytes** come out whatever the number of threads: a work unit depends on nothing but the
tier below, and what it remembers while it runs (supports) is forgotten from pattern to pattern.
"""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable, Container, Generator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import closing
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import partial
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from gops_lab.encoding.patterns import IntArray
from gops_lab.errors import RulesError, SolverError
from gops_lab.game import MARGIN, Objective, Rules
from gops_lab.induction.rectangle import kernels
from gops_lab.induction.rectangle.kernels import LANES
from gops_lab.induction.rectangle.layout import Layouts
from gops_lab.induction.rectangle.plan import SweepPlan, TierPlan, plan_sweep, supports
from gops_lab.induction.rectangle.rows import RowLayouts, row_tables
from gops_lab.induction.rectangle.table import TierTable, empty_table
from gops_lab.induction.reduction import UNIT_ROUNDOFF
from gops_lab.matrix_games import solve_matrix_game
from gops_lab.matrix_games.batch import available_cores

Progress = Callable[[int, int, int], None]
"""Called with the tier, the stage games solved so far in all, and how many there are in all."""

TOLERANCE = 4e-14
"""Largest accepted gap, as a multiple of the sum of all |prizes|."""

_MOST_FAILED = 64


@dataclass(frozen=True, eq=False)
class Shard:
    """The values of a range of patterns of one tier.

    Attributes
    ----------
    table : TierTable
        The tier's table; complete once its last shard has been handed out.
    number : int
        Which of ``table.plan.shards``.
    worst_gap : float
        Widest gap of an accepted stage game.
    simplex_games, escalated : int
        Stage games that no remembered support fitted; those that the simplex could not certify.
    """

    table: TierTable
    number: int
    worst_gap: float
    simplex_games: int
    escalated: int

    @property
    def patterns(self) -> tuple[int, int]:
        """The range of patterns."""
        return self.table.plan.shards[self.number]

    @property
    def games(self) -> int:
        """Stage games solved."""
        first, last = self.patterns
        return int(self.table.plan.game_offsets[last] - self.table.plan.game_offsets[first])

    @property
    def values(self) -> npt.NDArray[Any]:
        """The part of the tier's array."""
        first, last = self.patterns
        offsets = self.table.plan.offsets
        return self.table.values[offsets[first] : offsets[last]]


@dataclass(frozen=True)
class TierReport:
    """What is known about a solved tier.

    Attributes
    ----------
    tier : int
        Cards in each hand.
    games, values : int
        Stage games solved; values of states before the next exposure.
    worst_gap : float
        Widest gap of an accepted stage game, in points.
    simplex_games, escalated : int
        Stage games that no remembered support fitted; those that the simplex could not certify.
    error : float
        Every value of the tier's table is within this of the truth, in points.
    """

    tier: int
    games: int
    values: int
    worst_gap: float
    simplex_games: int
    escalated: int
    error: float


def solve_tiers(
    rules: Rules,
    objective: Objective = MARGIN,
    *,
    start_leads: tuple[int, int] = (0, 0),
    start_codes: IntArray | None = None,
    workers: int | None = None,
    progress: Progress | None = None,
    dtype: npt.DTypeLike | None = None,
    keep: str | int = "all",
) -> tuple[dict[int, TierTable], list[TierReport]]:
    """Solve a game from the lowest tier up.

    Parameters
    ----------
    rules : Rules
    objective : Objective
    start_leads : tuple of int
        The lowest and the highest lead to start from.
    start_codes : array of int64, optional
        Rank patterns to start from; default that of the rules' hands.
    workers : int, optional
        Threads; default the cores there are.
    progress : callable, optional
    dtype : float64, float32 or int32, optional
        What values are kept as; default float64, but int32 where those held at the same time would
        take more than `FLOATS_UP_TO` bytes.
    keep : "all" or int
        How many of the highest tiers to keep.

    Returns
    -------
    tables : dict of int to TierTable
        By tier, those kept.
    reports : list of TierReport
        All tiers, the lowest first.

    Raises
    ------
    ObjectiveError, RulesError
        If the sweep does not support the game; see `supports`.

    Examples
    --------
    Hands 2, 3 against 1, 3 for the prizes 2 and 3:

    >>> rules = Rules(hand_a=(2, 3), hand_b=(1, 3), prizes=(2, 3), ties="discard")
    >>> tables, reports = solve_tiers(rules)
    >>> values, found = tables[2].lookup(tables[2].codes, [0b11], [0])
    >>> -values  # the canonical pattern has the players swapped
    array([1.4])
    >>> [report.games for report in reports]
    [2, 2]
    """
    reason = supports(rules, objective, start_leads)
    if reason:
        raise RulesError(f"the rectangle sweep cannot solve this game: {reason}")
    plan = plan_sweep(rules, objective, start_leads, start_codes)
    store = InMemory(plan.dtype(keep) if dtype is None else dtype)
    solver = partial(solve_tier, workers=workers)
    return solve_plan(plan, store, solver=solver, progress=progress, keep=keep)


class TierStore(Protocol):
    """Where the values of a sweep go; see `gops_lab.induction.growing` for one on the disk."""

    def begin(self, plan: SweepPlan, tier: TierPlan) -> tuple[TierTable, list[Shard]]:
        """Return the table to fill for a tier, and the shards that are in it already.

        Called for each tier, the lowest first, once the one below is complete. If all shards are
        there and no other tier needs it, the table may be without its values.
        """

    def add(self, shard: Shard) -> None:
        """Keep a shard that has been solved; those of a tier come in order."""


@dataclass(frozen=True)
class InMemory:
    """Keeps values in memory only, as a given dtype."""

    dtype: npt.DTypeLike = np.float64

    def begin(self, plan: SweepPlan, tier: TierPlan) -> tuple[TierTable, list[Shard]]:
        """Return an empty table."""
        return empty_table(tier, self.dtype), []

    def add(self, shard: Shard) -> None:
        """Do nothing: the values are in the table."""


class TierSolver(Protocol):
    """Where the work units of a tier are solved: `solve_tier`, on threads of this process.

    See `gops_lab.induction.distributed` for one on other machines.
    """

    def __call__(
        self, table: TierTable, below: TierTable | None, *, finished: Container[int] = ()
    ) -> Generator[Shard, None, None]:
        """Fill the table of a tier; yield its shards in order; see `solve_tier`."""


def solve_plan(
    plan: SweepPlan,
    store: TierStore,
    *,
    solver: TierSolver | None = None,
    progress: Progress | None = None,
    keep: str | int = "all",
) -> tuple[dict[int, TierTable], list[TierReport]]:
    """Solve what is planned, with the values in a store of one's own; see `solve_tiers`."""
    solver = solver or solve_tier
    kept = plan.tiers[len(plan.tiers) - plan.kept(keep) :]
    tables: dict[int, TierTable] = {}
    reports: list[TierReport] = []
    below: TierTable | None = None
    games = 0
    for tier in plan.tiers:
        table, shards = store.begin(plan, tier)
        games += sum(shard.games for shard in shards)
        finished = {shard.number for shard in shards}
        if len(finished) < len(tier.shards):
            # Closed, whatever happens: no thread may be at work when the store is let go of.
            with closing(solver(table, below, finished=finished)) as solved:
                for shard in solved:
                    store.add(shard)
                    shards.append(shard)
                    games += shard.games
                    if progress is not None:
                        progress(tier.tier, games, plan.games)
        reports.append(report_tier(table, shards, reports))
        if tier in kept:
            tables[tier.tier] = table
        below = table
    return tables, reports


def report_tier(table: TierTable, shards: list[Shard], below: list[TierReport]) -> TierReport:
    """Return the report of a tier from all its shards and the reports of the tiers below."""
    plan = table.plan
    worst = max((shard.worst_gap for shard in shards), default=0.0)
    most = plan.most_points * (1 + 1e-6)
    error = (below[-1].error if below else plan.layouts.end_error) + worst / 2
    error += (2 * plan.tier + plan.size + 3) * UNIT_ROUNDOFF * most
    escalated = sum(shard.escalated for shard in shards)
    if escalated:
        error += (2 * plan.tier + 2) * UNIT_ROUNDOFF * most
    if table.values.dtype == np.int32:
        error += table.step / 2
    elif table.values.dtype == np.float32:
        error += 2.0**-24 * most
    return TierReport(
        plan.tier,
        plan.games,
        plan.values,
        worst,
        sum(shard.simplex_games for shard in shards),
        escalated,
        error,
    )


def solve_tier(
    table: TierTable,
    below: TierTable | None,
    *,
    workers: int | None = None,
    finished: Container[int] = (),
) -> Generator[Shard, None, None]:
    """Fill the table of a tier; yield its shards in order, as they are solved.

    Parameters
    ----------
    table : TierTable
        From `empty_table`; its array may be a memory map.
    below : TierTable or None
        The table of the tier below, complete; None for the lowest tier.
    workers : int, optional
        Threads; default the cores there are.
    finished : container of int
        Shards whose values are in the table already, which are not solved again nor yielded.

    Raises
    ------
    SolverError
        If a stage game cannot be certified by any method.
    """
    count = workers or available_cores()
    task = tier_task(table, below)
    waiting: deque[Future[Shard]] = deque()
    pool = ThreadPoolExecutor(count, thread_name_prefix="gops-sweep")
    try:
        for number in range(len(table.plan.shards)):
            if number in finished:
                continue
            waiting.append(pool.submit(task.solve, number))
            if len(waiting) > 2 * count:
                yield waiting.popleft().result()
        while waiting:
            yield waiting.popleft().result()
    finally:
        # Reached early by Ctrl-C, an error, or a caller who stops: leave no thread at work.
        task.stopped.set()
        pool.shutdown(wait=True, cancel_futures=True)


def tier_task(table: TierTable, below: TierTable | None) -> TierTask:
    """Return what solves the work units of a tier one by one; see `solve_tier`."""
    kind = _RowTask if isinstance(table.plan.layouts, RowLayouts) else _BlockTask
    return kind(table, below)


class TierTask:
    """What the work units of a tier share: the arrays its kernel reads.

    Subclasses say which kernel that is. Several threads may use one.
    """

    def __init__(self, table: TierTable, below: TierTable | None) -> None:
        self.table = table
        self.stopped = threading.Event()
        self.tolerance = TOLERANCE * table.plan.most_points
        self.tables: dict[int, tuple[Any, ...]] = {}
        self.lock = threading.Lock()
        self.over = below is None
        if below is None:
            none = np.zeros(0, np.int64)
            self.child = (none, none, none, *self._where(None), np.zeros(LANES, table.values.dtype))
            self.child_classes: tuple[int, ...] = ()
            return
        held = below.plan
        self.child = held.codes, held.offsets, held.classes, *self._where(held), below.values
        self.child_classes = tuple(np.unique(held.classes).tolist())

    def solve(self, number: int) -> Shard:
        """Solve one work unit, into the tier's table."""
        return self._solve(number, self.table)

    def solve_apart(self, number: int) -> Shard:
        """Solve one work unit, into a table that has the values of this unit alone."""
        plan = self.table.plan
        first, last = plan.offsets[list(plan.shards[number])]
        values = np.zeros(last - first, self.table.values.dtype)
        part = replace(self.table, plan=replace(plan, offsets=plan.offsets - first), values=values)
        return self._solve(number, part)

    def _solve(self, number: int, table: TierTable) -> Shard:
        plan = table.plan
        first, last = plan.shards[number]
        counters = np.zeros(len(kernels.COUNTERS), np.float64)
        groups = plan.groups[first:last]
        for group in np.unique(groups):
            if self.stopped.is_set():
                break
            kind, ways = plan.kinds[group].tolist()
            with self.lock:
                if kind not in self.tables:
                    self.tables[kind] = self._tables_of(kind)
            picked = first + np.flatnonzero(groups == group)
            tables = self.tables[kind]
            self._solve_patterns(table, picked, self._told(kind, ways), tables, counters)
        return Shard(
            table,
            number,
            float(counters[kernels.WORST_GAP]),
            int(counters[kernels.SIMPLEX_GAMES]),
            int(counters[kernels.ESCALATED]),
        )

    def _solve_patterns(
        self,
        table: TierTable,
        picked: IntArray,
        told: tuple[Any, ...],
        tables: tuple[Any, ...],
        counters: npt.NDArray[np.float64],
    ) -> None:
        """Solve patterns of one kind, with help from outside where the kernel asks for it."""
        plan = table.plan
        n = plan.tier
        known: tuple[npt.NDArray[Any], ...] = (np.zeros(0, np.int64), np.zeros(0), np.zeros(0))
        scratch = self._scratch(tables)
        games = np.zeros(_MOST_FAILED, np.int64)
        payoffs = np.zeros((_MOST_FAILED, n, n), np.float64)
        while True:
            arguments = (
                *scratch, plan.codes, *told, picked, n, plan.drop_dominated, *self.child, *tables,
                plan.offsets, table.values, table.step, self.tolerance,
                *known, games, payoffs, counters,
            )  # fmt: skip
            # Wrong guesses may divide by 0; only numpy without the compiler would warn of it.
            with np.errstate(all="ignore"):
                done, failed = self._kernel(*arguments)
            if not failed:
                return
            solved = [solve_elsewhere(payoff, self.tolerance) for payoff in payoffs[:failed]]
            before = known if done == 0 else tuple(part[:0] for part in known)
            fresh = games[:failed], *np.array(solved, np.float64).T
            known = tuple(np.concatenate(pair) for pair in zip(before, fresh, strict=True))
            picked = picked[done:]

    def _tables_of(self, kind: int) -> tuple[Any, ...]:
        """Return the kernel's arguments that depend on the class of patterns."""
        raise NotImplementedError

    def _scratch(self, tables: tuple[Any, ...]) -> tuple[Any, ...]:
        """Return the kernel's first arguments: what it works in."""
        raise NotImplementedError

    def _told(self, kind: int, ways: int) -> tuple[Any, ...]:
        """Return what the kernel is told of patterns of one class and with the same ways."""
        return ()

    def _where(self, below: TierPlan | None) -> tuple[Any, ...]:
        """Return what the kernel is told of where the values of the tier below stand."""
        return ()

    def _kernel(self, *arguments: Any) -> Any:
        """Return how many patterns are done, and how many games of the next need help."""
        raise NotImplementedError


class _BlockTask(TierTask):
    """Eight prize sets side by side: see `layout`."""

    def _tables_of(self, kind: int) -> tuple[Any, ...]:
        plan = self.table.plan
        layouts = plan.layouts
        assert isinstance(layouts, Layouts)
        batches = layouts.batches(plan.size - 1, kind)
        free = np.zeros((max(self.child_classes, default=0) + 1, len(batches.games)), np.int32)
        tied = np.zeros_like(free)
        first = batches.owners.reshape(-1, LANES).min(axis=1) // LANES
        blocks = len(layouts.games(plan.size - 1, kind).starts)
        block_starts = np.zeros((len(free), blocks), np.int64)
        for child in self.child_classes:
            block_starts[child] = layouts.values(plan.size - 1, child).starts
            free[child], tied[child] = layouts.places(plan.size - 1, kind, child)
        swings = np.abs(batches.stakes) if plan.low_bid else batches.stakes
        return (
            layouts.carry, block_starts, free.ravel(), tied.ravel(), first,
            batches.aligned, swings.astype(np.float64),
            batches.stake_numbers, batches.lanes_used, layouts.links(plan.size, kind),
        )  # fmt: skip

    def _scratch(self, tables: tuple[Any, ...]) -> tuple[Any, ...]:
        stake_numbers = tables[7]
        lists = int(stake_numbers.max(initial=0)) + 1
        return *kernels.scratch(self.table.tier, lists, len(stake_numbers)), lists

    def _kernel(self, *arguments: Any) -> Any:
        return kernels.solve_patterns(*arguments)


class _RowTask(TierTask):
    """Eight leads side by side: see `rows`."""

    def _tables_of(self, kind: int) -> tuple[Any, ...]:
        plan = self.table.plan
        layouts = plan.layouts
        assert isinstance(layouts, RowLayouts)
        games = row_tables(layouts, plan.size, kind, self.child_classes, plan.low_bid)
        values = layouts.values(plan.size, kind)
        utility = layouts.utility
        return (
            layouts.swap, layouts.carry, utility.lead_counts, self.over,
            utility.values, utility.low, *games,
            values.lengths, values.starts, layouts.links(plan.size, kind),
        )  # fmt: skip

    def _scratch(self, tables: tuple[Any, ...]) -> tuple[Any, ...]:
        lengths, starts, row_lists, widest = tables[8], tables[9], tables[12], tables[20]
        blocks = -(-int(lengths.max(initial=1)) // LANES)
        lists = blocks * (int(row_lists.max(initial=0)) + 1)
        most_games = int(np.diff(starts[tables[6]]).max(initial=0))
        arrays = kernels.row_scratch(self.table.tier, lists, int(starts[-1]), widest, most_games)
        return *arrays, lists, blocks

    def _told(self, kind: int, ways: int) -> tuple[Any, ...]:
        plan = self.table.plan
        assert isinstance(plan.layouts, RowLayouts)
        return ways, plan.layouts.places(plan.size, kind, ways)

    def _where(self, below: TierPlan | None) -> tuple[Any, ...]:
        """Return where the list of places of each pattern begins, and all lists."""
        if below is None:
            return np.zeros(0, np.int64), np.zeros(0, np.int32)
        assert isinstance(below.layouts, RowLayouts)
        lists = [below.layouts.places(below.size, *kind) for kind in below.kinds.tolist()]
        starts = np.cumsum([0, *map(len, lists)])
        places = np.concatenate(lists)
        # What cannot come about is read, but not used.
        return starts[below.groups], np.maximum(places, 0, out=places)

    def _kernel(self, *arguments: Any) -> Any:
        return kernels.solve_rows(*arguments)


def solve_elsewhere(payoff: npt.NDArray[np.float64], tolerance: float) -> tuple[float, float]:
    """Return value and gap of a stage game by linear programming, or else in fractions.

    Raises
    ------
    SolverError
        If the payoffs are not finite.
    """
    if not np.all(np.isfinite(payoff)):
        raise SolverError(
            "a stage game has a payoff that is not finite: a table is damaged, or the utility is "
            "too large or too small for floats"
        )
    try:
        game = solve_matrix_game(payoff, method="highs")
        if float(game.gap) <= tolerance:
            return float(game.value), float(game.gap)
    except SolverError:
        pass
    exact = [[Fraction(entry) for entry in row] for row in payoff.tolist()]
    game = solve_matrix_game(exact, method="exact")
    return float(game.value), float(game.gap)
