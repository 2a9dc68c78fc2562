"""Files that are written whole or not at all, and checked when they are read."""

from __future__ import annotations

import errno
import hashlib
import io
import json
import mmap
import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
import numpy.typing as npt

from gops_lab.errors import OccupiedError, StoreError, WritingError


@contextmanager
def storing(path: Path) -> Iterator[None]:
    """Turn an operating system's error into one sentence that names the folder."""
    try:
        yield
    except OSError as error:
        raise WritingError(f"{path} cannot be written: {error.strerror or error}") from error


@contextmanager
def reading(path: Path) -> Iterator[None]:
    """Turn what is wrong with the contents of a file into one sentence that names it."""
    try:
        yield
    except StoreError:
        raise
    except (LookupError, TypeError, AttributeError, ValueError, ArithmeticError) as error:
        raise StoreError(f"{path} is garbled: {type(error).__name__}: {error}") from error


def check_no_others(folder: Path, ours: re.Pattern[str], what: str) -> None:
    """Refuse a folder with files that have other names than ours; `what` it holds else.

    Raises
    ------
    OccupiedError
        Naming one of them.
    """
    others = [file.name for file in folder.iterdir() if not ours.fullmatch(file.name)]
    if others:
        raise OccupiedError(
            f"{folder} holds {what}, but other files ({min(others)}); nothing was written"
        )


def nearest_existing(path: Path) -> Path:
    """Return a folder, or the nearest above it that is there."""
    return next((each for each in (path, *path.absolute().parents) if each.exists()), path)


def replace_file(path: Path, *pieces: bytes | memoryview) -> None:
    """Write a file, in pieces, under a temporary name and move it into place."""
    temporary = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    try:
        with temporary.open("wb") as file:
            for piece in pieces:
                file.write(piece)
            file.flush()
            os.fsync(file.fileno())
        os.replace(temporary, path)
    finally:
        temporary.unlink(missing_ok=True)


def as_json(data: dict[str, Any]) -> bytes:
    """Return a record as JSON text, the same bytes for the same record."""
    return (json.dumps(data, indent=1, ensure_ascii=True, allow_nan=False) + "\n").encode()


def write_array(folder: Path, name: str, array: npt.NDArray[Any]) -> dict[str, Any]:
    """Write an array as little-endian ``.npy``.

    Parameters
    ----------
    folder : Path
    name : str
        The file's; ``{}`` in it stands for the start of the file's SHA-256.
    array : array

    Returns
    -------
    dict
        Name, length and SHA-256 of the file.
    """
    little = np.ascontiguousarray(array.astype(array.dtype.newbyteorder("<"), copy=False))
    pieces = array_header(little.dtype, little.shape), as_bytes(little)
    digest = hashlib.sha256()
    for piece in pieces:
        digest.update(piece)
    name = name.format(short(digest.hexdigest()))
    replace_file(folder / name, *pieces)
    length = sum(map(len, pieces))
    return {"name": name, "bytes": length, "sha256": digest.hexdigest()}


def short(digest: str) -> str:
    """Return the start of a SHA-256 that file names carry."""
    return digest[:12]


def array_header(dtype: np.dtype[Any], shape: tuple[int, ...]) -> bytes:
    """Return what an ``.npy`` file begins with."""
    header = io.BytesIO()
    descr = np.lib.format.dtype_to_descr(dtype.newbyteorder("<"))
    np.lib.format.write_array_header_1_0(
        header, {"descr": descr, "fortran_order": False, "shape": shape}
    )
    return header.getvalue()


def as_bytes(array: npt.NDArray[Any]) -> memoryview:
    """Return the bytes of a contiguous array, without a copy."""
    return memoryview(array.reshape(-1).view(np.uint8).data)


def reserve_array(path: Path, dtype: np.dtype[Any], length: int) -> None:
    """Make an ``.npy`` file of zeros that has all of its space on the disk.

    A memory map of a file without its space ends the process when the disk is full.

    Raises
    ------
    StoreError
        If there is no space; nothing is left behind then.
    """
    header = array_header(dtype, (length,))
    with storing(path):
        try:
            path.unlink(missing_ok=True)
            with path.open("xb") as file:
                file.write(header)
                file.flush()
                _reserve(file, len(header), length * dtype.itemsize)
                os.fsync(file.fileno())
        except OSError:
            path.unlink(missing_ok=True)
            raise


def _reserve(file: BinaryIO, first: int, size: int) -> None:
    """Let a file have `size` bytes of zeros from `first` on."""
    if size and hasattr(os, "posix_fallocate"):
        try:
            os.posix_fallocate(file.fileno(), first, size)
        except OSError as error:
            if error.errno not in (errno.EOPNOTSUPP, errno.EINVAL):
                raise
        else:
            return
    # Systems and disks that cannot reserve space can still be made to use it.
    piece = bytes(min(size, 1 << 20))
    for start in range(0, size, max(len(piece), 1)):
        file.write(piece[: size - start])
    file.flush()


class FillingArray:
    """An ``.npy`` file of one dimension that is filled from its beginning, mapped into memory.

    Parameters
    ----------
    path : Path
        A file that `reserve_array` made.
    dtype, length
        As they were given there.

    Attributes
    ----------
    values : array
        Writable; what is written reaches the disk with `keep`.
    end : int
        How many values are taken in.

    Raises
    ------
    StoreError
        If the file is not there, or another array.
    """

    def __init__(self, path: Path, dtype: np.dtype[Any], length: int) -> None:
        self.path = path
        try:
            with path.open("r+b") as file:
                version = np.lib.format.read_magic(file)
                if version != (1, 0):
                    raise ValueError(f"array format {version} is not (1, 0)")
                shape, _, kept = np.lib.format.read_array_header_1_0(file)
                self._first = file.tell()
                size = file.seek(0, os.SEEK_END)
                if (shape, kept) != ((length,), dtype):
                    raise ValueError(f"{length} numbers of {dtype} are needed, not {kept} {shape}")
                if size != self._first + length * dtype.itemsize:
                    raise ValueError(f"it has {size} bytes, its array another number")
                self._map = mmap.mmap(file.fileno(), size)
        except OSError as error:
            raise StoreError(f"{path} cannot be opened: {error.strerror or error}") from error
        except ValueError as error:
            raise StoreError(f"{path} is damaged: {error}") from error
        self.values: npt.NDArray[Any] = np.ndarray((length,), dtype, self._map, self._first)
        self._hash = hashlib.sha256(self._map[: self._first])
        self.end = 0

    @property
    def digest(self) -> str:
        """The SHA-256 of the file up to what was taken in last, in hexadecimal."""
        return self._hash.hexdigest()

    def take_in(self, end: int) -> None:
        """Go on with the hash, up to a number of values."""
        self._hash.update(as_bytes(self.values[self.end : end]))
        self.end = end

    def keep(self, end: int) -> None:
        """Write the values up to `end` to the disk, and take them in."""
        item = self.values.itemsize
        first = self._first + self.end * item
        first -= first % mmap.ALLOCATIONGRANULARITY
        with storing(self.path):
            self._map.flush(first, self._first + end * item - first)
        self.take_in(end)

    def let_go(self) -> None:
        """Give its memory back to the system; what is used again is read again."""
        if hasattr(mmap, "MADV_DONTNEED"):
            self._map.madvise(mmap.MADV_DONTNEED)


def resident_memory() -> int:
    """Return the bytes of memory this process holds, 0 where the system does not say."""
    try:
        pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1])
    except (OSError, LookupError, ValueError):
        return 0
    return pages * mmap.PAGESIZE


def map_array(folder: Path, file: dict[str, Any], check_hash: bool) -> npt.NDArray[Any]:
    """Return an array that `write_array` wrote, read from the disk as it is needed.

    Raises
    ------
    StoreError
        If the file is missing, not as long as its record says or, if asked, not the same.
    """
    path = folder / Path(file["name"]).name
    try:
        length = path.stat().st_size
        if length != file["bytes"]:
            raise StoreError(
                f"{path} is damaged: it has {length} bytes, its record says {file['bytes']}"
            )
        if check_hash:
            with path.open("rb") as opened:
                digest = hashlib.file_digest(opened, "sha256").hexdigest()
            if digest != file["sha256"]:
                raise StoreError(f"{path} is damaged: its SHA-256 is not the one in its record")
        return np.asarray(np.lib.format.open_memmap(path, mode="r"))
    except OSError as error:
        raise StoreError(f"{path} cannot be read: {error.strerror or error}") from error
    except ValueError as error:
        if isinstance(error, StoreError):
            raise
        raise StoreError(f"{path} is damaged: {error}") from error


@contextmanager
def locked(folder: Path) -> Iterator[None]:
    """Hold a folder for this process alone; the system lets go of it if the process dies.

    Raises
    ------
    StoreError
        If another process holds it.
    """
    with storing(folder), (folder / ".lock").open("ab") as file:
        try:
            _lock(file.fileno())
        except OSError:
            raise StoreError(f"{folder} is in use by another process") from None
        yield


def _lock(descriptor: int) -> None:
    try:
        import fcntl
    except ImportError:  # Windows
        import msvcrt

        msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)  # type: ignore[attr-defined]
    else:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
