"""The notebooks run from top to bottom, and those that are stored can be read as they are."""

import base64
import importlib.util
import os
import re
from pathlib import Path

import nbformat
import pytest
from nbclient import NotebookClient

import gops_lab

TOP = Path(__file__).parents[1]
FOLDER = TOP / "notebooks"
FILES = sorted(FOLDER.glob("*.ipynb"))
NEEDS = {
    "07_learning_against_the_exact_answer": "pyspiel", "09_what_should_i_bid_here": "ipywidgets",
}
"""What a notebook needs that not every machine can install."""

notebooks = pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)


def outputs(notebook):
    """Return all outputs of a notebook."""
    return [
        output for cell in notebook.cells if cell.cell_type == "code" for output in cell.outputs
    ]


def stored_outputs(file):
    """Return all outputs stored in a notebook's file."""
    return outputs(nbformat.read(file, as_version=4))


NUMBER = re.compile(r"-?\d+(?:\.\d+)?(?:e[+-]\d+)?")


def said_by(output):
    """Return an output's text apart from its numbers, and those: they may differ by rounding."""
    data = output.get("data", {})
    text = data.get("text/markdown") or data.get("text/plain", "")
    return NUMBER.sub("#", text), [float(number) for number in NUMBER.findall(text)]


def title(file):
    """Return the question a notebook asks."""
    heading = nbformat.read(file, as_version=4).cells[0].source.splitlines()[0]
    assert heading.startswith("# ")
    return heading.removeprefix("# ")


def test_notebooks_are_found_and_listed():
    assert [file.name[:2] for file in FILES] == [f"{number:02}" for number in range(1, 10)]
    about = (FOLDER / "README.md").read_text(encoding="utf-8")
    listed = dict(re.findall(r"^\| `(\d\d_\w+)` \| (.*) \|$", about, re.MULTILINE))
    titles = {file.stem: title(file) for file in FILES}
    assert listed == titles
    assert all(question.endswith("?") for question in titles.values())


@notebooks
def test_a_notebook_runs(file, tmp_path):
    """Its assertions hold, what it says is what is stored, and it warns of nothing."""
    if file.stem in NEEDS:
        pytest.importorskip(NEEDS[file.stem])
    package = str(Path(gops_lab.__file__).parents[1])
    path = os.pathsep.join(filter(None, [package, os.environ.get("PYTHONPATH")]))
    client = NotebookClient(
        nbformat.read(file, as_version=4), timeout=300, kernel_name="python3",
        resources={"metadata": {"path": str(FOLDER)}},
    )
    done = client.execute(env={**os.environ, "PYTHONPATH": path, "IPYTHONDIR": str(tmp_path)})
    assert not [
        output.text for output in outputs(done)
        if output.output_type == "stream" and output.name == "stderr"
    ]
    for new, old in zip(outputs(done), stored_outputs(file), strict=True):
        (text, numbers), (old_text, old_numbers) = said_by(new), said_by(old)
        assert text == old_text
        assert numbers == pytest.approx(old_numbers, rel=1e-6, abs=1e-9)
    last = [cell.source for cell in done.cells if cell.cell_type == "code"][-1]
    assert re.search(r"^assert ", last, re.MULTILINE)


@notebooks
def test_a_stored_notebook_can_be_read_without_running_it(file):
    cells = [cell for cell in nbformat.read(file, as_version=4).cells if cell.cell_type == "code"]
    assert [cell.execution_count for cell in cells] == list(range(1, len(cells) + 1))
    shown = [output.get("data", {}) for output in stored_outputs(file)]
    pictures = [data["image/png"] for data in shown if "image/png" in data]
    assert pictures
    for picture in pictures:
        assert base64.b64decode(picture).startswith(b"\x89PNG\r\n")
    assert not any(output.output_type in ("error", "stream") for output in stored_outputs(file))


@notebooks
def test_a_stored_notebook_is_small_and_names_no_machine(file):
    text = file.read_text(encoding="utf-8")
    assert len(text) < 500_000
    without_pictures = re.sub(r'"image/png": "[^"]*"', "", text)
    machine = r"/(home|root|tmp|work|Users|usr|opt)/|site-packages|[A-Z]:\\\\"
    assert not re.search(machine, without_pictures)


@notebooks
def test_a_stored_notebook_is_as_it_is_written(file):
    """No metadata of an editor, and the same bytes when it is written again."""
    spec = importlib.util.spec_from_file_location("execute", FOLDER / "execute.py")
    execute = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(execute)
    settled = execute.settled(nbformat.read(file, as_version=4))
    assert nbformat.writes(settled) + "\n" == file.read_text(encoding="utf-8")
