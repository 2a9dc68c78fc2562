"""The page as one file holds what the solutions say, and nothing that a browser would fetch."""

import base64
import gzip
import json
import re

import numpy as np
import pytest

import gops_lab as gl
from gops_lab.cli import main
from gops_lab.errors import ArgumentError
from gops_lab.explorer import view
from gops_lab.game import play_round, upcards
from gops_lab.web import Solutions, exported_page, read_position
from gops_lab.web.export import exported
from gops_lab.web.single_file import joined_modules


def data_in(page):
    """Return the data that a file holds."""
    (packed,) = re.findall(r'<script type="text/plain" id="data">(.*?)</script>', page)
    return json.loads(gzip.decompress(base64.b64decode(packed)))


@pytest.mark.parametrize(
    "link",
    ["cards=3", "cards=2&objective=win", "cards=3&ties=split&order=2,1,3",
     "cards=3&hand_a=2,4,4&hand_b=1,3,5&prizes=-1,2,3,4&negative_stakes=low_bid&rounds=2"],
)
def test_every_state_that_play_can_reach_is_inside(link, reachable):
    position = read_position(link)
    data = exported(position, Solutions())
    assert data["whole"]
    solution = Solutions().of(position)
    for state in reachable(position.rules):
        record = data["states"][key_of(data, state)]
        seen = view(solution, state)
        lead = 0 if data["with_lead"] else state.lead
        assert record["value"] + lead == pytest.approx(seen.value, abs=1e-8)
        assert record["error"] < 1e-8
        assert record["value"] + lead - record["error"] - data["rounding"] <= seen.lower + 1e-13
        assert record["value"] + lead + record["error"] + data["rounding"] >= seen.upper - 1e-13
        if seen.stage is None:
            coming = upcards(position.rules, state)
            assert record["upcards"] == [[p, float(chance)] for p, chance in coming.items()]
            continue
        assert np.array(record["payoffs"]) + lead == pytest.approx(
            np.array(seen.stage.payoffs), abs=1e-8
        )
        for player in "ab":
            bids, told = getattr(seen.stage, player), np.array(record[player])
            ranges = np.array([(bid.least, bid.greatest) for bid in bids])
            assert told[:, 1:3] == pytest.approx(ranges, abs=1e-7)
            assert (told[:, 0] >= ranges[:, 0] - 1e-7).all()
            assert (told[:, 0] <= ranges[:, 1] + 1e-7).all()
            # What a bid gives away is told against one of the other player's optimal strategies.
            others = getattr(seen.stage, "ba"["ab".index(player)])
            if all(bid.greatest - bid.least < 1e-9 for bid in others):
                given = [bid.given_away for bid in bids]
                assert told[:, 3] == pytest.approx(given, abs=1e-7)
        for (bid_a, bid_b), outcome in outcomes_in(data, state).items():
            played, after = play_round(position.rules, state, bid_a, bid_b)
            assert outcome["carried"] == after.carried
            assert outcome["change"] == after.lead - state.lead
            assert outcome["gain_a"] in (played.gain_a, str(played.gain_a))


def key_of(data, state):
    """Look a state's key up as the page does."""
    hands = "|".join(",".join(map(str, hand)) for hand in (state.hand_a, state.hand_b))
    stake = f"={state.stake}" if state.upcard is not None else f"{state.carried}"
    lead = f"|{state.lead}" if data["with_lead"] else ""
    return f"1|{data['hands'][hands]}|{','.join(map(str, state.prizes))}|{stake}{lead}"


def outcomes_in(data, state):
    """Return what every pair of bids does, looked up as the page does."""
    return {
        (bid_a, bid_b): data["outcomes"][state.stake][data["pairs"][bid_a][bid_b]]
        for bid_a in state.hand_a for bid_b in state.hand_b
    }


def test_a_line_of_the_full_deck_is_inside():
    position = read_position("cards=13&line=7:9:9,4:2:3")
    data = exported(position, Solutions())
    assert not data["whole"]
    assert len(data["states"]) == 5
    deck = gl.load("13-carry-margin")
    values = [record["value"] for record in data["states"].values()]
    leads = [state.lead for state in position.line.states]
    assert np.array(values) + leads == pytest.approx(
        [deck.value(state) for state in position.line.states], abs=1e-6
    )


def test_a_match_is_exported_along_its_line():
    link = "cards=2&objective=win&games=3&line=1:2:1,2:1:2/1:1:1"
    data = exported(read_position(link), Solutions())
    assert {key.split("|")[0] for key in data["states"]} == {"1", "2"}


@pytest.mark.parametrize("link", ["cards=13", "cards=7"])
def test_what_does_not_fit_is_refused(link):
    with pytest.raises(ArgumentError, match="too many states for one file; give a line of play"):
        exported_page(read_position(link), Solutions())


def test_a_file_asks_for_nothing_and_comes_out_the_same_twice():
    page = exported_page(read_position("cards=3"), Solutions())
    assert page == exported_page(read_position("cards=3"), Solutions())
    assert "default-src 'none'" in page
    assert "unsafe" not in page
    shell = page.replace("http-equiv", "")
    assert not re.search(r"https?:|(src|href)=\"(?!data:)|\burl\(|@import", shell)
    assert data_in(page)["whole"]


def test_modules_are_joined_after_those_they_need():
    program = joined_modules("exported.js")
    assert "import " not in re.sub(r"//.*", "", program)
    assert not re.search(r"^export ", program, re.MULTILINE)
    names = re.findall(r"^(?:async )?(?:function|const) (\w+)", program, re.MULTILINE)
    assert len(names) == len(set(names))


def test_the_command_writes_a_file(capsys, tmp_path):
    file = tmp_path / "three.html"
    assert main(["explore", "--cards", "3", "--line", "2:1:3", "--export", str(file)]) == 0
    assert str(file) in capsys.readouterr().out
    assert data_in(file.read_text(encoding="utf-8"))["link"] == "cards=3&line=2:1:3"


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["--cards", "13"], "too many states"),
        (["--cards", "4", "--line", "9"], "prize 9"),
        (["--cards", "4", "--games", "0"], "games must be from 1 to 3"),
        (["--cards", "4", "--line", "x&cards=5"], "line"),
        (["--solution", "nowhere"], "nowhere"),
    ],
)
def test_bad_arguments_cost_one_line(capsys, tmp_path, arguments, sentence):
    assert main(["explore", *arguments, "--export", str(tmp_path / "x.html")]) == 2
    out, err = capsys.readouterr()
    assert (out, len(err.splitlines())) == ("", 1)
    assert sentence in err
    assert not list(tmp_path.iterdir())


def test_a_file_that_cannot_be_written_costs_one_line(capsys, tmp_path):
    assert main(["explore", "--export", str(tmp_path / "no" / "x.html")]) == 2
    assert "folder does not exist" in capsys.readouterr().err
