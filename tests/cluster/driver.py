"""What `test_hosts` runs in namespaces of its own: a solve on a cluster, and what befalls it.

Prints one JSON object. Mounts made here are seen by this process and its children only.
"""

import json
import os
import platform
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path

from distributed import Client, LocalCluster

import gops_lab as gl
from gops_lab.errors import GopsError
from gops_lab.induction.rectangle import plan

GAME = gl.Rules(cards=7), "win"

GAMES_PER_SHARD = 2000
"""So that the game has many work units."""

HOSTS = 2

HOST = """
mount -t tmpfs none "$2"
hostname "host-$1"
ip link set lo up
until ip link set "far-$1" up; do sleep 0.05; done
ip address add "10.77.0.1$1/24" dev "far-$1"
shift 2
exec "$@"
"""
"""A host: its number, its own folder for temporary files, and what to run there."""


def sh(*command):
    subprocess.run(command, check=True)


def dask(what, *arguments):
    return [sys.executable, "-m", "dask", what, "--no-dashboard", *map(str, arguments)]


def two_hosts(folder):
    """Solve on workers that reach the scheduler over a network, and share one folder only."""
    sh("ip", "link", "add", "net", "type", "bridge")
    sh("ip", "address", "add", "10.77.0.1/24", "dev", "net")
    sh("ip", "link", "set", "net", "up")
    own = folder / "own"
    own.mkdir()
    processes = [subprocess.Popen(dask("scheduler", "--host", "10.77.0.1", "--port", 8786))]
    for number in range(HOSTS):
        script = ["sh", "-ec", HOST, "host", str(number), str(own)]
        worker = dask(
            "worker", "tcp://10.77.0.1:8786", "--host", f"10.77.0.1{number}", "--nthreads", 1,
            "--memory-limit", "1GiB", "--local-directory", own, "--no-nanny",
        )  # fmt: skip
        host = subprocess.Popen(
            ["unshare", "--net", "--mount", "--uts", *script, *worker],
            env={**os.environ, "TMPDIR": str(own)},
        )
        processes.append(host)
        while network(host.pid) == network("self"):
            time.sleep(0.01)
        ends = f"near-{number}", f"far-{number}"
        sh("ip", "link", "add", ends[0], "type", "veth", "peer", ends[1], "netns", str(host.pid))
        sh("ip", "link", "set", ends[0], "master", "net", "up")
    try:
        with Client("tcp://10.77.0.1:8786", timeout=60) as client:
            client.wait_for_workers(HOSTS, timeout=120)
            names = client.run(platform.node)
            solve(folder, client)
            done = client.run(lambda dask_worker: dask_worker.state.executed_count)
    finally:
        for process in reversed(processes):
            process.terminate()
            process.wait(60)
    return {
        "hosts": sorted(names.values()), "addresses": sorted(names),
        "least_tasks": min(done.values()), "left_here": [path.name for path in own.iterdir()],
    }


def network(process):
    return os.readlink(f"/proc/{process}/ns/net")


def full(folder):
    """Fill the shared folder in the middle of a solve, make room, and go on."""
    shared = mounted(folder, "size=32m")
    filler = shared / "filler"

    def fill():
        with suppress(OSError), filler.open("wb", buffering=0) as file:
            while True:
                file.write(bytes(2**12))

    return interrupted(shared, fill, filler.unlink)


def read_only(folder):
    """Let nobody make a file in the shared folder from the middle of a solve on, then go on."""
    shared = mounted(folder)
    view = folder / "view"  # made before a file is open: a mount being written to stays writable
    view.mkdir()
    sh("mount", "--bind", str(shared), str(view))
    sh("mount", "-o", "remount,bind,ro", str(view))

    def spoil():
        sh("mount", "--bind", str(view), str(shared))

    return interrupted(shared, spoil, lambda: sh("umount", "--lazy", str(shared)))


def mounted(folder, options="size=64m"):
    """Return a file system of its own, where `folder` has the shared folder."""
    shared = folder / "shared"
    shared.mkdir()
    sh("mount", "-t", "tmpfs", "-o", options, "none", str(shared))
    return shared


def interrupted(shared, spoil, mend):
    """Spoil the shared folder once half is done; mend it, and go on with what is there."""
    spoilt = []

    def progress(tier, done, total):
        if done > total / 2 and not spoilt:
            spoilt.append(done)
            spoil()

    with (
        LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=":0") as cluster,
        Client(cluster) as client,
    ):
        try:
            solve(shared, client, progress=progress)
        except GopsError as error:
            said = type(error).__name__, str(error)
        else:
            said = None
        mend()
        resumed = []
        solve(shared, client, resume=True, progress=lambda *step: resumed.append(step[1]))
    sh("cp", "-r", str(shared / "out"), str(shared.parent / "out"))
    return {"said": said, "spoilt": spoilt, "resumed": resumed[0]}


def solve(folder, client=None, **how):
    """Solve the game; without a client that is what all others are compared to."""
    gl.solve(*GAME, out=folder / "out", client=client, **how)


WHAT = {"whole": solve, "two_hosts": two_hosts, "full": full, "read_only": read_only}

if __name__ == "__main__":
    plan.GAMES_PER_SHARD = GAMES_PER_SHARD
    sh("ip", "link", "set", "lo", "up")
    what, where = sys.argv[1:]
    print(json.dumps(WHAT[what](Path(where))))
