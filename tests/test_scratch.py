"""Solves with their tables on the disk: the same bytes, little memory, nothing left behind."""

import json
import os
import shutil
import subprocess
import sys
from collections import namedtuple

import numpy as np
import pytest

import gops_lab as gl
from gops_lab.cli import main
from gops_lab.errors import ArgumentError, ForecastError, OccupiedError, StoreError
from gops_lab.induction import files, growing
from gops_lab.induction.rectangle import plan

SOLVES = {
    "win": (gl.Rules(cards=6), "win"),
    "win, discard": (gl.Rules(cards=6, ties="discard"), "win"),
    "margin": (gl.Rules(cards=7), "margin"),
    "known order": (gl.Rules(cards=6, order="descending"), "win"),
}


@pytest.fixture
def small_shards(monkeypatch):
    """Make small decks take many work units."""
    monkeypatch.setattr(plan, "GAMES_PER_SHARD", 500)


@pytest.fixture
def forgetful(monkeypatch):
    """Let a solve give its memory back after every work unit; return how often it did."""
    times = []
    let_go = files.FillingArray.let_go

    def counted(filling):
        times.append(filling.path.name)
        let_go(filling)

    monkeypatch.setattr(files.FillingArray, "let_go", counted)
    monkeypatch.setattr(growing, "resident_memory", lambda: 2**62)
    return times


def contents(folder):
    return {path.name: path.read_bytes() for path in folder.iterdir() if path.name != "run.json"}


def same(first, second):
    """Return whether two solutions hold the same numbers."""
    return (
        first.reports == second.reports
        and first.tables.keys() == second.tables.keys()
        and all(
            np.array_equal(table.values, second.tables[tier].values)
            for tier, table in first.tables.items()
        )
    )


@pytest.mark.parametrize("name", SOLVES)
def test_the_same_numbers_with_tables_on_the_disk(tmp_path, small_shards, forgetful, name):
    solved = gl.solve(*SOLVES[name], keep=2, scratch=tmp_path, memory=2**32)
    plain = gl.solve(*SOLVES[name], keep=2)
    assert same(solved, plain)
    assert len(forgetful) > 4
    assert list(tmp_path.iterdir()) == []
    for table in solved.tables.values():
        assert not isinstance(table.values, np.memmap)


@pytest.mark.parametrize("ties", ["carry", "discard"])
@pytest.mark.parametrize("cards", [8, 9])
def test_the_same_bytes_with_little_memory(tmp_path, forgetful, cards, ties):
    rules = gl.Rules(cards=cards, ties=ties)
    budget = 2**27
    gl.solve(rules, "win", keep=3, out=tmp_path / "disk", scratch=tmp_path, memory=budget)
    gl.solve(rules, "win", keep=3).save(tmp_path / "memory")
    assert contents(tmp_path / "disk") == contents(tmp_path / "memory")
    assert len(forgetful) > 10


def test_what_is_kept_is_in_one_folder_and_what_passes_in_the_other(tmp_path, small_shards):
    out, scratch = tmp_path / "out", tmp_path / "scratch"
    seen = {}

    def look(cards, done, total):
        kept = {file.name[:7] for file in out.glob("tier-*")}
        passing = {file.name[:7] for file in scratch.glob("*/tier-*")}
        seen[cards] = kept, passing

    gl.solve(gl.Rules(cards=6), "win", keep=2, out=out, scratch=scratch, progress=look)
    assert seen == {
        1: (set(), {"tier-01"}), 2: (set(), {"tier-01", "tier-02"}),
        3: (set(), {"tier-02", "tier-03"}), 4: (set(), {"tier-03", "tier-04"}),
        5: ({"tier-05"}, {"tier-04"}), 6: ({"tier-05", "tier-06"}, set()),
    }  # fmt: skip
    assert list(scratch.iterdir()) == []
    gl.solve(gl.Rules(cards=6), "win", keep=2, out=tmp_path / "plain")
    assert contents(out) == contents(tmp_path / "plain")


class Stop(Exception):
    """Raised in the middle of a solve."""


def stopped(name, after, **where):
    """Begin a solve, and stop it after some work units."""
    left = iter(range(after))

    def stop(cards, done, total):
        if next(left, None) is None:
            raise Stop

    with pytest.raises(Stop):
        gl.solve(*SOLVES[name], keep=2, progress=stop, **where)


@pytest.mark.parametrize("after", [1, 5, 20])
@pytest.mark.parametrize("out", [False, True])
def test_resumed(tmp_path, small_shards, after, out):
    where = {"scratch": tmp_path / "scratch"} | ({"out": tmp_path / "out"} if out else {})
    stopped("win", after, **where)
    assert list((tmp_path / "scratch").iterdir())
    with pytest.raises(OccupiedError, match="not finished"):
        gl.solve(*SOLVES["win"], keep=2, **where)
    told = []
    solved = gl.solve(
        *SOLVES["win"], keep=2, resume=True, progress=lambda *step: told.append(step), **where
    )
    fresh = []
    plain = gl.solve(*SOLVES["win"], keep=2, progress=lambda *step: fresh.append(step))
    assert same(solved, plain)
    assert told == fresh[after + 1 :]
    assert list((tmp_path / "scratch").iterdir()) == []


def test_several_solves_share_a_folder(tmp_path, small_shards):
    """Rejects one that takes the tables of another for its own, or removes them."""
    (tmp_path / "mine.txt").write_text("keep me")
    stopped("win", 5, scratch=tmp_path)
    before = {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()}
    solved = gl.solve(*SOLVES["win, discard"], keep=2, scratch=tmp_path)
    assert same(solved, gl.solve(*SOLVES["win, discard"], keep=2))
    assert before == {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()}


@pytest.mark.parametrize("out", [False, True])
def test_what_is_not_the_solves_stays(tmp_path, small_shards, out):
    """Rejects one that removes the whole folder of its tables when it ends."""
    where = {"scratch": tmp_path / "scratch"} | ({"out": tmp_path / "out"} if out else {})
    mine = {}

    def add_files(cards, done, total):
        (place,) = (tmp_path / "scratch").iterdir()
        for name in ("precious.txt", "tier-03-notes.txt", "tier-06-values.csv"):
            mine[place / name] = name
            (place / name).write_text(name)

    gl.solve(*SOLVES["win"], keep=2, progress=add_files, **where)
    left = {path: path.read_text() for path in (tmp_path / "scratch").rglob("*.*")}
    assert left == mine != {}


@pytest.mark.parametrize("scratch", ["out", "out/scratch", "other/../out"])
def test_scratch_in_the_folder_of_the_solution(tmp_path, scratch):
    with pytest.raises(ArgumentError, match="must not be in out"):
        gl.solve(*SOLVES["win"], out=tmp_path / "out", scratch=tmp_path / scratch)
    assert list(tmp_path.iterdir()) == []


def test_only_one_process_at_a_time(tmp_path, small_shards):
    def again(cards, done, total):
        with pytest.raises(StoreError, match="in use by another process"):
            gl.solve(*SOLVES["win"], keep=2, scratch=tmp_path, resume=True)
        with pytest.raises(StoreError, match="in use by another process"):
            gl.solve(*SOLVES["win"], keep=2, scratch=tmp_path, out=tmp_path / "out")
        raise Stop

    with pytest.raises(Stop):
        gl.solve(*SOLVES["win"], keep=2, scratch=tmp_path, progress=again)


def test_another_scratch_folder_has_not_what_is_needed(tmp_path, small_shards):
    stopped("win", 20, scratch=tmp_path / "here", out=tmp_path / "out")
    with pytest.raises(StoreError, match="begun with another scratch folder"):
        gl.solve(*SOLVES["win"], keep=2, resume=True, scratch=tmp_path / "there",
                 out=tmp_path / "out")
    solved = gl.solve(*SOLVES["win"], keep=2, resume=True, scratch=tmp_path / "here",
                      out=tmp_path / "out")
    assert same(solved, gl.solve(*SOLVES["win"], keep=2))


def test_a_message_says_how_the_solve_was_begun(tmp_path, small_shards):
    """And what cannot be gone on with leaves no folder behind."""
    stopped("win", 20, out=tmp_path / "out")
    with pytest.raises(StoreError, match="begun without a scratch folder; go on without"):
        gl.solve(*SOLVES["win"], keep=2, resume=True, scratch=tmp_path, out=tmp_path / "out")
    assert [path.name for path in tmp_path.iterdir()] == ["out"]
    stopped("win", 20, scratch=tmp_path / "here", out=tmp_path / "other")
    with pytest.raises(StoreError, match="begun with a scratch folder, which is needed"):
        gl.solve(*SOLVES["win"], keep=2, resume=True, out=tmp_path / "other")


def test_the_advice_names_the_scratch_folder(tmp_path, small_shards):
    stopped("win", 5, scratch=tmp_path / "here")
    with pytest.raises(OccupiedError, match=r"--scratch \S+/here --resume\)"):
        gl.solve(*SOLVES["win"], keep=2, scratch=tmp_path / "here")


# Killed at random


KILLED = """
import os, random, signal, sys, time, traceback
import gops_lab as gl
from gops_lab.induction.rectangle import plan

plan.GAMES_PER_SHARD = 20_000
out, scratch = sys.argv[1:]
gl.solve(gl.Rules(cards=5), "win")  # compiles
chance = random.Random(20261203)
killed = 0
while True:
    child = os.fork()
    if child == 0:
        try:
            gl.solve(gl.Rules(cards=9), "win", keep=3, out=out, scratch=scratch, resume=True)
        except BaseException:
            traceback.print_exc()
        os._exit(0)
    if killed < 10:
        time.sleep(chance.uniform(0.05, 0.3))
        os.kill(child, signal.SIGKILL)
    if os.waitpid(child, 0)[1] == 0:
        break
    killed += 1
print(killed)
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_killed_ten_times_at_random(tmp_path):
    """In one solve, whatever it is at; the end is the same bytes."""
    out, scratch = tmp_path / "out", tmp_path / "scratch"
    done = subprocess.run(
        [sys.executable, "-c", KILLED, out, scratch], capture_output=True, text=True, check=False
    )
    assert (done.stdout, done.stderr) == ("10\n", "")
    gl.solve(gl.Rules(cards=9), "win", keep=3).save(tmp_path / "whole")
    assert contents(out) == contents(tmp_path / "whole")
    assert list(scratch.iterdir()) == []


# Refused


def test_too_little_memory(tmp_path):
    with pytest.raises(ForecastError, match=r"give a scratch folder with .* of space"):
        gl.solve(gl.Rules(cards=10), "win", memory=2**27)
    with pytest.raises(ForecastError, match=r"needs about .* of memory .* but 1\.0 KiB"):
        gl.solve(gl.Rules(cards=10), "win", memory=1024, scratch=tmp_path)
    with pytest.raises(ForecastError):
        gl.solve(gl.Rules(cards=5), "win", memory=1024, method="simplex", scratch=tmp_path)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("out", [False, True])
def test_too_small_a_disk(tmp_path, monkeypatch, out):
    usage = namedtuple("usage", "total used free")
    monkeypatch.setattr(shutil, "disk_usage", lambda path: usage(10**6, 0, 10**6))
    where = {"scratch": tmp_path / "scratch"} | ({"out": tmp_path / "out"} if out else {})
    with pytest.raises(ForecastError, match=r"tables need .* of space in .*scratch.* are free"):
        gl.solve(gl.Rules(cards=8), "win", keep=2, **where)
    assert list(tmp_path.iterdir()) == []
    gl.solve(gl.Rules(cards=6), "win", keep=2, **where)


def test_what_is_on_the_disk_already_counts_as_free(tmp_path, monkeypatch, small_shards):
    stopped("win", 25, scratch=tmp_path)
    usage = namedtuple("usage", "total used free")
    monkeypatch.setattr(shutil, "disk_usage", lambda path: usage(10**6, 0, 10_000))
    with pytest.raises(ForecastError):
        gl.solve(*SOLVES["win, discard"], scratch=tmp_path)
    solved = gl.solve(*SOLVES["win"], keep=2, scratch=tmp_path, resume=True)
    assert same(solved, gl.solve(*SOLVES["win"], keep=2))


@pytest.mark.parametrize("memory", [0, -1, 1.5, "4GiB", 2**63])
def test_memory_that_is_no_number_of_bytes(memory):
    with pytest.raises(ArgumentError, match="memory"):
        gl.solve(gl.Rules(cards=3), memory=memory)


@pytest.mark.parametrize("scratch", ["", 3, "a\0b"])
def test_scratch_that_is_no_folder(scratch):
    with pytest.raises(StoreError, match="must be a path"):
        gl.solve(gl.Rules(cards=3), "win", scratch=scratch)


# Memory that is given back


def test_memory_is_given_back(tmp_path):
    """Rejects a budget that is only looked at."""
    before = files.resident_memory()
    if not before:
        pytest.skip("this system does not say how much memory a process holds")
    size = 2**26
    files.reserve_array(tmp_path / "array", np.dtype(np.int8), size)
    filling = files.FillingArray(tmp_path / "array", np.dtype(np.int8), size)
    filling.values[:] = 7
    full = files.resident_memory()
    filling.let_go()
    assert full - before > 0.9 * size
    assert files.resident_memory() - before < 0.2 * size
    assert int(filling.values.sum(dtype=np.int64)) == 7 * size


# The command line


def test_commands(tmp_path, capsys):
    scratch = tmp_path / "scratch"
    arguments = ["--cards", "6", "--objective", "win", "--keep", "2", "--quiet"]
    assert main(["solve", *arguments, "--scratch", str(scratch), "--memory", "1.5GiB"]) == 0
    with_scratch = capsys.readouterr().out
    assert main(["solve", *arguments]) == 0
    assert capsys.readouterr().out == with_scratch
    assert list(scratch.iterdir()) == []


@pytest.mark.parametrize("size", ["0", "-1", "4 GB", "4gib", "1e9", "", "9999999GiB", "0.0KiB"])
def test_sizes_that_are_refused(size, capsys):
    assert main(["solve", "--cards", "3", "--memory", size]) == 2
    assert "is no size like 4GiB" in capsys.readouterr().err


def test_a_forecast_says_what_scratch_saves(capsys):
    arguments = ["forecast", "--cards", "12", "--objective", "win", "--keep", "3"]
    assert main([*arguments, "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["least_memory"] == found["memory"] - found["tables"]
    assert main(arguments) == 0
    assert "with --scratch about" in capsys.readouterr().out
    more = gl.forecast(gl.Rules(cards=12), "win", keep="all")
    assert more.tables > found["tables"]
