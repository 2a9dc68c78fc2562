"""The files of the page."""

from __future__ import annotations

from functools import cache
from importlib import resources

TYPES = {
    "html": "text/html; charset=utf-8",
    "css": "text/css; charset=utf-8",
    "js": "text/javascript; charset=utf-8",
    "svg": "image/svg+xml",
}
"""What is sent, by the ending of its name."""


@cache
def page_files() -> dict[str, str]:
    """Return the files of the page: name to text.

    Examples
    --------
    >>> {"index.html", "style.css"} <= page_files().keys()
    True
    """
    folder = resources.files("gops_lab.web") / "static"
    return {
        file.name: file.read_text(encoding="utf-8")
        for file in sorted(folder.iterdir(), key=lambda file: file.name)
        if file.name.rpartition(".")[2] in TYPES
    }
