"""How many games of 13 cards are simulated in a second, by what the strategies do.

Rules of thumb against each other are played by a compiled loop; others are asked for their
distributions, some thousand states at a time: ``first bids`` looks them up in a table (the optimal
first bids by upcard), ``optimal`` solves the stage game of every state it comes to. Written to
``results/benchmarks``: ``play.csv`` (one row for each pair and number of threads; the best of
several runs), ``play.json`` (machine and versions). Takes about five minutes on two cores:

    python experiments/benchmarks/play.py
"""

from __future__ import annotations

import json
import time
from pathlib import Path

import pandas as pd
from machine import machine, versions

import gops_lab as gl
from gops_lab.evaluation import simulate
from gops_lab.strategies import (
    MatchPrize,
    MatchStake,
    OptimalStrategy,
    Proportional,
    Strategy,
    TableStrategy,
    Uniform,
)

RESULTS = Path(__file__).parents[2] / "results" / "benchmarks"

RULES = gl.Rules(cards=13, ties="discard")
SEED = 20261203
RUNS = 3
WORKERS = (1, 2)

COMPILED, LOOKED_UP = 2_000_000, 200_000
"""Games a second that two cores must play: rules of thumb, and distributions that are looked up."""


def first_bids() -> Strategy:
    """Return the table of optimal first bids as a strategy for all rounds."""
    table = gl.load("13-discard-margin").first_bids()[["upcard", "bid", "probability"]]
    return TableStrategy(table, "first bids", otherwise=Uniform())


def cases() -> list[tuple[Strategy, Strategy, int, int | None]]:
    """Return pairs, how many deals they play, and games a second that two cores must reach."""
    table = first_bids()
    optimal = OptimalStrategy(gl.solve(RULES))
    return [
        (Uniform(), Uniform(), 4_000_000, COMPILED),
        (MatchPrize(), Uniform(), 4_000_000, COMPILED),
        (MatchPrize(), MatchStake(), 4_000_000, COMPILED),
        (table, table, 400_000, LOOKED_UP),
        (table, MatchPrize(), 400_000, LOOKED_UP),
        (Proportional(), table, 400_000, LOOKED_UP),
        (optimal, MatchPrize(), 4_096, None),
    ]


def games_per_second(a: Strategy, b: Strategy, deals: int, workers: int) -> float:
    """Return the rate of the fastest of several runs."""
    times = []
    for _ in range(RUNS):
        began = time.perf_counter()
        simulate(RULES, a, b, deals, seed=SEED, workers=workers)
        times.append(time.perf_counter() - began)
    return deals / min(times)


def main() -> None:
    """Measure and write the table."""
    rows = []
    for a, b, deals, wanted in cases():
        simulate(RULES, a, b, 2, workers=1)  # compiles
        for workers in WORKERS:
            rate = games_per_second(a, b, deals, workers)
            limit = wanted if workers == max(WORKERS) else None
            rows.append({
                "a": a.name, "b": b.name, "workers": workers, "deals": deals,
                "games_per_second": rate, "limit": limit,
                "limit_met": None if limit is None else rate >= limit,
            })  # fmt: skip
            print(f"{a.name} v {b.name}, {workers} threads: {rate:,.0f} games a second", flush=True)
    RESULTS.mkdir(parents=True, exist_ok=True)
    frame = pd.DataFrame(rows)
    frame.to_csv(RESULTS / "play.csv", index=False, float_format="%.6g")
    about = {
        "machine": machine(), "versions": versions("gops_lab", "numpy", "numba"),
        "rules": repr(RULES), "seed": SEED, "runs": RUNS,
    }  # fmt: skip
    (RESULTS / "play.json").write_text(json.dumps(about, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
