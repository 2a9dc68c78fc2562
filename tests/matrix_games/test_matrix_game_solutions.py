"""Single games, all three methods: known games, certificates, what is said of how it was solved."""

from __future__ import annotations

import json
from dataclasses import FrozenInstanceError
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from gops_lab.errors import MatrixGameError, SolverError
from gops_lab.matrix_games import guarantees, linprog, rounding_bound, solve_matrix_game

DATA = Path(__file__).parents[1] / "data" / "matrix_games.json"
KNOWN = json.loads(DATA.read_text())["games"]
METHODS = ("highs", "simplex", "exact")

# Solvable in float64, but not by the float methods: found by searching games whose payoffs differ
# by up to 24 orders of magnitude.
NEEDS_HIGHS = [
    [7e10, -0.05, -2e11, 2e-11],
    [3e-9, -5e8, 4e4, 8e-6],
    [0.0, -0.004, -0.08, 3e-12],
    [1e-7, 7e8, -7e-9, -200.0],
]
NEEDS_EXACT = [[-8e4, -2e-8, 9e-7], [7e-9, -5e-10, -0.4], [2e-12, 3e-9, -4e11]]


def fractions(rows: Any) -> list[list[Fraction]]:
    return [[Fraction(entry) for entry in row] for row in rows]


def spread_of(matrix: np.ndarray) -> float:
    return float(matrix.max()) - float(matrix.min())


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("known", KNOWN, ids=[game["name"] for game in KNOWN])
def test_games_that_broke_other_solvers(known: dict[str, Any], method: str) -> None:
    exact = fractions(known["payoff"])
    value = Fraction(known["value"])
    floats = np.array(exact, float)
    game = solve_matrix_game(exact, method=method)
    magnitude = max(1.0, float(np.abs(floats).max()))

    assert abs(game.value - value) <= 1e-9 * magnitude
    assert game.gap <= 1e-12 * spread_of(floats)
    assert game.lower <= game.value <= game.upper
    if method == "exact":
        assert (game.value, game.gap, game.method) == (value, 0, "exact")

    # the file's note: in floats a strategy means something only while the spread survives rounding
    survives = spread_of(floats) > 1e-13 * float(np.abs(floats).max())
    if known.get("extreme_equilibria", 1) == 1 and (survives or method == "exact"):
        for player in {"row", "column"} & known.keys():
            expected = np.array([Fraction(p) for p in known[player]], float)
            np.testing.assert_allclose(
                getattr(game, player).astype(float), expected, rtol=0, atol=1e-9
            )


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("shape", [(1, 1), (1, 6), (6, 1), (2, 9), (9, 2), (13, 13), (20, 17)])
def test_certificate_by_other_arithmetic(shape: tuple[int, int], method: str) -> None:
    """A gap taken from the solver rather than from the payoffs would not survive this."""
    matrix = np.random.default_rng(7).normal(size=shape)
    game = solve_matrix_game(matrix, method=method)
    exact = fractions(matrix)
    x = [Fraction(p) for p in game.row]
    y = [Fraction(p) for p in game.column]
    assert min(x) >= 0
    assert min(y) >= 0
    low = min(sum(p * row[j] for p, row in zip(x, exact, strict=True)) for j in range(shape[1]))
    high = max(sum(p * entry for p, entry in zip(y, row, strict=True)) for row in exact)
    low, high = low / sum(x), high / sum(y)
    bound = Fraction(0) if method == "exact" else Fraction(rounding_bound(matrix))
    assert abs(game.lower - low) <= bound
    assert abs(game.upper - high) <= bound
    assert high - low <= Fraction(1.1e-12) * Fraction(spread_of(matrix))


def test_methods_agree_on_games_with_ties() -> None:
    random = np.random.default_rng(3)
    for _ in range(150):
        matrix = random.integers(-2, 3, size=random.integers(1, 8, 2))
        values = [float(solve_matrix_game(matrix, method=method).value) for method in METHODS]
        assert max(values) - min(values) <= 1e-12


def test_exact_takes_floats_for_the_rationals_they_are() -> None:
    game = solve_matrix_game([[0.1, 0.3], [0.3, 0.2]], method="exact")
    a, b, c = Fraction(0.1), Fraction(0.3), Fraction(0.2)
    assert game.value == (a * c - b * b) / (a + c - 2 * b)
    assert game.value != Fraction(7, 30)


def test_exact_knows_no_limits_of_magnitude() -> None:
    game = solve_matrix_game([[10**400, 0], [0, Fraction(1, 10**400)]], method="exact")
    assert game.value == Fraction(10**400, 10**800 + 1)


def test_result_is_typed_by_the_method_asked_for() -> None:
    exact = solve_matrix_game([[4, 1], [1, 2]], method="exact")
    assert isinstance(exact.value, Fraction)
    assert all(isinstance(p, Fraction) for p in [*exact.row, *exact.column])
    for method in ("highs", "simplex"):
        game = solve_matrix_game([[4, 1], [1, 2]], method=method)
        assert [type(game.value), game.row.dtype, game.column.dtype] == [float, float, float]
        assert game.method == method


@pytest.mark.parametrize(
    ("matrix", "method", "found_by"),
    [
        (NEEDS_HIGHS, "simplex", "highs"),
        (NEEDS_EXACT, "simplex", "exact"),
        (NEEDS_EXACT, "highs", "exact"),
    ],
)
def test_next_method_up_solves_what_one_cannot(
    matrix: list[list[float]], method: str, found_by: str
) -> None:
    game = solve_matrix_game(matrix, method=method)
    exact = solve_matrix_game(matrix, method="exact")
    spread = spread_of(np.array(matrix))
    assert game.method == found_by
    assert isinstance(game.value, float)
    assert game.gap <= 1e-12 * spread
    assert abs(game.value - exact.value) <= 1e-12 * spread


def test_failed_solve_raises(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(linprog, "GAP_TOLERANCE", -1.0)
    with pytest.raises(SolverError, match="no method met the tolerance"):
        solve_matrix_game([[4, 1], [1, 2]])


def test_highs_failure_is_not_an_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    solve = linprog.linprog

    def out_of_iterations(*arguments: Any, **keywords: Any) -> Any:
        result = solve(*arguments, **keywords)
        result.status = 1
        return result

    monkeypatch.setattr(linprog, "linprog", out_of_iterations)
    assert solve_matrix_game([[4, 1], [1, 2]]).method == "exact"


def test_sloppy_strategies_are_refined_on_their_supports(monkeypatch: pytest.MonkeyPatch) -> None:
    """HiGHS may leave a gap of 1e-10; large games must not need fractions because of it."""
    found = linprog.highs_strategies

    def sloppy(scaled: np.ndarray) -> Any:
        return tuple(p + 1e-8 * (p > 0) * np.arange(len(p)) for p in found(scaled) or ())

    monkeypatch.setattr(linprog, "highs_strategies", sloppy)
    matrix = np.random.default_rng(5).normal(size=(40, 40))
    game = solve_matrix_game(matrix)
    assert game.method == "highs"
    assert game.gap <= 1e-12 * spread_of(matrix)


def test_offset_does_not_blur_the_gap() -> None:
    """Pure strategies are within rounding of the offset, but not within a share of the spread."""
    matrix = 1e6 + 1e-8 * np.array([[1.0, -1.0], [-1.0, 1.0]])
    for method in ("highs", "simplex"):
        game = solve_matrix_game(matrix, method=method)
        assert game.gap <= 1e-12 * spread_of(matrix)
        np.testing.assert_allclose(game.row, 0.5, atol=0.01)


def test_gap_below_the_resolution_of_the_offset_counts(monkeypatch: pytest.MonkeyPatch) -> None:
    """At 1e6 floats are 1e-10 apart; taken there, the gap of these strategies would be 0."""
    matrix = 1e6 + 1e-8 * np.array([[1.0, -1.0], [-1.0, 1.0]])
    poor = (np.array([0.501, 0.499]), np.array([0.5, 0.5]))
    assert np.diff(guarantees(matrix, *poor)) == 0
    monkeypatch.setattr(linprog, "highs_strategies", lambda _: poor)
    game = solve_matrix_game(matrix)
    assert abs(game.row[0] - game.row[1]) < 1e-3
    assert game.gap <= 1e-12 * spread_of(matrix)


def test_solution_cannot_be_changed() -> None:
    for method in METHODS:
        game = solve_matrix_game([[4, 1], [1, 2]], method=method)
        with pytest.raises(FrozenInstanceError):
            game.value = 0  # type: ignore[misc]
        with pytest.raises(ValueError, match="read-only"):
            game.row[0] = 0


@pytest.mark.parametrize("method", ["lemke", "", None, ["highs"]])
def test_unknown_method(method: Any) -> None:
    with pytest.raises(MatrixGameError, match="'highs', 'simplex', 'exact'"):
        solve_matrix_game([[1]], method=method)


class TestGuarantees:
    def test_of_strategies_that_are_not_optimal(self) -> None:
        matrix = [[3, -1, 2], [0, 4, 1]]
        assert guarantees(matrix, [1, 0], [0, 0, 1]) == (-1, 2)
        assert guarantees(matrix, [0.5, 0.5], [0.5, 0.5, 0.0]) == (1.5, 2.0)

    def test_fractions_stay_fractions(self) -> None:
        third = Fraction(1, 3)
        lower, upper = guarantees([[3, 0], [0, 6]], [2 * third, third], [third, 2 * third])
        assert (lower, upper) == (2, 4)
        assert isinstance(lower, Fraction)

    @pytest.mark.parametrize(
        ("row", "message"),
        [
            ([0.5, 0.4], "sum 0.9"),
            ([1.5, -0.5], "smallest entry -0.5"),
            ([Fraction(1, 2), Fraction(1, 3)], "sum 5/6"),
            ([1.0], r"shape \(1,\).*2 probabilities"),
            ([[0.5, 0.5]], r"shape \(1, 2\)"),
            ([float("nan"), 1.0], "nan"),
            (["a", "b"], "2 probabilities"),
        ],
    )
    def test_refuses_what_is_no_strategy(self, row: Any, message: str) -> None:
        with pytest.raises(MatrixGameError, match=message):
            guarantees([[1, 2], [3, 4]], row, [1, 0])

    def test_rounding_of_a_solver_is_no_mistake(self) -> None:
        assert guarantees([[1, 2], [3, 4]], [-1e-12, 1 + 1e-12], [1 + 1e-10, 0]) == (3, 3)
