"""Experiments: small sizes end to end, the same bytes twice, and going on after an interruption."""

import csv
import hashlib
import json
import os
import subprocess
import sys
import time
from fractions import Fraction
from importlib.util import find_spec
from pathlib import Path

import pytest

import gops_lab as gl

ROOT = Path(__file__).parents[1]


@pytest.fixture(scope="module", autouse=True)
def _found():
    """Let `experiments` be imported, as it is from the root of a clone."""
    sys.path.insert(0, str(ROOT))
    yield
    sys.path.remove(str(ROOT))


@pytest.fixture(scope="module")
def running():
    from experiments import running

    return running


def command(*arguments):
    path = os.pathsep.join(filter(None, [str(ROOT), os.environ.get("PYTHONPATH")]))
    return subprocess.run(
        [sys.executable, "-m", "experiments", *map(str, arguments)], cwd=ROOT, text=True,
        capture_output=True, check=False, env={**os.environ, "PYTHONPATH": path},
    )


def files(folder):
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in sorted(folder.rglob("*")) if path.is_file() and path.name != "measured.csv"
    }


def table(folder):
    with (folder / "table.csv").open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def outputs_of(experiment):
    printed = {"table.tex"} if experiment.printed else set()
    return {"table.csv", "figure.pdf", "figure.png", *printed}


@pytest.fixture(scope="module")
def names(running):
    """Experiments that can be run here: one needs OpenSpiel, not made for every machine."""
    return [name for name in running.NAMES if name != "perfect_recall" or find_spec("pyspiel")]


@pytest.fixture(scope="module")
def quick(names, tmp_path_factory):
    """All experiments at small size, with their figures."""
    folder = tmp_path_factory.mktemp("quick")
    for verb in ("run", "plot"):
        done = command(verb, *names, "--quick", "--out", folder)
        assert done.returncode == 0, done.stderr
    return folder


def test_every_experiment_leaves_table_manifest_and_figure(quick, names, running):
    folders = {name: running.experiment_named(name).place(quick) for name in names}
    assert sorted(folders.values()) == sorted(quick.iterdir())
    for name, folder in folders.items():
        experiment = running.experiment_named(name)
        manifest = json.loads((folder / "manifest.json").read_text(encoding="utf-8"))
        rows = table(folder)
        assert list(rows[0]) == list(experiment.columns) == list(manifest["columns"])
        assert manifest["parameters"] == running.parameters_of(name, "quick")
        assert sum(job["rows"] for job in manifest["jobs"]) == len(rows)
        assert set(manifest["outputs"]) == outputs_of(experiment)
        for file, stamp in manifest["outputs"].items():
            assert hashlib.sha256((folder / file).read_bytes()).hexdigest() == stamp["sha256"]
        assert not (folder / "unfinished.jsonl").exists()


def test_the_numbers_are_the_known_ones(quick, published):
    ross = table(quick / "ross_1971")
    assert {row["difference"] for row in ross if row["numbers"] == "fractions"} == {"0"}
    assert [Fraction(row["best_response"]) for row in ross] == [
        Fraction(int(row["cards"]) ** 2 - 1, 6) for row in ross
    ]
    assert {row["agrees"] for row in table(quick / "rhoads_bartholdi_2012")} == {"", "yes"}
    lost = {
        (row["objective"], row["ties"], row["cards"], row["strategy"]): row["exploitability"]
        for row in table(quick / "heuristics")
    }
    assert float(lost["margin", "carry", "4", "match"]) == pytest.approx(65 / 24, abs=1e-9)
    assert float(lost["margin", "discard", "4", "highest"]) == pytest.approx(121 / 24, abs=1e-9)
    assert float(lost["win", "discard", "3", "uniform"]) == pytest.approx(2 / 3, abs=1e-9)
    for name, about in (
        ("margin_against_win", ("cards", "ties")),
        ("draws", ("cards", "ties")),
        ("as_played", ("objective", "ties", "cards", "upcard", "bid")),
    ):
        committed = {
            tuple(row[part] for part in about): row for row in table(ROOT / "results" / name)
        }
        for row in table(quick / name):
            key = tuple(row[part] for part in about)
            assert committed.get(key, row) == row
            assert key in committed or (name, row["objective"]) == ("as_played", "margin")
    # The last game of a match is a game begun with a lead.
    for row in table(quick / "match_of_three"):
        if row["game"] == "3" and row["bid"] == "1" == row["upcard"]:
            alone = gl.Rules(cards=3, ties=row["ties"])
            begun = gl.State(*[(1, 2, 3)] * 3, lead=int(row["lead"]))
            value = gl.solve(alone, "win", start=begun).value()
            assert float(row["game_value"]) == pytest.approx(value, abs=1e-6)
    worth = {}
    for row in table(quick / "leads"):
        if row["bid_a"] == "4" and row["bid_b"] == "3" and row["upcard"] == "4":
            worth[row["lead"]] = float(row["payoff"])
    assert sorted(worth.values()) == list(worth.values())
    assert worth["0"] == pytest.approx(0.8888, abs=1e-3)
    assert {row["exact_value"] for row in table(quick / "aij_2016")} <= {"", "0"}
    verdicts = {(row["solver"], row["game"]): row["verdict"] for row in table(quick / "peers")}
    ours = [verdict for (name, _), verdict in verdicts.items() if name.startswith("gops_lab")]
    assert ours == ["right"] * 9
    pennies = "matching pennies times 1/10000000000 plus 0"
    assert verdicts["scipy linprog highs", pennies] == "wrong"
    for row in table(quick / "perfect_recall") if find_spec("pyspiel") else ():
        assert (row["information_states"], row["merged"]) == ("57", "0")
        assert float(row["nash_conv"]) < (1e-9 if row["iterations"] == "" else 0.1)


def test_a_second_run_has_the_same_bytes(quick, tmp_path):
    names = ("ross_1971", "carry_over_13", "aij_2016")
    for verb in ("run", "plot"):
        done = command(verb, *names, "--quick", "--out", tmp_path)
        assert done.returncode == 0, done.stderr
    again = files(tmp_path)
    assert again == {name: data for name, data in files(quick).items() if name in again}
    assert len(again) == 4 * len(names)


def test_running_again_computes_nothing_and_changes_nothing(quick, names, running, monkeypatch):
    before = files(quick)
    for name in names:
        experiment = running.experiment_named(name)
        monkeypatch.setattr(running._Kept, "add", _fail)
        running.run(experiment, running.parameters_of(name, "quick"), quick, size="quick")
    assert files(quick) == before


def _fail(self, part):
    raise AssertionError(f"computed again: {part.asked}")


def test_an_interrupted_run_goes_on_where_it_was(quick, running, tmp_path, monkeypatch):
    experiment = running.experiment_named("heuristics")
    parameters = running.parameters_of("heuristics", "quick")
    add = running._Kept.add
    done = []

    def interrupted(self, part):
        if len(done) == 5:
            raise KeyboardInterrupt
        add(self, part)
        done.append(part)

    monkeypatch.setattr(running._Kept, "add", interrupted)
    with pytest.raises(KeyboardInterrupt):
        running.run(experiment, parameters, tmp_path, size="quick")
    folder = tmp_path / "heuristics"
    assert not (folder / "table.csv").exists()
    journal = folder / "unfinished.jsonl"
    journal.write_bytes(journal.read_bytes()[:-7])  # as if the power had failed while writing

    monkeypatch.setattr(running._Kept, "add", lambda self, part: (add(self, part), done.append(0)))
    done.clear()
    running.run(experiment, parameters, tmp_path, size="quick")
    jobs = len(list(experiment.jobs(parameters)))
    assert len(done) == jobs - 4
    assert (folder / "table.csv").read_bytes() == (quick / "heuristics/table.csv").read_bytes()


def test_rows_of_other_code_are_computed_again_unless_asked_to_be_kept(
    running, tmp_path, monkeypatch
):
    experiment = running.experiment_named("carry_over_13")
    parameters = {"cards": 3, "ties": ["carry", "discard"]}
    running.run(experiment, parameters, tmp_path)
    monkeypatch.setattr(running, "package_code", lambda: "other code")
    with monkeypatch.context() as patch:
        patch.setattr(running._Kept, "add", _fail)
        running.run(experiment, parameters, tmp_path, any_code=True)
        with pytest.raises(AssertionError, match="computed again"):
            running.run(experiment, parameters, tmp_path)
    running.run(experiment, parameters, tmp_path)
    manifest = running.read_manifest(tmp_path / "carry_over_13")
    assert {job["code"] for job in manifest["jobs"]} == {manifest["code"]}


def test_an_experiment_whose_programs_are_missing_says_so(running, tmp_path, monkeypatch):
    from experiments import perfect_recall

    monkeypatch.setattr(perfect_recall, "are_here", lambda modules: False)
    with pytest.raises(running.ExperimentError, match="what it runs is not installed"):
        running.run(
            running.experiment_named("perfect_recall"), {"cards": [3], "iterations": []}, tmp_path
        )


def test_strategies_are_judged_by_what_they_lose():
    """By the payoffs alone; a strategy that is none is wrong, and so is the worst of several."""
    from experiments.peers import judged

    payoff = [[Fraction(3), Fraction(-1)], [Fraction(-1), Fraction(1)]]
    half, best = [Fraction(1, 2)] * 2, [Fraction(1, 3), Fraction(2, 3)]
    assert judged(payoff, [(best, best)]) == ("right", 0)
    # A's half is worth 0 to it, B's costs 1; of a range of 4
    assert judged(payoff, [(best, best), (half, half)]) == ("wrong", Fraction(1, 4))
    assert judged(payoff, []) == ("no answer", None)
    for none in (None, [Fraction(1)], [Fraction(2), Fraction(-1)], [Fraction(1, 2), Fraction(0)]):
        assert judged(payoff, [(best, none)]) == ("wrong", None)


def test_a_program_that_never_returns_is_stopped():
    from experiments.others import Aside

    aside = Aside()
    with pytest.raises(TimeoutError, match=r"no answer within 0\.5 seconds"):
        aside(0.5, time.sleep, 600)
    assert aside(60, max, 1, 2) == 2
    aside.stop()


def test_a_table_that_was_changed_is_not_drawn(running, tmp_path):
    experiment = running.experiment_named("carry_over_13")
    with pytest.raises(running.ExperimentError, match="no finished table"):
        running.draw(experiment, tmp_path)
    running.run(experiment, {"cards": 2, "ties": ["carry", "discard"]}, tmp_path)
    with (tmp_path / "carry_over_13" / "table.csv").open("a", encoding="utf-8") as file:
        file.write("\n")
    with pytest.raises(running.ExperimentError, match="not the table of its manifest"):
        running.draw(experiment, tmp_path)


def test_an_unfinished_experiment_keeps_no_other_from_being_drawn(running, tmp_path):
    experiment = running.experiment_named("carry_over_13")
    running.run(experiment, {"cards": 2, "ties": ["carry", "discard"]}, tmp_path)
    (tmp_path / "ross_1971").mkdir()
    done = command("plot", "ross_1971", "carry_over_13", "--out", tmp_path)
    assert done.returncode == 1
    (said,) = done.stderr.splitlines()
    assert "ross_1971 has no finished table" in said
    assert (tmp_path / "carry_over_13" / "figure.png").is_file()


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("run", "rhoads"), "there is no experiment 'rhoads'; there are rhoads_bartholdi_2012"),
        (("run", "ross_1971", "--quick", "--out", "results"), "holds the full-size results"),
        (("plot",), "required: NAME"),
        (("show",), "invalid choice: 'show'"),
    ],
)
def test_bad_arguments_are_one_line(arguments, said):
    done = command(*arguments)
    assert done.returncode == 2
    assert said in done.stderr
    assert done.stderr.count("\n") == 1


def test_list_names_all(running):
    done = command("list")
    assert [line.split()[0] for line in done.stdout.splitlines()] == list(running.NAMES)


def test_committed_results_are_complete(running):
    """None is unfinished, tables belong to their manifests, and figures to their tables."""
    for name in running.NAMES:
        experiment = running.experiment_named(name)
        folder = experiment.place(running.RESULTS)
        manifest = running.read_manifest(folder)
        assert manifest, f"{name} has not been run to its end"
        assert not (folder / running.UNFINISHED).exists()
        assert set(manifest["outputs"]) == outputs_of(experiment)
        assert manifest["parameters"] == running.parameters_of(name, "full")
        for file, stamp in manifest["outputs"].items():
            assert hashlib.sha256((folder / file).read_bytes()).hexdigest() == stamp["sha256"]
