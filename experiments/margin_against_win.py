"""Who wins when one player plays for points and the other to be ahead?

Optimal play for margin against optimal play for win, evaluated exactly over all shuffles and all
draws of cards: the probability that each is ahead, and the expected points. Swapping seats mirrors
the numbers, so one seating is the whole answer.

    python experiments/margin_against_win.py --cards 3 4 5 6 7 8

Writes ``results/margin_against_win/``: ``table.csv`` and ``manifest.json``. Rows that are there
already are not computed again; an interrupted run goes on where it was. The same command on the
same versions writes the same bytes.

Optimal strategies need not be unique: these are the ones that `OptimalStrategy` takes from the
solutions. Each guarantees its own objective up to the certified bound in its row; what it gives
away in the other objective may differ between optimal strategies.
"""

from __future__ import annotations

import argparse
import csv
import io
import platform
from importlib.metadata import version
from pathlib import Path

import numpy as np

import gops_lab as gl
from gops_lab.evaluation import certified_exploitability
from gops_lab.induction.files import as_json, replace_file
from gops_lab.strategies import OptimalStrategy

FOLDER = Path(__file__).parents[1] / "results" / "margin_against_win"

TIES = ("carry", "discard")

COLUMNS = {
    "cards": "cards in each hand, prizes 1 to cards in a shuffle",
    "ties": "what a tie does",
    "margin_player_ahead": "probability that who plays for margin ends ahead",
    "level": "probability of a draw",
    "win_player_ahead": "probability that who plays to win ends ahead",
    "win_advantage": "the last minus the first: what optimal play for margin gives away in win",
    "margin_advantage": "expected points of who plays for margin minus the other's: what optimal "
                        "play for win gives away in points",
    "unclaimed": "expected points that nobody wins",
    "tie_rate": "share of rounds with equal bids",
    "bound_margin": "certified bound on what the margin strategy can lose of the value, points",
    "bound_win": "certified bound on what the win strategy can lose of the value, probability",
    "states": "states before an exposure that play reaches, up to the order of ranks",
}


def row(cards: int, ties: str) -> dict[str, object]:
    """Return one row of the table."""
    rules = gl.Rules(cards=cards, ties=ties)
    pair = [OptimalStrategy(gl.solve(rules, objective)) for objective in ("margin", "win")]
    found = gl.evaluate(rules, *pair)
    return {
        "cards": cards,
        "ties": ties,
        "margin_player_ahead": f"{found.win:.9f}",
        "level": f"{found.draw:.9f}",
        "win_player_ahead": f"{found.loss:.9f}",
        "win_advantage": f"{found.loss - found.win:.9f}",
        "margin_advantage": f"{found.margin:.9f}",
        "unclaimed": f"{found.unclaimed:.9f}",
        "tie_rate": f"{found.rounds['tie_rate'].mean():.9f}",
        "bound_margin": f"{certified_exploitability(pair[0]):.1e}",
        "bound_win": f"{certified_exploitability(pair[1]):.1e}",
        "states": found.states,
    }


def write(rows: list[dict[str, object]]) -> None:
    """Write the table and its manifest."""
    rows = sorted(rows, key=lambda row: (str(row["ties"]), int(str(row["cards"]))))
    text = io.StringIO()
    table = csv.DictWriter(text, list(COLUMNS), lineterminator="\n")
    table.writeheader()
    table.writerows(rows)
    replace_file(FOLDER / "table.csv", text.getvalue().encode())
    cards = sorted({int(str(row["cards"])) for row in rows})
    manifest = {
        "title": "Optimal play for margin against optimal play for win, exactly",
        "command": "python experiments/margin_against_win.py --cards "
        + " ".join(map(str, cards)),
        "rules": "hands and prizes 1 to cards, prizes in a shuffle, all rounds played",
        "columns": COLUMNS,
        "rows": len(rows),
        "versions": {
            "gops_lab": gl.__version__, "python": platform.python_version(),
            "numpy": np.__version__, "numba": version("numba"),
        },
    }
    replace_file(FOLDER / "manifest.json", as_json(manifest))


def kept() -> list[dict[str, object]]:
    """Return the rows there are."""
    path = FOLDER / "table.csv"
    if not path.exists():
        return []
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def main() -> None:
    """Compute the rows that are missing."""
    parser = argparse.ArgumentParser(description="Optimal for margin against optimal for win.")
    parser.add_argument("--cards", type=int, nargs="+", default=[3, 4, 5, 6, 7, 8])
    options = parser.parse_args()
    FOLDER.mkdir(parents=True, exist_ok=True)
    rows = kept()
    there = {(int(str(known["cards"])), known["ties"]) for known in rows}
    for cards in sorted(options.cards):
        for ties in TIES:
            if (cards, ties) not in there:
                rows.append(row(cards, ties))
                write(rows)
                print(*list(rows[-1].values())[:7], rows[-1]["states"], flush=True)


if __name__ == "__main__":
    main()
