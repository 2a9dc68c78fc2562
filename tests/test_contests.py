"""The commands in which strategies play."""

import io
import json
from importlib import import_module

import pytest

import gops_lab as gl
from gops_lab import commands, contests
from gops_lab.cli import main
from gops_lab.evaluation import given_away
from gops_lab.explorer import solving


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
    assert code == 2
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


def test_exploit_certifies_the_full_deck_at_once(capsys):
    """Rejects a full solve, and best responses followed through tiers that the deck lacks."""
    command = ["exploit", "--cards", 13, "--ties", "discard", "--strategy", "optimal:margin"]
    code, out, _ = run(capsys, *command, "--json")
    assert code == 0
    data = json.loads(out)
    assert 0 < data["certified_bound"] < 1e-4
    assert "exploitability" not in data
    code, out, err = run(capsys, *command, "--regrets", 3)
    assert (code, out) == (2, "")
    assert "keeps 3 of 13" in err


def test_play_takes_the_deck_that_comes_with_the_package(monkeypatch, capsys):
    def endless(*_, **__):
        raise AssertionError("the full deck is solved for one game")

    monkeypatch.setattr(commands, "solve", endless)
    bids = "1,2,3,4,5,6,7,8,9,10,11,12,14"  # refused once the opponent is there
    command = ["play", "--cards", 13, "--against", "optimal:margin", "--bids", bids]
    code, _, err = run(capsys, *command)
    assert code == 2
    assert "--bids has 14" in err


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
    assert data["not_judged"] is None
    monkeypatch.setattr("sys.stdin", io.StringIO("1\nseven\n" + "9" * 5000 + "\n3\n2\n"))
    code, out, _ = run(capsys, *command)
    assert code == 0
    for shown in ("your hand", "their hand", "spent", "at stake", "'seven' is not in your hand",
                  "gave away", f"points: you {data['points'][0]}, match {data['points'][1]}"):
        assert shown in out
    monkeypatch.setattr("sys.stdin", io.StringIO("1\n"))
    code, _, err = run(capsys, *command)
    assert code == 2
    assert "the game was left" in err


@pytest.mark.parametrize("out", [False, True])
def test_an_interrupted_tournament_says_how_to_go_on(capsys, monkeypatch, tmp_path, out):
    def interrupt(*args, **kwargs):
        raise KeyboardInterrupt

    monkeypatch.setattr(import_module("gops_lab.evaluation.tournament"), "simulate", interrupt)
    command = ["tournament", "--cards", 3, "--strategies", "uniform,match"]
    code, shown, err = run(capsys, *command, *(["--out", tmp_path / "t"] if out else []))
    assert (code, shown) == (1, "")
    goes_on = f"; the same command goes on with {tmp_path / 't'}" if out else ""
    assert err == f"gops-lab: error: interrupted{goes_on}\n"


@pytest.mark.parametrize(
    ("module", "name", "value", "reason"),
    [
        ("gops_lab.explorer.solving", "PATIENCE", 0.0, "would take about"),
        ("gops_lab.induction.forecast", "available_memory", lambda: 1, "are available"),
    ],
)
def test_play_does_not_wait_for_a_long_solve(capsys, monkeypatch, module, name, value, reason):
    """And says why it does not."""
    monkeypatch.setattr(import_module(module), name, value)
    command = ["play", "--cards", 3, "--against", "match", "--bids", "1,2,3"]
    code, out, _ = run(capsys, *command)
    assert code == 0
    assert "are not judged (give --solution FOLDER)" in out
    assert reason in out.splitlines()[-1]
    _, out, _ = run(capsys, *command, "--json")
    assert reason in json.loads(out)["not_judged"]


def test_play_judges_by_the_deck_that_comes_with_the_package(capsys, monkeypatch):
    judges = []
    monkeypatch.setattr(solving, "PATIENCE", 0.0)
    monkeypatch.setattr(
        contests, "given_away", lambda judge, state, bid: judges.append(judge.rules) or 0.0
    )
    code, out, _ = run(
        capsys, "play", "--cards", 13, "--against", "match", "--json",
        "--bids", ",".join(map(str, range(1, 14))),
    )
    assert code == 0
    assert json.loads(out)["not_judged"] is None
    assert judges == [gl.Rules(cards=13)] * 13


def test_what_bids_give_away_is_told_in_the_unit_of_the_solution(capsys, tmp_path):
    gl.solve(gl.Rules(cards=3), "win").save(tmp_path / "win")
    _, out, _ = run(capsys, "play", "--cards", 3, "--against", "match", "--bids", "1,2,3",
                    "--solution", tmp_path / "win")
    assert "against optimal play, in P(A ahead) - P(B ahead)\n" in out


def test_exploit_evaluates_nothing_that_it_does_not_print(capsys, monkeypatch):
    def evaluate(*_, **__):
        raise AssertionError("nobody asked for the value")

    module = import_module("gops_lab.evaluation.exploitability")  # hidden by a function's name
    monkeypatch.setattr(module, "evaluate", evaluate)
    for more in ([], ["--exact"]):
        assert run(capsys, "exploit", "--cards", 3, "--strategy", "match", *more)[0] == 0


@pytest.mark.parametrize(
    "command",
    [
        ["exploit", "--strategy", "optimal:margin", "--regrets", 3],
        ["play", "--against", "optimal:margin", "--bids", "1,2,3"],
        ["tournament", "--strategies", "best:margin:optimal:margin,optimal:margin",
         "--deals", 10],
    ],
)
def test_a_game_is_solved_once_and_with_a_bar(capsys, monkeypatch, command):
    solves = []

    def solve(rules, objective, progress):
        solves.append((rules, objective))
        return gl.solve(rules, objective, progress=progress)

    monkeypatch.setattr("gops_lab.commands.solve", solve)
    assert run(capsys, *command, "--cards", 3)[0] == 0
    assert solves == [(gl.Rules(cards=3), "margin")]


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
        (["tournament", "--strategies", "uniform,match", "--exact"], "--exact"),
        (["tournament", "--strategies", "uniform,match", "--seed", "-1"], "--seed: must be 0"),
        (["tournament", "--strategies", "uniform,match", "--deals", "-1"], "--deals: must be 0"),
        (["tournament", "--strategies", "uniform,match", "--games", "-1"], "--games: must be 0"),
        (["play", "--exact"], "--exact"),
        (["play", "--seed", "-1"], "--seed: must be 0 or more, not -1"),
        (["exploit", "--strategy", "match", "--regrets", "-2"], "--regrets: must be 0"),
    ],
)
def test_bad_arguments_are_one_line(capsys, arguments, message):
    code, out, err = run(capsys, *arguments, "--cards", 3)
    assert code == 2
    assert not out
    assert message in err
    assert err.count("\n") == 1
