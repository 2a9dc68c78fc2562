"""Tables and text: every format keeps every number, and says what it means."""

import io
import json
import os
import re
from fractions import Fraction

import numpy as np
import pandas as pd
import pyarrow.parquet as pq
import pytest

import gops_lab as gl
from gops_lab.errors import TableError
from gops_lab.induction import files
from gops_lab.induction.forecast import readable_size
from gops_lab.reporting import bids_table, first_bids_table, text, write_table

RULES = gl.Rules(hand_a=(1, 4, 5), hand_b=(2, 3, 6), prizes=(1, 4, 6))
COLUMNS = ["player", "upcard", "bid", "probability", "value", "gap", "unique"]

# Everything that means something to LaTeX, CSV or Markdown.
AWKWARD = [
    "50 % & more", r"a\b", "x_1^2", "{y}", "$~$", "#1", "|p|", "<a>", "[1pt]", "*", 'say "x", then',
    "two\nlines", r"\&", r"\|", "größe",
]  # fmt: skip


@pytest.fixture(scope="module")
def solution():
    return gl.solve(RULES)


@pytest.fixture(scope="module")
def exact():
    return gl.solve(RULES, exact=True)


@pytest.fixture(scope="module")
def table(solution):
    return first_bids_table(solution)


@pytest.fixture(scope="module")
def awkward():
    return pd.DataFrame(dict.fromkeys(AWKWARD, AWKWARD))


def test_both_players_and_every_bid(solution, table):
    assert list(table.columns) == COLUMNS
    assert len(table) == 2 * 3 * 3
    for player, hand in (("a", RULES.hand_a), ("b", RULES.hand_b)):
        rows = table[table["player"] == player].drop(columns="player").reset_index(drop=True)
        assert rows.equals(solution.first_bids(player))
        assert tuple(rows["bid"].unique()) == hand
        assert rows.groupby("upcard")["probability"].sum().tolist() == pytest.approx([1, 1, 1])
    # Both players' rows give A's value.
    assert table.groupby("upcard")["value"].nunique().tolist() == [1, 1, 1]
    assert (table["value"] != 0).all()


@pytest.mark.parametrize("player", ["a", "b"])
def test_the_wide_table_holds_the_same_numbers(solution, player):
    wide = bids_table(solution, player)
    tidy = solution.first_bids(player).set_index(["upcard", "bid"])
    hand = RULES.hand_a if player == "a" else RULES.hand_b
    assert list(wide.columns) == [*hand, "value", "gap", "unique"]
    assert list(wide.index) == [1, 4, 6]
    for (upcard, bid), row in tidy.iterrows():
        assert wide.loc[upcard, bid] == row["probability"]
        assert wide.loc[upcard, "value"] == row["value"]


def test_the_description_says_what_was_solved(table):
    assert gl.Rules(**table.attrs["rules"]) == RULES
    assert table.attrs["objective"] == "margin"
    assert set(table.attrs["units"]) == set(COLUMNS) - {"player"}
    assert table.attrs["units"]["value"].endswith("points")
    win = gl.solve(gl.Rules(cards=2), "win")
    assert "P(A ahead)" in description(win)["units"]["value"]
    cubes = gl.solve(gl.Rules(cards=2), lambda lead: lead**3)
    assert description(cubes)["units"]["value"].endswith("utility")


# CSV


def test_csv_round_trip(table):
    back = pd.read_csv(io.StringIO(formats.as_text(table, "csv")))
    pd.testing.assert_frame_equal(back, table, check_exact=True)


def test_csv_of_awkward_cells(awkward):
    back = pd.read_csv(io.StringIO(formats.as_text(awkward, "csv")))
    pd.testing.assert_frame_equal(back, awkward)


# Markdown


def markdown_rows(written):
    lines = written.splitlines()
    assert all(line.startswith("| ") and line.endswith(" |") for line in [lines[0], *lines[2:]])
    # As GitHub reads it: a pipe with a backslash before it does not end a cell.
    cells = [re.split(r"(?<!\\)\|", line)[1:-1] for line in [lines[0], *lines[2:]]]
    assert re.fullmatch(r"\|( --- \|)+", lines[1])
    assert lines[1].count("---") == len(cells[0])
    return [[re.sub(r"\\(\W)", r"\1", cell.strip()) for cell in row] for row in cells]


def test_markdown_round_trip(table):
    header, *rows = markdown_rows(formats.as_text(table, "markdown"))
    assert header == COLUMNS
    assert len(rows) == len(table)
    for got, row in zip(rows, table.itertuples(index=False), strict=True):
        assert got[:3] == [row.player, str(row.upcard), str(row.bid)]
        assert [float(cell) for cell in got[3:6]] == pytest.approx(list(row[3:6]), rel=1e-5)
        assert got[6] == str(row.unique)


def test_markdown_of_awkward_cells(awkward):
    header, *rows = markdown_rows(formats.as_text(awkward, "markdown"))
    shown = [" ".join(cell.split()) for cell in AWKWARD]
    assert header == shown
    assert rows == [[cell] * len(AWKWARD) for cell in shown]


# LaTeX

LATEX = {
    r"\textbackslash{}": "\\", r"\textasciitilde{}": "~", r"\textasciicircum{}": "^",
    r"\textless{}": "<", r"\textgreater{}": ">", r"\textbar{}": "|", r"{[}": "[", r"{*}": "*",
    r"\&": "&", r"\%": "%", r"\$": "$", r"\#": "#", r"\_": "_", r"\{": "{", r"\}": "}",
}  # fmt: skip


def latex_rows(written):
    """Return the cells of a table as LaTeX would show them, and reject what it would choke on."""
    lines = written.splitlines()
    assert lines[1] == r"\toprule"
    assert lines[3] == r"\midrule"
    assert lines[-2:] == [r"\bottomrule", r"\end{tabular}"]
    columns = re.fullmatch(r"\\begin\{tabular\}\{(r+)\}", lines[0])[1]
    rows = []
    for line in [lines[2], *lines[4:-2]]:
        assert line.endswith(r" \\")
        cells = re.split(r"(?<!\\)&", line.removesuffix(r" \\"))
        assert len(cells) == len(columns)
        rows.append([latex_text(cell.strip()) for cell in cells])
    return rows


def latex_text(cell):
    """Read a cell from left to right; a special character alone is an error."""
    shown = ""
    while cell:
        known = next((code for code in LATEX if cell.startswith(code)), None)
        assert known or cell[0] not in r"\&%$#_{}~^<>|[*", f"bare {cell[0]} in {cell}"
        shown += LATEX[known] if known else cell[0]
        cell = cell[len(known or cell[0]) :]
    return shown


def test_latex_round_trip(table):
    header, *rows = latex_rows(formats.as_text(table, "latex"))
    assert header == COLUMNS
    assert len(rows) == len(table)
    for got, row in zip(rows, table.itertuples(index=False), strict=True):
        assert [float(cell) for cell in got[1:6]] == pytest.approx(list(row[1:6]), rel=1e-5)


def test_latex_escapes_everything(awkward):
    header, *rows = latex_rows(formats.as_text(awkward, "latex"))
    shown = [" ".join(cell.split()) for cell in AWKWARD]
    assert header == shown
    assert rows == [[cell] * len(AWKWARD) for cell in shown]


# Parquet


def test_parquet_round_trip(table, tmp_path):
    write_table(table, tmp_path / "t.parquet", "parquet")
    back = pd.read_parquet(tmp_path / "t.parquet")
    pd.testing.assert_frame_equal(back, table, check_exact=True)


def test_parquet_says_what_it_holds(table, tmp_path):
    write_table(table, tmp_path / "t.parquet", "parquet")
    said = json.loads(pq.read_schema(tmp_path / "t.parquet").metadata[b"gops_lab"])
    assert said == table.attrs
    assert gl.Rules(**said["rules"]) == RULES
    assert said["units"]["probability"].startswith("probability")


def test_parquet_pages_carry_checksums(tmp_path):
    """A flipped bit in the data is seen; without checksums it would be another number."""
    frame = pd.DataFrame({"value": np.arange(1000) / 7})
    file = tmp_path / "t.parquet"
    write_table(frame, file, "parquet")
    data = bytearray(file.read_bytes())
    start = pq.ParquetFile(file).metadata.row_group(0).column(0).data_page_offset
    data[start + 400] ^= 1
    file.write_bytes(data)
    with pytest.raises(OSError, match=r"(?i)crc|checksum"):
        pq.read_table(file, page_checksum_verification=True)


def test_parquet_gives_the_same_bytes(table, tmp_path):
    write_table(table, tmp_path / "one", "parquet")
    write_table(first_bids_table(gl.solve(RULES)), tmp_path / "two", "parquet")
    assert (tmp_path / "one").read_bytes() == (tmp_path / "two").read_bytes()


# Fractions


@pytest.mark.parametrize("form", formats.FORMATS)
def test_fractions_survive(exact, tmp_path, form):
    table = first_bids_table(exact)
    truth = table["value"].tolist()
    assert any(value.denominator > 1 for value in truth)
    write_table(table, tmp_path / "t", form)
    if form == "parquet":
        back = pd.read_parquet(tmp_path / "t")["value"]
    elif form == "csv":
        back = pd.read_csv(tmp_path / "t", dtype=str)["value"]
    else:
        read = latex_rows if form == "latex" else markdown_rows
        back = [row[COLUMNS.index("value")] for row in read((tmp_path / "t").read_text())[1:]]
    assert [Fraction(value) for value in back] == truth
    assert bids_table(exact)["value"].tolist() == truth[0:9:3]


# Files


@pytest.mark.parametrize("form", ["xls", "", "CSV", None, ["csv"]])
def test_a_format_that_is_not_known(table, tmp_path, form):
    with pytest.raises(TableError, match="csv, parquet, latex, markdown"):
        write_table(table, tmp_path / "t", form)
    assert os.listdir(tmp_path) == []


def test_parquet_is_no_text(table):
    with pytest.raises(TableError, match="csv, latex or markdown"):
        formats.as_text(table, "parquet")


@pytest.mark.parametrize("file", [None, 5, "", ".", "a\0b", "no/such/folder", "/dev/null", []])
def test_a_file_that_cannot_be(table, tmp_path, monkeypatch, file):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(TableError):
        write_table(table, file, "csv")
    assert os.listdir(tmp_path) == []


def test_a_table_is_written_whole_or_not_at_all(table, tmp_path, monkeypatch):
    file = tmp_path / "t.csv"
    file.write_text("old")
    monkeypatch.setattr(files.os, "fsync", full_disk)
    with pytest.raises(TableError, match=r"t\.csv cannot be written: No space left"):
        write_table(table, file, "csv")
    assert file.read_text() == "old"
    assert os.listdir(tmp_path) == ["t.csv"]
    monkeypatch.undo()
    write_table(table, file, "csv")
    assert file.read_text() == formats.as_text(table, "csv")


def full_disk(descriptor):
    raise OSError(28, "No space left on device")


# Text


def test_small_numbers_are_not_shown_as_zero():
    assert text.number(3e-7) == "3e-07"
    assert text.number(-2e-5, ".4f") == "-2e-05"
    assert text.number(-1e-17) == "0.0000"
    assert text.number(0.25) == "0.2500"
    assert text.number(np.float64(0.5), ".6g") == "0.5"
    assert text.number(Fraction(1, 3)) == "1/3"
    assert text.number(np.True_) == "yes"
    assert text.number(7) == "7"


def test_columns_are_aligned():
    frame = pd.DataFrame({5: [0.5, 10.25]}, index=pd.Index([1, 13], name="upcard"))
    assert text.aligned(frame) == "upcard        5\n     1   0.5000\n    13  10.2500"


@pytest.mark.parametrize(
    ("count", "shown"),
    [(0, "0 bytes"), (1023, "1023 bytes"), (1024, "1.0 KiB"), (3 << 40, "3.0 TiB"),
     (1 << 60, "1,024.0 PiB"), (10**40, "8.9e+24 PiB")],
)  # fmt: skip
def test_sizes(count, shown):
    assert readable_size(count) == shown


@pytest.mark.parametrize(
    ("seconds", "shown"),
    [(0, "0.0 s"), (59.94, "59.9 s"), (90, "1.5 min"), (7200, "2.0 h"), (172800, "2.0 days"),
     (3.2e9, "101.5 years"), (1e30, "3.2e+22 years")],
)  # fmt: skip
def test_durations(seconds, shown):
    assert text.duration(seconds) == shown
