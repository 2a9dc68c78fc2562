"""What the server answers is what the solution says, and nothing that it should not."""

import json
import socket
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from time import perf_counter

import pytest

import gops_lab as gl
from gops_lab.errors import ArgumentError, ForecastError, StrategyError
from gops_lab.explorer import Line, review, view
from gops_lab.strategies import distribution
from gops_lab.web import Opponents, Solutions, read_position

LATE = (
    "cards=6&objective=win&at_hand_a=1,3,5&at_hand_b=2,3,6&at_prizes=1,4&at_upcard=5&at_carried=2"
    "&at_lead=3"
)


def good(answer):
    status, data = answer
    assert status == 200, data
    return data


# Answers


@pytest.mark.parametrize(
    "link", ["cards=4", "cards=4&line=3", LATE, f"{LATE}&line=5:1:2", "cards=2&line=1:2:1,2:1:2"]
)
def test_an_answer_says_what_the_view_says(server, link):
    data = good(server.ask("position", link=link))
    position = read_position(link)
    seen = view(Solutions().of(position), position.line.state)
    assert data["link"] == link
    assert (data["value"], data["lower"], data["upper"]) == (seen.value, seen.lower, seen.upper)
    assert data["upcards"] == [[prize, float(chance)] for prize, chance in seen.upcards]
    assert data["state"]["hand_a"] == list(seen.state.hand_a)
    assert (data["stage"] is None) == (seen.stage is None)
    if seen.stage is not None:
        stage = data["stage"]
        assert stage["payoffs"] == [list(row) for row in seen.stage.payoffs]
        for player in "ab":
            assert stage[player] == [
                {"bid": bid.bid, "probability": bid.probability, "least": bid.least,
                 "greatest": bid.greatest, "given_away": bid.given_away}
                for bid in getattr(seen.stage, player)
            ]


def test_what_a_pair_of_bids_does_is_what_the_rules_do(server):
    link = "cards=3&hand_b=2,3,9&prizes=-1,2,4&ties=split&negative_stakes=low_bid&line=-1"
    data = good(server.ask("position", link=link))
    stage, line = data["stage"], read_position(link).line
    for i, bid_a in enumerate(stage["a"]):
        for j, bid_b in enumerate(stage["b"]):
            played = line.bid(bid_a["bid"], bid_b["bid"]).rounds[0]
            told = stage["outcomes"][stage["pairs"][i][j]]
            assert [told["gain_a"], told["gain_b"]] == [
                gain if isinstance(gain, int) else str(gain)
                for gain in (played.gain_a, played.gain_b)
            ]
            assert told["carried"] == played.carried
    taken = {outcome["taker"] for outcome in stage["outcomes"]}
    assert taken == {"a", "both", "b"}


def test_a_table_needs_no_solution(server):
    """Thirteen cards to win, split, take hours to solve; they can be looked at and played."""
    began = perf_counter()
    data = good(server.ask("table", link="cards=13&ties=split&objective=win&line=8:9:10,5:7:11"))
    assert perf_counter() - began < 1
    assert data["table"]["captured_b"] == [8, 5]
    assert data["points"] == [0, 13]
    assert "value" not in data
    status, data = server.ask("position", link="cards=13&ties=split&objective=win&line=8")
    assert status == 400
    assert "longer than a person waits" in data["error"]


def test_what_is_left_of_a_game_too_large_is_solved(server):
    state = gl.State((1, 5, 9), (2, 6, 13), (3, 4), upcard=12, lead=4)
    link = "cards=13&objective=win&at_hand_a=1,5,9&at_hand_b=2,6,13&at_prizes=3,4&at_upcard=12"
    data = good(server.ask("position", link=f"{link}&at_lead=4"))
    assert data["value"] == gl.solve(gl.Rules(cards=13), "win", start=state).value()


def test_the_full_deck_answers_while_a_person_looks(server):
    """At the top from the deck that comes with the package; below, what is left is solved."""
    server.ask("position", link="cards=13")
    for link in ("cards=13&line=7", "cards=13&line=7:9:9,4"):
        began = perf_counter()
        assert len(good(server.ask("position", link=link))["stage"]["a"]) >= 12
        assert perf_counter() - began < 2


def test_a_match_is_explored_with_the_lead_that_is_brought_along(server):
    link = "cards=3&objective=win&games=3&line=3:1:3,2:2:1,1:3:2/3"
    data = good(server.ask("position", link=link))
    second = gl.solve_match(gl.Rules(cards=3), 3)[1]
    state = gl.State((1, 2, 3), (1, 2, 3), (1, 2), upcard=3, lead=0)
    assert read_position(link).line.state == state
    assert data["value"] == pytest.approx(second.value(state), abs=1e-12)
    assert (data["game"], data["games"]) == (2, 3)


def test_a_review_finds_the_mistake_and_tells_the_mixture(server):
    link = "cards=4&ties=discard&line=4:1:3,1:2:1,3"
    rounds = good(server.ask("review", link=link, against="match"))["rounds"]
    solution = gl.solve(gl.Rules(cards=4, ties="discard"))
    line = Line(solution.rules).expose(4).bid(1, 3).expose(1).bid(2, 1)
    assert [(one["given_away_a"], one["given_away_b"]) for one in rounds] == [
        (seen.given_away_a, seen.given_away_b) for seen in review(solution, line)
    ]
    assert rounds[0]["given_away_a"] > 0.2 > rounds[1]["given_away_a"]
    assert rounds[0]["value"] == solution.value(line.states[1])
    assert rounds[0]["mixture_b"] == [[1, 0.0], [2, 0.0], [3, 0.0], [4, 1.0]]
    best = good(server.ask("review", link=link))["rounds"][0]["mixture_b"]
    assert dict(best) == solution.strategy(line.states[1], "b").to_dict()


# Play


def test_what_is_drawn_is_the_same_for_the_same_seed(server):
    drawn = {
        seed: good(server.ask("draw", link="cards=4&line=3", bid=2, seed=seed))["link"]
        for seed in range(12)
    }
    assert len(set(drawn.values())) > 1
    assert all(link.startswith("cards=4&line=3:2:") for link in drawn.values())
    assert drawn == {
        seed: good(server.ask("draw", link="cards=4&line=3", bid=2, seed=seed))["link"]
        for seed in range(12)
    }


def test_b_bids_what_its_strategy_says_without_knowing_the_bid_of_a(server):
    for seed in range(6):
        replies = {
            good(server.ask("draw", link="cards=4&line=3", bid=bid, seed=seed))["link"][-1]
            for bid in (1, 2, 3, 4)
        }
        assert len(replies) == 1
    assert good(server.ask("draw", link="cards=4&line=3", bid=1, against="match"))["link"] == (
        "cards=4&line=3:1:3"
    )


def test_draws_follow_the_optimal_strategies_and_are_independent(server):
    rules = gl.Rules(cards=4, ties="discard")
    best = gl.solve(rules).strategy(gl.State((1, 2, 3, 4), (1, 2, 3, 4), (1, 3, 4), upcard=2))
    link, count = "cards=4&ties=discard&line=2", 250
    drawn = [good(server.ask("draw", link=link, seed=seed))["link"] for seed in range(count)]
    bids = [tuple(map(int, one.rsplit(":", 2)[1:])) for one in drawn]
    for player in (0, 1):
        share = sum(bid[player] == 3 for bid in bids) / count
        assert share == pytest.approx(best[3], abs=0.1)
    both = sum(bid == (3, 3) for bid in bids) / count
    assert both == pytest.approx(best[3] ** 2, abs=0.1)


def test_exposures_are_drawn_where_they_can_be(server):
    links = {good(server.ask("draw", link="cards=3", seed=seed))["link"] for seed in range(40)}
    assert links == {f"cards=3&line={prize}" for prize in (1, 2, 3)}
    order = "cards=3&order=descending"
    assert good(server.ask("draw", link=order))["link"] == f"{order}&line=3"


@pytest.mark.parametrize(
    ("name", "sentence"),
    [
        ("nobody", "there is no strategy 'nobody'"),
        ("<script>alert(1)</script>", "there is no strategy"),
        ("table:/etc/passwd", "reads a file"),
        ("solution:/", "reads a file"),
        ("best:margin:table:/etc/passwd", "reads a file"),
        ("mix:0.5:uniform:solution:.", "reads a file"),
        ("search:uct:10000000", "9,999 iterations"),
        ("epsilon:0.1:" * 50 + "match", "at most 100 characters"),
    ],
)
def test_strategies_that_may_not_be_asked_for(server, name, sentence):
    for question in ("draw", "review"):
        link = "cards=4&line=3" if question == "draw" else "cards=4&line=3:2:2"
        status, data = server.ask(question, link=link, bid=2, against=name)
        assert status == 400
        assert sentence in data["error"]


def test_a_best_response_is_only_found_where_it_is_found_soon():
    opponents = Opponents(Solutions())
    assert opponents.strategy("best:margin:match", read_position("cards=3")).name
    with pytest.raises(StrategyError, match="up to 6 rounds, not 13"):
        opponents.strategy("best:margin:match", read_position("cards=13"))


def test_strategies_in_files_are_those_given_at_the_start(tmp_path):
    solution = gl.solve(gl.Rules(cards=3))
    solution.save(tmp_path / "three")
    name = f"solution:{tmp_path / 'three'}"
    opponents = Opponents(Solutions(), [name])
    assert opponents.names[0] == name
    state = gl.State((1, 2, 3), (1, 2, 3), (2, 3), upcard=1)
    strategy = opponents.strategy(name, read_position("cards=3"))
    assert distribution(strategy, solution.rules, state).to_dict() == pytest.approx(
        solution.strategy(state).to_dict()
    )
    with pytest.raises(StrategyError, match="reads a file"):
        opponents.strategy(f"solution:{tmp_path}", read_position("cards=3"))


def test_a_stored_solution_is_used_for_its_game():
    stored = gl.solve(gl.Rules(cards=3, ties="split"), "win")
    solutions = Solutions(stored)
    assert solutions.of(read_position("cards=3&ties=split&objective=win")) is stored
    assert solutions.of(read_position("cards=3&ties=split")) is not stored
    with pytest.raises(ArgumentError, match="for margin or win; this one is for"):
        Solutions(gl.solve(gl.Rules(cards=2), lambda lead: lead**3))
    below = gl.State((1, 3), (2, 3), (1,), upcard=2)
    with pytest.raises(ArgumentError, match="solutions of whole games"):
        Solutions(gl.solve(gl.Rules(cards=3), start=below))


def test_nobody_waits_for_what_a_stored_solution_does_not_keep(monkeypatch):
    solution = gl.solve(gl.Rules(cards=6), "win", keep=2)
    solutions = Solutions(solution)
    monkeypatch.setattr("gops_lab.explorer.solving.PATIENCE", -1.0)
    for line in ("", "3", "3:1:2"):
        assert solutions.of(read_position(f"cards=6&objective=win&line={line}")) is solution
    for line in ("3:1:2,4", "3:1:2,4:2:3"):  # both take values with 4 cards, which are not kept
        with pytest.raises(ForecastError, match="longer than a person waits"):
            solutions.of(read_position(f"cards=6&objective=win&line={line}"))


# What is refused

HOSTILE = [
    "", "link=", "link=cards", "link=cards%3D4%26line%3D9:1:1", "link=cards%3D1000000",
    "link=cards%3D4%26at_lead%3D" + "9" * 400, "link=cards%3D4%26hand_a%3D" + "1," * 900,
    "link=cards%3D4&link=cards%3D5", "link=cards%3D4&other=1", "x", "link=%ff", "&&&", "=",
    "link=cards%3D4%00", "link=%3Cscript%3Ealert(1)%3C/script%3E", "link=../../etc/passwd",
    "link=cards%3D4%26prizes%3D1,1e9,nan,2", "link=cards%3D62%26objective%3Dwin",
    "link=cards%3D30%26at_hand_a%3D1%26at_hand_b%3D1%26at_prizes%3D1",
    "link=cards%3D3%26hand_a%3D0,0,999999999%26prizes%3D1000000000,-1000000000,7%26games%3D3"
    "%26objective%3Dwin",
]


@pytest.mark.parametrize("query", HOSTILE)
@pytest.mark.parametrize("name", ["position", "table", "draw", "review", "export"])
def test_hostile_questions_get_one_sentence(server, name, query):
    status, headers, body = server.get(f"/api/{name}?{query}")
    if status == 200:  # a huge prize is no crime
        assert name != "position" or "value" in json.loads(body)
        return
    assert status == 400
    assert headers["content-type"] == "application/json"
    error = json.loads(body)["error"]
    assert error
    assert "\n" not in error
    assert "Traceback" not in error
    assert len(error) < 1000


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({"Host": "evil.example"}, 400),
        ({"Host": "127.0.0.1"}, 400),
        ({"Host": "127.0.0.1:1"}, 400),
        ({"Host": "127.0.0.1.evil.example:{port}"}, 400),
        ({"Host": ""}, 400),
        ({"Origin": "http://evil.example"}, 403),
        ({"Origin": "null"}, 403),
        ({"Origin": "http://127.0.0.1:1"}, 403),
        ({"Origin": "https://127.0.0.1:{port}"}, 403),
        ({"Sec-Fetch-Site": "cross-site"}, 403),
        ({"Sec-Fetch-Site": "same-site", "Sec-Fetch-Mode": "navigate"}, 403),
        ({"Origin": "http://127.0.0.1:{port}"}, 200),
        ({"Host": "localhost:{port}"}, 200),
        ({"Sec-Fetch-Site": "same-origin"}, 200),
    ],
)
def test_only_this_page_may_ask(server, headers, status):
    headers = {name: value.format(port=server.port) for name, value in headers.items()}
    found, _, body = server.get("/api/table?link=cards%3D4", headers=headers)
    assert found == status
    assert (b"hand_a" in body) == (status == 200)


def test_a_link_on_another_site_may_be_followed(server):
    headers = {"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "navigate"}
    assert server.get("/", headers=headers)[0] == 200


@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE", "OPTIONS", "PATCH"])
def test_only_reading_is_answered(server, method):
    assert server.get("/api/table?link=cards%3D4", method=method)[0] == 405


@pytest.mark.parametrize(
    "path",
    ["/../pyproject.toml", "/..%2f..%2fpyproject.toml", "/static/main.js", "/main.js/", "/.git",
     "//etc/passwd", "/%2e%2e/%2e%2e/etc/passwd", "/api/", "/api/shell", "/page.py", "/main.js%00"],
)
def test_nothing_but_the_page_is_served(server, path):
    assert server.get(path)[0] in (400, 404, 307)


def test_too_long_a_question_is_refused(server):
    assert server.get("/api/table?link=" + "1" * 9000)[0] == 414
    with suppress(OSError):  # the server may hang up before it has read everything
        assert server.get("/api/table?link=" + "1" * 10**6)[0] in (400, 414)


def test_the_server_is_there_for_this_machine_only(server):
    with socket.socket() as elsewhere:
        elsewhere.settimeout(2)
        assert elsewhere.connect_ex(("127.0.0.2", server.port)) != 0


def test_headers_let_nothing_run_that_was_not_sent(server):
    for path in ("/", "/main.js", "/api/start", "/nothing"):
        headers = server.get(path)[1]
        policy = headers["content-security-policy"]
        assert "default-src 'none'" in policy
        assert "unsafe" not in policy
        assert headers["x-content-type-options"] == "nosniff"
    assert "server" not in headers


def test_a_hundred_at_once(server):
    """The same answers as one by one, and the page is served meanwhile."""
    links = [
        f"cards={cards}&ties={ties}&line={upcard}"
        for cards in (3, 4, 5) for ties in ("carry", "discard", "split")
        for upcard in range(1, cards + 1)
    ]
    links = (links * 3)[:100]
    with ThreadPoolExecutor(100) as crowd:
        asked = [crowd.submit(server.ask, "position", link=link) for link in links]
        assert server.get("/")[0] == 200
        found = [one.result() for one in asked]
    assert len(found) == 100
    expected = {link: server.ask("position", link=link) for link in set(links)}
    assert all(answer == expected[link] for link, answer in zip(links, found, strict=True))
    assert all(status == 200 for status, _ in found)


def test_the_page_loads_nothing_from_elsewhere():
    from gops_lab.web.page import page_files

    for name, text in page_files().items():
        assert "://" not in text.replace("http://www.w3.org/2000/svg", ""), name
        assert "innerHTML" not in text, name
        assert "eval(" not in text, name
    assert Path(gl.__file__).parent.joinpath("web", "static", "index.html").is_file()
