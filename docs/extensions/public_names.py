"""The reference: what the package and its rooms export, from their ``__all__``."""

from __future__ import annotations

import importlib
import inspect

PACKAGE = "gops_lab"

ROOMS = {
    "game": "Rules, states and objectives",
    "strategies": "Strategies",
    "evaluation": "Strategies against each other",
    "reporting": "Tables and figures",
    "matrix_games": "Matrix games",
    "induction": "Backward induction",
    "encoding": "Arrays of states",
    "auditing": "Auditing",
    "explorer": "The explorer",
    "web": "The page",
    "interop.openspiel": "OpenSpiel",
    "interop.gambit": "Gambit",
    "interop.games": "Nashpy and QuantEcon",
    "interop.pettingzoo": "PettingZoo",
}


def page() -> str:
    """Return the page, reStructuredText."""
    whole = importlib.import_module(PACKAGE)
    rooms = {name: importlib.import_module(f"{PACKAGE}.{name}") for name in ROOMS}
    names = [n for n in whole.__all__ if n != "__version__" and n not in rooms]
    top = {id(getattr(whole, name)) for name in names}
    parts = [
        _heading("Reference", "="),
        "All payoffs and values are A's. What the examples show is run by the tests.\n",
        _heading("The public namespace", "-"),
        "``import gops_lab as gl`` gives all of these.\n",
        _summary(PACKAGE, names),
    ]
    for room, title in ROOMS.items():
        module = rooms[room]
        more = [name for name in module.__all__ if id(getattr(module, name)) not in top]
        public = [name for name in more if _has_a_page(getattr(module, name))]
        constants = [name for name in more if name not in public]
        about = inspect.cleandoc(module.__doc__ or "").partition("\n\n")[0]
        parts += [_heading(f"{title}: ``{PACKAGE}.{room}``", "-"), about + "\n"]
        parts.append(_summary(f"{PACKAGE}.{room}", public))
        if constants:
            listed = ", ".join(f"``{name}``" for name in constants)
            parts.append(f"Constants: {listed}.\n")
    return "\n".join(parts)


def _has_a_page(thing: object) -> bool:
    return inspect.isclass(thing) or inspect.isroutine(thing)


def _heading(text: str, mark: str) -> str:
    return f"{text}\n{mark * len(text)}\n"


def _summary(module: str, names: list[str]) -> str:
    lines = [".. autosummary::", "   :toctree: api", "   :nosignatures:", ""]
    return "\n".join([*lines, *(f"   {module}.{name}" for name in names)]) + "\n"
