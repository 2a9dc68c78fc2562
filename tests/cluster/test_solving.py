"""Solves on a cluster end with the bytes of a solve without one, whatever happens to it."""

import resource
import shutil
import signal
import subprocess
import sys
import time

import pytest

pytest.importorskip("distributed", reason="Dask is not installed")

import gops_lab as gl
from gops_lab.cli import main
from gops_lab.cluster import check_small
from gops_lab.errors import ArgumentError, ClusterError, ForecastError, StoreError, WritingError
from gops_lab.induction import distributed
from gops_lab.induction.distributed import check_workers
from gops_lab.induction.rectangle import plan
from gops_lab.induction.solve import solve_states


def cube(lead):
    return lead**3


UNEQUAL = gl.Rules(hand_a=(1, 3, 4, 6), hand_b=(2, 3, 5, 7), prizes=(1, 2, 4, 6))
AHEAD = gl.State((1, 2, 3, 4, 5), (1, 2, 3, 4, 5), (1, 2, 3, 5), upcard=4, lead=3)
SOLVES = {
    "margin": (gl.Rules(cards=6),),
    "win": (gl.Rules(cards=6), "win"),
    "utility": (UNEQUAL, cube),
    "known order": (gl.Rules(cards=6, order="ascending"), "win"),
}


@pytest.fixture(autouse=True)
def small_shards(monkeypatch):
    """Make small decks take many work units."""
    monkeypatch.setattr(plan, "GAMES_PER_SHARD", 300)


def contents(folder):
    """Return what a folder holds, but for the time of writing."""
    return {path.name: path.read_bytes() for path in folder.iterdir() if path.name != "run.json"}


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    """Return a function: what a solve without a cluster leaves in its folder."""
    made = {}

    def solved(name, **how):
        key = (name, *how.items())
        if key not in made:
            folder = tmp_path_factory.mktemp("whole") / "out"
            gl.solve(*SOLVES[name], out=folder, **how)
            made[key] = contents(folder)
        return made[key]

    return solved


@pytest.mark.parametrize("name", SOLVES)
def test_the_same_bytes(cluster, whole, tmp_path, name):
    solution = gl.solve(*SOLVES[name], out=tmp_path / "out", client=cluster.client)
    assert contents(tmp_path / "out") == whole(name)
    assert solution.value() == gl.load(tmp_path / "out").value()


def test_with_scratch(cluster, whole, tmp_path):
    """Tiers that are not kept, and what workers write, are there and nowhere else."""
    seen = set()

    def look(*_):
        seen.update(path.name for path in (tmp_path / "out").iterdir())

    how = {"keep": 2, "scratch": tmp_path / "scratch", "client": cluster.client}
    gl.solve(*SOLVES["win"], out=tmp_path / "out", progress=look, **how)
    assert contents(tmp_path / "out") == whole("win", keep=2)
    assert not [name for name in seen if name.startswith("units")]
    assert list((tmp_path / "scratch").iterdir()) == []
    solution = gl.solve(*SOLVES["win"], **how)
    assert solution.value() == gl.load(tmp_path / "out").value()
    assert list((tmp_path / "scratch").iterdir()) == []


@pytest.mark.parametrize("dtype", ["int32", "float32"])
def test_other_types_and_a_start_with_a_lead(cluster, tmp_path, dtype):
    for folder, client in (("whole", None), ("out", cluster.client)):
        solve_states(
            gl.Rules(cards=5), cube, [AHEAD], out=tmp_path / folder, dtype=dtype, client=client
        )
    assert contents(tmp_path / "out") == contents(tmp_path / "whole")


def test_a_match(cluster, tmp_path):
    """Every game is played for what the next one is worth, which workers are told as a table."""
    for folder, client in (("whole", None), ("out", cluster.client)):
        gl.solve_match(gl.Rules(cards=4), 3, out=tmp_path / folder, client=client)
    for game in ("game-1", "game-2", "game-3"):
        assert contents(tmp_path / "out" / game) == contents(tmp_path / "whole" / game)


def test_few_tasks_and_nothing_large(cluster, whole, tmp_path, monkeypatch):
    """Rejects a task for each unit of a large solve, and tables that pass through the scheduler."""
    monkeypatch.setattr(distributed, "TASKS", 10)
    monkeypatch.setattr(distributed, "TASKS_PER_THREAD", 0)
    sent = []

    def submit(function, *task, **how):
        sent.append(task)
        check_small("a task", task)
        return real(function, *task, **how)

    real = cluster.client.submit
    monkeypatch.setattr(cluster.client, "submit", submit)
    monkeypatch.setattr("gops_lab.cluster.MOST_SENT", 1000)
    gl.solve(*SOLVES["utility"], out=tmp_path / "utility", client=cluster.client)
    assert contents(tmp_path / "utility") == whole("utility")
    sent.clear()
    gl.solve(*SOLVES["win"], out=tmp_path / "win", client=cluster.client)
    assert contents(tmp_path / "win") == whole("win")
    assert 10 <= len(sent) <= 10 + 6


def test_workers_killed_in_the_middle(another_cluster, whole, tmp_path, monkeypatch):
    """Three times, each in a tier with work left to do."""
    monkeypatch.setattr(plan, "GAMES_PER_SHARD", 60)
    cluster = another_cluster()
    games = []
    moments = [100, 2500, 4500]

    def kill(tier, done, total):
        games.append(done)
        if moments and done >= moments[0]:
            moments.pop(0)
            cluster.kill(number=len(moments) % 2)

    gl.solve(*SOLVES["margin"], out=tmp_path / "out", client=cluster.client, progress=kill)
    assert moments == []
    assert len(set(games)) == len(games) > 50
    assert contents(tmp_path / "out") == whole("margin")


def test_the_scheduler_killed(another_cluster, cluster, whole, tmp_path):
    """One sentence says how to go on; it goes on without a cluster, or on another."""
    lost = another_cluster(workers=1)

    def kill(tier, done, total):
        if done >= 2000 and lost.scheduler.poll() is None:
            lost.scheduler.send_signal(signal.SIGKILL)
            lost.scheduler.wait()

    out = tmp_path / "out"
    with pytest.raises(ClusterError, match=r"the scheduler at tcp:\S+ was lost; .* --resume\)$"):
        gl.solve(*SOLVES["margin"], out=out, client=lost.client, progress=kill)
    assert (out / "journal.jsonl").exists()
    assert not list(out.glob("units-*"))
    shutil.copytree(out, tmp_path / "again")
    for folder, client in ((out, None), (tmp_path / "again", cluster.client)):
        told = []
        gl.solve(
            *SOLVES["margin"], out=folder, resume=True, client=client,
            progress=lambda *step, told=told: told.append(step[1]),
        )
        assert told[0] > 2000
        assert contents(folder) == whole("margin")


def test_workers_that_cannot_write(cluster, whole, tmp_path):
    """As where the disk is full: the error says who, what and where; then it goes on."""

    def limit(size):
        hard = resource.getrlimit(resource.RLIMIT_FSIZE)[1]
        resource.setrlimit(resource.RLIMIT_FSIZE, (hard if size is None else size, hard))

    def full(tier, done, total):
        if done > 2000:
            cluster.client.run(limit, 100)

    out = tmp_path / "out"
    try:
        with pytest.raises(WritingError, match=r"worker tcp:\S+: \S+ cannot be written: File too"):
            gl.solve(*SOLVES["margin"], out=out, client=cluster.client, progress=full)
    finally:
        cluster.client.run(limit, None)
    assert not list(out.glob("units-*"))
    gl.solve(*SOLVES["margin"], out=out, client=cluster.client, resume=True)
    assert contents(out) == whole("margin")


def namespaces():
    """Whether a process here may have mounts of its own."""
    try:
        return subprocess.run(["unshare", "--mount", "true"], capture_output=True).returncode == 0
    except OSError:
        return False


@pytest.mark.skipif(not namespaces(), reason="no process may have mounts of its own here")
def test_a_worker_that_does_not_see_the_folder(another_cluster, tmp_path):
    """At the start; or when it comes, if it comes late."""
    cluster = another_cluster(workers=1)
    shared = tmp_path / "shared"
    shared.mkdir()
    blind = ["unshare", "--mount", "sh", "-c", f'mount -t tmpfs none {shared} && exec "$@"', "sh"]
    sentence = r"worker tcp:\S+:? does not see .*shared.*; all workers must share the folder"

    def late(tier, done, total):
        if len(cluster.processes) == 2:
            cluster.add("blind", before=blind)
            cluster.client.wait_for_workers(2, timeout=60)

    with pytest.raises(ClusterError, match=sentence):
        gl.solve(gl.Rules(cards=6), out=shared / "late", client=cluster.client, progress=late)
    with pytest.raises(ClusterError, match=sentence):
        gl.solve(gl.Rules(cards=6), out=shared / "new", client=cluster.client)
    assert [path.name for path in shared.iterdir()] == ["late"]


def test_a_worker_with_other_versions_or_too_little_memory(cluster, tmp_path, monkeypatch):
    with pytest.raises(ClusterError, match=r"may use 1\.0 GiB of memory, but about 2\.0 GiB"):
        check_workers(cluster.client, [tmp_path / "new"], 2**31)
    versions = {**distributed.run_versions(), "numba": "0.1"}
    monkeypatch.setattr(distributed, "run_versions", lambda: versions)
    with pytest.raises(ClusterError, match=r"worker tcp:\S+ has numba \S+, not 0\.1 as here"):
        gl.solve(*SOLVES["margin"], out=tmp_path / "out", client=cluster.client)
    assert list(tmp_path.iterdir()) == []


def test_what_a_killed_client_left_behind(whole, tmp_path):
    """A folder of units is ours: it is no reason to refuse, and goes when the solve goes on."""
    out = tmp_path / "out"

    class Stop(BaseException):
        pass

    def stop(*_):
        raise Stop

    with pytest.raises(Stop):
        gl.solve(*SOLVES["margin"], out=out, progress=stop)
    units = out / f"units-{'0' * 32}"
    units.mkdir()
    (units / "1-0-nobody").write_bytes(b"nothing of value")
    gl.solve(*SOLVES["margin"], out=out, resume=True)
    assert contents(out) == whole("margin")


def test_an_interrupt_leaves_nothing_of_the_workers(cluster, whole, tmp_path):
    out = tmp_path / "out"

    def interrupt(tier, done, total):
        if done > 1000:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        gl.solve(*SOLVES["win"], out=out, client=cluster.client, progress=interrupt)
    assert not list(out.glob("units-*"))
    deadline = time.monotonic() + 30
    while any(cluster.client.processing().values()):
        assert time.monotonic() < deadline
        time.sleep(0.05)
    gl.solve(*SOLVES["win"], out=out, client=cluster.client, resume=True)
    assert contents(out) == whole("win")


def test_a_file_that_is_not_what_was_written(cluster, tmp_path, monkeypatch):
    real = distributed._taken_in

    def torn(table, units, solved):
        path = units / solved.name
        data = path.read_bytes()
        path.write_bytes(data[:-1] + bytes([data[-1] ^ 1]))
        return real(table, units, solved)

    monkeypatch.setattr(distributed, "_taken_in", torn)
    with pytest.raises(ClusterError, match=r"is not what worker .* wrote"):
        gl.solve(*SOLVES["margin"], out=tmp_path / "out", client=cluster.client)


def test_arguments_that_do_not_fit(cluster, tmp_path):
    client, out = cluster.client, tmp_path / "out"
    for how, match in (
        ({}, "a folder that all workers share"),
        ({"out": out, "workers": 2}, "workers are threads"),
        ({"out": out, "exact": True}, "the fast sweep; this needs the exact one"),
        ({"out": out, "method": "simplex"}, "the fast sweep; this needs the general one"),
    ):
        with pytest.raises(ArgumentError, match=match):
            gl.solve(gl.Rules(cards=3), client=client, **how)
    with pytest.raises(ForecastError):
        gl.solve(gl.Rules(cards=10), "win", out=out, memory=1000, client=client)
    with pytest.raises(StoreError):
        gl.solve(gl.Rules(cards=3), out=__file__, client=client)
    assert list(tmp_path.iterdir()) == []


# The command line


def test_a_solve_on_a_scheduler(cluster, whole, tmp_path, capsys):
    arguments = ["solve", "--cards", "6", "--quiet", "--out", str(tmp_path / "out")]
    assert main([*arguments, "--scheduler", cluster.address]) == 0
    assert "stored in" in capsys.readouterr().out
    assert contents(tmp_path / "out") == whole("margin")
    assert main([*arguments, "--resume", "--scheduler", "tcp://127.0.0.1:9"]) == 1
    assert "no Dask scheduler answers at tcp://127.0.0.1:9" in capsys.readouterr().err


def test_a_local_cluster(whole, tmp_path):
    """In a process of its own, as a user starts it; it writes nothing but what was asked for."""
    done = subprocess.run(
        [sys.executable, "-m", "gops_lab.cli", "solve", "--cards", "4", "--quiet",
         "--local-cluster", "2", "--out", str(tmp_path / "out")],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert (done.returncode, done.stderr) == (0, "")
    gl.solve(gl.Rules(cards=4), out=tmp_path / "whole")
    assert contents(tmp_path / "out") == contents(tmp_path / "whole")
