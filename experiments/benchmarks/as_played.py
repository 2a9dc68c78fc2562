"""What it takes to solve the game as it is played, by deck size: time, memory and disk.

Every deck is solved to win by the command line, out of core, from the start of the process to its
end, and what the process holds is looked at while it runs. Solutions are left in ``build/solved``,
where the experiment ``as_played`` finds them. Written to ``results/as_played``: ``solves.csv`` and
``solves.json`` (machine and versions). Rows of other decks are kept:

    python experiments/benchmarks/as_played.py 2-carry 3-carry 11-carry
    python experiments/benchmarks/as_played.py 12-carry      # a quarter of an hour, 11 GiB of disk
    python experiments/benchmarks/as_played.py 13-carry      # more than an hour, 40 GiB of disk
"""

from __future__ import annotations

import argparse
import csv
import json
import os
import re
import shlex
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

from machine import machine, versions

ROOT = Path(__file__).parents[2]
RESULTS = ROOT / "results" / "as_played"
SOLVED = ROOT / "build" / "solved"

COLUMNS = {
    "cards": "cards in each hand, prizes 1 to cards in a shuffle",
    "ties": "what a tie does",
    "stage_games": "stage games solved",
    "values": "values found",
    "error": "certified bound on the error of every value, P(ahead) - P(behind)",
    "worst_gap": "of all stage games",
    "wall_seconds": "of the whole command",
    "cpu_seconds": "of all its threads",
    "peak_gib": "most memory resident at one time, pages of mapped files among it; GiB",
    "own_gib": "of it most that no file is behind, which alone cannot be taken back; GiB",
    "disk_gib": "most in --out and --scratch at one time; GiB",
    "kept_gib": "in --out at the end; GiB",
    "beside": "what else the machine did",
    "command": "what was run",
    "seal": "SHA-256 of the solution's manifest, as it gives it",
}
"""What a row holds; empty where it was not looked at."""

EVERY = 0.05
"""Seconds between two looks at a process, at least."""


def solve(cards: int, ties: str, memory: str, beside: str) -> dict[str, Any]:
    """Solve one deck to win and return its row."""
    out, scratch = SOLVED / f"{cards}-{ties}-win", SOLVED / "scratch"
    arguments = [
        "solve", "--cards", str(cards), "--ties", ties, "--objective", "win", "--keep", "4",
        "--out", str(out), "--scratch", str(scratch), "--memory", memory,
    ]  # fmt: skip
    began = time.perf_counter()
    process = subprocess.Popen(
        [sys.executable, "-m", "gops_lab.cli", *arguments, "--quiet"], stdout=subprocess.DEVNULL
    )
    own = disk = 0.0
    pause = EVERY
    while os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT) is None:
        own = max(own, _status(process.pid, "RssAnon"))
        disk = max(disk, _size(out) + _size(scratch))
        time.sleep(pause)
        pause = min(1.05 * pause, 5.0)
    _, code, used = os.wait4(process.pid, 0)
    wall = time.perf_counter() - began
    if code:
        raise SystemExit(f"gops-lab {shlex.join(arguments)} failed")
    return row_of(
        out, cards=cards, ties=ties, wall_seconds=wall,
        cpu_seconds=used.ru_utime + used.ru_stime, peak_gib=used.ru_maxrss / 2**20,
        own_gib=own, disk_gib=disk, beside=beside,
        command=f"gops-lab {shlex.join(arguments)}".replace(f"{ROOT}{os.sep}", ""),
    )  # fmt: skip


def row_of(folder: Path, **measured: Any) -> dict[str, Any]:
    """Return a row: what was measured, and what the solution in a folder says of itself."""
    text = (folder / "manifest.json").read_bytes()
    manifest = json.loads(text)
    reports = [tier["report"] for tier in manifest["tiers"].values()]
    found = {
        "stage_games": sum(report["stage_games"] for report in reports),
        "values": sum(report["values"] for report in reports),
        "error": f"{max(report['error'] for report in reports):.1e}",
        "worst_gap": f"{max(report['worst_gap'] for report in reports):.1e}",
        "kept_gib": _size(folder),
        "seal": manifest["sha256"],
    }
    return {
        name: f"{value:.3f}" if isinstance(value, float) else value
        for name, value in {**found, **measured}.items()
    }


def add(row: dict[str, Any]) -> None:
    """Put a row in the place of the one about the same deck, and say on which machine."""
    RESULTS.mkdir(parents=True, exist_ok=True)
    file = RESULTS / "solves.csv"
    rows = []
    if file.exists():
        with file.open(encoding="utf-8", newline="") as there:
            rows = list(csv.DictReader(there))
    about = (str(row["cards"]), row["ties"])
    rows = [each for each in rows if (each["cards"], each["ties"]) != about] + [row]
    rows.sort(key=lambda each: (each["ties"], int(each["cards"])))
    with file.open("w", encoding="utf-8", newline="") as there:
        table = csv.DictWriter(there, list(COLUMNS), lineterminator="\n")
        table.writeheader()
        table.writerows(rows)
    said = {
        "machine": machine(), "versions": versions("gops_lab", "numpy", "scipy", "numba"),
        "columns": COLUMNS,
    }
    (RESULTS / "solves.json").write_text(json.dumps(said, indent=1) + "\n", encoding="utf-8")


def _status(process: int, name: str) -> float:
    """Return a line of a process's status in GiB; 0 where the system has none."""
    try:
        text = Path(f"/proc/{process}/status").read_text(encoding="ascii")
    except OSError:
        return 0.0
    found = re.search(rf"^{name}:\s+(\d+) kB", text, re.MULTILINE)
    return int(found[1]) / 2**20 if found else 0.0


def _size(folder: Path) -> float:
    """Return what the files below a folder take on the disk, in GiB."""
    size = 0
    for file in folder.rglob("*"):
        try:
            size += 512 * file.stat().st_blocks
        except OSError:  # removed meanwhile
            continue
    return size / 2**30


def main() -> None:
    """Solve the decks that are asked for."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("decks", nargs="+", metavar="CARDS-TIES", help="like 12-carry")
    parser.add_argument("--memory", default="4GiB", help="the budget; default 4GiB")
    parser.add_argument("--beside", default="nothing", help="what else the machine does")
    options = parser.parse_args()
    for deck in options.decks:
        cards, ties = deck.split("-")
        row = solve(int(cards), ties, options.memory, options.beside)
        add(row)
        print(f"{deck}: {row['wall_seconds']} s, {row['own_gib']} GiB of its own", flush=True)


if __name__ == "__main__":
    main()
