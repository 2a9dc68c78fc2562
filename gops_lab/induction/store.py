"""Solutions on disk: one manifest and a few arrays, written so that a half-written one never loads.

A folder holds ``manifest.json`` and, for every tier, ``nodes`` (int64, one row a node: code of the
pair of hands, hidden prizes, carried, lead) and ``values`` (float64, or fractions as text) as
little-endian ``.npy``. Array files carry the start of their SHA-256 in their names; the manifest
comes last and is moved into place, so a folder is always the old solution or the new one. The same
solution gives the same bytes: when and where it was computed stands in ``run.json``, which nothing
reads back.
"""

from __future__ import annotations

import hashlib
import io
import json
import os
import platform
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
from gops_lab.induction.records import Records
from gops_lab.induction.reduction import MOST_LEADS, Reducer, Reductions
from gops_lab.induction.solution import Solution
from gops_lab.induction.solve import left_to_play
from gops_lab.induction.sweep import NodeTable, TierReport

FORMAT = "gops_lab solution"
FORMAT_VERSION = 1
MANIFEST = "manifest.json"
RUN = "run.json"


def save(solution: Solution, folder: str | os.PathLike[str]) -> Path:
    """Write a solution to a folder, which is made if it does not exist.

    A solution of the same rules and objective that is there already is replaced.

    Raises
    ------
    StoreError
        If the folder holds something else, or cannot be written; nothing there is changed then.
    """
    path = Path(folder)
    manifest = _described(solution)
    _check_target(path, manifest)
    try:
        path.mkdir(parents=True, exist_ok=True)
        for tier, table in sorted(solution.tables.items()):
            assert isinstance(table, NodeTable)
            files = manifest["tiers"][str(tier)]["files"]
            for kind, array in (
                ("nodes", np.column_stack(table.nodes.columns).astype("<i8")),
                ("values", _as_stored(table.values, solution.exact)),
            ):
                files[kind] = _write_array(path, f"tier-{tier:02d}-{kind}", array)
        run = {
            "written": datetime.now(UTC).isoformat(timespec="seconds"),
            "machine": platform.machine(),
            "system": platform.system(),
        }
        _replace(path / RUN, _as_json(run))
        _replace(path / MANIFEST, _as_json(manifest))
        _remove_left_over(path, manifest)
    except OSError as error:
        raise StoreError(f"{path} cannot be written: {error.strerror or error}") from error
    return path


def load(folder: str | os.PathLike[str]) -> Solution:
    """Read a solution that `Solution.save` wrote.

    Every file's length and hash is checked against the manifest.

    Raises
    ------
    StoreError
        If the folder holds no solution, one of a newer format, or a file that is damaged.
    """
    path = Path(folder)
    manifest = read_manifest(path)
    try:
        rules = Rules(**manifest["rules"])
        objective = _objective(manifest["objective"])
        start = State(**manifest["start"])
        low, high = manifest["start_leads"]
        reducer = Reducer(
            left_to_play(rules, start), objective, low, high, Reductions(**manifest["reductions"]), manifest["exact"]
        )
        tables: dict[int, NodeTable] = {}
        reports: dict[int, TierReport] = {}
        for name, tier in manifest["tiers"].items():
            nodes = _read_array(path, tier["files"]["nodes"])
            values = _read_array(path, tier["files"]["values"])
            if nodes.ndim != 2 or nodes.shape[1] != 4 or values.shape != (len(nodes),):
                raise StoreError(f"{path}: the arrays of tier {name} do not belong together")
            records, order = Records.from_rows(tuple(nodes.T))
            kept = reducer.values(len(records))
            kept[order] = [Fraction(v.decode()) for v in values] if reducer.exact else values
            tables[int(name)] = NodeTable(records, kept)
            reports[int(name)] = TierReport(int(name), **tier["report"])
        return Solution(rules, objective, start, reducer, tables, reports, manifest["method"])
    except (KeyError, TypeError, AttributeError) as error:
        raise StoreError(f"{path / MANIFEST} lacks or garbles {error}") from error


def read_manifest(folder: Path) -> dict[str, Any]:
    """Return the manifest of a stored solution.

    Raises
    ------
    StoreError
        If there is none, or one that this version cannot read.
    """
    file = folder / MANIFEST
    try:
        manifest = json.loads(file.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise StoreError(f"{folder} holds no solution: there is no {MANIFEST}") from None
    except OSError as error:
        raise StoreError(f"{file} cannot be read: {error.strerror or error}") from error
    except ValueError as error:
        raise StoreError(f"{file} is not JSON: {error}") from error
    if not isinstance(manifest, dict) or manifest.get("format") != FORMAT:
        raise StoreError(f"{file} is not the manifest of a solution")
    if manifest.get("format_version") != FORMAT_VERSION:
        raise StoreError(
            f"{file} has format version {manifest.get('format_version')}; "
            f"this program reads version {FORMAT_VERSION}"
        )
    return manifest


def _described(solution: Solution) -> dict[str, Any]:
    reducer = solution.reducer
    low, high = reducer.start_leads
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
        "start_leads": [low, high],
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
    return {"name": objective.name, "table": table}


def _objective(stored: dict[str, Any]) -> Objective:
    if "table" not in stored:
        return NAMED_OBJECTIVES[stored["name"]]
    table = {
        int(lead): float(value) if set(value) & set(".en") else Fraction(value)
        for lead, value in stored["table"].items()
    }
    return Objective(stored["name"], table.__getitem__)


def _check_target(path: Path, manifest: dict[str, Any]) -> None:
    """Refuse a folder that holds anything but a solution of the same game."""
    if path.exists() and not path.is_dir():
        raise StoreError(f"{path} is a file; a solution needs a folder")
    if not path.exists() or not any(path.iterdir()):
        return
    if not (path / MANIFEST).exists():
        raise StoreError(f"{path} is not empty and holds no solution; nothing was written")
    there = read_manifest(path)
    for name in ("rules", "objective"):
        if there.get(name) != manifest[name]:
            raise StoreError(
                f"{path} holds a solution with other {name}: {there.get(name)}; nothing was written"
            )


def _as_stored(values: npt.NDArray[Any], exact: bool) -> npt.NDArray[Any]:
    if exact:
        return np.array([str(value).encode() for value in values], dtype=np.bytes_)
    return values.astype("<f8")


def _write_array(folder: Path, stem: str, array: npt.NDArray[Any]) -> dict[str, Any]:
    buffer = io.BytesIO()
    np.lib.format.write_array(buffer, array, allow_pickle=False)
    data = buffer.getvalue()
    digest = hashlib.sha256(data).hexdigest()
    name = f"{stem}-{digest[:12]}.npy"
    _replace(folder / name, data)
    return {"name": name, "bytes": len(data), "sha256": digest}


def _read_array(folder: Path, file: dict[str, Any]) -> npt.NDArray[Any]:
    path = folder / Path(file["name"]).name
    try:
        data = path.read_bytes()
    except OSError as error:
        raise StoreError(f"{path} cannot be read: {error.strerror or error}") from error
    if len(data) != file["bytes"]:
        raise StoreError(
            f"{path} is damaged: it has {len(data)} bytes, the manifest says {file['bytes']}"
        )
    if hashlib.sha256(data).hexdigest() != file["sha256"]:
        raise StoreError(f"{path} is damaged: its SHA-256 is not the one in the manifest")
    return np.asarray(np.lib.format.read_array(io.BytesIO(data), allow_pickle=False))


def _replace(path: Path, data: bytes) -> None:
    """Write a file under a temporary name and move it into place."""
    temporary = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    try:
        with temporary.open("wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        os.replace(temporary, path)
    finally:
        temporary.unlink(missing_ok=True)


def _remove_left_over(folder: Path, manifest: dict[str, Any]) -> None:
    """Delete array files of a solution that has just been replaced."""
    kept = {file["name"] for tier in manifest["tiers"].values() for file in tier["files"].values()}
    for file in folder.glob("tier-*.npy"):
        if file.name not in kept:
            file.unlink()


def _as_json(data: dict[str, Any]) -> bytes:
    return (json.dumps(data, indent=1, ensure_ascii=True) + "\n").encode()


