"""``gops-lab explore`` serves the page until Ctrl-C."""

import json
import os
import signal
import socket
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from urllib.error import HTTPError
from urllib.parse import urlencode
from urllib.request import urlopen

import pytest

import gops_lab as gl
from gops_lab.cli import main

COMMAND = [sys.executable, "-m", "gops_lab.cli", "explore", "--no-browser"]


@pytest.fixture
def run():
    """Return a function that starts the command and waits until it answers."""
    pytest.importorskip("uvicorn", reason="uvicorn is not installed")
    running = []

    def start(*arguments):
        process = subprocess.Popen(
            [*COMMAND, *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        )
        running.append(process)
        return process, process.stdout.readline()

    yield start
    for process in running:
        process.kill()
        process.communicate()


def test_it_says_where_it_is_and_stops_with_ctrl_c(run, tmp_path):
    gl.solve(gl.Rules(cards=3, ties="split"), "win").save(tmp_path / "three")
    process, line = run("--json", "--solution", str(tmp_path / "three"))
    address = json.loads(line)["address"]
    assert address.startswith("http://127.0.0.1:")
    with urlopen(f"{address}api/start") as answer:
        assert json.load(answer)["link"] == "cards=3&ties=split&objective=win"
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=30)
    assert (process.returncode, out, err) == (0, "", "")


def test_it_stops_in_the_midst_of_a_solve(run):
    process, line = run("--json")
    slow = "cards=12&line=7&prizes=1,2,3,4,5,6,7,8,9,10,11,100"  # most of a minute
    with ThreadPoolExecutor() as other:
        address = json.loads(line)["address"]
        asked = other.submit(urlopen, f"{address}api/position?{urlencode({'link': slow})}")
        time.sleep(1)
        assert not asked.done()
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=20)
        assert (process.returncode, out, err) == (0, "", "")
        with pytest.raises(HTTPError) as refused:
            asked.result()
    assert json.load(refused.value) == {"error": "the server was stopped before this was found"}


@pytest.mark.skipif(os.name == "nt", reason="a shell script stands for the browser")
def test_it_opens_the_browser_at_the_position(run, tmp_path, monkeypatch):
    browser = tmp_path / "browser"
    browser.write_text('#!/bin/sh\necho "$1" > "$0.opened"\n')
    browser.chmod(0o755)
    monkeypatch.setenv("BROWSER", f"{browser} %s")
    monkeypatch.setattr(f"{__name__}.COMMAND", COMMAND[:-1])
    _, line = run("--cards", "4", "--line", "3")
    opened = tmp_path / "browser.opened"
    deadline = time.monotonic() + 30
    while not (opened.exists() and opened.read_text()) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert opened.read_text().strip() == f"{line.split()[4]}#cards=4&line=3"


def test_rules_line_and_opponents_are_chosen_on_the_command_line(run, tmp_path):
    gl.solve(gl.Rules(cards=4)).save(tmp_path / "four")
    name = f"solution:{tmp_path / 'four'}"
    _, line = run("--cards", "4", "--line", "3:1:2,4", "--against", name)
    assert line.startswith("GOPS Lab is at http://127.0.0.1:")
    with urlopen(f"{line.split()[4]}api/start") as answer:
        found = json.load(answer)
    assert found["link"] == "cards=4&line=3:1:2,4"
    assert found["opponents"][0] == name


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["--port", "{taken}"], "cannot be used"),
        (["--port", "65536"], "port 65536 cannot be used"),
        (["--against", "nobody"], "there is no strategy 'nobody'"),
        (["--against", "table:nowhere.csv"], "nowhere.csv"),
        (["--cards", "4", "--line", "3:9:9"], "bid 9 is not in A's hand"),
    ],
)
def test_bad_arguments_cost_one_line(capsys, arguments, sentence):
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = str(taken.getsockname()[1])
        arguments = [one.format(taken=port) for one in arguments]
        assert main(["explore", "--no-browser", *arguments]) == 2
    out, err = capsys.readouterr()
    assert (out, len(err.splitlines())) == ("", 1)
    assert sentence in err


def test_without_starlette_one_sentence_says_what_to_install():
    code = (
        "import sys; sys.modules['starlette'] = sys.modules['uvicorn'] = None\n"
        "from gops_lab.cli import main\n"
        "raise SystemExit(main(['explore', '--no-browser']))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, env=os.environ
    )
    assert done.returncode == 2
    assert done.stderr == (
        "gops-lab: error: Starlette and uvicorn are not installed; "
        "pip install 'gops-lab[explore]' brings them\n"
    )
