"""Numbers in print, from ``tests/data/published.json``, beside what we find.

Each is computed here, while the documentation is built, or read from a stored deck; a number that
does not agree stops the build.
"""

from __future__ import annotations

import csv
import json
from collections.abc import Iterator
from fractions import Fraction
from math import comb
from pathlib import Path
from typing import Any

import markdown_tables
from theory_tables import PUBLISHED, expect, manifest

import gops_lab as gl
from gops_lab.game import WIN, expose, start
from gops_lab.induction.plan import plan_tiers
from gops_lab.induction.reduction import Reducer
from gops_lab.strategies import Highest, Lowest, MatchPrize, Uniform

NUMBERS: dict[str, Any] = json.loads(PUBLISHED.read_text(encoding="utf-8"))
RESULTS = Path(__file__).parents[2] / "results"

HEADS = ("upcard", "whose")
MATCH = "margin, discard, v match-the-prize"
UNIFORM = "margin, discard, v uniform"


def first_bids() -> str:
    """Return every table of first bids in print, and ours below each row of it."""
    return "\n".join(_first_bids_of(row) for row in NUMBERS["first_bids"])


def _first_bids_of(row: dict[str, Any]) -> str:
    rules = gl.Rules(row["cards"], ties=row["ties"])
    exact = bool(row.get("exact"))
    if "as_circulated" in row:
        printed = {up: list(bids) for up, bids in enumerate(row["as_circulated"], start=1)}
        solution = gl.load(f"{row['cards']}-{row['ties']}-{row['objective']}")
    else:
        printed = {int(up): bids for up, bids in row["bids"].items()}
        solution = gl.solve(rules, row["objective"], exact=exact)
    found = solution.first_bids().groupby("upcard")
    digits = max(len(str(p).partition(".")[2]) for bids in printed.values() for p in bids)
    unit = 0.0 if exact else 0.5 * 10.0**-digits
    misprints = {(cell["upcard"], cell["bid"]): cell for cell in row.get("corrections", ())}
    widest = 0.0
    lines = []
    for upcard, bids in printed.items():
        shown = found.get_group(upcard)
        expect(bool(shown["unique"].all()), f"the optimum of {row['source']} is unique")
        ours = list(shown["probability"])
        cells = []
        for bid, (theirs, probability) in enumerate(zip(bids, ours, strict=True), start=1):
            cell = misprints.get((upcard, bid))
            if cell:
                expect(cell["printed"] == theirs, "a misprint")
            should = cell["is"] if cell else theirs
            widest = max(widest, abs(float(Fraction(str(should)) - Fraction(probability))))
            text = f"{theirs}" if exact else f"{theirs:.{digits}f}"
            cells.append(f"*{text}*" if cell else text)
        lines.append((upcard, "printed", *cells))
        lines.append(
            ("", "ours", *(str(p) if exact else f"{float(p):.{digits}f}" for p in ours))
        )
    expect(widest <= 1.01 * unit + 1e-9, f"first bids of {row['source']}")
    verdict = (
        "Equal fractions."
        if exact
        else f"Largest difference {markdown_tables.small(widest)}; half of the last digit is "
        f"{markdown_tables.small(unit)}."
    )
    if misprints:
        verdict += f" {len(misprints)} misprints, in italics, are corrected first."
    title = f"### {row['cards']} cards, {row['ties']}, {row['objective']}"
    head = (*HEADS, *(f"bid {bid}" for bid in rules.hand_a))
    source = f"Source: {_text(row['source'])}."
    table = markdown_tables.table(head, lines, right=True)
    return "\n".join((f"{title}\n", f"{source}\n", table, verdict, ""))


def stage_games() -> str:
    """Return the stage games in print, and that ours are equal."""
    parts = []
    for row in NUMBERS["matrices"]:
        rules = gl.Rules(row["cards"], ties=row["ties"])
        state = expose(rules, start(rules), row["upcard"])
        solution = gl.solve(rules, row["objective"], exact=True)
        ours = solution.stage_game(state)
        theirs = [[Fraction(entry) for entry in line] for line in row["payoff"]]
        expect(ours.to_numpy().tolist() == theirs, "a stage game in print")
        title = f"{row['cards']} cards, {row['ties']}, {row['objective']}, upcard {row['upcard']}"
        lines = [(bid, *line) for bid, line in zip(ours.index, row["payoff"], strict=True)]
        head = ("A's bid, B's bid", *ours.columns)
        parts += [f"{title}; ours is equal, fraction by fraction:\n"]
        parts += [markdown_tables.table(head, lines, True)]
    return "\n".join(parts)


def states() -> str:
    """Return the values of single states in print, and ours."""
    lines = []
    for row in NUMBERS["states"]:
        shown = () if row["upcard"] is None else (row["upcard"],)
        rules = gl.Rules(
            hand_a=row["hand_a"], hand_b=row["hand_b"], prizes=(*row["prizes"], *shown),
            ties=row["ties"],
        )
        state = gl.State(
            row["hand_a"], row["hand_b"], row["prizes"], row["upcard"], row.get("carried", 0),
            row.get("lead", 0),
        )
        solution = gl.solve(rules, row["objective"], exact=True)
        ours = solution.value(state)
        expect(ours == Fraction(row["value"]), f"the value of {state}")
        bids = "–"
        if "row" in row:
            probabilities = list(map(str, solution.strategy(state)))
            bids = ",&nbsp;".join(probabilities)
            expect(probabilities == row["row"], f"the bids at {state}")
        where = [
            f"A {_cards(row['hand_a'])}", f"B {_cards(row['hand_b'])}",
            f"hidden {_cards(row['prizes'])}",
        ]
        named = (("upcard", state.upcard), ("carried", state.carried), ("lead", state.lead))
        where += [f"{name}&nbsp;{number}" for name, number in named if number]
        game = f"{row['ties']}, {row['objective']}"
        source = _text(row["source"])
        lines.append(("; ".join(where), game, row["value"], ours, bids, source))
    head = ("state", "game", "printed", "ours", "A's bids", "source")
    return markdown_tables.table(head, lines)


def best_responses() -> str:
    """Return best-response payoffs in print, and ours."""
    lines = []
    for name, ties, objective, strategy, first, values in _responses():
        for cards, wanted in enumerate(values, start=first):
            rules = gl.Rules(cards=cards, ties=ties)
            ours = gl.best_response_value(
                rules, strategy, objective=objective, exact=cards < 7
            )
            expect(abs(ours - Fraction(wanted)) <= (0 if cards < 7 else 1e-9), name)
            shown = ours if isinstance(ours, Fraction) else f"{ours:.9f}"
            lines.append((name, cards, wanted, shown))
    return markdown_tables.table(("best response to", "cards", "printed", "ours"), lines)


def _responses() -> Iterator[tuple[str, str, str, Any, int, list[Any]]]:
    printed = NUMBERS["best_responses"]
    expect(printed[MATCH].startswith("N(N-3)/2"), MATCH)
    expect(printed[UNIFORM].startswith("(N^2-1)/6"), UNIFORM)
    squares = [Fraction(n * n - 1, 6) for n in range(3, 9)]
    yield "uniform, discard, margin: (N² − 1)/6", "discard", "margin", Uniform(), 3, squares[:3]
    products = [Fraction(n * (n - 3), 2) for n in range(3, 9)]
    yield "match, discard, margin: N(N − 3)/2", "discard", "margin", MatchPrize(), 3, products
    for key, name, ties, objective, strategy in (
        ("margin, carry, v uniform, N=3..5", "uniform", "carry", "margin", Uniform()),
        ("margin, carry, v match-the-prize, N=3..6", "match", "carry", "margin", MatchPrize()),
        ("margin, discard, v highest-first, N=3..6", "highest", "discard", "margin", Highest()),
        ("margin, discard, v lowest-first, N=3..6", "lowest", "discard", "margin", Lowest()),
        ("win, discard, v uniform, N=3..5", "uniform", "discard", "win", Uniform()),
    ):
        yield f"{name}, {ties}, {objective}", ties, objective, strategy, 3, printed[key]


def counts() -> str:
    """Return counts in print, and ours."""
    printed = NUMBERS["counts"]
    lines: list[tuple[object, ...]] = []

    def add(name: str, cards: int, wanted: int, ours: int, how: str) -> None:
        expect(ours == wanted, f"{name}, {cards} cards")
        numbers = map(markdown_tables.thousands, (wanted, ours))
        lines.append((name, cards, *numbers, how))

    for ties in ("discard", "carry"):
        halved = ", halved by the swap" if ties == "discard" else ""
        for cards, wanted in printed[f"stage games, {ties}, margin{halved}"].items():
            name = f"stage games, {ties}, margin"
            if cards == "13":
                ours = sum(t["report"]["stage_games"] for t in manifest(ties)["tiers"].values())
                add(name, 13, wanted, ours, "solved, stored deck")
            else:
                rules = gl.Rules(int(cards), ties=ties)
                add(name, int(cards), wanted, gl.forecast(rules).stage_games, "counted")
        for cards, wanted in printed[f"values, {ties}, margin"].items():
            rules = gl.Rules(int(cards), ties=ties)
            add(
                f"values, {ties}, margin", int(cards), wanted, gl.forecast(rules).values, "counted"
            )
        reached = printed["stage games really reachable and undecided, win, N=4,5,6"][ties]
        for cards, wanted in enumerate(reached, start=4):
            rules = gl.Rules(cards, ties=ties)
            tiers = plan_tiers(Reducer(rules, WIN), [start(rules)])
            ours = sum(len(tier.stages) for tier in tiers)
            add(f"undecided stage games, {ties}, win", cards, wanted, ours, "all reached")
    for cards, wanted in printed["raw states without patterns, sum of C(N,k)^3"].items():
        ours = sum(comb(int(cards), k) ** 3 for k in range(1, int(cards) + 1))
        add("states without patterns, Σ C(N, k)³", int(cards), wanted, ours, "closed form")
    return markdown_tables.table(("what", "cards", "printed", "ours", "how"), lines)


def peers() -> str:
    """Return others' times in print beside our measured ones."""
    machine = json.loads((RESULTS / "benchmarks" / "sweep.json").read_text("utf-8"))["machine"]
    decks, others = _rows("benchmarks/sweep.csv"), _rows("aij_2016/measured.csv")
    lines = []
    for name, times in NUMBERS["peers"].items():
        for game, time in times.items():
            if game.isdigit():
                objective = "win" if ", win," in name else "margin"
                asked = {
                    "cards": game, "ties": "discard", "order": "random", "objective": objective,
                }
                best = min(
                    float(row["wall_seconds"]) for row in decks if asked.items() <= row.items()
                )
                shown = f"{best:.2g} s"
            else:
                found = [row for row in others if row["their_time"] == time]
                shown = ", ".join(
                    f"{float(row['seconds']):.2g} s"
                    + (f" ({row['order']})" if len(found) > 1 else "")
                    for row in found
                )
            expect(bool(shown), f"{game} of {name} were measured")
            theirs = f"{time} s" if isinstance(time, int | float) else _text(str(time))
            what = f"{game} cards" if game.isdigit() else game
            lines.append((_text(name.removesuffix(", seconds")), what, theirs, shown))
    about = (
        f"Ours: wall time, certificates included, compiling not ({machine['processor']}, "
        f"{machine['cores']} cores), from `results/benchmarks/sweep.csv` and, for the games with "
        "cards from 0 on, `results/aij_2016/measured.csv`; of solves that are over at once the "
        "shortest of several. Theirs: as printed, on their machines.\n"
    )
    return about + "\n" + markdown_tables.table(("who", "game", "theirs", "ours"), lines)


def as_played() -> str:
    """Return what was never in print: the first bids of the game as it is played, and its cost."""
    solves = {(row["cards"], row["ties"]): row for row in _rows("as_played/solves.csv")}
    parts = [_to_win(ties, solves["13", ties]) for ties in ("carry", "discard")]
    machine = json.loads((RESULTS / "as_played" / "solves.json").read_text("utf-8"))["machine"]
    about = (
        f"What the solves took ({machine['processor']}, {machine['cores']} cores, "
        f"{machine['memory_gib']} GiB), from `results/as_played/solves.csv`; what is left empty "
        "was not looked at.\n"
    )
    costs = markdown_tables.table(
        ("cards", "ties", "stage games", "minutes", "CPU minutes", "own memory, GiB",
         "disk, GiB", "beside it"),
        [
            (
                row["cards"], row["ties"], markdown_tables.thousands(int(row["stage_games"])),
                f"{float(row['wall_seconds']) / 60:.1f}", f"{float(row['cpu_seconds']) / 60:.1f}",
                row["own_gib"], row["disk_gib"], row["beside"],
            )
            for row in solves.values() if int(row["cards"]) >= 9
        ],
        right=True,
    )  # fmt: skip
    return "\n".join((*parts, "### What the solves took\n", about, costs))


def _to_win(ties: str, solve: dict[str, str]) -> str:
    """Return the first bids of the full deck to win, which are those of the stored deck."""
    table = [row for row in _rows("as_played/table.csv") if row["objective"] == "win"]
    table = [row for row in table if (row["ties"], row["cards"]) == (ties, "13")]
    expect(len(table) == 169, "the full deck is solved")
    expect({row["unique"] for row in table} == {"yes"}, "every lottery is the only optimum")
    found = gl.load(f"13-{ties}-win").first_bids()
    for row, ours in zip(table, found["probability"], strict=True):
        expect(abs(float(row["probability"]) - ours) <= 1e-6, "the deck has the results' bids")
    lines = [
        (upcard, *(f"{float(row['probability']):.4f}" for row in table if row["upcard"] == upcard))
        for upcard in dict.fromkeys(row["upcard"] for row in table)
    ]
    head = ("upcard", *(f"bid {bid}" for bid in range(1, 14)))
    bids = markdown_tables.table(head, lines, right=True)
    said = (
        f"{int(solve['stage_games']):,} stage games, no gap above {float(solve['worst_gap']):.1e}; "
        f"every value is certified to {float(solve['error']):.1e}, "
        f"and optimal play as stored loses at most {table[0]['loss_bound']} of the value of the "
        "game, which is 0. All 13 lotteries are the only optima.\n"
    )
    return "\n".join((f"### 13 cards, {ties}, win\n", bids, said))


def _rows(name: str) -> list[dict[str, str]]:
    with (RESULTS / name).open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def _cards(cards: list[int]) -> str:
    return ",&nbsp;".join(map(str, cards))


def _text(source: str) -> str:
    return source.replace("*", "\\*").replace("~", "\\~").replace("_", "\\_")
