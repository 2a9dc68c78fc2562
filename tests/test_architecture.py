"""Imports go one way."""

import ast
import subprocess
import sys
from pathlib import Path

PACKAGE = Path(__file__).parents[1] / "gops_lab"

# Every room may import from those before it. `matrix_games` knows nothing of GOPS.
ORDER = ["_version", "errors", "game", "encoding", "matrix_games", "induction", "reporting"]
TOP = ["arguments", "cli", "__init__", "__main__"]


def imports():
    for file in sorted(PACKAGE.rglob("*.py")):
        room = file.relative_to(PACKAGE).parts[0].removesuffix(".py")
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ImportFrom):
                names = [node.module or ""]
                assert node.level == 0, f"{file.name}: relative import"
                if node.module == "gops_lab":
                    names = [f"gops_lab.{alias.name}" for alias in node.names]
            elif isinstance(node, ast.Import):
                names = [alias.name for alias in node.names]
            else:
                continue
            for name in names:
                if name.startswith("gops_lab."):
                    yield file, room, name.split(".")[1]


def test_arrows_go_one_way():
    found = list(imports())
    assert len(found) > 50
    for file, room, target in found:
        if room in TOP:
            continue
        assert room in ORDER, f"{file}: a room that this test does not know"
        if room == "matrix_games":
            assert target in ("matrix_games", "errors"), f"{file} imports {target}"
        if room == "game":
            assert target in ("game", "errors"), f"{file} imports {target}"
        if room == "encoding":
            assert target in ("encoding", "game", "errors"), f"{file} imports {target}"
        assert target in ORDER, f"{file} imports {target}"
        assert ORDER.index(target) <= ORDER.index(room), f"{file} imports {target}"


def test_importing_the_package_draws_nothing_and_compiles_nothing():
    code = "import sys, gops_lab; print([m for m in ('matplotlib', 'tqdm') if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
