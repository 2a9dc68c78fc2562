"""How fast matrix games are solved: our batch solver, the sweep, and others, on one core.

Two kinds of square games: payoffs drawn at random, and stage games as they occur when 10 cards are
solved (margin, tied prizes discarded). Written to ``results/benchmarks``: ``matrix_games.csv`` (one
row for each solver, size and kind; the best of several runs), ``matrix_games.json`` (machine and
versions). Others are measured where they are installed: quantecon (its ``minmax`` called from a
compiled loop), open_spiel (its linear program, which needs cvxpy and ecos). Takes some minutes:

    python experiments/benchmarks/matrix_games.py
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import numba
import numpy as np
import numpy.typing as npt
import pandas as pd
from machine import machine, versions

import gops_lab as gl
from gops_lab.induction.plan import Tier, plan_tiers
from gops_lab.induction.sweep import stage_payoffs

RESULTS = Path(__file__).parents[2] / "results" / "benchmarks"

SIZES = (3, 5, 7, 9)
SEED = 20261202
GAMES = 200_000
RUNS = 3

Games = npt.NDArray[np.float64]


def random_games(size: int) -> Games:
    """Return payoffs drawn from the normal distribution."""
    return np.random.default_rng((SEED, size)).standard_normal((GAMES, size, size))


@cache
def ten_cards() -> tuple[gl.Solution, dict[int, Tier]]:
    """Return the solved game of 10 cards and a list of its states, by tier."""
    solution = gl.solve(gl.Rules(cards=10, ties="discard"))
    return solution, {tier.cards: tier for tier in plan_tiers(solution.reducer, [solution.start])}


def games_of_the_sweep(size: int) -> Games:
    """Return stage games with `size` cards in hand of the 10-card game."""
    solution, tiers = ten_cards()
    reducer, tier = solution.reducer, tiers[size]
    rows = tier.solved_stages(reducer)[:GAMES]
    hands, hidden, stake, lead = (column[rows] for column in tier.stages.columns)
    payoffs, found = stage_payoffs(
        reducer, size, tier.hands, hands, hidden, stake, lead, solution.tables[size - 1]
    )
    assert found.all()
    return np.ascontiguousarray(payoffs)


def seconds_of(solve: Callable[[], Any], runs: int = RUNS) -> float:
    """Return the shortest of several runs."""
    times = []
    for _ in range(runs):
        began = time.perf_counter()
        solve()
        times.append(time.perf_counter() - began)
    return min(times)


def quantecon_loop() -> Callable[[Games], Any] | None:
    """Return quantecon's solver in a compiled loop, or None if it is not installed."""
    try:
        from quantecon.optimize import minmax
    except ImportError:
        return None

    @numba.njit
    def loop(games: Games) -> float:
        total = 0.0
        for game in games:
            total += minmax(game)[0]
        return total

    return loop


def open_spiel_solver() -> Callable[[Games], int] | None:
    """Return OpenSpiel's linear program, which says how many games it did not solve, or None."""
    try:
        import pyspiel
        from open_spiel.python.algorithms import lp_solver
    except ImportError:
        return None

    def solve(games: Games) -> int:
        failed = 0
        for game in games:
            try:
                lp_solver.solve_zero_sum_matrix_game(pyspiel.create_matrix_game(game, -game))
            except TypeError:  # it takes what its solver found apart, even if that is None
                failed += 1
        return failed

    return solve


def measured(games: Games) -> tuple[dict[str, float], int]:
    """Return games a second of each solver, and how many of 300 OpenSpiel's did not solve."""
    few = games[:: max(1, len(games) // 300)][:300]
    batch = seconds_of(lambda: gl.solve_matrix_games(games, workers=1))
    found = {"gops_lab batch": len(games) / batch}
    found["scipy linprog"] = len(few) / seconds_of(
        lambda: [gl.solve_matrix_game(game, method="highs") for game in few], 2
    )
    loop = quantecon_loop()
    if loop is not None:
        loop(games[:10])
        found["quantecon minmax"] = len(games) / seconds_of(lambda: loop(games))
    failed = 0
    spiel = open_spiel_solver()
    if spiel is not None:
        found["open_spiel lp_solver"] = len(few) / seconds_of(lambda: spiel(few), 2)
        failed = spiel(few)
    return found, failed


def main() -> None:
    """Measure and write the table."""
    rows = []
    unsolved = {}
    tiers = RESULTS / "tiers.csv"
    for size in SIZES:
        for kind, make in (("random", random_games), ("sweep", games_of_the_sweep)):
            games = make(size)
            gl.solve_matrix_games(games[:10], workers=1)
            found, unsolved[f"{kind} {size}x{size}"] = measured(games)
            if kind == "sweep" and tiers.exists():
                frame = pd.read_csv(tiers).query(
                    "cards == 12 and ties == 'discard' and objective == 'margin' and tier == @size"
                )
                for cost in frame["nanoseconds_per_game"]:
                    found["gops_lab sweep, 12 cards"] = 1e9 / cost
            base = found["scipy linprog"]
            rows += [
                {"kind": kind, "size": size, "solver": solver, "games_per_second": rate,
                 "times_linprog": rate / base}
                for solver, rate in found.items()
            ]  # fmt: skip
            rates = ", ".join(f"{solver} {rate:,.0f}" for solver, rate in found.items())
            print(f"{kind} {size}x{size}, games a second: {rates}", flush=True)
    RESULTS.mkdir(parents=True, exist_ok=True)
    frame = pd.DataFrame(rows).sort_values(["kind", "size", "solver"])
    frame.to_csv(RESULTS / "matrix_games.csv", index=False, float_format="%.6g")
    packages = ("gops_lab", "numpy", "scipy", "numba", "quantecon", "open_spiel")
    about = {
        "machine": machine(), "versions": versions(*packages), "seed": SEED, "games": GAMES,
        "open_spiel_unsolved_of_300": unsolved,
    }
    (RESULTS / "matrix_games.json").write_text(json.dumps(about, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
