"""Solutions on disk: a manifest and a few arrays, written so that a half-written one never loads.

``docs/format.md`` describes every file. Array files carry the start of their hash in their names;
the manifest comes last and is moved into place, so a folder is always the old solution or the new
one. The same solution gives the same bytes: when and where it was computed stands in ``run.json``,
which nothing reads back.
"""

from __future__ import annotations

import os
import platform
import re
import shutil
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from gops_lab.decks import deck_folder, deck_of, found_at
from gops_lab.errors import OccupiedError, StoreError
from gops_lab.game import checks
from gops_lab.game.objectives import Objective
from gops_lab.game.rules import Rules
from gops_lab.game.state import State
from gops_lab.induction.files import (
    as_json,
    check_no_others,
    locked,
    reading,
    replace_file,
    storing,
)
from gops_lab.induction.journal import JOURNAL, unfinished
from gops_lab.induction.manifest import (
    IDENTITY,
    MANIFEST,
    check_same,
    described,
    read_manifest,
    sealed,
    stored_objective,
    with_tiers,
)
from gops_lab.induction.rectangle import TierPlan, plan_sweep
from gops_lab.induction.reduction import Reducer, Reductions
from gops_lab.induction.stored_tables import in_memory, read_table, write_table
from gops_lab.induction.sweep import Table, TierReport

if TYPE_CHECKING:
    from gops_lab.induction.solution import Solution

RUN = "run.json"

_ARRAY = r"tier-\d+-(nodes|patterns|reached|values)-[0-9a-f]{12}\.npy"
_OUR_FILES = re.compile(
    r"\.lock|manifest\.json|run\.json|journal\.jsonl|tier-\d+-values\.part|units-[0-9a-f]{32}"
    rf"|{_ARRAY}"
    rf"|\.(manifest\.json|run\.json|journal\.jsonl|{_ARRAY})\.\d+\.tmp"
)
"""Names that a save or a solve gives to files."""


def save(solution: Solution, folder: str | os.PathLike[str]) -> Path:
    """Write a solution to a folder, which is made if it does not exist.

    The same solution that is there already (same rules, objective, start and arithmetic) is
    replaced; so is what an interrupted save left behind.

    Raises
    ------
    StoreError
        If the folder holds something else, is in use by another process, or cannot be written;
        a solution there is not changed then.
    """
    path = as_path(folder)
    description = described(
        solution.rules, solution.objective, solution.start, solution.reducer, solution.method
    )
    _replaced(path, description)
    make_folder(path)
    with locked(path), storing(path):
        there = _replaced(path, description)
        if there is None:
            check_not_lost(path)
        kept = file_names(there)
        try:
            stored = {
                tier: write_table(path, tier, table)
                for tier, table in sorted(solution.tables.items())
            }
            manifest = with_tiers(description, solution.reports, stored)
            write_manifest(path, manifest)
            kept = file_names(manifest)
        finally:
            remove_left_over(path, kept)
    return path


def load(folder: str | os.PathLike[str]) -> Solution:
    """Read a solution that `Solution.save` or `gops_lab.solve` wrote, or one that is built in.

    Values are read from the disk as they are asked for. The manifest is checked against its hash
    and the game it describes, every file against its length, and small ones against their hash.

    Parameters
    ----------
    folder : path
        Or the name of a solved deck that comes with the package: ``"13-carry-margin"``,
        ``"13-discard-margin"``, ``"13-carry-win"``, ``"13-discard-win"`` (unless there is such a
        folder).

    Raises
    ------
    StoreError
        If the folder holds no solution, one that is not finished, one of a newer format, or a
        file that is damaged.

    Examples
    --------
    >>> import gops_lab as gl
    >>> deck = gl.load("13-carry-margin")
    >>> strategy = deck.strategy(gl.State(range(1, 14), range(1, 14), range(1, 13), upcard=13))
    >>> int(strategy.idxmax())
    13
    """
    path = found_at(as_path(folder))
    if os.path.exists(path / JOURNAL) and not os.path.exists(path / MANIFEST):
        raise StoreError(unfinished(path))
    manifest = read_manifest(path)
    with reading(path / MANIFEST):
        return _read(path, manifest)


def shipped(rules: Rules, objective: Objective) -> Solution | None:
    """Return the solution of a game that comes with the package, if there is one.

    Examples
    --------
    >>> from gops_lab.game import MARGIN
    >>> shipped(Rules(cards=13), MARGIN).start.tier, shipped(Rules(cards=12), MARGIN)
    (13, None)
    """
    deck = deck_of(rules, objective)
    return None if deck is None else load(deck_folder(deck))


def taken_out(folder: Path) -> Solution:
    """Return the solution in a folder with its tables in memory, and remove the folder."""
    solution = load(folder)
    solution.tables = {tier: in_memory(table) for tier, table in solution.tables.items()}
    remove_folder(folder)
    return solution


def as_path(folder: str | os.PathLike[str]) -> Path:
    """Return a folder's path.

    Raises
    ------
    StoreError
        If it is no path at all, or an empty one.
    """
    return checks.path("a solution's folder", folder, StoreError)


def make_folder(path: Path) -> None:
    """Make a folder, and those above it, if it is not there."""
    with storing(path):
        path.mkdir(parents=True, exist_ok=True)


def remove_folder(folder: Path) -> None:
    """Remove a solve's files from a folder, and the folder too if nothing else is in it."""
    with storing(folder):
        if not folder.exists():
            return
        remove_units(folder)
        for file in our_files(folder):
            file.unlink()
        if not any(folder.iterdir()):
            folder.rmdir()


def remove_units(folder: Path) -> None:
    """Remove what workers of a cluster left in a folder, for a solve that was killed."""
    for units in folder.glob("units-*"):
        if _OUR_FILES.fullmatch(units.name):
            shutil.rmtree(units, ignore_errors=True)


def holds_solution(folder: Path) -> bool:
    """Return whether a folder holds a solution (or what is meant to be one).

    Raises
    ------
    OccupiedError
        If it holds other files, or is no folder: no solution can be written there.
    """
    with storing(folder):
        if not folder.exists():
            return False
        if not folder.is_dir():
            raise OccupiedError(f"{folder} is a file; a solution needs a folder")
        if (folder / MANIFEST).exists():
            return True
        check_no_others(folder, _OUR_FILES, "no solution")
    return False


def check_not_lost(folder: Path) -> None:
    """Refuse a folder whose solution is complete but for its manifest; it may be found again.

    Raises
    ------
    OccupiedError
        If run.json and tables are there, and no save was killed before it wrote the manifest.
    """
    begun = any(folder.glob(f".{MANIFEST}.*"))
    if (folder / RUN).exists() and any(folder.glob("tier-*.npy")) and not begun:
        raise OccupiedError(
            f"{folder} holds the tables of a solution whose {MANIFEST} is missing; "
            "nothing was written"
        )


def write_manifest(folder: Path, manifest: Mapping[str, Any]) -> None:
    """Make a folder whose arrays are all there a solution."""
    run = {
        "written": datetime.now(UTC).isoformat(timespec="seconds"),
        "machine": platform.machine(),
        "system": platform.system(),
    }
    replace_file(folder / RUN, as_json(run))
    replace_file(folder / MANIFEST, sealed(manifest))


def file_names(manifest: Mapping[str, Any] | None) -> set[str]:
    """Return the names of the arrays that belong to a solution."""
    tiers = manifest["tiers"].values() if manifest else ()
    return {file["name"] for tier in tiers for file in tier["files"].values()}


def remove_left_over(folder: Path, kept: set[str]) -> None:
    """Delete arrays and temporary files of ours that no manifest names."""
    for pattern in ("tier-*.npy", "tier-*.part", ".*.tmp"):
        for file in our_files(folder, pattern):
            if file.name not in kept:
                file.unlink()


def our_files(folder: Path, pattern: str = "*") -> list[Path]:
    """Return the files in a folder that have a name which only a save or a solve gives."""
    files = (file for file in folder.glob(pattern) if not file.is_dir())
    return [file for file in files if _OUR_FILES.fullmatch(file.name)]


def _read(path: Path, manifest: dict[str, Any]) -> Solution:
    from gops_lab.induction.solution import Solution
    from gops_lab.induction.solve import carried_apart, left_to_play

    rules = Rules(**manifest["rules"])
    start = State(**manifest["start"])
    low, high = manifest["start_leads"]
    used = Reductions(**manifest["reductions"])
    game = left_to_play(rules, start), stored_objective(manifest["objective"]), low, high
    if game[0].as_dict() != manifest["game"]:
        raise ValueError(f"what is left at its start is {game[0]!r}, not its game")
    rest = manifest["exact"], carried_apart(start)
    reducer = Reducer(*game, used, *rest)
    asked = None if Reducer(*game, None, *rest).reductions == used else used
    tables: dict[int, Table] = {}
    reports: dict[int, TierReport] = {}
    plans = _plans(reducer, manifest["tiers"])
    for name, tier in manifest["tiers"].items():
        number = int(name)
        reports[number] = TierReport(number, **tier["report"])
        if tier["files"]:
            tables[number] = read_table(path, tier, reducer, plans.get(number))
    return Solution(
        rules, reducer.objective, start, reducer, tables, reports, manifest["method"], asked
    )


def _plans(reducer: Reducer, tiers: Mapping[str, Any]) -> dict[int, TierPlan]:
    """Return the plans of the tiers that the fast sweep solved and that are kept."""
    kept = [
        int(name) for name, tier in tiers.items() if tier["files"] and tier["layout"] != "nodes"
    ]
    if not kept:
        return {}
    plan = plan_sweep(reducer.rules, reducer.objective, reducer.start_leads, lowest=min(kept))
    return {tier.tier: tier for tier in plan.tiers}


def _replaced(path: Path, description: Mapping[str, Any]) -> dict[str, Any] | None:
    """Return the manifest of the solution that this one replaces, if there is one.

    Raises
    ------
    StoreError
        If something else is there.
    """
    if not holds_solution(path):
        if (path / JOURNAL).exists():
            raise OccupiedError(f"{unfinished(path)}; nothing was written")
        return None
    there = read_manifest(path)
    check_same(path, there, {name: description[name] for name in IDENTITY}, "a solution")
    return there
