"""The kernel that other kernels call: what it promises beyond right answers."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numba
import numpy as np
import pytest

from gops_lab import compiling
from gops_lab.matrix_games import _kernels

# In these the simplex must take a pivot of the size of the smallest difference, and leaves a gap
# of 1e-11 to 1e-9, unless it computes the tableau of its last basis afresh.
SMALL_PIVOTS = [
    [[-2.0, 0.9997, -1.9998], [-2.0002, 0.9997, 0.0003], [1.9997, 0.0001, 1.0003]],
    [[0.00003, -2.00002, 0.99999], [0.0, 0.99998, 1.00001], [1.99998, 2.00001, -1.99997]],
    [
        [-2.000003, -0.999997, 1.000003],
        [1.0, 1.000001, -2.000003],
        [0.999998, -0.999998, -1.999998],
    ],
    [
        [2.0, -1.0000003, -1.9999997],
        [-0.9999998, -2.0000003, 1.0000002],
        [-0.9999997, -1.0000002, -2],
    ],
]


def solve(matrix: Any, solve_one: Callable[..., Any] = _kernels.solve_one) -> Any:
    payoff = np.ascontiguousarray(matrix, float)
    rows, columns = payoff.shape
    row, column = np.full(rows, np.nan), np.full(columns, np.nan)
    work, labels = _kernels.workspace(rows, columns)
    return (*solve_one(payoff, rows, columns, work, labels, row, column), row, column)


def test_leading_block_with_scratch_arrays_of_another_game() -> None:
    """As a sweep uses it: arrays for the largest game, full of what the last game left there."""
    random = np.random.default_rng(21)
    payoff = np.full((13, 13), np.nan)
    work, labels = _kernels.workspace(13, 13)
    work[:], labels[:] = np.nan, 99
    row, column = np.full(13, 9.0), np.full(13, 9.0)
    for _ in range(200):
        m, n = random.integers(1, 14, 2)
        payoff[:] = np.nan
        payoff[:m, :n] = random.integers(-3, 4, (m, n))
        copy = payoff.copy()
        lower, upper, gap = _kernels.solve_one(payoff, m, n, work, labels, row, column)
        fresh = solve(payoff[:m, :n])
        assert (lower, upper, gap) == fresh[:3]
        assert row[:m].tolist() == fresh[3].tolist()
        assert column[:n].tolist() == fresh[4].tolist()
        np.testing.assert_array_equal(payoff, copy)
        row[:], column[:] = 9, 9


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
def test_what_is_not_finite_is_never_solved(bad: float) -> None:
    """Each place in turn, also where the strategies never go: NaN must not slip through a max."""
    matrix = np.array([[4.0, 1.0, 5.0], [1.0, 2.0, 5.0], [0.0, 0.0, 5.0]])
    assert solve(matrix)[2] >= 0
    for place in np.ndindex(3, 3):
        broken = matrix.copy()
        broken[place] = bad
        with np.errstate(all="ignore"):  # compiled code does not warn, interpreted code would
            assert np.isnan(solve(broken)[:3]).all()


def test_spread_beyond_float64_is_never_solved() -> None:
    with np.errstate(all="ignore"):
        assert np.isnan(solve([[1.7e308, -1.7e308], [-1.7e308, 1.7e308]])[:3]).all()
        assert np.isnan(solve([[5e-324, 0.0], [0.0, 5e-324]])[:3]).all()


@pytest.mark.parametrize("matrix", SMALL_PIVOTS)
def test_small_pivots_leave_no_trace(matrix: list[list[float]]) -> None:
    lower, upper, gap, row, column = solve(matrix)
    assert 0 <= gap <= 1e-12 * np.ptp(matrix)
    shifted = np.array(matrix) - np.min(matrix)
    assert (shifted @ column).max() - (row @ shifted).min() <= 1e-12 * np.ptp(matrix)
    assert lower <= upper


def test_bland_rule_alone_solves_degenerate_games(monkeypatch: pytest.MonkeyPatch) -> None:
    """The rule that takes over after many pivots is hardly ever met, so it is called on purpose."""
    for name in ("_iterate", "_start", "_read_off", "solve_one"):
        function = getattr(_kernels, name)
        monkeypatch.setattr(_kernels, name, getattr(function, "py_func", function))
    random = np.random.default_rng(22)
    games = [random.integers(-1, 2, random.integers(1, 7, 2)).astype(float) for _ in range(60)]
    fast = [solve(matrix, _kernels.solve_one) for matrix in games]
    monkeypatch.setattr(_kernels, "_PATIENCE", 0)
    bland = [solve(matrix, _kernels.solve_one) for matrix in games]
    for one, other in zip(fast, bland, strict=True):
        assert one[2] >= 0
        assert other[2] >= 0
        assert abs(one[0] - other[0]) <= 1e-12
    assert any(one[3].tolist() != other[3].tolist() for one, other in zip(fast, bland, strict=True))


def test_one_compilation_serves_every_shape() -> None:
    if numba.config.DISABLE_JIT:
        pytest.skip("nothing is compiled")
    for shape in [(1, 1), (2, 5), (13, 13)]:
        solve(np.zeros(shape))
    assert len(_kernels.solve_one.signatures) == 1  # type: ignore[attr-defined]


def test_without_a_folder_for_the_cache_kernels_still_compile(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    compile_ = numba.njit

    def no_locator(**options: Any) -> Any:
        if options.pop("cache", False):
            raise RuntimeError("cannot cache function: no locator available")
        return compile_(**options)

    monkeypatch.setattr(compiling.numba, "njit", no_locator)
    doubled = compiling.compiled(lambda number: 2 * number)
    assert doubled(21) == 42


def test_read_only_installation(tmp_path: Path) -> None:
    """Numba finds no place to write to, on a machine where nothing may be written."""
    code = (
        "import numba.core.caching as caching\n"
        "caching.CacheImpl._locator_classes = []\n"
        "from gops_lab.matrix_games import _kernels\n"
        "print(type(_kernels.solve_one).__name__)\n"
    )
    environment = {**os.environ, "NUMBA_CACHE_DIR": ""}
    result = subprocess.run(
        [sys.executable, "-c", code],
        env=environment,
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert result.returncode == 0, result.stderr
