"""The audit: sound folders agree, and each kind of wrong folder is found out."""

import hashlib
import json
import shutil
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

import gops_lab as gl
from gops_lab.cli import main
from gops_lab.errors import ArgumentError, StoreError
from gops_lab.induction import Reductions

PLAIN = gl.Rules(cards=4)
UNEQUAL = gl.Rules(hand_a=(1, 4, 5), hand_b=(2, 3, 6), prizes=(1, 4, 6))
NEGATIVE = gl.Rules(
    cards=3, hand_b=(0, 2, 4), prizes=(-4, 1, 3), ties="discard", negative_stakes="low_bid"
)
REPEATED = gl.Rules(hand_a=(0, 2, 2), hand_b=(1, 2, 3), prizes=(2, 2, 5), ties="split")
ALIKE = gl.Rules(hand_a=(1, 1, 3), hand_b=(1, 1, 3), prizes=(1, 2, 2))
KNOWN = gl.Rules(cards=4, hand_a=(1, 2, 4, 5), order=(3, 3, 2, -1, 1), negative_stakes="low_bid")
SHORT = gl.Rules(
    hand_a=(1, 2, 4, 5), hand_b=(1, 3, 4, 6), prizes=(-2, -1, 1, 3, 3), rounds=3,
    negative_stakes="low_bid",
)
LATER = gl.State((1, 4), (3, 6), (6,), upcard=4, carried=-3, lead=2)
CARRYING = gl.State((1, 4), (3, 6), (4, 6), carried=-3, lead=2)
AHEAD = gl.State((1, 2, 3), (1, 2, 3), (1, 2, 3), lead=3)


def cube(lead):
    return lead**3


def bent(lead):
    return min(lead, 2) + lead**2 / 7


SOLVES = {
    "blocks": lambda: gl.solve(PLAIN),
    "blocks, negative": lambda: gl.solve(NEGATIVE),
    "blocks, short": lambda: gl.solve(SHORT),
    "blocks, discard": lambda: gl.solve(gl.Rules(cards=4, ties="discard")),
    "rows": lambda: gl.solve(PLAIN, "win"),
    "rows, unequal": lambda: gl.solve(UNEQUAL, "win"),
    "rows, odd utility": lambda: gl.solve(gl.Rules(cards=3), cube),
    "rows, odd utility, a lead": lambda: gl.solve(gl.Rules(cards=3), cube, start=AHEAD),
    "rows, short": lambda: gl.solve(SHORT, "win"),
    "rows, known": lambda: gl.solve(KNOWN, "win"),
    "rows, known, margin": lambda: gl.solve(KNOWN),
    "rows, match": lambda: gl.solve_match(gl.Rules(cards=3), 2)[0],
    "rows, several leads": lambda: gl.solve_match(gl.Rules(cards=3), 2)[1],
    "later": lambda: gl.solve(UNEQUAL, start=LATER),
    "later, win": lambda: gl.solve(UNEQUAL, "win", start=LATER),
    "later, carried": lambda: gl.solve(UNEQUAL, "win", start=CARRYING),
    "nodes": lambda: gl.solve(PLAIN, method="simplex"),
    "nodes, repeated": lambda: gl.solve(REPEATED),
    "nodes, alike": lambda: gl.solve(ALIKE, "win"),
    "nodes, known": lambda: gl.solve(KNOWN, "win", method="simplex"),
    "nodes, utility": lambda: gl.solve(UNEQUAL, bent, method="simplex"),
    "nodes, match": lambda: gl.solve_match(UNEQUAL, 2, method="simplex")[0],
    "nodes, cards": lambda: gl.solve(
        ALIKE, "win", reductions=Reductions(patterns=False, decided=False)
    ),
    "nodes, no reductions": lambda: gl.solve(
        UNEQUAL, reductions=Reductions(False, False, False, False)
    ),
    "fractions": lambda: gl.solve(PLAIN, exact=True),
    "fractions, utility": lambda: gl.solve(
        UNEQUAL, lambda lead: Fraction(lead, 3), exact=True
    ),
    "top tier": lambda: gl.solve(UNEQUAL, keep=1),
    "top tiers, 6 cards": lambda: gl.solve(gl.Rules(cards=6), keep=2),
}
ALL = 10_000


@pytest.fixture(scope="module")
def saved(tmp_path_factory):
    """Return a function that gives the folder of a solution; do not change it."""
    made = {}

    def save(name):
        if name not in made:
            made[name] = SOLVES[name]().save(tmp_path_factory.mktemp("saved") / "folder")
        return made[name]

    return save


@pytest.fixture
def copied(saved, tmp_path):
    """Return a function that copies a solution to a folder that may be changed."""
    return lambda name: Folder(Path(shutil.copytree(saved(name), tmp_path / "copy")))


class Folder:
    """A stored solution that can be changed and sealed again, as a careful forger would."""

    def __init__(self, path):
        self.path = path
        self.manifest = json.loads((path / "manifest.json").read_text())

    def seal(self):
        """Write the manifest with a SHA-256 that fits."""
        self.manifest.pop("sha256", None)
        text = json.dumps(self.manifest, indent=1) + "\n"
        self.manifest["sha256"] = hashlib.sha256(text.encode()).hexdigest()
        (self.path / "manifest.json").write_text(json.dumps(self.manifest, indent=1) + "\n")
        return self.path

    def file(self, tier, kind="values"):
        return self.path / self.manifest["tiers"][str(tier)]["files"][kind]["name"]

    def array(self, tier, kind="values"):
        return np.load(self.file(tier, kind))

    def replace(self, tier, kind, array):
        """Put another array in the place of one, with name, length and hash that fit."""
        self.file(tier, kind).unlink()
        new = self.path / "new.npy"
        np.save(new, array)
        data = new.read_bytes()
        digest = hashlib.sha256(data).hexdigest()
        name = f"tier-{tier:02d}-{kind}-{digest[:12]}.npy"
        new.rename(self.path / name)
        self.manifest["tiers"][str(tier)]["files"][kind] = {
            "name": name, "bytes": len(data), "sha256": digest,
        }
        return self.seal()


def values_checked(report):
    return {
        int(check.what.split()[1]): (check.checked, check.total)
        for check in report.checks
        if check.what.endswith("values")
    }


def said(report):
    return " | ".join(map(str, report.disagreements))


# Sound folders


@pytest.mark.parametrize("name", [name for name in SOLVES if not name.startswith("top")])
def test_a_sound_folder_agrees_and_all_of_it_is_checked(saved, name):
    report = gl.audit(saved(name), samples=ALL)
    assert report.agrees, said(report)
    checked = values_checked(report)
    assert sum(done for done, _ in checked.values()) >= 3
    assert all(done == total for done, total in checked.values())
    layouts = {
        tier["layout"] for tier in Folder(saved(name)).manifest["tiers"].values()
    }
    expected = name.split(",")[0]
    assert expected in ("fractions", "later") or layouts == {expected}


def test_stage_games_of_five_cards_are_solved_by_highs(tmp_path):
    folder = gl.solve(gl.Rules(cards=5, hand_b=(1, 2, 3, 4, 6))).save(tmp_path / "folder")
    report = gl.audit(folder, samples=10)
    assert report.agrees, said(report)
    assert values_checked(report)[5] == (1, 1)
    assert "5 by HiGHS" in report.checks[-1].note


def test_samples_are_drawn_by_the_seed(saved):
    one, same, other = (gl.audit(saved("rows"), samples=5, seed=seed) for seed in (1, 1, 2))
    assert one == same
    assert {done for done, _ in values_checked(one).values()} == {5, 1}
    assert [c.note for c in one.checks] != [c.note for c in other.checks]


@pytest.mark.parametrize("dtype", ["float32", "int32"])
@pytest.mark.parametrize("name", ["blocks", "rows, unequal"])
def test_half_the_memory_agrees_to_its_own_error(copied, name, dtype):
    """Rounding all values to what the type holds is right if the stated errors allow for it."""
    folder = copied(name)
    step = 2.0**-20
    error = 0.0
    for tier, entry in folder.manifest["tiers"].items():
        values = folder.array(int(tier))
        error += 2.0**-20
        entry["report"]["error"] += error
        entry["dtype"] = dtype
        if dtype == "int32":
            entry["step"] = step
            values = np.where(np.isnan(values), -(2.0**31), np.round(values / step))
        folder.replace(int(tier), "values", values.astype(dtype))
    report = gl.audit(folder.path, samples=ALL)
    assert report.agrees, said(report)


def test_what_is_not_kept_is_not_counted(saved):
    checked = gl.audit(saved("top tiers, 6 cards"), samples=5)
    assert checked.agrees
    counts = values_checked(checked)
    assert [done for done, _ in counts.values()] == [0] * 6
    assert counts[5][1] > 1
    assert "the tier below is not kept" in checked.checks[-2].note


def test_few_cards_are_solved_from_scratch(saved, copied):
    report = gl.audit(saved("top tier"))
    assert report.agrees
    assert values_checked(report)[3] == (1, 1)
    assert "from scratch" in report.checks[-1].note
    folder = copied("top tier")
    folder.replace(3, "values", folder.array(3) + 1e-6)
    assert not gl.audit(folder.path).agrees


def test_progress_comes_to_its_end(saved):
    calls = []
    gl.audit(saved("nodes"), samples=10, progress=lambda *call: calls.append(call))
    assert [done for _, done, _ in calls] == list(range(1, len(calls) + 1))
    assert calls[-1][1] == calls[-1][2]


# Wrong values, with hashes that fit


@pytest.mark.parametrize("change", ["sign", "1e-6", "zero"])
@pytest.mark.parametrize("tier", [1, 2, 3])
@pytest.mark.parametrize("name", ["blocks", "rows", "nodes", "rows, known, margin"])
def test_a_single_wrong_value_is_found(copied, name, tier, change):
    folder = copied(name)
    values = folder.array(tier)
    at = int(np.nanargmax(np.abs(values)))
    before = float(values[at])
    values[at] = {"sign": -before, "1e-6": before + 1e-6, "zero": 0}[change]
    report = gl.audit(folder.replace(tier, "values", values), samples=ALL)
    assert not report.agrees
    found = report.disagreements[0]
    assert found.tier in (tier, tier + 1)
    if change == "sign":
        wrong = [d for d in report.disagreements if d.tier == tier]
        assert len(wrong) == 1
        assert wrong[0].stored == -before
        assert wrong[0].recomputed == pytest.approx(before, abs=1e-12)
        assert len(wrong[0].hand_a) == len(wrong[0].hand_b) == len(wrong[0].prizes) - (
            name == "rows, known, margin"
        ) == tier
        assert wrong[0].carried is not None
        assert wrong[0].lead is not None


@pytest.mark.parametrize("name", ["blocks", "rows", "nodes", "rows, known, margin"])
def test_a_value_that_is_none_is_found(copied, name):
    folder = copied(name)
    values = folder.array(2)
    needed = values != 0
    if name == "rows":
        needed &= np.abs(values) < 1  # not decided, so that the tier above needs it
    values[np.flatnonzero(needed)[0]] = np.nan
    report = gl.audit(folder.replace(2, "values", values), samples=ALL)
    assert {d.tier for d in report.disagreements} >= {3}


def test_a_wrong_fraction_is_found(copied):
    folder = copied("fractions")
    values = folder.array(2)
    at = int(np.argmax([abs(Fraction(value.decode())) for value in values]))
    right = Fraction(values[at].decode())
    wrong = right + Fraction(1, 10**30)
    texts = [value.decode() for value in values]
    texts[at] = str(wrong)
    report = gl.audit(folder.replace(2, "values", np.array(texts, np.bytes_)), samples=ALL)
    assert (2, wrong, right) in [(d.tier, d.stored, d.recomputed) for d in report.disagreements]
    texts[at] = "1/0"
    folder.replace(2, "values", np.array(texts, np.bytes_))
    assert "no integer or fraction" in said(gl.audit(folder.path))


@pytest.mark.parametrize("name", ["blocks", "nodes"])
def test_a_carried_sum_that_is_off_by_one_is_found(copied, name):
    folder = copied(name)
    if name == "nodes":
        nodes = folder.array(2, "nodes")
        nodes[:, 2] += nodes[:, 2] > 0
        folder.replace(2, "nodes", nodes)
    else:
        # A pattern to which one tie leads: both sums that can be carried change places.
        values, patterns = folder.array(2), folder.array(2, "patterns")
        first = patterns[patterns[:, 1] == 1][0, 3]
        carried = slice(first + 8, first + 24)
        values[carried] = np.roll(values[carried], 8)
        folder.replace(2, "values", values)
    assert not gl.audit(folder.path, samples=ALL).agrees


def test_values_of_other_rules_are_found(copied):
    folder = copied("blocks, negative")
    for part in ("rules", "game"):
        folder.manifest[part]["negative_stakes"] = "high_bid"
    report = gl.audit(folder.seal(), samples=ALL)
    assert any("more than the stated error" in d.what for d in report.disagreements)


def test_a_state_that_is_missing_is_found(copied):
    folder = copied("nodes")
    nodes, values = folder.array(2, "nodes"), folder.array(2)
    kept = np.arange(len(values)) != np.argmax(np.abs(values))
    folder.replace(2, "nodes", nodes[kept])
    folder.replace(2, "values", values[kept])
    folder.manifest["tiers"]["2"]["report"]["values"] -= 1
    report = gl.audit(folder.seal(), samples=ALL)
    assert "should be stored and is not" in said(report)
    assert report.disagreements[0].tier == 3


# Wrong claims


def test_an_error_bound_that_is_too_small_is_found(copied):
    folder = copied("blocks")
    report = folder.manifest["tiers"]["3"]["report"]
    report["error"] = folder.manifest["tiers"]["2"]["report"]["error"] / 2
    assert "the stated error" in said(gl.audit(folder.seal()))


def test_rounded_values_with_the_error_of_unrounded_ones_are_found(copied):
    folder = copied("blocks")
    folder.replace(3, "values", folder.array(3).round(9))
    assert "more than the stated error" in said(gl.audit(folder.path, samples=ALL))


def test_a_large_stated_error_hides_nothing(copied):
    folder = copied("blocks")
    for tier in folder.manifest["tiers"].values():
        tier["report"]["error"] = 1.0
    folder.replace(3, "values", folder.array(3) + 1e-6)
    assert "worst gap" in said(gl.audit(folder.path, samples=ALL))


def test_a_count_of_values_that_is_wrong_is_found(copied):
    folder = copied("blocks")
    folder.manifest["tiers"]["3"]["report"]["values"] += 1
    assert "the report says" in said(gl.audit(folder.seal()))


# Wrong patterns


@pytest.mark.parametrize(
    ("name", "column", "change", "words"),
    [
        ("blocks", 0, 1, "is not one of 3 cards"),
        ("blocks", 0, -1, "is not one of 3 cards"),
        ("blocks", 1, 1, "there are 48 values, the patterns have 56"),
        ("blocks, discard", 1, 1, "class"),
        ("blocks", 3, 8, "begin at"),
    ],
)
def test_a_wrong_pattern_row_is_found(copied, name, column, change, words):
    folder = copied(name)
    patterns = folder.array(3, "patterns")
    patterns[-1, column] += change
    assert words in said(gl.audit(folder.replace(3, "patterns", patterns)))


def test_another_legal_pattern_is_found(copied):
    """The word 1 1 1 2 2 2 is one of three cards, but hands 1 to 4 never leave it."""
    folder = copied("blocks, discard")
    patterns = folder.array(3, "patterns")
    wrong = int("111222", 3)
    assert wrong not in patterns[:, 0]
    patterns[-1, 0] = wrong
    patterns[:, 0].sort()
    report = gl.audit(folder.replace(3, "patterns", patterns))
    assert "the bids lead to" in said(report)


# Damaged folders


def test_a_flipped_byte_is_found(copied):
    folder = copied("rows")
    file = folder.file(2)
    data = bytearray(file.read_bytes())
    data[-1] ^= 1
    file.write_bytes(data)
    report = gl.audit(folder.path)
    assert "tier 2" in said(report)
    assert "SHA-256" in said(report)
    assert values_checked(report)[2][0] == 0
    assert values_checked(report)[1][0] > 0


def test_a_missing_and_a_short_file_are_found(copied):
    folder = copied("rows")
    folder.file(1).unlink()
    folder.file(2, "patterns").write_bytes(folder.file(2, "patterns").read_bytes()[:-1])
    text = said(gl.audit(folder.path))
    assert "cannot be read" in text
    assert "bytes" in text


def test_an_array_of_another_type_is_found(copied):
    folder = copied("blocks")
    folder.replace(2, "values", folder.array(2).astype(">f8"))
    assert "little-endian" in said(gl.audit(folder.path))
    folder.replace(2, "values", folder.array(2).astype("<f4"))
    assert "the manifest says float64" in said(gl.audit(folder.path))


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda m: m.update(format_version=2), "format version 2"),
        (lambda m: m.update(format="other"), "is not the manifest"),
        (lambda m: m["game"].update(ties="discard"), "what is left at start"),
        (lambda m: m["rules"].update(cards=3), "garbled"),
        (lambda m: m.pop("start_leads"), "fields missing: \\['start_leads'\\]"),
        (lambda m: m.update(more=1), "not known: \\['more'\\]"),
        (lambda m: m["start_leads"].reverse() or m["start_leads"].append(0), "garbled"),
        (lambda m: m["tiers"].pop("2"), "tiers are"),
        (lambda m: m["tiers"]["2"].update(files={}), "not the highest"),
        (lambda m: m["tiers"]["2"].update(step=0.5), "steps"),
        (lambda m: m["tiers"]["2"].update(prizes=3), "prizes are to come"),
        (lambda m: m["tiers"]["2"]["report"].update(error=-1.0), "error must be"),
        (lambda m: m["tiers"]["2"]["files"]["values"].update(name="../x.npy"), "should be"),
        (lambda m: m.update(tiers={}), "tiers are"),
        (lambda m: m["start"].pop("lead"), "start has fields"),
        (lambda m: m["tiers"]["2"]["report"].update(values=-1), "values must not be negative"),
        (lambda m: m["tiers"]["2"]["report"].update(stage_games=1), "are not 1 games"),
        (lambda m: m["objective"].update(table={}), "objective margin has fields"),
    ],
)
def test_a_wrong_manifest_is_one_clear_sentence(copied, change, words):
    folder = copied("blocks")
    change(folder.manifest)
    with pytest.raises(StoreError, match=words):
        gl.audit(folder.seal())


def test_a_swap_that_the_utility_does_not_allow_is_found(copied):
    folder = copied("rows, odd utility")
    folder.manifest["objective"]["table"]["2"] = "9.0"
    with pytest.raises(StoreError, match="swap is used"):
        gl.audit(folder.seal())


def test_a_lead_without_a_utility_is_found(copied):
    folder = copied("nodes, utility")
    for lead in range(-11, -2):
        folder.manifest["objective"]["table"].pop(str(lead))
    assert "says nothing of lead" in said(gl.audit(folder.seal()))


def test_an_unsealed_manifest_is_found(copied):
    folder = copied("blocks")
    file = folder.path / "manifest.json"
    file.write_text(file.read_text().replace('"carry"', '"split"'))
    with pytest.raises(StoreError, match="damaged"):
        gl.audit(folder.path)
    file.write_text("{")
    with pytest.raises(StoreError, match="not JSON"):
        gl.audit(folder.path)


@pytest.mark.parametrize("arguments", [{"samples": 0}, {"samples": 1.5}, {"seed": -1},
                                       {"progress": 3}])
def test_bad_arguments(saved, arguments):
    with pytest.raises(ArgumentError):
        gl.audit(saved("blocks"), **arguments)
    with pytest.raises(ArgumentError, match="folder"):
        gl.audit(3)


# The command


def test_the_command(saved, copied, capsys):
    assert main(["audit", str(saved("blocks")), "--samples", "10"]) == 0
    assert "tier 3 values: 10 of 24 checked" in capsys.readouterr().out
    folder = copied("blocks")
    folder.replace(3, "values", -folder.array(3))
    assert main(["audit", str(folder.path)]) == 1
    shown = capsys.readouterr().out
    assert "DISAGREES tier 3: hand_a=(" in shown
    assert "recomputed" in shown
    assert main(["audit", str(folder.path), "--json"]) == 1
    report = json.loads(capsys.readouterr().out)
    assert not report["agrees"]
    assert report["disagreements"][0]["tier"] == 3


def test_exit_codes_of_the_command(saved, tmp_path, capsys):
    assert main(["audit", str(tmp_path / "nothing")]) == 2
    assert main(["audit", str(saved("blocks")), "--samples", "0"]) == 2
    assert main(["audit", str(saved("blocks")), "--samples", "x"]) == 2
    assert main(["audit"]) == 2
    shown = capsys.readouterr()
    assert shown.out == ""
    assert len(shown.err.splitlines()) == 4
