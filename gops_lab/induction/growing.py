"""A stored solution that grows while it is solved, and goes on where it was interrupted.

Values of the fast sweep are written into memory-mapped files work unit by work unit, tables of the
general sweep tier by tier. The journal says what is finished: what a process leaves behind that is
killed at any moment is either spoken of in the journal, with its hash, or solved again. Until the
manifest is there, which comes last, the folder is no solution. See ``docs/format.md``.

Tiers that are not kept are needed until the next is solved. They are by far the largest, and can
have a folder of their own on another disk: see `scratch_folder`.
"""

from __future__ import annotations

import hashlib
import shutil
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext
from pathlib import Path
from typing import Any

import numpy as np

from gops_lab.errors import ForecastError, OccupiedError, StoreError
from gops_lab.induction.files import (
    FillingArray,
    as_json,
    locked,
    nearest_existing,
    reading,
    reserve_array,
    resident_memory,
    short,
    storing,
    write_array,
)
from gops_lab.induction.forecast import readable_size
from gops_lab.induction.journal import JOURNAL, SCRATCH, Journal, read_journal, unfinished
from gops_lab.induction.manifest import (
    check_same,
    read_manifest,
    report_as_dict,
    with_tiers,
)
from gops_lab.induction.rectangle import (
    Shard,
    SweepPlan,
    TierPlan,
    TierTable,
    empty_table,
    held_at_once,
)
from gops_lab.induction.reduction import Reducer
from gops_lab.induction.store import (
    check_not_lost,
    file_names,
    holds_solution,
    make_folder,
    our_files,
    remove_folder,
    remove_left_over,
    remove_units,
    write_manifest,
)
from gops_lab.induction.stored_tables import (
    array_name,
    arrays_of,
    describe_table,
    read_table,
    write_table,
)
from gops_lab.induction.sweep import NodeTable, Table, TierReport, kept_tiers


def is_complete(
    folder: Path,
    description: Mapping[str, Any],
    dtype: str | None,
    keep: str | int,
    resume: bool,
) -> bool:
    """Return whether a folder holds this very solution already.

    Parameters
    ----------
    folder : Path
    description : dict
        From `manifest.described`.
    dtype : str or None
        What values are kept as: see the manifest. None: whatever they are kept as.
    keep : "all" or int
        How many tiers are kept.
    resume : bool
        Whether what is there may be used.

    Raises
    ------
    OccupiedError
        If it holds something that cannot be used.
    StoreError
        If it holds something that cannot be read.
    """
    settings = {"keep": keep} if dtype is None else {"keep": keep, "dtype": dtype}
    if holds_solution(folder):
        if not resume:
            raise OccupiedError(
                f"{folder} holds a solution already; resume=True (--resume) uses it"
            )
        manifest = read_manifest(folder)
        # Which versions made a finished solution does not matter to who uses it.
        wanted = {name: value for name, value in description.items() if name != "versions"}
        there = manifest | _settings(manifest, keep)
        check_same(folder, there, wanted | settings, "a solution")
        return True
    if (folder / JOURNAL).exists():
        if not resume:
            raise OccupiedError(f"{unfinished(folder)}; nothing was written")
        header, _, _ = read_journal(folder)
        wanted = {name: value for name, value in description.items() if name != "format"}
        check_same(folder, header, wanted | settings, "a solve, not finished,")
    else:
        check_not_lost(folder)
    return False


def _settings(manifest: Mapping[str, Any], keep: str | int) -> dict[str, Any]:
    """Return what a finished solution keeps, in the words of who asks if it fits."""
    tiers = {int(number): tier for number, tier in manifest["tiers"].items()}
    kept = sorted(number for number, tier in tiers.items() if tier["files"])
    types = {tiers[number]["dtype"] for number in kept}
    return {
        "dtype": types.pop() if len(types) == 1 else sorted(types),
        "keep": keep if kept == kept_tiers(tiers, keep) else len(kept),
    }


def scratch_folder(
    scratch: Path, description: Mapping[str, Any], dtype: str | None, keep: str | int
) -> Path:
    """Return the folder of one solve in a folder that several may share."""
    solve = as_json({**description, "dtype": dtype, "keep": keep})
    return scratch / f"{SCRATCH}{short(hashlib.sha256(solve).hexdigest())}"


def check_space(
    plan: SweepPlan, dtype: str, keep: str | int, home: Path, passing: Path | None
) -> None:
    """Refuse a fast sweep whose tables do not fit the disks; see `growing` for the arguments.

    Raises
    ------
    ForecastError
        If more is needed than is free, or in the files of the same solve already.
    """
    first_kept = len(plan.tiers) - plan.kept(keep)
    lengths = [tier.length for tier in plan.tiers]
    needed = {home: plan.held(keep)}
    if passing is not None and passing != home:
        needed = {home: sum(lengths[first_kept:]), passing: held_at_once(lengths[:first_kept], 0)}
        disks = {nearest_existing(folder).stat().st_dev for folder in needed}
        if len(disks) == 1:
            needed = {passing: plan.held(keep)}
    for folder, numbers in needed.items():
        size = numbers * np.dtype(dtype).itemsize
        there = sum(file.stat().st_size for file in folder.glob("tier-*"))
        free = shutil.disk_usage(nearest_existing(folder)).free + there
        if size > free:
            raise ForecastError(
                f"the tables need {readable_size(size)} of space in {folder}, but "
                f"{readable_size(free)} are free; nothing was begun"
            )


@contextmanager
def growing(
    folder: Path,
    description: Mapping[str, Any],
    dtype: str,
    keep: str | int,
    resume: bool,
    reducer: Reducer,
    passing: Path | None = None,
    memory: int | None = None,
) -> Iterator[Growing]:
    """Hold a folder, which `is_complete` has looked at, while its solution is solved.

    Parameters
    ----------
    folder, description, dtype, keep, resume
        As for `is_complete`.
    reducer : Reducer
    passing : Path, optional
        Where tiers are that are not kept; default `folder`. Removed when all is solved.
    memory : int, optional
        Bytes of memory beyond which what is on the disk is let go of.

    Raises
    ------
    StoreError
        If another process holds it, or it cannot be used or written.
    """
    passing = folder if passing is None else passing
    for each in (folder, passing):
        make_folder(each)
    with locked(folder), nullcontext() if passing == folder else locked(passing):
        if is_complete(folder, description, dtype, keep, resume):
            raise OccupiedError(f"{folder} has been solved by another process meanwhile")
        remove_units(passing)
        if not (folder / JOURNAL).exists():
            with storing(folder):
                remove_left_over(folder, set())
            Journal.begin(folder, {**description, "dtype": dtype, "keep": keep})
        try:
            yield Growing(folder, description, dtype, keep, reducer, passing, memory)
        finally:
            if passing != folder and not any(passing.glob("tier-*")):
                remove_folder(passing)


def clean(folder: Path, passing: Path | None = None) -> None:
    """Remove what a process left that was killed after its solution was complete."""
    if (folder / JOURNAL).exists():
        with locked(folder), storing(folder):
            remove_left_over(folder, file_names(read_manifest(folder)))
            remove_units(folder)
            if passing is not None and passing != folder:
                remove_folder(passing)
            (folder / JOURNAL).unlink(missing_ok=True)


class Growing:
    """The unfinished solution in a folder that this process holds; made by `growing`.

    It is the store of a fast sweep (`rectangle.TierStore`), or keeps the tables of a general one.

    Attributes
    ----------
    folder, passing : Path
        Where the solution grows, and where tiers are that are not kept.
    files : dict of int to Path
        Where the values are of each tier that a fast sweep has begun.
    """

    def __init__(
        self,
        folder: Path,
        description: Mapping[str, Any],
        dtype: str,
        keep: str | int,
        reducer: Reducer,
        passing: Path,
        memory: int | None,
    ) -> None:
        self.folder = folder
        self.passing = passing
        self._memory = memory
        self._description = description
        self._dtype = np.dtype("S" if dtype == "text" else dtype)
        self._keep = keep
        self._reducer = reducer
        self._journal = Journal(folder)
        self._lines: dict[int, list[dict[str, Any]]] = {}
        for line in self._journal.lines:
            self._lines.setdefault(line["tier"], []).append(line)
        self._filling: FillingArray | None = None
        self._below: FillingArray | None = None
        self.files: dict[int, Path] = {}
        self._digests: dict[int, str] = {}
        self._plans: dict[int, TierPlan] = {}

    # The fast sweep

    def begin(self, plan: SweepPlan, tier: TierPlan) -> tuple[TierTable, list[Shard]]:
        """Return the table to fill for a tier, and the shards that are in it already.

        Raises
        ------
        StoreError
            If a file is damaged, or there is no space for it.
        """
        self._below, self._filling = self._filling, None
        tiers = [each.tier for each in plan.tiers]
        self._remove(tiers, tier.tier - 2)
        lines = self._lines.get(tier.tier, [])
        self._check(tier, lines)
        done = len(lines) == len(tier.shards)
        if done and tier.tier not in self._kept(tiers) and self._is_done(plan, tier.tier + 1):
            self._remove(tiers, tier.tier)
            return self._with_shards(empty_table(tier, values=np.zeros(0, self._dtype)), lines)
        self._plans[tier.tier] = tier
        kept = tier.tier in self._kept(tiers)
        path = self._part(tier.tier, kept)
        if lines and not kept and not path.exists():
            raise StoreError(f"{path} is missing: {self._begun(path.name)}")
        if lines and done and not path.exists():
            path = self.folder / array_name(tier.tier, "values").format(short(lines[-1]["sha256"]))
        if not lines:
            reserve_array(path, self._dtype, tier.length)
        filling = FillingArray(path, self._dtype, tier.length)
        for line in lines:
            filling.take_in(int(tier.offsets[tier.shards[line["unit"]][1]]))
            if filling.digest != line["sha256"]:
                raise StoreError(
                    f"{path} is damaged: work unit {line['unit']} is not what the journal says; "
                    f"delete {self.folder} and solve again"
                )
        if lines:  # an interrupted work unit may have left something; a new file has zeros
            filling.values[filling.end :] = 0
        self._filling = filling
        self.files[tier.tier] = path
        self._digests[tier.tier] = filling.digest
        return self._with_shards(empty_table(tier, values=filling.values), lines)

    def add(self, shard: Shard) -> None:
        """Keep a shard that has been solved, on the disk."""
        assert self._filling is not None
        plan = shard.table.plan
        self._filling.keep(int(plan.offsets[shard.patterns[1]]))
        self._digests[plan.tier] = self._filling.digest
        self._add(
            {
                "tier": plan.tier,
                "unit": shard.number,
                "end": self._filling.end,
                "worst_gap": shard.worst_gap,
                "simplex_games": shard.simplex_games,
                "escalated": shard.escalated,
                "sha256": self._filling.digest,
            }
        )
        self._let_go()

    # The general sweep

    def node_table(
        self, tiers: Sequence[int], tier: int
    ) -> tuple[NodeTable | None, TierReport] | None:
        """Return a finished tier, without its table if that is not needed; None if unfinished."""
        self._remove(tiers, tier - 2)
        if tier not in self._lines:
            return None
        line = self._lines[tier][0]
        report = TierReport(tier, **line["report"])
        if tier not in self._kept(tiers) and tier + 1 in self._lines:
            self._remove(tiers, tier)
            return None, report
        with reading(self.folder / JOURNAL):
            table = read_table(self.folder, line["table"], self._reducer, None)
        assert isinstance(table, NodeTable)
        return table, report

    def add_node_table(self, table: NodeTable, report: TierReport) -> None:
        """Keep a tier that has been solved, on the disk."""
        with storing(self.folder):
            stored = write_table(self.folder, report.cards, table)
        self._add({"tier": report.cards, "report": report_as_dict(report), "table": stored})

    # Both

    def finish(self, reports: Mapping[int, TierReport]) -> dict[int, Table]:
        """Make the folder a solution; return its tables, read from the disk as they are needed."""
        self._below = self._filling = None
        kept = self._kept(list(reports))
        with storing(self.folder):
            stored = {
                tier: self._finished(tier)
                if tier in self._plans
                else self._lines[tier][0]["table"]
                for tier in sorted(kept)
            }
            manifest = with_tiers(self._description, reports, stored)
            write_manifest(self.folder, manifest)
            # The journal goes last: while it is there, `clean` knows of what is left over.
            remove_left_over(self.folder, file_names(manifest))
            if self.passing != self.folder:
                remove_folder(self.passing)
            self._journal.remove()
        return {
            tier: read_table(
                self.folder, manifest["tiers"][str(tier)], self._reducer, self._plans.get(tier)
            )
            for tier in stored
        }

    def _finished(self, tier: int) -> dict[str, Any]:
        """Give a tier's values their last name, and its patterns a file."""
        plan, digest, part = self._plans[tier], self._digests[tier], self._part(tier, kept=True)
        path = self.folder / array_name(tier, "values").format(short(digest))
        if part.exists():
            part.replace(path)
        files = {
            kind: write_array(self.folder, array_name(tier, kind), array)
            for kind, array in arrays_of(plan).items()
        }
        files["values"] = {"name": path.name, "bytes": path.stat().st_size, "sha256": digest}
        return describe_table(plan, self._dtype, files)

    def _add(self, line: dict[str, Any]) -> None:
        self._journal.add(line)
        self._lines.setdefault(line["tier"], []).append(line)

    def _part(self, tier: int, kept: bool) -> Path:
        place = self.folder if kept else self.passing
        return place / f"tier-{tier:02d}-values.part"

    def _begun(self, name: str) -> str:
        """Say where a solve was begun whose file is not where it is to go on."""
        if (self.folder / name).exists():
            return "the solve was begun without a scratch folder; go on without"
        other = "a" if self.passing == self.folder else "another"
        return f"the solve was begun with {other} scratch folder, which is needed to go on"

    def _let_go(self) -> None:
        """Give back memory that only holds what is on the disk, if it is more than may be held."""
        if self._memory is not None and resident_memory() > self._memory:
            for filling in (self._below, self._filling):
                if filling is not None:
                    filling.let_go()

    def _kept(self, tiers: Sequence[int]) -> set[int]:
        return set(kept_tiers(tiers, self._keep))

    def _is_done(self, plan: SweepPlan, tier: int) -> bool:
        found = [each for each in plan.tiers if each.tier == tier]
        return bool(found) and len(self._lines.get(tier, [])) == len(found[0].shards)

    def _remove(self, tiers: Sequence[int], tier: int) -> None:
        """Delete the files of a tier that is not needed any more, if there are any."""
        if tier in tiers and tier not in self._kept(tiers):
            with storing(self.folder):
                for folder in {self.folder, self.passing}:
                    for file in our_files(folder, f"tier-{tier:02d}-*"):
                        file.unlink()

    def _check(self, tier: TierPlan, lines: Sequence[Mapping[str, Any]]) -> None:
        """Refuse a journal that does not fit the plan."""
        ends = [int(tier.offsets[last]) for _, last in tier.shards]
        expected = list(enumerate(ends))[: len(lines)]
        if [(line.get("unit"), line.get("end")) for line in lines] != expected:
            raise StoreError(
                f"{self.folder / JOURNAL} does not fit the work units of tier {tier.tier}; "
                f"delete {self.folder} and solve again"
            )

    def _with_shards(
        self, table: TierTable, lines: Sequence[Mapping[str, Any]]
    ) -> tuple[TierTable, list[Shard]]:
        counts = ("worst_gap", "simplex_games", "escalated")
        return table, [
            Shard(table, line["unit"], *(line[name] for name in counts)) for line in lines
        ]
