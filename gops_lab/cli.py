"""The command line: ``gops-lab COMMAND``.

Exit codes: 0 done; 2 an argument, or what a file or folder that it names holds, is not what it
should be (one line on standard error); 1 something failed while it was done, was interrupted, or an
audit disagrees. Everything an argument can be wrong about is checked before anything is written.

Commands are imported when one is run: Ctrl-C is answered with one line from the beginning.
"""

from __future__ import annotations

import io
import os
import sys
from collections.abc import Sequence
from contextlib import suppress


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command and return its exit code."""
    try:
        for stream in (sys.stdout, sys.stderr):
            if isinstance(stream, io.TextIOWrapper):
                # A path may hold what the terminal cannot show.
                stream.reconfigure(errors="backslashreplace")
        code = _run(sys.argv[1:] if arguments is None else arguments)
        if sys.stdout is not None:
            sys.stdout.flush()
        return code
    except BrokenPipeError:
        # The reader of our output has gone (as with `| head`): nothing is wrong.
        _give_up_output()
        return 0
    except KeyboardInterrupt as interrupt:
        return _fail(str(interrupt) or "interrupted", 1)
    except (MemoryError, OSError) as error:
        _give_up_output()
        return _fail(str(error) or "out of memory", 1)


def _run(arguments: Sequence[str]) -> int:
    from gops_lab.arguments import joined, parser
    from gops_lab.commands import COMMANDS
    from gops_lab.errors import ClusterError, GopsError, SolverError, WritingError

    try:
        options = parser().parse_args(joined(arguments))
        return COMMANDS[options.command](options) or 0
    except SystemExit as stop:  # after --help and --version
        return int(stop.code or 0)
    except (ClusterError, SolverError, WritingError) as error:
        return _fail(str(error), 1)
    except GopsError as error:
        return _fail(str(error), 2)


def _give_up_output() -> None:
    """Let Python's last flush at exit write to nowhere, or it would complain once more."""
    with suppress(OSError, AttributeError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _fail(message: str, code: int) -> int:
    """Print an error as one line on standard error, if there is such a thing."""
    if sys.stderr is not None:
        with suppress(OSError):
            print(f"gops-lab: error: {' '.join(message.split())}", file=sys.stderr, flush=True)
    return code


if __name__ == "__main__":
    raise SystemExit(main())
