"""The command ``gops-lab explore``."""

from __future__ import annotations

import argparse
import json
from urllib.parse import urlencode

from gops_lab.errors import TableError
from gops_lab.explorer import Line
from gops_lab.game import Rules
from gops_lab.induction import Solution
from gops_lab.reporting.formats import check_file, write_file
from gops_lab.web.export import exported_page
from gops_lab.web.opponents import Opponents
from gops_lab.web.position import Position, read_position, write_position
from gops_lab.web.server import serve
from gops_lab.web.solutions import Solutions


def run_explore(options: argparse.Namespace, rules: Rules, stored: Solution | None) -> None:
    """Serve the page until Ctrl-C, or write it as one file.

    Parameters
    ----------
    options : argparse.Namespace
        What was typed.
    rules : Rules
        What is shown first.
    stored : Solution, optional
        Used where it is the one that is needed.
    """
    solutions = Solutions(stored)
    game = write_position(Position(options.objective, 1, (Line(rules),)))
    first = read_position(f"{game}&{urlencode({'games': options.games, 'line': options.line})}")
    if options.export is not None:
        check_file(options.export)
        page = exported_page(first, solutions).encode()
        write_file(options.export, page, TableError)
        wrote = {"out": options.export, "bytes": len(page)}
        print(json.dumps(wrote) if options.json else f"written to {options.export}")
        return
    opponents = Opponents(solutions, options.against)
    for name in options.against:
        opponents.strategy(name, first)

    def announce(address: str) -> None:
        shown = f"GOPS Lab is at {address} (stop with Ctrl-C)"
        print(json.dumps({"address": address}) if options.json else shown, flush=True)

    serve(
        solutions, opponents, write_position(first),
        port=options.port, browser=not options.no_browser, announce=announce,
    )
