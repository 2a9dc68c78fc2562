"""Tables and numbers of the page on theory: counted, or read from the stored decks.

What the page claims of them is checked here on the way.
"""

from __future__ import annotations

import json
from math import ceil, comb, factorial, log2
from pathlib import Path
from typing import Any

import markdown_tables
from sphinx.errors import ExtensionError

import gops_lab as gl
from gops_lab.decks import deck_folder
from gops_lab.induction.manifest import MANIFEST
from gops_lab.induction.rectangle import sweep
from gops_lab.induction.reduction import UNIT_ROUNDOFF
from gops_lab.matrix_games.game import GAP_TOLERANCE

CARDS = 13
PUBLISHED = Path(__file__).parents[2] / "tests" / "data" / "published.json"


def manifest(ties: str) -> dict[str, Any]:
    """Return the manifest of a deck that comes with the package."""
    folder = deck_folder(f"{CARDS}-{ties}-margin")
    return dict(json.loads((folder / MANIFEST).read_text("utf-8")))


def expect(holds: bool, what: str) -> None:
    """Stop the build where a claim of the pages does not hold."""
    if not holds:
        raise ExtensionError(f"the documentation says what is not so: {what}")


def pattern_count(cards: int, tier: int) -> int:
    """Return how many patterns a tier has, by the closed form."""
    return sum(
        factorial(2 * tier - t) // (factorial(t) * factorial(tier - t) ** 2)
        for t in range(max(0, 2 * tier - cards), tier + 1)
    )


def patterns() -> str:
    """Return patterns, stage games and values by tier of the full deck."""
    found = {ties: gl.forecast(gl.Rules(CARDS, ties=ties)).counts for ties in ("discard", "carry")}
    printed = json.loads(PUBLISHED.read_text("utf-8"))["counts"]["patterns at 13, n = 13..1"]
    rows = []
    for discard, carry in zip(*(counts.tiers for counts in found.values()), strict=True):
        count = pattern_count(CARDS, discard.tier)
        expect(count == discard.patterns == carry.patterns, "how many patterns a tier has")
        expect(count == printed[CARDS - discard.tier], "patterns in print")
        numbers = (
            count, discard.stage_games, discard.values, carry.stage_games, carry.values,
        )
        rows.append([discard.tier, *map(markdown_tables.thousands, numbers)])
    total = [
        ["all", ""]
        + [markdown_tables.thousands(n) for c in found.values() for n in (c.stage_games, c.values)]
    ]
    return markdown_tables.table(
        (
            "tier", "patterns", "stage games, discard", "values, discard", "stage games, carry",
            "values, carry",
        ),
        rows + total,
        right=True,
    )


def sizes() -> str:
    """Return what each reduction saves on the whole deck, tie by tie rule."""
    raw = sum(comb(CARDS, k) ** 3 for k in range(1, CARDS + 1))
    found = gl.forecast(gl.Rules(CARDS, ties="discard"))
    rows = [
        ("pairs of hands and prizes to come, no reduction", markdown_tables.thousands(raw)),
        ("values kept, by patterns and the swap", markdown_tables.thousands(found.values)),
        ("one of so many", f"{raw / found.values:.0f}"),
    ]
    return markdown_tables.table((f"{CARDS} cards, discard, margin", "states"), rows, right=True)


def errors() -> str:
    """Return the certified error of each tier of the stored decks, and its three terms."""
    parts = []
    for ties in ("discard", "carry"):
        stored = manifest(ties)
        most = sum(stored["rules"]["prizes"])
        below = 0.0
        rows = []
        for name, tier in stored["tiers"].items():
            report, n = tier["report"], int(name)
            expect(report["methods"]["escalated"] == 0, "no game of the decks was escalated")
            half = report["worst_gap"] / 2
            arithmetic = (2 * n + n + 3) * UNIT_ROUNDOFF * most
            kept = report["error"] - below - half - arithmetic
            step = tier.get("step", _step(most))
            floats = abs(kept) < 1e-3 * arithmetic
            expect(floats or abs(kept / (step / 2) - 1) < 1e-3, "the error term of the decks")
            rows.append(
                (
                    n, markdown_tables.small(half), markdown_tables.small(arithmetic),
                    "0" if floats else markdown_tables.small(kept), f"{report['error']:.4e}",
                )
            )
            below = report["error"]
        head = ("tier", "half the worst gap", "arithmetic", "kept values", "certified error")
        title = f"{CARDS} cards, {ties}, margin, in points:\n"
        parts += [title, markdown_tables.table(head, rows, right=True)]
    return "\n".join(parts)


def _step(most: float) -> float:
    return float(2.0 ** ceil(log2(most / (2**31 - 1))))


def numbers() -> dict[str, str]:
    """Return the single numbers that pages quote, by the name they are quoted by."""
    most = CARDS * (CARDS + 1) // 2
    step = _step(most)
    expect(2.0 ** round(log2(step)) == step, "the step is a power of two")
    bounds = {
        ties: manifest(ties)["tiers"][str(CARDS)]["report"]["error"]
        for ties in ("discard", "carry")
    }
    return {
        "points": str(most),
        "step_exponent": str(round(log2(step))),
        "half_step": markdown_tables.small(step / 2),
        "sweep_tolerance": markdown_tables.small(sweep.TOLERANCE),
        "game_tolerance": markdown_tables.small(GAP_TOLERANCE),
        "relative_error": f"{max(bounds.values()) / most * 1.1:.0e}",
        "error_discard": markdown_tables.small(bounds["discard"]),
        "error_carry": markdown_tables.small(bounds["carry"]),
    }
