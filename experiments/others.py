"""Other people's programs: whether they are here, which versions, and a process to run them in."""

from __future__ import annotations

import importlib.util
import multiprocessing
from collections.abc import Callable, Mapping, Sequence
from importlib.metadata import version
from typing import Any

import gops_lab as gl
from experiments.running import ExperimentError, package_code

PACKAGES = {"pyspiel": "open-spiel"}
"""What ``pip`` calls a module, where it is another name."""


def are_here(modules: Sequence[str]) -> bool:
    """Whether all of these modules are installed."""
    return all(importlib.util.find_spec(module) is not None for module in modules)


def versions_of(modules: Sequence[str]) -> str:
    """Return the versions of these modules, ours if there are none, as text."""
    named = [PACKAGES.get(module, module) for module in modules]
    return ", ".join(f"{name} {version(name)}" for name in named) or f"gops_lab {gl.__version__}"


def read_by(modules: Sequence[str]) -> dict[str, Any]:
    """Return what numbers of these modules depend on, for the key of a job."""
    return {"versions": versions_of(modules), "code": package_code(("interop",))}


def chosen(asked: str | Sequence[str], there: Mapping[str, Any]) -> dict[str, Any]:
    """Return those asked for by name, or all.

    Raises
    ------
    ExperimentError
        If there is none of a name.
    """
    names = list(there) if asked == "all" else list(asked)
    for name in names:
        if name not in there:
            raise ExperimentError(f"there is no {name!r}; there are {', '.join(there)}, and all")
    return {name: there[name] for name in names}


class Aside:
    """Calls functions in another process: they may never return, or keep their memory.

    Examples
    --------
    >>> aside = Aside()
    >>> aside(60, max, 1, 2)
    2
    >>> aside.stop()
    """

    def __init__(self) -> None:
        self._pool: Any = None

    def __call__(self, seconds: float, function: Callable[..., Any], *arguments: Any) -> Any:
        """Return what the function returns.

        Raises
        ------
        TimeoutError
            If it has not returned after so many seconds; it is stopped then.
        """
        if self._pool is None:
            self._pool = multiprocessing.get_context("spawn").Pool(1)
        try:
            return self._pool.apply_async(function, arguments).get(seconds)
        except multiprocessing.TimeoutError:
            self.stop()
            raise TimeoutError(f"no answer within {seconds} seconds") from None

    def stop(self) -> None:
        """End the process, whatever it is doing; the next call begins another."""
        if self._pool is not None:
            self._pool.terminate()
            self._pool.join()
            self._pool = None
