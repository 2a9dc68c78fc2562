"""Solves that are interrupted, at any moment and in any way, end with the same bytes."""

import errno
import json
import os
import re
import shutil
import signal
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

import numpy as np
import pytest

import gops_lab as gl
from gops_lab import cli
from gops_lab.errors import ArgumentError, OccupiedError, StoreError
from gops_lab.induction import files
from gops_lab.induction import growing as growing_module
from gops_lab.induction.rectangle import plan
from gops_lab.induction.solve import solve_states

UNEQUAL = gl.Rules(hand_a=(1, 3, 4, 6), hand_b=(2, 3, 5, 7), prizes=(1, 2, 4, 6))
LATER = gl.State((1, 2, 4), (1, 3, 4), (1, 4), upcard=2, carried=3)


def cube(lead):
    return lead**3


def kept_as(dtype):
    """Solve the 5-card game with values of a type that `gl.solve` does not take."""

    def solve(**out):
        rules = gl.Rules(cards=5)
        return solve_states(rules, "margin", [gl.game.start(rules)], dtype=dtype, **out)

    return solve


SOLVES = {
    "margin": lambda **out: gl.solve(gl.Rules(cards=5), **out),
    "discard, top two": lambda **out: gl.solve(gl.Rules(cards=6, ties="discard"), keep=2, **out),
    "win": lambda **out: gl.solve(UNEQUAL, "win", **out),
    "win, top tier": lambda **out: gl.solve(gl.Rules(cards=4), "win", keep=1, **out),
    "known order": lambda **out: gl.solve(gl.Rules(cards=5, order=(2, 5, 1, 3, 4)), **out),
    "utility": lambda **out: gl.solve(UNEQUAL, cube, **out),
    "later": lambda **out: gl.solve(gl.Rules(cards=4), start=LATER, keep=1, **out),
    "float32": kept_as("float32"),
    "int32": kept_as("int32"),
    "fractions, top two": lambda **out: gl.solve(
        gl.Rules(cards=3, hand_b=(2, 3, 5)), exact=True, keep=2, **out
    ),
    "highs": lambda **out: gl.solve(gl.Rules(cards=3), "win", method="highs", **out),
}


@pytest.fixture(autouse=True)
def small_shards(monkeypatch):
    """Make small decks take many work units."""
    monkeypatch.setattr(plan, "GAMES_PER_SHARD", 100)


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    """Return a function that gives the folder of a solve that was not disturbed; only look."""
    made = {}

    def solved(name):
        if name not in made:
            made[name] = tmp_path_factory.mktemp("whole") / "solution"
            SOLVES[name](out=made[name])
        return made[name]

    return solved


class Stop(BaseException):
    """Raised in the middle of a solve; nothing catches it."""


def stopped(name, folder, after, monkeypatch, error=Stop):
    """Solve until `after` work units are in the journal, then raise."""
    with monkeypatch.context() as patch:
        real = growing_module.Journal.add
        left = [after]

        def add(journal, line):
            if left[0] == 0:
                raise error
            left[0] -= 1
            real(journal, line)

        patch.setattr(growing_module.Journal, "add", add)
        with pytest.raises(error):
            SOLVES[name](out=folder)
    return folder


def contents(folder):
    """Return what a folder holds, but for the time of writing."""
    return {path.name: path.read_bytes() for path in folder.iterdir() if path.name != "run.json"}


def journal(folder):
    return [json.loads(line) for line in (folder / "journal.jsonl").read_text().splitlines()]


def flip(path, place):
    data = bytearray(path.read_bytes())
    data[place] ^= 1
    path.write_bytes(data)


# An undisturbed solve


@pytest.mark.parametrize("name", SOLVES)
def test_the_folder_is_what_save_would_write(whole, tmp_path, name):
    """One format: a solution that grew and one that was saved cannot be told apart."""
    solved = SOLVES[name]()
    solved.save(tmp_path / "saved")
    assert contents(whole(name)) == contents(tmp_path / "saved")
    loaded = gl.load(whole(name))
    assert loaded.value() == solved.value()
    assert loaded.reports == solved.reports
    assert loaded.tables.keys() == solved.tables.keys()


@pytest.mark.parametrize("name", SOLVES)
def test_what_solve_returns_answers(whole, tmp_path, name):
    """From the files that it wrote, which are only read from now on."""
    solved, plain = SOLVES[name](out=tmp_path / "new"), SOLVES[name]()
    assert solved.first_bids().equals(plain.first_bids())
    assert solved.bounds() == plain.bounds()
    for table in solved.tables.values():
        if hasattr(table, "plan"):
            assert not table.values.flags.writeable
    assert contents(tmp_path / "new") == contents(whole(name))


@pytest.mark.parametrize("dtype", ["float64", "float32", "int32"])
def test_the_manifest_says_what_numbers_mean(tmp_path, dtype):
    solved = kept_as(dtype)(out=tmp_path / "new")
    manifest = json.loads((tmp_path / "new" / "manifest.json").read_text())
    for number, tier in manifest["tiers"].items():
        values = np.load(tmp_path / "new" / tier["files"]["values"]["name"])
        assert values.dtype.str == {"float64": "<f8", "float32": "<f4", "int32": "<i4"}[dtype]
        assert tier["dtype"] == dtype
        # 15 points are just below 2**31 steps.
        assert tier["step"] == (2.0**-27 if dtype == "int32" else 1.0)
        table = solved.tables[int(number)]
        assert np.array_equal(table.values * table.step, values * tier["step"])
    exact = kept_as("float64")()
    for tier, table in exact.tables.items():
        near = solved.tables[tier].values * solved.tables[tier].step
        assert np.all(np.abs(near - table.values) <= solved.reports[tier].error)


def test_with_keep_the_lower_tiers_go(tmp_path, monkeypatch):
    """They are deleted as the solve rises: never more than the two lowest at work are there."""
    folder = tmp_path / "new"
    seen = []

    def look(cards, done, total):
        seen.append((cards, sorted(file.name[:7] for file in folder.glob("tier-*"))))

    gl.solve(gl.Rules(cards=6, ties="discard"), keep=2, out=folder, progress=look)
    assert dict(seen) == {
        1: ["tier-01"], 2: ["tier-01", "tier-02"], 3: ["tier-02", "tier-03"],
        4: ["tier-03", "tier-04"], 5: ["tier-04", "tier-05"],
    }  # fmt: skip
    assert {file.name[:7] for file in folder.glob("tier-*")} == {"tier-05", "tier-06"}


# Killed


KILLED = """
import json, os, shutil, signal, sys
sys.path.insert(0, sys.argv[1])
import test_resume
from pathlib import Path
from gops_lab.errors import StoreError
from gops_lab.induction.rectangle import plan
import gops_lab as gl

plan.GAMES_PER_SHARD = 100
folder, name = Path(sys.argv[2]), sys.argv[3]
solve = test_resume.SOLVES[name]
solve(out=folder / "whole")  # compiles
expected = test_resume.contents(folder / "whole")

def child(work):
    pid = os.fork()
    if pid == 0:
        try:
            work()
        finally:
            os._exit(0)
    return os.waitpid(pid, 0)[1] == 0

def killed(count, place):
    calls = 0
    def kill_at(real):
        def counted(*arguments):
            nonlocal calls
            calls += 1
            if calls == count:
                os.kill(os.getpid(), signal.SIGKILL)
            return real(*arguments)
        return counted
    os.fsync, os.replace, os.unlink = map(kill_at, (os.fsync, os.replace, os.unlink))
    Path.unlink = kill_at(Path.unlink)
    Path.replace = kill_at(Path.replace)
    solve(out=place)

found = []
for count in range(1, 1000):
    place = folder / str(count)
    if child(lambda: killed(count, place)):
        break
    try:
        gl.load(place)
        loads = True
    except StoreError:
        loads = False
    complete = (place / "manifest.json").exists()
    if count % 3 == 0 and not complete:  # killed again, while it goes on
        child(lambda: (setattr(test_resume, "again", True), killed_again(place)))
    solve(out=place, resume=True)
    found.append([loads == complete, test_resume.contents(place) == expected])
    shutil.rmtree(place)
print(json.dumps(found))
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
@pytest.mark.parametrize("name", ["win, top tier", "margin", "fractions, top two"])
def test_killed_before_any_of_its_steps(tmp_path, name):
    """At every moment that something is flushed, renamed or deleted."""
    done = subprocess.run(
        [sys.executable, "-c", KILLED, Path(__file__).parent, tmp_path, name],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.stderr == ""
    found = json.loads(done.stdout)
    assert len(found) > 12
    assert all(right for row in found for right in row)
