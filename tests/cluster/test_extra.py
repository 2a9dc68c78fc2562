"""What is said where Dask is not installed, or what is given is no client."""

import sys

import pytest

import gops_lab as gl
from gops_lab.cli import main
from gops_lab.errors import ArgumentError, MissingExtraError

RULES = gl.Rules(cards=3)


@pytest.fixture
def without_dask(monkeypatch):
    monkeypatch.setitem(sys.modules, "distributed", None)


def test_it_says_which_extra_to_install(tmp_path, without_dask, capsys):
    with pytest.raises(MissingExtraError, match=r"pip install 'gops-lab\[cluster\]' brings it"):
        gl.solve(RULES, out=tmp_path / "out", client=object())
    for where in (["--local-cluster", "2"], ["--scheduler", "tcp://127.0.0.1:1"]):
        assert main(["solve", "--cards", "3", "--out", str(tmp_path / "out"), *where]) == 2
        assert "pip install 'gops-lab[cluster]' brings it" in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []


def test_without_a_client_dask_is_not_needed(without_dask):
    assert gl.solve(RULES).value() == 0


def test_what_is_no_client(tmp_path):
    pytest.importorskip("distributed", reason="Dask is not installed")
    with pytest.raises(ArgumentError, match=r"client must be a distributed\.Client, not 'tcp:"):
        gl.solve(RULES, out=tmp_path / "out", client="tcp://127.0.0.1:1")


@pytest.mark.parametrize("number", ["0", "-1", "two"])
def test_how_many_local_workers(number, capsys):
    assert main(["solve", "--cards", "3", "--local-cluster", number]) == 2
    assert "--local-cluster" in capsys.readouterr().err


def test_a_cluster_needs_a_shared_folder(capsys):
    assert main(["solve", "--cards", "3", "--local-cluster", "2"]) == 2
    assert "a folder that all workers share: --out or --scratch" in capsys.readouterr().err
