"""What the pages say in numbers is computed here, when they are built, or read from results.

Before Sphinx looks for pages, ``docs/generated/`` is filled with tables to include and with the
pages of the reference; single numbers are handed to the pages by name (``{{ name }}``). A number
in print that we do not find again stops the build.
"""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import command_line
import galleries
import peers_tables
import public_names
import published_numbers
import theory_tables
from sphinx.application import Sphinx
from sphinx.config import Config

PAGES = {
    "command-line.md": command_line.page,
    "published-bids.md": published_numbers.first_bids,
    "published-games.md": published_numbers.stage_games,
    "published-states.md": published_numbers.states,
    "published-responses.md": published_numbers.best_responses,
    "published-counts.md": published_numbers.counts,
    "published-played.md": published_numbers.as_played,
    "published-peers.md": published_numbers.peers,
    "peers-solvers.md": peers_tables.solvers,
    "peers-games.md": peers_tables.games,
    "peers-trees.md": peers_tables.trees,
    "theory-patterns.md": theory_tables.patterns,
    "theory-sizes.md": theory_tables.sizes,
    "theory-errors.md": theory_tables.errors,
    "reference.rst": public_names.page,
}


def write_pages(app: Sphinx, config: Config) -> None:
    """Fill ``docs/generated/`` and the substitutions."""
    folder = Path(app.confdir) / "generated"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    for name, text in PAGES.items():
        (folder / name).write_text(text(), encoding="utf-8")
    galleries.write(folder)
    config.myst_substitutions = theory_tables.numbers() | peers_tables.numbers()


def setup(app: Sphinx) -> dict[str, Any]:
    """Have the pages written before Sphinx looks for them."""
    app.connect("config-inited", write_pages)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
