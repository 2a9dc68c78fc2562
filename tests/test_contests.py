"""The commands in which strategies play."""

import io
import json

import pytest

import gops_lab as gl
from gops_lab.cli import main
from gops_lab.evaluation import given_away


def run(capsys, *arguments):
    code = main([str(argument) for argument in arguments])
    return code, *capsys.readouterr()


def test_tournament(capsys, tmp_path):
    command = ["tournament", "--cards", 4, "--strategies", "uniform,match,optimal:win",
               "--deals", 300, "--out", tmp_path / "t"]
    code, out, _ = run(capsys, *command, "--json")
    assert code == 0
    data = json.loads(out)
    assert len(data["pairs"]) == 3
    assert {row["strategy"] for row in data["standings"]} == {"uniform", "match", "optimal:win"}
    code, out, _ = run(capsys, *command)  # goes on where it is: at the end
    assert code == 0
    assert "optimal:win" in out
    code, _, err = run(capsys, *command, "--seed", 5)
    assert code == 1
    assert "holds another tournament" in err


def test_exploit(capsys):
    code, out, _ = run(
        capsys, "exploit", "--cards", 4, "--ties", "carry", "--strategy", "match", "--exact",
        "--json",
    )
    assert code == 0
    data = json.loads(out)
    assert (data["exploitability"], data["nash_conv"]) == ("65/24", "65/12")
    code, out, _ = run(capsys, "exploit", "--cards", 4, "--strategy", "match", "--regrets", 3)
    assert code == 0
    assert "exploitability 2.70833" in out
    assert out.count("(1, 2, 3)") >= 2
    code, out, _ = run(
        capsys, "exploit", "--cards", 4, "--strategy", "optimal:win", "--objective", "win",
        "--json",
    )
    data = json.loads(out)
    assert data["exploitability"] <= data["certified_bound"] < 1e-9


def test_exploit_gives_no_bound_of_another_objective(capsys):
    """Optimal play to win loses points: the certificate of winning says nothing about them."""
    command = ["exploit", "--cards", 4, "--strategy", "optimal:win", "--objective", "margin"]
    _, out, _ = run(capsys, *command, "--json")
    data = json.loads(out)
    assert data["exploitability"] > 0.1
    assert "certified_bound" not in data
    _, out, _ = run(capsys, *command)
    assert "certified" not in out


def test_play(capsys, monkeypatch):
    command = ["play", "--cards", 3, "--against", "match", "--seed", 4]
    code, out, _ = run(capsys, *command, "--bids", "1,3,2", "--json")
    assert code == 0
    data = json.loads(out)
    assert [row["bid"] for row in data["rounds"]] == [1, 3, 2]
    assert sum(row["gain"] - row["gain_opponent"] for row in data["rounds"]) == data["lead"]
    assert all(row["given_away"] >= 0 for row in data["rounds"])
    monkeypatch.setattr("sys.stdin", io.StringIO("1\nseven\n3\n2\n"))
    code, out, _ = run(capsys, *command)
    assert code == 0
    for shown in ("your hand", "their hand", "spent", "at stake", "'seven' is not in your hand",
                  "gave away", f"points: you {data['points'][0]}, match {data['points'][1]}"):
        assert shown in out
    monkeypatch.setattr("sys.stdin", io.StringIO("1\n"))
    code, _, err = run(capsys, *command)
    assert code == 2
    assert "the game was left" in err


def test_play_does_not_wait_for_a_long_solve(capsys):
    code, out, _ = run(
        capsys, "play", "--cards", 13, "--ties", "carry", "--order", "random",
        "--against", "match", "--bids", ",".join(map(str, range(1, 14))), "--prizes",
        ",".join(map(str, range(1, 40))),
    )
    assert code == 0
    assert "are not judged" in out


def test_what_a_bid_gives_away(solved):
    solution = solved(gl.Rules(cards=4, ties="discard"), "margin")
    state = gl.State((1, 3, 4), (2, 3, 4), (1, 2), upcard=4, lead=3)
    lost = {bid: given_away(solution, state, bid) for bid in state.hand_a}
    assert min(lost.values()) == pytest.approx(0, abs=1e-9)
    optimal = solution.strategy(state)
    for bid, probability in optimal.items():
        if probability > 1e-9:
            assert lost[bid] == pytest.approx(0, abs=1e-9)
    assert max(lost.values()) > 0.1


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["tournament", "--strategies", "uniform"], "at least two"),
        (["tournament", "--strategies", "uniform,,match"], "list of names"),
        (["tournament", "--strategies", "uniform,nobody"], "there is no strategy 'nobody'"),
        (["exploit", "--strategy", "table:nowhere.csv"], "cannot be read"),
        (["exploit"], "--strategy"),
        (["play", "--bids", "1,2"], "3 rounds are played"),
        (["play", "--bids", "1,1,2"], "does not hold"),
        (["tournament", "--strategies", "uniform,match", "--deals", "0"], "deals must be"),
    ],
)
def test_bad_arguments_are_one_line(capsys, arguments, message):
    code, out, err = run(capsys, *arguments, "--cards", 3)
    assert code == 2
    assert not out
    assert message in err
    assert err.count("\n") == 1
