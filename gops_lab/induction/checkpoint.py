"""A sweep that leaves what it has solved in a folder, and goes on from there.

While a solve runs, its folder holds

``sweep.json``
    what is being solved: rules, objective, precision, versions;
``journal.jsonl``
    a line for each finished piece, written after the piece itself;
``part-TT-NNNNN.npy``
    the values of one shard of the tier in work;
``tier-TT.npy``
    the values of a finished tier.

A piece counts once its line stands in the journal and its file has the length and hash written
there, so a process may be killed at any moment. What a shard holds depends on nothing but the tier
below: a solve that was interrupted ends with the same bytes as one that was not.
"""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from gops_lab._version import __version__
from gops_lab.errors import StoreError
from gops_lab.game.objectives import Objective
from gops_lab.game.rules import Rules
from gops_lab.induction.files import as_json, map_array, replace_file, storing, write_array
from gops_lab.induction.rectangle import Shard, TierTable

SWEEP = "sweep.json"
JOURNAL = "journal.jsonl"
FORMAT_VERSION = 1


class Checkpoint:
    """The pieces of one sweep in one folder.

    Parameters
    ----------
    folder : Path
        Must exist and be locked by the caller.
    rules : Rules
    objective : Objective
    dtype : dtype
        What values are kept as.
    resume : bool
        Whether to go on with a sweep that is there already.

    Raises
    ------
    StoreError
        If the folder holds another sweep, or one and `resume` is not set.
    """

    def __init__(
        self, folder: Path, rules: Rules, objective: Objective, dtype: npt.DTypeLike, resume: bool
    ) -> None:
        self.folder = folder
        self._pieces: dict[tuple[int, int], dict[str, Any]] = {}
        identity = {
            "format": "gops_lab sweep",
            "format_version": FORMAT_VERSION,
            "rules": rules.as_dict(),
            "objective": objective.name,
            "dtype": np.dtype(dtype).name,
            "gops_lab": __version__,
        }
        there = self._read_identity()
        if there is None:
            with storing(folder):
                replace_file(folder / SWEEP, as_json(identity))
            return
        different = [name for name in identity if there.get(name) != identity[name]]
        if different:
            raise StoreError(
                f"{folder} holds an unfinished solve with other {different[0]}: "
                f"{there.get(different[0])}; nothing was written"
            )
        if not resume:
            raise StoreError(
                f"{folder} holds an unfinished solve; resume it, or use another folder"
            )
        self._read_journal()

    def finished_tier(self, tier: int) -> dict[str, Any] | None:
        """Return the record of a tier that is complete, or None."""
        return self._pieces.get((tier, -1))

    def map_tier(self, tier: int) -> npt.NDArray[Any]:
        """Return the values of a complete tier, checked against their hash."""
        return map_array(self.folder, self._pieces[tier, -1]["file"], check_hash=True)

    def read_parts(self, table: TierTable) -> dict[int, dict[str, Any]]:
        """Fill a table with the shards that are finished; return their records by number.

        A shard whose file is missing or damaged is solved again.
        """
        records = {}
        for number, (first, last) in enumerate(table.plan.shards):
            record = self._pieces.get((table.tier, number))
            if record is None:
                continue
            try:
                values = map_array(self.folder, record["file"], check_hash=True)
            except StoreError:
                continue
            place = slice(table.plan.offsets[first], table.plan.offsets[last])
            if values.shape == table.values[place].shape and values.dtype == table.values.dtype:
                table.values[place] = values
                records[number] = record["shard"]
        return records

    def add_shard(self, shard: Shard) -> None:
        """Keep a finished shard."""
        name = f"part-{shard.table.tier:02d}-{shard.number:05d}.npy"
        with storing(self.folder):
            file = write_array(self.folder, name, shard.values)
            self._note(
                {
                    "tier": shard.table.tier,
                    "number": shard.number,
                    "file": file,
                    "shard": shard.record(),
                }
            )

    def add_tier(self, table: TierTable, report: dict[str, Any]) -> dict[str, Any]:
        """Keep a finished tier instead of its shards; return its record."""
        with storing(self.folder):
            file = write_array(self.folder, f"tier-{table.tier:02d}.npy", table.values)
            self._note({"tier": table.tier, "number": -1, "file": file, "report": report})
            for part in self.folder.glob(f"part-{table.tier:02d}-*.npy"):
                part.unlink()
        return self._pieces[table.tier, -1]

    def drop_tier(self, tier: int) -> None:
        """Delete the values of a tier that nothing needs any more; its report stays."""
        with storing(self.folder):
            (self.folder / f"tier-{tier:02d}.npy").unlink(missing_ok=True)

    def close(self) -> None:
        """Delete the journal: the solution's manifest says all there is to say now."""
        with storing(self.folder):
            for name in (SWEEP, JOURNAL):
                (self.folder / name).unlink(missing_ok=True)

    def _note(self, record: dict[str, Any]) -> None:
        with (self.folder / JOURNAL).open("a", encoding="utf-8") as journal:
            journal.write(json.dumps(record) + "\n")
            journal.flush()
            os.fsync(journal.fileno())
        self._pieces[record["tier"], record["number"]] = record

    def _read_identity(self) -> dict[str, Any] | None:
        try:
            identity = json.loads((self.folder / SWEEP).read_text(encoding="utf-8"))
        except FileNotFoundError:
            return None
        except (OSError, ValueError) as error:
            raise StoreError(f"{self.folder / SWEEP} cannot be read: {error}") from error
        return dict(identity)

    def _read_journal(self) -> None:
        path = self.folder / JOURNAL
        if not path.exists():
            return
        complete = []
        for line in path.read_text(encoding="utf-8").splitlines(keepends=True):
            # A process that was killed may have left the last line half written.
            if not line.endswith("\n"):
                break
            try:
                record = json.loads(line)
                self._pieces[record["tier"], record["number"]] = record
            except (ValueError, KeyError, TypeError):
                break
            complete.append(line)
        with storing(self.folder):
            replace_file(path, "".join(complete).encode())
