"""Modules whose library is not installed are left out when examples are collected.

pytest would leave out every module that cannot be imported, whatever the reason, and with it the
tests of a file.
"""

from importlib.util import find_spec

NEEDS = {
    "gops_lab/interop/gambit.py": ["pygambit"],
    "gops_lab/interop/games.py": ["nashpy", "quantecon"],
    "gops_lab/interop/openspiel/*": ["pyspiel"],
    "gops_lab/interop/pettingzoo.py": ["pettingzoo", "gymnasium"],
    "gops_lab/matrix_games/export.py": ["nashpy", "quantecon"],
    "gops_lab/web/application.py": ["starlette"],
}

collect_ignore_glob = [
    path for path, libraries in NEEDS.items() if not all(map(find_spec, libraries))
]
