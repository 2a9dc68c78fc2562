"""The package agrees with ``reference_public.json``: 1,200 exact states up to 4 cards.

Source of the numbers: a deliberately plain recursion in exact fractions, checked against a second
solver and against a sequence-form linear program; see the file's ``schema``. In the names of its
records, ``first`` is the state in which the first prize has been exposed.
"""

import json
import re
from fractions import Fraction
from functools import cache
from itertools import groupby
from operator import le
from pathlib import Path

import numpy as np
import pytest

import gops_lab as gl
from gops_lab.encoding import Encoder
from gops_lab.game import WIN, expose, play_round, resolve_round, start, upcards
from gops_lab.matrix_games import is_unique

DATA = json.loads(
    (Path(__file__).parent / "data" / "reference_public.json").read_text(encoding="utf-8")
)
RECORDS = {record["id"]: record for record in DATA["records"]}
GAMES = {
    game: list(names)
    for game, names in groupby(
        RECORDS, key=lambda name: re.sub("/(start|first|mid).*", "", name.removeprefix("pub/"))
    )
}
TOLERANCE = 1e-9

# A record holds a state; the hands and prizes of the game it is from stand in the record of its
# start, the order of play of the "fixed" games in their name only.
FIXED = {"pub/fixed231": (2, 3, 1)}


every_game = pytest.mark.parametrize("game", GAMES)


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
    assert sum("matrix" in record for record in RECORDS.values()) == 1100
    assert sum("per_first_upcard" in record for record in RECORDS.values()) == 100
    assert sum(map(len, GAMES.values())) == 1200


@every_game
def test_values_and_stage_games_exactly(game, solved):
    for name in GAMES[game]:
        record, state = RECORDS[name], state_of(RECORDS[name])
        solution = solved(rules_of(record), record["objective"], exact=True)
        value = solution.value(state)
        assert isinstance(value, Fraction), name
        assert value == Fraction(record["value"]), name
        assert solution.bounds(state) == (value, value), name
        if "matrix" not in record:
            continue
        matrix = matrix_of(record)
        stage_game = solution.stage_game(state)
        assert list(stage_game.index) == record["bids_a"], name
        assert list(stage_game.columns) == record["bids_b"], name
        assert (stage_game.to_numpy() == matrix).all(), name
        for player in "ab":
            strategy = solution.strategy(state, player)
            assert list(strategy.index) == record[f"bids_{player}"], name
            assert sum(strategy) == 1, name
            ranges = solution.optimal_ranges(state, player)
            bids, low, high = (ranges[column].to_list() for column in ("bid", "min", "max"))
            intervals = {
                int(bid): list(map(Fraction, ends))
                for bid, ends in record[f"intervals_{player}"].items()
            }
            assert dict(zip(bids, map(list, zip(low, high, strict=True)), strict=True)) == intervals
            assert (low == high) == record[f"unique_{player}"], name
            probabilities = strategy.to_list()
            assert all(map(le, low, probabilities)), name
            assert all(map(le, probabilities, high)), name
            assert security_level(matrix, strategy.to_numpy(), player) == value, name


@every_game
def test_values_and_stage_games_in_floats(game, solved):
    for name in GAMES[game]:
        record, state = RECORDS[name], state_of(RECORDS[name])
        solution = solved(rules_of(record), record["objective"])
        expected = Fraction(record["value"])
        value = solution.value(state)
        assert isinstance(value, float), name
        assert abs(value - expected) <= TOLERANCE, name
        lower, upper = map(Fraction, solution.bounds(state))
        assert lower <= expected <= upper <= lower + 2 * Fraction(TOLERANCE), name
        if "matrix" not in record:
            continue
        matrix = matrix_of(record).astype(float)
        stage_game = solution.stage_game(state)
        assert list(stage_game.index) == record["bids_a"], name
        assert list(stage_game.columns) == record["bids_b"], name
        assert np.abs(stage_game.to_numpy() - matrix).max() <= TOLERANCE, name
        for player in "ab":
            intervals = np.array(
                [
                    [float(Fraction(end)) for end in ends]
                    for ends in record[f"intervals_{player}"].values()
                ]
            )
            ranges = solution.optimal_ranges(state, player)[["min", "max"]].to_numpy()
            assert np.abs(ranges - intervals).max() <= TOLERANCE, name
            strategy = solution.strategy(state, player).to_numpy()
            assert strategy.min() >= 0, name
            assert abs(strategy.sum() - 1) <= 1e-12, name
            assert (strategy >= intervals[:, 0] - TOLERANCE).all(), name
            assert (strategy <= intervals[:, 1] + TOLERANCE).all(), name
            assert abs(security_level(matrix, strategy, player) - expected) <= TOLERANCE, name


@pytest.mark.parametrize("name", DATA["nonunique_record_ids"])
def test_an_optimum_that_is_not_unique_is_called_so(name):
    record = RECORDS[name]
    matrix = matrix_of(record)
    for player, side in (("a", "row"), ("b", "column")):
        assert is_unique(matrix, side, exact=True) == record[f"unique_{player}"]
        assert is_unique(matrix.astype(float), side) == record[f"unique_{player}"]
    assert not (record["unique_a"] and record["unique_b"])


@every_game
def test_first_upcards(game, solved):
    """The value behind each first upcard, and what `first_bids` says of it."""
    for name in GAMES[game]:
        record = RECORDS[name]
        if "per_first_upcard" not in record:
            continue
        rules = rules_of(record)
        answers = {int(up): answer for up, answer in record["per_first_upcard"].items()}
        assert set(upcards(rules, start(rules))) == set(answers)
        exact = solved(rules, record["objective"], exact=True)
        floats = solved(rules, record["objective"])
        tables = {player: exact.first_bids(player).groupby("upcard") for player in "ab"}
        for upcard, answer in answers.items():
            value = Fraction(answer["value"])
            state = expose(rules, start(rules), upcard)
            assert exact.value(state) == value
            assert abs(floats.value(state) - value) <= TOLERANCE
            first = RECORDS.get(name.removesuffix("start") + f"first/up{upcard}")
            for player, table in tables.items():
                rows = table.get_group(upcard)
                assert set(rows["value"]) == {value}
                assert set(rows["gap"]) == {0}
                assert rows["probability"].sum() == 1
                if first is not None:
                    assert list(rows["bid"]) == first[f"bids_{player}"]
                    assert set(rows["unique"]) == {first[f"unique_{player}"]}


@pytest.mark.parametrize(
    "counted", DATA["nonuniqueness_counts"],
    ids=lambda c: "-".join(str(c[k]) for k in ("cards", "ties", "order", "objective")),
)
def test_states_that_play_can_reach(counted, reachable, solved):
    """Perft: all stage games, leads and carried sums told apart; how many optima are not unique."""
    rules = gl.Rules(
        counted["cards"], ties=counted["ties"], order=counted["order"],
        negative_stakes=counted["negative_stakes"],
    )
    assert count_stage_games(rules) == counted["reachable_decision_points"]
    if counted["cards"] == 4:
        return  # too many to ask each for all its optimal strategies
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
        assert result.gain_a == Fraction(told["gain_a"])
        assert result.gain_b == Fraction(told["gain_b"])
        assert result.carried == after.carried == Fraction(told["carried_after"])
        assert after == resolve_round(rules, state, told["bid_a"], told["bid_b"])
        totals = [totals[0] + result.gain_a, totals[1] + result.gain_b]
        assert totals == [Fraction(told["total_a"]), Fraction(told["total_b"])]
        assert after.lead == totals[0] - totals[1]
        state = after
    assert (state.hand_a, state.hand_b, state.prizes) == ((), (), ())
    assert state.carried == Fraction(transcript["unclaimed_pool"])
    assert state.lead == Fraction(transcript["margin"])
    assert WIN(state.lead) == transcript["win_value"]


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
