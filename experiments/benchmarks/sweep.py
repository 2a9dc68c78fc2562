"""How long whole decks take: time, memory and certificate by cards, tie rule and objective.

Every solve runs in a process of its own, after a small game of the same kind whose solution has the
kernels compiled; of solves that are over at once the shortest of several counts. What compiling
takes is measured apart, with an empty cache. Written to
``results/benchmarks``: ``sweep.csv`` (one row a solve), ``tiers.csv`` (one row a tier of those on
one thread), ``first_calls.csv``, ``sweep.json`` (machine and versions). A row that is there already
is kept; ``--again`` measures anew. All of it takes about 25 minutes on two cores:

    python experiments/benchmarks/sweep.py
    python experiments/benchmarks/sweep.py --only "14, discard, random, margin, 2"
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import pandas as pd
from machine import machine, versions

RESULTS = Path(__file__).parents[2] / "results" / "benchmarks"

# cards, ties, order, objective, workers, what must be met: wall seconds, CPU seconds, GiB
CASES: list[tuple[int, str, str, str, int, float | None, float | None, float | None]] = [
    (10, "discard", "random", "margin", 1, None, None, None),
    (10, "carry", "random", "margin", 1, None, None, None),
    (11, "discard", "random", "margin", 1, None, None, None),
    (11, "carry", "random", "margin", 1, None, None, None),
    (12, "discard", "random", "margin", 1, None, None, None),
    (12, "discard", "random", "margin", 2, None, None, None),
    (12, "carry", "random", "margin", 1, None, None, None),
    (12, "carry", "random", "margin", 2, None, None, None),
    (13, "discard", "random", "margin", 2, 60, 120, 2),
    (13, "carry", "random", "margin", 2, 120, 240, 8),
    (14, "discard", "random", "margin", 2, 600, None, 6),
    (8, "discard", "random", "win", 1, None, None, None),
    (9, "discard", "random", "win", 1, None, None, None),
    (9, "discard", "random", "win", 2, 3, None, 1),
    (9, "carry", "random", "win", 2, None, None, None),
    (10, "discard", "random", "win", 2, 15, None, 2),
    (10, "carry", "random", "win", 2, 15, None, 2),
    (11, "carry", "random", "win", 2, 90, None, 6),
    (13, "discard", "ascending", "margin", 2, 30, None, 4),
    (13, "discard", "ascending", "win", 2, 30, None, 4),
    (13, "carry", "ascending", "margin", 2, 30, None, 4),
    (13, "carry", "ascending", "win", 2, 30, None, 4),
    (13, "carry", "descending", "win", 2, 30, None, 4),
    # Small decks, for which others have printed their times.
    *((cards, "discard", "random", "margin", 1, None, None, None) for cards in range(4, 9)),
    *((cards, "discard", "random", "win", 1, None, None, None) for cards in (6, 7)),
]

FIRST_CALLS = ("margin", "win")

WORSE_GAP, WIDER_BOUNDS = 1e-8, 1e-6
"""No solve may have a wider gap in any stage game, or wider bounds at its start."""


SHORT, AGAIN = 0.1, 20
"""Solves of fewer seconds are repeated so often, and the shortest counts."""


def _timed(rules: Any, objective: str, workers: int) -> tuple[float, float, float, Any, Any]:
    """Return a solve's wall and CPU seconds, the CPU time at its start and its tiers' ends, it."""
    import gops_lab as gl

    ends: dict[int, float] = {}

    def progress(tier: int, done: int, total: int) -> None:
        ends[tier] = time.process_time()

    began, cpu = time.perf_counter(), time.process_time()
    solution = gl.solve(rules, objective, workers=workers, progress=progress)
    return time.perf_counter() - began, time.process_time() - cpu, cpu, ends, solution


def measure(cards: int, ties: str, order: str, objective: str, workers: int) -> dict[str, Any]:
    """Solve one deck in this process; return what it took."""
    import resource

    import gops_lab as gl

    gl.solve(gl.Rules(cards=4, ties=ties, order=order), objective, workers=workers)
    if 8 * gl.forecast(gl.Rules(cards=cards, ties=ties, order=order), objective).values > 2**31:
        # Values may then be kept as whole numbers, for which other kernels are compiled.
        from gops_lab.game.objectives import as_objective
        from gops_lab.induction.rectangle import solve_tiers

        small = gl.Rules(cards=4, ties=ties, order=order)
        solve_tiers(small, as_objective(objective), workers=workers, dtype="int32")
    rules = gl.Rules(cards=cards, ties=ties, order=order)
    runs = [_timed(rules, objective, workers)]
    if runs[0][0] < SHORT:
        runs += [_timed(rules, objective, workers) for _ in range(AGAIN)]
    wall, used, cpu, ends, solution = min(runs, key=lambda run: run[0])
    low, high = solution.bounds()
    reports = solution.reports
    tiers = []
    for tier in sorted(ends):
        tiers.append({
            "tier": tier,
            "stage_games": reports[tier].stage_games,
            "cpu_seconds": ends[tier] - cpu,
            "worst_gap": reports[tier].worst_gap,
        })
        cpu = ends[tier]
    return {
        "stage_games": sum(report.stage_games for report in reports.values()),
        "values": sum(report.values for report in reports.values()),
        "wall_seconds": wall,
        "cpu_seconds": used,
        "peak_gib": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20,
        "worst_gap": max(report.worst_gap for report in reports.values()),
        "bounds_width": high - low,
        "kept_as": str(next(iter(solution.tables.values())).values.dtype),
        "tiers": tiers,
    }


def first_call(objective: str) -> list[dict[str, Any]]:
    """Time the first and the second 6-card solve from the command line, with an empty cache."""
    rows = []
    with tempfile.TemporaryDirectory() as cache:
        for call in ("first", "second"):
            began = time.perf_counter()
            subprocess.run(
                [sys.executable, "-m", "gops_lab.cli", "solve", "--cards", "6", "--quiet",
                 "--objective", objective],
                env={**os.environ, "NUMBA_CACHE_DIR": cache}, check=True,
                stdout=subprocess.DEVNULL,
            )  # fmt: skip
            rows.append({
                "objective": objective, "call": call,
                "wall_seconds": time.perf_counter() - began,
            })  # fmt: skip
    return rows


def main() -> None:
    """Measure what is asked for and write the tables."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--only", help="one solve: cards, ties, order, objective, workers")
    parser.add_argument("--again", action="store_true", help="measure what is there already, too")
    parser.add_argument("--case", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.case:
        print(json.dumps(measure(*json.loads(arguments.case))))
        return
    RESULTS.mkdir(parents=True, exist_ok=True)
    keys = ["cards", "ties", "order", "objective", "workers"]
    rows, tiers = _read("sweep.csv"), _read("tiers.csv")
    for *case, seconds, cpu_seconds, gib in CASES:
        name = ", ".join(map(str, case))
        if arguments.only not in (None, name):
            continue
        key = dict(zip(keys, case, strict=True))
        if any(all(row[k] == v for k, v in key.items()) for row in rows) and not arguments.again:
            continue
        done = subprocess.run(
            [sys.executable, __file__, "--case", json.dumps(case)],
            check=True, capture_output=True, text=True,
        )  # fmt: skip
        found = json.loads(done.stdout)
        by_tier = found.pop("tiers")
        met = (
            (seconds is None or found["wall_seconds"] <= seconds)
            and (cpu_seconds is None or found["cpu_seconds"] <= cpu_seconds)
            and (gib is None or found["peak_gib"] <= gib)
            and found["worst_gap"] <= WORSE_GAP
            and found["bounds_width"] <= WIDER_BOUNDS
        )
        limits = {"wall_limit": seconds, "cpu_limit": cpu_seconds, "gib_limit": gib}
        per_second = {"games_per_cpu_second": found["stage_games"] / found["cpu_seconds"]}
        rows = [row for row in rows if any(row[k] != v for k, v in key.items())]
        rows.append({**key, **found, **per_second, **limits, "limits_met": met})
        tiers = [row for row in tiers if any(row[k] != v for k, v in key.items())]
        if key["workers"] == 1:
            tiers += [
                key | row | {"nanoseconds_per_game": 1e9 * row["cpu_seconds"] / row["stage_games"]}
                for row in by_tier
                if row["stage_games"]
            ]
        _write("sweep.csv", rows, keys)
        _write("tiers.csv", tiers, [*keys, "tier"])
        print(f"{name}: {found['wall_seconds']:.1f} s, {found['cpu_seconds']:.1f} CPU s, "
              f"{found['peak_gib']:.2f} GiB, limits met: {met}", flush=True)  # fmt: skip
    if arguments.only is None and (arguments.again or not (RESULTS / "first_calls.csv").exists()):
        calls = [row for objective in FIRST_CALLS for row in first_call(objective)]
        _write("first_calls.csv", calls, ["objective", "call"])
    about = {"machine": machine(), "versions": versions("gops_lab", "numpy", "scipy", "numba")}
    (RESULTS / "sweep.json").write_text(json.dumps(about, indent=1) + "\n", encoding="utf-8")


def _read(name: str) -> list[dict[str, Any]]:
    path = RESULTS / name
    return pd.read_csv(path).to_dict("records") if path.exists() else []


def _write(name: str, rows: list[dict[str, Any]], keys: list[str]) -> None:
    frame = pd.DataFrame(rows).sort_values(keys)
    frame.to_csv(RESULTS / name, index=False, float_format="%.6g")


if __name__ == "__main__":
    main()
