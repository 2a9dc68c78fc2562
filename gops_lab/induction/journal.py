"""The journal of a solve that is not finished: one line for each work unit that is.

Lines are only ever added, each flushed to the disk after what it speaks of, so that a process which
is killed leaves at most a torn last line, which is ignored. ``docs/format.md`` lists the fields.
"""

from __future__ import annotations

import errno
import hashlib
import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from gops_lab.errors import StoreError
from gops_lab.game.documents import check_shape, from_json
from gops_lab.induction.files import replace_file, storing
from gops_lab.induction.manifest import REPORT, TABLE, check_version

JOURNAL = "journal.jsonl"
SCRATCH = "gops-lab-"
"""How the name of a solve's folder in a scratch folder begins."""

FORMAT = "gops_lab journal"

LINE = (
    {"tier": int, "report": REPORT, "table": TABLE},
    {
        "tier": int, "unit": int, "end": int, "worst_gap": float, "simplex_games": int,
        "escalated": int, "sha256": str,
    },
)
"""What a line of the general sweep holds, and one of the fast sweep."""


class Journal:
    """The journal of a folder, open to go on with.

    Parameters
    ----------
    folder : Path
        With a journal in it: see `begin`.

    Attributes
    ----------
    lines : list of dict
        The work units that were finished before.

    Raises
    ------
    StoreError
        If the journal is damaged, or has another format.
    """

    def __init__(self, folder: Path) -> None:
        self.path = folder / JOURNAL
        _, self.lines, whole = read_journal(folder)
        self._last = whole.splitlines(keepends=True)[-1]
        with storing(self.path):
            # What is torn must not run into the next line.
            os.truncate(self.path, len(whole))

    @staticmethod
    def begin(folder: Path, header: Mapping[str, Any]) -> None:
        """Write a journal without any work unit."""
        with storing(folder / JOURNAL):
            replace_file(folder / JOURNAL, _line({**header, "format": FORMAT}, b""))

    def add(self, line: Mapping[str, Any]) -> None:
        """Add a finished work unit; it is on the disk when this returns."""
        data = _line(line, self._last)
        with storing(self.path), self.path.open("ab", buffering=0) as file:
            length = file.tell()
            try:
                if file.write(data) != len(data):
                    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
                os.fsync(file.fileno())
            except OSError:
                file.truncate(length)
                raise
        self._last = data

    def remove(self) -> None:
        """Delete it: the solution is complete."""
        with storing(self.path):
            self.path.unlink()


def unfinished(folder: Path) -> str:
    """Return a sentence that says how to go on with a folder."""
    place = f"--out {folder}"
    if folder.name.startswith(SCRATCH):
        place = f"--scratch {folder.parent}"
    return (
        f"{folder} holds a solve that is not finished; go on with the same solve and resume=True "
        f"(gops-lab solve ... {place} --resume)"
    )


def _line(data: Mapping[str, Any], before: bytes) -> bytes:
    """Return a line; at its end the SHA-256 of the line before, and of this one without it."""
    digest = hashlib.sha256(before + json.dumps(data).encode()).hexdigest()
    return (json.dumps({**data, "line_sha256": digest}) + "\n").encode()


def read_journal(folder: Path) -> tuple[dict[str, Any], list[dict[str, Any]], bytes]:
    """Return the header, all whole lines behind it, and their text.

    Raises
    ------
    StoreError
        If the journal is damaged, or has another format.
    """
    path = folder / JOURNAL
    try:
        data = path.read_bytes()
    except OSError as error:
        raise StoreError(f"{path} cannot be read: {error.strerror or error}") from error
    whole = data[: data.rfind(b"\n") + 1]
    rows: list[dict[str, Any]] = []
    before = b""
    for number, text in enumerate(whole.splitlines(keepends=True), start=1):
        try:
            row = from_json(text)
        except ValueError as error:
            raise StoreError(f"{path} is damaged: line {number} is not JSON") from error
        if number == 1 and isinstance(row, dict) and row.get("format") == FORMAT:
            check_version(path, row.get("format_version"))
        sealed = isinstance(row, dict) and row.pop("line_sha256", None) is not None
        if not sealed or _line(row, before) != text:
            raise StoreError(f"{path} is damaged: line {number} is not what was written")
        if rows:
            try:
                check_shape(f"line {number}", row, LINE)
            except ValueError as error:
                raise StoreError(f"{path} is garbled: {error}") from error
        rows.append(row)
        before = text
    if not rows or rows[0].get("format") != FORMAT:
        raise StoreError(f"{path} is not the journal of a solve")
    return rows[0], rows[1:], whole
