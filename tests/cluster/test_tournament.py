"""A tournament on a cluster has the results of one without."""

import pandas as pd
import pytest

pytest.importorskip("distributed", reason="Dask is not installed")

import gops_lab as gl
from gops_lab.cli import main
from gops_lab.errors import ArgumentError

RULES = gl.Rules(cards=5)
NAMES = ("uniform", "match", "optimal:win")


class Shy(gl.Strategy):
    """Bids the lowest card, and holds more than can be sent."""

    name = "shy"

    def __init__(self):
        self.ballast = bytes(2**23)

    def distribution(self, rules, state):
        return {min(state.hand_a): 1.0}


def test_the_same_results(cluster, tmp_path):
    field = [gl.strategy_named(name, RULES) for name in NAMES]
    told = []
    results = [
        gl.tournament(RULES, field, 2000, seed=3, client=client, folder=folder, progress=progress)
        for client, folder, progress in (
            (None, tmp_path / "here", None),
            (cluster.client, tmp_path / "there", lambda *step: told.append(step)),
            (cluster.client, None, None),
        )
    ]
    for result in results[1:]:
        pd.testing.assert_frame_equal(result.pairs, results[0].pairs)
    here, there = ((tmp_path / name / "tournament.json") for name in ("here", "there"))
    assert here.read_bytes() == there.read_bytes()
    assert told == [(0, 6000), (2000, 6000), (4000, 6000), (6000, 6000)]


def test_a_strategy_that_is_too_large(cluster):
    field = [gl.strategy_named("uniform", RULES), Shy()]
    with pytest.raises(ArgumentError, match="strategy 'shy' is too large to be sent"):
        gl.tournament(RULES, field, 10, client=cluster.client)


def test_command(cluster, capsys):
    arguments = ["tournament", "--cards", "5", "--strategies", "uniform,match", "--deals", "500"]
    assert main([*arguments, "--json"]) == 0
    without = capsys.readouterr().out
    assert main([*arguments, "--json", "--scheduler", cluster.address]) == 0
    assert capsys.readouterr().out == without
