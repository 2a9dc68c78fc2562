"""What the README and the pages of the documentation show is what happens."""

import csv
import doctest
import json
import re
import shlex
from pathlib import Path

import pytest

import gops_lab as gl
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


def test_how_fast_is_what_was_measured():
    text = README.read_text(encoding="utf-8").split("## How fast")[1].split("\n## ")[0]
    benchmarks = TOP / "results" / "benchmarks"
    with (benchmarks / "sweep.csv").open(encoding="utf-8", newline="") as file:
        measured = list(csv.DictReader(file))
    lines = re.findall(r"^\| (\d.*) \|$", text, re.MULTILINE)
    assert len(lines) > 4
    for line in lines:
        cards, ties, objective, *numbers = line.split(" | ")
        asked = {
            "cards": cards, "ties": ties, "objective": objective, "order": "random", "workers": "2",
        }
        (row,) = (row for row in measured if asked.items() <= row.items())
        assert numbers == [
            f"{int(row['stage_games']):,}", f"{float(row['wall_seconds']):.1f}",
            f"{float(row['peak_gib']):.1f}",
        ]
    machine = json.loads((benchmarks / "sweep.json").read_text(encoding="utf-8"))["machine"]
    assert machine["cores"] == 2
    assert f"two cores of an {machine['processor']}," in text
    small = [float(row["wall_seconds"]) for row in measured if int(row["cards"]) <= 8]
    assert max(small) < 1


def test_the_game_as_it_is_played_took_what_was_measured():
    text = README.read_text(encoding="utf-8")
    text = text.split("## The game as it is played")[1].split("\n## ")[0]
    with (TOP / "results/as_played/solves.csv").open(encoding="utf-8", newline="") as file:
        measured = {(row["cards"], row["ties"]): row for row in csv.DictReader(file)}
    lines = re.findall(r"^\| (\d.*) \|$", text, re.MULTILINE)
    assert any(line.startswith("13 | carry") for line in lines)
    for line in lines:
        cards, ties, *numbers = line.split(" | ")
        row = measured[cards, ties]
        assert numbers == [
            f"{int(row['stage_games']):,}", f"{float(row['wall_seconds']) / 60:.1f}",
            f"{float(row['cpu_seconds']) / 60:.1f}", f"{float(row['error']):.1e}",
        ]
    machines = [
        json.loads((TOP / "results" / file).read_text(encoding="utf-8"))["machine"]
        for file in ("as_played/solves.json", "benchmarks/sweep.json")
    ]
    assert machines[0]["processor"] == machines[1]["processor"]
    assert machines[0]["cores"] == machines[1]["cores"] == 2


def test_how_to_cite_says_what_the_citation_file_says():
    said = dict(
        re.findall(r'^ *-? ?([\w-]+): "?(.+?)"?$', (TOP / "CITATION.cff").read_text(), re.MULTILINE)
    )
    assert said["version"] == gl.__version__
    text = README.read_text(encoding="utf-8")
    entry = re.search(r"```bibtex\n@software\{gops_lab,\n(.*?)\n\}\n```", text, re.DOTALL)[1]
    fields = dict(re.findall(r"^  (\w+) = \{(.+)\},?$", entry, re.MULTILINE))
    assert fields == {
        "author": f"{{{said['name']}}}", "title": f"{{{said['title']}}}",
        "version": said["version"], "year": said["date-released"][:4],
    }
