"""Files that are written whole or not at all, and checked when they are read."""

from __future__ import annotations

import hashlib
import io
import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from gops_lab.errors import StoreError


@contextmanager
def storing(path: Path) -> Iterator[None]:
    """Turn an operating system's error into one sentence that names the folder."""
    try:
        yield
    except OSError as error:
        raise StoreError(f"{path} cannot be written: {error.strerror or error}") from error


def replace_file(path: Path, data: bytes) -> None:
    """Write a file under a temporary name and move it into place."""
    temporary = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    try:
        with temporary.open("wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        os.replace(temporary, path)
    finally:
        temporary.unlink(missing_ok=True)


def as_json(data: dict[str, Any]) -> bytes:
    """Return a record as JSON text, the same bytes for the same record."""
    return (json.dumps(data, indent=1, ensure_ascii=True) + "\n").encode()


def write_array(folder: Path, name: str, array: npt.NDArray[Any]) -> dict[str, Any]:
    """Write an array as little-endian ``.npy``; return its name, length and SHA-256."""
    little = array.astype(array.dtype.newbyteorder("<"), copy=False)
    buffer = io.BytesIO()
    np.lib.format.write_array(buffer, little, allow_pickle=False)
    data = buffer.getbuffer()
    replace_file(folder / name, data)  # type: ignore[arg-type]
    return {"name": name, "bytes": len(data), "sha256": hashlib.sha256(data).hexdigest()}


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
