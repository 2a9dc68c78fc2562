"""What is typed on the command line, read with one line for what is wrong with it."""

from __future__ import annotations

import argparse
import re
import reprlib
from collections.abc import Sequence
from typing import NoReturn

from gops_lab._version import __version__
from gops_lab.errors import ArgumentError
from gops_lab.game.objectives import NAMED_OBJECTIVES
from gops_lab.game.rules import NAMED_ORDERS, NEGATIVE_STAKES, TIE_RULES
from gops_lab.reporting.formats import FORMATS


def parser() -> argparse.ArgumentParser:
    """Return the parser of all commands; ``options.command`` names the one that was typed."""
    whole = Parser(
        prog="gops-lab",
        description="Exact, certified solutions of GOPS (Goofspiel, the Game of Pure Strategy).",
        allow_abbrev=False,
    )
    whole.add_argument("--version", action="version", version=f"gops-lab {__version__}")
    commands = whole.add_subparsers(dest="command", required=True, metavar="COMMAND")

    def command(name: str, about: str, exact: bool = True) -> argparse.ArgumentParser:
        sub = commands.add_parser(name, help=about, description=about, allow_abbrev=False)
        sub.add_argument("--json", action="store_true", help="print one JSON object")
        sub.add_argument("--quiet", action="store_true", help="draw no progress bar")
        if exact:
            sub.add_argument(
                "--exact", action="store_true", help="use fractions; for games of up to 5 cards"
            )
        game = sub.add_argument_group("rules")
        game.add_argument("--cards", type=integer, metavar="N", help="cards in each hand")
        game.add_argument(
            "--ties", choices=sorted(TIE_RULES), default="carry",
            help="equal bids: the stake is carried over (default), discarded, or split",
        )
        game.add_argument(
            "--order", type=order, default="random", metavar="ORDER",
            help="random (default), ascending, descending, or all prizes like 2,3,1",
        )
        game.add_argument(
            "--negative-stakes", choices=NEGATIVE_STAKES, default="high_bid",
            help="who takes a stake below zero, by default still the higher bid",
        )
        game.add_argument("--rounds", type=integer, metavar="N", help="rounds played, default all")
        game.add_argument("--hand-a", type=integers, metavar="RANKS", help="A's cards, like 1,3,5")
        game.add_argument("--hand-b", type=integers, metavar="RANKS", help="B's cards")
        game.add_argument(
            "--prizes", type=integers, metavar="PRIZES", help="default: 1 to the number of cards"
        )
        return sub

    def objective(sub: argparse.ArgumentParser) -> None:
        sub.add_argument(
            "--objective", choices=sorted(NAMED_OBJECTIVES), default="margin",
            help="play for points (margin, default) or to be ahead at the end (win)",
        )

    def keep(sub: argparse.ArgumentParser) -> None:
        sub.add_argument(
            "--keep", type=tiers, default="all", metavar="N",
            help="keep only the N highest tiers, states below are solved when asked for; "
            "default all",
        )

    def solving(sub: argparse.ArgumentParser, what: str) -> None:
        sub.add_argument(
            "--out", type=path, metavar="FOLDER", help=f"store {what} there, while it is solved"
        )
        sub.add_argument(
            "--resume", action="store_true",
            help="go on with the solve that was interrupted in --out (or --scratch), or use what "
            "it found",
        )
        keep(sub)
        sub.add_argument(
            "--scratch", type=path, metavar="FOLDER",
            help="have tables that are not kept there, not in memory, while they are needed",
        )
        sub.add_argument(
            "--memory", type=size, metavar="SIZE",
            help="do with so much memory, like 4GiB; default what there is",
        )
        add_cluster(sub, "; needs --out or --scratch, a folder that all workers see")

    sub = command("solve", "Solve a game and print the optimal first bids.")
    objective(sub)
    sub.add_argument("--method", choices=("simplex", "highs"), help="how stage games are solved")
    solving(sub, "the solution")

    sub = command(
        "bids",
        "Print the optimal bids at one state. Here --hand-a, --hand-b and --prizes are what is "
        "left: the hands, and the prizes still hidden.",
    )
    objective(sub)
    sub.add_argument("--upcard", type=integer, required=True, metavar="PRIZE", help="exposed now")
    sub.add_argument(
        "--carried", type=integer, default=0, metavar="POINTS", help="held over from tied rounds"
    )
    sub.add_argument(
        "--lead", type=integer, default=0, metavar="POINTS", help="A's points so far minus B's"
    )
    sub.add_argument("--solution", type=path, metavar="FOLDER", help="a stored solution to use")

    sub = command("table", "Write the table of optimal first bids.")
    objective(sub)
    sub.add_argument("--method", choices=("simplex", "highs"), help="how stage games are solved")
    sub.add_argument(
        "--format", choices=FORMATS,
        help="default: what the ending of --out says (.csv .parquet .tex .md), else csv",
    )
    sub.add_argument("--out", type=path, metavar="FILE", help="default: print it")

    sub = command("match", "Solve a match: totals are added, the higher total wins.")
    sub.add_argument(
        "--games", type=natural, default=3, metavar="N", help="games in the match, default 3"
    )
    solving(sub, "every game in a folder")

    sub = command(
        "tournament", "Let strategies play each other, every deal in both seatings.", exact=False
    )
    sub.add_argument(
        "--strategies", type=names, required=True, metavar="NAMES",
        help="with commas between them, like uniform,match,prize+1,optimal:margin",
    )
    sub.add_argument("--deals", type=natural, default=10_000, metavar="N", help="default 10000")
    sub.add_argument("--seed", type=natural, default=0, metavar="N", help="default 0")
    sub.add_argument(
        "--games", type=natural, default=1, metavar="N", help="games in a match, default 1"
    )
    sub.add_argument(
        "--out", type=path, metavar="FOLDER",
        help="keep finished pairs there; the same command goes on where it was interrupted",
    )
    add_cluster(sub)

    sub = command("exploit", "Say what a strategy loses to its best response, exactly.")
    objective(sub)
    sub.add_argument("--strategy", required=True, metavar="NAME", help="like match or uniform")
    sub.add_argument(
        "--regrets", type=natural, default=0, metavar="N",
        help="list the N states where it gives most away; solves the game",
    )

    sub = command("play", "Play a game against a strategy; you are A.", exact=False)
    sub.add_argument(
        "--against", default="uniform", metavar="NAME", help="a strategy, default uniform"
    )
    sub.add_argument("--seed", type=natural, default=0, metavar="N", help="of the shuffle")
    sub.add_argument(
        "--bids", type=integers, metavar="BIDS", help="your bids, round by round; default: ask"
    )
    sub.add_argument(
        "--solution", type=path, metavar="FOLDER", help="a stored solution that judges your bids"
    )

    sub = command(
        "explore",
        "Open a page in the browser: look at any position, play against optimal play. Without "
        "rules it shows 4 cards; stop it with Ctrl-C.",
        exact=False,
    )
    objective(sub)
    sub.add_argument(
        "--games", type=natural, default=1, metavar="N", help="games in a match, 1 to 3"
    )
    sub.add_argument(
        "--line", default="", metavar="ROUNDS",
        help="a line of play to begin with, like 5:3:4,2: prize, A's bid, B's bid; then a prize",
    )
    sub.add_argument("--solution", type=path, metavar="FOLDER", help="a stored solution to use")
    sub.add_argument(
        "--against", type=names, default=(), metavar="NAMES",
        help="strategies in files to offer as opponents, like table:mine.csv",
    )
    sub.add_argument("--port", type=natural, default=0, metavar="N", help="default: a free one")
    sub.add_argument("--no-browser", action="store_true", help="only print the address")
    sub.add_argument(
        "--export", type=path, metavar="FILE",
        help="write the page as one file instead: with all states of up to 6 cards, or those of "
        "--line",
    )

    about = "Re-check a stored solution by a path that shares no code with what solved it."
    sub = commands.add_parser("audit", help=about, description=about, allow_abbrev=False)
    sub.add_argument("folder", type=path, metavar="FOLDER", help="a stored solution")
    sub.add_argument("--json", action="store_true", help="print one JSON object")
    sub.add_argument("--quiet", action="store_true", help="draw no progress bar")
    sub.add_argument(
        "--samples", type=natural, default=100, metavar="N",
        help="values of each tier to solve again, all if there are fewer; default 100",
    )
    sub.add_argument(
        "--seed", type=natural, default=0, metavar="S", help="which ones are drawn; default 0"
    )

    sub = command("forecast", "Say how large a solve would be; refuse what cannot fit.")
    objective(sub)
    keep(sub)
    return whole


class Parser(argparse.ArgumentParser):
    """Says what is wrong as an error, without repeating the usage."""

    def error(self, message: str) -> NoReturn:
        raise ArgumentError(f"{message} (see {self.prog} --help)")


def joined(arguments: Sequence[str]) -> list[str]:
    """Join ``--prizes -1,3`` to ``--prizes=-1,3``: argparse takes the list for an option.

    Examples
    --------
    >>> joined(["--prizes", "-1,3", "--cards", "2"])
    ['--prizes=-1,3', '--cards', '2']
    """
    result: list[str] = []
    for argument in arguments:
        before = result[-1] if result else ""
        if re.match(r"-\d", argument) and re.fullmatch(r"--[a-z-]+", before):
            result[-1] = f"{before}={argument}"
        else:
            result.append(argument)
    return result


def integer(written: str) -> int:
    """Read one integer."""
    if not re.fullmatch(r"[+-]?[0-9]{1,18}", written):
        raise argparse.ArgumentTypeError(
            f"{reprlib.repr(written)} is not an integer of at most 18 digits"
        )
    return int(written)


def add_cluster(command: argparse.ArgumentParser, needs: str = "") -> None:
    """Let a command be told on which cluster to work; `needs` ends the help."""
    where = command.add_mutually_exclusive_group()
    where.add_argument(
        "--scheduler", type=path, metavar="ADDRESS",
        help=f"work on the Dask cluster there, like tcp://10.0.0.1:8786{needs}",
    )
    where.add_argument(
        "--local-cluster", type=positive, metavar="N",
        help=f"work on N Dask workers of this machine{needs}",
    )


def natural(written: str) -> int:
    """Read one integer that is not negative."""
    number = integer(written)
    if number < 0:
        raise argparse.ArgumentTypeError(f"must be 0 or more, not {number}")
    return number


def positive(written: str) -> int:
    """Read one integer above 0."""
    number = integer(written)
    if number < 1:
        raise argparse.ArgumentTypeError(f"must be 1 or more, not {number}")
    return number


def size(written: str) -> int:
    """Read a size of memory as bytes: a number, alone or with KiB, MiB, GiB or TiB."""
    found = re.fullmatch(r"([0-9]{1,6}(?:\.[0-9]{1,6})?) ?([KMGT])iB|([0-9]{1,18})", written)
    number = 0
    if found and found[3]:
        number = int(found[3])
    elif found:
        number = int(float(found[1]) * 1024 ** (" KMGT".index(found[2])))
    if number < 1:
        raise argparse.ArgumentTypeError(
            f"{reprlib.repr(written)} is no size like 4GiB, 1.5TiB, or a number of bytes"
        )
    return number


def tiers(written: str) -> str | int:
    """Read how many tiers to keep: a number of them, or all."""
    return written if written == "all" else integer(written)


def integers(written: str) -> tuple[int, ...]:
    """Read integers with commas between them; nothing at all is an empty list."""
    try:
        return tuple(integer(part.strip()) for part in written.split(",")) if written else ()
    except argparse.ArgumentTypeError:
        raise argparse.ArgumentTypeError(
            f"{reprlib.repr(written)} is not a list of integers like 1,3,5"
        ) from None


def names(written: str) -> tuple[str, ...]:
    """Read names with commas between them."""
    parts = tuple(part.strip() for part in written.split(","))
    if not all(parts):
        raise argparse.ArgumentTypeError(
            f"{reprlib.repr(written)} is not a list of names like uniform,match"
        )
    return parts


def order(written: str) -> str | tuple[int, ...]:
    """Read the name of an order, or the prizes in order."""
    if written in NAMED_ORDERS:
        return written
    try:
        return integers(written)
    except argparse.ArgumentTypeError:
        raise argparse.ArgumentTypeError(
            f"{reprlib.repr(written)} is none of {', '.join(NAMED_ORDERS)}, "
            "nor a list of prizes like 2,3,1"
        ) from None


def path(written: str) -> str:
    """Read the name of a file or folder."""
    if not written or "\0" in written:
        raise argparse.ArgumentTypeError(f"{written!r} is not a path")
    return written
