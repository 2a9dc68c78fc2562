"""Exact, certified solutions of GOPS (Goofspiel, the Game of Pure Strategy)."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from gops_lab.public import *  # noqa: F403


def __getattr__(name: str) -> Any:
    """Load the whole package once something of it is asked for; until then `import` is quick."""
    public = import_module("gops_lab.public")
    names = {"__all__": public.__all__, **{each: getattr(public, each) for each in public.__all__}}
    globals().update(names)
    try:
        return globals()[name]
    except KeyError:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}") from None


def __dir__() -> list[str]:
    return sorted({*globals(), *__getattr__("__all__")})
