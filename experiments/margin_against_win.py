"""Who wins when one player plays for points and the other to be ahead? A short way to `objectives`.

    python experiments/margin_against_win.py --cards 3 4 5 6 7 8

The same as ``python -m experiments run objectives`` with these deck sizes; writes
``results/margin_against_win/``. Rows that are there already are kept, whatever made them.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from experiments import running


def main() -> None:
    """Compute the rows that are missing; decks that are in the table stay in it."""
    parser = argparse.ArgumentParser(description="Optimal for margin against optimal for win.")
    parser.add_argument("--cards", type=int, nargs="+", default=[3, 4, 5, 6, 7, 8])
    cards = parser.parse_args().cards
    experiment = running.experiment_named("objectives")
    parameters = running.parameters_of("objectives", "full")
    there = running.read_rows(experiment.place(running.RESULTS) / running.TABLE)
    parameters["cards"] = sorted({*cards, *(int(row["cards"]) for row in there)})
    for name, value in running.run(
        experiment, parameters, running.RESULTS, any_code=True
    ).items():
        print(f"{name}: {value}")


if __name__ == "__main__":
    main()
