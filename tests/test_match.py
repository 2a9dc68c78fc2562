"""Matches: several fresh games, their totals added. The tables in print are in test_reference."""

from dataclasses import replace
from fractions import Fraction

import pandas as pd
import pytest

import gops_lab as gl
from gops_lab.errors import ForecastError, ObjectiveError, RulesError, StoreError
from gops_lab.game import WIN, start

HANDICAP = gl.Rules(hand_a=(1, 2, 5), hand_b=(2, 3, 4), prizes=(1, 2, 3))
MATCHES = [
    (gl.Rules(2), 3),
    (gl.Rules(3, ties="discard"), 2),
    (HANDICAP, 2),
    (gl.Rules(hand_a=(1, 1), hand_b=(0, 2), prizes=(-2, 1, 3), negative_stakes="low_bid"), 3),
    (gl.Rules(3, order="descending", rounds=2), 2),
]


def at(rules, lead):
    return replace(start(rules), lead=lead)


@pytest.mark.parametrize(("rules", "games"), MATCHES, ids=str)
def test_each_game_is_played_for_what_the_next_is_worth(rules, games, plain_value):
    """Against the plain program, at every lead and beyond those that can be reached."""
    solutions = gl.solve_match(rules, games, exact=True)
    floats = gl.solve_match(rules, games)
    assert len(solutions) == len(floats) == games
    reach = sum(map(abs, rules.prizes))
    utility = WIN
    for solution, rounded in reversed(list(zip(solutions, floats, strict=True))):
        values = {}
        for lead in range(-games * reach - 2, games * reach + 3):
            values[lead] = plain_value(rules, at(rules, lead), utility)
            assert solution.value(at(rules, lead)) == values[lead]
            assert abs(rounded.value(at(rules, lead)) - values[lead]) <= 1e-12
        state = gl.State(
            rules.hand_a[:1], rules.hand_b[-1:], rules.prizes[rules.cards - 1 :][1:],
            rules.prizes[rules.cards - 1], carried=2, lead=1,
        ) if rules.order == "random" and rules.rounds == rules.cards else at(rules, 1)
        assert solution.value(state) == plain_value(rules, state, utility)
        # A final lead beyond those asked for is far beyond what later games can turn.
        far = {lead: WIN(lead) for lead in range(-9 * reach, 9 * reach + 1)}
        utility = (far | values).__getitem__


def test_the_last_game_is_an_ordinary_game():
    solution = gl.solve_match(HANDICAP, 3, exact=True)[-1]
    for lead in range(-7, 8):
        alone = gl.solve(HANDICAP, "win", exact=True, start=at(HANDICAP, lead))
        assert solution.value(at(HANDICAP, lead)) == alone.value()


def test_a_match_of_one_game_is_that_game():
    (only,) = gl.solve_match(HANDICAP, 1, exact=True)
    assert only.value() == gl.solve(HANDICAP, "win", exact=True).value() == Fraction(13, 120)


def test_a_lead_is_carried_from_game_to_game():
    """What is sure in the last game is not in the first, and more is never worse."""
    first, _, last = gl.solve_match(gl.Rules(3), 3, exact=True)
    values = [first.value(at(first.rules, lead)) for lead in range(-20, 21)]
    assert values == sorted(values)
    assert [first.value(at(first.rules, -lead)) for lead in range(-20, 21)] == [-v for v in values]
    assert first.value(at(first.rules, 19)) == last.value(at(last.rules, 7)) == 1
    assert 0 < first.value(at(first.rules, 1)) < last.value(at(last.rules, 1)) < 1


@pytest.mark.parametrize("exact", [True, False])
def test_margins_of_a_match_add_up(exact):
    once = gl.solve(HANDICAP, exact=True).value()
    assert once == Fraction(43, 225)
    for played, solution in enumerate(
        gl.solve_match(HANDICAP, 3, objective="margin", exact=exact)
    ):
        value = solution.value(at(HANDICAP, 5))
        assert abs(value - ((3 - played) * once + 5)) <= (0 if exact else 1e-12)


def test_bounds_of_a_match_hold_the_true_value():
    exact, floats = gl.solve_match(HANDICAP, 3, exact=True), gl.solve_match(HANDICAP, 3)
    for true, rounded in zip(exact, floats, strict=True):
        for lead in range(-15, 16):
            lower, upper = map(Fraction, rounded.bounds(at(HANDICAP, lead)))
            assert lower <= true.value(at(HANDICAP, lead)) <= upper
            assert upper - lower <= 1e-12


def test_an_error_in_a_later_game_is_an_error_in_the_earlier_ones():
    """The utility of a game is known only as well as the next game's value."""
    widths = []
    for solution in gl.solve_match(HANDICAP, 3):
        lower, upper = solution.bounds()
        widths.append(upper - lower)
    first, second, third = widths
    assert first > second > third > 0


def test_strategies_of_the_first_game_may_differ_from_those_of_the_last():
    """Each game of the match is a game of its own, with its own stage games."""
    first, last = gl.solve_match(HANDICAP, 2, exact=True)
    state = gl.State((1, 5), (2, 4), (3,), upcard=2, lead=1)
    for solution in (first, last):
        payoffs = solution.stage_game(state).to_numpy()
        strategy = solution.strategy(state).to_numpy()
        assert min(strategy @ payoffs) == solution.value(state)
    assert not first.stage_game(state).equals(last.stage_game(state))


def test_progress_is_told_of_every_game():
    told = []
    gl.solve_match(gl.Rules(3), 2, progress=lambda *done: told.append(done))
    ends = [done for done in told if done[1] == done[2]]
    assert len(ends) >= 2
    assert all(0 < done <= total for _, done, total in told)


@pytest.mark.parametrize("games", [0, -1, 1.5, "3", None, True, 101])
def test_a_match_has_a_number_of_games(games):
    with pytest.raises(RulesError, match=f"games must be .* not {games!r}"):
        gl.solve_match(gl.Rules(2), games)


def test_a_match_has_rules_and_an_objective():
    with pytest.raises(ObjectiveError, match="not 'draw'"):
        gl.solve_match(gl.Rules(2), objective="draw")
    with pytest.raises(gl.GopsError, match="rules must be Rules, not None"):
        gl.solve_match(None)


def contents(folder):
    return {path.name: path.read_bytes() for path in folder.iterdir() if path.name != "run.json"}


@pytest.mark.parametrize("exact", [True, False])
def test_a_match_that_is_interrupted_goes_on(tmp_path, exact):
    """What is complete is used, the game in the middle goes on, and the bytes are the same."""
    rules, how = gl.Rules(3 if exact else 4), {"exact": exact, "keep": 2}
    whole = gl.solve_match(rules, 3, out=tmp_path / "whole", **how)
    games = [f"game-{number}" for number in (1, 2, 3)]
    assert sorted(path.name for path in (tmp_path / "whole").iterdir()) == games

    class Stop(BaseException):
        pass

    def stop(tier, done, total):
        if (tmp_path / "out" / "game-2").exists() and tier == 2:
            raise Stop

    out = tmp_path / "out"
    with pytest.raises(Stop):
        gl.solve_match(rules, 3, out=out, progress=stop, **how)
    assert not (out / "game-2" / "manifest.json").exists()
    last = (out / "game-3" / "manifest.json").stat().st_mtime_ns
    found = gl.solve_match(rules, 3, out=out, resume=True, **how)
    assert (out / "game-3" / "manifest.json").stat().st_mtime_ns == last
    for game in games:
        assert contents(out / game) == contents(tmp_path / "whole" / game)
    in_memory = gl.solve_match(rules, 3, exact=exact)
    loaded = [gl.load(out / game) for game in games]
    for earlier, some in enumerate(zip(found, whole, in_memory, loaded, strict=True)):
        for lead in range(1 + 6 * earlier):
            assert len({solution.value(at(rules, lead)) for solution in some}) == 1


def test_a_match_out_of_core(tmp_path):
    where = {"out": tmp_path / "out", "scratch": tmp_path / "scratch", "keep": 1}
    found = gl.solve_match(gl.Rules(5), 2, memory=2**31, **where)
    assert list((tmp_path / "scratch").iterdir()) == []
    for some, other in zip(found, gl.solve_match(gl.Rules(5), 2), strict=True):
        assert sorted(some.tables) == [5]
        pd.testing.assert_frame_equal(some.first_bids(), other.first_bids(), rtol=0, atol=1e-12)
    with pytest.raises(ForecastError):
        gl.solve_match(gl.Rules(5), 2, memory=1)


def test_a_match_does_not_go_on_with_another(tmp_path):
    gl.solve_match(gl.Rules(3), 2, out=tmp_path)
    with pytest.raises(StoreError, match="holds a solution already"):
        gl.solve_match(gl.Rules(3), 2, out=tmp_path)
    with pytest.raises(StoreError, match="rules"):
        gl.solve_match(gl.Rules(3, ties="discard"), 2, out=tmp_path, resume=True)
    with pytest.raises(StoreError, match=r"objective.*; nothing was written$") as found:
        gl.solve_match(gl.Rules(3), 3, out=tmp_path, resume=True)
    assert len(str(found.value)) < 600


def test_fractions_that_cannot_be_written_down(tmp_path):
    with pytest.raises(StoreError, match="a fraction of more than 4,300 digits cannot be stored"):
        gl.solve_match(gl.Rules(4), 3, out=tmp_path, exact=True)
