"""The command line: what it prints agrees with the library, and bad input costs one line."""

import json
import os
import re
import stat
import subprocess
import sys
from fractions import Fraction
from pathlib import Path

import pytest

import gops_lab as gl
from gops_lab import cli, commands
from gops_lab.errors import SolverError, WritingError
from gops_lab.evaluation import tournament
from gops_lab.induction import files, rectangle
from gops_lab.strategies import MatchPrize, Uniform


@pytest.fixture
def run(capsys, tmp_path, monkeypatch):
    """Return a function that runs a command in an empty folder: (exit code, output, errors)."""
    monkeypatch.chdir(tmp_path)

    def run_command(*arguments):
        code = cli.main([str(argument) for argument in arguments])
        return code, *capsys.readouterr()

    return run_command


def contents(folder):
    """Return every file below a folder with its bytes, and every folder."""
    return {
        path.relative_to(folder): path.read_bytes() if path.is_file() else None
        for path in Path(folder).rglob("*")
    }


def one_line(err):
    assert err.startswith("gops-lab: error: ")
    assert err.endswith("\n")
    assert len(err.splitlines()) == 1
    assert "Traceback" not in err
    return err


RULES_FAULTS = [
    # what is typed after the command, and what the message must name
    ("", "cards"),
    ("--cards", "--cards"),
    ("--cards=", "--cards"),
    ("--cards x", "'x'"),
    ("--cards 0", "0"),
    ("--cards -3", "-3"),
    ("--cards 3.5", "3.5"),
    ("--cards 1e3", "1e3"),
    ("--cards 63", "63"),
    ("--cards 999999999999999999999999999999", "--cards"),
    ("--cards ３", "--cards"),  # a digit for int(), but not for us
    ("--cards 1_0", "1_0"),
    ("--cards 3 --rounds 4", "4"),
    ("--cards 3 --rounds 0", "0"),
    ("--cards 3 --rounds two", "two"),
    ("--cards 3 --ties keep", "keep"),
    ("--cards 3 --ties", "--ties"),
    ("--cards 3 --order sideways", "sideways"),
    ("--cards 3 --order 1,2", "2 prizes"),
    ("--cards 3 --order 1,2,2 --prizes 1,2,3", "(1, 2, 2)"),
    ("--cards 3 --order=", "order"),
    ("--cards 3 --negative-stakes both", "both"),
    ("--cards 3 --prizes 1,2", "2 prizes"),
    ("--cards 3 --prizes 1,,2", "1,,2"),
    ("--cards 3 --prizes 1,2,x", "1,2,x"),
    ("--cards 3 --prizes -1,3,x", "-1,3,x"),
    ("--cards 3 --prizes −1,3,4", "--prizes"),  # a minus sign, not a hyphen
    ("--cards 3 --prizes=", "empty"),
    ("--cards 3 --prizes 1,2,1000000001", "1000000001"),
    ("--cards 3 --hand-a 1,2", "hand_a"),
    ("--cards 3 --hand-a -1,2,3", "-1"),
    ("--hand-a 1,2 --hand-b 1,2,3", "hand_b"),
    ("--hand-a=", "hand_a"),
    ("--cards 3 --bogus", "--bogus"),
    ("--card 3", "--card"),
    ("--cards 3 4", "4"),
]  # fmt: skip


@pytest.mark.parametrize(("typed", "named"), RULES_FAULTS)
@pytest.mark.parametrize("command", ["solve --out made", "table --out made", "match", "forecast"])
def test_bad_rules_are_refused_by_every_command(run, tmp_path, command, typed, named):
    code, out, err = run(*command.split(), *typed.split())
    assert code == 2
    assert named in one_line(err)
    assert out == "" or command == "forecast"
    assert contents(tmp_path) == {}


@pytest.mark.parametrize(
    ("typed", "named"),
    [
        ("", "COMMAND"),
        ("slove --cards 3", "slove"),
        ("solve --cards 3 --objective points", "points"),
        ("solve --cards 3 --method lp --out made", "lp"),
        ("solve --cards 3 --method exact --out made", "exact"),
        ("solve --cards 3 --exact --method highs --out made", "highs"),
        ("solve --cards 40 --out made", "memory"),
        ("table --cards 40 --out made", "memory"),
        ("bids --cards 40 --upcard 7", "memory"),
        ("solve --cards 3 --resume", "--out"),
        ("solve --cards 3 --out=", "--out"),
        ("solve --cards 3 --json=yes --out made", "yes"),
        ("table --cards 3 --format xls --out made", "xls"),
        ("table --cards 3 --format parquet", "--out"),
        ("table --cards 3 --exact --method simplex --out made", "simplex"),
        ("table --cards 3 --out=", "--out"),
        ("table --cards 3 --out no/such/folder/t.csv", "no/such/folder"),
        ("table --cards 3 --out ..", ".."),
        ("table --cards 3 --out .", "'.'"),
        ("match --cards 3 --games 0", "0"),
        ("match --cards 3 --games 101", "101"),
        ("match --cards 3 --games 1.5", "1.5"),
        ("match --cards 3 --objective win", "--objective"),
        ("bids --cards 3", "--upcard"),
        ("bids --upcard 3", "cards"),
        ("bids --cards 3 --upcard 4", "4"),
        ("bids --cards 3 --upcard x", "'x'"),
        ("bids --cards 3 --upcard 3 --carried x", "'x'"),
        ("bids --cards 3 --upcard 3 --carried 99999999999999999", "carried"),
        ("bids --cards 3 --upcard 3 --lead 0.5", "0.5"),
        ("bids --cards 3 --upcard 3 --prizes 1", "few"),
        ("bids --cards 3 --upcard 3 --prizes 1,3", "hidden"),
        ("bids --cards 3 --upcard 3 --prizes 1,9", "9"),
        ("bids --cards 3 --upcard 3 --hand-a 1,2 --prizes 1", "hand_b"),
        ("bids --cards 3 --upcard 3 --hand-a 1,4 --hand-b 1,2 --prizes 1", "4"),
        ("bids --cards 3 --upcard 3 --hand-a= --hand-b= --prizes=", "round"),
        ("bids --cards 3 --upcard 3 --order ascending", "order"),
        ("bids --cards 3 --upcard 3 --out made", "--out"),
        ("bids --cards 3 --upcard 3 --solution nowhere", "nowhere"),
        ("bids --cards 3 --upcard 3 --solution=", "--solution"),
        ("forecast --cards 3 --out made", "--out"),
    ],
)
def test_bad_options_are_refused(run, tmp_path, typed, named):
    code, out, err = run(*typed.split())
    assert code == 2
    assert named in one_line(err)
    assert out == ""
    assert contents(tmp_path) == {}


def test_a_long_number_is_not_repeated_in_full(run):
    code, _, err = run("solve", "--cards", "9" * 5000)
    assert code == 2
    assert len(one_line(err)) < 300


@pytest.mark.parametrize("path", ["a\nb\tc", "\udcff\n", "\x85x\u2028y"])
def test_a_line_break_in_an_argument_stays_out_of_the_message(run, tmp_path, path):
    (tmp_path / path).write_text("mine")
    code, _, err = run("solve", "--cards", 2, "--out", path)
    assert code == 2
    one_line(err)
    assert (tmp_path / path).read_text() == "mine"


# Files that are in the way


@pytest.fixture(scope="module")
def stored(tmp_path_factory):
    """A folder with solutions of the 2-card game and others in folders of their own."""
    folder = tmp_path_factory.mktemp("stored")
    rules = gl.Rules(cards=2)
    gl.solve(rules).save(folder / "margin")
    gl.solve(rules, exact=True).save(folder / "exact")
    gl.solve(rules, "win").save(folder / "win")
    later = gl.State((1, 2), (1, 2), (2,), 1, lead=3)
    gl.solve(rules, start=later).save(folder / "later")
    gl.solve(rules, lambda lead: lead**3).save(folder / "utility")
    gl.solve(gl.Rules(cards=2, ties="discard")).save(folder / "discard")
    damaged = gl.solve(rules).save(folder / "damaged")
    next(damaged.glob("tier-01-values*")).write_bytes(b"")
    newer = gl.solve(rules).save(folder / "newer") / "manifest.json"
    newer.write_text(newer.read_text().replace('"format_version": 1', '"format_version": 2'))
    (folder / "unfinished").mkdir()
    (folder / "unfinished" / "journal.jsonl").write_text("{}\n")
    tournament(rules, [Uniform(), MatchPrize()], 2, folder=folder / "played")
    (folder / "foreign").mkdir()
    (folder / "foreign" / "thesis.txt").write_text("chapter 1")
    (folder / "file").write_text("a file")
    return folder


@pytest.mark.parametrize(
    ("typed", "code", "named"),
    [
        ("solve --cards 2 --out margin", 2, "--resume"),
        ("solve --cards 3 --out margin --resume", 2, "rules"),
        ("solve --cards 2 --objective win --out margin --resume", 2, "objective"),
        ("solve --cards 2 --exact --out margin --resume", 2, "exact"),
        ("solve --cards 2 --out exact --resume", 2, "exact"),
        ("solve --cards 2 --out later --resume", 2, "start"),
        ("solve --cards 2 --out utility --resume", 2, "objective"),
        ("solve --cards 2 --out discard --resume", 2, "discard"),
        ("solve --cards 2 --out foreign", 2, "thesis.txt"),
        ("solve --cards 2 --out foreign --resume", 2, "thesis.txt"),
        ("solve --cards 2 --out file", 2, "file"),
        ("solve --cards 2 --out file/below", 2, "file"),
        ("solve --cards 2 --out .", 2, "no solution"),
        ("solve --cards 2 --out damaged", 2, "--resume"),
        ("solve --cards 2 --out damaged --resume", 2, "damaged"),
        ("solve --cards 2 --out newer --resume", 2, "version 2"),
        ("table --cards 2 --out foreign", 2, "foreign"),
        ("table --cards 2 --out file/below.csv", 2, "folder"),
        ("bids --cards 2 --upcard 1 --solution foreign", 2, "no solution"),
        ("bids --cards 2 --upcard 1 --solution file", 2, "no solution"),
        ("bids --cards 3 --upcard 1 --solution margin", 2, "rules"),
        ("bids --cards 2 --upcard 1 --solution win", 2, "objective"),
        ("bids --cards 2 --upcard 1 --solution exact", 2, "exact"),
        ("bids --cards 2 --upcard 1 --exact --solution margin", 2, "exact"),
        ("bids --cards 2 --upcard 1 --solution utility", 2, "objective"),
        ("bids --cards 2 --upcard 1 --solution damaged", 2, "damaged"),
        ("bids --cards 2 --upcard 1 --solution newer", 2, "version 2"),
        ("bids --cards 2 --upcard 1 --solution nowhere", 2, "no solution"),
        ("bids --cards 2 --upcard 1 --solution unfinished", 2, "not finished"),
        ("play --cards 2 --bids 1,2 --solution nowhere", 2, "no solution"),
        ("exploit --cards 2 --strategy solution:nowhere", 2, "no solution"),
        ("exploit --cards 2 --strategy table:nowhere.csv", 2, "nowhere.csv"),
        ("audit nowhere", 2, "no solution"),
        ("audit file", 2, "no solution"),
        ("audit newer", 2, "version 2"),
        ("audit unfinished", 2, "not finished"),
        ("solve --cards 2 --out unfinished", 2, "--out unfinished --resume"),
        ("solve --cards 2 --out unfinished --resume", 2, "journal.jsonl"),
        ("tournament --cards 2 --strategies uniform,match --out file", 2, "file"),
        ("tournament --cards 2 --strategies uniform,match --out margin", 2, "manifest.json"),
        ("tournament --cards 2 --strategies uniform,match --out played --deals 3", 2, "deals is 2"),
        ("tournament --cards 2 --strategies uniform,nobody", 2, "nobody"),
    ],
)
def test_nothing_that_is_in_the_way_is_touched(run, stored, monkeypatch, typed, code, named):
    monkeypatch.chdir(stored)
    before = contents(stored)
    got, out, err = run(*typed.split())
    assert (got, out) == (code, "")
    assert named in one_line(err)
    assert contents(stored) == before


@pytest.mark.skipif(not os.path.exists("/dev/null"), reason="needs a device file")
def test_a_device_is_not_replaced_by_a_table(run):
    code, _, err = run("table", "--cards", 2, "--out", "/dev/null")
    assert code == 2
    one_line(err)
    assert stat.S_ISCHR(os.stat("/dev/null").st_mode)


def test_a_folder_that_cannot_be_written_is_refused_before_the_work(run, tmp_path, monkeypatch):
    def refuse(*args, **kwargs):
        raise PermissionError(13, "Permission denied")

    def solve(*args, **kwargs):
        raise AssertionError("solved before it was known that the result can be kept")

    monkeypatch.setattr(commands.tempfile, "TemporaryFile", refuse)
    monkeypatch.setattr(commands, "solve", solve)
    for typed in ("solve --cards 2 --out made", "table --cards 2 --out made.csv"):
        code, _, err = run(*typed.split())
        assert code == 2
        assert "Permission denied" in one_line(err)
    assert contents(tmp_path) == {}


@pytest.mark.parametrize("typed", ["solve --cards 2 --out made", "table --cards 2 --out made.csv"])
def test_a_full_disk_is_not_an_argument(run, tmp_path, monkeypatch, typed):
    def full(descriptor):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(files.os, "fsync", full)
    code, out, err = run(*typed.split())
    assert (code, out) == (1, "")
    assert "No space left" in one_line(err)
    left = [path for path in tmp_path.rglob("*") if path.is_file() and path.name != ".lock"]
    assert left == []


@pytest.mark.parametrize(
    ("error", "message"),
    [
        (KeyboardInterrupt(), "interrupted"),
        (MemoryError(), "out of memory"),
        (OSError(5, "Input/output error"), "Input/output"),
        (SolverError("no method met the tolerance"), "no method"),
        (WritingError("made cannot be written"), "cannot be written"),
    ],
)
def test_what_is_not_an_argument_gives_1(run, monkeypatch, error, message):
    def solve(*args, **kwargs):
        raise error

    monkeypatch.setattr(commands, "solve", solve)
    code, out, err = run("solve", "--cards", 2)
    assert (code, out) == (1, "")
    assert message in one_line(err)


# What is printed


UNEQUAL = "--hand-a 1,4,5 --hand-b 2,3,6 --prizes 1,4,6"
STATE = "--cards 6 --upcard 5 --hand-a 1,3,5 --hand-b 2,3,6 --prizes 1,4 --carried 2 --lead -1"


@pytest.mark.parametrize("objective", ["margin", "win"])
@pytest.mark.parametrize("exact", [False, True])
def test_bids_json(run, objective, exact):
    flag = ["--exact"] if exact else []
    code, out, err = run("bids", *STATE.split(), "--objective", objective, *flag, "--json")
    assert (code, err) == (0, "")
    assert len(out.splitlines()) == 1
    got = json.loads(out)
    assert list(got) == ["value", "bounds", "a", "b", "gap", "rules", "objective"]
    rules = gl.Rules(cards=6)
    state = gl.State((1, 3, 5), (2, 3, 6), (1, 4), upcard=5, carried=2, lead=-1)
    truth = gl.solve(rules, objective, start=state, exact=True)
    value = truth.value(state)
    assert value != 0
    assert gl.Rules(**got["rules"]) == rules
    assert got["objective"] == objective
    number = Fraction if exact else float
    tolerance = 0 if exact else 1e-9
    low, high = map(number, got["bounds"])
    assert low <= number(got["value"]) <= high
    assert low <= value <= high
    assert abs(number(got["value"]) - value) <= tolerance
    # The strategies guarantee the value, whatever the other player does.
    payoffs = truth.stage_game(state)
    a = {int(bid): number(p) for bid, p in got["a"].items()}
    b = {int(bid): number(p) for bid, p in got["b"].items()}
    assert list(a) == [1, 3, 5]
    assert list(b) == [2, 3, 6]
    row = min(sum(a[i] * payoffs.loc[i, j] for i in a) for j in b)
    column = max(sum(b[j] * payoffs.loc[i, j] for j in b) for i in a)
    assert abs(row - value) <= tolerance
    assert abs(column - value) <= tolerance
    assert 0 <= number(got["gap"]) <= tolerance


def test_bids_for_people_agree_with_json(run):
    _, out, _ = run("bids", *STATE.split())
    _, machine, _ = run("bids", *STATE.split(), "--json")
    got = json.loads(machine)
    value, low, high = re.search(
        r"value (\S+) to A, certified between (\S+) and (\S+);", out
    ).groups()
    assert abs(float(value) - got["value"]) < 1e-5
    assert [float(low), float(high)] == got["bounds"]
    a, b, payoffs = out.split("\n\n")[2:]
    for part, player in ((a, "a"), (b, "b")):
        rows = [line.split() for line in part.splitlines()[2:]]
        assert {bid: float(p) for bid, p, *_ in rows} == pytest.approx(got[player], abs=1e-4)
        assert all(float(low) - 1e-4 <= float(p) <= float(high) + 1e-4 for _, p, low, high in rows)
    assert payoffs.splitlines()[1].split() == ["A", "\\", "B", "2", "3", "6"]


def test_negative_lists_need_no_equals_sign(run):
    typed = ["solve", "--hand-a", "2,4,6", "--hand-b", "1,3,5", "--json"]
    with_space = run(*typed, "--prizes", "-1,3,4")
    with_sign = run(*typed, "--prizes=-1,3,4")
    assert with_space == with_sign
    assert json.loads(with_space[1])["rules"]["prizes"] == [-1, 3, 4]


def test_the_last_round_has_no_hidden_prizes(run):
    typed = ["--cards", "3", "--hand-a", "1", "--hand-b", "3", "--upcard", "2", "--prizes", ""]
    code, out, _ = run("bids", *typed, "--json")
    assert code == 0
    assert json.loads(out)["value"] == -2


def test_bids_show_no_digits_that_are_not_certified(run):
    """A fair state is worth 0; what the rounding of the sweep adds is no number to print."""
    _, out, _ = run("bids", "--cards", "6", "--upcard", "5")
    value, lower, upper = re.search(
        r"value (\S+) to A, certified between (\S+) and (\S+);", out
    ).groups()
    assert value == "0"
    assert float(lower) < 0 < float(upper)


def test_bids_of_a_game_of_its_own(run):
    """Without --cards what is left is the whole game."""
    code, out, _ = run(
        "bids", "--hand-a", "1,5", "--hand-b", "2,3", "--upcard", "7", "--prizes", "-4", "--json"
    )
    assert code == 0
    rules = gl.Rules(hand_a=(1, 5), hand_b=(2, 3), prizes=(-4, 7))
    value = gl.solve(rules, exact=True).value(gl.State((1, 5), (2, 3), (-4,), 7))
    assert json.loads(out)["value"] == pytest.approx(float(value), abs=1e-9)
    assert json.loads(out)["rules"] == rules.as_dict()


@pytest.mark.parametrize("flags", ["", "--objective win", "--method highs --ties split"])
def test_solve_json(run, flags):
    code, out, err = run("solve", *UNEQUAL.split(), *flags.split(), "--json")
    assert (code, err) == (0, "")
    got = json.loads(out)
    rules = gl.Rules(**got["rules"])
    truth = gl.solve(rules, got["objective"], exact=True)
    assert got["bounds"][0] <= truth.value() <= got["bounds"][1]
    assert got["bounds"][0] <= got["value"] <= got["bounds"][1]
    assert 0 <= got["certified_error"] < 1e-9
    assert truth.value() != 0
    assert [row["upcard"] for row in got["first_bids"]] == [1, 4, 6]
    for row in got["first_bids"]:
        hidden = tuple(prize for prize in rules.prizes if prize != row["upcard"])
        state = gl.State(rules.hand_a, rules.hand_b, hidden, row["upcard"])
        assert row["value"] == pytest.approx(float(truth.value(state)), abs=1e-9)
        payoffs = truth.stage_game(state)
        level = min(
            sum(p * payoffs.loc[int(bid), column] for bid, p in row["bids"].items())
            for column in payoffs.columns
        )
        assert float(level) == pytest.approx(row["value"], abs=1e-9)
        assert row["gap"] < 1e-9
        assert isinstance(row["unique"], bool)


def test_the_printed_bounds_hold_the_value(run):
    """Three digits of a bound are no bound."""
    _, out, _ = run("solve", *UNEQUAL.split())
    low, high = map(float, re.search(r"certified between (\S+) and (\S+)$", out, re.M).groups())
    rules = gl.Rules(hand_a=(1, 4, 5), hand_b=(2, 3, 6), prizes=(1, 4, 6))
    value = gl.solve(rules, exact=True).value()
    assert low <= value <= high
    assert high - low < 1e-9


def test_exact_numbers_stay_fractions(run):
    _, out, _ = run("solve", *UNEQUAL.split(), "--exact", "--json")
    value = gl.solve(gl.Rules(hand_a=(1, 4, 5), hand_b=(2, 3, 6), prizes=(1, 4, 6)), exact=True)
    got = json.loads(out)
    assert Fraction(got["value"]) == value.value()
    assert got["bounds"] == [got["value"]] * 2
    code, out, _ = run("solve", *UNEQUAL.split(), "--exact")
    assert code == 0
    assert f"value {got['value']}, certified between {got['value']} and {got['value']}" in out


def test_table_json_and_file_agree(run, tmp_path):
    code, out, _ = run("table", *UNEQUAL.split(), "--json")
    assert code == 0
    got = json.loads(out)
    assert got["objective"] == "margin"
    assert got["units"]["value"].endswith("points")
    assert {row["player"] for row in got["rows"]} == {"a", "b"}
    code, out, _ = run("table", *UNEQUAL.split(), "--out", "t.csv")
    assert code == 0
    assert "18 rows" in out
    header, *lines = (tmp_path / "t.csv").read_text().splitlines()
    assert header.split(",") == list(got["rows"][0])
    assert [line.split(",") for line in lines] == [
        [str(cell) for cell in row.values()] for row in got["rows"]
    ]
    assert os.listdir(tmp_path) == ["t.csv"]


def test_json_is_strict(run):
    """One deal gives an interval without ends; JSON has no infinity."""
    code, out, _ = run(
        "tournament", "--cards", 3, "--strategies", "uniform,match", "--deals", 1, "--json"
    )
    (pair,) = json.loads(out, parse_constant=pytest.fail)["pairs"]
    assert (code, pair["margin_low"], pair["margin_high"]) == (0, None, None)


@pytest.mark.parametrize("form", ["csv", "markdown", "latex"])
def test_a_printed_table_is_the_written_one(run, tmp_path, form):
    _, out, _ = run("table", "--cards", 2, "--format", form)
    run("table", "--cards", 2, "--format", form, "--out", "t")
    assert (tmp_path / "t").read_text() == out


def test_a_table_may_be_written_again(run, tmp_path):
    (tmp_path / "t.csv").write_text("old")
    code, _, _ = run("table", "--cards", 2, "--out", "t.csv")
    assert code == 0
    assert (tmp_path / "t.csv").read_text().startswith("player,upcard")


def test_match_json(run):
    code, out, err = run("match", "--hand-a", "1,3", "--hand-b", "2,3", "--games", 2, "--json")
    assert (code, err) == (0, "")
    got = json.loads(out)
    first, last = gl.solve_match(gl.Rules(hand_a=(1, 3), hand_b=(2, 3)), 2, exact=True)
    # No lead before the first game; both signs afterwards, since the hands are not equal.
    assert list(got["values"]["1"]) == ["0"]
    assert list(got["values"]["2"]) == ["-3", "-2", "-1", "0", "1", "2", "3"]
    assert got["values"]["1"]["0"] == pytest.approx(float(first.value()), abs=1e-9)
    for lead, value in got["values"]["2"].items():
        state = gl.State((1, 3), (2, 3), (1, 2), lead=int(lead))
        assert value == pytest.approx(float(last.value(state)), abs=1e-9)
    assert len(set(got["values"]["2"].values())) > 2


def test_a_match_is_stored_and_used_again(run, tmp_path):
    flags = ("match", "--cards", 3, "--games", 2, "--keep", 1, "--out", "made")
    code, first, _ = run(*flags)
    assert code == 0
    assert sorted(path.name for path in (tmp_path / "made").iterdir()) == ["game-1", "game-2"]
    code, out, err = run(*flags)
    assert (code, out) == (2, "")
    assert "game-2 holds a solution already" in one_line(err)
    code, again, _ = run(*flags, "--resume")
    assert (code, again) == (0, first)
    code, out, err = run(*flags[:-2], "--resume")
    assert (code, out) == (2, "")
    assert "--resume needs --out" in one_line(err)


def test_forecast_agrees_with_the_solve(run):
    code, out, _ = run("forecast", "--cards", 5, "--json")
    assert code == 0
    got = json.loads(out)
    reports = gl.solve(gl.Rules(cards=5)).reports
    assert got["stage_games"] == sum(report.stage_games for report in reports.values())
    assert [tier["tier"] for tier in got["tiers"]] == [5, 4, 3, 2, 1]
    assert got["memory"] > 0
    code, out, _ = run("forecast", "--cards", 5)
    assert code == 0
    assert f"{got['stage_games']:,} stage games" in out


def test_a_forecast_that_does_not_fit_shows_why(run):
    code, out, err = run("forecast", "--cards", 40, "--json")
    assert code == 2
    assert "memory" in one_line(err)
    assert json.loads(out)["stage_games"] > 10**10


# Stored solutions


def test_resume_uses_what_is_stored(run, tmp_path, monkeypatch):
    flags = [*UNEQUAL.split(), "--out", "kept", "--json"]
    code, first, _ = run("solve", *flags)
    assert code == 0
    before = contents(tmp_path)
    assert Path("kept/manifest.json") in before
    monkeypatch.setattr(rectangle, "solve_plan", None)
    code, again, _ = run("solve", *flags, "--resume")
    assert (code, again) == (0, first)
    assert contents(tmp_path) == before


def test_resume_of_nothing_solves(run, tmp_path):
    code, _, _ = run("solve", "--cards", 2, "--out", "new/folder", "--resume")
    assert code == 0
    assert gl.load(tmp_path / "new" / "folder").value() == 0


def test_a_finished_solution_is_used_where_nothing_can_be_written(run, stored, monkeypatch):
    def refuse(*args, **kwargs):
        raise OSError(30, "Read-only file system")

    monkeypatch.chdir(stored)
    monkeypatch.setattr(commands.tempfile, "TemporaryFile", refuse)
    code, out, _ = run("solve", "--cards", 2, "--out", "margin", "--resume", "--json")
    assert (code, json.loads(out)["value"]) == (0, 0)


def test_a_deck_that_comes_with_the_package_has_a_name(run):
    hands = ["--hand-a", "1,2", "--hand-b", "1,3", "--prizes", "5"]
    code, out, _ = run(
        "bids", "--cards", 13, "--upcard", 4, *hands, "--solution", "13-carry-margin", "--json"
    )
    assert (code, json.loads(out)["rules"]) == (0, gl.Rules(cards=13).as_dict())
    code, out, _ = run("audit", "13-discard-margin", "--samples", 1, "--json")
    assert (code, json.loads(out)["agrees"]) == (0, True)


@pytest.mark.parametrize("kind", ["margin", "win"])
def test_bids_from_a_stored_solution(run, stored, kind):
    state = ["--hand-a", "1", "--hand-b", "2", "--prizes", "", "--upcard", "1", "--lead", "3"]
    typed = ["bids", "--cards", "2", *state, "--objective", kind, "--json"]
    fresh = run(*typed)
    kept = run(*typed, "--solution", stored / kind)
    assert fresh[0] == kept[0] == 0
    assert json.loads(kept[1]) == json.loads(fresh[1])
    assert json.loads(kept[1])["value"] == {"margin": 2, "win": 1}[kind]


# As a program


def program(*arguments, **options):
    # Buffered, as it is for a user: what is in the buffer at exit must do no harm.
    environment = {**os.environ, "PYTHONUNBUFFERED": "", **options.pop("env", {})}
    return subprocess.Popen(
        [sys.executable, "-m", "gops_lab.cli", *arguments],
        stderr=subprocess.PIPE, env=environment, **options,
    )  # fmt: skip


INTERRUPTED = """
import sys
from gops_lab.cli import main

class Interrupt:
    def find_spec(self, name, path, target=None):
        if name == sys.argv[1]:
            raise KeyboardInterrupt

sys.meta_path.insert(0, Interrupt())
sys.exit(main(["bids", "--cards", "2", "--upcard", "1"]))
"""


@pytest.mark.parametrize("library", ["numpy", "numba", "pandas", "tqdm", "gops_lab.commands"])
def test_ctrl_c_while_libraries_are_imported(library):
    done = subprocess.run(
        [sys.executable, "-c", INTERRUPTED, library], capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stdout) == (1, "")
    assert one_line(done.stderr) == "gops-lab: error: interrupted\n"


def test_a_reader_that_leaves_is_no_error():
    with program("solve", "--cards", "2", "--exact", stdout=subprocess.PIPE) as process:
        process.stdout.close()
        assert process.stderr.read() == b""
    assert process.returncode == 0


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="needs Linux")
def test_output_that_cannot_be_written():
    full = os.open("/dev/full", os.O_WRONLY)
    with program("forecast", "--cards", "2", stdout=full) as process:
        os.close(full)
        err = process.stderr.read().decode()
    assert process.returncode == 1
    assert "No space left" in one_line(err)


def test_a_path_that_the_terminal_cannot_show(tmp_path):
    options = {"stdout": subprocess.PIPE, "cwd": tmp_path, "env": {"PYTHONIOENCODING": "ascii"}}
    with program("solve", "--cards", "2", "--exact", "--out", "größe", **options) as process:
        out = process.stdout.read()
        assert process.stderr.read() == b""
    assert process.returncode == 0
    assert out.endswith(b"stored in gr\\xf6\\xdfe\n")
    assert gl.load(tmp_path / "größe").exact
