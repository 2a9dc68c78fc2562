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


def outputs(file):
    """Return all outputs stored in a notebook."""
    return [
        output
        for cell in nbformat.read(file, as_version=4).cells
        if cell.cell_type == "code"
        for output in cell.outputs
    ]


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
    """Its assertions hold, and nothing is said on standard error: no warning either."""
    if file.stem in NEEDS:
        pytest.importorskip(NEEDS[file.stem])
    package = str(Path(gops_lab.__file__).parents[1])
    path = os.pathsep.join(filter(None, [package, os.environ.get("PYTHONPATH")]))
    client = NotebookClient(
        nbformat.read(file, as_version=4), timeout=300, kernel_name="python3",
        resources={"metadata": {"path": str(FOLDER)}},
    )
    done = client.execute(env={**os.environ, "PYTHONPATH": path, "IPYTHONDIR": str(tmp_path)})
    said = [
        output.text
        for cell in done.cells
        for output in cell.get("outputs", [])
        if output.output_type == "stream" and output.name == "stderr"
    ]
    assert not said
    last = [cell.source for cell in done.cells if cell.cell_type == "code"][-1]
    assert re.search(r"^assert ", last, re.MULTILINE)


@notebooks
def test_a_stored_notebook_can_be_read_without_running_it(file):
    cells = [cell for cell in nbformat.read(file, as_version=4).cells if cell.cell_type == "code"]
    assert [cell.execution_count for cell in cells] == list(range(1, len(cells) + 1))
    shown = [output.get("data", {}) for output in outputs(file)]
    pictures = [data["image/png"] for data in shown if "image/png" in data]
    assert pictures
    for picture in pictures:
        assert base64.b64decode(picture).startswith(b"\x89PNG\r\n")
    assert not any(output.output_type in ("error", "stream") for output in outputs(file))


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
