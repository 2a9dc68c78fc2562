"""Sampled play: the same rule book, the right averages, the same results for any workers."""

import json
import statistics
import threading
from importlib.util import find_spec
from itertools import product
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from scipy import stats

import gops_lab as gl
from gops_lab.encoding import Encoder
from gops_lab.errors import EvaluationError, StoreError, StrategyError
from gops_lab.evaluation import (
    alpha_rank,
    bradley_terry,
    evaluate,
    meta_equilibrium,
    replicator_dynamics,
    simulate,
    simulation,
    student,
    tournament,
    wilson,
)
from gops_lab.evaluation.play import Draws, play_block
from gops_lab.evaluation.simulation import BLOCK, TOGETHER
from gops_lab.evaluation.tournament import RESULTS
from gops_lab.induction.manifest import sealed
from gops_lab.strategies import (
    FunctionStrategy,
    Highest,
    Lowest,
    MatchPrize,
    MatchStake,
    Mixture,
    OptimalStrategy,
    Proportional,
    Uniform,
    read_strategy,
)
from gops_lab.strategies.draw import drawn

SIMPLE = [Uniform(), MatchPrize(), MatchPrize(1), MatchStake(), Highest(), Lowest()]

GAMES = [
    gl.Rules(cards=13),
    gl.Rules(cards=6, ties="discard", order=(3, 1, 6, 2, 5, 4)),
    gl.Rules(hand_a=(1, 3, 3, 7), hand_b=(0, 3, 6, 9), prizes=(-5, -1, 2, 3, 4, 4), ties="carry",
             negative_stakes="low_bid", rounds=3),
    gl.Rules(cards=5, prizes=(-3, 2, 4, 6, 8), ties="split"),
]


@pytest.mark.parametrize("rules", GAMES, ids=repr)
def test_the_compiled_loop_plays_the_games_of_the_encoder(rules):
    """Rejects a kernel with a rule of its own: every game, all that is counted."""
    encoder = Encoder(rules)
    draw = np.random.default_rng(7)
    shape = (60, rules.rounds)
    others = [(Proportional(), Mixture(0.5, MatchStake(), Uniform())), (Highest(), Proportional())]
    for a, b in [*product(SIMPLE, repeat=2), *others]:
        draws = Draws(draw.random(shape), draw.random(shape), draw.random(shape))
        lead = draw.integers(-9, 9, 60)
        ways = [play_block(encoder, a, b, draws, lead, compiled) for compiled in (True, False)]
        for name in ("lead", "points_a", "points_b", "tied", "unclaimed"):
            assert np.array_equal(*(getattr(way, name) for way in ways)), (a, b, name)


def test_draws_follow_the_weights_to_the_edge():
    weights = np.array([[0.1, 0.0, 0.2, 0.7, 0.0]] * 3)
    columns = drawn(weights, np.array([0.0, 0.1 + 1e-12, np.nextafter(1, 0)]))
    assert columns.tolist() == [0, 2, 3]


@pytest.mark.parametrize("ties", ["carry", "discard"])
def test_simulation_agrees_with_exact_evaluation(ties, solved):
    """49 pairs, two intervals of 99.99 % each, fixed seeds: none may miss."""
    rules = gl.Rules(cards=4, ties=ties)
    field = [*SIMPLE[:4], Proportional(), OptimalStrategy(solved(rules)),
             Mixture(0.4, Highest(), Uniform())]
    worst = 0.0
    for number, (a, b) in enumerate(product(field, repeat=2)):
        exact = evaluate(rules, a, b)
        found = simulate(rules, a, b, 4096, seed=11, pair=number)
        low, high = found.win_interval(0.9999)
        assert low <= exact.win <= high, (a, b)
        if found.deviation:
            low, high = found.margin_interval(0.9999)
            assert low <= exact.margin <= high, (a, b)
            worst = max(worst, abs(found.margin - exact.margin) / (found.deviation / 64))
        else:
            assert found.margin == pytest.approx(exact.margin, abs=1e-9)
        assert found.tie_rate == pytest.approx(exact.rounds["tie_rate"].mean(), abs=0.03)
        assert found.unclaimed == pytest.approx(exact.unclaimed, abs=0.3)
        assert found.points_a == pytest.approx(exact.rounds["points_a"].sum(), abs=0.3)
    assert worst > 1  # the errors are those of sampling: some are larger than one deviation


class Watched(Uniform):
    """Asked round by round; remembers what it saw, a batch of states at a time."""

    kernel = None

    def __init__(self):
        object.__setattr__(self, "saw", [])

    def probabilities(self, seen):
        self.saw.append(seen.batch[np.arange(len(seen))])  # a copy: play goes on in these arrays
        return super().probabilities(seen)


def test_the_shuffles_and_the_bids_are_uniform():
    """All 6 orders of the prizes and of both players' bids, 216 together, come equally often.

    Rejects a biased shuffle, bids from the wrong hand, and random numbers that are used twice.
    """
    watched = Watched()
    games = 8 * TOGETHER * BLOCK
    simulate(gl.Rules(cards=3), watched, Uniform(), games, seed=5, workers=1)
    orders = []
    for name in ("upcard", "hand_a", "hand_b"):
        batches = np.array([getattr(batch, name) for batch in watched.saw])
        rounds = batches.reshape(8, 3, -1).transpose(0, 2, 1).reshape(games, 3)
        distinct, order = np.unique(rounds, axis=0, return_inverse=True)
        assert len(distinct) == 6
        orders.append(order)
    counts = np.bincount(np.ravel_multi_index(orders, (6, 6, 6)), minlength=216)
    assert stats.chisquare(counts).pvalue > 0.001


@pytest.mark.parametrize("compiled", [True, False])
def test_workers_change_nothing(compiled):
    rules = gl.Rules(cards=5)
    results = [
        simulate(rules, Uniform(), MatchPrize(), 20_000, seed=3, workers=workers,
                 compiled=compiled)
        for workers in (1, 2)
    ]
    assert results[0] == results[1]
    assert results[0] != simulate(rules, Uniform(), MatchPrize(), 20_000, seed=4)
    assert results[0] != simulate(rules, Uniform(), MatchPrize(), 20_000, seed=3, pair=1)


def test_compiled_and_not_give_the_same_simulation():
    """One compiled loop, compiled rounds, the encoder: whatever is grouped how, one result."""
    rules = gl.Rules(cards=7, ties="split")

    class Slow(Uniform):
        kernel = None

    found = simulate(rules, Uniform(), MatchStake(), 9000, swap_seats=True)
    assert found == simulate(rules, Slow(), MatchStake(), 9000, swap_seats=True)
    assert found == simulate(
        rules, Uniform(), MatchStake(), 9000, swap_seats=True, compiled=False, workers=1
    )


@pytest.mark.parametrize("strategy", [Uniform(), Watched()])
def test_the_usual_number_of_deals_is_shared_and_reported(strategy, monkeypatch):
    """Rejects tasks so large that one thread gets all 10,000 deals of a tournament's pair."""
    both = threading.Barrier(2)
    calls = iter(range(1000))

    def play(*arguments):
        if next(calls) < 2:
            both.wait(timeout=20)  # broken if nobody else plays at the same time
        return play_block(*arguments)

    monkeypatch.setattr(simulation, "play_block", play)
    told = []
    simulate(
        gl.Rules(cards=2), strategy, strategy, 10_000, workers=2,
        progress=lambda *done: told.append(done),
    )
    assert len(told) >= 3
    assert told == sorted(told)
    assert told[-1] == (10_000, 10_000)


def test_strategies_are_asked_about_several_blocks_at_once():
    watched = Watched()
    simulate(gl.Rules(cards=2), watched, Uniform(), 3 * TOGETHER * BLOCK, workers=1)
    assert {len(batch) for batch in watched.saw} == {TOGETHER * BLOCK}
    assert TOGETHER > 1


def test_the_deviation_of_huge_prizes_is_exact():
    """Rejects mean of squares minus square of mean: nothing is left of it in floats."""
    rules = gl.Rules(hand_a=(4, 5, 6), hand_b=(1, 2, 3), prizes=(10**9 - 7, 10**9 - 6, 10**9),
                     rounds=1)
    leads = []

    def watch(rules, state):
        leads.append(state.upcard)  # which A takes, whatever the bids
        return {max(state.hand_a): 1}

    found = simulate(rules, FunctionStrategy(watch, "watch"), Uniform(), 3000, workers=1)
    assert found.margin == statistics.fmean(leads)
    assert found.deviation == pytest.approx(statistics.stdev(leads), rel=1e-12)
    matches = simulate(rules, Highest(), Uniform(), 3000, games_per_match=100)
    assert matches.deviation == pytest.approx(10 * found.deviation, rel=0.1)


def test_two_who_match_the_prize_tie_every_round():
    found = simulate(gl.Rules(cards=13), MatchPrize(), MatchPrize(), 500)
    assert (found.points_a, found.points_b, found.tie_rate) == (0, 0, 1)
    assert (found.draws, found.unclaimed, found.deviation) == (500, 91, 0)


def test_seats_are_swapped_on_the_same_cards():
    """A strategy against itself gains nothing, whatever the shuffle: the deals cancel."""
    rules = gl.Rules(cards=6)
    found = simulate(rules, Uniform(), Uniform(), 400, swap_seats=True)
    assert found.games == 800
    assert (found.margin, found.deviation) == (0, 0)
    assert found.wins == found.losses
    with pytest.raises(EvaluationError, match="same cards"):
        simulate(gl.Rules(hand_a=(1, 2), hand_b=(2, 3)), Uniform(), Uniform(), 5, swap_seats=True)


def test_matches_add_up_and_the_lead_is_seen(solved):
    rules = gl.Rules(cards=3)
    seen = []

    def watch(rules, state):
        seen.append((state.upcard, state.lead))
        return {max(state.hand_a): 1}

    found = simulate(
        rules, FunctionStrategy(watch, "watch"), Lowest(), 10, games_per_match=3, workers=1
    )
    # Highest against lowest: 3 v 1 takes, 2 v 2 ties, 1 v 3 gives what is left.
    upcards, leads = np.array(seen).reshape(3, 3, 10, 2)[:, 0].transpose(2, 0, 1)
    won = np.vstack([np.zeros((1, 10)), np.cumsum(2 * upcards - 6, axis=0)])
    assert leads.tolist() == won[:3].tolist()
    assert found.margin == won[3].mean()
    assert (found.points_a, found.points_b) == (upcards.sum() / 10, 18 - upcards.sum() / 10)
    assert (found.tie_rate, found.unclaimed) == (pytest.approx(1 / 3), 0)
    one = evaluate(rules, Uniform(), MatchPrize())
    three = simulate(rules, Uniform(), MatchPrize(), 4000, games_per_match=3)
    low, high = three.margin_interval(0.9999)
    assert low <= 3 * one.margin <= high < 2 * one.margin
    games = gl.solve_match(rules, games=2)
    pair = [OptimalStrategy(games[0], "a"), OptimalStrategy(games[1], "a")]
    result = simulate(rules, pair, Uniform(), 200, games_per_match=2)
    assert result.wins > result.losses
    with pytest.raises(EvaluationError, match="3 of them"):
        simulate(rules, [Uniform()] * 2, Uniform(), 10, games_per_match=3)


def test_refusals():
    rules = gl.Rules(cards=3)
    for wrong in ({"deals": 0}, {"deals": 1.5}, {"seed": -1}, {"workers": 0}):
        with pytest.raises(EvaluationError, match="must be"):
            simulate(rules, Uniform(), Uniform(), **{"deals": 5, **wrong})
    cheat = FunctionStrategy(lambda rules, state: {99: 1}, "cheat")
    with pytest.raises(StrategyError, match="'cheat'"):
        simulate(rules, Uniform(), cheat, 5)


# Intervals and ratings

def test_wilson_and_student_cover_as_often_as_they_say():
    draw = np.random.default_rng(0)
    hits = [wilson(int(k), 40)[0] <= 0.1 <= wilson(int(k), 40)[1]
            for k in draw.binomial(40, 0.1, 2000)]
    assert 0.93 < np.mean(hits) < 0.98
    samples = draw.normal(3, 2, (2000, 5))
    hits = [low <= 3 <= high for low, high in (
        student(row.mean(), row.std(ddof=1), 5) for row in samples)]
    assert 0.94 < np.mean(hits) < 0.96
    assert wilson(0, 10)[0] == 0 < wilson(0, 10)[1] < 0.35
    assert wilson(0, 0) == (0, 1)


@pytest.mark.parametrize(
    ("interval", "arguments", "message"),
    [
        (wilson, (8, 10, 95), "level must be between 0 and 1, like 0.95, not 95"),
        (wilson, (8, 10, 1.0), "level"), (wilson, (8, 10, np.nan), "level"),
        (wilson, (0, 0, 2), "level"),
        (wilson, (11, 10), "successes must be between 0 and 10, not 11"),
        (wilson, (-1, 10), "successes"), (wilson, (np.nan, 10), "successes"),
        (wilson, ("8", 10), "successes must be a number, not '8'"),
        (wilson, (8, 10, "0.95"), "level"), (wilson, (8, 10, None), "level"),
        (student, ("0", 1.0, 4), "mean"), (student, (0.0, None, 4), "deviation"),
        (wilson, (0, -1), "trials"), (wilson, (1, 2.5), "trials"),
        (student, (0.0, 1.0, 4, 95), "level"), (student, (0.0, 1.0, 4, 0), "level"),
        (student, (0.0, 1.0, 1, 95), "level"),
        (student, (0.0, -1.0, 4), "deviation"), (student, (0.0, np.nan, 4), "deviation"),
        (student, (np.inf, 1.0, 4), "mean"), (student, (0.0, 1.0, -4), "count"),
    ],
)
def test_intervals_that_make_no_sense(interval, arguments, message):
    with pytest.raises(EvaluationError, match=message):
        interval(*arguments)


@pytest.mark.parametrize("swap_seats", [False, True])
def test_intervals_of_simulations_hold_the_truth_as_often_as_they_say(swap_seats):
    """Rejects a deviation over the wrong units: games instead of deals, where seats are swapped."""
    rules = gl.Rules(cards=5, ties="discard")
    exact = evaluate(rules, Uniform(), MatchPrize())
    margins = wins = 0
    for pair in range(400):
        found = simulate(
            rules, Uniform(), MatchPrize(), 200, pair=pair, swap_seats=swap_seats, workers=1
        )
        low, high = found.margin_interval()
        margins += low <= exact.margin <= high
        low, high = found.win_interval()
        wins += low <= exact.win <= high
    assert 365 <= margins <= 393
    assert wins >= 365


def test_ratings_give_the_odds_back():
    """Strengths 1 : 2 : 5 in expectation are found again."""
    strength = np.array([1.0, 2.0, 5.0])
    points = 1e6 * strength[:, None] / (strength[:, None] + strength)
    elo = bradley_terry(points)
    assert elo.sum() == pytest.approx(0, abs=1e-6)
    assert 10 ** ((elo[2] - elo[0]) / 400) == pytest.approx(5, rel=1e-3)
    assert np.isfinite(bradley_terry([[0, 10], [0, 0]])).all()


@pytest.mark.parametrize("players", [2, 4, 30])
@pytest.mark.parametrize("everybody", [True, False])
def test_ratings_of_a_chain_settle(players, everybody):
    """Each wins all 20,000 games against the next, or against all that follow.

    Rejects a first-order iteration, which needs millions of steps here, and a stop too early.
    """
    points = np.zeros((players, players))
    for i in range(players - 1):
        points[i, i + 1 : None if everybody else i + 2] = 20_000
    elo = bradley_terry(points)
    assert (np.diff(elo) < -500).all()
    # Where the likelihood is largest everybody's points are those that the model expects.
    added = points + 0.5 * (1 - np.eye(players))
    chance = 1 / (1 + 10 ** ((elo - elo[:, None]) / 400))
    expected = ((added + added.T) * chance).sum(axis=1)
    assert expected == pytest.approx(added.sum(axis=1), abs=1e-6)
    if players == 2:
        assert elo[0] - elo[1] == pytest.approx(400 * np.log10(20_000.5 / 0.5))


@pytest.mark.parametrize(
    ("points", "message"),
    [
        ([[0, -1], [1, 0]], "not negative"), ([[0, np.inf], [1, 0]], "finite"),
        ([[0, np.nan], [1, 0]], "finite"), (np.zeros((0, 0)), "at least one row"),
        ([[0, 1]], "square"), ([[0, 1], [1]], "square array of numbers"),
        ([[0, "few"], [1, 0]], "square array of numbers"),
    ],
)
def test_points_that_have_no_ratings(points, message):
    with pytest.raises(EvaluationError, match=message):
        bradley_terry(points)
    assert bradley_terry([[np.nan]]).tolist() == [0]


def test_the_meta_game():
    names = ["rock", "paper", "scissors", "stone"]
    matrix = pd.DataFrame(
        [[0, -1, 2, 1], [1, 0, -1, 1], [-2, 1, 0, -2], [-1, -1, 2, 0]], names, names, dtype=float
    )
    mixture = meta_equilibrium(matrix)
    assert (mixture @ matrix).min() >= -1e-9
    assert mixture.to_dict() == pytest.approx(
        {"rock": 0.25, "paper": 0.5, "scissors": 0.25, "stone": 0}, abs=1e-9
    )
    path = replicator_dynamics(matrix, steps=20_000, step=0.02)
    assert path.sum(axis=1).to_numpy() == pytest.approx(1)
    assert path.mean().to_numpy() == pytest.approx(mixture.to_numpy(), abs=0.02)
    assert path["stone"].iloc[-1] < 1e-6
    with pytest.raises(EvaluationError, match="negative of"):
        meta_equilibrium(matrix + 1)
    with pytest.raises(EvaluationError, match="shares"):
        replicator_dynamics(matrix, start=[1, 2])
    if find_spec("open_spiel") and find_spec("networkx"):
        assert alpha_rank(matrix).sum() == pytest.approx(1)
    else:
        with pytest.raises(EvaluationError, match="OpenSpiel"):
            alpha_rank(matrix)


BEATS = pd.DataFrame([[0.0, 1.0], [-1.0, 0.0]], ["good", "bad"], ["good", "bad"])


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"steps": -1}, "steps must be"), ({"steps": "many"}, "steps must be"),
        ({"step": np.nan}, "step must be"), ({"step": 1e9}, "step must be"),
        ({"start": [np.inf, 1]}, "2 finite shares"), ({"start": ["a", "b"]}, "2 finite shares"),
        ({"start": [0, 0]}, "2 finite shares"), ({"start": [1, -1]}, "2 finite shares"),
        ({"payoffs": BEATS.to_numpy()}, "must be a DataFrame"),
        ({"payoffs": BEATS.astype(object).replace(1.0, "won")}, "must be numbers"),
    ],
)
def test_dynamics_that_make_no_sense(arguments, message):
    """Rejects paths of NaN that look like an answer."""
    with pytest.raises(EvaluationError, match=message):
        replicator_dynamics(**{"payoffs": BEATS, **arguments})


# Tournaments

FIELD = [Uniform(), MatchPrize(), Highest(), Lowest()]


def test_a_tournament_says_who_beats_whom(tmp_path):
    rules = gl.Rules(cards=5, ties="discard")
    result = tournament(rules, FIELD, 1500)
    assert len(result.pairs) == 6
    assert result.payoffs().to_numpy() == pytest.approx(-result.payoffs().to_numpy().T)
    exact = evaluate(rules, MatchPrize(), Uniform())
    row = result.pairs.query("a == 'uniform' and b == 'match'").iloc[0]
    assert row["margin_low"] < -exact.margin < row["margin_high"]
    assert row["win_low"] < exact.loss < row["win_high"]
    standings = result.standings()
    assert standings["games"].tolist() == [9000] * 4
    assert (standings["wins"] + standings["draws"] + standings["losses"] == 9000).all()
    assert standings["score"].is_monotonic_decreasing
    assert standings["elo"].sum() == pytest.approx(0, abs=1e-6)
    assert result.payoffs("win").to_numpy().max() <= 1


def test_a_pair_plays_the_same_in_any_field():
    rules = gl.Rules(cards=4)
    small = tournament(rules, FIELD[:2], 300).pairs.iloc[0].to_dict()
    large = tournament(rules, FIELD, 300, workers=1).pairs.iloc[0].to_dict()
    assert small == large


def test_a_tournament_goes_on_where_it_was_interrupted(tmp_path):
    rules = gl.Rules(cards=4)
    whole = tournament(rules, FIELD, 200)

    class StopError(Exception):
        pass

    def stop(done, total):
        if done >= total / 2:
            raise StopError

    with pytest.raises(StopError):
        tournament(rules, FIELD, 200, folder=tmp_path, progress=stop)
    calls = []
    again = tournament(
        rules, FIELD, 200, folder=tmp_path, progress=lambda done, total: calls.append(done)
    )
    pd.testing.assert_frame_equal(whole.pairs, again.pairs)
    assert (tmp_path / RESULTS).exists()
    for change in ({"seed": 1}, {"games_per_match": 2}):
        with pytest.raises(StoreError, match="holds another tournament"):
            tournament(rules, FIELD, 200, folder=tmp_path, **change)
    text = (tmp_path / RESULTS).read_text()
    for wrong, message in (
        ("{}", "no tournament of ours"), (text.replace('"a"', '"c"', 1), "is damaged"),
        (text.replace('"wins": ', '"wins": 1', 1), "is damaged"),
    ):
        (tmp_path / RESULTS).write_text(wrong)
        with pytest.raises(StoreError, match=message):
            tournament(rules, FIELD, 200, folder=tmp_path)


def test_a_kept_result_is_of_the_strategies_that_play_now(tmp_path, solved):
    """Rejects results that are found by name alone: what a file holds can change."""
    rules = gl.Rules(cards=4)
    file = tmp_path / "mine.csv"

    def table(probability):
        rows = ["upcard,bid,weight"]
        rows += [f"{upcard},{bid},{probability if bid == 4 else 1}"
                 for upcard in range(1, 5) for bid in range(1, 5)]
        file.write_text("\n".join(rows))
        return read_strategy(file)

    def stored(objective):
        strategy = OptimalStrategy(solved(rules, objective))
        strategy.name = "solution:here"
        return strategy

    for number, (make, first, second) in enumerate(((table, 1, 1.001), (stored, "margin", "win"))):
        folder = tmp_path / str(number)
        kept = tournament(rules, [make(first), Highest()], 300, folder=folder)
        again = tournament(rules, [make(first), Highest(), Lowest()], 300, folder=folder)
        assert kept.pairs.iloc[0].to_dict() == again.pairs.iloc[0].to_dict()
        before = (folder / RESULTS).read_bytes()
        with pytest.raises(StoreError, match="plays otherwise now"):
            tournament(rules, [make(second), Highest()], 300, folder=folder)
        assert (folder / RESULTS).read_bytes() == before


@pytest.mark.parametrize("name", ["thesis.txt", "manifest.json", "journal.jsonl"])
def test_a_folder_of_something_else_is_not_used(tmp_path, name):
    (tmp_path / name).write_text("mine")
    with pytest.raises(StoreError, match=f"no tournament, but other files .{name}.; nothing was"):
        tournament(gl.Rules(cards=3), FIELD[:2], 10, folder=tmp_path)
    assert [(path.name, path.read_text()) for path in tmp_path.iterdir()] == [(name, "mine")]


@pytest.mark.parametrize(
    "change",
    [
        {"pairs": None}, {"pairs": "x"}, {"pairs": [1]}, {"pairs": [{}]}, {"wins": None},
        {"wins": "x"}, {"wins": KeyError}, {"a": KeyError}, {"a": 1}, {"fingerprint": KeyError},
        # of the right shape, but they do not add up, or are of another tournament
        {"wins": 99_999_999}, {"wins": -1}, {"games": 10}, {"deals": 9}, {"win_rate": 0.123},
        {"tie_rate": 1.5}, {"seed": 7}, {"games_per_match": 2}, {"rules": "{}"},
    ],
)
def test_kept_pairs_that_cannot_be(tmp_path, change):
    """Sealed as it should be: refused in one sentence."""
    rules = gl.Rules(cards=3)
    tournament(rules, FIELD[:2], 10, folder=tmp_path)
    data = json.loads((tmp_path / RESULTS).read_text())
    ((name, value),) = change.items()
    where = data if name == "pairs" else data["pairs"][0]
    if value is KeyError:
        del where[name]
    else:
        where[name] = value
    del data["sha256"]
    (tmp_path / RESULTS).write_bytes(sealed(data))
    with pytest.raises(StoreError, match=r"tournament.json is garbled: (pairs|.* contradicts)"):
        tournament(rules, FIELD[:2], 10, folder=tmp_path)


@pytest.mark.parametrize("depth", [60, 900, 5000, 200_000])
def test_a_tournament_nested_too_deeply(tmp_path, depth):
    (tmp_path / RESULTS).write_text("[" * depth + "]" * depth)
    with pytest.raises(StoreError, match="no tournament of ours: it is nested"):
        tournament(gl.Rules(cards=3), FIELD[:2], 10, folder=tmp_path)


def test_one_deal_gives_no_interval_and_is_kept_as_strict_json(tmp_path):
    first = tournament(gl.Rules(cards=3), FIELD[:2], 1, folder=tmp_path)
    assert first.pairs[["margin_low", "margin_high"]].to_numpy().tolist() == [[-np.inf, np.inf]]
    (kept,) = json.loads((tmp_path / RESULTS).read_text(), parse_constant=pytest.fail)["pairs"]
    assert (kept["margin_low"], kept["margin_high"]) == (None, None)
    again = tournament(gl.Rules(cards=3), FIELD[:2], 1, folder=tmp_path)
    pd.testing.assert_frame_equal(again.pairs, first.pairs)


def test_only_one_tournament_at_a_time_uses_a_folder(tmp_path):
    """Rejects a second one that would overwrite what the first adds."""
    rules = gl.Rules(cards=3)

    def intrude(done, total):
        with pytest.raises(StoreError, match="in use by another process"):
            tournament(rules, FIELD[2:], 10, folder=tmp_path)

    first = tournament(rules, FIELD[:3], 10, folder=tmp_path, progress=intrude)
    assert len(first.pairs) == 3
    pd.testing.assert_frame_equal(
        tournament(rules, FIELD[:3], 10, folder=tmp_path).pairs, first.pairs
    )


def test_a_tournament_needs_different_strategies():
    with pytest.raises(EvaluationError, match="at least two"):
        tournament(gl.Rules(cards=3), [Uniform()], 10)
    with pytest.raises(EvaluationError, match="'uniform'; names must differ"):
        tournament(gl.Rules(cards=3), [Uniform(), Uniform()], 10)


def test_a_tournament_checks_its_deals_before_it_opens_a_folder(tmp_path):
    for deals in (0, "10", 1.5):
        with pytest.raises(EvaluationError, match="deals must be"):
            tournament(gl.Rules(cards=3), FIELD, deals, folder=tmp_path / "new")
    assert not (tmp_path / "new").exists()


def test_the_published_table_of_margin_against_win(solved):
    """Two of its rows come out again, and every row is a distribution."""
    folder = Path(__file__).parents[1] / "results" / "margin_against_win"
    table = pd.read_csv(folder / "table.csv").set_index(["cards", "ties"])
    chances = table[["margin_player_ahead", "level", "win_player_ahead"]]
    assert chances.sum(axis=1).to_numpy() == pytest.approx(1, abs=2e-9)
    assert (table[["win_advantage", "margin_advantage"]] >= 0).all(axis=None)
    for ties in ("carry", "discard"):
        rules = gl.Rules(cards=4, ties=ties)
        pair = [OptimalStrategy(solved(rules, objective)) for objective in ("margin", "win")]
        found = evaluate(rules, *pair)
        assert chances.loc[(4, ties)].to_list() == pytest.approx(
            [found.win, found.draw, found.loss], abs=1e-8
        )
