"""Games solved for experiments: the full deck comes with the package, all others are solved."""

from __future__ import annotations

import hashlib
from typing import Any

import gops_lab as gl
from gops_lab.decks import deck_folder, deck_of
from gops_lab.game import as_objective
from gops_lab.induction.manifest import MANIFEST
from gops_lab.matrix_games import is_unique

NEVER = 1e-9
"""A bid with no more probability than this counts as never bid."""


def solution_of(rules: gl.Rules, objective: str = "margin") -> gl.Solution:
    """Return a solution that answers for the first round; the full deck's is loaded."""
    name = deck_of(rules, as_objective(objective))
    return gl.load(name) if name else gl.solve(rules, objective, keep=2)


def read_by(rules: gl.Rules, objective: str = "margin") -> dict[str, Any]:
    """Return what `solution_of` reads, for the key of a job: the deck and its hash, or nothing."""
    name = deck_of(rules, as_objective(objective))
    if not name:
        return {}
    manifest = (deck_folder(name) / MANIFEST).read_bytes()
    return {"deck": name, "manifest": hashlib.sha256(manifest).hexdigest()}


def probability(number: Any) -> str:
    """Return a probability as tables hold it: 6 digits, and 0 where a bid is never made."""
    return f"{float(number):.6f}" if number > NEVER else "0"


def bids_at(solution: gl.Solution, state: gl.State, player: str) -> tuple[dict[int, str], str]:
    """Return a player's optimal bids as tables hold them, and whether they are the only ones."""
    bids = {int(bid): probability(p) for bid, p in solution.strategy(state, player).items()}
    stage = solution.stage_solution(state)
    side = "row" if player == "a" else "column"
    only = is_unique(stage.payoffs.to_numpy(), side, error=stage.error)
    return bids, "yes" if only else "no"
