"""The command line: ``gops-lab COMMAND``.

Exit codes: 0 done, 2 bad arguments (one line on standard error), 1 anything else. Everything an
argument can be wrong about is checked before anything is written.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from fractions import Fraction
from pathlib import Path
from typing import Any, NoReturn

import numpy as np
from tqdm import tqdm

from gops_lab._version import __version__
from gops_lab.errors import GopsError, MissingTableError, SolverError, StoreError, TableError
from gops_lab.game.objectives import NAMED_OBJECTIVES
from gops_lab.game.rules import NAMED_ORDERS, NEGATIVE_STAKES, TIE_RULES, Rules
from gops_lab.game.state import State, check_state, rules_left, start
from gops_lab.induction import Solution, forecast, load, solve, solve_match
from gops_lab.induction.store import MANIFEST
from gops_lab.induction.sweep import Progress
from gops_lab.reporting import tables, text


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command and return its exit code."""
    parser = _parser()
    try:
        options = parser.parse_args(_joined(sys.argv[1:] if arguments is None else arguments))
        options.run(options)
        sys.stdout.flush()
    except (StoreError, TableError, MissingTableError, SolverError) as error:
        return _fail(str(error), 2 if getattr(error, "is_argument", False) else 1)
    except GopsError as error:
        return _fail(str(error), 2)
    except BrokenPipeError:
        # The reader of our output has gone (as with `| head`): nothing is wrong, but Python would
        # complain once more when it flushes standard output at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except KeyboardInterrupt:
        return _fail("interrupted", 1)
    except (MemoryError, OSError) as error:
        return _fail(str(error) or "out of memory", 1)
    return 0


def _fail(message: str, code: int) -> int:
    print(f"gops-lab: error: {' '.join(message.split())}", file=sys.stderr)
    return code


class _Parser(argparse.ArgumentParser):
    """Says what is wrong in one line, without repeating the usage."""

    def error(self, message: str) -> NoReturn:
        raise SystemExit(_fail(f"{message} (see {self.prog} --help)", 2))


# Commands

FIRST_BIDS = {"value": ".6f", "gap": ".0e"}

def _solve(options: argparse.Namespace) -> None:
    rules = _rules(options)
    solution = _solution(options, rules)
    if options.out is not None:
        solution.save(options.out)
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
                "first_bids": [_first_bids_row(row) for row in table.reset_index().iloc],
            }
        )
        return
    print(text.heading(rules, solution.objective.name))
    print("A's optimal first bids: the probability of each bid, by upcard\n")
    print(text.aligned(table, FIRST_BIDS))
    lower, upper = solution.bounds()
    print(f"\nvalue {_shown(solution.value())}, certified between {lower:.3g} and {upper:.3g}")
    games = sum(report.stage_games for report in solution.reports.values())
    print(f"{games:,} stage games solved ({solution.method}), every one certified by its gap")
    if options.out is not None:
        print(f"stored in {options.out}")


def _bids(options: argparse.Namespace) -> None:
    rules = _rules(options)
    state = _state(options, rules)
    if options.solution is not None:
        solution = load(options.solution)
        if (solution.rules, solution.objective.name) != (rules, options.objective):
            raise _argument(
                StoreError(
                    f"{options.solution} solves {solution.rules!r}, objective "
                    f"{solution.objective.name!r}, not {rules!r}, {options.objective!r}"
                )
            )
    else:
        _check_size(rules, options, state)
        solution = solve(rules, options.objective, start=state, exact=options.exact)
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
        f"\nvalue {_shown(solution.value(state))} to A, certified between {lower} and {upper}; "
        f"gap {float(stage.game.gap):.0e}"
    )
    for player, strategy in strategies.items():
        ranges = solution.optimal_ranges(state, player).set_index("bid")
        print(f"\n{player.upper()}'s optimal bids, and their range over all optimal strategies")
        print(text.aligned(ranges.assign(probability=strategy)[["probability", "min", "max"]]))
    print("\nA's payoff for every pair of bids (rows A, columns B)")
    print(text.aligned(stage.payoffs.rename_axis(index="A \\ B")))


def _table(options: argparse.Namespace) -> None:
    rules = _rules(options)
    if options.out is None and options.format == "parquet":
        raise _argument(TableError("a Parquet table needs a file: give --out FILE"))
    if options.out is not None and not Path(options.out).parent.is_dir():
        raise _argument(TableError(f"--out {options.out}: its folder does not exist"))
    table = tables.first_bids_table(_solution(options, rules))
    if options.out is not None:
        tables.write_table(table, options.format, options.out)
    if options.json:
        _print_json({**table.attrs, "rows": table.to_dict("records"), "out": options.out})
    elif options.out is not None:
        print(f"{len(table)} rows written to {options.out}")
    else:
        print(tables.as_text(table, options.format), end="")


def _match(options: argparse.Namespace) -> None:
    rules = _rules(options)
    _check_size(rules, options)
    with _bar(options) as progress:
        solutions = solve_match(rules, options.games, exact=options.exact, progress=progress)
    fresh = start(rules)
    points = sum(map(abs, rules.prizes))
    leads = sorted({0, 1, 2, 5, 10, points} & set(range(points + 1)))
    values = {
        number: {
            lead: solution.value(State(fresh.hand_a, fresh.hand_b, fresh.prizes, lead=lead))
            for lead in leads
        }
        for number, solution in enumerate(solutions, start=1)
    }
    if options.json:
        _print_json(
            {
                "rules": rules.as_dict(),
                "games": len(solutions),
                "objective": "win",
                "values": {str(n): {str(d): v for d, v in row.items()} for n, row in values.items()},
                "first_bids": [
                    _first_bids_row(row) for row in tables.bids_table(solutions[0]).reset_index().iloc
                ],
            }
        )
        return
    print(f"{rules!r}, match of {len(solutions)} games, the higher total wins\n")
    print("A's optimal first bids in the first game: the probability of each bid, by upcard\n")
    print(text.aligned(tables.bids_table(solutions[0]), FIRST_BIDS))
    print("\nP(A wins the match) - P(B wins it) at the start of each game, by A's lead so far\n")
    for number, row in values.items():
        line = "  ".join(f"{lead:+d}: {_shown(value)}" for lead, value in row.items())
        print(f"game {number}  {line}")


def _forecast(options: argparse.Namespace) -> None:
    rules = _rules(options)
    expected = forecast(rules, options.objective, exact=options.exact)
    if options.json:
        _print_json(expected.as_dict())
    else:
        print(text.heading(rules, options.objective) + "\n")
        print(text.aligned(expected.tiers))
        kind = "exactly" if expected.counts_are_exact else "at most"
        print(
            f"\n{kind} {expected.stage_games:,} stage games and {expected.values:,} values; "
            f"about {text.size(expected.memory)} of memory and {expected.seconds:,.1f} s"
        )
    expected.check_fits()


# What commands share


def _solution(options: argparse.Namespace, rules: Rules) -> Solution:
    """Solve as the options say, or take what a folder holds already."""
    folder = Path(options.out) if options.out is not None and options.command == "solve" else None
    if folder is not None and (folder / MANIFEST).exists():
        if not options.resume:
            raise _argument(
                StoreError(f"--out {folder} holds a solution already; add --resume to use it")
            )
        stored = load(folder)
        same = stored.rules == rules and stored.objective.name == options.objective
        if not same or stored.exact != options.exact:
            raise _argument(
                StoreError(f"--out {folder} holds another solution: {stored!r}")
            )
        return stored
    if folder is not None and folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise _argument(StoreError(f"--out {folder} exists and holds no solution"))
    _check_size(rules, options)
    with _bar(options) as progress:
        return solve(
            rules, options.objective, exact=options.exact, method=options.method, progress=progress
        )


def _check_size(rules: Rules, options: argparse.Namespace, state: State | None = None) -> None:
    """Refuse what cannot fit the memory, before anything is begun."""
    if state is not None:
        rules = rules_left(rules, state)
    objective = getattr(options, "objective", "win")
    forecast(rules, objective, exact=options.exact).check_fits()


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
            options.hand_a or fresh.hand_a,
            options.hand_b or fresh.hand_b,
            prizes,
            options.upcard,
            options.carried,
            options.lead,
        ),
    )


@contextmanager
def _bar(options: argparse.Namespace) -> Iterator[Progress]:
    """Yield a progress callback that draws one bar for the whole solve, on a terminal only."""
    with tqdm(
        unit=" games", unit_scale=True, leave=False, delay=1.0,
        disable=True if options.json or options.quiet else None,
    ) as bar:

        def progress(cards: int, done: int, total: int) -> None:
            bar.total = total
            bar.set_description(f"{cards} cards in hand", refresh=False)
            bar.update(done - bar.n)

        yield progress


def _argument(error: GopsError) -> GopsError:
    """Mark an error as one that an argument is to blame for, so that the exit code is 2."""
    error.is_argument = True  # type: ignore[attr-defined]
    return error


def _game(solution: Solution) -> dict[str, Any]:
    return {"rules": solution.rules.as_dict(), "objective": solution.objective.name}


def _first_bids_row(row: Any) -> dict[str, Any]:
    bids = {str(name): row[name] for name in row.index if isinstance(name, int)}
    rest = {name: row[name] for name in ("value", "gap", "unique")}
    return {"upcard": int(row["upcard"]), "bids": bids, **rest}


def _shown(value: Any) -> str:
    return text.number(value, ".6g")


def _print_json(data: dict[str, Any]) -> None:
    def plain(value: Any) -> Any:
        if isinstance(value, Fraction):
            return str(value)
        if isinstance(value, np.generic):
            return value.item()
        raise TypeError(f"{value!r} has no JSON form")

    print(json.dumps(data, default=plain))


# Arguments


def _joined(arguments: Sequence[str]) -> list[str]:
    """Join ``--prizes -1,3`` to ``--prizes=-1,3``: argparse takes the list for an option."""
    joined: list[str] = []
    for argument in arguments:
        before = joined[-1] if joined else ""
        if re.fullmatch(r"-\d+(,-?\d+)*", argument) and re.fullmatch(r"--[a-z-]+", before):
            joined[-1] = f"{before}={argument}"
        else:
            joined.append(argument)
    return joined


def _integers(written: str) -> tuple[int, ...]:
    try:
        return tuple(int(part) for part in written.split(","))
    except ValueError:
        raise argparse.ArgumentTypeError(
            f"{written!r} is not a list of integers like 1,3,5"
        ) from None


def _order(written: str) -> str | tuple[int, ...]:
    if written in NAMED_ORDERS:
        return written
    try:
        return _integers(written)
    except argparse.ArgumentTypeError:
        raise argparse.ArgumentTypeError(
            f"{written!r} is none of {', '.join(NAMED_ORDERS)}, nor a list of prizes like 2,3,1"
        ) from None


def _parser() -> argparse.ArgumentParser:
    parser = _Parser(
        prog="gops-lab",
        description="Exact, certified solutions of GOPS (Goofspiel, the Game of Pure Strategy).",
    )
    parser.add_argument("--version", action="version", version=f"gops-lab {__version__}")
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")

    def command(name: str, run: Any, about: str) -> argparse.ArgumentParser:
        sub = commands.add_parser(name, help=about, description=about, allow_abbrev=False)
        sub.set_defaults(run=run)
        sub.add_argument("--json", action="store_true", help="print one JSON object")
        sub.add_argument("--quiet", action="store_true", help="draw no progress bar")
        sub.add_argument("--exact", action="store_true", help="use fractions (small games)")
        game = sub.add_argument_group("rules")
        game.add_argument("--cards", type=int, metavar="N", help="cards in each hand")
        game.add_argument("--ties", choices=sorted(TIE_RULES), default="carry")
        game.add_argument(
            "--order", type=_order, default="random", metavar="ORDER",
            help="random (default), ascending, descending, or all prizes like 2,3,1",
        )
        game.add_argument("--negative-stakes", choices=NEGATIVE_STAKES, default="high_bid")
        game.add_argument("--rounds", type=int, metavar="N", help="rounds played (default: all)")
        game.add_argument("--hand-a", type=_integers, metavar="RANKS", help="like 1,3,5")
        game.add_argument("--hand-b", type=_integers, metavar="RANKS")
        game.add_argument("--prizes", type=_integers, metavar="PRIZES")
        return sub

    def objective(sub: argparse.ArgumentParser) -> None:
        sub.add_argument("--objective", choices=sorted(NAMED_OBJECTIVES), default="margin")

    sub = command("solve", _solve, "Solve a game and print the optimal first bids.")
    objective(sub)
    sub.add_argument("--method", choices=("simplex", "highs"), help="how stage games are solved")
    sub.add_argument("--out", metavar="FOLDER", help="store the solution there")
    sub.add_argument("--resume", action="store_true", help="go on with what --out holds")

    sub = command(
        "bids", _bids,
        "Print the optimal bids at one state. Here --hand-a, --hand-b and --prizes are what is "
        "left: the hands, and the prizes still hidden.",
    )
    objective(sub)
    sub.add_argument("--upcard", type=int, required=True, metavar="PRIZE")
    sub.add_argument("--carried", type=int, default=0, metavar="POINTS")
    sub.add_argument("--lead", type=int, default=0, metavar="POINTS")
    sub.add_argument("--solution", metavar="FOLDER", help="a stored solution to use")

    sub = command("table", _table, "Write the table of optimal first bids.")
    objective(sub)
    sub.add_argument("--method", choices=("simplex", "highs"))
    sub.add_argument("--format", choices=tables.FORMATS, default="csv")
    sub.add_argument("--out", metavar="FILE", help="default: print it")

    sub = command("match", _match, "Solve a match: totals are added, the higher total wins.")
    sub.add_argument("--games", type=int, default=3, metavar="N")

    sub = command("forecast", _forecast, "Say how large a solve would be; refuse what cannot fit.")
    objective(sub)
    return parser


if __name__ == "__main__":
    raise SystemExit(main())
