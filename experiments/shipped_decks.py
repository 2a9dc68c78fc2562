"""Make the solved decks that come with the package: the top tiers of the full deck.

13 cards; tiers 11 to 13, values as whole numbers of 4 bytes. Everything below an 11-card state is
solved again when it is asked for. With the same versions of Python, NumPy, SciPy and Numba the
files come out with the same bytes. On two cores a deck for margin takes some minutes and 5 GiB of
memory and of disk, one to win more than an hour and some 40 GiB of disk; what is interrupted goes
on when run again:

    python experiments/shipped_decks.py 13-carry-margin
    python experiments/shipped_decks.py 13-carry-margin --check    # makes it elsewhere and compares
    python experiments/shipped_decks.py 13-carry-win --solved FOLDER

With ``--solved`` the top tiers are taken from a finished solution that keeps more of them.
"""

from __future__ import annotations

import argparse
import shutil
import sys
import tempfile
from pathlib import Path

import gops_lab as gl
from gops_lab.decks import DECKS, deck_folder, deck_of
from gops_lab.game.state import start
from gops_lab.induction.solve import solve_states

TIERS_KEPT = 3


def say(tier: int, done: int, total: int) -> None:
    """Show how far the solve is."""
    print(f"\rtier {tier:2}: {done:,} of {total:,} stage games", end="", file=sys.stderr)


def make(name: str, folder: Path, solved: Path | None = None) -> gl.Solution:
    """Put one deck into a folder; what does not belong to the solution is left out.

    Raises
    ------
    SystemExit
        If `solved` is the folder of another game.
    """
    rules, objective = DECKS[name]
    if solved is None:
        solution = solve_states(
            rules, objective, [start(rules)],
            keep=TIERS_KEPT, dtype="int32", out=folder, resume=True, progress=say,
        )  # fmt: skip
        print(file=sys.stderr)
    else:
        solution = gl.load(solved)
        if deck_of(solution.rules, solution.objective) != name:
            raise SystemExit(f"{solved} holds {solution!r}, not {name}")
        for tier in sorted(solution.tables)[:-TIERS_KEPT]:
            del solution.tables[tier]
        solution.save(folder)
    for extra in ("run.json", ".lock"):
        (folder / extra).unlink(missing_ok=True)
    return solution


def main() -> int:
    """Make the decks, or check those there are."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("names", nargs="+", choices=DECKS, metavar="NAME", help=", ".join(DECKS))
    parser.add_argument("--check", action="store_true", help="make them elsewhere and compare")
    parser.add_argument("--solved", type=Path, metavar="FOLDER", help="a solution of the one deck")
    options = parser.parse_args()
    if options.solved and len(options.names) > 1:
        parser.error("--solved is for one deck")
    different = 0
    for name in options.names:
        work = Path(tempfile.gettempdir()) / f"gops-lab-{name}"
        solution = make(name, work, options.solved)
        low, high = solution.bounds()
        size = sum(file.stat().st_size for file in work.iterdir())
        print(f"{name}: {size:,} bytes, value between {low:.3g} and {high:.3g}")
        made = {file.name: file.read_bytes() for file in work.iterdir()}
        if options.check:
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
