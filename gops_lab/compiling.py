"""How functions are compiled: one way for all kernels."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar, cast

import numba

F = TypeVar("F", bound=Callable[..., Any])

# Numpy's divisions by zero give a NaN or an infinity, not an error: a test rejects them later.
# Floating-point rules stay strict: relaxed ones would remove the tests that reject a NaN.
# Nothing calls these functions from C: a wrapper for that would only take time to compile.
_OPTIONS: dict[str, Any] = {"nogil": True, "error_model": "numpy", "no_cfunc_wrapper": True}


def compiled(function: F) -> F:
    """Return `function`, to be compiled when it is first called; it holds no interpreter lock.

    Machine code is kept on disk where Numba finds a folder it may write to, else in memory only.
    """
    try:
        return cast(F, numba.njit(cache=True, **_OPTIONS)(function))
    except RuntimeError:  # Numba's way of saying that there is no such folder
        return cast(F, numba.njit(**_OPTIONS)(function))


def inlined(function: F) -> F:
    """Return `function` compiled into its callers: a call with arrays costs more than its body."""
    return cast(F, numba.njit(forceinline=True, **_OPTIONS)(function))


def copied(function: F) -> F:
    """Return `function` to be copied into the kernel that calls it, before anything is compiled.

    For functions that each kernel calls from one place only: it halves their compile time.
    """
    return cast(F, numba.njit(inline="always", **_OPTIONS)(function))
