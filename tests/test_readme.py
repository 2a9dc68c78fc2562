"""What the README shows is what happens."""

import doctest
import re
import shlex
from pathlib import Path

from gops_lab.cli import main

README = Path(__file__).parents[1] / "README.md"


def test_python_examples(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    failed, tried = doctest.testfile(
        str(README), module_relative=False, optionflags=doctest.NORMALIZE_WHITESPACE
    )
    assert tried >= 8
    assert failed == 0


def test_console_examples(capsys):
    blocks = re.findall(r"```console\n(.*?)```", README.read_text(encoding="utf-8"), re.DOTALL)
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
