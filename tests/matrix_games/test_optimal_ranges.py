"""Ranges of optimal probabilities, against exact references and an independent linear program."""

from __future__ import annotations

import json
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.optimize import linprog

from gops_lab.errors import SolverError
from gops_lab.matrix_games import is_unique, optimal_ranges, ranges, solve_matrix_game

DATA = Path(__file__).parents[1] / "data"
DECISIONS = [
    record
    for record in json.loads((DATA / "reference_public.json").read_text())["records"]
    if record["kind"] == "decision" and len(record["matrix"]) > 1
]
PLAYERS = [("row", "a"), ("column", "b")]


def intervals(record: dict[str, Any], side: str) -> list[list[Fraction]]:
    found = record[f"intervals_{side}"]
    return [[Fraction(end) for end in found[str(bid)]] for bid in record[f"bids_{side}"]]


@pytest.mark.parametrize(("player", "side"), PLAYERS)
def test_exact_against_reference(player: str, side: str) -> None:
    for record in DECISIONS:
        matrix = [[Fraction(entry) for entry in row] for row in record["matrix"]]
        found = optimal_ranges(matrix, player, exact=True)
        assert found.tolist() == intervals(record, side), record["id"]
        assert is_unique(matrix, player, exact=True) == record[f"unique_{side}"], record["id"]


@pytest.mark.parametrize(("player", "side"), PLAYERS)
@pytest.mark.parametrize(("noise", "accuracy"), [(0.0, 1e-9), (1e-15, 1e-8)])
def test_floats_against_reference(player: str, side: str, noise: float, accuracy: float) -> None:
    """Ties that rounding has broken are ties."""
    random = np.random.default_rng(11)
    for record in DECISIONS[::3]:
        matrix = np.array([[Fraction(entry) for entry in row] for row in record["matrix"]], float)
        matrix += random.normal(size=matrix.shape) * noise
        expected = np.array(intervals(record, side), float)
        found = optimal_ranges(matrix, player)
        assert np.abs(found - expected).max() <= accuracy, record["id"]
        assert is_unique(matrix, player) == record[f"unique_{side}"], record["id"]


@pytest.mark.parametrize("player", ["row", "column"])
def test_against_band_of_an_independent_linear_program(player: str) -> None:
    random = np.random.default_rng(12)
    for _ in range(25):
        matrix = random.integers(-2, 3, random.integers(2, 6, 2)).astype(float)
        own = matrix if player == "row" else -matrix.T
        value = float(solve_matrix_game(own).value)
        m, n = own.shape
        for action, found in enumerate(optimal_ranges(matrix, player)):
            for sign, end in zip((1, -1), found, strict=True):
                result = linprog(
                    sign * np.eye(m)[action],
                    A_ub=-own.T,
                    b_ub=np.full(n, 1e-9 - value),
                    A_eq=np.ones((1, m)),
                    b_eq=[1.0],
                )
                assert abs(sign * result.fun - end) <= 1e-6


def thirteen() -> dict[str, np.ndarray]:
    random = np.random.default_rng(13)
    twice = random.integers(0, 13, 13)
    return {
        "generic": random.normal(size=(13, 13)),
        "ties": random.integers(-2, 3, (13, 13)).astype(float),
        "actions twice": random.integers(-3, 4, (13, 13)).astype(float)[twice][:, twice],
        "cycle": np.eye(13) - np.roll(np.eye(13), 1, axis=1),
        "sum of two parts": np.add.outer(random.integers(0, 2, 13), random.integers(0, 2, 13))
        * 1.0,
        "blocks": np.kron(random.integers(-1, 2, (4, 4)), np.ones((3, 3))),
    }


@pytest.mark.parametrize("player", ["row", "column"])
@pytest.mark.parametrize("name", thirteen())
def test_floats_agree_with_fractions_on_large_games(name: str, player: str) -> None:
    matrix = thirteen()[name]
    exact = optimal_ranges(matrix, player, exact=True).astype(float)
    noise = np.random.default_rng(14).normal(size=matrix.shape) * 1e-15
    np.testing.assert_allclose(optimal_ranges(matrix, player), exact, rtol=0, atol=1e-9)
    np.testing.assert_allclose(optimal_ranges(matrix + noise, player), exact, rtol=0, atol=1e-8)


def test_error_of_the_payoffs_decides_what_is_tied() -> None:
    # row 1 is worse than row 0 by one millionth
    matrix = np.array([[1.0, 0.0], [1.0 - 1e-6, -1e-6], [0.0, 1.0]])
    assert optimal_ranges(matrix)[1].tolist() == [0, 0]
    np.testing.assert_allclose(optimal_ranges(matrix, error=1e-6)[1], [0, 0.5], atol=1e-5)
    assert is_unique(matrix)
    assert not is_unique(matrix, error=1e-6)
    # exact takes the payoffs as they are
    assert is_unique(matrix, exact=True)


@pytest.mark.parametrize("constant", [0.0, 1.0, -1e6])
def test_rounding_about_a_constant_is_no_game(constant: float) -> None:
    random = np.random.default_rng(15)
    matrix = (
        constant * (1 + random.normal(size=(3, 4)) * 1e-16) + random.normal(size=(3, 4)) * 1e-15
    )
    assert optimal_ranges(matrix).tolist() == [[0, 1]] * 3
    assert optimal_ranges(matrix, "column").tolist() == [[0, 1]] * 4


def test_small_payoffs_are_a_game_if_the_caller_says_so() -> None:
    pennies = 1e-20 * np.array([[1.0, -1.0], [-1.0, 1.0]])
    assert optimal_ranges(pennies).tolist() == [[0, 1], [0, 1]]
    np.testing.assert_allclose(optimal_ranges(pennies, error=0.0), 0.5, atol=1e-12)


def test_one_action() -> None:
    assert optimal_ranges([[1, 2, 3]]).tolist() == [[1, 1]]
    assert optimal_ranges([[1, 2, 3]], "column").tolist() == [[1, 1], [0, 0], [0, 0]]
    assert is_unique([[1, 2, 3]])


def test_vertex_that_misses_the_value_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    stop = ranges.first_tableau(np.array([[2.0, 1.0], [1.0, 1.5]])).pivot(0, 0)
    monkeypatch.setattr(ranges, "_optimum", lambda *_: stop)
    with pytest.raises(SolverError, match="exact=True"):
        optimal_ranges([[4.0, 1.0], [1.0, 2.0]])


def test_endless_search_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ranges, "_MOST_PIVOTS", 1)
    with pytest.raises(SolverError, match="after 1 pivots"):
        optimal_ranges(np.random.default_rng(0).normal(size=(6, 6)))
