"""The fast sweep on a cluster: the work units of a tier solved by workers that share a folder.

The client's process holds the solve as ever: folder, lock, journal, the file of each tier. Instead
of threads it has *tasks*, each a run of work units. A worker is sent paths and numbers only. It
knows the solve from ``solve.json`` in the folder of units, plans the sweep once, maps the tier
below into memory, and writes the values of its units to a file of its own in that folder. The
client copies them to where they belong, in order. So a worker can die at any time: whatever it left
is not spoken of, and goes with the folder.
"""

from __future__ import annotations

import json
import os
import platform
import shutil
import threading
import uuid
import zlib
from collections.abc import Container, Generator, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from functools import lru_cache
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from gops_lab.cluster import memory_limit, on_every_worker, results, threads
from gops_lab.errors import ClusterError, StoreError
from gops_lab.game.rules import Rules
from gops_lab.induction.files import (
    FillingArray,
    as_bytes,
    as_json,
    replace_file,
    resident_memory,
    storing,
)
from gops_lab.induction.forecast import readable_size
from gops_lab.induction.growing import Growing
from gops_lab.induction.journal import unfinished
from gops_lab.induction.manifest import objective_as_dict, run_versions, stored_objective
from gops_lab.induction.rectangle import (
    Shard,
    SweepPlan,
    TierTable,
    TierTask,
    empty_table,
    plan_sweep,
    tier_task,
)
from gops_lab.induction.reduction import Reducer

if TYPE_CHECKING:
    from gops_lab.cluster import Client

TASKS, TASKS_PER_THREAD = 600, 4
"""About so many tasks make a solve, and so many more for each thread of the cluster.

Fewer leave workers idle at the end of a tier, more cost the scheduler's time: about 1 ms each."""

SHARE = 0.5
"""Of what a worker may use: beyond, memory that only holds what is on the disk is given back."""

SOLVE = "solve.json"


# The client


def check_workers(client: Client, folders: Sequence[Path], needed: int) -> None:
    """Refuse a cluster that has a worker which cannot do its part; nothing is left in the folders.

    Parameters
    ----------
    client : Client
    folders : sequence of Path
        All of a solve.
    needed : int
        Bytes of memory, besides tables.

    Raises
    ------
    ClusterError
        If a worker does not see a folder, cannot write there, has other versions of what computes,
        or too little memory.
    """
    about = {"versions": run_versions(), "needed": needed}
    made = [folder for folder in folders if not folder.exists()]
    try:
        with ExitStack() as stack:
            units = [str(stack.enter_context(_units(folder, about))) for folder in folders]
            on_every_worker(client, lacks, units)
    finally:
        for folder in reversed(made):
            with suppress(OSError):
                folder.rmdir()


@contextmanager
def _units(folder: Path, about: Mapping[str, Any], name: str | None = None) -> Iterator[Path]:
    """Have a folder of units in a folder of a solve, with what workers must know in it."""
    units = folder.resolve() / (name or _new_name())
    try:
        with storing(units):
            units.mkdir(parents=True)
            replace_file(units / SOLVE, as_json(dict(about)))
        yield units
    finally:
        shutil.rmtree(units, ignore_errors=True)


def _new_name() -> str:
    return f"units-{uuid.uuid4().hex}"


class ClusterSolver:
    """Solves tiers on the workers of a Dask cluster; a `rectangle.TierSolver`.

    Parameters
    ----------
    client : Client
    plan : SweepPlan
    reducer : Reducer
        That the plan was made for.
    store : Growing
        Where the tiers are, and where workers leave their files.
    """

    def __init__(
        self, client: Client, plan: SweepPlan, reducer: Reducer, store: Growing
    ) -> None:
        self._client = client
        self._store = store
        self._name = _new_name()
        tasks = TASKS + TASKS_PER_THREAD * threads(client)
        self._each = -(-sum(len(tier.shards) for tier in plan.tiers) // tasks)
        most = max(map(abs, reducer.final_leads))
        self._about = {
            "versions": run_versions(),
            "needed": 0,
            "game": reducer.rules.as_dict(),
            "objective": objective_as_dict(reducer.objective, -most, most),
            "start_leads": list(reducer.start_leads),
            "games_per_shard": plan.games_per_shard,
        }

    def __call__(
        self, table: TierTable, below: TierTable | None, *, finished: Container[int] = ()
    ) -> Generator[Shard, None, None]:
        """Fill the table of a tier; yield its shards in order; see `rectangle.solve_tier`."""
        tier = table.plan.tier
        left = [number for number in range(len(table.plan.shards)) if number not in finished]
        source = None if below is None else str(self._store.files[tier - 1].resolve())
        about = {**self._about, "dtype": str(table.values.dtype)}
        with _units(self._store.passing, about, self._name) as units:
            tasks = [
                (str(units), tier, first, last, source) for first, last in _runs(left, self._each)
            ]
            try:
                for solved in results(self._client, solve_units, tasks):
                    yield from _taken_in(table, units, solved)
            except ClusterError as error:
                raise ClusterError(f"{error}; {unfinished(self._store.folder)}") from error


def _runs(numbers: Sequence[int], each: int) -> Iterator[tuple[int, int]]:
    """Yield ranges of consecutive numbers, so many in each at most."""
    for _, group in groupby(enumerate(numbers), lambda pair: pair[1] - pair[0]):
        run = [number for _, number in group]
        for first in range(0, len(run), each):
            part = run[first : first + each]
            yield part[0], part[-1] + 1


def _taken_in(table: TierTable, units: Path, solved: Solved) -> Iterator[Shard]:
    """Copy what a task wrote into the table, and yield its work units."""
    plan = table.plan
    begin = plan.shards[solved.first][0]
    end = plan.shards[solved.first + len(solved.units) - 1][1]
    room = as_bytes(table.values[plan.offsets[begin] : plan.offsets[end]])
    path = units / solved.name
    try:
        with path.open("rb") as file:
            length = file.readinto(room)
            more = file.read(1)
    except OSError as error:
        raise StoreError(f"{path} cannot be read: {error.strerror or error}") from error
    if length != len(room) or more or zlib.crc32(room) != solved.checksum:
        raise ClusterError(f"{path} is not what worker {solved.worker} wrote")
    path.unlink(missing_ok=True)
    for number, unit in enumerate(solved.units, start=solved.first):
        yield Shard(table, number, *unit)


# A worker


@dataclass(frozen=True)
class Solved:
    """What a worker tells of a task.

    Attributes
    ----------
    first : int
        The first of its work units.
    name : str
        The file with their values, one after the other.
    checksum : int
        CRC-32 of the file.
    units : tuple
        Worst gap, simplex games and escalated of each; see `rectangle.Shard`.
    worker : str
        The machine, and the number of the process.
    """

    first: int
    name: str
    checksum: int
    units: tuple[tuple[float, int, int], ...]
    worker: str


def lacks(limit: int | None, folders: Sequence[str]) -> str:
    """Say what a worker that may use so much memory lacks to take part, or ``""``."""
    for folder in map(Path, folders):
        try:
            about = json.loads((folder / SOLVE).read_bytes())
        except (OSError, ValueError):
            return f"does not see {folder.parent}; all workers must share the folder of a solve"
        ours = run_versions()
        for name, version in about["versions"].items():
            if ours.get(name) != version:
                return f"has {name} {ours.get(name)}, not {version} as here"
        try:
            replace_file(folder / uuid.uuid4().hex)
        except OSError as error:
            return f"cannot write in {folder.parent}: {error.strerror or error}"
        if limit is not None and limit < about["needed"]:
            return (
                f"may use {readable_size(limit)} of memory, but about "
                f"{readable_size(about['needed'])} are needed"
            )
    return ""


def solve_units(units: str, tier: int, first: int, last: int, below: str | None) -> Solved:
    """Solve a run of work units of a tier, and leave their values in a file.

    Parameters
    ----------
    units : str
        The folder of units.
    tier, first, last : int
        The tier and the range of its work units.
    below : str or None
        The file with the values of the tier below.

    Notes
    -----
    The file need not outlive a machine that fails, only be seen by others once it is closed: the
    client checks it, and has its own on the disk before it says that a work unit is done.
    """
    with _ONE_AT_A_TIME:
        task, values = _tier(units, tier, below)
    name = f"{tier}-{first}-{uuid.uuid4().hex}"
    path = Path(units) / name
    limit = memory_limit()
    checksum = 0
    found = []
    try:
        with storing(path), path.open("xb") as file:
            for number in range(first, last):
                shard = task.solve_apart(number)
                data = as_bytes(shard.values)
                file.write(data)
                checksum = zlib.crc32(data, checksum)
                found.append((shard.worst_gap, shard.simplex_games, shard.escalated))
                if limit is not None and values and resident_memory() > SHARE * limit:
                    values.let_go()
    except BaseException:
        path.unlink(missing_ok=True)
        raise
    return Solved(first, name, checksum, tuple(found), f"{platform.node()} {os.getpid()}")


_ONE_AT_A_TIME = threading.Lock()
"""Held while something is made that the threads of a worker share."""


@lru_cache(maxsize=1)
def _solve(units: str) -> tuple[SweepPlan, np.dtype[Any]]:
    """Return the plan of the solve that a folder of units belongs to, and what values are kept as.

    Raises
    ------
    ClusterError
        If this worker, which may have come late, cannot take part.
    """
    reason = lacks(memory_limit(), [units])
    if reason:
        raise ClusterError(reason)
    about = json.loads((Path(units) / SOLVE).read_bytes())
    low, high = about["start_leads"]
    plan = plan_sweep(
        Rules(**about["game"]), stored_objective(about["objective"]), (low, high),
        games_per_shard=about["games_per_shard"],
    )
    return plan, np.dtype(about["dtype"])


@lru_cache(maxsize=1)
def _tier(units: str, tier: int, below: str | None) -> tuple[TierTask, FillingArray | None]:
    """Return what solves the work units of a tier, and the values of the tier below."""
    plan, dtype = _solve(units)
    plans = {each.tier: each for each in plan.tiers}
    table = empty_table(plans[tier], values=np.zeros(0, dtype))
    if below is None:
        return tier_task(table, None), None
    # Mapped like the client's, for which kernels are compiled; nothing is written to it.
    values = FillingArray(Path(below), dtype, plans[tier - 1].length)
    return tier_task(table, empty_table(plans[tier - 1], values=values.values)), values
