"""Make the solved decks that come with the package: the top tiers of the full deck.

13 cards, margin, tied prizes carried over or discarded; tiers 11 to 13, values as whole numbers of
4 bytes. Everything below an 11-card state is solved again when it is asked for. With the same
versions of Python, NumPy, SciPy and Numba the files come out with the same bytes. Takes some
minutes on two cores and 5 GiB of memory and of disk; what is interrupted goes on when run again:

    python experiments/shipped_decks.py
    python experiments/shipped_decks.py --check    # makes them elsewhere and compares
"""

from __future__ import annotations

import argparse
import shutil
import sys
import tempfile
from pathlib import Path

import gops_lab as gl
from gops_lab.decks import DECKS, deck_folder
from gops_lab.game.state import start
from gops_lab.induction.solve import solve_states

TIERS_KEPT = 3


def say(tier: int, done: int, total: int) -> None:
    """Show how far the solve is."""
    print(f"\rtier {tier:2}: {done:,} of {total:,} stage games", end="", file=sys.stderr)


def make(name: str, folder: Path) -> gl.Solution:
    """Solve one deck into a folder; what does not belong to the solution is left out."""
    rules = DECKS[name]
    solution = solve_states(
        rules, "margin", [start(rules)],
        keep=TIERS_KEPT, dtype="int32", out=folder, resume=True, progress=say,
    )  # fmt: skip
    print(file=sys.stderr)
    for extra in ("run.json", ".lock"):
        (folder / extra).unlink(missing_ok=True)
    return solution


def main() -> int:
    """Make the decks, or check those there are."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--check", action="store_true", help="make them elsewhere and compare")
    check = parser.parse_args().check
    different = 0
    for name in DECKS:
        work = Path(tempfile.gettempdir()) / f"gops-lab-{name}"
        solution = make(name, work)
        low, high = solution.bounds()
        size = sum(file.stat().st_size for file in work.iterdir())
        print(f"{name}: {size:,} bytes, value between {low:.3g} and {high:.3g}")
        made = {file.name: file.read_bytes() for file in work.iterdir()}
        if check:
            there = {file.name: file.read_bytes() for file in deck_folder(name).iterdir()}
            different += made != there
            print("the same bytes" if made == there else "NOT the same bytes")
        else:
            shutil.rmtree(deck_folder(name), ignore_errors=True)
            shutil.copytree(work, deck_folder(name))
        shutil.rmtree(work)
    return 1 if different else 0


if __name__ == "__main__":
    sys.exit(main())
