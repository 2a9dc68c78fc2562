"""What are the optimal first bids of the game as it is played: to be ahead, tied prizes carried?

Every deck size up to the full deck, and the full deck played for margin beside it. Decks whose
solve takes minutes are solved into ``build/solved/``, where an interrupted solve goes on; a
solution that is there already, as ``gops-lab solve --out build/solved/12-carry-win`` leaves it, is
used. The full deck comes solved with the package. What the solves took is in ``solves.csv``, see
``benchmarks/as_played.py``.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import Any

import pandas as pd

import gops_lab as gl
from experiments.games import probability, read_by, solution_of
from experiments.running import Experiment, ExperimentError, Job, Row
from gops_lab.evaluation import certified_exploitability
from gops_lab.game.state import expose, start
from gops_lab.induction.manifest import MANIFEST
from gops_lab.strategies import OptimalStrategy

SOLVED = Path(__file__).parents[1] / "build" / "solved"
"""Where solves of minutes are kept."""

LONG = 1 << 31
"""A solve whose tables take more bytes is one of minutes."""


def jobs(parameters: Mapping[str, Any]) -> Iterator[Job]:
    """Yield a job for each objective, tie rule and deck size."""
    for group in parameters["games"]:
        objective, ties = group["objective"], group["ties"]
        for cards in group["cards"]:
            rules = gl.Rules(cards=cards, ties=ties)
            yield Job(
                {"objective": objective, "ties": ties, "cards": cards}, rules,
                partial(rows, rules, objective), read_by(rules, objective),
            )  # fmt: skip


def rows(rules: gl.Rules, objective: str) -> list[Row]:
    """Return A's optimal first bids with the certificates of each stage game."""
    solution = solved(rules, objective)
    # The value is 0 by symmetry, so its bounds say nothing; what the bids can lose of it does.
    bound = f"{certified_exploitability(OptimalStrategy(solution)):.1e}"
    found = []
    for cell in solution.first_bids().itertuples():
        low, high = solution.bounds(expose(rules, start(rules), int(cell.upcard)))
        found.append({
            "upcard": int(cell.upcard), "bid": int(cell.bid),
            "probability": probability(cell.probability),
            "unique": "yes" if cell.unique else "no",
            "gap": f"{max(float(cell.gap), 0.0):.1e}",
            "bounds_width": f"{high - low:.1e}", "loss_bound": bound,
        })
    return found


def solved(rules: gl.Rules, objective: str) -> gl.Solution:
    """Return a solution that answers for the first round.

    Raises
    ------
    ExperimentError
        If the folder of a long solve holds another game.
    """
    tables = gl.forecast(rules, objective).tables
    if tables <= LONG or read_by(rules, objective):
        return solution_of(rules, objective)
    folder = SOLVED / f"{rules.cards}-{rules.ties}-{objective}"
    if not (folder / MANIFEST).exists():
        return gl.solve(rules, objective, keep=2, out=folder, resume=True)
    solution = gl.load(folder)
    if (solution.rules, solution.objective.name) != (rules, objective):
        raise ExperimentError(f"{folder} holds {solution!r}, not {rules!r} for {objective}")
    return solution


def summary(table: list[Row]) -> dict[str, Any]:
    """Return how far the solves go and how certain they are, and how much the objective changes."""
    found: dict[str, Any] = {}
    for objective, ties in dict.fromkeys((row["objective"], row["ties"]) for row in table):
        part = [row for row in table if (row["objective"], row["ties"]) == (objective, ties)]
        most = part[-1]["cards"]
        last = [row for row in part if row["cards"] == most]
        found[f"{objective}, {ties}: largest deck"] = (
            f"{most} cards, certified loss of at most {last[0]['loss_bound']}, "
            f"{sum(float(row['probability']) > 0 for row in last)} bids are made"
        )
        found[f"{objective}, {ties}: first bids that are the only optimum"] = "{} of {}".format(
            len({(row["cards"], row["upcard"]) for row in part if row["unique"] == "yes"}),
            len({(row["cards"], row["upcard"]) for row in part}),
        )
    win, margin = (summary_lotteries(table, objective) for objective in ("win", "margin"))
    apart = {
        upcard: sum(abs(p - margin[upcard][bid]) for bid, p in lottery.items()) / 2
        for upcard, lottery in win.items() if upcard in margin
    }
    if apart:
        far, near = max(apart, key=apart.__getitem__), min(apart, key=apart.__getitem__)
        found["win farthest from margin"] = f"upcard {far}, total variation {apart[far]:.4f}"
        found["win nearest to margin"] = f"upcard {near}, total variation {apart[near]:.4f}"
    return found


def summary_lotteries(table: list[Row], objective: str) -> dict[str, dict[str, float]]:
    """Return the lotteries over bids of the largest deck with ties carried over, by upcard."""
    carry = [row for row in table if row["ties"] == "carry" and row["objective"] == objective]
    most = max((int(row["cards"]) for row in carry), default=0)
    found: dict[str, dict[str, float]] = {}
    for row in carry:
        if int(row["cards"]) == most:
            found.setdefault(row["upcard"], {})[row["bid"]] = float(row["probability"])
    return found


def plot(table: pd.DataFrame) -> gl.reporting.Plot:
    """Draw the largest deck, tied prizes carried over, for margin and to win side by side."""
    carry = table[table["ties"] == "carry"]
    data = carry[carry["cards"] == carry["cards"].max()]
    named = {"margin": "for margin", "win": "to win"}
    data = data.assign(player="a", game=data["objective"].map(named)).sort_values(
        "objective", kind="stable"
    )
    with gl.reporting.paper_style(columns=2):
        return gl.reporting.plot_comparison(data)


def plot_table(table: pd.DataFrame) -> pd.DataFrame:
    """Return the first bids of the largest deck to win, ties carried over, as they are printed."""
    part = table[(table["ties"] == "carry") & (table["objective"] == "win")]
    part = part[part["cards"] == part["cards"].max()]
    wide = part.pivot_table(index="upcard", columns="bid", values="probability")
    return wide.assign(unique=part.groupby("upcard")["unique"].first())


EXPERIMENT = Experiment(
    name="as_played",
    title="The game as it is played, to win with carried-over ties: optimal first bids",
    columns={
        "objective": "win: P(ahead) - P(behind); margin: expected points",
        "ties": "what a tie does",
        "cards": "cards in each hand, prizes 1 to cards in a shuffle",
        "upcard": "the first prize, points",
        "bid": "rank",
        "probability": "of the bid in an optimal strategy; 0 where it is never made",
        "unique": "whether the optimal strategy at this upcard is the only one",
        "gap": "column guarantee minus row guarantee of the stage game, units of the objective",
        "bounds_width": "width of the certified bounds on the value of the stage game",
        "loss_bound": "certified: optimal play as stored loses no more than this of the value of "
        "the whole game",
    },
    jobs=jobs, plot=plot, summary=summary, printed=plot_table,
)  # fmt: skip
