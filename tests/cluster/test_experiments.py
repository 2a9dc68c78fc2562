"""An experiment on a cluster leaves the bytes of one without."""

from pathlib import Path

import pytest

pytest.importorskip("distributed", reason="Dask is not installed")


@pytest.fixture
def running(monkeypatch):
    monkeypatch.syspath_prepend(str(Path(__file__).parents[2]))
    from experiments import running

    return running


def test_the_same_bytes(cluster, running, tmp_path):
    experiment = running.experiment_named("heuristics")
    parameters = running.parameters_of("heuristics", "quick")
    for name, client in {"here": None, "there": cluster.client}.items():
        running.run(experiment, parameters, tmp_path / name, size="quick", client=client)
    here, there = (
        {file.name: file.read_bytes() for file in (tmp_path / name / "heuristics").iterdir()}
        for name in ("here", "there")
    )
    assert here == there
    assert set(here) == {"table.csv", "manifest.json"}


def test_what_is_measured_is_measured_here(cluster, running, tmp_path):
    experiment = running.experiment_named("aij_2016")
    with pytest.raises(running.ExperimentError, match="aij_2016 measures this machine"):
        running.run(experiment, {}, tmp_path, client=cluster.client)
    assert not list(tmp_path.iterdir())
