"""The command line: ``python -m experiments run|plot|list``.

Exit codes: 0 done, 2 bad arguments (one line on standard error), 1 anything else.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import NoReturn

from experiments import running
from gops_lab.arguments import add_cluster
from gops_lab.cluster import connected
from gops_lab.errors import GopsError


class OneLineParser(argparse.ArgumentParser):
    """A parser that says in one line what is wrong."""

    def error(self, message: str) -> NoReturn:
        """Print the line and exit with 2."""
        print(f"{self.prog}: {' '.join(message.split())}", file=sys.stderr)
        raise SystemExit(2)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command and return its exit code."""
    parser = OneLineParser(prog="python -m experiments", description="Run or draw experiments.")
    commands = parser.add_subparsers(dest="command", required=True, metavar="run|plot|list")
    for name, about in (
        ("run", "compute what is missing of a table"),
        ("plot", "draw the figure of a table"),
    ):
        command = commands.add_parser(name, help=about, description=about)
        command.add_argument("names", nargs="+", metavar="NAME", help="of experiments, or all")
        command.add_argument("--quick", action="store_true", help="small sizes, in seconds")
        command.add_argument(
            "--out", type=Path, metavar="FOLDER",
            help="where the results go, each in a folder of its own; default results, and "
            "results-quick for quick runs",
        )
        if name == "run":
            command.add_argument(
                "--any-code", action="store_true",
                help="keep rows that other code or versions made; the manifest names their code",
            )
            add_cluster(command)
    commands.add_parser("list", help="name the experiments", description="name the experiments")
    options = parser.parse_args(arguments)
    if options.command == "list":
        for name in running.NAMES:
            print(f"{name:22} {running.experiment_named(name).title}")
        return 0
    names = list(running.NAMES) if "all" in options.names else options.names
    try:
        chosen = [running.experiment_named(name) for name in dict.fromkeys(names)]
    except running.ExperimentError as error:
        parser.error(str(error))
    results = options.out or (running.QUICK_RESULTS if options.quick else running.RESULTS)
    if options.quick and results.resolve() == running.RESULTS.resolve():
        parser.error(f"--out {results} holds the full-size results; a quick run needs another")
    try:
        if options.command == "plot":
            return _plot(parser.prog, chosen, results)
        with connected(options.scheduler, options.local_cluster) as client:
            for experiment in chosen:
                size = "quick" if options.quick else "full"
                parameters = running.parameters_of(experiment.name, size)
                summary = running.run(
                    experiment, parameters, results, size=size, any_code=options.any_code,
                    client=client,
                )  # fmt: skip
                print(f"{experiment.name}: {experiment.place(results)}")
                for name, value in summary.items():
                    print(f"  {name}: {value}", flush=True)
    except KeyboardInterrupt:
        print("interrupted; the same command goes on from here", file=sys.stderr)
        return 1
    except (GopsError, OSError) as error:
        print(f"{parser.prog}: {error}", file=sys.stderr)
        return 1
    return 0


def _plot(program: str, chosen: Sequence[running.Experiment], results: Path) -> int:
    """Draw what can be drawn, say what cannot, and return the exit code."""
    code = 0
    for experiment in chosen:
        try:
            print(*running.draw(experiment, results), sep="\n")
        except running.ExperimentError as error:
            print(f"{program}: {error}", file=sys.stderr)
            code = 1
    return code


if __name__ == "__main__":
    sys.exit(main())
