"""Solved decks that come with the package: which there are, and where they are.

Their top tiers are stored, with 11 cards and more in hand; what lies below is solved when it is
asked for. ``experiments/shipped_decks.py`` makes the files.
"""

from __future__ import annotations

from importlib import resources
from pathlib import Path

from gops_lab.game.objectives import MARGIN, WIN, Objective
from gops_lab.game.rules import Rules

DECKS: dict[str, tuple[Rules, Objective]] = {
    "13-carry-margin": (Rules(cards=13, ties="carry"), MARGIN),
    "13-discard-margin": (Rules(cards=13, ties="discard"), MARGIN),
    "13-carry-win": (Rules(cards=13, ties="carry"), WIN),
    "13-discard-win": (Rules(cards=13, ties="discard"), WIN),
}
"""The rules of each deck and what it is solved for, by its name."""


def deck_folder(name: str) -> Path:
    """Return the folder in which a deck is stored.

    Examples
    --------
    >>> deck_folder("13-carry-margin").name
    '13-carry-margin'
    """
    return Path(str(resources.files("gops_lab") / "decks" / name))


def found_at(path: Path) -> Path:
    """Return the folder that holds a solution: a path, or a deck's name where no such path is.

    Examples
    --------
    >>> found_at(Path("13-carry-margin")) == deck_folder("13-carry-margin")
    True
    """
    return deck_folder(str(path)) if str(path) in DECKS and not path.exists() else path


def deck_of(rules: Rules, objective: Objective) -> str | None:
    """Return the name of the deck with these rules, solved for this objective, if there is one.

    Examples
    --------
    >>> deck_of(Rules(cards=13), MARGIN)
    '13-carry-margin'
    """
    return next((name for name, game in DECKS.items() if game == (rules, objective)), None)
