"""Tables and text: every format keeps every number, and says what it means."""

import io
import json
import os
import re
import shutil
import subprocess
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pandas as pd
import pyarrow.parquet as pq
import pytest

import gops_lab as gl
from gops_lab import reporting
from gops_lab.errors import IllegalBidError, StateError, TableError
from gops_lab.evaluation import given_away
from gops_lab.induction import files
from gops_lab.induction.forecast import readable_size
from gops_lab.reporting import bids_table, first_bids_table, formats, text, write_table
from gops_lab.reporting.description import description

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
    assert set(wide.attrs["units"]) == {"upcard", *map(str, hand), "value", "gap", "unique"}
    assert gl.Rules(**wide.attrs["rules"]) == RULES


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


def plain(table):
    """Return a table that does not say that it holds first bids: written row by row."""
    rows = table.copy()
    rows.attrs = {}
    return rows


def latex_rows(written):
    """Return the cells of a table as LaTeX would show them, and reject what it would choke on."""
    lines = written.splitlines()
    assert lines[1] == r"\toprule"
    assert lines[3] == r"\midrule"
    assert lines[-2:] == [r"\bottomrule", r"\end{tabular}"]
    columns = re.fullmatch(r"\\begin\{tabular\}\{([lr]+)\}", lines[0])[1]
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
    if re.fullmatch(r"\$[<>]?-?[\d./]+\$", cell):
        return cell.strip("$")
    while cell:
        known = next((code for code in LATEX if cell.startswith(code)), None)
        assert known or cell[0] not in r"\&%$#_{}~^<>|[*", f"bare {cell[0]} in {cell}"
        shown += LATEX[known] if known else cell[0]
        cell = cell[len(known or cell[0]) :]
    return shown


def test_latex_round_trip(table):
    header, *rows = latex_rows(formats.as_text(plain(table), "latex"))
    assert header == COLUMNS
    assert len(rows) == len(table)
    for got, row in zip(rows, table.itertuples(index=False), strict=True):
        assert [float(cell) for cell in got[1:6]] == pytest.approx(list(row[1:6]), abs=5e-5)
        assert got[6] == {True: "yes", False: "no"}[row.unique]


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
    table = plain(first_bids_table(exact))
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


@pytest.mark.parametrize("form", ["xls", "", "CSV", 7, ["csv"]])
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


# Every table


@pytest.fixture(scope="module")
def small():
    return {ties: gl.solve(gl.Rules(cards=4, ties=ties)) for ties in ("carry", "discard")}


STATE = gl.State((1, 3, 4), (2, 3, 4), (1, 3), upcard=2, lead=1)


def test_a_stage_table_is_the_stage_game(small):
    made = reporting.stage_table(small["carry"], STATE)
    back = made.pivot_table(index="bid_a", columns="bid_b", values="payoff")
    pd.testing.assert_frame_equal(back, small["carry"].stage_game(STATE))
    for player in "ab":
        chances = made.groupby(f"bid_{player}")[f"probability_{player}"].first()
        assert chances.tolist() == small["carry"].strategy(STATE, player).tolist()
    assert made.attrs["value"] == small["carry"].value(STATE)
    assert gl.State(**made.attrs["state"]) == STATE
    assert made.attrs["versions"]["gops_lab"] == gl.__version__


@pytest.mark.parametrize("ties", ["carry", "discard"])
@pytest.mark.parametrize("objective", ["margin", "win"])
def test_a_tier_holds_every_state_that_play_reaches(reachable, ties, objective):
    """With all ranks kept: no state missing, none twice, each with its own value and lotteries."""
    rules = gl.Rules(cards=3, ties=ties)
    solution = gl.solve(rules, objective)
    made = reporting.tier_table(solution, 2, ranks=True)
    want = set()
    for state in reachable(rules):
        if state.tier == 2 and state.upcard is not None:
            lead = state.lead if objective == "win" else 0
            want.add((state.hand_a, state.hand_b, state.prizes, state.upcard, state.carried, lead))
    got = {}
    for _, rows in made.groupby("state"):
        row = rows.iloc[0]
        cards = (tuple(map(int, row[name].split())) for name in ("hand_a", "hand_b", "prizes"))
        key = (*cards, int(row["upcard"]), int(row["carried"]), int(row["lead"]))
        assert key not in got
        got[key] = rows
    assert set(got) == want
    for key, rows in list(got.items())[::7]:
        state = gl.State(*key)
        assert rows["value"].iloc[0] == pytest.approx(solution.value(state), abs=1e-9)
        payoffs = solution.stage_game(state)
        x, y = (
            rows[rows["player"] == player].set_index("bid")["probability"] for player in "ab"
        )
        assert list(x.index) == list(state.hand_a)
        assert list(y.index) == list(state.hand_b)
        # A's lottery secures the value, and B's holds A to it.
        assert (x.to_numpy() @ payoffs).min() == pytest.approx(solution.value(state), abs=1e-9)
        assert (payoffs @ y.to_numpy()).max() == pytest.approx(solution.value(state), abs=1e-9)


def test_a_tier_by_order_has_the_values_of_all_ranks(small):
    """Hands in the same order share a row, and no value is lost."""
    by_order, by_rank = (
        reporting.tier_table(small["discard"], 2, ranks=ranks) for ranks in (False, True)
    )
    assert by_order["state"].nunique() < by_rank["state"].nunique() / 2
    values = [set(made["value"].round(9) + 0.0) for made in (by_order, by_rank)]
    assert values[0] == values[1]


def test_a_tier_of_a_deck_from_what_is_not_kept():
    """Of a game solved in part, and in fractions, the other way of finding values is used."""
    rules = gl.Rules(hand_a=(1, 1, 4), hand_b=(2, 3, 3), prizes=(1, 4, 6), ties="split")
    exact = reporting.tier_table(gl.solve(rules, exact=True), 2)
    floats = reporting.tier_table(gl.solve(rules), 2)
    assert isinstance(exact["value"].iloc[0], Fraction)
    assert exact["value"].astype(float).tolist() == pytest.approx(floats["value"].tolist())
    assert exact["hand_a"].tolist() == floats["hand_a"].tolist()
    assert exact["bid"].tolist() == floats["bid"].tolist()
    assert "1 1" in set(exact["hand_a"])
    totals = floats.groupby(["state", "player"])["probability"].sum()
    assert totals.tolist() == pytest.approx([1] * len(totals))


@pytest.mark.parametrize("cards", [0, 5, 2.5, None, "3"])
def test_no_such_tier(small, cards):
    with pytest.raises(TableError, match="between 1 and 4 cards"):
        reporting.tier_table(small["carry"], cards)


def test_a_tier_that_would_be_too_long_is_refused(small, monkeypatch):
    rows = len(reporting.tier_table(small["carry"], 2))
    monkeypatch.setattr("gops_lab.reporting.tiers.MOST_ROWS", rows - 1)
    with pytest.raises(TableError, match=rf"tier 2 would have up to {rows:,} rows, more than"):
        reporting.tier_table(small["carry"], 2)


def test_a_line_of_play(small):
    """The tied 4 is carried, B's 4 takes it with the 3: the rules' own example in small."""
    made = reporting.line_table(small["carry"], [(4, 3, 3), (3, 1, 4), (1, 4, 1)])
    assert made["stake"].tolist() == [4, 7, 1]
    assert made["carried"].tolist() == [0, 4, 0]
    assert made["lead"].tolist() == [0, 0, -7]
    assert made["gain_b"].tolist() == [0, 7, 0]
    assert made["hand_b"].tolist() == ["1 2 3 4", "1 2 4", "1 2"]
    state = gl.State((1, 2, 4), (1, 2, 4), (1, 2), upcard=3, carried=4)
    row = made.iloc[1]
    assert row["value"] == small["carry"].value(state)
    assert np.isnan(row["a_3"])
    assert row[["b_1", "b_2", "b_4"]].tolist() == small["carry"].strategy(state, "b").tolist()
    assert row["probability_b"] == row["b_4"]
    reply = small["carry"].strategy(state, "b")
    lost = small["carry"].value(state) - small["carry"].stage_game(state).loc[1] @ reply
    assert row["given_away_a"] == pytest.approx(lost, abs=1e-12)
    assert lost > 0.5
    assert (made[["given_away_a", "given_away_b"]] >= 0).all(axis=None)
    assert made.attrs["units"]["a_1"].endswith("of A")
    with pytest.raises(StateError, match="cannot be exposed"):
        reporting.line_table(small["carry"], [(4, 3, 3), (4, 1, 4)])
    with pytest.raises(IllegalBidError, match="not in B's hand"):
        reporting.line_table(small["carry"], [(4, 3, 3), (3, 1, 3)])
    for wrong in ([], [(4, 3)], [7], [(4, 3.5, 3)], ["432"]):
        with pytest.raises(TableError, match="round"):
            reporting.line_table(small["carry"], wrong)


def test_what_each_player_gives_away_is_seen_from_its_side(small):
    """Turned round, B's bid costs what A's does; a mistaken sign would give 0 for one of them."""
    state = gl.State((1, 3, 4), (2, 3, 4), (1, 2), upcard=4, lead=3)
    turned = gl.State((2, 3, 4), (1, 3, 4), (1, 2), upcard=4, lead=-3)
    lost = [given_away(small["discard"], state, bid) for bid in (1, 3, 4)]
    assert max(lost) > 0.1
    assert [given_away(small["discard"], turned, bid, "b") for bid in (1, 3, 4)] == (
        pytest.approx(lost, abs=1e-9)
    )
    with pytest.raises(IllegalBidError, match="not in A's hand"):
        given_away(small["discard"], state, 2)


def test_stakes_and_leads(small):
    made = reporting.stake_table(small["carry"], STATE, [0, 5])
    assert sorted(set(made["stake"])) == [2, 7]
    for carried in (0, 5):
        state = replace(STATE, carried=carried)
        rows = made[made["carried"] == carried]
        assert set(rows["value"]) == {small["carry"].value(state)}
        chances = rows.loc[rows["player"] == "b", "probability"].tolist()
        assert chances == small["carry"].strategy(state, "b").tolist()
    win = gl.solve(gl.Rules(cards=4), "win")
    made = reporting.lead_table(win, STATE, [-9, 1, 9])
    values = made.groupby("lead")["value"].first()
    assert values.to_dict() == {
        lead: pytest.approx(win.value(replace(STATE, lead=lead))) for lead in (-9, 1, 9)
    }
    assert values[9] > values[1] > values[-9]
    for player in "ab":
        for lead in (-9, 1, 9):
            rows = made[(made["lead"] == lead) & (made["player"] == player)]
            ranges = win.optimal_ranges(replace(STATE, lead=lead), player)
            assert rows["pure"].tolist() == (ranges["max"] > 1 - 1e-9).tolist()
            wide = (ranges["max"] - ranges["min"]).max() > 1e-9
            assert set(rows["unique"]) == {not wide}
    assert made[made["lead"] == 9]["pure"].all()
    assert not made["pure"].all()
    assert "P(A ahead)" in made.attrs["units"]["value"]
    with pytest.raises(TableError, match="at least one"):
        reporting.lead_table(win, STATE, [])


def test_games_beside_each_other(small):
    made = reporting.comparison_table(small)
    for name, solution in small.items():
        rows = made[made["game"] == name].drop(columns=["game", "cards", "ties", "order"])
        want = first_bids_table(solution)
        pd.testing.assert_frame_equal(
            rows.drop(columns="objective").reset_index(drop=True), want, check_exact=True
        )
        assert gl.Rules(**made.attrs["games"][name]["rules"]) == solution.rules
    assert made.attrs["units"]["value"].endswith("points")
    sizes = [gl.solve(gl.Rules(cards=cards)) for cards in (2, 3)]
    assert set(reporting.comparison_table(sizes)["game"]) == {"2 cards", "3 cards"}
    goals = [gl.solve(gl.Rules(cards=2), goal) for goal in ("margin", "win")]
    mixed = reporting.comparison_table(goals)
    assert set(mixed["game"]) == {"for margin", "for win"}
    assert "points" not in mixed.attrs["units"]["value"]
    for wrong in ([], [sizes[0], sizes[0]], [5], {"a": 5}):
        with pytest.raises(TableError):
            reporting.comparison_table(wrong)


def test_a_summary_by_hand():
    bids = pd.DataFrame(
        {
            "game": ["x"] * 3 + ["y"] * 3, "player": "a", "upcard": 7, "bid": [1, 2, 4] * 2,
            "probability": [0.5, 0.5, 0.0, 0.25, 0.0, 0.75], "value": [0.0] * 3 + [1.5] * 3,
            "unique": True,
        }
    )
    made = reporting.summary_table(bids).set_index("game")
    assert made["mean_bid"].to_dict() == {"x": 1.5, "y": 3.25}
    assert made["support"].to_dict() == {"x": "1 2", "y": "1 4"}
    assert made["distance"].to_dict() == {"x": 0.0, "y": 0.75}
    assert made["value"].to_dict() == {"x": 0.0, "y": 1.5}
    with pytest.raises(TableError, match="no column 'unique'"):
        reporting.summary_table(bids.drop(columns="unique"))


def test_stacked_tables_say_what_they_share(small):
    made = reporting.stack_tables(
        {name: reporting.stake_table(solved, STATE, [0, 1]) for name, solved in small.items()}
    )
    assert made["game"].unique().tolist() == ["carry", "discard"]
    assert made.attrs["objective"] == "margin"
    assert "rules" not in made.attrs
    assert made.attrs["games"]["carry"]["rules"]["ties"] == "carry"
    with pytest.raises(TableError, match="no column"):
        reporting.stack_tables({"a": made.drop(columns="game"), "b": pd.DataFrame({"x": [1]})})


def test_losses_and_costs():
    rules = gl.Rules(cards=3, ties="discard")
    found = gl.exploitability(rules, gl.strategy_named("uniform", rules))
    made = reporting.exploitability_table([found])
    assert made["exploitability"].tolist() == [found.exploitability]
    assert made["nash_conv"].tolist() == [2 * found.exploitability]
    assert made.attrs["units"]["exploitability"].endswith("points")
    win = gl.exploitability(rules, gl.strategy_named("uniform", rules), objective="win")
    with pytest.raises(TableError, match="one objective"):
        reporting.exploitability_table([found, win])
    expected = gl.forecast(gl.Rules(cards=8))
    row = reporting.cost_table([expected]).iloc[0]
    assert (row["stage_games"], row["memory"]) == (expected.stage_games, expected.memory)


# LaTeX as it is printed


def all_tables(small):
    """Return one table of each kind."""
    rules = gl.Rules(cards=3)
    found = gl.exploitability(rules, gl.strategy_named("uniform", rules))
    comparison = reporting.comparison_table(small)
    return {
        "first bids": first_bids_table(small["carry"]),
        "unequal": first_bids_table(gl.solve(RULES)),
        "exact": first_bids_table(gl.solve(RULES, exact=True)),
        "wide": bids_table(small["carry"]),
        "stage": reporting.stage_table(small["carry"], STATE),
        "matrix": small["carry"].stage_game(STATE),
        "tier": reporting.tier_table(small["carry"], 2),
        "line": reporting.line_table(small["carry"], [(4, 3, 3), (3, 1, 4)]),
        "stakes": reporting.stake_table(small["carry"], STATE, [0, 1]),
        "comparison": comparison,
        "summary": reporting.summary_table(comparison),
        "losses": reporting.exploitability_table([found]),
        "costs": reporting.cost_table([gl.forecast(rules)]),
    }


def bare_specials(written):
    """Return the special characters that stand alone in a table, but for what makes the table."""
    body = written.removeprefix(
        re.match(r"\\begin\{(tabular|longtable)\}\{[lr]+\}", written)[0]
    )
    body = re.sub(r"\\end\{(tabular|longtable)\}\n$", "", body)
    body = re.sub(r"\\(toprule|midrule|bottomrule|endhead)\n", "", body)
    body = re.sub(r"\$[<>]?-?[\d./]+\$", "", body)
    body = re.sub(r"\\cmidrule\(lr\)\{\d+-\d+\}", "", body)
    body = re.sub(r"\\multicolumn\{\d+\}\{c\}\{([^{}]*)\}", r"\1", body)
    body = re.sub(r"\\\\\n", "", body.replace(" & ", ""))
    for code in LATEX:
        body = body.replace(code, "")
    return sorted(set(body) & set("\\&%$#_{}~^<>|"))


def test_latex_of_every_table_has_no_bare_special(small, awkward):
    for name, made in {**all_tables(small), "awkward": awkward}.items():
        assert bare_specials(formats.as_text(made, "latex")) == [], name
    assert bare_specials("\\begin{tabular}{r}\n50% \\\\\n\\end{tabular}\n") == ["%"]
    assert bare_specials("\\begin{tabular}{r}\na_b \\\\\n\\end{tabular}\n") == ["_"]


def test_latex_first_bids_as_printed(small):
    """Known probabilities of the 4-card game, one block: both players have the same cards."""
    lines = formats.as_text(first_bids_table(small["discard"]), "latex").splitlines()
    assert lines[2:5] == [
        r" & \multicolumn{4}{c}{bid} & \\", r"\cmidrule(lr){2-5}",
        r"upcard & 1 & 2 & 3 & 4 & value \\",
    ]
    assert lines[7] == r"2 & 0.3371 & 0.1360 & 0.5269 & 0 & 0 \\"
    assert len(lines) == 12
    tiny = first_bids_table(small["discard"])
    tiny["probability"] = tiny["probability"].replace(0.0, 1e-7)
    assert "$<0.0001$" in formats.as_text(tiny, "latex")


def test_latex_of_unequal_hands_has_a_block_for_each(table):
    lines = formats.as_text(table, "latex").splitlines()
    headers = [line for line in lines if line.startswith("upcard")]
    assert headers == [r"upcard & 1 & 4 & 5 & value \\", r"upcard & 2 & 3 & 6 & value \\"]
    assert sum(r"\multicolumn{3}{c}{bid of " in line for line in lines) == 2
    rows = [line.removesuffix(r" \\").split(" & ") for line in lines if line[0].isdigit()]
    for player, block in (("a", rows[:3]), ("b", rows[3:])):
        want = table[table["player"] == player]["probability"].tolist()
        got = [float(cell) for row in block for cell in row[1:-1]]
        assert got == pytest.approx(want, abs=5e-5)


def test_part_of_a_first_bid_table_is_still_a_table(table):
    """pandas keeps what a table says of itself when columns are dropped."""
    part = table[["upcard", "bid"]]
    assert part.attrs["table"] == "first bids"
    assert formats.as_text(part, "latex").splitlines()[2] == r"upcard & bid \\"


def test_latex_of_numbers():
    """Noise is zero, columns have one number of decimals, signs are mathematics."""
    made = pd.DataFrame(
        {
            "value": [-2e-16, 1 / 3, -0.5], "half": [0.5, 1.0, -2.0], "tiny": [1e-5, -1e-5, 0.3],
            "unique": [True, False, True], "rank": [-1, 0, 1], "player": list("aba"),
        }
    )
    lines = formats.as_text(made, "latex").splitlines()
    assert lines[0] == r"\begin{tabular}{rrrlrl}"
    assert lines[4:7] == [
        r"0 & 0.5 & $<0.0001$ & yes & $-1$ & a \\",
        r"0.3333 & 1.0 & $>-0.0001$ & no & 0 & b \\",
        r"$-0.5000$ & $-2.0$ & 0.3000 & yes & 1 & a \\",
    ]


def test_latex_shows_no_value_below_the_certified_error(table):
    made = table.drop(columns="gap")
    made["value"] = 3e-4
    assert made.attrs["certified_error"] < 1e-9
    assert "0.0003" in formats.as_text(made, "latex")
    made.attrs["certified_error"] = 1e-3
    assert "0.0003" not in formats.as_text(made, "latex")


def test_latex_of_whole_tables_leaves_out_what_others_say(small):
    """A line of play holds 25 columns; of a part of them nobody expects one to be missing."""
    made = reporting.line_table(small["carry"], [(4, 3, 3), (3, 1, 4)])
    header = formats.as_text(made, "latex").splitlines()[2]
    assert header == (
        r"round & upcard & lead & stake & value & A bids & B bids & A loses & B loses \\"
    )
    part = formats.as_text(made[["round", "gain_a", "a_4"]], "latex").splitlines()[2]
    assert part == r"round & A scores & a\_4 \\"


def test_latex_of_a_long_table_is_broken_across_pages(small):
    made = reporting.tier_table(small["carry"], 2)
    lines = formats.as_text(made, "latex").splitlines()
    assert len(made) > 1000
    assert lines[0].startswith(r"\begin{longtable}")
    assert lines[4] == r"\endhead"
    assert lines[-1] == r"\end{longtable}"
    assert len(lines) == len(made) + 7


@pytest.mark.skipif(shutil.which("pdflatex") is None, reason="no TeX engine")
def test_latex_compiles(small, awkward, tmp_path):
    tables = {**all_tables(small), "awkward": awkward}
    for name, made in tables.items():
        write_table(made, tmp_path / f"{name.replace(' ', '')}.tex")
    document = "\n".join(
        [
            r"\documentclass{article}", r"\usepackage[utf8]{inputenc}",
            r"\usepackage{booktabs,longtable}", r"\begin{document}",
            *(rf"\input{{{name.replace(' ', '')}.tex}}" + "\n" for name in tables),
            r"\end{document}",
        ]
    )
    (tmp_path / "all.tex").write_text(document)
    done = subprocess.run(
        ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", "all.tex"], cwd=tmp_path,
        capture_output=True, text=True, errors="replace", check=False,
    )
    if re.search("File `(booktabs|longtable).sty' not found", done.stdout):
        pytest.skip("no booktabs or longtable")
    assert done.returncode == 0, done.stdout[-2000:]


# Writing every table


@pytest.mark.parametrize("form", formats.FORMATS)
def test_every_table_is_written_the_same_twice(small, tmp_path, form):
    made, again = all_tables(small), all_tables(small)
    for name in made:
        write_table(made[name], tmp_path / "one", form)
        write_table(again[name], tmp_path / "two", form)
        assert (tmp_path / "one").read_bytes() == (tmp_path / "two").read_bytes(), name


def test_parquet_gives_back_what_a_table_says(small, tmp_path):
    for name, made in all_tables(small).items():
        write_table(made, tmp_path / "t.parquet")
        assert pd.read_parquet(tmp_path / "t.parquet").attrs == made.attrs, name


@pytest.mark.parametrize(
    ("name", "begins"),
    [("t.md", b"| player"), ("t.tex", b"\\begin"), ("t.parquet", b"PAR1"), ("t", b"player,")],
)
def test_the_name_says_the_format(table, tmp_path, name, begins):
    write_table(table, tmp_path / name)
    assert (tmp_path / name).read_bytes().startswith(begins)


def test_an_index_with_a_name_is_written(small):
    written = formats.as_text(small["carry"].stage_game(STATE), "csv")
    assert written.splitlines()[0] == "bid_a,2,3,4"


def test_a_missing_number_is_blank():
    written = formats.as_text(pd.DataFrame({"x": [float("nan"), 1.0], "y": [None, "a"]}), "latex")
    assert r" &  \\" in written
    assert "nan" not in written.lower()


def test_units_say_whose_payoff(small):
    for name, made in all_tables(small).items():
        if name in ("wide", "matrix"):
            continue
        known = made.attrs["units"]
        payoffs = {"value", "payoff", "given_away_a", "exploitability"} & set(made.columns)
        assert payoffs <= set(known), name
        assert all("points" in known[column] for column in payoffs), name
