"""What is accepted as a payoff matrix, and what is said of anything else."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import pandas as pd
import pytest

from gops_lab.errors import MatrixGameError
from gops_lab.matrix_games import optimal_ranges, solve_matrix_game, solve_matrix_games

METHODS = ("highs", "simplex", "exact")

GOOD = {
    "list": [[4, 1], [1, 2]],
    "tuple": ((4, 1), (1, 2)),
    "int8": np.array([[4, 1], [1, 2]], np.int8),
    "uint64": np.array([[4, 1], [1, 2]], np.uint64),
    "float16": np.array([[4, 1], [1, 2]], np.float16),
    "long double": np.array([[4, 1], [1, 2]], np.longdouble),
    "big endian": np.array([[4, 1], [1, 2]], ">f8"),
    "fortran order": np.asfortranarray([[4.0, 1.0], [1.0, 2.0]]),
    "strided": np.arange(32.0).reshape(4, 8)[::2, ::4] * 0 + [[4, 1], [1, 2]],
    "data frame": pd.DataFrame({"x": [4, 1], "y": [1.0, 2.0]}),
    "fractions": [[Fraction(4), Fraction(1)], [Fraction(1), Fraction(2)]],
    "decimals": [[Decimal("4"), Decimal("1")], [Decimal("1.0"), Decimal("2")]],
    "objects of mixed type": np.array([[np.float32(4), 1], [Fraction(1), Decimal(2)]], object),
    "mask without a masked entry": np.ma.masked_array([[4, 1], [1, 2]]),
}

BAD = {
    "nan": ([[1, 2], [float("nan"), 4]], "row 1, column 0 is nan"),
    "infinite": ([[1, 2], [3, -np.inf]], "row 1, column 1 is -inf"),
    "infinite object": ([[Fraction(1), np.inf]], "row 0, column 1 is inf"),
    "nan decimal": ([[Decimal("nan")]], r"row 0, column 0 is Decimal\('NaN'\)"),
    "none": ([[1, None]], "row 0, column 1 is None"),
    "text entry among objects": ([[Fraction(1), "a"]], "row 0, column 1 is 'a'"),
    "bool among objects": ([[Fraction(1), True]], "row 0, column 1 is True"),
    "text": ([["1", "2"]], "holds text"),
    "complex": ([[1j, 2]], "holds complex numbers"),
    "booleans": ([[True, False]], "holds booleans"),
    "dates": (np.zeros((2, 2), "M8[D]"), "holds dates"),
    "scalar": (3.0, "type float has 0 dimensions"),
    "one-dimensional": ([1, 2, 3], "type list has 1 dimensions"),
    "three-dimensional": (np.zeros((2, 2, 2)), "type ndarray has 3 dimensions"),
    "nothing": (None, "type NoneType has 0 dimensions"),
    "dictionary": ({"a": 1}, "type dict has 0 dimensions"),
    "no rows": ([], "1 dimensions"),
    "no columns": ([[], []], r"shape \(2, 0\)"),
    "no rows but columns": (np.zeros((0, 3)), r"shape \(0, 3\)"),
    "ragged": ([[1, 2], [3, 4], [5]], "row 2 of the payoff has length 1 where row 0 has 2"),
    "masked": (np.ma.masked_equal([[1, 2], [3, 4]], 4), "row 1, column 1 is masked"),
}


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("payoff", GOOD.values(), ids=GOOD.keys())
def test_good_input_is_accepted(payoff: Any, method: str) -> None:
    assert solve_matrix_game(payoff, method=method).value == 1.75


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize(("payoff", "message"), BAD.values(), ids=BAD.keys())
def test_bad_input_is_named(payoff: Any, message: str, method: str) -> None:
    with pytest.raises(MatrixGameError, match=message) as caught:
        solve_matrix_game(payoff, method=method)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(("payoff", "message"), BAD.values(), ids=BAD.keys())
def test_ranges_refuse_the_same(payoff: Any, message: str) -> None:
    with pytest.raises(MatrixGameError, match=message):
        optimal_ranges(payoff)


@pytest.mark.parametrize("method", ["highs", "simplex"])
@pytest.mark.parametrize(
    ("payoff", "message"),
    [
        ([[10**400, 1]], "row 0, column 0 is beyond the largest float64"),
        ([[1, Fraction(10**400)]], "row 0, column 1 is beyond"),
        ([[1, Decimal("1e999")]], "row 0, column 1 is beyond"),
        ([[1.7e308, -1.7e308]], "differ by more than the largest float64"),
    ],
)
def test_what_only_fractions_can_hold(payoff: Any, message: str, method: str) -> None:
    with pytest.raises(MatrixGameError, match=message):
        solve_matrix_game(payoff, method=method)
    solve_matrix_game(payoff, method="exact")


@pytest.mark.parametrize("method", METHODS)
def test_input_is_never_changed(method: str) -> None:
    matrix = np.array([[4.0, 1.0], [1.0, 2.0]])
    copy = matrix.copy()
    solve_matrix_game(matrix, method=method)
    optimal_ranges(matrix, exact=method == "exact")
    assert (matrix == copy).all()
    matrix.setflags(write=False)
    assert solve_matrix_game(matrix, method=method).value == 1.75


@pytest.mark.parametrize(
    ("payoffs", "message"),
    [
        ([[[1, 2]], [[3, np.nan]]], "game 1, row 0, column 1 is nan"),
        ([[[1, 2]], [[3, -np.inf]]], "game 1, row 0, column 1 is -inf"),
        ([[1, 2], [3, 4]], "2 dimensions.*shape \\(games, rows, columns\\)"),
        (np.zeros((3, 0, 2)), r"shape \(3, 0, 2\)"),
        ([[[1, 2]], [[3, 4], [5, 6]]], "game 1 of the payoff has length 2 where game 0 has 1"),
        ([[[1, 2], [3]]], "sequences of unequal length"),
        (np.ones((1, 2, 2), bool), "holds booleans"),
        ([[[Fraction(1)]], [["a"]]], "game 1, row 0, column 0 is 'a'"),
        ([[[1.7e308, -1.7e308]]], "differ by more than the largest float64"),
    ],
)
def test_bad_batches_are_named(payoffs: Any, message: str) -> None:
    # interpreted kernels would warn of an overflow where compiled ones do not
    with np.errstate(all="ignore"), pytest.raises(MatrixGameError, match=message):
        solve_matrix_games(payoffs)


def test_finite_payoffs_with_an_infinite_sum_are_good() -> None:
    assert solve_matrix_games(np.full((2, 3, 3), 1.7e308)).value.tolist() == [1.7e308, 1.7e308]


@pytest.mark.parametrize("workers", [0, -1, 1.5, True, "2"])
def test_bad_number_of_workers(workers: Any) -> None:
    with pytest.raises(MatrixGameError, match="positive integer"):
        solve_matrix_games(np.zeros((1, 2, 2)), workers=workers)


def test_bad_requests_for_ranges() -> None:
    with pytest.raises(MatrixGameError, match="'row' and 'column'"):
        optimal_ranges([[1]], player="a")
    for error in (-1.0, float("nan"), float("inf")):
        with pytest.raises(MatrixGameError, match="0 or more"):
            optimal_ranges([[1]], error=error)
