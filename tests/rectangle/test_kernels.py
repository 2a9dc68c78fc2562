"""The compiled kernels: what they compute is defined by their source alone."""

from __future__ import annotations

import re
from typing import Any

import numba
import numpy as np
import pytest

from gops_lab.game import MARGIN, WIN, Rules
from gops_lab.induction.rectangle import kernels, solve_tiers
from gops_lab.matrix_games import _kernels, solve_matrix_games

RELAXED = re.compile(
    r"(\bf(add|sub|mul|div|neg|cmp)|\bselect|\bcall) (\w+ )*?(fast|contract|reassoc|arcp|afn)\b"
)

needs_compiler = pytest.mark.skipif(bool(numba.config.DISABLE_JIT), reason="nothing is compiled")


@needs_compiler
def test_the_compiler_may_not_fuse_or_reorder() -> None:
    # Rejects: a flag that leaves the last bit of a value to the processor or the compiler.
    assert RELAXED.search("%5 = fadd contract <8 x double> %3, %4")
    assert RELAXED.search("%5 = fmul nnan reassoc double %3, %4")
    assert not RELAXED.search("%5 = fadd <8 x double> %3, %4")
    for objective in (MARGIN, WIN):
        solve_tiers(Rules(cards=3), objective)
    solve_matrix_games(np.zeros((2, 2, 2)))
    seen = set()
    for module in (kernels, _kernels):
        for name, kernel in vars(module).items():
            for signature in getattr(kernel, "signatures", ()):
                # What comes from numba's cache cannot be inspected.
                fresh = numba.jit(**kernel.targetoptions)(kernel.py_func)
                fresh.compile(signature)
                code = fresh.inspect_llvm(signature)
                relaxed = RELAXED.search(code)
                assert relaxed is None, (name, relaxed)
                if "fmul" in code:
                    seen.add(name)
    assert {"solve_patterns", "solve_rows", "solve_range"} <= seen


@needs_compiler
def test_a_product_and_its_sum_are_rounded_once() -> None:
    # Rejects: a product rounded before the sum, an operand or a sign mixed up.
    @numba.njit  # type: ignore[untyped-decorator]
    def both(w: Any, out: Any) -> None:
        a, b, c = kernels.load(w, 0), kernels.load(w, 8), kernels.load(w, 16)
        kernels.store(out, 0, kernels.plus_product(a, b, c))
        kernels.store(out, 8, kernels.less_product(a, b, c))

    tiny = 2.0**-30
    a, b, c = -1.0 - 2.0 * tiny, 1.0 + tiny, 1.0 + tiny
    out = np.zeros(16)
    both(np.repeat([a, b, c], 8), out)
    # b c = 1 + 2 tiny + tiny**2, whose last term a float64 near 1 does not hold.
    assert out[:8].tolist() == [tiny**2] * 8
    assert out[8:].tolist() == [-2.0 - 4.0 * tiny] * 8
