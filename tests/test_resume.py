"""Solves that are interrupted, at any moment and in any way, end with the same bytes."""

import errno
import hashlib
import json
import os
import re
import shutil
import signal
import subprocess
import sys
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

def killed(count, place, resume=False):
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
    solve(out=place, resume=resume)

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
    if count % 3 == 0:  # killed again, while it goes on
        child(lambda: killed(5, place, resume=True))
    solve(out=place, resume=True)
    after = test_resume.contents(place)
    names = {*after, *expected}
    different = sorted(name for name in names if after.get(name) != expected.get(name))
    found.append([count, loads == complete, different])
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
    assert [row for row in found if not row[1] or row[2]] == []


def test_killed_by_itself_after_some_work_units(tmp_path, whole):
    """In another process, with its threads at work; then resumed in this one."""
    script = (
        "import os, signal, sys; sys.path.insert(0, sys.argv[1])\n"
        "import test_resume; from gops_lab.induction.rectangle import plan\n"
        "plan.GAMES_PER_SHARD = 100\n"
        "def kill(cards, done, total):\n"
        "    if done > int(sys.argv[3]): os.kill(os.getpid(), signal.SIGKILL)\n"
        "test_resume.SOLVES['margin'](out=sys.argv[2], progress=kill, workers=2)\n"
    )
    for games in (0, 700):
        folder = tmp_path / str(games)
        done = subprocess.run(
            [sys.executable, "-c", script, Path(__file__).parent, folder, str(games)],
            capture_output=True, text=True, check=False,
        )  # fmt: skip
        assert (done.returncode, done.stderr) == (-signal.SIGKILL, "")
        assert len(journal(folder)) >= 2
        SOLVES["margin"](out=folder, resume=True)
        assert contents(folder) == contents(whole("margin"))


# Stopped, and gone on with


@pytest.mark.parametrize("name", SOLVES)
@pytest.mark.parametrize("after", [0, 1, 2])
def test_resume_ends_with_the_same_bytes(whole, tmp_path, monkeypatch, name, after):
    folder = stopped(name, tmp_path / "new", after, monkeypatch)
    assert len(journal(folder)) == 1 + after
    solved = SOLVES[name](out=folder, resume=True)
    assert contents(folder) == contents(whole(name))
    assert solved.reports == gl.load(whole(name)).reports


def test_finished_work_units_are_not_solved_again(whole, tmp_path, monkeypatch):
    folder = stopped("margin", tmp_path / "new", 9, monkeypatch)
    units = len(journal(folder)) - 1
    told = []
    SOLVES["margin"](out=folder, resume=True, progress=lambda *step: told.append(step))
    fresh = []
    SOLVES["margin"](progress=lambda *step: fresh.append(step))
    assert units == 9
    assert told == fresh[units:]


@pytest.mark.parametrize("after", [3, 9, 15])
def test_stopped_again_and_again(whole, tmp_path, monkeypatch, after):
    folder = tmp_path / "new"
    real = growing_module.Journal.add

    def add(journal, line):
        real(journal, line)
        left[0] -= 1
        if left[0] == 0:
            raise Stop

    monkeypatch.setattr(growing_module.Journal, "add", add)
    for _ in range(1000):
        left = [after]
        try:
            SOLVES["discard, top two"](out=folder, resume=True)
        except Stop:
            continue
        break
    assert contents(folder) == contents(whole("discard, top two"))


@pytest.mark.parametrize("error", [KeyboardInterrupt, MemoryError])
def test_an_interrupt_leaves_no_thread_at_work(whole, tmp_path, error):
    """What is written after the lock is let go of could meet another process."""
    import threading

    folder = tmp_path / "new"

    def interrupt(cards, done, total):
        raise error

    with pytest.raises(error):
        SOLVES["margin"](out=folder, progress=interrupt)
    assert not [each for each in threading.enumerate() if each.name.startswith("gops-sweep")]
    SOLVES["margin"](out=folder, resume=True)
    assert contents(folder) == contents(whole("margin"))


def test_what_is_half_written_is_solved_again(whole, tmp_path, monkeypatch):
    """Bytes behind the last finished unit, padding too, and a torn last line do not matter."""
    folder = stopped("margin", tmp_path / "new", 8, monkeypatch)
    line = journal(folder)[-1]
    part = folder / f"tier-{line['tier']:02d}-values.part"
    before = part.read_bytes()
    length = np.load(next(whole("margin").glob(f"tier-{line['tier']:02d}-values-*"))).size
    end = len(before) - 8 * (length - line["end"])
    assert end < len(before)
    part.write_bytes(before[:end] + b"\xaa" * (len(before) - end))
    (folder / "tier-05-values.part").write_bytes(b"nothing of value")
    with (folder / "journal.jsonl").open("ab") as file:
        file.write(b'{"tier": 3, "un')
    SOLVES["margin"](out=folder, resume=True)
    assert contents(folder) == contents(whole("margin"))


# What is unfinished is no solution


def test_an_unfinished_folder_does_not_load(tmp_path, monkeypatch):
    folder = stopped("margin", tmp_path / "new", 5, monkeypatch)
    before = contents(folder)
    solved = SOLVES["margin"]()
    for use in (
        lambda: gl.load(folder), lambda: solved.save(folder), lambda: SOLVES["margin"](out=folder),
    ):
        with pytest.raises(StoreError, match=r"not finished.*resume=True.*--resume") as raised:
            use()
        assert "\n" not in str(raised.value)
    assert contents(folder) == before


def change_line(folder, changed, **changes):
    """Change one line of a journal, as a program would that knows the format."""
    text = b""
    for number, line in enumerate(journal(folder)):
        data = line | changes if number == changed else line
        del data["line_sha256"]
        before = text.splitlines(keepends=True)[-1] if text else b""
        digest = hashlib.sha256(before + json.dumps(data).encode()).hexdigest()
        text += (json.dumps({**data, "line_sha256": digest}) + "\n").encode()
    (folder / "journal.jsonl").write_bytes(text)


OTHERS = {
    "rules": lambda **out: gl.solve(gl.Rules(cards=5, ties="split"), **out),
    "objective": lambda **out: gl.solve(gl.Rules(cards=5), "win", **out),
    "start": lambda **out: gl.solve(
        gl.Rules(cards=5), start=gl.State((1, 2, 3, 4), (1, 2, 3, 4), (1, 2, 3, 5)), **out
    ),
    "start_leads": lambda **out: solve_states(
        gl.Rules(cards=5), "margin",
        [gl.game.start(gl.Rules(cards=5)), gl.State(*[(1, 2, 3, 4, 5)] * 3, lead=2)], **out,
    ),
    "exact": lambda **out: gl.solve(gl.Rules(cards=5), exact=True, **out),
    "method": lambda **out: gl.solve(gl.Rules(cards=5), method="highs", **out),
    "keep": lambda **out: gl.solve(gl.Rules(cards=5), keep=3, **out),
    "dtype": kept_as("float32"),
}  # fmt: skip


@pytest.mark.parametrize("name", OTHERS)
@pytest.mark.parametrize("finished", [False, True])
def test_another_solve_is_refused(whole, tmp_path, monkeypatch, name, finished):
    """Whether the folder is complete or not, and nothing is overwritten."""
    if finished:
        folder = shutil.copytree(whole("margin"), tmp_path / "new")
    else:
        folder = stopped("margin", tmp_path / "new", 5, monkeypatch)
    before = contents(folder)
    with pytest.raises(OccupiedError, match=f"other {name}: "):
        OTHERS[name](out=folder, resume=True)
    assert contents(folder) == before


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"format_version": 2}, "format version 2; this program reads version 1; a newer gops_lab"),
        ({"format_version": 0}, "format version 0; this program reads version 1$"),
        ({"format": "diary"}, "not the journal of a solve"),
        ({"versions": {"gops_lab": "9"}}, "other versions: .*'9'"),
    ],
)
def test_a_journal_of_another_version_is_refused(tmp_path, monkeypatch, changes, message):
    folder = stopped("margin", tmp_path / "new", 5, monkeypatch)
    change_line(folder, 0, **changes)
    before = contents(folder)
    with pytest.raises(StoreError, match=message):
        SOLVES["margin"](out=folder, resume=True)
    assert contents(folder) == before


@pytest.mark.parametrize(
    ("name", "changes"),
    [
        ("fractions, top two", {"tier": None}),
        ("fractions, top two", {"report": {}}),
        ("fractions, top two", {"table": {}}),
        ("fractions, top two", {"table": {"files": {}}}),
        ("fractions, top two", {"table": {"layout": "blocks"}}),
        ("margin", {"unit": "1"}),
        ("margin", {"end": 1.5}),
        ("margin", {"worst_gap": None}),
        ("margin", {"mine": 1}),
    ],
)
def test_a_line_of_the_wrong_shape_is_refused(tmp_path, monkeypatch, name, changes):
    """Sealed as it should be: one sentence, not whatever comes of it later."""
    folder = stopped(name, tmp_path / "new", 2, monkeypatch)
    if changes.get("table"):
        changes = {"table": journal(folder)[2]["table"] | changes["table"]}
    change_line(folder, 2, **changes)
    with pytest.raises(StoreError, match=r"journal\.jsonl is garbled"):
        SOLVES[name](out=folder, resume=True)


@pytest.mark.parametrize("resume", [False, True])
@pytest.mark.parametrize("name", ["thesis.txt", "tier-01-values.npy", "journal.txt"])
def test_a_folder_of_something_else_is_refused(tmp_path, name, resume):
    (tmp_path / name).write_text("mine")
    with pytest.raises(OccupiedError, match="other files"):
        SOLVES["margin"](out=tmp_path, resume=resume)
    assert contents(tmp_path) == {name: b"mine"}


def test_a_finished_solution_is_used_or_refused(whole, tmp_path, monkeypatch):
    folder = shutil.copytree(whole("margin"), tmp_path / "new")
    before = contents(folder)
    with pytest.raises(OccupiedError, match=r"holds a solution already.*--resume"):
        SOLVES["margin"](out=folder)
    monkeypatch.setattr("gops_lab.induction.rectangle.solve_plan", None)
    assert SOLVES["margin"](out=folder, resume=True).reports == gl.load(folder).reports
    assert contents(folder) == before


def test_resume_needs_a_folder():
    with pytest.raises(ArgumentError, match="out=FOLDER"):
        gl.solve(gl.Rules(cards=2), resume=True)


# What is damaged is not gone on with


def damaged(folder, path, damage):
    before = contents(folder)
    damage(path)
    after = contents(folder)
    assert after != before
    with pytest.raises(StoreError, match=r"damaged|cannot be opened") as raised:
        SOLVES["margin"](out=folder, resume=True)
    assert str(folder) in str(raised.value)
    assert contents(folder) == after
    return before


def test_a_flipped_bit_in_finished_values_is_refused(tmp_path, monkeypatch):
    """Also where the unit is not the last of its tier, and where the tier is complete."""
    folder = stopped("margin", tmp_path / "new", 12, monkeypatch)
    lines = journal(folder)[1:]
    for line in lines:
        part = folder / f"tier-{line['tier']:02d}-values.part"
        end = 128 + 8 * line["end"]
        for place in (40, end - 8, end - 1):
            data = part.read_bytes()
            damaged(folder, part, lambda path, place=place: flip(path, place))
            part.write_bytes(data)


@pytest.mark.parametrize(
    "damage",
    [
        lambda path: path.unlink(),
        lambda path: path.write_bytes(b""),
        lambda path: path.write_bytes(path.read_bytes()[:-1]),
        lambda path: path.write_bytes(path.read_bytes()[:100]),
        lambda path: path.write_bytes(path.read_bytes() + b"\0"),
    ],
)
def test_a_truncated_file_is_refused(tmp_path, monkeypatch, damage):
    folder = stopped("margin", tmp_path / "new", 12, monkeypatch)
    for line in journal(folder)[1:]:
        part = folder / f"tier-{line['tier']:02d}-values.part"
        data = part.read_bytes()
        damaged(folder, part, damage)
        part.write_bytes(data)


def test_a_damaged_journal_is_refused(tmp_path, monkeypatch):
    """Any bit of any line: a gap that reads smaller would make a bound that is not certified."""
    folder = stopped("margin", tmp_path / "new", 6, monkeypatch)
    path = folder / "journal.jsonl"
    data = path.read_bytes()
    lines = data.splitlines(keepends=True)
    for place in range(len(lines[0]) // 2, len(data) - 1, 7):
        path.write_bytes(data[:place] + bytes([data[place] ^ 1]) + data[place + 1 :])
        with pytest.raises(StoreError):
            SOLVES["margin"](out=folder, resume=True)
    for order in ([0, 2, 1, 3], [0, 2], [0, 1, 1, 2], [1, 0], [1, 2]):
        path.write_bytes(b"".join(lines[number] for number in order))
        with pytest.raises(StoreError):
            SOLVES["margin"](out=folder, resume=True)


@pytest.mark.parametrize("damage", [b"", b'{"format": "gops_lab journal"'])
def test_a_journal_without_a_beginning_is_refused(tmp_path, damage):
    (tmp_path / "journal.jsonl").write_bytes(damage)
    with pytest.raises(StoreError, match="not the journal"):
        SOLVES["margin"](out=tmp_path, resume=True)


# Two processes


@pytest.mark.parametrize("moment", [1, 10])
def test_a_second_process_is_refused(whole, tmp_path, moment):
    folder = tmp_path / "new"
    script = (
        "import sys; sys.path.insert(0, sys.argv[1]); import test_resume\n"
        "test_resume.SOLVES['margin'](out=sys.argv[2], resume=True)"
    )
    errors = []
    calls = []

    def meanwhile(cards, done, total):
        calls.append(done)
        if len(calls) == moment:
            second = subprocess.run(
                [sys.executable, "-c", script, Path(__file__).parent, folder],
                capture_output=True, text=True, check=False,
            )  # fmt: skip
            errors.append(second.stderr)
            with pytest.raises(StoreError, match="in use by another process"):
                SOLVES["margin"](out=folder, resume=True)

    SOLVES["margin"](out=folder, progress=meanwhile)
    assert re.search("StoreError: .*in use by another process", errors[0])
    assert contents(folder) == contents(whole("margin"))


# No space


@pytest.mark.parametrize("tier", [1, 3, 5])
def test_a_full_disk_while_space_is_reserved(whole, tmp_path, monkeypatch, tier):
    folder = tmp_path / "new"
    real = files._reserve

    def reserve(file, first, size):
        if Path(file.name).name.startswith(f"tier-{tier:02d}"):
            file.write(b"some of it")
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        real(file, first, size)

    with monkeypatch.context() as patch:
        patch.setattr(files, "_reserve", reserve)
        with pytest.raises(StoreError, match=f"tier-{tier:02d}.*written: No space left"):
            SOLVES["margin"](out=folder)
    assert not list(folder.glob(f"tier-{tier:02d}-*"))
    SOLVES["margin"](out=folder, resume=True)
    assert contents(folder) == contents(whole("margin"))


@pytest.mark.parametrize("name", ["margin", "fractions, top two"])
def test_a_disk_that_is_full_at_any_flush(whole, tmp_path, monkeypatch, name):
    real = os.fsync
    for count in range(1, 1000):
        folder = tmp_path / str(count)
        calls = [0]

        def fsync(descriptor, calls=calls, count=count):
            calls[0] += 1
            if calls[0] == count:
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
            real(descriptor)

        with monkeypatch.context() as patch:
            patch.setattr(os, "fsync", fsync)
            try:
                SOLVES[name](out=folder)
            except StoreError as error:
                said = str(error)
            else:
                break
        assert "No space left" in said
        with pytest.raises(StoreError):
            gl.load(folder)
        SOLVES[name](out=folder, resume=True)
        assert contents(folder) == contents(whole(name))
        shutil.rmtree(folder)
    assert count > 8


LIMITED = """
import resource, sys
sys.path.insert(0, sys.argv[1])
import test_resume
from gops_lab.errors import StoreError
from gops_lab.induction.rectangle import plan

plan.GAMES_PER_SHARD = 100
test_resume.SOLVES["margin"]()  # compiles
hard = resource.getrlimit(resource.RLIMIT_FSIZE)[1]
resource.setrlimit(resource.RLIMIT_FSIZE, (int(sys.argv[3]), hard))
try:
    test_resume.SOLVES["margin"](out=sys.argv[2])
except StoreError as error:
    print(error)
"""


@pytest.mark.skipif(sys.platform == "win32", reason="needs resource limits")
@pytest.mark.parametrize("limit", [100, 2000, 4000])
def test_a_file_that_may_not_grow(whole, tmp_path, limit):
    """The system's own refusal, where a memory map would end the process with a signal."""
    folder = tmp_path / "new"
    done = subprocess.run(
        [sys.executable, "-c", LIMITED, Path(__file__).parent, folder, str(limit)],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert (done.returncode, done.stderr) == (0, "")
    assert re.fullmatch(r".* cannot be written: File too large\n", done.stdout)
    SOLVES["margin"](out=folder, resume=True)
    assert contents(folder) == contents(whole("margin"))


@pytest.mark.parametrize("how", ["missing", "refuses"])
def test_a_disk_that_cannot_reserve_space(whole, tmp_path, monkeypatch, how):
    """Zeros are written instead."""
    if how == "missing":
        monkeypatch.delattr(os, "posix_fallocate", raising=False)
    else:

        def refuse(*arguments):
            raise OSError(errno.EOPNOTSUPP, os.strerror(errno.EOPNOTSUPP))

        monkeypatch.setattr(os, "posix_fallocate", refuse, raising=False)
    SOLVES["margin"](out=tmp_path / "new")
    assert contents(tmp_path / "new") == contents(whole("margin"))


# The command line


def test_the_command_line_resumes(tmp_path, monkeypatch, capsys):
    """Ctrl-C leaves one line that says how to go on; going on ends as if nothing had been."""
    monkeypatch.chdir(tmp_path)
    flags = ["solve", "--cards", "5", "--keep", "3", "--json", "--out"]
    assert cli.main([*flags, "whole"]) == 0
    expected = capsys.readouterr().out
    real = growing_module.Journal.add
    calls = []

    def add(journal, line):
        calls.append(line)
        if len(calls) == 8:
            raise KeyboardInterrupt
        real(journal, line)

    with monkeypatch.context() as patch:
        patch.setattr(growing_module.Journal, "add", add)
        assert cli.main([*flags, "new"]) == 1
    out, err = capsys.readouterr()
    assert out == ""
    assert re.fullmatch(r"gops-lab: error: interrupted.*--resume.*new\n", err)
    assert cli.main([*flags, "new"]) == 2
    assert "--resume" in capsys.readouterr().err
    assert cli.main([*flags[:-1], "--objective", "win", "--out", "new", "--resume"]) == 2
    assert "other objective" in capsys.readouterr().err
    assert cli.main([*flags, "new", "--resume"]) == 0
    assert capsys.readouterr().out == expected
    assert contents(tmp_path / "new") == contents(tmp_path / "whole")
    assert len(list((tmp_path / "new").glob("tier-*-values-*"))) == 3


@pytest.mark.parametrize("typed", ["--keep 0", "--keep some", "--keep -1", "--resume"])
def test_what_cannot_be_asked_for(tmp_path, monkeypatch, capsys, typed):
    monkeypatch.chdir(tmp_path)
    flags = [] if typed == "--resume" else ["--out", "new"]
    assert cli.main(["solve", "--cards", "3", *flags, *typed.split()]) == 2
    assert len(capsys.readouterr().err.splitlines()) == 1
    assert contents(tmp_path) == {}
