"""The arrays of one tier, checked for what can be seen without solving anything."""

from __future__ import annotations

import hashlib
import re
from fractions import Fraction
from pathlib import Path
from typing import Any, NamedTuple, Protocol

import numpy as np
import numpy.typing as npt

from gops_lab.auditing.hands import HandCodes, is_pair, words
from gops_lab.auditing.layouts import Blocks, Layout, Place, Reached, Rows
from gops_lab.auditing.manifest import Manifest, StoredFile, StoredTier
from gops_lab.auditing.prize_sets import PrizeSets
from gops_lab.auditing.utility import Number
from gops_lab.errors import StoreError


class Entry(NamedTuple):
    """A stored value, and what it is the value of."""

    code: int
    place: Place
    value: Number


class Table(Protocol):
    """The values of one tier."""

    size: int
    """Numbers in the array, padding included."""

    def find(self, code: int, place: Place) -> Number | None:
        """Return the value that stands under these very numbers, or None."""

    def entry(self, position: int) -> Entry | None:
        """Return what stands at a position; None where that means nothing."""


def read_array(folder: Path, file: StoredFile) -> npt.NDArray[Any]:
    """Map an array into memory after its length, hash and header have been checked.

    Raises
    ------
    StoreError
        In one sentence, what is wrong with the file.
    """
    path = folder / file.name
    try:
        length = path.stat().st_size
        if length != file.bytes:
            raise StoreError(f"{file.name} has {length} bytes, the manifest says {file.bytes}")
        with path.open("rb") as opened:
            digest = hashlib.file_digest(opened, "sha256").hexdigest()
            if digest != file.sha256:
                raise StoreError(f"{file.name} is damaged: its SHA-256 is not the manifest's")
            opened.seek(0)
            version = np.lib.format.read_magic(opened)
        array = np.load(path, mmap_mode="r", allow_pickle=False)
    except OSError as error:
        raise StoreError(f"{file.name} cannot be read: {error.strerror or error}") from error
    except StoreError:
        raise
    except ValueError as error:
        raise StoreError(f"{file.name} is no array: {error}") from error
    if version != (1, 0):
        raise StoreError(f"{file.name} is an array of version {version}, not (1, 0)")
    if not array.flags.c_contiguous or array.dtype.byteorder == ">":
        raise StoreError(f"{file.name} is not in C order and little-endian")
    return np.asarray(array)


def open_table(folder: Path, manifest: Manifest, tier: StoredTier, codes: HandCodes) -> Table:
    """Read and check the arrays of a tier.

    Raises
    ------
    StoreError
        In one sentence, what is wrong with them.
    """
    arrays = {kind: read_array(folder, file) for kind, file in tier.files.items()}
    values = arrays.pop("values")
    reached = arrays.pop("reached", None)
    (keys,) = arrays.values()
    if values.ndim != 1 or (
        values.dtype.kind != "S" if tier.dtype == "text" else values.dtype.name != tier.dtype
    ):
        raise StoreError(
            f"values are {values.dtype} of shape {values.shape}, the manifest says {tier.dtype}"
        )
    if keys.ndim != 2 or keys.shape[1] != 4 or keys.dtype != np.int64:
        raise StoreError(f"the other array is {keys.dtype} of shape {keys.shape}")
    if tier.layout == "nodes":
        return NodeTable(manifest, tier, codes, keys, values)
    if reached is not None and (reached.ndim != 2 or reached.dtype != np.uint8):
        raise StoreError(f"reached positions are {reached.dtype} of shape {reached.shape}")
    return PatternTable(manifest, tier, keys, reached, values)


class PatternTable:
    """Layouts ``blocks`` and ``rows``."""

    def __init__(
        self, manifest: Manifest, tier: StoredTier,
        patterns: npt.NDArray[np.int64], reached: npt.NDArray[np.uint8] | None,
        values: npt.NDArray[Any],
    ) -> None:
        random = manifest.game.known_order is None
        if (tier.layout == "blocks") != (manifest.utility.is_margin and random):
            raise StoreError(f"layout {tier.layout} is not the one of this game")
        if not manifest.reductions["patterns"]:
            raise StoreError(f"layout {tier.layout} has patterns, but the reduction is off")
        self._manifest = manifest
        self._tier = tier
        self._values = values
        self._layouts: dict[int, Layout] = {}
        self._sets = PrizeSets(manifest.game)
        self.codes, self.classes, ways, self._offsets = (
            np.ascontiguousarray(column) for column in patterns.T
        )
        self._kinds, self._groups = np.unique(
            np.column_stack((self.classes, ways)), axis=0, return_inverse=True
        )
        self._reached = reached
        self.size = len(values)
        self._check()

    def _check(self) -> None:
        played = self._manifest.game.cards - self._tier.tier
        if np.any(np.diff(self.codes) <= 0):
            raise StoreError("pattern codes do not ascend")
        of_a, of_b, swapped = words(self.codes)
        wrong = (of_a != self._tier.tier) | (of_b != self._tier.tier)
        if np.any(wrong):
            raise StoreError(
                f"pattern code {self.codes[wrong][0]} is not one of {self._tier.tier} cards"
            )
        if self._manifest.swap and np.any(swapped < self.codes):
            raise StoreError("of two mirrored patterns the one with the larger code is kept")
        most = played if self._manifest.game.ties == "carry" else 0
        if np.any((self.classes < 0) | (self.classes > most)):
            raise StoreError(f"a pattern has a class that is not from 0 to {most}")
        if self._reached is not None and len(self._reached) != len(self._kinds):
            raise StoreError(
                f"there are {len(self._reached)} lists of reached positions for "
                f"{len(self._kinds)} pairs of class and ways"
            )
        each = [self.layout(group).length for group in range(len(self._kinds))]
        lengths = np.array(each, np.int64)[self._groups]
        ends = np.cumsum(lengths)
        whole = int(ends[-1]) if len(ends) else 0
        wrong = self._offsets != ends - lengths
        if np.any(wrong):
            first = int(np.flatnonzero(wrong)[0])
            raise StoreError(
                f"the values of pattern {self.codes[first]} are said to begin at "
                f"{self._offsets[first]}, which does not follow from the patterns before it"
            )
        if self.size != whole:
            raise StoreError(f"there are {self.size} values, the patterns have {whole}")

    def layout(self, group: int) -> Layout:
        """Return the layout of the patterns with the same class and ways."""
        if group not in self._layouts:
            args = self._sets, self._tier.prizes, int(self._kinds[group, 0])
            if self._reached is None:
                self._layouts[group] = Blocks(*args)
            else:
                rows = Rows(*args, self._manifest)
                bits = np.unpackbits(self._reached[group])
                if len(bits) < rows.length or np.any(bits[rows.length :]):
                    raise StoreError(f"list {group} of reached positions has the wrong length")
                self._layouts[group] = Reached(rows, bits[: rows.length] == 1)
        return self._layouts[group]

    def find(self, code: int, place: Place) -> Number | None:
        """Return the value that stands under these very numbers, or None."""
        number = int(np.searchsorted(self.codes, code))
        if number == len(self.codes) or self.codes[number] != code:
            return None
        position = self.layout(int(self._groups[number])).find(place)
        return None if position is None else self._value(int(self._offsets[number]) + position)

    def entry(self, position: int) -> Entry | None:
        """Return what stands at a position; None where that means nothing."""
        number = int(np.searchsorted(self._offsets, position, "right")) - 1
        layout = self.layout(int(self._groups[number]))
        place = layout.place(position - int(self._offsets[number]))
        if place is None:
            return None
        return Entry(int(self.codes[number]), place, self._value(position))

    def _value(self, position: int) -> float:
        return float(self._values[position]) * self._tier.step


class NodeTable:
    """Layout ``nodes``."""

    def __init__(
        self, manifest: Manifest, tier: StoredTier, codes: HandCodes,
        nodes: npt.NDArray[np.int64], values: npt.NDArray[Any],
    ) -> None:
        if len(values) != len(nodes):
            raise StoreError(f"there are {len(values)} values for {len(nodes)} nodes")
        if tier.dtype not in ("text", "float64", "float32"):
            raise StoreError(f"nodes have values of {tier.dtype}")
        self._columns = [np.ascontiguousarray(column) for column in nodes.T]
        self._values = _fractions(values) if manifest.exact else values.tolist()
        self.size = len(values)
        undecided = np.ones(max(self.size - 1, 0), np.bool_)
        for column in self._columns:
            step = np.diff(column)
            if np.any(undecided & (step < 0)):
                raise StoreError("nodes are not sorted")
            undecided &= step == 0
        if np.any(undecided):
            raise StoreError("a node is listed twice")
        for code in np.unique(self._columns[0]).tolist():
            if not is_pair(codes, code, tier.tier):
                raise StoreError(f"code {code} is no pair of hands of {tier.tier} cards")
        full = 1 << len(manifest.game.prizes)
        masks = self._columns[1]
        wrong = (masks < 0) | (masks >= full) | (np.bitwise_count(masks) != tier.prizes)
        if np.any(wrong):
            raise StoreError(f"{masks[wrong][0]} is no set of {tier.prizes} prizes")
        if manifest.drops_lead and np.any(self._columns[3]):
            raise StoreError("a node has a lead, though leads are left out")

    def find(self, code: int, place: Place) -> Number | None:
        """Return the value that stands under these very numbers, or None."""
        low, high = 0, self.size
        for column, wanted in zip(self._columns, (code, *place), strict=True):
            part = column[low:high]
            first, last = (int(np.searchsorted(part, wanted, side)) for side in ("left", "right"))
            low, high = low + first, low + last
        return self._value(low) if high == low + 1 else None

    def entry(self, position: int) -> Entry | None:
        """Return what stands at a position."""
        code, mask, carried, lead = (int(column[position]) for column in self._columns)
        return Entry(code, Place(mask, carried, lead), self._value(position))

    def _value(self, position: int) -> Number:
        value: Number = self._values[position]
        return value


def _fractions(texts: npt.NDArray[Any]) -> list[Fraction]:
    """Return values that are written as integers or fractions."""
    values = []
    for text in texts.tolist():
        if not re.fullmatch(rb"-?\d+(/\d*[1-9]\d*)?", text):
            raise StoreError(f"value {text!r} is no integer or fraction")
        values.append(Fraction(text.decode("ascii")))
    return values
