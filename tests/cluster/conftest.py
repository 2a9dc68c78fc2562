"""A real cluster on this machine: a scheduler, and workers that could be on two hosts.

The workers of a host have folders for temporary files of their own. All see the folders of tests.
"""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from types import SimpleNamespace

import pytest

PACKAGE = str(Path(__file__).parents[2])


def start(folder, *command, host="", before=()):
    """Start a scheduler or a worker; what it writes goes to a file."""
    place = folder / (host or "scheduler")
    place.mkdir(exist_ok=True)
    known = {name: value for name, value in os.environ.items() if name != "TMPDIR"}
    path = os.pathsep.join(filter(None, [PACKAGE, known.get("PYTHONPATH")]))
    with (place / "log").open("ab") as log:
        return subprocess.Popen(
            [*before, sys.executable, "-m", *command], stdout=log, stderr=log, cwd=place,
            env={**known, "TMPDIR": str(place), "PYTHONPATH": path},
        )  # fmt: skip


def start_cluster(folder, workers=2, **how):
    """Start a scheduler and so many workers, each on a host of its own."""
    from distributed import Client

    contact = folder / "scheduler.json"
    scheduler = start(
        folder, "distributed.cli.dask_scheduler", "--host", "127.0.0.1", "--port", "0",
        "--no-dashboard", "--scheduler-file", str(contact),
    )  # fmt: skip
    cluster = SimpleNamespace(folder=folder, scheduler=scheduler, processes=[scheduler])

    def add(host, memory="1GiB", before=()):
        cluster.processes.append(
            start(
                folder, "distributed.cli.dask_worker", "--scheduler-file", str(contact),
                "--host", "127.0.0.1", "--nthreads", "1", "--memory-limit", memory,
                "--no-dashboard", "--local-directory", str(folder / host / "dask"),
                host=host, before=before,
            )
        )

    def pids():
        return sorted(cluster.client.run(os.getpid, on_error="ignore").values())

    def kill(number=0):
        there = pids()
        os.kill(there[number % len(there)], signal.SIGKILL)

    def stop():
        cluster.client.close()
        for process in reversed(cluster.processes):
            process.terminate()
        for process in cluster.processes:
            process.wait(60)

    cluster.add, cluster.pids, cluster.kill, cluster.stop = add, pids, kill, stop
    for number in range(workers):
        add(f"host-{number}", **how)
    deadline = time.monotonic() + 60
    while not contact.exists():
        assert time.monotonic() < deadline, (folder / "scheduler" / "log").read_text()
        time.sleep(0.05)
    cluster.client = Client(scheduler_file=str(contact), set_as_default=False, timeout=15)
    cluster.address = cluster.client.scheduler.address
    cluster.client.wait_for_workers(workers, timeout=120)
    return cluster


@pytest.fixture(scope="module")
def cluster(tmp_path_factory):
    """Return two workers that the tests of a module share."""
    cluster = start_cluster(tmp_path_factory.mktemp("cluster"))
    yield cluster
    cluster.stop()


@pytest.fixture
def another_cluster(tmp_path_factory):
    """Return a function that starts a cluster to break; see `start_cluster`."""
    made = []

    def start(**how):
        made.append(start_cluster(tmp_path_factory.mktemp("another"), **how))
        return made[-1]

    yield start
    for cluster in made:
        cluster.stop()
