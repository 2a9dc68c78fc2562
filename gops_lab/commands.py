"""What each command of the command line does."""

from __future__ import annotations

import argparse
import json
import math
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from dataclasses import replace
from fractions import Fraction
from functools import cache
from pathlib import Path
from typing import Any

import pandas as pd

from gops_lab.auditing import audit
from gops_lab.bars import counting_bar, solve_bar
from gops_lab.cluster import connected
from gops_lab.contests import Answer, run_exploit, run_play, run_tournament
from gops_lab.errors import ArgumentError, TableError, WritingError
from gops_lab.game.documents import plain
from gops_lab.game.objectives import as_objective
from gops_lab.game.rules import Rules
from gops_lab.game.state import State, check_state, start
from gops_lab.induction import Solution, forecast, load, shipped, solve, solve_match
from gops_lab.induction.files import nearest_existing
from gops_lab.induction.forecast import readable_size
from gops_lab.induction.manifest import MANIFEST
from gops_lab.induction.solve import game_folder
from gops_lab.reporting import formats, tables, text
from gops_lab.strategies.names import Solver
from gops_lab.strategies.response import Progress
from gops_lab.web import run_explore

# Commands

FIRST_BIDS = {"value": ".6f", "gap": ".0e"}

MOST_SHOWN = 20
"""Most disagreements of an audit that are printed; ``--json`` gives all."""


def _solve(options: argparse.Namespace) -> None:
    rules = _rules(options)
    with _where(options, options.out) as how:
        solution = _solution(options, rules, **how)
    table = tables.bids_table(solution)
    error = max((report.error for report in solution.reports.values()), default=0.0)
    if options.json:
        _print_json(
            {
                **_game(solution),
                "value": solution.value(),
                "bounds": list(solution.bounds()),
                "method": solution.method,
                "certified_error": error,
                "first_bids": _first_bids(table),
            }
        )
        return
    print(text.heading(rules, solution.objective.name))
    print("A's optimal first bids: the probability of each bid, by upcard\n")
    print(text.aligned(table, FIRST_BIDS))
    lower, upper = solution.bounds()
    print(
        f"\nvalue {_certified(solution.value(), lower, upper)}, certified between {_bound(lower)} "
        f"and {_bound(upper)}"
    )
    games = sum(report.stage_games for report in solution.reports.values())
    print(f"{games:,} stage games below solved, every one certified by its gap")
    if options.out is not None:
        print(f"stored in {options.out}")


def _bids(options: argparse.Namespace) -> None:
    rules = _rules(options)
    state = _state(options, rules)
    if options.solution is not None:
        solution = _stored(options.solution, rules, options)
    else:
        solution = _solved_deck(options, rules) or solve(
            rules, options.objective, start=state, exact=options.exact
        )
    stage = solution.stage_solution(state)
    strategies = {player: solution.strategy(state, player) for player in "ab"}
    if options.json:
        _print_json(
            {
                "value": solution.value(state),
                "bounds": list(solution.bounds(state)),
                **{
                    player: {str(bid): p for bid, p in strategy.items()}
                    for player, strategy in strategies.items()
                },
                "gap": stage.game.gap,
                **_game(solution),
            }
        )
        return
    print(text.heading(rules, solution.objective.name))
    print(state)
    lower, upper = solution.bounds(state)
    print(
        f"\nvalue {_certified(solution.value(state), lower, upper)} to A, certified between "
        f"{_bound(lower)} and {_bound(upper)}; gap {text.number(float(stage.game.gap), '.0e')}"
    )
    for player, strategy in strategies.items():
        ranges = solution.optimal_ranges(state, player).set_index("bid")
        print(f"\n{player.upper()}'s optimal bids, and their range over all optimal strategies")
        print(text.aligned(ranges.assign(probability=strategy)[["probability", "min", "max"]]))
    print("\nA's payoff for every pair of bids (rows A, columns B)")
    print(text.aligned(stage.payoffs.rename_axis(index="A \\ B")))


def _table(options: argparse.Namespace) -> None:
    rules = _rules(options)
    if options.format is None:
        options.format = formats.format_of(options.out)
    if options.out is not None:
        formats.check_file(options.out)
    elif options.format == "parquet":
        raise ArgumentError("a Parquet table needs a file: give --out FILE")
    if options.out is not None:
        _check_can_write("out", Path(options.out).parent)
    table = tables.first_bids_table(_solved_deck(options, rules) or _solution(options, rules))
    if options.out is not None:
        try:
            formats.write_table(table, options.out, options.format)
        except TableError as error:  # the argument has been checked
            raise WritingError(str(error)) from error
    if options.json:
        _print_json({**table.attrs, "rows": table.to_dict("records"), "out": options.out})
    elif options.out is not None:
        print(f"{len(table)} rows written to {options.out}")
    else:
        print(formats.as_text(table, options.format), end="")


def _match(options: argparse.Namespace) -> None:
    rules = _rules(options)
    # The first game is the last to be solved.
    first = None if options.out is None else game_folder(options.out, 1)
    with (
        _where(options, first) as how,
        solve_bar(_without_bar(options)) as progress,
        _advising(_go_on(how)),
    ):
        solutions = solve_match(
            rules, options.games, exact=options.exact, progress=progress, **how
        )
    fresh = start(rules)
    values = {
        number: {
            lead: solution.value(replace(fresh, lead=lead)) for lead in _leads(rules, number)
        }
        for number, solution in enumerate(solutions, start=1)
    }
    first_bids = tables.bids_table(solutions[0])
    if options.json:
        _print_json(
            {
                "rules": rules.as_dict(),
                "games": len(solutions),
                "objective": "win",
                "values": values,
                "first_bids": _first_bids(first_bids),
            }
        )
        return
    print(f"{rules!r}, match of {len(solutions)} games, the higher total wins\n")
    print("A's optimal first bids in the first game: the probability of each bid, by upcard\n")
    print(text.aligned(first_bids, FIRST_BIDS))
    print("\nP(A wins the match) - P(B wins it) at the start of each game, by A's lead so far\n")
    for number, row in values.items():
        line = "  ".join(f"{lead:+d}: {_shown(value)}" for lead, value in row.items())
        print(f"game {number}  {line}")


def _leads(rules: Rules, number: int) -> list[int]:
    """Return some leads that A can have at the start of a game of a match."""
    points = sum(map(abs, rules.prizes))
    sizes = [size for size in (0, 1, 2, 5, 10, points) if size <= (number - 1) * points]
    # With equal hands the value at -d is minus that at d.
    mirrored = [] if rules.hand_a == rules.hand_b else [-size for size in sizes]
    return sorted({*sizes, *mirrored})


def _forecast(options: argparse.Namespace) -> None:
    rules = _rules(options)
    expected = forecast(rules, options.objective, exact=options.exact, keep=options.keep)
    if options.json:
        _print_json(expected.as_dict())
    else:
        print(text.heading(rules, options.objective) + "\n")
        print(text.aligned(expected.tiers))
        kind = "exactly" if expected.counts_are_exact else "at most"
        print(
            f"\n{kind} {expected.stage_games:,} stage games and {expected.values:,} values; "
            f"about {readable_size(expected.memory)} of memory and "
            f"{text.duration(expected.seconds)}"
        )
        if expected.least_memory < expected.memory:
            print(
                f"with --scratch about {readable_size(expected.least_memory)} of memory and "
                f"{readable_size(expected.tables)} on the disk"
            )
    expected.check_fits(folder=True)


def _audit(options: argparse.Namespace) -> int:
    with counting_bar(_without_bar(options), "values") as progress:
        report = audit(
            options.folder, samples=options.samples, seed=options.seed, progress=progress
        )
    if options.json:
        _print_json(report.as_dict())
    else:
        print(f"{report.game}, objective {report.objective}\n")
        for line in report.checks:
            print(line)
        print()
        for wrong in report.disagreements[:MOST_SHOWN]:
            print(f"DISAGREES {wrong}")
        if report.agrees:
            print("the audit agrees with all that it checked")
        else:
            more = max(0, len(report.disagreements) - MOST_SHOWN)
            print(f"{len(report.disagreements)} disagreements{f', {more} not shown' * bool(more)}")
    return 0 if report.agrees else 1


def _tournament(options: argparse.Namespace) -> None:
    @contextmanager
    def deals_bar() -> Iterator[Callable[[int, int], None]]:
        with counting_bar(_without_bar(options), "deals") as progress:
            yield lambda done, total: progress(0, done, total)

    if options.out is not None:
        _check_can_write("out", Path(options.out))
    advice = f"the same command goes on with {options.out}" if options.out is not None else ""
    with _advising(advice), connected(options.scheduler, options.local_cluster) as client:
        answer = run_tournament(options, _rules(options), _solver(options), deals_bar, client)
    _print_answer(options, answer)


def _exploit(options: argparse.Namespace) -> None:
    def states_bar() -> AbstractContextManager[Progress]:
        return counting_bar(_without_bar(options), "states")

    _print_answer(options, run_exploit(options, _rules(options), _solver(options), states_bar))


def _play(options: argparse.Namespace) -> None:
    _print_answer(options, run_play(options, _rules(options), _solver(options)))


def _explore(options: argparse.Namespace) -> None:
    stored = load(options.solution) if options.solution is not None else None
    named = (options.cards, options.hand_a, options.hand_b, options.prizes)
    if stored is not None and named == (None,) * len(named):
        rules, options.objective = stored.rules, stored.objective.name
    else:
        if named == (None,) * len(named):
            options.cards = 4
        rules = _rules(options)
    run_explore(options, rules, stored)


def _print_answer(options: argparse.Namespace, answer: Answer) -> None:
    data, lines = answer
    if options.json:
        _print_json(data)
    else:
        print(lines)


COMMANDS: dict[str, Callable[[argparse.Namespace], int | None]] = {
    "solve": _solve, "bids": _bids, "table": _table, "match": _match, "audit": _audit,
    "forecast": _forecast, "tournament": _tournament, "exploit": _exploit, "play": _play,
    "explore": _explore,
}
"""What each command does, and the exit code if it is not 0."""


# What commands share


def _stored(folder: str, rules: Rules, options: argparse.Namespace) -> Solution:
    """Load a solution, if it is the one that the other arguments describe."""
    solution = load(folder)
    asked = {"rules": rules, "objective": options.objective, "exact": options.exact}
    found = {
        "rules": solution.rules, "objective": solution.objective.name, "exact": solution.exact,
    }
    for name, value in asked.items():
        if found[name] != value:
            raise ArgumentError(
                f"{folder} holds another solution: {name} is {found[name]!r}, not {value!r}"
            )
    return solution


def _solved_deck(options: argparse.Namespace, rules: Rules) -> Solution | None:
    """Return the solution that comes with the package, if it is what the options ask for."""
    if options.exact or getattr(options, "method", None) is not None:
        return None
    return shipped(rules, as_objective(options.objective))


def _solution(options: argparse.Namespace, rules: Rules, **how: Any) -> Solution:
    """Solve as the options say."""
    if options.exact and options.method is not None:
        raise ArgumentError(f"--exact uses fractions only; leave --method {options.method} away")
    with solve_bar(_without_bar(options)) as progress, _advising(_go_on(how)):
        return solve(
            rules, options.objective, exact=options.exact, method=options.method,
            progress=progress, **how,
        )


@contextmanager
def _where(options: argparse.Namespace, last: str | Path | None) -> Iterator[dict[str, Any]]:
    """Yield where and by whom a game is solved, as `solve` takes it; refuse what cannot work.

    `last` is the folder of the solution that is found last.
    """
    if options.resume and options.out is None and options.scratch is None:
        raise ArgumentError("--resume needs --out FOLDER")
    on_cluster = options.scheduler is not None or options.local_cluster is not None
    if on_cluster and options.out is None and options.scratch is None:
        raise ArgumentError("a cluster needs a folder that all workers share: --out or --scratch")
    # What is solved already is used, and may stand where nothing can be written.
    if not (options.resume and last is not None and (Path(last) / MANIFEST).exists()):
        for name in ("out", "scratch"):
            if getattr(options, name) is not None:
                _check_can_write(name, Path(getattr(options, name)))
    with connected(options.scheduler, options.local_cluster) as client:
        yield {
            "keep": options.keep, "out": options.out, "resume": options.resume,
            "scratch": options.scratch, "memory": options.memory, "client": client,
        }


def _go_on(how: Mapping[str, Any]) -> str:
    """Say how to go on with what `_where` yielded; "" if there is nothing to go on with."""
    folder = how.get("out") or how.get("scratch")
    return f"the same command with --resume goes on with {folder}" if folder else ""


@contextmanager
def _advising(advice: str) -> Iterator[None]:
    """Say how to go on if the user interrupts."""
    try:
        yield
    except KeyboardInterrupt:
        raise KeyboardInterrupt(f"interrupted; {advice}" if advice else "interrupted") from None


def _solver(options: argparse.Namespace) -> Solver:
    """Return how strategies get the games they need solved: each once, with a bar."""

    @cache
    def solver(rules: Rules, objective: str) -> Solution:
        with solve_bar(_without_bar(options)) as progress:
            return solve(rules, objective, progress=progress)

    return solver


def _check_can_write(name: str, folder: Path) -> None:
    """Refuse a folder in which no file can be made, before the work is begun."""
    try:
        with tempfile.TemporaryFile(dir=nearest_existing(folder)):
            pass
    except OSError as error:
        raise ArgumentError(
            f"--{name}: nothing can be written in {folder}: {error.strerror or error}"
        ) from error


def _rules(options: argparse.Namespace) -> Rules:
    hands = {"hand_a": options.hand_a, "hand_b": options.hand_b}
    prizes = options.prizes
    if options.command == "bids":
        # There --hand-a, --hand-b and --prizes say what is left. With --cards they are part of that
        # game; without, they are a game of their own.
        if options.cards is not None:
            hands, prizes = {}, None
        elif prizes is not None:
            prizes = (options.upcard, *prizes)
    return Rules(
        cards=options.cards,
        prizes=prizes,
        ties=options.ties,
        order=options.order,
        negative_stakes=options.negative_stakes,
        rounds=options.rounds,
        **hands,
    )


def _state(options: argparse.Namespace, rules: Rules) -> State:
    fresh = start(rules)
    prizes = options.prizes
    if prizes is None:
        left = list(fresh.prizes)
        if options.upcard in left:
            left.remove(options.upcard)
        prizes = tuple(left)
    return check_state(
        rules,
        State(
            fresh.hand_a if options.hand_a is None else options.hand_a,
            fresh.hand_b if options.hand_b is None else options.hand_b,
            prizes,
            options.upcard,
            options.carried,
            options.lead,
        ),
    )


def _without_bar(options: argparse.Namespace) -> bool | None:
    """Return whether no progress bar is drawn; None: only on a terminal."""
    return True if options.json or options.quiet or sys.stderr is None else None


def _game(solution: Solution) -> dict[str, Any]:
    return {"rules": solution.rules.as_dict(), "objective": solution.objective.name}


def _first_bids(table: pd.DataFrame) -> list[dict[str, Any]]:
    rest = ["value", "gap", "unique"]
    bids = table.drop(columns=rest)
    return [
        {
            "upcard": upcard,
            "bids": {str(bid): p for bid, p in bids.loc[upcard].items()},
            **{name: table.loc[upcard, name] for name in rest},
        }
        for upcard in table.index
    ]


def _shown(value: Any) -> str:
    return text.number(value, ".6g")


def _certified(value: Any, lower: Any, upper: Any) -> str:
    """Return a value as text, no more decimals of it than its bounds certify."""
    if upper > lower:
        value = round(float(value), math.floor(-math.log10(upper - lower))) + 0.0
    return _shown(value)


def _bound(value: Any) -> str:
    """Return a certified bound as text, all digits of it: rounding could make it untrue."""
    short = isinstance(value, Fraction) and len(str(value)) > text.LONGEST_FRACTION
    return _shown(value) if short else str(value)


def _print_json(data: Mapping[Any, Any]) -> None:
    print(json.dumps(plain(data), allow_nan=False))
