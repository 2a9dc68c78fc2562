"""Tables of the page on other programs, read from ``results/peers`` and ``results/perfect_recall``.

What the page claims of them is checked here on the way.
"""

from __future__ import annotations

import csv
from pathlib import Path

import markdown_tables
from theory_tables import expect

RESULTS = Path(__file__).parents[2] / "results"

MARKS = {"right": "✓", "wrong": "✗", "no answer": "–"}


def rows_of(experiment: str) -> list[dict[str, str]]:
    """Return the table of an experiment."""
    with (RESULTS / experiment / "table.csv").open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def solvers() -> str:
    """Return how many games each solver has right, wrong, and not at all."""
    rows = rows_of("peers")
    lines = []
    for name in dict.fromkeys(row["solver"] for row in rows):
        own = [row for row in rows if row["solver"] == name]
        if name.startswith("gops_lab"):
            expect({row["verdict"] for row in own} == {"right"}, "ours are all right")
        counts = [sum(row["verdict"] == verdict for row in own) for verdict in MARKS]
        silent = sum(row["verdict"] == "wrong" and not row["said"] for row in own)
        lines.append((f"`{name}`", own[0]["version"], *counts, silent))
    head = ("solver", "version", *MARKS, "wrong without a word")
    return markdown_tables.table(head, lines, right=True)


def games() -> str:
    """Return the verdict on each game and solver."""
    rows = rows_of("peers")
    names = list(dict.fromkeys(row["solver"] for row in rows))
    verdicts = {(row["game"], row["solver"]): MARKS[row["verdict"]] for row in rows}
    lines = [
        (game, *(verdicts[game, name] for name in names))
        for game in dict.fromkeys(row["game"] for row in rows)
    ]
    return markdown_tables.table(("game", *names), lines)


def trees() -> str:
    """Return what solvers find of Goofspiel as a tree."""
    lines = []
    for row in rows_of("perfect_recall"):
        solver = f"`{row['solver']}`"
        if row["iterations"]:
            solver += f", {markdown_tables.thousands(int(row['iterations']))} iterations"
        merged = (row["merged"], row["information_states"])
        if row["game"].startswith("gops_lab"):
            expect(row["merged"] == "0", "ours recalls every bid")
        lines.append((
            row["cards"], row["game"], " of ".join(f"{int(number):,}" for number in merged),
            solver, row["claimed"], row["nash_conv"],
        ))  # fmt: skip
    head = ("cards", "game", "states that forget", "solver", "its own measure", "NashConv")
    return markdown_tables.table(head, lines)


def numbers() -> dict[str, str]:
    """Return the single numbers that the page quotes, by the name they are quoted by."""
    table = {
        (row["cards"], row["game"], row["solver"], row["iterations"]): row
        for row in rows_of("perfect_recall")
    }
    program = table["4", "OpenSpiel's goofspiel", "OpenSpiel sequence_form_lp", ""]
    ours = table["4", "gops_lab in OpenSpiel", "OpenSpiel sequence_form_lp", ""]
    learned = table["4", "OpenSpiel's goofspiel", "LiteEFG CFR+", "1000"]
    expect(program["claimed"] == "0" and float(program["nash_conv"]) > 0.5, "it is wrong silently")
    expect(ours["nash_conv"] == "0", "the program solves our game")
    return {
        "forgotten": program["merged"],
        "their_states": markdown_tables.thousands(int(program["information_states"])),
        "our_states": markdown_tables.thousands(int(ours["information_states"])),
        "program_halved": f"{float(program['nash_conv']) / 2:.2f}",
        "lite_efg_halved": f"{float(learned['claimed']) / 2:.2f}",
    }
