"""What all experiments share: parameters, finished rows, tables, manifests, figures.

An experiment says which jobs there are, what rows each gives, and how its table is drawn. Here the
jobs are run, and their rows kept: those of a finished run in ``table.csv``, those of an interrupted
one in ``unfinished.jsonl``, each with the key of its job. A row is used again only if its key still
holds, and the key covers everything that can change a number: rules, parameters, versions, the data
the job reads, and the code that computes.

=================== =============================================================================
file                what is in it
=================== =============================================================================
``table.csv``       the numbers, one row for each thing they are about
``manifest.json``   title, parameters, full rules and key of every job, versions, code, hashes
``measured.csv``    what differs from run to run, like times; only where something is measured
``figure.pdf``      the figure, and ``figure.png``; drawn from the table alone
``table.tex``       what of the table a paper would print; only where it says more than the figure
=================== =============================================================================

All but ``measured.csv`` have the same bytes when they are made again.
"""

from __future__ import annotations

import ast
import csv
import hashlib
import importlib
import io
import json
import os
import platform
import tomllib
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from functools import cache
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pandas as pd
from tqdm import tqdm

import gops_lab as gl
from gops_lab.cluster import as_client, results
from gops_lab.errors import GopsError
from gops_lab.induction.files import replace_file

if TYPE_CHECKING:
    from distributed import Client

HERE = Path(__file__).parent

RESULTS = HERE.parent / "results"
"""Where the committed results are."""

QUICK_RESULTS = HERE.parent / "results-quick"

NAMES = (
    "rhoads_bartholdi_2012", "ross_1971", "carry_over_13", "objectives", "heuristics", "deck_size",
    "aij_2016", "peers", "perfect_recall", "as_played", "leads", "match_of_three",
    "draws",
)  # fmt: skip

COMPUTING = ("game", "encoding", "matrix_games", "induction", "strategies", "evaluation")
"""The rooms of the package that numbers come from."""

UNKNOWN = "unknown"
"""Stands for the code of rows that were there before rows had keys."""

TABLE, MANIFEST, MEASURED = "table.csv", "manifest.json", "measured.csv"
UNFINISHED = "unfinished.jsonl"
FIGURES = ("figure.pdf", "figure.png")
PRINTED = "table.tex"

Row = dict[str, Any]


class ExperimentError(GopsError):
    """An experiment that cannot be run or drawn as asked."""


@dataclass(frozen=True)
class Job:
    """A piece of an experiment: done as a whole, or not at all.

    Attributes
    ----------
    given : mapping
        Those cells of its rows that say what they are about, and nothing else has: no two jobs are
        given the same.
    rules : Rules or None
        The game; None if it is about none.
    compute : callable
        Returns the rows, without what is given. Cells are text or whole numbers, so that they are
        written as they are.
    data : mapping
        What else the numbers depend on: printed numbers, files that are read; anything JSON holds.
    """

    given: Mapping[str, Any]
    rules: gl.Rules | None
    compute: Callable[[], list[Row]]
    data: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Experiment:
    """What an experiment is.

    Attributes
    ----------
    name, title : str
    columns : mapping
        The table's columns, each with what it holds and in which unit.
    jobs : callable
        From parameters to jobs, in the order of the table.
    plot : callable
        From a table to a `gops_lab.reporting.Plot`; called in the paper's style.
    summary : callable
        From a table, all cells text, to the headline numbers, plain values.
    measured : mapping
        Columns that differ from run to run; they are kept out of the table.
    folder : str
        Under ``results/``; default the name.
    printed : callable, optional
        From a table to the part of it that a paper would print, made with the figure.
    """

    name: str
    title: str
    columns: Mapping[str, str]
    jobs: Callable[[Mapping[str, Any]], Iterable[Job]]
    plot: Callable[[pd.DataFrame], gl.reporting.Plot]
    summary: Callable[[list[Row]], dict[str, Any]]
    measured: Mapping[str, str] = field(default_factory=dict)
    folder: str = ""
    printed: Callable[[pd.DataFrame], pd.DataFrame] | None = None

    def place(self, results: Path) -> Path:
        """Return the folder of its results."""
        return results / (self.folder or self.name)


def experiment_named(name: str) -> Experiment:
    """Return the experiment with this name.

    Raises
    ------
    ExperimentError
        If there is none.
    """
    if name not in NAMES:
        raise ExperimentError(
            f"there is no experiment {name!r}; there are {', '.join(NAMES)}, and all"
        )
    found: Experiment = importlib.import_module(f"experiments.{name}").EXPERIMENT
    return found


def parameters_of(name: str, size: str) -> dict[str, Any]:
    """Return an experiment's parameters, full or quick, from the TOML file beside it."""
    with (HERE / f"{name}.toml").open("rb") as file:
        parameters: dict[str, Any] = tomllib.load(file)[size]
    return parameters


# Keys


def digest(data: object) -> str:
    """Return the SHA-256 of what JSON can hold."""
    text = json.dumps(data, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()


def versions() -> dict[str, str]:
    """Return the versions of everything that computes."""
    packages = ("numpy", "scipy", "numba", "pandas")
    return {
        "gops_lab": gl.__version__, "python": platform.python_version(),
        **{name: version(name) for name in packages},
    }


@cache
def package_code(rooms: Sequence[str] = COMPUTING) -> str:
    """Return a hash of the package's code that computes, without comments and docstrings."""
    root = Path(gl.__file__).parent
    files = sorted(path for room in rooms for path in (root / room).rglob("*.py"))
    return digest({path.relative_to(root).as_posix(): _code(path) for path in files})


def code_of(name: str) -> str:
    """Return a hash of all code that an experiment's numbers come from, not its figure's."""
    own = {path.name: _code(path) for path in (HERE / "games.py", HERE / f"{name}.py")}
    return digest([own, package_code()])


def _code(path: Path) -> str:
    """Return a module's code as far as it can change a number."""
    module = ast.parse(path.read_text(encoding="utf-8"))
    for node in ast.walk(module):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef) and node.body:
            first = node.body[0]
            if isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant):
                node.body = node.body[1:] or [ast.Pass()]
    module.body = [node for node in module.body if not _is_presentation(node)]
    return ast.unparse(module)


def _is_presentation(node: ast.stmt) -> bool:
    """Whether a part of an experiment only draws, sums up or describes."""
    if isinstance(node, ast.FunctionDef):
        return node.name.startswith(("plot", "summary"))
    return isinstance(node, ast.Assign) and any(
        isinstance(target, ast.Name) and target.id == "EXPERIMENT" for target in node.targets
    )


def asked(job: Job) -> dict[str, Any]:
    """Return what a job was asked, in full."""
    said = {"given": dict(job.given), "rules": job.rules.as_dict() if job.rules else None}
    return {**said, "data": digest(job.data)} if job.data else said


def key_of(experiment: Experiment, job: Job) -> str:
    """Return a hash of everything that can change the numbers of a job."""
    return digest([
        experiment.name, list(experiment.columns), list(experiment.measured), asked(job),
        versions(), code_of(experiment.name),
    ])


# Running


@dataclass(frozen=True)
class Finished:
    """The rows of a job, and what made them."""

    asked: Mapping[str, Any]
    key: str
    code: str
    rows: list[Row]


def run(
    experiment: Experiment, parameters: Mapping[str, Any], results: Path, *, size: str = "full",
    any_code: bool = False, client: Client | None = None,
) -> dict[str, Any]:
    """Compute what is missing, write table and manifest, and return the headline numbers.

    Parameters
    ----------
    experiment : Experiment
    parameters : mapping
    results : Path
        The experiment's own folder is made in it.
    size : {"full", "quick"}
        What the parameters are called in the manifest.
    any_code : bool
        Whether rows that other code or other versions made are kept too; the manifest says so.
    client : distributed.Client, optional
        Of a Dask cluster whose workers do a job each; they must have this folder of experiments.

    Raises
    ------
    ExperimentError
        If there is nothing to compute, because programs that it needs are not installed, or if
        something is to be measured, which a cluster would do on another machine.
    ClusterError
        If the cluster is lost; jobs that are finished are kept.
    """
    if client is not None and experiment.measured:
        raise ExperimentError(f"{experiment.name} measures this machine; run it without a cluster")
    jobs = list(experiment.jobs(parameters))
    if not jobs:
        raise ExperimentError(f"{experiment.name} has no jobs: what it runs is not installed")
    folder = experiment.place(results)
    folder.mkdir(parents=True, exist_ok=True)
    kept = _Kept(folder, experiment, any_code)
    keys = [key_of(experiment, job) for job in jobs]
    there = [kept.find(job, key) for job, key in zip(jobs, keys, strict=True)]
    missing = [job for job, found in zip(jobs, there, strict=True) if found is None]
    done = []
    with (
        tqdm(jobs, desc=experiment.name, disable=None, leave=False, unit="job") as bar,
        closing(_computed(missing, client)) as computed,
    ):
        for job, key, found in zip(bar, keys, there, strict=True):
            bar.set_postfix_str(" ".join(str(value) for value in job.given.values()))
            if found is None:
                rows = [{**job.given, **row} for row in next(computed)]
                found = Finished(asked(job), key, code_of(experiment.name), rows)
                kept.add(found)
            done.append(found)
    rows = [row for part in done for row in part.rows]
    summary = experiment.summary([{k: str(v) for k, v in row.items()} for row in rows])
    _write(folder, experiment, parameters, size, done, summary)
    (folder / UNFINISHED).unlink(missing_ok=True)
    return summary


def _computed(jobs: Sequence[Job], client: Client | None) -> Generator[list[Row], None, None]:
    """Yield what each job computes, here or on the workers of a cluster."""
    if client is None:
        for job in jobs:
            yield job.compute()
    else:
        tasks = [(job.compute,) for job in jobs]
        yield from results(as_client(client), _compute, tasks)


def _compute(compute: Callable[[], list[Row]]) -> list[Row]:
    return compute()


class _Kept:
    """The rows that earlier runs left in a folder."""

    def __init__(self, folder: Path, experiment: Experiment, any_code: bool) -> None:
        self._journal = folder / UNFINISHED
        self._any_code = any_code
        self._experiment = experiment
        self._by_key: dict[str, Finished] = {}
        self._by_question: dict[str, Finished] = {}
        for part in [*_of_table(folder, experiment), *_of_journal(self._journal)]:
            self._by_key[part.key] = part
            self._by_question[digest(part.asked)] = part
        # Rows older than keys are known by what they are about alone.
        self._loose = [] if self._by_key else _rows_of(folder, experiment)

    def find(self, job: Job, key: str) -> Finished | None:
        """Return a job's rows, if there are any that hold."""
        if key in self._by_key:
            return self._by_key[key]
        if not self._any_code:
            return None
        if digest(asked(job)) in self._by_question:
            return self._by_question[digest(asked(job))]
        about = {name: str(value) for name, value in job.given.items()}
        rows = [row for row in self._loose if about.items() <= row.items()]
        return Finished(asked(job), UNKNOWN, UNKNOWN, rows) if rows else None

    def add(self, part: Finished) -> None:
        """Keep the rows of a job on disk, whatever happens next."""
        line = json.dumps(
            {"asked": part.asked, "key": part.key, "code": part.code, "rows": part.rows}
        )
        with self._journal.open("ab") as file:
            file.write(f"{line}\n".encode())
            file.flush()
            os.fsync(file.fileno())


def _of_journal(path: Path) -> Iterator[Finished]:
    """Yield the jobs an interrupted run has finished; a line cut short is none."""
    if not path.exists():
        return
    data = path.read_bytes()
    whole = data[: data.rfind(b"\n") + 1]
    if whole != data:
        replace_file(path, whole)
    for line in whole.splitlines():
        part = json.loads(line)
        yield Finished(part["asked"], part["key"], part["code"], part["rows"])


def _of_table(folder: Path, experiment: Experiment) -> Iterator[Finished]:
    """Yield the jobs of a finished run, if table and manifest still belong together."""
    manifest = read_manifest(folder)
    rows = _rows_of(folder, experiment)
    jobs = manifest.get("jobs", [])
    said = manifest.get("outputs", {}).get(TABLE, {}).get("sha256")
    if not rows or said != _sha256(folder / TABLE) or sum(job["rows"] for job in jobs) != len(rows):
        return
    first = 0
    for job in jobs:
        about = {name: job[name] for name in ("given", "rules", "data") if name in job}
        about["rules"] = manifest["rules"][job["rules_number"]]
        yield Finished(about, job["key"], job["code"], rows[first : first + job["rows"]])
        first += job["rows"]


def _rows_of(folder: Path, experiment: Experiment) -> list[Row]:
    """Return the rows of a table, with what was measured; none if the columns are others."""
    table, measured = (read_rows(folder / name) for name in (TABLE, MEASURED))
    if not table or list(table[0]) != list(experiment.columns):
        return []
    if not experiment.measured:
        return table
    return (
        [row | more for row, more in zip(table, measured, strict=True)]
        if len(table) == len(measured) else []
    )


def read_rows(path: Path) -> list[Row]:
    """Return the rows of a CSV file, all cells text; none if there is no file."""
    if not path.exists():
        return []
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def read_manifest(folder: Path) -> dict[str, Any]:
    """Return the manifest of a folder of results; empty if there is none."""
    path = folder / MANIFEST
    manifest: dict[str, Any] = json.loads(path.read_bytes()) if path.exists() else {}
    return manifest


# Writing


def _write(
    folder: Path, experiment: Experiment, parameters: Mapping[str, Any], size: str,
    done: Sequence[Finished], summary: Mapping[str, Any],
) -> None:
    """Write the table, what was measured, and the manifest, which comes last."""
    rows = [row for part in done for row in part.rows]
    table = _as_csv(rows, list(experiment.columns))
    before = read_manifest(folder).get("outputs", {})
    if experiment.measured:
        about = [name for name in experiment.columns if name in done[0].asked["given"]]
        replace_file(folder / MEASURED, _as_csv(rows, [*about, *experiment.measured]))
    replace_file(folder / TABLE, table)
    outputs = {TABLE: _stamp(table)}
    if before.get(TABLE) == outputs[TABLE]:
        outputs |= {name: stamp for name, stamp in before.items() if name in (*FIGURES, PRINTED)}
    rules: list[Any] = []
    jobs = []
    for part in done:
        if part.asked["rules"] not in rules:
            rules.append(part.asked["rules"])
        jobs.append({
            "given": part.asked["given"], "rules_number": rules.index(part.asked["rules"]),
            **({"data": part.asked["data"]} if "data" in part.asked else {}),
            "rows": len(part.rows), "key": part.key, "code": part.code,
        })
    manifest = {
        "experiment": experiment.name,
        "title": experiment.title,
        "command": f"python -m experiments run {experiment.name}"
        + (" --quick" if size == "quick" else ""),
        "parameters": dict(parameters),
        "seeds": [],
        "columns": dict(experiment.columns),
        "measured": dict(experiment.measured),
        "summary": dict(summary),
        "versions": versions(),
        "code": code_of(experiment.name),
        "rules": rules,
        "jobs": jobs,
        "outputs": outputs,
    }
    _write_manifest(folder, manifest)


def _write_manifest(folder: Path, manifest: Mapping[str, Any]) -> None:
    """Write a manifest: lists of records one a line, so that it can be read and compared."""
    parts = []
    for name, value in manifest.items():
        if name in ("rules", "jobs"):
            lines = ",\n  ".join(json.dumps(entry) for entry in value)
            text = f"[\n  {lines}\n ]" if value else "[]"
        elif isinstance(value, dict):
            text = "\n ".join(json.dumps(value, indent=1).splitlines())
        else:
            text = json.dumps(value)
        parts.append(f" {json.dumps(name)}: {text}")
    replace_file(folder / MANIFEST, ("{\n" + ",\n".join(parts) + "\n}\n").encode())


def _as_csv(rows: Sequence[Row], columns: Sequence[str]) -> bytes:
    text = io.StringIO()
    table = csv.DictWriter(text, list(columns), lineterminator="\n", extrasaction="ignore")
    table.writeheader()
    table.writerows(rows)
    return text.getvalue().encode()


def _stamp(data: bytes) -> dict[str, Any]:
    return {"sha256": hashlib.sha256(data).hexdigest(), "bytes": len(data)}


def _sha256(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


# Drawing


def draw(experiment: Experiment, results: Path) -> list[Path]:
    """Draw the figure of a table as PDF and PNG, print what is printed, note it in the manifest.

    Raises
    ------
    ExperimentError
        If there is no finished table, or it is not the one of the manifest.
    """
    folder = experiment.place(results)
    manifest = read_manifest(folder)
    if not (folder / TABLE).exists() or "outputs" not in manifest:
        raise ExperimentError(
            f"{folder} has no finished table: python -m experiments run {experiment.name} makes it"
        )
    stamp = _stamp((folder / TABLE).read_bytes())
    if manifest["outputs"][TABLE] != stamp:
        raise ExperimentError(
            f"{folder / TABLE} is not the table of its manifest: "
            f"python -m experiments run {experiment.name} makes it again"
        )
    table = pd.read_csv(folder / TABLE)
    plot = experiment.plot(table)
    said = {"experiment": experiment.name, "table": stamp["sha256"], **manifest["versions"]}
    files = [gl.reporting.save_figure(plot, folder / name, said) for name in FIGURES]
    if experiment.printed is not None:
        files.append(folder / PRINTED)
        gl.reporting.write_table(experiment.printed(table), files[-1])
    manifest["outputs"] = {
        TABLE: stamp, **{file.name: _stamp(file.read_bytes()) for file in files},
    }
    _write_manifest(folder, manifest)
    return files
