"""Two hosts with a network between them, and a shared folder that fills up or turns read-only.

They are made of namespaces, where a process may have any; `driver` runs in them.
"""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("distributed", reason="Dask is not installed")

DRIVER = Path(__file__).with_name("driver.py")
OWN = ["unshare", "--mount", "--net", "--uts", "--pid", "--fork", "--kill-child", "--mount-proc"]


def namespaces():
    """Whether a process here may have networks and mounts of its own."""
    probe = "mount -t tmpfs none /mnt && ip link add net type bridge"
    try:
        return subprocess.run([*OWN, "sh", "-c", probe], capture_output=True).returncode == 0
    except OSError:
        return False


pytestmark = pytest.mark.skipif(
    not namespaces(), reason="no process may have networks and mounts of its own here"
)


def run(what, folder):
    path = os.pathsep.join(filter(None, [str(DRIVER.parents[2]), os.environ.get("PYTHONPATH")]))
    done = subprocess.run(
        [*OWN, sys.executable, str(DRIVER), what, str(folder)],
        capture_output=True, text=True, timeout=300, env={**os.environ, "PYTHONPATH": path},
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout.splitlines()[-1])


def contents(folder):
    return {path.name: path.read_bytes() for path in folder.iterdir() if path.name != "run.json"}


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    """Return what a solve without a cluster leaves in its folder."""
    folder = tmp_path_factory.mktemp("whole")
    run("whole", folder)
    return contents(folder / "out")


def test_two_hosts(whole, tmp_path):
    """Each with a network, a name and temporary files of its own; the same bytes, and both work."""
    found = run("two_hosts", tmp_path)
    assert found["hosts"] == ["host-0", "host-1"]
    assert found["addresses"][0].startswith("tcp://10.77.0.10:")
    assert found["addresses"][1].startswith("tcp://10.77.0.11:")
    assert found["least_tasks"] > 10
    assert found["left_here"] == []
    assert contents(tmp_path / "out") == whole


@pytest.mark.parametrize(
    ("what", "reason"), [("full", "No space left on device"), ("read_only", "Read-only")]
)
def test_a_shared_folder_that_is_spoilt_in_the_middle(whole, tmp_path, what, reason):
    """One sentence says what is wrong and where; the solve goes on from there."""
    found = run(what, tmp_path)
    name, sentence = found["said"]
    assert name == "WritingError"
    assert reason in sentence
    assert str(tmp_path / "shared" / "out") in sentence
    assert "\n" not in sentence
    assert found["resumed"] >= found["spoilt"][0] / 2
    assert contents(tmp_path / "out") == whole
