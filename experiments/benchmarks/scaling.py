"""How a solve scales on a cluster: measured with one and two workers, and what follows for more.

``measure`` solves whole decks by turns on threads of this process and on as many workers of a Dask
cluster, whose scheduler is a process of its own, into a folder, and compares the files byte by
byte. ``model`` needs no cluster: it takes counts from the forecast, times from what has been
measured, and says for larger decks how long many cores are at work, how long a shared disk, and how
long the one process that puts the tables together. Written to ``results/scaling``:
``measured.csv``, ``tiers.csv`` (what the model says of each tier), ``forecast.csv``,
``scaling.json`` (machine, versions, what columns mean):

    python experiments/benchmarks/scaling.py measure     # five minutes on two cores
    python experiments/benchmarks/scaling.py model

**The model.** A tier of n cards in hand takes c seconds of computing: the engine's formula
(`gops_lab.induction.forecast.ENGINES`), times what the largest deck of this kind that has been
solved took over what the formula says. On w cores it takes c / min(w, p), p being its stored
patterns, which is as far as a tier can be divided. A stored pattern reads the values of n * n
patterns of the tier below, mirrors included. At most a tier reads p * n * n times what a pattern
below has: if a worker never finds any of it in its machine's memory. At least every machine reads
the tier below once, if all of it stays in memory. The shared disk has the bandwidth assumed. The
client reads every value once, checks it and puts it into its file, alone. A tier takes the longest
of the three, a solve the sum.
"""

from __future__ import annotations

import argparse
import csv
import hashlib
import json
import os
import re
import shutil
import statistics
import tempfile
import time
import zlib
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import pandas as pd
from machine import machine, versions

import gops_lab as gl
from gops_lab.induction.counts import Counts
from gops_lab.induction.forecast import ENGINES, forecast

ROOT = Path(__file__).parents[2]
RESULTS = ROOT / "results" / "scaling"

MEASURED = [(12, "discard", "margin"), (10, "carry", "win")]
TIMES = 3
"""So often every solve is measured; the median counts."""

LIMIT = 2**30
"""Bytes that a worker may use."""

# Cards, tie rule, objective, and the largest deck of the kind whose time is in `results`.
ASKED = [
    (15, "discard", "margin", 13), (15, "carry", "margin", 13),
    (16, "discard", "margin", 13), (16, "carry", "margin", 13),
    (13, "carry", "win", 13), (14, "carry", "win", 13),
    (13, "discard", "win", 13), (14, "discard", "win", 13),
]  # fmt: skip

CORES = (10, 100, 1000)
CORES_PER_MACHINE = 16
"""Assumed; they share what the machine has read."""

BANDWIDTHS = (1e9, 1e10)
"""Bytes a second of a shared disk: assumed, one fast server and a parallel file system."""

VALUE_BYTES = 4
"""Values are kept as whole numbers of 4 bytes where they are many."""

COLUMNS = {
    "measured.csv": {
        "on": "threads of one process, or workers of a Dask cluster on the same machine",
        "workers": "threads or worker processes",
        "wall_seconds": "median",
        "wall_least": "the shortest run",
        "wall_most": "the longest run",
        "client_cpu_seconds": "of this process, median; of threads: all",
        "worker_cpu_seconds": "of all workers, median",
        "games_per_cpu_second": "stage games over all CPU seconds",
        "same_bytes": "whether all files but the log of the run are those of the first solve",
        "worker_peak_mib": "most memory resident of a worker, pages of mapped files among it",
        "worker_limit_mib": "what it may use",
        "scheduler_mib": "most memory resident of the scheduler, before the first whole deck",
        "scheduler_peak_mib": "and after the last",
        "speed": "over threads of the same number",
    },
    "tiers.csv": {
        "tier": "cards in hand",
        "stage_games": "an upper bound to win",
        "values": "an upper bound to win",
        "units": "stored patterns, which is as far as a tier can be divided",
        "core_seconds": "computing, in all",
        "bytes_below": "of the tier below, which a machine reads at least once if it works on most",
        "bytes_read": "if nothing stays in memory; an upper bound",
        "bytes_per_game": "bytes_read for each stage game",
    },
    "forecast.csv": {
        "cores": "that compute",
        "bandwidth": "of the shared disk, bytes a second; assumed",
        "computing_hours": "if nothing else counted",
        "client_hours": "if nothing else counted",
        "hours_least": "of the whole solve, if what a machine has read stays in its memory",
        "limit_least": "what most of that time goes to",
        "hours_most": "of the whole solve, if nothing stays in memory",
        "limit_most": "what most of that time goes to",
        "table_gib": "all tables",
        "balanced_cores": "so many compute as long as the disk reads, if nothing stays in memory",
    },
}


# Measuring


def measure() -> list[dict[str, Any]]:
    """Solve by turns on threads and on workers."""
    from distributed import Client
    from distributed.deploy.subprocess import SubprocessCluster

    rows = []
    with tempfile.TemporaryDirectory() as name:
        base = Path(name)
        for cards, ties, objective in MEASURED:
            key = {"cards": cards, "ties": ties, "objective": objective}
            rules, small = gl.Rules(cards=cards, ties=ties), gl.Rules(cards=5, ties=ties)
            games = 0
            first: dict[str, str] = {}
            for workers in (1, 2):
                with (
                    SubprocessCluster(
                        n_workers=workers, threads_per_worker=1, dashboard_address=None,
                        worker_kwargs={"memory_limit": LIMIT},
                    ) as cluster,
                    Client(cluster) as client,
                ):
                    ways = {"threads": {"workers": workers}, "workers": {"client": client}}
                    runs: dict[str, list[dict[str, float]]] = {way: [] for way in ways}
                    for how in ways.values():  # kernels are compiled
                        gl.solve(small, objective, out=base / "small", **how)
                        shutil.rmtree(base / "small")
                    scheduler = client.run_on_scheduler(_peak)
                    for _ in range(TIMES):
                        for way, how in ways.items():
                            before = _used(client)
                            began = time.perf_counter()
                            solution = gl.solve(rules, objective, out=base / "deck", **how)
                            wall = time.perf_counter() - began
                            after = _used(client)
                            games = sum(each.stage_games for each in solution.reports.values())
                            found = _hashes(base / "deck")
                            first = first or found
                            runs[way].append({
                                "wall": wall, "same": found == first,
                                "client": after["client"] - before["client"],
                                "workers": after["workers"] - before["workers"],
                                "peak": after["peak"],
                            })  # fmt: skip
                            del solution
                            shutil.rmtree(base / "deck")
                    memory = {
                        "scheduler_mib": scheduler,
                        "scheduler_peak_mib": client.run_on_scheduler(_peak),
                    }
                    rows += [_row(key, way, workers, games, runs, memory) for way in ways]
                    print(rows[-1], flush=True)
    return rows


def _row(
    key: Mapping[str, Any], way: str, workers: int, games: int,
    runs: Mapping[str, Sequence[Mapping[str, float]]], memory: Mapping[str, float],
) -> dict[str, Any]:  # fmt: skip
    def median(way: str, name: str) -> float:
        return statistics.median(run[name] for run in runs[way])

    walls = [run["wall"] for run in runs[way]]
    on_workers = median(way, "workers") if way == "workers" else 0.0
    memory = {
        "worker_peak_mib": max(run["peak"] for run in runs[way]),
        "worker_limit_mib": LIMIT / 2**20, **memory,
    }  # fmt: skip
    if way == "threads":
        memory = dict.fromkeys(memory)
    return {
        **key, "on": way, "workers": workers, "stage_games": games,
        "wall_seconds": median(way, "wall"), "wall_least": min(walls), "wall_most": max(walls),
        "client_cpu_seconds": median(way, "client"), "worker_cpu_seconds": on_workers,
        "games_per_cpu_second": games / (median(way, "client") + on_workers),
        "same_bytes": all(run["same"] for run in runs[way]),
        **memory,
        "speed": median("threads", "wall") / median(way, "wall"),
    }  # fmt: skip


def _used(client: Any) -> dict[str, float]:
    """Return CPU seconds of this process and of all workers, and a worker's peak in MiB."""
    workers = client.run(_worker_used).values()
    return {
        "client": time.process_time(),
        "workers": sum(used for used, _ in workers),
        "peak": max(peak for _, peak in workers),
    }


def _worker_used() -> tuple[float, float]:
    return time.process_time(), _peak()


def _peak() -> float:
    """Return the most memory that this process had resident, in MiB."""
    found = re.search(r"VmHWM:\s+(\d+) kB", Path("/proc/self/status").read_text("ascii"))
    return int(found[1]) / 2**10 if found else 0.0


def _hashes(folder: Path) -> dict[str, str]:
    return {
        file.name: hashlib.sha256(file.read_bytes()).hexdigest()
        for file in sorted(folder.iterdir())
        if file.name != "run.json"
    }


def client_speed() -> float:
    """Return the bytes a second that one process reads, checks and writes, in memory."""
    data = bytearray(os.urandom(2**26))
    room = bytearray(len(data))
    began = time.process_time()
    room[:] = data
    zlib.crc32(room)
    hashlib.sha256(room).digest()
    return len(data) / (time.process_time() - began)


# The model


def tiers_of(cards: int, ties: str, objective: str, solved: int) -> list[dict[str, Any]]:
    """Return what each tier takes: computing, and reading if nothing stays in memory."""
    expected = forecast(gl.Rules(cards=cards, ties=ties), objective)
    cost = ENGINES[expected.engine]
    slower = _cpu_seconds(solved, ties, objective) / forecast(
        gl.Rules(cards=solved, ties=ties), objective
    ).seconds
    tiers = expected.counts.tiers
    # The formula treats the last tier apart, so a tier is what it adds to those below.
    below = [cost.seconds(Counts(tiers[place:], True)) for place in range(len(tiers))] + [0.0]
    rows = []
    for place, tier in enumerate(tiers):
        lower = tiers[place + 1] if place + 1 < len(tiers) else None
        reads = tier.patterns * tier.tier**2 * lower.values / lower.patterns if lower else 0.0
        read = VALUE_BYTES * reads
        rows.append({
            "cards": cards, "ties": ties, "objective": objective, "tier": tier.tier,
            "stage_games": tier.stage_games, "values": tier.values,
            "units": -(-tier.patterns // 2),
            "core_seconds": slower * (below[place] - below[place + 1]),
            "bytes_below": VALUE_BYTES * lower.values if lower else 0,
            "bytes_read": read, "bytes_per_game": read / max(tier.stage_games, 1),
        })  # fmt: skip
    return rows


def _cpu_seconds(cards: int, ties: str, objective: str) -> float:
    """Return the CPU seconds that a deck took, from `results`."""
    if objective == "win":
        table = pd.read_csv(ROOT / "results" / "as_played" / "solves.csv")
    else:
        table = pd.read_csv(ROOT / "results" / "benchmarks" / "sweep.csv")
        table = table[(table["order"] == "random") & (table["objective"] == objective)]
    found = table[(table["cards"] == cards) & (table["ties"] == ties)]["cpu_seconds"]
    return float(found.iloc[-1])


def forecasts(tiers: Sequence[Mapping[str, Any]], speed: float) -> Iterator[dict[str, Any]]:
    """Yield the model's answers for one deck."""
    size = VALUE_BYTES * sum(tier["values"] for tier in tiers)
    work = sum(tier["core_seconds"] for tier in tiers)
    read = sum(tier["bytes_read"] for tier in tiers)
    for bandwidth in BANDWIDTHS:
        for cores in CORES:
            machines = -(-cores // CORES_PER_MACHINE)
            computing = [tier["core_seconds"] / min(cores, tier["units"]) for tier in tiers]
            client = [VALUE_BYTES * tier["values"] / speed for tier in tiers]
            most = [tier["bytes_read"] for tier in tiers]
            least = [min(tier["bytes_read"], machines * tier["bytes_below"]) for tier in tiers]
            row = {
                **{name: tiers[0][name] for name in ("cards", "ties", "objective")},
                "cores": cores, "bandwidth": bandwidth,
                "computing_hours": sum(computing) / 3600, "client_hours": sum(client) / 3600,
            }  # fmt: skip
            for name, loads in {"least": least, "most": most}.items():
                reading = [load / bandwidth for load in loads]
                row |= _together(name, computing, reading, client)
            yield row | {"table_gib": size / 2**30, "balanced_cores": work * bandwidth / read}


def _together(
    name: str, computing: Sequence[float], reading: Sequence[float], client: Sequence[float]
) -> dict[str, Any]:
    """Return the hours of a solve whose tiers take the longest of three, and which it mostly is."""
    spent = dict.fromkeys(("computing", "reading", "client"), 0.0)
    for times in zip(computing, reading, client, strict=True):
        longest, what = max(zip(times, spent, strict=True))
        spent[what] += longest
    return {
        f"hours_{name}": sum(spent.values()) / 3600,
        f"limit_{name}": max(spent, key=lambda what: spent[what]),
    }


# Writing


def write(name: str, rows: Sequence[Mapping[str, Any]]) -> None:
    """Write a table, and say on which machine it was made."""
    RESULTS.mkdir(parents=True, exist_ok=True)
    with (RESULTS / name).open("w", encoding="utf-8", newline="") as file:
        table = csv.DictWriter(file, list(rows[0]), lineterminator="\n")
        table.writeheader()
        for row in rows:
            table.writerow({
                column: f"{value:.4g}" if isinstance(value, float) else value
                for column, value in row.items()
            })  # fmt: skip


def main() -> None:
    """Measure, or say what follows."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("what", choices=["measure", "model"])
    options = parser.parse_args()
    about = RESULTS / "scaling.json"
    if options.what == "measure":
        write("measured.csv", measure())
        said = {
            "machine": machine(),
            "versions": versions("gops_lab", "numpy", "scipy", "numba", "distributed"),
            "client_bytes_per_second": float(f"{client_speed():.3g}"),
            "columns": COLUMNS,
        }
        about.write_text(json.dumps(said, indent=1) + "\n", encoding="utf-8")
        return
    speed = json.loads(about.read_text("utf-8"))["client_bytes_per_second"]
    decks = [tiers_of(*deck) for deck in ASKED]
    write("tiers.csv", [tier for tiers in decks for tier in tiers])
    write("forecast.csv", [row for tiers in decks for row in forecasts(tiers, speed)])


if __name__ == "__main__":
    main()
