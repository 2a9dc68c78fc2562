"""What the README and the pages of the documentation show is what happens."""

import doctest
import re
import shlex
from pathlib import Path

import pytest

from gops_lab.cli import main

TOP = Path(__file__).parents[1]
README = TOP / "README.md"
PAGES = [README, *sorted((TOP / "docs").glob("*.md"))]
WITH_PYTHON = [page for page in PAGES if ">>> " in page.read_text(encoding="utf-8")]
CONSOLE = r"```console\n(.*?)```"
WITH_CONSOLE = [page for page in PAGES if "```console" in page.read_text(encoding="utf-8")]


def name_of(page):
    return page.stem


def test_pages_with_examples_are_found():
    assert {"README", "tutorial", "how-to", "theory"} <= set(map(name_of, WITH_PYTHON))
    assert {"README", "tutorial"} <= set(map(name_of, WITH_CONSOLE))


def test_pictures_of_the_readme_are_there():
    pictures = re.findall(r"!\[.+?\]\((.+?)\)", README.read_text(encoding="utf-8"))
    assert pictures
    assert all((TOP / picture).is_file() for picture in pictures)


@pytest.mark.parametrize("page", WITH_PYTHON, ids=name_of)
def test_python_examples(page, tmp_path, monkeypatch):
    """All examples of a page are one session, in an empty folder."""
    monkeypatch.chdir(tmp_path)
    # A fence must not be taken for output; an empty line keeps the numbers of the lines.
    text = re.sub(r"^```.*$", "", page.read_text(encoding="utf-8"), flags=re.MULTILINE)
    examples = doctest.DocTestParser().get_doctest(text, {}, page.name, str(page), 0)
    done = doctest.DocTestRunner(optionflags=doctest.NORMALIZE_WHITESPACE).run(examples)
    assert done.attempted == len(re.findall(r"^>>> ", text, re.MULTILINE)) > 0
    assert done.failed == 0


@pytest.mark.parametrize("page", WITH_CONSOLE, ids=name_of)
def test_console_examples(page, capsys):
    blocks = re.findall(CONSOLE, page.read_text(encoding="utf-8"), re.DOTALL)
    assert blocks
    for block in blocks:
        command, shown = block.split("\n", 1)
        program, *arguments = shlex.split(command.removeprefix("$ "))
        assert program == "gops-lab"
        assert main(arguments) == 0
        assert capsys.readouterr().out == shown


def test_the_table_of_commands_runs(capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    commands = re.findall(r"^\| `gops-lab (.*?)`", README.read_text(encoding="utf-8"), re.MULTILINE)
    assert len(commands) >= 5
    for command in commands:
        assert main([*shlex.split(command), "--json"]) == 0, command
        assert capsys.readouterr().out.startswith("{")
