"""The commands in which strategies play: ``tournament``, ``exploit``, ``play``.

Each returns what ``--json`` prints and the text for people; `gops_lab.cli` prints one of them. It
hands in how games are solved, so that long solves show how far they are.
"""

from __future__ import annotations

import argparse
import reprlib
import sys
from collections.abc import Callable
from contextlib import AbstractContextManager, suppress
from typing import TYPE_CHECKING, Any, TypeGuard

import numpy as np

from gops_lab.arguments import integer
from gops_lab.errors import ArgumentError, ForecastError
from gops_lab.evaluation import (
    certified_exploitability,
    exploitability,
    given_away,
    regrets,
    tournament,
)
from gops_lab.explorer.solving import PATIENCE, at_hand
from gops_lab.game import MARGIN, Rules, State, expose, play_round, start
from gops_lab.game.checks import missing_cards
from gops_lab.game.objectives import as_objective
from gops_lab.induction import Solution, forecast, load, shipped
from gops_lab.reporting import text
from gops_lab.reporting.description import unit_of_payoffs
from gops_lab.strategies import OptimalStrategy, Strategy, distribution, strategy_named
from gops_lab.strategies.names import Solver
from gops_lab.strategies.response import Progress

if TYPE_CHECKING:
    from gops_lab.cluster import Client

Answer = tuple[dict[str, Any], str]

Bar = Callable[[], AbstractContextManager[Callable[[int, int], None]]]
"""Draws a bar while it is entered, and yields what to tell it: deals done, deals in all."""


def run_tournament(
    options: argparse.Namespace, rules: Rules, solver: Solver, bar: Bar,
    client: Client | None = None,
) -> Answer:
    """Let the strategies named play each other."""
    field = [strategy_named(name, rules, solver) for name in options.strategies]
    with bar() as progress:
        result = tournament(
            rules, field, options.deals, seed=options.seed, games_per_match=options.games,
            folder=options.out, progress=progress, client=client,
        )
    standings = result.standings()
    data = {
        "rules": rules.as_dict(), "deals": options.deals, "seed": options.seed,
        "games_per_match": options.games,
        "standings": standings.to_dict("records"), "pairs": result.pairs.to_dict("records"),
    }
    pairs = result.pairs[
        ["a", "b", "games", "win_rate", "win_low", "win_high", "margin", "margin_low",
         "margin_high"]
    ]
    lines = [
        f"{rules!r}, {options.deals:,} deals for each pair, each in both seatings\n",
        text.aligned(standings, {"elo": ".0f", "margin": ".3f"}),
        "\nthe first of each pair: share of games won and points won by, with 95 % intervals\n",
        text.aligned(pairs, dict.fromkeys(("margin", "margin_low", "margin_high"), ".3f")),
    ]
    return data, "\n".join(lines)


def run_exploit(
    options: argparse.Namespace,
    rules: Rules,
    solver: Solver,
    bar: Callable[[], AbstractContextManager[Progress]],
) -> Answer:
    """Say what a strategy loses to its best response, and where."""
    strategy = strategy_named(options.strategy, rules, _shipped_or(solver))
    if _only_certified(strategy, options.objective):
        return _certified(options, rules, strategy)
    with bar() as progress:
        found = exploitability(
            rules, strategy, objective=options.objective, exact=options.exact, with_value=False,
            progress=progress,
        )
    data = {
        "rules": rules.as_dict(), "objective": options.objective, "strategy": strategy.name,
        "best_response_a": found.best_response_a, "best_response_b": found.best_response_b,
        "nash_conv": found.nash_conv, "exploitability": found.exploitability,
    }
    shown = {name: text.number(value, ".6g") for name, value in data.items() if name in (
        "best_response_a", "best_response_b", "nash_conv", "exploitability"
    )}
    lines = [
        text.heading(rules, options.objective) + "\n",
        f"{strategy.name} in both seats, in {unit_of_payoffs(options.objective)}",
        f"best response of A gets       {shown['best_response_a']}",
        f"best response of B holds A to {shown['best_response_b']}",
        f"NashConv {shown['nash_conv']}, exploitability {shown['exploitability']}",
    ]
    if (
        isinstance(strategy, OptimalStrategy)
        and strategy.solution.objective.name == options.objective
    ):
        data["certified_bound"] = certified_exploitability(strategy, options.objective)
        lines.append(f"certified beforehand: at most {data['certified_bound']:.1e}")
    if options.regrets:
        table = regrets(rules, strategy, solver(rules, options.objective)).head(options.regrets)
        cost = table["cost"].to_numpy()
        table = table[np.abs(cost) > text.NOISE]
        data["regrets"] = table.to_dict("records")
        lines += [
            "\nwhere it gives most away against its best response "
            "(cost = probability of coming there times regret)\n",
            text.aligned(table.drop(columns="round")) if len(table) else "nowhere",
        ]
    return data, "\n".join(lines)


def _only_certified(strategy: Strategy, objective: str) -> TypeGuard[OptimalStrategy]:
    """Whether a strategy is optimal and too long to follow, its low tiers to be solved again."""
    if not isinstance(strategy, OptimalStrategy):
        return False
    solution = strategy.solution
    return (
        solution.objective.name == objective
        and len(solution.tables) < len(solution.reports)
        and forecast(solution.rules, solution.objective).seconds > PATIENCE
    )


def _certified(options: argparse.Namespace, rules: Rules, strategy: OptimalStrategy) -> Answer:
    """Say what an optimal strategy loses at the most, by its certificates alone."""
    if options.regrets:
        raise ArgumentError(
            f"--regrets needs a solution that keeps all tiers; that of {strategy.name} keeps "
            f"{len(strategy.solution.tables)} of {rules.rounds}"
        )
    bound = certified_exploitability(strategy, options.objective)
    data = {
        "rules": rules.as_dict(), "objective": options.objective, "strategy": strategy.name,
        "certified_bound": bound,
    }
    lines = [
        text.heading(rules, options.objective) + "\n",
        f"{strategy.name} in both seats, in {unit_of_payoffs(options.objective)}",
        f"exploitability certified to be at most {bound:.1e}; best responses are not followed, as "
        "the solution keeps its top tiers only",
    ]
    return data, "\n".join(lines)


def _shipped_or(solver: Solver) -> Solver:
    """Return a solver that takes the solution that comes with the package where there is one.

    For a game or two: what lies below its tiers is solved again for every line of play.
    """

    def solved(rules: Rules, objective: str) -> Solution:
        return shipped(rules, as_objective(objective)) or solver(rules, objective)

    return solved


def run_play(options: argparse.Namespace, rules: Rules, solver: Solver) -> Answer:
    """Let a person in seat A play one game against a strategy."""
    strategy = strategy_named(options.against, rules, _shipped_or(solver))
    draw = np.random.default_rng(options.seed)
    bids = None if options.bids is None else list(options.bids)
    if bids is not None and len(bids) != rules.rounds:
        raise ArgumentError(f"--bids has {len(bids)} bids; {rules.rounds} rounds are played")
    if bids is not None and missing_cards(bids, rules.hand_a):
        raise ArgumentError(
            f"--bids has {missing_cards(bids, rules.hand_a)[0]}, which your hand "
            f"{rules.hand_a} does not hold (often enough)"
        )
    judge, why_not = _judge(options, rules, solver)
    say = _silent if options.json else print
    say(f"{rules!r}: you are A, {strategy.name} is B")
    state = start(rules)
    totals: list[Any] = [0, 0]
    rows = []
    for number in range(1, rules.rounds + 1):
        coming = state.prizes[0] if rules.known_order else int(draw.choice(state.prizes))
        state = expose(rules, state, coming)
        say(f"\nround {number} of {rules.rounds}")
        say(_table(rules, state))
        bid = bids[number - 1] if bids is not None else _asked(state, say)
        answer = distribution(strategy, rules, state, "b")
        reply = int(draw.choice(answer.index.to_numpy(), p=answer.to_numpy() / answer.sum()))
        before = state
        played, state = play_round(rules, state, bid, reply)
        totals[0] += played.gain_a
        totals[1] += played.gain_b
        winner = _outcome(played.gain_a, played.gain_b, played.carried)
        say(f"you bid {bid}, {strategy.name} bids {reply}: {winner}")
        say(f"points: you {totals[0]}, {strategy.name} {totals[1]}")
        rows.append((before, bid, reply, played))
    lead = totals[0] - totals[1]
    result = "you win" if lead > 0 else "you lose" if lead < 0 else "a draw"
    lines = [f"\n{result}: {totals[0]} to {totals[1]}"]
    rounds = []
    for number, (before, bid, reply, played) in enumerate(rows, start=1):
        row = {
            "round": number, "upcard": played.upcard, "stake": played.stake, "bid": bid,
            "reply": reply, "gain": played.gain_a, "gain_opponent": played.gain_b,
            "carried": played.carried,
        }
        if judge is not None:
            row["given_away"] = given_away(judge, before, bid)
        rounds.append(row)
    if judge is None:
        lines.append(f"your bids are not judged (give --solution FOLDER): {why_not}")
    else:
        unit = unit_of_payoffs(judge.objective.name)
        lines.append(f"\nwhat each of your bids gave away against optimal play, in {unit}\n")
        lines += [
            f"round {row['round']}: {row['bid']} for {row['stake']}, "
            f"{text.number(float(row['given_away']), '.4f')}"
            for row in rounds
        ]
    data = {
        "rules": rules.as_dict(), "against": strategy.name, "seed": options.seed,
        "points": totals, "lead": lead, "rounds": rounds, "not_judged": why_not,
    }
    return data, "\n".join(lines)


def _judge(
    options: argparse.Namespace, rules: Rules, solver: Solver
) -> tuple[Solution | None, str | None]:
    """Return the solution that says what a bid gave away, or None and why there is none."""
    if options.solution is not None:
        solution = load(options.solution)
        if solution.rules != rules:
            raise ArgumentError(
                f"--solution {options.solution} is of {solution.rules!r}, not of {rules!r}"
            )
        return solution, None
    try:
        return at_hand(rules, MARGIN) or solver(rules, MARGIN.name), None
    except ForecastError as error:
        return None, str(error)


def _table(rules: Rules, state: State) -> str:
    def cards(held: tuple[int, ...]) -> str:
        return " ".join(map(str, held)) or "none"

    def spent(dealt: tuple[int, ...], held: tuple[int, ...]) -> str:
        left = list(dealt)
        for card in held:
            left.remove(card)
        return cards(tuple(left))

    assert state.upcard is not None  # for the type checker: a prize has been exposed
    carried = f" and {state.carried} carried over" if state.carried else ""
    return "\n".join(
        [
            f"  prize {state.upcard}{carried}: {state.stake} at stake",
            f"  your hand   {cards(state.hand_a)}   (spent {spent(rules.hand_a, state.hand_a)})",
            f"  their hand  {cards(state.hand_b)}   (spent {spent(rules.hand_b, state.hand_b)})",
            f"  to come     {cards(state.prizes)}",
        ]
    )


def _asked(state: State, say: Callable[[str], None]) -> int:
    """Ask until a card in the hand is named."""
    while True:
        sys.stdout.write("your bid: ")
        sys.stdout.flush()
        written = sys.stdin.readline()
        if not written:
            raise ArgumentError("the game was left: no more bids on standard input (or --bids)")
        with suppress(argparse.ArgumentTypeError):
            if integer(written.strip()) in state.hand_a:
                return integer(written.strip())
        held = ", ".join(map(str, state.hand_a))
        say(f"{reprlib.repr(written.strip())} is not in your hand; bid one of {held}")


def _outcome(gain_a: Any, gain_b: Any, carried: Any) -> str:
    if carried:
        return f"a tie, {carried} stay on the table"
    if gain_a == gain_b:
        return f"a tie, {gain_a} points each" if gain_a else "nobody scores"
    return f"you take {gain_a}" if gain_a else f"they take {gain_b}"


def _silent(line: str) -> None:
    """Say nothing: JSON is printed at the end."""
