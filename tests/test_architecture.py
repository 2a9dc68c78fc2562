"""Imports go one way, as DESIGN section 4 and the README draw them."""

import ast
import subprocess
import sys
from functools import cache
from pathlib import Path

import pytest

PACKAGE = Path(__file__).parents[1] / "gops_lab"

# A room may import from itself and from those before it. The public namespace may import all.
ORDER = [
    "_version", "errors", "compiling", "cluster", "game", "decks", "encoding", "induction",
    "auditing", "strategies", "evaluation", "reporting", "interop", "explorer", "web", "arguments",
    "contests", "bars", "commands", "cli", "public", "__init__",
]
# Knows nothing of GOPS; whoever solves games may use it.
MATRIX_GAMES = "matrix_games"
MAY_SOLVE = ORDER[ORDER.index("induction") :]

# Re-checks what the sweep stored, and must owe nothing to it: of the package only these.
AUDITING = ("auditing", "game", "decks", "errors", MATRIX_GAMES)

# Who may import a library that is slow to load or draws: only the top of the drawing.
MAY_DRAW = {
    "matplotlib": ("reporting", "explorer"),
    "tqdm": ("bars", "explorer"),
    "argparse": ("arguments", "contests", "web", "commands"),
    "starlette": ("web",),
    "uvicorn": ("web",),
    "distributed": ("cluster",),
}

ROOMS = sorted({path.relative_to(PACKAGE).parts[0].removesuffix(".py")
                for path in PACKAGE.rglob("*.py")})


def is_allowed(room, target):
    """Whether a module in `room` may import one in `target`."""
    if room == MATRIX_GAMES:
        return target in (MATRIX_GAMES, "errors", "compiling")
    if room == "auditing":
        return target in AUDITING
    if target == MATRIX_GAMES:
        return room in MAY_SOLVE
    if target not in ORDER or target == "__init__":
        return False
    return ORDER.index(target) <= ORDER.index(room)


def imported(source, package):
    """Yield the full name of everything a module imports, wherever in it the import stands."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            parents = package[: len(package) - node.level + 1] if node.level else ()
            module = ".".join([*parents, *filter(None, [node.module])])
            yield from (f"{module}.{alias.name}" for alias in node.names)


@cache
def all_imports():
    """Return (module, its room, what it imports) for every import of the package."""
    found = []
    for path in sorted(PACKAGE.rglob("*.py")):
        parts = path.relative_to(PACKAGE.parent).with_suffix("").parts
        room = parts[1]
        for name in imported(path.read_text(encoding="utf-8"), parts[:-1]):
            found.append(("/".join(parts), room, name))
    return found


def target_of(name):
    """Return the room of an import from this package, or None."""
    first, *rest = name.split(".")
    if first != "gops_lab":
        return None
    if not rest or not any((PACKAGE / f"{rest[0]}{end}").exists() for end in ("", ".py")):
        return "__init__"  # `import gops_lab`, or a name of the public namespace
    return rest[0]


@pytest.mark.parametrize("room", ROOMS)
def test_arrows_go_one_way(room):
    assert room in (*ORDER, MATRIX_GAMES), f"say in ORDER where {room} stands"
    wrong = [
        f"{module} imports {name}"
        for module, where, name in all_imports()
        if where == room and target_of(name) and not is_allowed(room, target_of(name))
    ]
    assert not wrong


def test_every_module_that_is_drawn_is_looked_at():
    """The test above would pass on no files at all."""
    arrows = {(room, target_of(name)) for _, room, name in all_imports()}
    assert {
        ("game", "errors"), ("encoding", "game"), ("induction", "encoding"),
        ("induction", MATRIX_GAMES), ("reporting", "induction"), ("commands", "reporting"),
        ("strategies", "induction"), ("evaluation", "strategies"), ("contests", "evaluation"),
        ("auditing", "game"), ("auditing", MATRIX_GAMES), ("commands", "auditing"),
    } <= arrows


@pytest.mark.parametrize(
    ("room", "source"),
    [
        ("game", "from gops_lab.encoding import Encoder"),
        ("encoding", "def f():\n    import gops_lab.induction.solve"),
        ("matrix_games", "from ..game import Rules"),
        ("matrix_games", "from gops_lab import encoding"),
        ("encoding", "from gops_lab.matrix_games import solve_matrix_game"),
        ("induction", "import gops_lab as gl"),
        ("errors", "if TYPE_CHECKING:\n    from .game import Rules"),
        ("reporting", "from gops_lab import cli"),
        ("strategies", "from gops_lab.evaluation import evaluate"),
        ("evaluation", "from gops_lab.reporting import tables"),
        ("auditing", "from gops_lab.encoding.patterns import mirrored"),
        ("auditing", "from gops_lab.induction import load"),
        ("auditing", "from ..induction.rectangle import layout"),
    ],
)
def test_a_reversed_arrow_is_seen(room, source):
    package = ("gops_lab",) if room == "errors" else ("gops_lab", room)
    (name,) = imported(source, package)
    assert not is_allowed(room, target_of(name))


@pytest.mark.parametrize("library", MAY_DRAW)
def test_who_draws_and_who_reads_the_command_line(library):
    users = {room for _, room, name in all_imports() if name.split(".")[0] == library}
    assert users <= set(MAY_DRAW[library])


def test_importing_the_package_loads_no_library_that_draws():
    libraries = "{'matplotlib', 'tqdm', 'starlette', 'distributed'}"
    code = f"import sys, gops_lab.public as _; print({libraries} & set(sys.modules))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "set()"


def test_the_public_namespace_is_loaded_when_it_is_used():
    """`import gops_lab` is quick, and what is not in it is said to be missing."""
    code = """
import sys, gops_lab
assert "numpy" not in sys.modules
assert not hasattr(gops_lab, "nothing")
assert "numpy" in sys.modules
assert {*gops_lab.__all__} <= {*dir(gops_lab)}
from gops_lab import *
assert all(globals()[name] is getattr(gops_lab, name) for name in gops_lab.__all__)
"""
    subprocess.run([sys.executable, "-c", code], check=True)
