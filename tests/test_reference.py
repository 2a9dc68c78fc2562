"""The package agrees with ``reference_public.json``: 1,200 exact states up to 4 cards.

Source of the numbers: a deliberately plain recursion in exact fractions, checked against a second
solver and against a sequence-form linear program; see the file's ``schema``.
"""

import json
from fractions import Fraction
from functools import cache
from pathlib import Path

import numpy as np
import pytest

import gops_lab as gl
from gops_lab.encoding import Encoder
from gops_lab.game import expose, play_round, resolve_round, start, upcards
from gops_lab.matrix_games import is_unique

DATA = json.loads(
    (Path(__file__).parent / "data" / "reference_public.json").read_text(encoding="utf-8")
)
RECORDS = {record["id"]: record for record in DATA["records"]}
DECISIONS = [name for name, record in RECORDS.items() if "matrix" in record]
STARTS = [name for name, record in RECORDS.items() if "per_first_upcard" in record]
TOLERANCE = 1e-9

# A record holds a state; the hands and prizes of the game it is from stand in the record of its
# start, the order of play of the "fixed" games in their name only.
FIXED = {"pub/fixed231": (2, 3, 1)}


def rules_of(record):
    """Return the rules of the game that a record's state is from."""
    family = record["id"].split("/")[1]
    names = {"ties": record["ties"], "negative_stakes": record["negative_stakes"]}
    if family in ("handicap", "negative"):
        fresh = RECORDS[record["id"].rsplit("/", 1)[0] + "/start"]
        names |= {name: fresh[name] for name in ("hand_a", "hand_b", "prizes")}
    else:
        names["cards"] = record["cards"]
    names["order"] = FIXED["pub/fixed231"] if record["order"] == "fixed" else record["order"]
    return gl.Rules(**names)


def state_of(record):
    return gl.State(
        record["hand_a"], record["hand_b"], record["prizes"], record.get("upcard"),
        record["carried"], record["lead"],
    )


def matrix_of(record):
    return np.array([[Fraction(entry) for entry in row] for row in record["matrix"]], object)


def security_level(matrix, probabilities, player):
    """Return what a strategy guarantees its player, in A's payoffs."""
    if player == "a":
        return min(probabilities @ matrix)
    return max(matrix @ probabilities)


def test_the_file_is_the_one_meant():
    assert len(RECORDS) == len(DATA["records"]) == 1200
    assert (len(DECISIONS), len(STARTS)) == (1100, 100)


@pytest.mark.parametrize("name", RECORDS)
def test_value_exactly(name, solved):
    record = RECORDS[name]
    solution = solved(rules_of(record), record["objective"], exact=True)
    value = solution.value(state_of(record))
    assert isinstance(value, Fraction)
    assert value == Fraction(record["value"])
    assert solution.bounds(state_of(record)) == (value, value)


@pytest.mark.parametrize("name", DECISIONS)
def test_stage_game_exactly(name, solved):
    record = RECORDS[name]
    solution = solved(rules_of(record), record["objective"], exact=True)
    state, matrix = state_of(record), matrix_of(record)
    stage_game = solution.stage_game(state)
    assert list(stage_game.index) == record["bids_a"]
    assert list(stage_game.columns) == record["bids_b"]
    assert (stage_game.to_numpy() == matrix).all()
    for player in "ab":
        intervals = {
            int(bid): tuple(map(Fraction, ends))
            for bid, ends in record[f"intervals_{player}"].items()
        }
        ranges = solution.optimal_ranges(state, player)
        assert dict(zip(ranges["bid"], zip(ranges["min"], ranges["max"], strict=True),
                        strict=True)) == intervals
        assert (ranges["min"] == ranges["max"]).all() == record[f"unique_{player}"]
        strategy = solution.strategy(state, player)
        assert sum(strategy) == 1
        assert list(strategy.index) == record[f"bids_{player}"]
        assert all(intervals[bid][0] <= p <= intervals[bid][1] for bid, p in strategy.items())
        level = security_level(matrix, strategy.to_numpy(), player)
        assert level == Fraction(record["value"])


@pytest.mark.parametrize("name", DATA["nonunique_record_ids"])
def test_an_optimum_that_is_not_unique_is_called_so(name):
    record = RECORDS[name]
    matrix = matrix_of(record)
    for player, side in (("a", "row"), ("b", "column")):
        assert is_unique(matrix, side, exact=True) == record[f"unique_{player}"]
        assert is_unique(matrix.astype(float), side) == record[f"unique_{player}"]
    assert not (record["unique_a"] and record["unique_b"])


@pytest.mark.parametrize("name", RECORDS)
def test_value_in_floats(name, solved):
    record = RECORDS[name]
    solution = solved(rules_of(record), record["objective"])
    value = solution.value(state_of(record))
    assert isinstance(value, float)
    assert value == pytest.approx(float(Fraction(record["value"])), rel=0, abs=TOLERANCE)
    lower, upper = (Fraction(bound) for bound in solution.bounds(state_of(record)))
    assert lower <= Fraction(record["value"]) <= upper
    assert upper - lower <= 2 * TOLERANCE


@pytest.mark.parametrize("name", DECISIONS)
def test_stage_game_in_floats(name, solved):
    record = RECORDS[name]
    solution = solved(rules_of(record), record["objective"])
    state, matrix = state_of(record), matrix_of(record).astype(float)
    stage_game = solution.stage_game(state)
    assert list(stage_game.index) == record["bids_a"]
    assert list(stage_game.columns) == record["bids_b"]
    np.testing.assert_allclose(stage_game, matrix, rtol=0, atol=TOLERANCE)
    value = float(Fraction(record["value"]))
    for player in "ab":
        intervals = np.array(
            [[float(Fraction(end)) for end in ends]
             for ends in record[f"intervals_{player}"].values()]
        )
        ranges = solution.optimal_ranges(state, player)
        np.testing.assert_allclose(ranges[["min", "max"]], intervals, rtol=0, atol=TOLERANCE)
        strategy = solution.strategy(state, player).to_numpy()
        assert strategy.min() >= 0
        assert strategy.sum() == pytest.approx(1, abs=1e-12)
        assert (strategy >= intervals[:, 0] - TOLERANCE).all()
        assert (strategy <= intervals[:, 1] + TOLERANCE).all()
        level = security_level(matrix, strategy, player)
        assert level == pytest.approx(value, rel=0, abs=TOLERANCE)


@pytest.mark.parametrize("name", STARTS)
def test_first_upcards(name, solved):
    """The value behind each first upcard, and what `first_bids` says of it."""
    record = RECORDS[name]
    rules = rules_of(record)
    per_upcard = {int(up): answer for up, answer in record["per_first_upcard"].items()}
    assert set(upcards(rules, start(rules))) == set(per_upcard)
    exact = solved(rules, record["objective"], exact=True)
    floats = solved(rules, record["objective"])
    first = exact.first_bids().groupby("upcard")
    for upcard, answer in per_upcard.items():
        value = Fraction(answer["value"])
        state = expose(rules, start(rules), upcard)
        assert exact.value(state) == value
        assert floats.value(state) == pytest.approx(float(value), rel=0, abs=TOLERANCE)
        rows = first.get_group(upcard)
        assert set(rows["value"]) == {value}
        assert set(rows["gap"]) == {0}
        assert rows["probability"].sum() == 1
        root = RECORDS.get(record["id"].removesuffix("start") + f"root/up{upcard}")
        if root is not None:
            assert set(rows["unique"]) == {root["unique_a"]}
            assert list(rows["bid"]) == root["bids_a"]
            for_b = exact.first_bids("b").groupby("upcard").get_group(upcard)
            assert set(for_b["unique"]) == {root["unique_b"]}


@pytest.mark.parametrize(
    "counted", DATA["nonuniqueness_counts"],
    ids=lambda c: "-".join(str(c[k]) for k in ("cards", "ties", "order", "objective")),
)
def test_states_that_play_can_reach(counted, reachable, solved):
    """Perft: all stage games, leads and carried sums told apart; how many have no unique optimum."""
    rules = gl.Rules(
        counted["cards"], ties=counted["ties"], order=counted["order"],
        negative_stakes=counted["negative_stakes"],
    )
    if counted["cards"] == 4:
        # Too many to ask for their optimal strategies one by one; the encoder counts them.
        assert count_stage_games(rules) == counted["reachable_decision_points"]
        return
    states = [state for state in reachable(rules) if state.upcard is not None]
    assert len(states) == counted["reachable_decision_points"]
    solution = solved(rules, counted["objective"], exact=True)
    several = 0
    for state in states:
        payoffs = solution.stage_game(state).to_numpy()
        # A constant changes no optimal strategy; without it most of these games are the same.
        several += not both_unique(tuple(map(tuple, payoffs - payoffs[0, 0])))
    assert several == counted["with_non_unique_optimum"]


@cache
def both_unique(payoffs):
    return all(is_unique(payoffs, side, exact=True) for side in ("row", "column"))


def count_stage_games(rules):
    """Return how many stage games play can reach, by the encoder's vectorised transitions."""
    encoder = Encoder(rules)
    batch, found = encoder.start(), 0
    for _ in range(rules.rounds):
        rows, groups = np.nonzero(encoder.possible_upcards(batch))
        batch = _distinct(encoder, encoder.expose(batch[rows], groups))
        found += len(batch)
        legal = [encoder.legal_bids(batch, player) for player in "ab"]
        rows, i, j = np.nonzero(legal[0][:, :, None] & legal[1][:, None, :])
        bids = encoder.hands[0].distinct[i], encoder.hands[1].distinct[j]
        batch = _distinct(encoder, encoder.resolve_round(batch[rows], *bids))
    return found


def _distinct(encoder, batch):
    _, rows = np.unique(encoder.index(batch), return_index=True)
    return batch[rows]


TRANSCRIPTS = pytest.mark.parametrize("transcript", DATA["transcripts"], ids=lambda t: t["name"])


def transcript_rules(transcript):
    """Return rules that hold the cards of a transcript, and their start."""
    rounds = transcript["rounds"]
    return gl.Rules(
        hand_a=[r["bid_a"] for r in rounds],
        hand_b=[r["bid_b"] for r in rounds],
        prizes=[r["upcard"] for r in rounds],
        order=[r["upcard"] for r in rounds],
        ties=transcript["ties"],
        negative_stakes=transcript["negative_stakes"],
    )


@TRANSCRIPTS
def test_transcript_round_by_round(transcript):
    rules = transcript_rules(transcript)
    state = start(rules)
    totals = [Fraction(0), Fraction(0)]
    for told in transcript["rounds"]:
        state = expose(rules, state, told["upcard"])
        result, after = play_round(rules, state, told["bid_a"], told["bid_b"])
        assert result.stake == state.stake == Fraction(told["stake"])
        assert (result.gain_a, result.gain_b) == (Fraction(told["gain_a"]), Fraction(told["gain_b"]))
        assert result.carried == after.carried == Fraction(told["carried_after"])
        assert after == resolve_round(rules, state, told["bid_a"], told["bid_b"])
        totals = [totals[0] + result.gain_a, totals[1] + result.gain_b]
        assert totals == [Fraction(told["total_a"]), Fraction(told["total_b"])]
        assert after.lead == totals[0] - totals[1]
        state = after
    assert (state.hand_a, state.hand_b, state.prizes) == ((), (), ())
    assert state.carried == Fraction(transcript["unclaimed_pool"])
    assert state.lead == Fraction(transcript["margin"])
    assert gl.solve(rules, "win", start=state).value() == transcript["win_value"]


@TRANSCRIPTS
def test_transcript_in_arrays(transcript):
    """The same through the encoder, with copies of the state at other leads beside it."""
    encoder = Encoder(transcript_rules(transcript))
    copies = 3
    batch = encoder.start(copies)
    for told in transcript["rounds"]:
        possible = encoder.possible_upcards(batch)
        groups = possible.argmax(axis=1)
        assert (encoder.prizes.distinct[groups] == told["upcard"]).all()
        batch = encoder.expose(batch, groups)
        assert (batch.stake == int(Fraction(told["stake"]))).all()
        batch = encoder.resolve_round(
            batch, np.full(copies, told["bid_a"]), np.full(copies, told["bid_b"])
        )
        lead = Fraction(told["total_a"]) - Fraction(told["total_b"])
        assert (batch.lead == int(lead)).all()
        assert (batch.carried == int(Fraction(told["carried_after"]))).all()
    assert not encoder.possible_upcards(batch).any()


@pytest.mark.parametrize("exact", [True, False], ids=["exact", "floats"])
@pytest.mark.parametrize("ties", ["carry", "discard"])
def test_match_of_three(ties, exact):
    """Values at the start of each game of a match of three, by the lead so far."""
    (table,) = [table for table in DATA["match_of_3_tables"] if table["ties"] == ties]
    rules = gl.Rules(table["cards"], ties=ties)
    solutions = gl.solve_match(rules, games=3, exact=exact)
    fresh = start(rules)
    asked = 0
    for games_left, values in table["start_values"].items():
        solution = solutions[3 - int(games_left)]
        for lead, value in values.items():
            state = gl.State(fresh.hand_a, fresh.hand_b, fresh.prizes, lead=int(lead))
            if exact:
                assert solution.value(state) == Fraction(value)
            else:
                expected = float(Fraction(value))
                assert solution.value(state) == pytest.approx(expected, rel=0, abs=TOLERANCE)
            asked += 1
    assert asked == sum(map(len, table["start_values"].values())) > 30
