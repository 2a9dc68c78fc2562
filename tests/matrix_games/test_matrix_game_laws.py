"""Laws that hold for every zero-sum game, on games made to have ties."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from gops_lab.matrix_games import is_unique, optimal_ranges, solve_matrix_game

METHODS = ("highs", "simplex", "exact")

shapes = st.tuples(st.integers(1, 5), st.integers(1, 5))
# few different payoffs make ties and degenerate vertices the rule
payoffs = arrays(np.int64, shapes, elements=st.integers(-3, 3))
squares = st.integers(1, 5).flatmap(
    lambda size: arrays(np.int64, (size, size), elements=st.integers(-3, 3))
)
laws = settings(deadline=None, max_examples=30)


def value(matrix: np.ndarray, method: str) -> float | Fraction:
    return solve_matrix_game(matrix, method=method).value


@pytest.mark.parametrize("method", METHODS)
class TestValue:
    @laws
    @given(payoffs, st.integers(-50, 50), st.sampled_from([1, 2, 1000, 2**40]))
    def test_shift_and_scale(self, method: str, matrix: np.ndarray, shift: int, scale: int) -> None:
        expected = scale * value(matrix, method) + shift
        found = value(scale * matrix + shift, method)
        assert abs(found - expected) <= (0 if method == "exact" else 1e-12 * (abs(scale) * 6 + 50))

    @laws
    @given(payoffs)
    def test_other_side_of_the_table(self, method: str, matrix: np.ndarray) -> None:
        difference = value(matrix, method) + value(-matrix.T, method)
        assert abs(difference) <= (0 if method == "exact" else 1e-11)

    @laws
    @given(squares)
    def test_symmetric_game_is_fair(self, method: str, matrix: np.ndarray) -> None:
        # not 0 itself, which a solver that does nothing returns as well
        assert abs(value(matrix - matrix.T + 7, method) - 7) <= (0 if method == "exact" else 1e-11)

    @laws
    @given(payoffs, st.randoms(use_true_random=False))
    def test_order_of_actions_is_no_matter(
        self, method: str, matrix: np.ndarray, random: object
    ) -> None:
        rows = np.argsort([random.random() for _ in range(matrix.shape[0])])  # type: ignore[attr-defined]
        columns = np.argsort([random.random() for _ in range(matrix.shape[1])])  # type: ignore[attr-defined]
        permuted = matrix[rows][:, columns]
        assert abs(value(permuted, method) - value(matrix, method)) <= (
            0 if method == "exact" else 1e-11
        )

    @laws
    @given(payoffs)
    def test_more_choice_never_hurts(self, method: str, matrix: np.ndarray) -> None:
        tolerance = 0 if method == "exact" else 1e-11
        if len(matrix) > 1:
            assert value(matrix[1:], method) <= value(matrix, method) + tolerance
        assert matrix.min(axis=1).max() - tolerance <= value(matrix, method)
        assert value(matrix, method) <= matrix.max(axis=0).min() + tolerance

    @laws
    @given(payoffs)
    def test_strictly_dominated_action_is_not_played(self, method: str, matrix: np.ndarray) -> None:
        worse = np.vstack([matrix, matrix[:1] - 1])
        assert solve_matrix_game(worse, method=method).row[-1] == 0
        costlier = np.hstack([matrix, matrix[:, :1] + 1])
        assert solve_matrix_game(costlier, method=method).column[-1] == 0


@pytest.mark.parametrize("exact", [False, True])
class TestRanges:
    @laws
    @given(payoffs)
    def test_strictly_dominated_action_is_in_no_optimal_strategy(
        self, exact: bool, matrix: np.ndarray
    ) -> None:
        worse = np.vstack([matrix, matrix[:1] - 1])
        assert optimal_ranges(worse, exact=exact)[-1].tolist() == [0, 0]

    @laws
    @given(payoffs)
    def test_every_optimal_strategy_lies_within(self, exact: bool, matrix: np.ndarray) -> None:
        for player in ("row", "column"):
            ranges = optimal_ranges(matrix, player, exact=exact)
            for method in METHODS:
                strategy = getattr(solve_matrix_game(matrix, method=method), player)
                assert (strategy >= ranges[:, 0] - 1e-9).all()
                assert (strategy <= ranges[:, 1] + 1e-9).all()

    @laws
    @given(payoffs)
    def test_action_can_be_missed_if_its_least_is_0(self, exact: bool, matrix: np.ndarray) -> None:
        """Without an action the game is worth the same exactly if its least probability is 0."""
        ranges = optimal_ranges(matrix, exact=exact)
        best = solve_matrix_game(matrix, method="exact").value
        for action, (least, _) in enumerate(ranges):
            if len(matrix) > 1:
                without = solve_matrix_game(np.delete(matrix, action, axis=0), method="exact").value
                assert (without == best) == (least <= 1e-9)

    @laws
    @given(payoffs)
    def test_unique_means_no_width(self, exact: bool, matrix: np.ndarray) -> None:
        ranges = optimal_ranges(matrix, exact=exact)
        assert is_unique(matrix, exact=exact) == (max(ranges[:, 1] - ranges[:, 0]) < 1e-6)
        # a row twice: unless it is never played, its weight can go to either copy
        doubled = np.vstack([matrix, matrix[:1]])
        if ranges[0, 1] > 1e-6:
            assert not is_unique(doubled, exact=exact)
            assert abs(optimal_ranges(doubled, exact=exact)[-1, 1] - ranges[0, 1]) <= 1e-9
