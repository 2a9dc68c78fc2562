"""Solutions on disk: what is loaded is what was saved, and nothing that is damaged loads."""

import hashlib
import json
import os
import shutil
import subprocess
import sys
from fractions import Fraction
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest

import gops_lab as gl
from gops_lab.errors import OccupiedError, StoreError
from gops_lab.induction import Reductions, files, solution, store

UNEQUAL = gl.Rules(hand_a=(1, 4, 5), hand_b=(2, 3, 6), prizes=(1, 4, 6))
NEGATIVE = gl.Rules(
    cards=3, hand_b=(0, 2, 4), prizes=(-4, 1, 3), ties="discard", negative_stakes="low_bid"
)
REPEATED = gl.Rules(hand_a=(0, 2, 2), hand_b=(1, 2, 3), prizes=(2, 2, 5), ties="split")
KNOWN = gl.Rules(cards=3, hand_b=(2, 3, 4), order=(2, 3, 1))
SHORT = gl.Rules(cards=3, hand_a=(2, 3, 5), rounds=2)
LATER = gl.State((1, 4), (3, 6), (6,), upcard=4, carried=-3, lead=2)


def bent(lead):
    """A utility that is neither odd nor linear."""
    return min(lead, 2) + lead**2 / 7


SOLVES = {
    "margin": lambda: gl.solve(UNEQUAL),
    "margin, negative": lambda: gl.solve(NEGATIVE),
    "margin, repeated ranks": lambda: gl.solve(REPEATED),
    "margin, known order": lambda: gl.solve(KNOWN),
    "margin, two rounds": lambda: gl.solve(SHORT),
    "margin, top tier only": lambda: gl.solve(UNEQUAL, keep=1),
    "margin, linprog": lambda: gl.solve(UNEQUAL, method="highs"),
    "margin, no reductions": lambda: gl.solve(
        UNEQUAL, reductions=Reductions(False, False, False, False)
    ),
    "margin, exact": lambda: gl.solve(UNEQUAL, exact=True),
    "win": lambda: gl.solve(UNEQUAL, "win"),
    "win, simplex": lambda: gl.solve(UNEQUAL, "win", method="simplex"),
    "win, exact": lambda: gl.solve(NEGATIVE, "win", exact=True),
    "callable": lambda: gl.solve(UNEQUAL, bent),
    "odd callable": lambda: gl.solve(gl.Rules(cards=3), lambda lead: lead**3),
    "exact callable": lambda: gl.solve(UNEQUAL, lambda lead: Fraction(lead, 3), exact=True),
    "table": lambda: gl.solve(
        UNEQUAL, {lead: 0.1 * lead if lead < 0 else lead for lead in range(-11, 12)}
    ),
    "later state": lambda: gl.solve(UNEQUAL, start=LATER),
    "later state, win": lambda: gl.solve(UNEQUAL, "win", start=LATER),
    "match, first game": lambda: gl.solve_match(UNEQUAL, 2)[0],
    "match, last game": lambda: gl.solve_match(UNEQUAL, 2)[1],
}


@pytest.fixture(scope="module")
def saved(tmp_path_factory):
    """Return a function that gives a solution and the folder it was saved in; do not change it."""
    made = {}

    def save(name):
        if name not in made:
            solved = SOLVES[name]()
            made[name] = solved, solved.save(tmp_path_factory.mktemp("saved") / "new" / "folder")
        return made[name]

    return save


@pytest.fixture
def copied(saved, tmp_path):
    """Return a function that copies a saved solution to a folder that may be changed."""

    def copy(name):
        return Path(shutil.copytree(saved(name)[1], tmp_path / "copy"))

    return copy


def contents(folder):
    return {
        path.relative_to(folder): path.read_bytes() if path.is_file() else None
        for path in Path(folder).rglob("*")
    }


def some_states(rules):
    """Return states of every tier: all hands and prizes of small rules, at a few leads."""
    order = rules.known_order
    states = []
    for played in range(rules.rounds):
        for hand_a in sorted(set(combinations(rules.hand_a, rules.cards - played))):
            for hand_b in sorted(set(combinations(rules.hand_b, rules.cards - played))):
                left = combinations(order or rules.prizes, len(rules.prizes) - played)
                for prizes in {order[played:]} if order else sorted(set(left)):
                    upcard, *hidden = prizes
                    states.append(gl.State(hand_a, hand_b, prizes, lead=len(states) % 3))
                    states.append(gl.State(hand_a, hand_b, hidden, upcard, 0, len(states) % 3))
    return states[:: max(1, len(states) // 20)]


# What is loaded is what was saved


@pytest.mark.parametrize("name", SOLVES)
def test_round_trip(saved, monkeypatch, name):
    before, folder = saved(name)
    after = gl.load(folder)
    assert after.rules == before.rules
    assert after.objective.name == before.objective.name
    assert after.start == before.start
    assert after.exact == before.exact
    assert after.method == before.method
    assert after.reports == before.reports
    assert after.tables.keys() == before.tables.keys()
    assert after.value() == before.value() != 0 or name == "odd callable"
    for state in some_states(before.rules):
        assert after.value(state) == before.value(state)
        assert type(after.value(state)) is (Fraction if before.exact else float)
        assert after.bounds(state) == before.bounds(state)
        if state.upcard is not None:
            assert after.stage_game(state).equals(before.stage_game(state))
            for player in "ab":
                assert after.strategy(state, player).equals(before.strategy(state, player))


@pytest.mark.parametrize("name", ["margin", "margin, exact", "win", "later state, win"])
def test_the_values_come_from_the_files(saved, monkeypatch, name):
    """A solution that loads nothing and solves everything again would give the same numbers."""
    before, folder = saved(name)
    expected = before.value(), before.first_bids()
    after = gl.load(folder)
    monkeypatch.setattr(solution.Solution, "_subgame", None)
    assert after.value() == expected[0]
    assert after.first_bids().equals(expected[1])


def test_a_utility_is_kept_where_games_can_end(saved):
    """A what-if lead inside the range that was stored is answered by the stored utility."""
    _, folder = saved("callable")
    after = gl.load(folder)
    for lead in range(-11, 12):
        # A round that is won ends the game at that lead.
        last = gl.State((4,), (3,), (), 1, 0, lead - 1)
        assert after.value(last) == bent(lead)


def test_a_loaded_solution_can_be_saved(saved, tmp_path):
    _, folder = saved("match, first game")
    again = gl.load(folder).save(tmp_path / "again")
    assert without_run(again) == without_run(folder)


def without_run(folder):
    """Return what a folder holds, but for the time of writing."""
    return {path: data for path, data in contents(folder).items() if path.name != "run.json"}


# The same bytes


@pytest.mark.parametrize("name", ["margin", "win, exact", "callable"])
def test_saving_twice_gives_the_same_bytes(saved, tmp_path, name):
    first, folder = saved(name)
    assert len(without_run(folder)) >= 5
    first.save(tmp_path / "twice")
    SOLVES[name]().save(tmp_path / "twice")
    assert without_run(tmp_path / "twice") == without_run(folder)


KILLED = """
import json, os, signal, sys
import gops_lab as gl
from gops_lab.errors import OccupiedError, StoreError

folder = sys.argv[1]
rules = gl.Rules(hand_a=(1, 4, 5), hand_b=(2, 3, 6), prizes=(1, 4, 6))
gl.solve(rules, "win", method="simplex").save(folder + "/whole")
old = gl.solve(rules, "win", method="highs")
new = gl.solve(rules, "win", method="simplex")
real = os.replace
found = []
for case in ("fresh", "over"):
    for count in range(1, 100):
        place = f"{folder}/{case}-{count}"
        if case == "over":
            old.save(place)
        child = os.fork()
        if child == 0:
            calls = 0
            def replace(*names):
                global calls
                calls += 1
                if calls == count:
                    os.kill(os.getpid(), signal.SIGKILL)
                real(*names)
            os.replace = replace
            new.save(place)
            os._exit(0)
        finished = os.waitpid(child, 0)[1] == 0
        try:
            method = gl.load(place).method.split(",")[1].strip()
        except StoreError:
            method = None
        new.save(place)
        left = sorted(os.listdir(place))
        same = left == sorted(os.listdir(folder + "/whole"))
        found.append([case, finished, method, gl.load(place).value() == new.value(), same])
        if finished:
            break
print(json.dumps(found))
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_a_save_that_is_killed(saved, tmp_path):
    """Killed at any of its steps: the folder holds the old solution or the new one, or none.

    The files come from another process, too, and are the same as ours.
    """
    done = subprocess.run(
        [sys.executable, "-c", KILLED, tmp_path], capture_output=True, text=True, check=False
    )
    assert done.stderr == ""
    found = json.loads(done.stdout)
    fresh = [row for row in found if row[0] == "fresh"]
    over = [row for row in found if row[0] == "over"]
    # Two files for each of three tiers, the note of the run, the manifest; and one that finishes.
    assert len(fresh) == len(over) == 9
    assert [row[1] for row in fresh] == [False] * 8 + [True]
    assert [row[2] for row in fresh] == [None] * 8 + ["simplex"]
    assert [row[2] for row in over] == ["highs"] * 8 + ["simplex"]
    assert all(value and same for *_, value, same in found)
    assert without_run(tmp_path / "whole") == without_run(saved("win, simplex")[1])


def test_two_saves_at_once(saved, tmp_path, monkeypatch):
    """The second is refused while the first is writing, and the first is not disturbed."""
    first, folder = saved("win")
    second = gl.solve(UNEQUAL, "win", method="highs")
    refused = []
    real = store.replace_file

    def replace_file(path, data):
        with pytest.raises(StoreError, match="in use by another process"):
            second.save(path.parent)
        refused.append(path.name)
        real(path, data)

    monkeypatch.setattr(store, "replace_file", replace_file)
    first.save(tmp_path / "both")
    assert refused == ["run.json", "manifest.json"]
    assert without_run(tmp_path / "both") == without_run(folder)


def test_a_replaced_solution_leaves_no_files(saved, tmp_path):
    other = gl.solve(UNEQUAL, "win", reductions=Reductions(patterns=False))
    other.save(tmp_path / "one")
    before = set(contents(tmp_path / "one"))
    saved("win")[0].save(tmp_path / "one")
    assert without_run(tmp_path / "one") == without_run(saved("win")[1])
    assert before - set(contents(tmp_path / "one"))


def test_a_failed_save_leaves_the_old_solution(copied, monkeypatch):
    folder = copied("win")
    other = gl.solve(UNEQUAL, "win", reductions=Reductions(patterns=False))
    before = contents(folder)
    real = files.replace_file

    def full(path, *pieces):
        if path.name.startswith("tier-03"):
            raise OSError(28, "No space left on device")
        real(path, *pieces)

    monkeypatch.setattr(files, "replace_file", full)
    with pytest.raises(StoreError, match="No space left on device"):
        other.save(folder)
    assert contents(folder) == before


# What is in the way is refused


@pytest.mark.parametrize(
    ("name", "named"),
    [
        ("margin", "objective"),
        ("margin, negative", "rules"),
        ("win, exact", "rules"),
        ("callable", "objective"),
        ("later state, win", "start"),
        ("match, last game", "start_leads"),
    ],
)
def test_another_solution_is_not_replaced(saved, copied, name, named):
    folder = copied("win")
    before = contents(folder)
    with pytest.raises(StoreError, match=f"other {named}:.*nothing was written"):
        saved(name)[0].save(folder)
    assert contents(folder) == before


def test_fractions_are_not_replaced_by_floats(saved, copied):
    folder = copied("margin, exact")
    before = contents(folder)
    with pytest.raises(StoreError, match="other exact: True"):
        saved("margin")[0].save(folder)
    assert contents(folder) == before


@pytest.mark.parametrize("name", ["thesis.txt", "tier-01.csv", "manifest.txt", ".hidden"])
def test_a_folder_of_something_else_is_not_used(saved, tmp_path, name):
    (tmp_path / name).write_text("mine")
    before = contents(tmp_path)
    with pytest.raises(StoreError, match="other files"):
        saved("win")[0].save(tmp_path)
    assert contents(tmp_path) == before


@pytest.mark.parametrize("save", [True, False])
def test_a_solution_that_lost_its_manifest_is_not_replaced(saved, copied, save):
    folder = copied("win")
    (folder / "manifest.json").unlink()
    before = contents(folder)
    with pytest.raises(OccupiedError, match=r"manifest\.json is missing; nothing was written"):
        saved("win")[0].save(folder) if save else gl.solve(UNEQUAL, "win", out=folder)
    assert contents(folder) == before


def test_a_damaged_or_newer_solution_is_not_replaced(saved, copied):
    folder = copied("win")
    manifest = folder / "manifest.json"
    for text in ("{", '{"format": "gops_lab solution", "format_version": 99}'):
        manifest.write_text(text)
        before = contents(folder)
        with pytest.raises(StoreError):
            saved("win")[0].save(folder)
        assert contents(folder) == before


def test_a_utility_too_wide_for_a_table_writes_nothing(tmp_path):
    rules = gl.Rules(cards=1, prizes=(10**9,))
    with pytest.raises(StoreError, match="leads"):
        gl.solve(rules, lambda lead: lead**2).save(tmp_path / "new")
    assert contents(tmp_path) == {}


@pytest.mark.parametrize("path", [None, 5, "", "a\0b", [], {"folder": 1}])
def test_what_is_no_path(saved, path):
    for use in (gl.load, saved("win")[0].save):
        with pytest.raises(StoreError, match="must be a path"):
            use(path)


def test_a_file_is_no_folder(saved, tmp_path):
    (tmp_path / "file").write_text("mine")
    for path in (tmp_path / "file", tmp_path / "file" / "below", tmp_path / ("x" * 300)):
        for use in (gl.load, saved("win")[0].save):
            with pytest.raises(StoreError, match=path.name):
                use(path)
    assert contents(tmp_path) == {Path("file"): b"mine"}


# What is damaged does not load


def damages(data):
    middle = len(data) // 2
    flipped = bytes([data[middle] ^ 1])
    return {
        "empty": b"",
        "half": data[:middle],
        "one byte less": data[:-1],
        "one byte more": data + b"\0",
        "a bit": data[:middle] + flipped + data[middle + 1 :],
        "the first bit": bytes([data[0] ^ 128]) + data[1:],
        "the last bit": data[:-1] + bytes([data[-1] ^ 1]),
        "missing": None,
    }


@pytest.mark.parametrize("name", ["margin", "win", "margin, exact", "callable"])
def test_a_damaged_file_does_not_load(copied, name):
    folder = copied(name)
    checked = 0
    for file in sorted(folder.iterdir()):
        if file.name in ("run.json", ".lock"):
            continue
        data = file.read_bytes()
        for damage in damages(data).values():
            file.unlink()
            if damage is not None:
                file.write_bytes(damage)
            with pytest.raises(StoreError, match=str(folder)):
                gl.load(folder)
            file.write_bytes(data)
            checked += 1
    assert checked >= 4 * 8
    assert gl.load(folder).value() != 0


def test_files_that_have_changed_places_do_not_load(copied):
    folder = copied("win")
    one, two = sorted(folder.glob("tier-0[12]-values-*"))
    data = one.read_bytes()
    one.write_bytes(two.read_bytes())
    two.write_bytes(data)
    with pytest.raises(StoreError, match="damaged"):
        gl.load(folder)


def test_the_manifest_of_another_solution_does_not_load(copied, saved):
    folder = copied("margin")
    shutil.copy(saved("win")[1] / "manifest.json", folder)
    with pytest.raises(StoreError, match="tier-"):
        gl.load(folder)


@pytest.mark.parametrize(
    "text",
    [
        b"", b"\xff\xfe{}", b"{", b"[]", b"null", b"5", b'"gops_lab solution"', b"{}",
        b'{"format": "gops_lab solution"}', b'{"format": "gops_lab sweep", "format_version": 1}',
        b"[" * 100_000, b'{"format": ' + b"[" * 100_000,
    ],
)  # fmt: skip
def test_what_is_no_manifest(copied, text):
    folder = copied("win")
    (folder / "manifest.json").write_bytes(text)
    with pytest.raises(StoreError, match=r"manifest\.json"):
        gl.load(folder)


def test_a_manifest_that_is_a_folder(copied):
    folder = copied("win")
    (folder / "manifest.json").unlink()
    (folder / "manifest.json").mkdir()
    with pytest.raises(StoreError, match=r"manifest\.json"):
        gl.load(folder)


def test_a_newer_format_is_named(copied):
    folder = copied("win")
    manifest = json.loads((folder / "manifest.json").read_text())
    write_sealed(folder, {**manifest, "format_version": 2})
    with pytest.raises(StoreError, match=r"format version 2; this program reads version 1"):
        gl.load(folder)


def write_sealed(folder, manifest):
    """Write a manifest with the hash that belongs to it, as a program that knows the format."""
    manifest.pop("sha256", None)
    manifest["sha256"] = hashlib.sha256(files.as_json(manifest)).hexdigest()
    (folder / "manifest.json").write_bytes(files.as_json(manifest))


def every_place(node, path=()):
    """Yield the path to everything in a JSON document."""
    if path:
        yield path
    for key, child in node.items() if isinstance(node, dict) else enumerate(node):
        if isinstance(child, dict | list):
            yield from every_place(child, (*path, key))
        else:
            yield (*path, key)


def changed(document, path, value):
    """Return a copy of a JSON document with one thing in it replaced, or left out."""
    copy = json.loads(json.dumps(document))
    node = copy
    for key in path[:-1]:
        node = node[key]
    if value is KeyError:
        del node[path[-1]]
    else:
        node[path[-1]] = value
    return copy


@pytest.mark.parametrize("name", ["margin", "callable"])
def test_a_garbled_manifest_does_not_load(copied, name):
    """Every field, whatever it becomes: its own hash gives it away."""
    folder = copied(name)
    manifest = json.loads((folder / "manifest.json").read_text())
    places = list(every_place(manifest))
    assert len(places) > 60
    for path in places:
        for value in (KeyError, None, "x\ud800", -1, 0.5, {}):
            garbled = changed(manifest, path, value)
            if garbled == manifest:
                continue
            (folder / "manifest.json").write_bytes(files.as_json(garbled))
            with pytest.raises(StoreError):
                gl.load(folder)


def _at(document, path):
    for key in path:
        document = document[key]
    return document


@pytest.mark.parametrize("name", ["margin", "callable"])
def test_a_manifest_garbled_on_purpose(copied, name):
    """With a hash that fits, it loads or it is a StoreError: no other exception, no crash."""
    folder = copied(name)
    manifest = json.loads((folder / "manifest.json").read_text())
    must_fail = {"rules", "objective", "start", "tiers", "exact", "reductions", "method"}
    for path in every_place(manifest):
        if path[0] == "versions" or (path[:2] == ("objective", "table") and path[-1] not in "-3"):
            continue
        for value in (KeyError, None, "x", 10**30, []):
            write_sealed(folder, changed(manifest, path, value))
            try:
                gl.load(folder)
            except StoreError:
                continue
            assert not (value is KeyError and len(path) == 1 and path[0] in must_fail)


@pytest.mark.parametrize(
    ("path", "value"),
    [
        (("tiers",), []),
        (("tiers", "1"), None),
        (("tiers", "1", "files"), KeyError),
        (("tiers", "1", "dtype"), []),
        (("tiers", "1", "report", "stage_games"), "x"),
        (("tiers", "1", "report", "error"), []),
        (("reductions", "swap"), None),
        (("reductions", "swap"), 0),
        (("start_leads", 0), 1.5),
        (("format_version",), True),
    ],
)
def test_a_manifest_of_the_wrong_shape(copied, path, value):
    """Sealed as it should be: whoever reads it says so, and nobody fails on it later."""
    folder = copied("win")
    manifest = json.loads((folder / "manifest.json").read_text())
    write_sealed(folder, changed(manifest, path, value))
    with pytest.raises(StoreError, match=f"garbled: manifest.*{path[-1]}"):
        gl.load(folder)
    with pytest.raises(StoreError, match=f"garbled: manifest.*{path[-1]}"):
        gl.solve(UNEQUAL, "win", out=folder, resume=True)
    with pytest.raises(StoreError):
        gl.audit(folder)


@pytest.mark.parametrize("depth", [60, 900, 5000, 200_000])
@pytest.mark.parametrize("name", ["manifest.json", "journal.jsonl"])
def test_json_in_json_in_json(copied, name, depth):
    """Rejects a reader that only looks at what the parser itself refuses."""
    folder = copied("win")
    (folder / "manifest.json").unlink()
    (folder / "run.json").unlink()
    nested = "[" * depth + "]" * depth
    (folder / name).write_text(f'{{"format": "gops_lab solution", "x": {nested}}}\n')
    with pytest.raises(StoreError, match="not JSON"):
        gl.solve(UNEQUAL, "win", out=folder, resume=True)
    if name == "manifest.json":
        with pytest.raises(StoreError, match="nested"):
            gl.load(folder)
        with pytest.raises(StoreError, match="nested"):
            gl.audit(folder)


def test_arrays_that_do_not_belong_together(copied):
    """Files with the right hashes and the wrong contents."""
    folder = copied("win, simplex")
    manifest = json.loads((folder / "manifest.json").read_text())
    record = manifest["tiers"]["1"]["files"]
    nodes = np.load(folder / record["nodes"]["name"])
    values = np.load(folder / record["values"]["name"])
    for kind, array in [
        ("values", values[:-1]),
        ("values", values.astype("S8")),
        ("values", values[:, None]),
        ("nodes", nodes[:-1]),
        ("nodes", nodes[:, :3]),
        ("nodes", nodes.astype(float)),
        ("nodes", np.zeros_like(nodes)),
    ]:
        file = files.write_array(folder, "tier-01-wrong.npy", array)
        write_sealed(folder, changed(manifest, ("tiers", "1", "files", kind), file))
        with pytest.raises(StoreError):
            gl.load(folder)
    (folder / "tier-01-wrong.npy").write_bytes(b"not an array")
    text = {"name": "tier-01-wrong.npy", "bytes": 12}
    text["sha256"] = hashlib.sha256(b"not an array").hexdigest()
    write_sealed(folder, changed(manifest, ("tiers", "1", "files", "values"), text))
    with pytest.raises(StoreError):
        gl.load(folder)


def test_a_table_of_the_fast_sweep_must_have_its_length(copied):
    folder = copied("margin")
    manifest = json.loads((folder / "manifest.json").read_text())
    values = np.load(folder / manifest["tiers"]["1"]["files"]["values"]["name"])
    for array in (values[:-1], values.astype(np.int64), values[None]):
        file = files.write_array(folder, "tier-01-wrong.npy", array)
        write_sealed(folder, changed(manifest, ("tiers", "1", "files", "values"), file))
        with pytest.raises(StoreError, match="values are needed"):
            gl.load(folder)


def test_a_name_cannot_lead_out_of_the_folder(copied, tmp_path):
    folder = copied("win")
    manifest = json.loads((folder / "manifest.json").read_text())
    path = ("tiers", "1", "files", "values", "name")
    name = _at(manifest, path)
    shutil.move(folder / name, tmp_path / name)
    write_sealed(folder, changed(manifest, path, f"../{name}"))
    with pytest.raises(StoreError, match="cannot be read"):
        gl.load(folder)
