"""Learning algorithms of OpenSpiel, measured against the truth."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pandas as pd
import pyspiel
from open_spiel.python.algorithms.exploitability import nash_conv
from open_spiel.python.algorithms.fictitious_play import XFPSolver
from open_spiel.python.algorithms.mmd_dilated import MMDDilatedEnt
from open_spiel.python.policy import Policy, pyspiel_policy_to_python_policy

from gops_lab.errors import ArgumentError
from gops_lab.interop.openspiel.parameters import objective_of, payoff_scale
from gops_lab.interop.openspiel.policies import policy_exploitability

ALGORITHMS = ("cfr", "cfr+", "fictitious_play", "mmd")


def learning_curve(
    game: Any, algorithm: str = "cfr+", iterations: int = 64, every: int | None = None
) -> pd.DataFrame:
    """Return how far OpenSpiel's learning algorithms are from optimal play, by iteration.

    Measured is the average policy, which is what converges. All of the algorithms need turns: a
    game in which both bid at once is converted, A first and unseen by B. For small decks: 4 cards
    take CFR a second an iteration; fictitious play and MMD, written in Python, are for 3.

    Parameters
    ----------
    game : pyspiel.Game
        Ours or OpenSpiel's goofspiel, turn-based or not. Learning on the latter, which is written
        in C++, is some ten times as fast, but from 4 cards on it forgets bids, so that it learns
        another game.
    algorithm : {"cfr", "cfr+", "fictitious_play", "mmd"}
        Counterfactual regret minimization and CFR+ (Zinkevich et al. 2007, Tammelin 2014),
        extensive-form fictitious play (Heinrich, Lanctot and Silver 2015), and magnetic mirror
        descent (Sokota et al. 2023), here without its magnet and with steps of 1 over the largest
        payoff of two sequences.
    iterations : int
        How many there are.
    every : int, optional
        After how many of them it is measured again; default when their number has doubled.

    Returns
    -------
    DataFrame
        Columns algorithm, iteration; exploitability, by `policy_exploitability`; and openspiel,
        by OpenSpiel's own best responses. Both in our unit: points under margin.
        `gops_lab.reporting.plot_convergence` draws it.

    Raises
    ------
    ArgumentError
        If there is no such algorithm, or a number is below 1.
    RulesError
        If the game is not ours.

    Examples
    --------
    >>> import gops_lab as gl
    >>> from gops_lab.interop.openspiel import openspiel_game
    >>> game = openspiel_game(gl.Rules(cards=3, ties="discard"))
    >>> learning_curve(game, "fictitious_play", iterations=2).round(4)
             algorithm  iteration  exploitability  openspiel
    0  fictitious_play          1          0.6667     0.6667
    1  fictitious_play          2          0.4444     0.4444
    """
    if algorithm not in ALGORITHMS:
        raise ArgumentError(f"algorithm must be one of {', '.join(ALGORITHMS)}, not {algorithm!r}")
    for name, number in (("iterations", iterations), ("every", every)):
        if number is not None and number < 1:
            raise ArgumentError(f"{name} must be 1 or more, not {number!r}")
    if game.get_type().dynamics == pyspiel.GameType.Dynamics.SIMULTANEOUS:
        game = pyspiel.convert_to_turn_based(game)
    update, average = _solver(game, algorithm)
    marks = set(_marks(iterations, every))
    rows = []
    for iteration in range(1, iterations + 1):
        update()
        if iteration in marks:
            policy = average()
            found = float(policy_exploitability(game, policy).exploitability)
            theirs = nash_conv(game, policy) / 2 / payoff_scale(game)
            rows.append((algorithm, iteration, found, float(theirs)))
    curve = pd.DataFrame(rows, columns=["algorithm", "iteration", "exploitability", "openspiel"])
    curve.attrs["objective"] = objective_of(game)
    return curve


def _marks(iterations: int, every: int | None) -> Iterator[int]:
    """Yield the iterations that are measured."""
    mark = every or 1
    while mark < iterations:
        yield mark
        mark = mark + every if every else 2 * mark
    yield iterations


def _solver(game: Any, algorithm: str) -> tuple[Callable[[], None], Callable[[], Policy]]:
    """Return what makes an iteration, and what returns the average policy."""
    if algorithm == "fictitious_play":
        player = XFPSolver(game)
        return player.iteration, player.average_policy
    if algorithm == "mmd":
        descent = MMDDilatedEnt(game, alpha=0, stepsize=1)
        descent.stepsize = 1 / np.abs(descent.payoff_mat).max()
        return descent.update_sequences, descent.get_avg_policies
    solver = pyspiel.CFRSolver(game) if algorithm == "cfr" else pyspiel.CFRPlusSolver(game)
    return (
        solver.evaluate_and_update_policy,
        lambda: pyspiel_policy_to_python_policy(game, solver.tabular_average_policy()),
    )
