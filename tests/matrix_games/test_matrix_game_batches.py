"""The compiled simplex in bulk: every game certified here, by arithmetic of our own."""

from __future__ import annotations

from collections.abc import Callable

import numba
import numpy as np
import pytest
from scipy.optimize import linprog

from gops_lab.errors import SolverError
from gops_lab.matrix_games import (
    METHODS,
    MatrixGameSolutions,
    batch,
    saddle_points,
    solve_matrix_game,
    solve_matrix_games,
)

# interpreted, the same tests on fewer games
GAMES = 30 if numba.config.DISABLE_JIT else 10_500
SHAPES = [(1, 1), (1, 5), (5, 1), (2, 2), (3, 4), (7, 7), (13, 13), (16, 9)]

Maker = Callable[[np.random.Generator, int, int, int], np.ndarray]


def powers(random: np.random.Generator, shape: tuple[int, ...], low: int, high: int) -> np.ndarray:
    return 10.0 ** random.integers(low, high, shape)


FAMILIES: dict[str, Maker] = {
    "normal": lambda r, k, m, n: r.normal(size=(k, m, n)),
    "integers with ties": lambda r, k, m, n: r.integers(-2, 3, (k, m, n)).astype(float),
    "zero and one": lambda r, k, m, n: r.integers(0, 2, (k, m, n)).astype(float),
    "constant": lambda r, k, m, n: np.tile(r.normal(size=(k, 1, 1)), (1, m, n)),
    "tiny": lambda r, k, m, n: r.normal(size=(k, m, n)) * powers(r, (k, 1, 1), -300, -200),
    "huge": lambda r, k, m, n: r.normal(size=(k, m, n)) * powers(r, (k, 1, 1), 200, 300),
    "far from zero": lambda r, k, m, n: (
        r.normal(size=(k, m, n)) * powers(r, (k, 1, 1), -11, 0) + 1e3
    ),
    "skew-symmetric": lambda r, k, m, n: skew(r.integers(-3, 4, (k, m, m)).astype(float)),
    "broken ties": lambda r, k, m, n: (
        r.integers(-2, 3, (k, m, n)) + r.normal(size=(k, m, n)) * powers(r, (k, 1, 1), -16, -5)
    ),
    "rows twice": lambda r, k, m, n: r.normal(size=(k, m, n))[:, r.integers(0, m, m)],
    "mostly zero": lambda r, k, m, n: r.normal(size=(k, m, n)) * (r.random((k, m, n)) < 0.15),
    "many magnitudes": lambda r, k, m, n: r.normal(size=(k, m, n)) * powers(r, (k, m, n), -6, 7),
}


def skew(squares: np.ndarray) -> np.ndarray:
    return squares - squares.transpose(0, 2, 1)


def certify(payoffs: np.ndarray, games: MatrixGameSolutions) -> None:
    """Check every game of a batch from its payoffs alone."""
    spread = np.ptp(payoffs, axis=(1, 2))
    least = payoffs.min(axis=(1, 2))
    shifted = payoffs - least[:, None, None]
    low = np.einsum("ki,kij->kj", games.row, shifted).min(axis=1)
    high = np.einsum("kij,kj->ki", shifted, games.column).max(axis=1)
    assert (high - low <= 1.1e-12 * spread).all()
    np.testing.assert_allclose(games.gap, high - low, rtol=0, atol=1e-14 * spread.max(initial=0))
    rounding = 1e-14 * spread + 4e-16 * np.abs(payoffs).max(axis=(1, 2))
    assert (np.abs(games.lower - (low + least)) <= rounding).all()
    assert (np.abs(games.upper - (high + least)) <= rounding).all()
    assert (games.lower <= games.value).all()
    assert (games.value <= games.upper).all()
    for strategies in (games.row, games.column):
        assert (strategies >= 0).all()
        np.testing.assert_allclose(strategies.sum(axis=1), 1, rtol=0, atol=1e-14)


@pytest.mark.parametrize("family", FAMILIES)
@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_every_game_is_certified(family: str, shape: tuple[int, int]) -> None:
    """1,008,000 games in all."""
    payoffs = np.ascontiguousarray(FAMILIES[family](np.random.default_rng(1), GAMES, *shape))
    copy = payoffs.copy()
    games = solve_matrix_games(payoffs)
    assert (payoffs == copy).all()
    certify(payoffs, games)
    # HiGHS and fractions are for the rare game: a kernel that gives up often is broken, or slow
    assert np.count_nonzero(games.method) <= len(payoffs) / 100


@pytest.mark.parametrize("family", ["normal", "integers with ties", "broken ties"])
def test_against_another_linear_program(family: str) -> None:
    """The column player's problem, straight from the textbook, at SciPy's own settings."""
    random = np.random.default_rng(2)
    for _ in range(20):
        m, n = random.integers(1, 9, 2)
        payoffs = FAMILIES[family](random, 4, m, n)
        games = solve_matrix_games(payoffs)
        for matrix, value in zip(payoffs, games.value, strict=True):
            result = linprog(
                np.append(np.zeros(n), 1.0),
                A_ub=np.hstack((matrix, -np.ones((m, 1)))),
                b_ub=np.zeros(m),
                A_eq=np.append(np.ones(n), 0.0)[None],
                b_eq=[1.0],
                bounds=[(0, None)] * n + [(None, None)],
            )
            assert result.status == 0
            assert abs(result.fun - value) <= 1e-7


def test_exact_values_in_bulk() -> None:
    """Skew-symmetric games moved by a constant of their own: a value that no bystander returns."""
    random = np.random.default_rng(4)
    squares = random.integers(-3, 4, (GAMES, 6, 6)).astype(float)
    constants = random.integers(1, 100, GAMES).astype(float)
    games = solve_matrix_games(skew(squares) + constants[:, None, None])
    np.testing.assert_allclose(games.value, constants, rtol=0, atol=1e-11)


def test_games_keep_their_places_whatever_the_threads(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(batch, "_FEWEST_GAMES_PER_THREAD", 1)
    payoffs = np.random.default_rng(3).normal(size=(101, 4, 5))
    one = solve_matrix_games(payoffs, workers=1)
    for workers in (None, 2, 7, 200):
        many = solve_matrix_games(payoffs, workers=workers)
        for name in ("value", "row", "column", "gap", "method", "lower", "upper"):
            np.testing.assert_array_equal(getattr(one, name), getattr(many, name))


def test_same_as_one_by_one() -> None:
    payoffs = np.random.default_rng(6).integers(-3, 4, (50, 3, 4))
    games = solve_matrix_games(payoffs)
    assert len(games) == 50
    for index, matrix in enumerate(payoffs):
        single = solve_matrix_game(matrix, method="simplex")
        record = games.game(index)
        assert (single.value, single.gap, single.method) == (record.value, record.gap, "simplex")
        assert single.row.tolist() == games.row[index].tolist()
        assert single.column.tolist() == games.column[index].tolist()


def test_game_the_simplex_cannot_solve_is_solved_in_its_place() -> None:
    payoffs = np.zeros((3, 3, 3))
    payoffs[1] = [[-8e4, -2e-8, 9e-7], [7e-9, -5e-10, -0.4], [2e-12, 3e-9, -4e11]]
    payoffs[2] = np.eye(3)
    games = solve_matrix_games(payoffs)
    certify(payoffs, games)
    assert [METHODS[code] for code in games.method] == ["simplex", "exact", "simplex"]
    assert games.game(1).method == "exact"
    exact = solve_matrix_game(payoffs[1], method="exact")
    assert abs(games.value[1] - exact.value) <= 1e-12 * 4e11


def test_no_games() -> None:
    games = solve_matrix_games(np.zeros((0, 2, 3)))
    assert len(games) == 0
    assert games.row.shape == (0, 2)
    assert games.column.shape == (0, 3)


def test_larger_than_the_simplex_is_meant_for() -> None:
    payoffs = np.random.default_rng(8).normal(size=(3, 40, 55))
    certify(payoffs, solve_matrix_games(payoffs))


class TestSaddlePoints:
    def test_found_exactly_where_pure_strategies_solve_the_game(self) -> None:
        payoffs = np.random.default_rng(10).integers(-2, 3, (GAMES, 3, 4)).astype(float)
        found = saddle_points(payoffs)
        assert 0 < np.count_nonzero(found.found) < len(payoffs)
        values = solve_matrix_games(payoffs).value
        for matrix, has, value, row, column, solved in zip(
            payoffs, found.found, found.value, found.row, found.column, values, strict=True
        ):
            by_definition = [
                (i, j)
                for i in range(3)
                for j in range(4)
                if matrix[i, j] == matrix[i].min() == matrix[:, j].max()
            ]
            assert has == bool(by_definition)
            if has:
                assert (row, column) == by_definition[0]
                assert value == matrix[row, column]
                assert abs(value - solved) <= 1e-14
            else:
                assert np.isnan(value)
                assert (row, column) == (-1, -1)

    def test_simplex_returns_pure_strategies_there(self) -> None:
        payoffs = np.array([[[3.0, 5.0], [1.0, 9.0]], [[0.0, -1.0], [2.0, 1.0]]])
        games = solve_matrix_games(payoffs)
        assert games.row.tolist() == [[1, 0], [0, 1]]
        assert games.column.tolist() == [[1, 0], [0, 1]]
        assert games.gap.tolist() == [0, 0]


def test_the_message_says_which_game_cannot_be_solved() -> None:
    """Payoffs so small that no strategy in floats meets the tolerance."""
    games = np.tile([[4.0, 1.0], [1.0, 2.0]], (20, 1, 1))
    games[13] = np.array([[6, 1], [2, 8]]) * 5e-324
    with pytest.raises(SolverError, match=r"^payoffs\[13\]: "):
        solve_matrix_games(games)
