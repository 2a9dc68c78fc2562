"""Solutions on disk: one manifest and a few arrays, written so that a half-written one never loads.

A folder holds ``manifest.json`` and ``.npy`` arrays for every tier that is kept: ``values``
(float64, float32, int32 steps, or fractions as text) and, from the general sweep, ``nodes`` (int64,
one row a node: code of the pair of hands, hidden prizes, carried, lead). Values of the rectangle
sweep stand in the order that its plan gives them, which follows from the rules.

Array files carry the start of a hash in their names; the manifest comes last and is moved into
place, so a folder is always the old solution or the new one. The manifest holds the SHA-256 of
every array and of itself. The same solution gives the same bytes: when and where it was computed
stands in ``run.json``, which nothing reads back.
"""

from __future__ import annotations

import hashlib
import json
import math
import os
import platform
import re
from datetime import UTC, datetime
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import scipy

from gops_lab._version import __version__
from gops_lab.errors import StoreError
from gops_lab.game.objectives import NAMED_OBJECTIVES, Objective
from gops_lab.game.rules import Rules
from gops_lab.game.state import State
from gops_lab.induction.files import (
    as_json,
    locked,
    map_array,
    replace_file,
    storing,
    write_array,
)
from gops_lab.induction.records import Records
from gops_lab.induction.rectangle import TierPlan, TierTable, empty_table, plan_sweep
from gops_lab.induction.reduction import MOST_LEADS, Reducer, Reductions
from gops_lab.induction.solution import Solution
from gops_lab.induction.solve import carried_apart, left_to_play
from gops_lab.induction.sweep import NodeTable, Table, TierReport

FORMAT = "gops_lab solution"
FORMAT_VERSION = 1
MANIFEST = "manifest.json"
RUN = "run.json"

_IDENTITY = ("rules", "objective", "start", "start_leads", "exact")
"""What of a manifest says which solution it is; the rest says how it was found."""

_OUR_FILES = re.compile(
    r"\.lock|run\.json|tier-\d+-(nodes|values)-[0-9a-f]{12}\.npy"
    r"|\.(manifest\.json|run\.json|tier-\d+-(nodes|values)-[0-9a-f]{12}\.npy)\.\d+\.tmp"
)
"""Names that a save which was killed can leave behind."""

_RECTANGLE_TYPES = ("float64", "float32", "int32")


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
    manifest = _described(solution)
    _replaced(path, manifest)
    with storing(path):
        path.mkdir(parents=True, exist_ok=True)
    with locked(path):
        kept = _file_names(_replaced(path, manifest))
        try:
            for tier, table in sorted(solution.tables.items()):
                for kind, array in _arrays(table, solution.exact).items():
                    digest = hashlib.sha256(array.tobytes()).hexdigest()
                    name = f"tier-{tier:02d}-{kind}-{digest[:12]}.npy"
                    manifest["tiers"][str(tier)]["files"][kind] = write_array(path, name, array)
            run = {
                "written": datetime.now(UTC).isoformat(timespec="seconds"),
                "machine": platform.machine(),
                "system": platform.system(),
            }
            replace_file(path / RUN, as_json(run))
            replace_file(path / MANIFEST, _sealed(manifest))
            kept = _file_names(manifest)
        finally:
            _remove_left_over(path, kept)
    return path


def load(folder: str | os.PathLike[str]) -> Solution:
    """Read a solution that `Solution.save` wrote.

    Every file's length and hash is checked against the manifest, and the manifest's own.

    Raises
    ------
    StoreError
        If the folder holds no solution, one of a newer format, or a file that is damaged.
    """
    path = as_path(folder)
    manifest = read_manifest(path)
    try:
        return _read(path, manifest)
    except StoreError:
        raise
    except (LookupError, TypeError, AttributeError, ValueError, ArithmeticError) as error:
        raise StoreError(
            f"{path / MANIFEST} is garbled: {type(error).__name__}: {error}"
        ) from error


def as_path(folder: str | os.PathLike[str]) -> Path:
    """Return a folder's path.

    Raises
    ------
    StoreError
        If it is no path at all, or an empty one.
    """
    try:
        name = os.fsdecode(folder)
    except TypeError:
        name = ""
    if not name or "\0" in name:
        raise StoreError(f"a solution's folder must be a path, not {folder!r}")
    return Path(name)


def holds_solution(folder: Path) -> bool:
    """Return whether a folder holds a solution (or what is meant to be one).

    Raises
    ------
    StoreError
        If it holds other files, or is no folder: no solution can be written there.
    """
    with storing(folder):
        if not folder.exists():
            return False
        if not folder.is_dir():
            raise StoreError(f"{folder} is a file; a solution needs a folder")
        if (folder / MANIFEST).exists():
            return True
        others = [file.name for file in folder.iterdir() if not _OUR_FILES.fullmatch(file.name)]
    if others:
        raise StoreError(
            f"{folder} holds no solution, but other files ({min(others)}); nothing was written"
        )
    return False


def read_manifest(folder: Path) -> dict[str, Any]:
    """Return the manifest of a stored solution.

    Raises
    ------
    StoreError
        If there is none, or one that this version cannot read.
    """
    file = folder / MANIFEST
    try:
        data = file.read_bytes()
        manifest = json.loads(data)
    except FileNotFoundError:
        raise StoreError(f"{folder} holds no solution: there is no {MANIFEST}") from None
    except OSError as error:
        raise StoreError(f"{file} cannot be read: {error.strerror or error}") from error
    except (ValueError, RecursionError) as error:
        raise StoreError(f"{file} is not JSON: {error}") from error
    if not isinstance(manifest, dict) or manifest.get("format") != FORMAT:
        raise StoreError(f"{file} is not the manifest of a solution")
    if manifest.get("format_version") != FORMAT_VERSION:
        raise StoreError(
            f"{file} has format version {manifest.get('format_version')!r}; "
            f"this program reads version {FORMAT_VERSION}"
        )
    manifest.pop("sha256", None)
    if data != _sealed(manifest):
        raise StoreError(f"{file} is damaged: its SHA-256 is not the one it gives")
    return manifest


def _read(path: Path, manifest: dict[str, Any]) -> Solution:
    rules = Rules(**manifest["rules"])
    start = State(**manifest["start"])
    low, high = manifest["start_leads"]
    used = Reductions(**manifest["reductions"])
    game = left_to_play(rules, start), _objective(manifest["objective"]), low, high
    rest = manifest["exact"], carried_apart(start)
    reducer = Reducer(*game, used, *rest)
    asked = None if Reducer(*game, None, *rest).reductions == used else used
    tables: dict[int, Table] = {}
    reports: dict[int, TierReport] = {}
    plans: dict[int, TierPlan] = {}
    for name, tier in manifest["tiers"].items():
        number = int(name)
        reports[number] = TierReport(number, **tier["report"])
        arrays = {kind: map_array(path, file, True) for kind, file in tier["files"].items()}
        if "nodes" in arrays:
            tables[number] = _node_table(reducer, **arrays)
        elif arrays:
            sweep = plan_sweep(reducer.rules, reducer.objective, reducer.start_leads)
            plans = plans or {plan.tier: plan for plan in sweep.tiers}
            tables[number] = _rectangle_table(plans[number], **arrays)
    return Solution(
        rules, reducer.objective, start, reducer, tables, reports, manifest["method"], asked
    )


def _node_table(
    reducer: Reducer, nodes: npt.NDArray[Any], values: npt.NDArray[Any]
) -> NodeTable:
    if nodes.dtype != np.int64 or nodes.ndim != 2 or nodes.shape[1] != 4:
        raise ValueError(f"nodes must be rows of four integers, not {nodes.dtype} {nodes.shape}")
    if values.shape != (len(nodes),) or values.dtype.kind != ("S" if reducer.exact else "f"):
        raise ValueError(f"{len(nodes)} values are needed, not {values.dtype} {values.shape}")
    records, order = Records.from_rows(tuple(nodes.T))
    if len(records) != len(nodes):
        raise ValueError("a node is listed twice")
    kept = reducer.values(len(records))
    kept[order] = [Fraction(v.decode()) for v in values] if reducer.exact else values
    return NodeTable(records, kept)


def _rectangle_table(plan: TierPlan, values: npt.NDArray[Any]) -> TierTable:
    if values.shape != (plan.length,) or values.dtype.name not in _RECTANGLE_TYPES:
        raise ValueError(f"{plan.length} values are needed, not {values.dtype} {values.shape}")
    return empty_table(plan, values=values)


def _arrays(table: Table, exact: bool) -> dict[str, npt.NDArray[Any]]:
    if isinstance(table, TierTable):
        return {"values": table.values}
    if not isinstance(table, NodeTable):
        raise StoreError(f"values kept as {type(table).__name__} cannot be stored")
    values = table.values
    if exact:
        values = np.array([str(value).encode() for value in values], dtype=np.bytes_)
    return {"nodes": np.column_stack(table.nodes.columns), "values": values}


def _described(solution: Solution) -> dict[str, Any]:
    reducer = solution.reducer
    return {
        "format": FORMAT,
        "format_version": FORMAT_VERSION,
        "rules": solution.rules.as_dict(),
        "objective": _objective_as_dict(solution.objective, reducer),
        "start": {
            "hand_a": list(solution.start.hand_a),
            "hand_b": list(solution.start.hand_b),
            "prizes": list(solution.start.prizes),
            "upcard": solution.start.upcard,
            "carried": solution.start.carried,
            "lead": solution.start.lead,
        },
        "start_leads": list(reducer.start_leads),
        "exact": solution.exact,
        "method": solution.method,
        "reductions": vars(reducer.reductions),
        "tiers": {
            str(tier): {
                "report": {
                    "stage_games": report.stage_games,
                    "values": report.values,
                    "worst_gap": report.worst_gap,
                    "error": report.error,
                    "methods": dict(sorted(report.methods.items())),
                },
                "files": {},
            }
            for tier, report in sorted(solution.reports.items())
        },
        "versions": {
            "gops_lab": __version__,
            "numpy": np.__version__,
            "scipy": scipy.__version__,
            "python": platform.python_version(),
        },
    }


def _objective_as_dict(objective: Objective, reducer: Reducer) -> dict[str, Any]:
    if objective.name in NAMED_OBJECTIVES:
        return {"name": objective.name}
    low, high = reducer.final_leads
    if high - low > MOST_LEADS:
        raise StoreError(
            f"objective {objective.name!r} would need a table of {high - low + 1} leads; "
            f"at most {MOST_LEADS} can be stored"
        )
    known = ((lead, objective.known(lead)) for lead in range(low, high + 1))
    # repr gives the shortest text that reads back as the same float, str a fraction.
    table = {str(lead): str(value) for lead, value in known if value is not None}
    return {"name": objective.name, "table": table, "error": objective.error}


def _objective(stored: dict[str, Any]) -> Objective:
    name = stored["name"]
    if "table" not in stored:
        return NAMED_OBJECTIVES[name]
    if name in NAMED_OBJECTIVES:
        raise ValueError(f"objective {name!r} has no table")
    table = {
        int(lead): float(value) if set(value) & set(".en") else Fraction(value)
        for lead, value in stored["table"].items()
    }
    if not all(map(math.isfinite, table.values())):
        raise ValueError(f"objective {name!r} is not finite")
    error = float(stored["error"])
    if not 0 <= error < math.inf:
        raise ValueError(f"objective {name!r} has an error of {error}")
    return Objective(name, table.__getitem__, error)


def _replaced(path: Path, manifest: dict[str, Any]) -> dict[str, Any] | None:
    """Return the manifest of the solution that this one replaces, if there is one.

    Raises
    ------
    StoreError
        If something else is there.
    """
    if not holds_solution(path):
        return None
    there = read_manifest(path)
    for name in _IDENTITY:
        if there.get(name) != manifest[name]:
            raise StoreError(
                f"{path} holds a solution with other {name}: {there.get(name)}; nothing was written"
            )
    return there


def _file_names(manifest: dict[str, Any] | None) -> set[str]:
    tiers = manifest["tiers"].values() if manifest else ()
    return {file["name"] for tier in tiers for file in tier["files"].values()}


def _remove_left_over(folder: Path, kept: set[str]) -> None:
    """Delete arrays and temporary files that no manifest names."""
    for pattern in ("tier-*.npy", ".*.tmp"):
        for file in folder.glob(pattern):
            if file.name not in kept and _OUR_FILES.fullmatch(file.name):
                file.unlink()


def _sealed(manifest: dict[str, Any]) -> bytes:
    """Return the text of a manifest with its own SHA-256, taken without it, at the end."""
    digest = hashlib.sha256(as_json(manifest)).hexdigest()
    return as_json({**manifest, "sha256": digest})
