"""Execute the notebooks and store them with their outputs: run twice, the bytes are the same.

    python notebooks/execute.py            all of them
    python notebooks/execute.py 03 07      those whose names begin so
"""

import argparse
import sys
from pathlib import Path

import nbformat
from nbclient import NotebookClient

from gops_lab.induction.files import replace_file

FOLDER = Path(__file__).parent
WIDGET = "application/vnd.jupyter.widget-view+json"


def execute(file, timeout=120):
    """Return a notebook, executed in its folder by the Python that runs this."""
    notebook = nbformat.read(file, as_version=4)
    client = NotebookClient(
        notebook, timeout=timeout, kernel_name="python3", record_timing=False,
        store_widget_state=False, resources={"metadata": {"path": str(Path(file).parent)}},
    )
    client.execute()
    return settled(notebook)


def settled(notebook):
    """Drop what differs from run to run and machine to machine and says nothing to a reader."""
    notebook.nbformat, notebook.nbformat_minor = 4, 5
    notebook.metadata = nbformat.from_dict(
        {
            "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
            "language_info": {"name": "python"},
        }
    )
    for number, cell in enumerate(notebook.cells, start=1):
        cell.id = f"cell-{number:02}"
        cell.metadata = nbformat.from_dict({})
        for output in cell.get("outputs", []):
            # The model of a widget is gone with its kernel; what it says as text is kept.
            output.get("data", {}).pop(WIDGET, None)
    return notebook


def write(notebook, file):
    """Replace a notebook's file, whole or not at all."""
    nbformat.validate(notebook)
    replace_file(Path(file), (nbformat.writes(notebook) + "\n").encode())


def main(arguments=None):
    """Execute the notebooks that are named, or all."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("names", nargs="*", help="how the names begin; default all notebooks")
    names = parser.parse_args(arguments).names
    files = sorted(FOLDER.glob("[0-9][0-9]_*.ipynb"))
    unknown = [name for name in names if not any(file.name.startswith(name) for file in files)]
    if unknown:
        parser.error(f"no notebook's name begins with {unknown[0]!r}")
    for file in files:
        if not names or file.name.startswith(tuple(names)):
            write(execute(file), file)
            print(file.name, f"{file.stat().st_size / 1000:.0f} kB")
    return 0


if __name__ == "__main__":
    sys.exit(main())
