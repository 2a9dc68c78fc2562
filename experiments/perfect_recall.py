"""What does it cost that OpenSpiel's goofspiel forgets bids?

Turn-based, with tied prizes discarded, its information states name points and hands, and from 4
cards on some of them merge histories in which the player has bid differently: no perfect recall,
so that a sequence-form program or a counterfactual regret no longer belongs to a strategy. Ours in
OpenSpiel recalls every bid. The same solvers are run on both. What a policy loses is OpenSpiel's
own NashConv.
"""

from __future__ import annotations

import contextlib
import io
import os
import tempfile
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any
from unittest.mock import patch

import pandas as pd

import gops_lab as gl
from experiments.drawing import panels
from experiments.others import Aside, are_here, read_by, versions_of
from experiments.running import Experiment, Job, Row
from gops_lab.reporting.style import shades

ASIDE = Aside()

SECONDS = 7200
"""How long a solver may think."""

TREES = ("OpenSpiel's goofspiel", "gops_lab in OpenSpiel")

Found = Iterator[tuple[int | str, Any, float]]
"""Iterations, if there are any; the policy; what the solver takes for its NashConv, in its unit."""


def tree(which: str, rules: gl.Rules) -> Any:
    """Return one of the games in OpenSpiel, for points."""
    import pyspiel

    from gops_lab.interop.openspiel import goofspiel_parameters, openspiel_game

    if which == TREES[1]:
        return openspiel_game(rules, turn_based=True)
    game = pyspiel.load_game("goofspiel", goofspiel_parameters(rules))
    return pyspiel.convert_to_turn_based(game)


def information_states(game: Any) -> tuple[int, int]:
    """Return how many A has, and how many of them merge histories with different own bids."""
    own = defaultdict(set)
    waiting: list[tuple[Any, tuple[int, ...]]] = [(game.new_initial_state(), ())]
    while waiting:
        state, bids = waiting.pop()
        if state.is_terminal():
            continue
        acts = state.current_player() == 0
        if acts:
            own[state.information_state_string(0)].add(bids)
        waiting += [
            (state.child(action), (*bids, action) if acts else bids)
            for action in state.legal_actions()
        ]
    return len(own), sum(len(found) > 1 for found in own.values())


# Solvers


def by_linear_program(game: Any, iterations: Sequence[int]) -> Found:
    """Yield the policy of OpenSpiel's sequence-form linear program, as it is."""
    from open_spiel.python.algorithms.sequence_form_lp import solve_zero_sum_game
    from open_spiel.python.policy import Policy

    *values, for_a, for_b = solve_zero_sum_game(game)
    pair = (for_a, for_b)

    class Both(Policy):  # type: ignore[misc]
        def action_probabilities(self, state: Any, player_id: int | None = None) -> Any:
            player = state.current_player() if player_id is None else player_id
            return pair[player].action_probabilities(state, player)

    yield "", Both(game, [0, 1]), abs(sum(values))


def by_lite_efg(game: Any, iterations: Sequence[int]) -> Found:
    """Yield LiteEFG's average policies, in which later iterations weigh more."""
    import LiteEFG
    from LiteEFG.baselines import CFRplus

    with tempfile.TemporaryDirectory() as home, patch.dict(os.environ, HOME=home):
        environment = LiteEFG.OpenSpielEnv(game)  # which leaves a file in the home folder
    graph = CFRplus.graph()
    environment.set_graph(graph)
    for iteration in range(1, max(iterations) + 1):
        graph.update_graph(environment)
        environment.update_strategy(graph.current_strategy())
        if iteration in iterations:
            average = graph.current_strategy(), "linear-avg-iterate"
            policy, _ = environment.get_strategy(*average)
            yield iteration, policy, sum(environment.exploitability(*average))


def by_us(game: Any, iterations: Sequence[int]) -> Found:
    """Yield our optimal strategy as a policy."""
    from gops_lab.interop.openspiel import payoff_scale, policy_of, rules_of

    solution = gl.solve(rules_of(game))
    lower, upper = solution.bounds()
    yield "", policy_of(game, solution), (upper - lower) * payoff_scale(game)


SOLVERS: dict[str, tuple[tuple[str, ...], Callable[[Any, Sequence[int]], Found]]] = {
    "OpenSpiel sequence_form_lp": (("pyspiel", "cvxpy", "ecos"), by_linear_program),
    "LiteEFG CFR+": (("pyspiel", "LiteEFG"), by_lite_efg),
    "gops_lab optimal strategy": (("pyspiel",), by_us),
}
"""By name: the modules it needs, and the function."""


def rows(name: str, which: str, rules: gl.Rules, iterations: Sequence[int]) -> list[Row]:
    """Return a row for each policy that a solver finds."""
    from open_spiel.python.algorithms.exploitability import nash_conv

    from gops_lab.interop.openspiel import payoff_scale

    game = tree(which, rules)
    states, merged = information_states(game)
    found = []
    with contextlib.redirect_stdout(io.StringIO()):
        for iteration, policy, claimed in SOLVERS[name][1](game, iterations):
            losses = {"claimed": claimed, "nash_conv": nash_conv(game, policy)}
            points = {what: loss / payoff_scale(game) for what, loss in losses.items()}
            found.append({
                "version": versions_of(SOLVERS[name][0]), "information_states": states,
                "merged": merged, "iterations": iteration,
                **{what: "0" if loss < 1e-6 else f"{loss:.4f}" for what, loss in points.items()},
            })  # fmt: skip
    return found


def jobs(parameters: Mapping[str, Any]) -> Iterator[Job]:
    """Yield a job for each deck size, game and solver that is installed."""
    for cards in parameters["cards"]:
        rules = gl.Rules(cards=cards, ties="discard")
        for which in TREES:
            for name, (modules, _) in SOLVERS.items():
                if are_here(modules):
                    iterations = parameters["iterations"] if name == "LiteEFG CFR+" else []
                    yield Job(
                        {"cards": cards, "game": which, "solver": name}, rules,
                        partial(ASIDE, SECONDS, rows, name, which, rules, iterations),
                        {**read_by(modules), "iterations": iterations},
                    )  # fmt: skip


def summary(table: list[Row]) -> dict[str, Any]:
    """Return what the largest deck shows."""
    cards = max((int(row["cards"]) for row in table), default=0)
    last = [row for row in table if int(row["cards"]) == cards]
    return {
        "cards": cards,
        **{
            f"{row['game']}, merged": f"{row['merged']} of {row['information_states']}"
            for row in last
        },
        **{f"{row['game']}, {row['solver']}": row["nash_conv"] for row in last},
    }


def plot(table: pd.DataFrame) -> gl.reporting.Plot:
    """Draw what the policies found for the largest deck lose."""
    last = table[table["cards"] == table["cards"].max()]
    last = last.drop_duplicates(["game", "solver"], keep="last")
    losses = last.pivot_table("nash_conv", "solver", "game", sort=False)
    with gl.reporting.paper_style(columns=2, height=1.6):
        figure, (ax,) = panels(1)
        for number, (game, colour) in enumerate(zip(TREES, shades(len(TREES)), strict=True)):
            places = [place + 0.4 * number for place in range(len(losses))]
            bars = ax.barh(places, losses[game], 0.36, color=colour, label=game)
            ax.bar_label(bars, fmt="%.4g", padding=3)
        ax.set_yticks([place + 0.2 for place in range(len(losses))], losses.index)
        ax.invert_yaxis()
        ax.margins(x=0.12)
        ax.set_xlabel(f"NashConv with {last['cards'].max()} cards, in points; 0 is optimal")
        figure.legend(loc="outside upper center", ncols=2)
        return gl.reporting.Plot(figure, ax, (ax,))


EXPERIMENT = Experiment(
    name="perfect_recall",
    title="Goofspiel as a tree that recalls bids, and as one that forgets them",
    columns={
        "cards": "cards in each hand; ties discarded, the prizes shuffled",
        "game": "the game in OpenSpiel, turn-based: its own goofspiel, or ours",
        "solver": "library and function",
        "version": "of the library and of what else it needs",
        "information_states": "A's information states",
        "merged": "those of them that merge histories in which A has bid differently",
        "iterations": "of an algorithm that learns; its average policy, later ones weighing more",
        "claimed": "what the solver itself takes for the NashConv, in points; below 1e-6 as 0: the "
        "gap of both linear programs, LiteEFG's exploitability, the width of our bounds",
        "nash_conv": "OpenSpiel's NashConv of the policies found, in points; below 1e-6 as 0",
    },
    jobs=jobs, plot=plot, summary=summary,
)  # fmt: skip
