"""Who is wrong on which matrix game? Games that have broken solvers, solved by us and others.

All are zero-sum. A game is given to a solver as it takes it: in fractions, or in the nearest
floats. It is judged by the strategies that it returns and by the payoffs that it was given, in
fractions: what both players together could gain by answering best, as a part of the range of the
payoffs. Of several answers the worst counts.

========= ======================================================================================
right     every answer is a pair of distributions (to 1e-6) and loses at most 1e-6 of the range
wrong     an answer loses more, or is no such pair
no answer nothing was returned: an error, no equilibrium found, or a minute has passed
========= ======================================================================================
"""

from __future__ import annotations

import contextlib
import io
import json
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from fractions import Fraction
from functools import partial
from math import isfinite
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

import gops_lab as gl
from experiments.drawing import panels
from experiments.others import Aside, are_here, chosen, read_by, versions_of
from experiments.running import Experiment, Job, Row
from gops_lab.reporting.style import shades

FILE = Path(__file__).parents[1] / "tests" / "data" / "matrix_games.json"

TOLERANCE = Fraction(1, 10**6)

SECONDS = 60
"""How long a solver may think about a game."""

VERDICTS = ("right", "wrong", "no answer")

ASIDE = Aside()

Payoff = list[list[Fraction]]
Answers = list[tuple[Any, Any]]
"""Pairs of strategies, A's and B's."""


# Solvers: from payoffs to answers


def ours(method: str, payoff: Payoff) -> Answers:
    """Return our answer."""
    game = gl.solve_matrix_game(payoff if method == "exact" else floats(payoff), method=method)
    return [(game.row, game.column)]


def by_scipy(method: str, payoff: Payoff) -> Answers:
    """Return what scipy finds of the usual program: the most that A can be sure of."""
    from scipy.optimize import linprog

    matrix = floats(payoff)
    rows, columns = matrix.shape
    done = linprog(
        [0] * rows + [-1], A_ub=np.column_stack([-matrix.T, np.ones(columns)]),
        b_ub=np.zeros(columns), A_eq=[[1] * rows + [0]], b_eq=[1],
        bounds=[(0, None)] * rows + [(None, None)], method=method,
    )  # fmt: skip
    if done.status:
        raise ArithmeticError(done.message)
    return [(done.x[:-1], -done.ineqlin.marginals)]


def by_nashpy(method: str, payoff: Payoff) -> Answers:
    """Return what Nashpy finds."""
    import nashpy

    game = nashpy.Game(floats(payoff))
    if method == "lemke_howson":
        return [game.lemke_howson(initial_dropped_label=0)]
    found = getattr(game, method)()
    return [found] if method == "linear_program" else list(found)


def by_quantecon(method: str, payoff: Payoff) -> Answers:
    """Return what QuantEcon finds."""
    from quantecon import game_theory
    from quantecon.optimize import minmax

    matrix = floats(payoff)
    if method == "minmax":
        return [minmax(matrix)[1:]]
    game = game_theory.NormalFormGame([
        game_theory.Player(matrix), game_theory.Player(0 - matrix.T)
    ])  # fmt: skip
    found = getattr(game_theory, method)(game)
    return [found] if method == "lemke_howson" else list(found)


def by_openspiel(payoff: Payoff) -> Answers:
    """Return what OpenSpiel's linear program finds."""
    import pyspiel
    from open_spiel.python.algorithms.lp_solver import solve_zero_sum_matrix_game

    matrix = floats(payoff)
    return [solve_zero_sum_matrix_game(pyspiel.create_matrix_game(matrix, 0 - matrix))[:2]]


def by_pygambit(method: str, numbers: str, payoff: Payoff) -> Answers:
    """Return what Gambit finds of our .nfg file."""
    import pygambit

    from gops_lab.interop.gambit import strategic_game

    game = strategic_game(pd.DataFrame(payoff, dtype=object))
    found = getattr(pygambit.nash, method)(game, rational=numbers == "exact")
    answers = []
    for profile in found.equilibria:
        row, column = (
            [Fraction(str(profile[strategy])) for strategy in player.strategies]
            for player in profile.game.players
        )
        answers.append((row, column))
    return answers


ENUMERATING = ("support_enumeration", "vertex_enumeration", "lemke_howson")

SOLVERS: dict[str, tuple[tuple[str, ...], Callable[[Payoff], Answers]]] = {
    **{
        f"gops_lab {method}": ((), partial(ours, method))
        for method in ("exact", "highs", "simplex")
    },
    **{
        f"scipy linprog {method}": (("scipy",), partial(by_scipy, method))
        for method in ("highs", "highs-ipm")
    },
    **{
        f"Nashpy {method}": (("nashpy",), partial(by_nashpy, method))
        for method in ("linear_program", *ENUMERATING)
    },
    **{
        f"QuantEcon {method}": (("quantecon",), partial(by_quantecon, method))
        for method in ("minmax", *ENUMERATING)
    },
    "OpenSpiel lp_solver": (("pyspiel", "cvxpy", "ecos"), by_openspiel),
    **{
        f"pygambit {method} {numbers}": (("pygambit",), partial(by_pygambit, method, numbers))
        for method in ("lp_solve", "lcp_solve", "enummixed_solve")
        for numbers in ("exact", "float")
    },
}
"""By name: the modules it needs, and the function."""


def takes_fractions(name: str) -> bool:
    """Whether a solver is given fractions."""
    return name.endswith(" exact")


def floats(payoff: Payoff) -> Any:
    """Return payoffs in the nearest floats."""
    return np.array([[float(entry) for entry in row] for row in payoff])


# Judging


def answered(name: str, payoff: Payoff) -> tuple[Answers, str]:
    """Return a solver's answers, strategies as fractions, and what else it said."""
    said: list[str] = []
    answers: Answers = []
    with warnings.catch_warnings(record=True) as warned, contextlib.redirect_stdout(io.StringIO()):
        warnings.simplefilter("always")
        try:
            for row, column in SOLVERS[name][1](payoff):
                answers.append((as_fractions(row), as_fractions(column)))
        except Exception as error:  # whatever it is, it is no answer
            answers, said = [], [type(error).__name__]
    return answers, ", ".join([*said, *sorted({entry.category.__name__ for entry in warned})])


def as_fractions(strategy: Any) -> list[Fraction] | None:
    """Return a strategy in fractions; None if it holds what is no number."""
    entries = [entry if isinstance(entry, Fraction) else float(entry) for entry in strategy]
    return [Fraction(entry) for entry in entries] if all(map(isfinite, entries)) else None


def judged(payoff: Payoff, answers: Answers) -> tuple[str, Fraction | None]:
    """Return the verdict on answers, and what the worst of them loses, as a part of the range."""
    if not answers:
        return "no answer", None
    losses = [loss_of(payoff, *pair) for pair in answers]
    if any(loss is None for loss in losses):
        return "wrong", None
    worst = max(losses)
    return ("right" if worst <= TOLERANCE else "wrong"), worst


def loss_of(
    payoff: Payoff, row: list[Fraction] | None, column: list[Fraction] | None
) -> Fraction | None:
    """Return what a pair of strategies loses; None if they are no distributions."""
    for strategy, size in ((row, len(payoff)), (column, len(payoff[0]))):
        if strategy is None or len(strategy) != size:
            return None
        if min(strategy) < -TOLERANCE or abs(sum(strategy) - 1) > TOLERANCE:
            return None
    entries = [entry for line in payoff for entry in line]
    x, y = ([max(p, Fraction(0)) for p in strategy] for strategy in (row, column))
    columns = zip(*payoff, strict=True)
    kept = min(sum(p * entry for p, entry in zip(x, line, strict=True)) for line in columns)
    lost = max(sum(q * entry for q, entry in zip(y, line, strict=True)) for line in payoff)
    gap = lost / sum(y) - kept / sum(x)
    return gap / ((max(entries) - min(entries)) or 1)


def rows(name: str, games: Sequence[Mapping[str, Any]]) -> list[Row]:
    """Return a row for each game that a solver is given."""
    found = []
    for game in games:
        payoff = [[Fraction(entry) for entry in row] for row in game["payoff"]]
        if not takes_fractions(name):
            payoff = [[Fraction(entry) for entry in row] for row in floats(payoff).tolist()]
        try:
            answers, said = ASIDE(SECONDS, answered, name, payoff)
        except TimeoutError as error:
            answers, said = [], str(error)
        verdict, loss = judged(payoff, answers)
        found.append({
            "version": versions_of(SOLVERS[name][0]),
            "game": game["name"], "size": f"{len(payoff)}x{len(payoff[0])}",
            "answers": len(answers), "verdict": verdict,
            "loss": "" if loss is None else "0" if loss < 1e-9 else f"{float(loss):.2g}",
            "said": said,
        })  # fmt: skip
    return found


def jobs(parameters: Mapping[str, Any]) -> Iterator[Job]:
    """Yield a job for each solver that is installed."""
    known = json.loads(FILE.read_text(encoding="utf-8"))["games"]
    games = list(chosen(parameters["games"], {game["name"]: game for game in known}).values())
    for name, (modules, _) in chosen(parameters["solvers"], SOLVERS).items():
        if are_here(modules):
            data = {**read_by(modules), "games": games}
            yield Job({"solver": name}, None, partial(rows, name, games), data)


def summary(table: list[Row]) -> dict[str, Any]:
    """Return how many games each solver has right, wrong, and not at all."""
    solvers = dict.fromkeys(row["solver"] for row in table)
    counts = {name: counted([row for row in table if row["solver"] == name]) for name in solvers}
    return {
        "games": len({row["game"] for row in table}),
        **{
            name: ", ".join(f"{number} {verdict}" for verdict, number in count.items() if number)
            for name, count in counts.items()
        },
    }


def counted(table: Sequence[Row]) -> dict[str, int]:
    """Return how often there is each verdict."""
    return {
        verdict: sum(row["verdict"] == verdict for row in table) for verdict in VERDICTS
    }


def plot(table: pd.DataFrame) -> gl.reporting.Plot:
    """Draw how many games each solver has right, wrong, and not at all."""
    names = list(dict.fromkeys(table["solver"]))
    with gl.reporting.paper_style(columns=2, height=0.2 * len(names) + 0.7):
        figure, (ax,) = panels(1)
        left = np.zeros(len(names))
        right, none, wrong = shades(3)
        for verdict, colour in zip(VERDICTS, (right, wrong, none), strict=True):
            found = table[table["verdict"] == verdict]["solver"].value_counts()
            width = found.reindex(names, fill_value=0).to_numpy()
            ax.barh(names, width, left=left, color=colour, label=verdict)
            left += width
        ax.invert_yaxis()
        ax.set_xlabel("games that have broken solvers")
        figure.legend(loc="outside upper center", ncols=len(VERDICTS))
        return gl.reporting.Plot(figure, ax, (ax,))


EXPERIMENT = Experiment(
    name="peers",
    title="Matrix games that have broken solvers, solved by us and by others",
    columns={
        "solver": "library and function; it is given fractions if it is exact, floats otherwise",
        "version": "of the library and of what else it needs",
        "game": "name in tests/data/matrix_games.json, where its source stands",
        "size": "A's strategies x B's",
        "answers": "pairs of strategies returned",
        "verdict": "right: all answers lose at most 1e-6; wrong: one loses more, or is no pair of "
        "distributions (to 1e-6); or no answer",
        "loss": "what the worst answer loses: column guarantee minus row guarantee, exact for the "
        "payoffs given, as a part of their range; below 1e-9 as 0; empty if there is none",
        "said": "error and warnings, by name",
    },
    jobs=jobs, plot=plot, summary=summary,
)  # fmt: skip
