"""The manifest of a stored solution: which game it is of, and which files belong to it.

Every field is described in ``docs/format.md``.
"""

from __future__ import annotations

import hashlib
import math
import platform
import re
import reprlib
import sys
from collections.abc import Mapping
from fractions import Fraction
from pathlib import Path
from typing import Any

import numba
import numpy as np
import scipy

from gops_lab._version import __version__
from gops_lab.errors import OccupiedError, StoreError
from gops_lab.game.documents import ANY, check_shape, from_json
from gops_lab.game.objectives import NAMED_OBJECTIVES, Objective
from gops_lab.game.rules import Rules
from gops_lab.game.state import State
from gops_lab.induction.files import as_json
from gops_lab.induction.reduction import MOST_LEADS, Reducer
from gops_lab.induction.sweep import TierReport

FORMAT = "gops_lab solution"
FORMAT_VERSION = 1
MANIFEST = "manifest.json"

FILE = {"name": str, "bytes": int, "sha256": str}
REPORT = {
    "stage_games": int, "values": int, "worst_gap": float, "error": float, "methods": {ANY: int},
}
TABLE = {"layout": str, "prizes": int, "dtype": str, "step": float, "files": {ANY: FILE}}
RULES = {
    "hand_a": [int], "hand_b": [int], "prizes": [int], "ties": str, "order": (str, [int]),
    "negative_stakes": str, "rounds": int,
}
SHAPE = {
    "format": str,
    "format_version": int,
    "rules": RULES,
    "objective": ({"name": str}, {"name": str, "table": {ANY: str}, "error": float}),
    "start": {
        "hand_a": [int], "hand_b": [int], "prizes": [int], "upcard": (int, None), "carried": int,
        "lead": int,
    },
    "start_leads": [int],
    "game": RULES,
    "exact": bool,
    "method": str,
    "reductions": {"patterns": bool, "swap": bool, "drop_lead": bool, "decided": bool},
    "versions": {ANY: str},
    "tiers": {re.compile("[1-9][0-9]?"): ({"report": REPORT, "files": {}},
                                          {"report": REPORT, **TABLE})},
}
"""What `check_shape` asks of a manifest, but for its seal."""

IDENTITY = ("rules", "objective", "start", "start_leads", "exact")
"""What of a manifest says which solution it is; the rest says how it was found."""


def described(
    rules: Rules, objective: Objective, start: State, reducer: Reducer, method: str
) -> dict[str, Any]:
    """Return all fields of a manifest that are known before anything is solved.

    Raises
    ------
    StoreError
        If the objective needs too long a table.
    """
    return {
        "format": FORMAT,
        "format_version": FORMAT_VERSION,
        "rules": rules.as_dict(),
        "objective": objective_as_dict(objective, *reducer.final_leads),
        "start": start.as_dict(),
        "start_leads": list(reducer.start_leads),
        "game": reducer.rules.as_dict(),
        "exact": reducer.exact,
        "method": method,
        "reductions": dict(vars(reducer.reductions)),
        "versions": run_versions(),
    }


def run_versions() -> dict[str, str]:
    """Return the versions of everything that computes."""
    return {
        "gops_lab": __version__,
        "numpy": np.__version__,
        "scipy": scipy.__version__,
        "numba": numba.__version__,
        "python": platform.python_version(),
    }


def with_tiers(
    description: Mapping[str, Any],
    reports: Mapping[int, TierReport],
    tables: Mapping[int, Mapping[str, Any]],
) -> dict[str, Any]:
    """Return a whole manifest: a description, all tiers' reports, the tables that are kept."""
    tiers = {
        str(tier): {"report": report_as_dict(report), **tables.get(tier, {"files": {}})}
        for tier, report in sorted(reports.items())
    }
    return {**description, "tiers": tiers}


def report_as_dict(report: TierReport) -> dict[str, Any]:
    """Return a tier's report as JSON holds it; ``TierReport(tier, **d)`` gives it back."""
    return {
        "stage_games": report.stage_games,
        "values": report.values,
        "worst_gap": report.worst_gap,
        "error": report.error,
        "methods": dict(sorted(report.methods.items())),
    }


def sealed(manifest: Mapping[str, Any]) -> bytes:
    """Return the text of a manifest with its own SHA-256, taken without it, at the end."""
    digest = hashlib.sha256(as_json(dict(manifest))).hexdigest()
    return as_json({**manifest, "sha256": digest})


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
        manifest = from_json(data)
    except (FileNotFoundError, NotADirectoryError):
        raise StoreError(f"{folder} holds no solution: there is no {MANIFEST}") from None
    except OSError as error:
        raise StoreError(f"{file} cannot be read: {error.strerror or error}") from error
    except ValueError as error:
        raise StoreError(f"{file} is not JSON: {error}") from error
    if not isinstance(manifest, dict) or manifest.get("format") != FORMAT:
        raise StoreError(f"{file} is not the manifest of a solution")
    check_version(file, manifest.get("format_version"))
    manifest.pop("sha256", None)
    if data != sealed(manifest):
        raise StoreError(f"{file} is damaged: its SHA-256 is not the one it gives")
    try:
        check_shape("manifest", manifest, SHAPE)
    except ValueError as error:
        raise StoreError(f"{file} is garbled: {error}") from error
    return manifest


def check_version(file: Path, version: object) -> None:
    """Refuse a file of another format version than ours."""
    if version != FORMAT_VERSION:
        newer = isinstance(version, int) and version > FORMAT_VERSION
        advice = "; a newer gops_lab wrote it" if newer else ""
        raise StoreError(
            f"{file} has format version {version!r}; "
            f"this program reads version {FORMAT_VERSION}{advice}"
        )


def check_same(
    folder: Path, there: Mapping[str, Any], wanted: Mapping[str, Any], what: str
) -> None:
    """Refuse to go on with, or replace, what was not made from the same game and settings.

    Raises
    ------
    OccupiedError
        Naming the first field of `wanted` that differs.
    """
    for name, value in wanted.items():
        if there.get(name) != value:
            raise OccupiedError(
                f"{folder} holds {what} with other {name}: {_BRIEFLY.repr(there.get(name))}, not "
                f"{_BRIEFLY.repr(value)}; nothing was written"
            )


_BRIEFLY = reprlib.Repr()
_BRIEFLY.maxdict = _BRIEFLY.maxlist = 12
_BRIEFLY.maxstring = _BRIEFLY.maxother = 200


def stored_objective(stored: Mapping[str, Any]) -> Objective:
    """Return the objective that a manifest describes."""
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


def objective_as_dict(objective: Objective, low: int, high: int) -> dict[str, Any]:
    """Return an objective as JSON holds it, its utility tabulated; see `stored_objective`."""
    if objective.name in NAMED_OBJECTIVES:
        return {"name": objective.name}
    if high - low > MOST_LEADS:
        raise StoreError(
            f"objective {objective.name!r} would need a table of {high - low + 1} leads; "
            f"at most {MOST_LEADS} can be stored"
        )
    known = ((lead, objective.known(lead)) for lead in range(low, high + 1))
    table = {str(lead): value_text(value) for lead, value in known if value is not None}
    return {"name": objective.name, "table": table, "error": objective.error}


def value_text(value: object) -> str:
    """Return the shortest text that reads back as the same float or fraction.

    Raises
    ------
    StoreError
        If it is a fraction of so many digits that Python does not write them.
    """
    try:
        return str(value)
    except ValueError as error:
        raise StoreError(
            f"a fraction of more than {sys.get_int_max_str_digits():,} digits cannot be stored"
        ) from error
