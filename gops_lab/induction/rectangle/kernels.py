"""Compiled kernels of the sweep over rank patterns and prize sets.

Everything compiled lives in this one module, because numba's cache on disk looks only at the file
of the kernel that is called. The parts, in order: eight lanes as one value, the words of rank
patterns, one guess of a support for eight stage games, a simplex for the games no guess fits, and
the kernels that walk a tier.

**Eight games at once.** A `lanes` value is eight float64 numbers, one for each of eight stage games
of the same shape; the arithmetic below is written once and works on all of them. Only additions,
multiplications, divisions and comparisons are used, each rounded as IEEE 754 says and never fused,
so that every machine gives the same bytes.

**Work array.** A kernel keeps everything it touches often in one float64 array ``w``, in units of
eight lanes: the payoff matrix (n × n), the augmented matrix of the elimination (n × n), the row
strategy (n), the column strategy (n), the values of the games (1), the widest gap met (1); see
`work_size`.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any, TypeVar, cast

import numba
import numpy as np
from numba import config, types
from numba.core.typing.templates import ConcreteTemplate, infer_global
from numba.extending import intrinsic, lower_builtin, models, register_model

F = TypeVar("F", bound=Callable[..., Any])

LANES = 8
"""Stage games solved side by side."""

MOST_BIDS = 16
"""Largest hand of a stage game."""

SUPPORT_SIZE = 1 + 2 * MOST_BIDS
"""Numbers that hold one pair of supports: how many bids, A's bids, B's bids."""

MOST_SUPPORTS = 24
"""Supports remembered for one pattern and one stake; the one longest unused is dropped."""

# What `solve_patterns` counts, positions in its `counters`.
COUNTERS = ("worst gap", "simplex games", "batches", "guesses", "escalated")
WORST_GAP, SIMPLEX_GAMES, BATCHES, GUESSES, ESCALATED = range(len(COUNTERS))

# Adding and subtracting it rounds a float64 to an integer, halves to even, for numbers below 2**51.
_ROUND = 1.5 * 2.0**52

# Weights below this are taken for a wrong guess without looking at the certificate.
_LEAST_WEIGHT = -1e-9

# What the simplex, on a matrix scaled to [1, 2], takes for zero.
_SIMPLEX_ZERO = 1e-11


def compiled(function: F) -> F:
    """Return `function` compiled without the interpreter lock, cached on disk where that works."""
    options = {"nogil": True, "error_model": "numpy"}
    try:
        return cast(F, numba.njit(cache=True, **options)(function))
    except RuntimeError:  # no folder can be written
        return cast(F, numba.njit(**options)(function))


def inlined(function: F) -> F:
    """Return `function` compiled into its callers: a call with arrays costs more than its body."""
    return cast(F, numba.njit(nogil=True, error_model="numpy", forceinline=True)(function))


# Eight lanes as one value. Without the compiler a value of eight lanes is a numpy array.

if config.DISABLE_JIT:

    def load(array: Any, at: Any) -> Any:
        """Return eight neighbours of a flat array, from position `at`."""
        return array[at : at + LANES].astype(np.float64)

    def store(array: Any, at: Any, lanes: Any) -> None:
        """Write eight neighbours of a flat float64 array."""
        array[at : at + LANES] = lanes

    def gather(array: Any, base: Any, offsets: Any, at: Any) -> Any:
        """Return eight numbers of a flat array: those at `base` plus each of eight offsets."""
        return array[base + offsets[at : at + LANES]].astype(np.float64)

    def splat(number: Any) -> Any:
        """Return `number` in every lane."""
        return np.full(LANES, number, np.float64)

    smaller: Any = np.fmin
    larger: Any = np.fmax

    def at_most(a: Any, b: Any) -> int:
        """Return the lanes where a <= b as bits; a NaN is never at most anything."""
        return int(np.sum((a <= b) << np.arange(LANES)))

    def blend(mask: Any, a: Any, b: Any) -> Any:
        """Return a in the lanes whose bit is set in `mask`, else b."""
        return np.where((int(mask) >> np.arange(LANES)) & 1 == 1, a, b)

else:
    from llvmlite import ir

    _VECTOR = ir.VectorType(ir.DoubleType(), LANES)

    class _Lanes(types.Type):  # type: ignore[misc]
        def __init__(self) -> None:
            super().__init__(name="GopsLanes8")

    _lanes = _Lanes()

    @register_model(_Lanes)  # type: ignore[untyped-decorator]
    class _LanesModel(models.PrimitiveModel):  # type: ignore[misc]
        def __init__(self, manager: Any, kind: Any) -> None:
            super().__init__(manager, kind, _VECTOR)

    def _arithmetic(symbol: Any, instruction: str) -> None:
        class Template(ConcreteTemplate):  # type: ignore[misc]
            cases = [numba.core.typing.signature(_lanes, _lanes, _lanes)]  # noqa: RUF012

        infer_global(symbol)(Template)

        def lower(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            return getattr(builder, instruction)(*arguments)

        lower_builtin(symbol, _lanes, _lanes)(lower)

    for _symbol, _instruction in (
        (operator.add, "fadd"),
        (operator.sub, "fsub"),
        (operator.mul, "fmul"),
        (operator.truediv, "fdiv"),
    ):
        _arithmetic(_symbol, _instruction)

    def _pointer(context: Any, builder: Any, array_type: Any, array: Any, at: Any) -> Any:
        data = context.make_array(array_type)(context, builder, array).data
        element = context.get_data_type(array_type.dtype)
        place = builder.gep(data, [at])
        return builder.bitcast(place, ir.VectorType(element, LANES).as_pointer())

    def _widened(builder: Any, dtype: Any, lanes: Any) -> Any:
        if isinstance(dtype, types.Integer):
            return builder.sitofp(lanes, _VECTOR)
        return lanes if dtype == types.float64 else builder.fpext(lanes, _VECTOR)

    @intrinsic  # type: ignore[untyped-decorator]
    def load(typing: Any, array: Any, at: Any) -> Any:
        """Return eight neighbours of a flat array, from position `at`."""

        def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            pointer = _pointer(context, builder, array, *arguments)
            lanes = builder.load(pointer, align=array.dtype.bitwidth // 8)
            return _widened(builder, array.dtype, lanes)

        return _lanes(array, types.int64), generate

    @intrinsic  # type: ignore[untyped-decorator]
    def gather(typing: Any, array: Any, base: Any, offsets: Any, at: Any) -> Any:
        """Return eight numbers of a flat array: those at `base` plus each of eight offsets."""

        def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            data = context.make_array(array)(context, builder, arguments[0]).data
            data = builder.gep(data, [arguments[1]])
            shifts = context.make_array(offsets)(context, builder, arguments[2]).data
            shifts = builder.gep(shifts, [arguments[3]])
            element = context.get_data_type(array.dtype)
            lanes = ir.Constant(ir.VectorType(element, LANES), ir.Undefined)
            for lane in range(LANES):
                place = ir.Constant(ir.IntType(32), lane)
                shift = builder.sext(builder.load(builder.gep(shifts, [place])), ir.IntType(64))
                entry = builder.load(builder.gep(data, [shift]))
                lanes = builder.insert_element(lanes, entry, place)
            return _widened(builder, array.dtype, lanes)

        return _lanes(array, types.int64, offsets, types.int64), generate

    @intrinsic  # type: ignore[untyped-decorator]
    def store(typing: Any, array: Any, at: Any, lanes: Any) -> Any:
        """Write eight neighbours of a flat float64 array."""

        def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            pointer = _pointer(context, builder, array, *arguments[:2])
            builder.store(arguments[2], pointer, align=8)
            return context.get_dummy_value()

        return types.void(array, types.int64, lanes), generate

    @intrinsic  # type: ignore[untyped-decorator]
    def splat(typing: Any, number: Any) -> Any:
        """Return `number` in every lane."""

        def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            empty = ir.Constant(_VECTOR, ir.Undefined)
            first = builder.insert_element(empty, arguments[0], ir.Constant(ir.IntType(32), 0))
            zeros = ir.Constant(ir.VectorType(ir.IntType(32), LANES), [0] * LANES)
            return builder.shuffle_vector(first, empty, zeros)

        return _lanes(types.float64), generate

    def _choice(name: str, comparison: str) -> Any:
        def choose(typing: Any, a: Any, b: Any) -> Any:
            def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
                first = builder.fcmp_ordered(comparison, *arguments)
                return builder.select(first, *arguments)

            return _lanes(_lanes, _lanes), generate

        choose.__name__ = choose.__qualname__ = name
        return intrinsic(choose)

    smaller = _choice("smaller", "<")
    larger = _choice("larger", ">")

    @intrinsic  # type: ignore[untyped-decorator]
    def at_most(typing: Any, a: Any, b: Any) -> Any:
        """Return the lanes where a <= b as bits; a NaN is never at most anything."""

        def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            bits = builder.bitcast(builder.fcmp_ordered("<=", *arguments), ir.IntType(LANES))
            return builder.zext(bits, ir.IntType(64))

        return types.int64(_lanes, _lanes), generate

    @intrinsic  # type: ignore[untyped-decorator]
    def blend(typing: Any, mask: Any, a: Any, b: Any) -> Any:
        """Return a in the lanes whose bit is set in `mask`, else b."""

        def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            bits = builder.trunc(arguments[0], ir.IntType(LANES))
            bits = builder.bitcast(bits, ir.VectorType(ir.IntType(1), LANES))
            return builder.select(bits, *arguments[1:])

        return _lanes(types.int64, _lanes, _lanes), generate



# Rank patterns: words of symbols 1 (a card of A's), 2 (of B's), 3 (one of each), lowest rank first.


@inlined
def spell(code: int, word: Any, place_a: Any, place_b: Any) -> int:
    """Write the word of a pattern and where in it each card stands; return its length."""
    length = 0
    rest = code
    while rest > 0:
        length += 1
        rest = (rest - 1) // 3
    cards_a = 0
    cards_b = 0
    rest = code
    for place in range(length - 1, -1, -1):
        word[place] = (rest - 1) % 3 + 1
        rest = (rest - 1) // 3
    for place in range(length):
        if word[place] != 2:
            place_a[cards_a] = place
            cards_a += 1
        if word[place] != 1:
            place_b[cards_b] = place
            cards_b += 1
    return length


@inlined
def child_codes(word: Any, length: int, at_a: int, at_b: int) -> Any:
    """Return the code, and its mirror's, after A has bid the card at one place and B at another."""
    code = 0
    mirror = 0
    for place in range(length):
        symbol = word[place]
        if place == at_a:
            symbol -= 1  # 1 to nothing, 3 to 2
        if place == at_b:
            symbol -= 2  # 2 to nothing, 3 to 1
        if symbol > 0:
            code = 3 * code + symbol
            mirror = 3 * mirror + (3 if symbol == 3 else 3 - symbol)
    return code, mirror


@compiled
def reach(codes: Any, classes: Any, carry: bool, keys: Any, most: Any) -> int:
    """Collect the canonical patterns one round below some patterns, in a hash table.

    Parameters
    ----------
    codes : array of int64, shape (k,)
        Canonical patterns.
    classes : array of int64, shape (k,)
        For each, the most prizes that can be carried there.
    carry : bool
        Whether a tie carries the stake over.
    keys : array of int64, shape (c,)
        The table, c a power of two; -1 where empty. Filled.
    most : array of int64, shape (c,)
        The class of each key. Filled.

    Returns
    -------
    int
        How many patterns the table holds, or -1 if it became more than half full.
    """
    word = np.zeros(2 * MOST_BIDS, np.int64)
    place_a = np.zeros(MOST_BIDS, np.int64)
    place_b = np.zeros(MOST_BIDS, np.int64)
    capacity = len(keys)
    held = 0
    for row in range(len(codes)):
        length = spell(codes[row], word, place_a, place_b)
        n = 0
        for place in range(length):
            n += word[place] != 2
        for i in range(n):
            at_a = place_a[i]
            # Neighbours of one player's own cards leave the same word whichever is bid.
            if word[at_a] == 1 and at_a > 0 and word[at_a - 1] == 1:
                continue
            for j in range(n):
                at_b = place_b[j]
                if word[at_b] == 2 and at_b > 0 and word[at_b - 1] == 2:
                    continue
                code, mirror = child_codes(word, length, at_a, at_b)
                code = min(code, mirror)
                level = classes[row] + 1 if carry and at_a == at_b else 0
                slot = (code * 2053 ^ code >> 17) & (capacity - 1)
                while keys[slot] != -1 and keys[slot] != code:
                    slot = (slot + 1) & (capacity - 1)
                if keys[slot] == -1:
                    if 2 * held >= capacity:
                        return -1
                    keys[slot] = code
                    most[slot] = level
                    held += 1
                elif level > most[slot]:
                    most[slot] = level
    return held


@compiled
def link(
    masks: Any, starts: Any, rows: Any, sums: Any, prizes: Any,
    rank: Any, game_starts: Any, game_rows: Any, game_sums: Any, first_row: int, missing: int,
    links: Any,
) -> None:
    """Write, for every value of a layout, where the stage games it is the mean of are kept.

    Parameters
    ----------
    masks, starts, rows, sums
        The layout of values: see `layout.Layout`.
    prizes : array of int64
    rank : array of int64, shape (2**len(prizes),)
        Position of a prize set among those of the stage games.
    game_starts, game_rows, game_sums
        The layout of stage games, whose sums are the stakes.
    first_row : int
        0, or 1 if row 0 is set aside for the stake 0.
    missing : int
        What to write where the layout has no value.
    links : array of int32, shape (positions, size)
        Filled.
    """
    links[:, :] = missing
    for position in range(len(masks)):
        mask = masks[position]
        start = starts[position // LANES] + position % LANES
        for row in range(rows[position]):
            at = start + LANES * row
            member = 0
            for bit in range(len(prizes)):
                if not (mask >> bit) & 1:
                    continue
                stake = sums[at] + prizes[bit]
                hidden = rank[mask ^ (1 << bit)]
                base = game_starts[hidden // LANES] + hidden % LANES
                low = first_row
                high = game_rows[hidden] - 1
                if first_row == 1 and stake == 0:
                    high = low = 0
                while low < high:
                    middle = (low + high) // 2
                    if game_sums[base + LANES * middle] < stake:
                        low = middle + 1
                    else:
                        high = middle
                links[at, member] = base + LANES * low
                member += 1


# One guess of a support, for eight games at once.


@inlined
def work_size(n: int) -> int:
    """Return the length of the work array for stage games of n bids each."""
    return LANES * (2 * n * n + 2 * n + 2)


@compiled
def guess(w: Any, n: int, supports: Any, at: int, pending: int, tolerance: float) -> int:
    """Try one pair of supports on eight games; return the lanes it solves, as bits.

    If x has support I and y support J, both of s bids, and every bid of a support is a best reply,
    then x and y solve two systems whose matrix, once row and column differences are taken, is the
    same (s - 1) × (s - 1) matrix D, transposed for one of them. One elimination (no row exchanges:
    supports are listed in an order that was good once) serves both. The result is a pair of
    probability vectors whatever the numbers were, since weights below 0 and NaN become 0 and the
    first weight is 1 minus the others, refused if negative. What each of the two guarantees against
    all bids of the opponent is then compared: only a gap within the tolerance is accepted.

    Parameters
    ----------
    w : array of float64
        The work array. Reads the payoff matrix, writes values and the widest gap of accepted lanes.
    n : int
        Bids of each player.
    supports : array of int64
        Records of `SUPPORT_SIZE` numbers.
    at : int
        Where in `supports` the pair to try begins.
    pending : int
        Lanes still to be solved, as bits; no other is accepted.
    tolerance : float
        Largest gap that is accepted.
    """
    system = LANES * n * n
    xs = 2 * LANES * n * n
    ys = xs + LANES * n
    m = supports[at] - 1
    rows = at + 1
    columns = at + 1 + MOST_BIDS
    one = splat(1.0)
    zero = splat(0.0)
    first_row = LANES * n * supports[rows]
    first_column = LANES * supports[columns]
    stride = LANES * (m + 1)
    last = system + m * stride
    rest_x = one
    rest_y = one
    if m > 0:
        corner = load(w, first_row + first_column)
        for b in range(m):
            entry = load(w, first_row + LANES * supports[columns + 1 + b])
            store(w, last + LANES * b, corner - entry)
        for a in range(m):
            row = LANES * n * supports[rows + 1 + a]
            here = system + a * stride
            first = load(w, row + first_column)
            for b in range(m):
                entry = load(w, row + LANES * supports[columns + 1 + b])
                store(w, here + LANES * b, (entry - first) + load(w, last + LANES * b))
            store(w, here + LANES * m, corner - first)
        for k in range(m):
            pivot_row = system + k * stride
            inverse = one / load(w, pivot_row + LANES * k)
            store(w, pivot_row + LANES * k, inverse)
            for a in range(k + 1, m + 1):
                here = system + a * stride
                factor = load(w, here + LANES * k) * inverse
                store(w, here + LANES * k, factor)
                for b in range(k + 1, m + 1):
                    entry = load(w, here + LANES * b)
                    store(w, here + LANES * b, entry - factor * load(w, pivot_row + LANES * b))
        least = one
        for k in range(m - 1, -1, -1):
            row = system + k * stride
            y = load(w, row + LANES * m)
            x = load(w, last + LANES * k)
            for b in range(k + 1, m):
                y = y - load(w, row + LANES * b) * load(w, ys + LANES * (b + 1))
                x = x - load(w, system + b * stride + LANES * k) * load(w, xs + LANES * (b + 1))
            y = y * load(w, row + LANES * k)
            least = smaller(least, smaller(x, y))
            x = larger(x, zero)
            y = larger(y, zero)
            rest_x = rest_x - x
            rest_y = rest_y - y
            store(w, xs + LANES * (k + 1), x)
            store(w, ys + LANES * (k + 1), y)
        least = smaller(least, smaller(rest_x, rest_y))
        pending &= at_most(splat(_LEAST_WEIGHT), least)
        if pending == 0:
            return 0
    pending &= at_most(zero, rest_x) & at_most(zero, rest_y)
    store(w, xs, rest_x)
    store(w, ys, rest_y)
    low = splat(np.inf)
    high = splat(-np.inf)
    j = 0
    while j + 1 < n:
        at_matrix = first_row + LANES * j
        sum_0 = rest_x * load(w, at_matrix)
        sum_1 = rest_x * load(w, at_matrix + LANES)
        for a in range(1, m + 1):
            at_matrix = LANES * (n * supports[rows + a] + j)
            x = load(w, xs + LANES * a)
            sum_0 = sum_0 + x * load(w, at_matrix)
            sum_1 = sum_1 + x * load(w, at_matrix + LANES)
        low = smaller(low, smaller(sum_0, sum_1))
        j += 2
    if j < n:
        sum_0 = rest_x * load(w, first_row + LANES * j)
        for a in range(1, m + 1):
            at_matrix = LANES * (n * supports[rows + a] + j)
            sum_0 = sum_0 + load(w, xs + LANES * a) * load(w, at_matrix)
        low = smaller(low, sum_0)
    i = 0
    while i + 1 < n:
        at_matrix = LANES * n * i
        sum_0 = rest_y * load(w, at_matrix + first_column)
        sum_1 = rest_y * load(w, at_matrix + LANES * n + first_column)
        for b in range(1, m + 1):
            column = at_matrix + LANES * supports[columns + b]
            y = load(w, ys + LANES * b)
            sum_0 = sum_0 + y * load(w, column)
            sum_1 = sum_1 + y * load(w, column + LANES * n)
        high = larger(high, larger(sum_0, sum_1))
        i += 2
    if i < n:
        at_matrix = LANES * n * i
        sum_0 = rest_y * load(w, at_matrix + first_column)
        for b in range(1, m + 1):
            sum_0 = sum_0 + load(w, ys + LANES * b) * load(w, at_matrix + LANES * supports[columns + b])
        high = larger(high, sum_0)
    gap = high - low
    accepted = pending & at_most(gap, splat(tolerance))
    if accepted != 0:
        values = ys + LANES * n
        store(w, values, blend(accepted, (low + high) * splat(0.5), load(w, values)))
        worst = load(w, values + LANES)
        store(w, values + LANES, blend(accepted, larger(worst, gap), worst))
    return accepted


# The games that no guess fits.


@compiled
def simplex(w: Any, n: int, lane: int, tableau: Any, basis: Any, bland: bool) -> bool:
    """Solve the game of one lane by the simplex method; return whether it came to an end.

    The game is scaled to payoffs P in [1, 2] and its columns' program, maximise sum(y) such that
    P y <= 1 and y >= 0, is solved in a condensed tableau. Nothing here needs to be right: what
    comes out is a guess like any other.

    Parameters
    ----------
    w : array of float64
        The work array; reads the payoff matrix.
    n, lane : int
    tableau : array of float64, shape (n + 1, n + 1)
        Filled; the last row ends as minus the rows' weights and the last column as the columns',
        both before they are normalised.
    basis : array of int64, shape (2, n)
        Filled: the variable of each tableau row, and of each column; y_j is j, the slack of row i
        is n + i.
    bland : bool
        Choose pivots by the smallest variable, which cannot cycle, instead of the steepest.
    """
    low = w[lane]
    high = low
    for entry in range(n * n):
        low = min(low, w[lane + LANES * entry])
        high = max(high, w[lane + LANES * entry])
    scale = 1.0 / (high - low) if high > low else 1.0
    for i in range(n):
        for j in range(n):
            tableau[i, j] = 1.0 + (w[lane + LANES * (n * i + j)] - low) * scale
        tableau[i, n] = 1.0
        tableau[n, i] = 1.0
        basis[0, i] = n + i
        basis[1, i] = i
    tableau[n, n] = 0.0
    for _ in range(50 * n + 50):
        enter = -1
        for j in range(n):
            if tableau[n, j] > _SIMPLEX_ZERO and (
                enter < 0
                or (basis[1, j] < basis[1, enter] if bland else tableau[n, j] > tableau[n, enter])
            ):
                enter = j
        if enter < 0:
            return True
        leave = -1
        best = 0.0
        for i in range(n):
            entry = tableau[i, enter]
            if entry > _SIMPLEX_ZERO:
                ratio = max(tableau[i, n], 0.0) / entry
                if leave < 0 or ratio < best - 1e-13:
                    leave = i
                    best = ratio
                elif ratio <= best + 1e-13 and (
                    basis[0, i] < basis[0, leave] if bland else entry > tableau[leave, enter]
                ):
                    leave = i
                    best = min(best, ratio)
        if leave < 0:
            return False
        inverse = 1.0 / tableau[leave, enter]
        for j in range(n + 1):
            tableau[leave, j] *= inverse
        tableau[leave, enter] = inverse
        for i in range(n + 1):
            if i != leave:
                factor = tableau[i, enter]
                if factor != 0.0:
                    for j in range(n + 1):
                        tableau[i, j] -= factor * tableau[leave, j]
                tableau[i, enter] = -factor * inverse
        basis[0, leave], basis[1, enter] = basis[1, enter], basis[0, leave]
    return False


@compiled
def support_of(
    w: Any, n: int, lane: int, tableau: Any, basis: Any, supports: Any, at: int, d: Any
) -> None:
    """Write the supports of a basis, in an order in which elimination has large pivots.

    The heaviest bids come first, since their weights are 1 minus the others; the rest follows as
    complete pivoting on the difference matrix of this lane picks it.
    """
    rows = at + 1
    columns = at + 1 + MOST_BIDS
    size = 0
    best = -1.0
    for i in range(n):
        if basis[0, i] < n:
            supports[columns + size] = basis[0, i]
            if tableau[i, n] > best:
                best = tableau[i, n]
                supports[columns], supports[columns + size] = (
                    supports[columns + size], supports[columns],
                )
            size += 1
    size = 0
    best = -1.0
    for j in range(n):
        if basis[1, j] >= n:
            supports[rows + size] = basis[1, j] - n
            if -tableau[n, j] > best:
                best = -tableau[n, j]
                supports[rows], supports[rows + size] = supports[rows + size], supports[rows]
            size += 1
    supports[at] = size
    m = size - 1
    for a in range(m):
        row = n * supports[rows + 1 + a]
        for b in range(m):
            column = supports[columns + 1 + b]
            d[a, b] = (
                w[lane + LANES * (row + column)]
                - w[lane + LANES * (row + supports[columns])]
                - w[lane + LANES * (n * supports[rows] + column)]
                + w[lane + LANES * (n * supports[rows] + supports[columns])]
            )
    for k in range(m):
        pivot_row = k
        pivot_column = k
        for a in range(k, m):
            for b in range(k, m):
                if abs(d[a, b]) > abs(d[pivot_row, pivot_column]):
                    pivot_row = a
                    pivot_column = b
        if d[pivot_row, pivot_column] == 0.0:
            return
        for b in range(m):
            d[k, b], d[pivot_row, b] = d[pivot_row, b], d[k, b]
        for a in range(m):
            d[a, k], d[a, pivot_column] = d[a, pivot_column], d[a, k]
        k_row = rows + 1 + k
        k_column = columns + 1 + k
        row = rows + 1 + pivot_row
        column = columns + 1 + pivot_column
        supports[k_row], supports[row] = supports[row], supports[k_row]
        supports[k_column], supports[column] = supports[column], supports[k_column]
        for a in range(k + 1, m):
            factor = d[a, k] / d[k, k]
            for b in range(k + 1, m):
                d[a, b] -= factor * d[k, b]


@compiled
def certify(w: Any, n: int, lane: int, tableau: Any, basis: Any) -> Any:
    """Return what the strategies of a finished tableau guarantee: rows, columns.

    Weights below 0 become 0 and the rest is normalised, so that both are strategies.
    """
    total_x = 0.0
    total_y = 0.0
    for k in range(n):
        if basis[0, k] < n:
            total_y += max(tableau[k, n], 0.0)
        if basis[1, k] >= n:
            total_x += max(-tableau[n, k], 0.0)
    low = np.inf
    high = -np.inf
    for k in range(n):
        row_sum = 0.0
        column_sum = 0.0
        for other in range(n):
            if basis[0, other] < n:
                entry = w[lane + LANES * (n * k + basis[0, other])]
                row_sum += max(tableau[other, n], 0.0) / total_y * entry
            if basis[1, other] >= n:
                entry = w[lane + LANES * (n * (basis[1, other] - n) + k)]
                column_sum += max(-tableau[n, other], 0.0) / total_x * entry
        low = min(low, column_sum)
        high = max(high, row_sum)
    return low, high


@compiled
def solve_batch(
    w: Any, n: int, pending: int, tolerance: float,
    supports: Any, order: Any, held: Any, which: int, tableau: Any, basis: Any, counters: Any,
) -> int:
    """Solve eight stage games: by remembered supports, then by the simplex method.

    Parameters
    ----------
    w : array of float64
        The work array. Reads the payoff matrix, writes values and widest gap.
    n : int
    pending : int
        Lanes that hold a game, as bits.
    tolerance : float
    supports : array of int64
        Records, `MOST_SUPPORTS` for each list, and one for the pair being tried.
    order : array of int64, shape (MOST_SUPPORTS * lists,)
        Records of each list that are in use, the one that helped last first.
    held : array of int64, shape (lists,)
        How many each list has in use.
    which : int
        The list.
    tableau, basis : arrays
        Scratch.
    counters : array of float64

    Returns
    -------
    int
        Lanes not solved, as bits.
    """
    counters[BATCHES] += 1
    first = MOST_SUPPORTS * which
    turn = 0
    while pending != 0 and turn < held[which]:
        counters[GUESSES] += 1
        record = order[first + turn]
        solved = guess(w, n, supports, SUPPORT_SIZE * record, pending, tolerance)
        if solved != 0:
            pending &= ~solved
            for place in range(first + turn, first, -1):
                order[place] = order[place - 1]
            order[first] = record
        turn += 1
    failed = 0
    spare = SUPPORT_SIZE * len(order)
    values = LANES * (2 * n * n + 2 * n)
    while pending != 0:
        lane = 0
        while not (pending >> lane) & 1:
            lane += 1
        counters[SIMPLEX_GAMES] += 1
        done = False
        for attempt in range(2):
            if not simplex(w, n, lane, tableau, basis, attempt == 1):
                continue
            support_of(w, n, lane, tableau, basis, supports, spare, tableau)
            solved = guess(w, n, supports, spare, pending, tolerance)
            if solved != 0:
                pending &= ~solved
                last = first + held[which]
                record = last
                if held[which] == MOST_SUPPORTS:
                    last -= 1
                    record = order[last]
                else:
                    held[which] += 1
                for place in range(last, first, -1):
                    order[place] = order[place - 1]
                order[first] = record
                for entry in range(SUPPORT_SIZE):
                    supports[SUPPORT_SIZE * record + entry] = supports[spare + entry]
            if not (pending >> lane) & 1:
                done = True
                break
            # The tableau was used as scratch above.
            simplex(w, n, lane, tableau, basis, attempt == 1)
            low, high = certify(w, n, lane, tableau, basis)
            if high - low <= tolerance:
                w[values + lane] = 0.5 * (low + high)
                w[values + LANES + lane] = max(w[values + LANES + lane], high - low)
                done = True
                break
        if not done:
            failed |= 1 << lane
        pending &= ~(1 << lane)
    return failed


# A tier.


@compiled
def solve_patterns(
    codes: Any, picked: Any, n: int,
    child_codes_held: Any, child_offsets: Any, child_classes: Any, child_values: Any,
    carry: bool, places: Any, tie_places: Any, neighbours: Any, swings: Any, lists: Any,
    lanes_used: Any, links: Any,
    offsets: Any, out: Any, step: float, tolerance: float,
    known_games: Any, known_values: Any, known_gaps: Any,
    failed_games: Any, failed_payoffs: Any, counters: Any,
) -> Any:
    """Solve all stage games of some patterns of a tier and keep the means over the upcards.

    Parameters
    ----------
    codes : array of int64
        The tier's canonical patterns.
    picked : array of int64
        Which of them to solve, all of one class (see `layout`).
    n : int
        Bids of each player.
    child_codes_held, child_offsets, child_classes, child_values
        The tier below: its sorted codes, where each one's values begin, each one's class, values.
    carry : bool
        Whether the stake stays on the table on a tie.
    places, tie_places : array of int32, shape (classes, 8 * batches)
        For each class of child, where among its values those of each game's hidden prizes are,
        with nothing carried and with the stake carried.
    neighbours : array of bool, shape (batches,)
        Whether the eight places of a batch are one after the other, in `places`.
    swings : array of float64, shape (batches,)
        How much the higher bid gains over the lower.
    lists : array of int64, shape (batches,)
        Which list of supports a batch uses.
    lanes_used : array of int64, shape (batches,)
        Which lanes hold a game, as bits.
    links : array of int32, shape (positions of values, prizes in a set)
        The games each value is the mean of; 8 * batches where there is no value.
    offsets : array of int64
        Where in `out` the values of each pattern go.
    out : array
        The tier's values. Filled for `picked`.
    step : float
        Values are kept as multiples of this if `out` holds integers, else 1.
    tolerance : float
        Largest gap of an accepted game.
    known_games, known_values, known_gaps : arrays
        Positions, values and gaps of games of the first pattern that were solved elsewhere.
    failed_games : array of int64
        Filled with the positions of games that must be.
    failed_payoffs : array of float64, shape (len(failed_games), n, n)
        Filled with their payoff matrices.
    counters : array of float64
        Added to; the worst gap is raised.

    Returns
    -------
    done, failed : int
        Patterns solved before one with games that failed, or all of them; how many failed.
    """
    batches = len(lists)
    size = links.shape[1]
    w = np.zeros(work_size(n), np.float64)
    values = LANES * (2 * n * n + 2 * n)
    word = np.zeros(2 * MOST_BIDS, np.int64)
    place_a = np.zeros(MOST_BIDS, np.int64)
    place_b = np.zeros(MOST_BIDS, np.int64)
    children = np.zeros(n * n, np.int64)
    signs = np.zeros(n * n, np.float64)
    comparisons = np.zeros(n * n, np.float64)
    starts = np.zeros(n * n, np.int64)
    tied = np.zeros(n, np.int64)
    most_lists = 1
    for batch in range(batches):
        most_lists = max(most_lists, lists[batch] + 1)
    supports = np.zeros(SUPPORT_SIZE * (MOST_SUPPORTS * most_lists + 1), np.int64)
    order = np.zeros(MOST_SUPPORTS * most_lists, np.int64)
    held = np.zeros(most_lists, np.int64)
    tableau = np.zeros((n + 1, n + 1), np.float64)
    basis = np.zeros((2, n), np.int64)
    games = np.zeros(LANES * batches + 1, np.float64)
    all_places = places.ravel()
    all_tie_places = tie_places.ravel()
    integers = step != 1.0
    scale = 1.0 / step
    share = float(size)
    for pick in range(len(picked)):
        pattern = picked[pick]
        length = spell(codes[pattern], word, place_a, place_b)
        ties = 0
        for i in range(n):
            for j in range(n):
                entry = n * i + j
                code, mirror = child_codes(word, length, place_a[i], place_b[j])
                comparisons[entry] = float(
                    int(place_a[i] > place_b[j]) - int(place_a[i] < place_b[j])
                )
                signs[entry] = step if code < mirror else -step
                children[entry] = -1
                if code != mirror:
                    code = min(code, mirror)
                    child = 0
                    high = len(child_codes_held) - 1
                    while child < high:
                        middle = (child + high) // 2
                        if child_codes_held[middle] < code:
                            child = middle + 1
                        else:
                            high = middle
                    children[entry] = child_offsets[child]
                    starts[entry] = child_classes[child] * LANES * batches
                    if carry and place_a[i] == place_b[j]:
                        tied[ties] = entry
                        ties += 1
        for number in range(most_lists):
            held[number] = 0
        failed = 0
        for batch in range(batches):
            at_game = LANES * batch
            swing = splat(swings[batch])
            if neighbours[batch]:
                for entry in range(n * n):
                    payoff = splat(comparisons[entry]) * swing
                    if children[entry] >= 0:
                        at = children[entry] + all_places[starts[entry] + at_game]
                        payoff = payoff + load(child_values, at) * splat(signs[entry])
                    store(w, LANES * entry, payoff)
            else:
                for entry in range(n * n):
                    payoff = splat(comparisons[entry]) * swing
                    if children[entry] >= 0:
                        at = starts[entry] + at_game
                        child = gather(child_values, children[entry], all_places, at)
                        payoff = payoff + child * splat(signs[entry])
                    store(w, LANES * entry, payoff)
            for tie in range(ties):
                entry = tied[tie]
                at = starts[entry] + at_game
                child = gather(child_values, children[entry], all_tie_places, at)
                store(w, LANES * entry, child * splat(signs[entry]))
            lost = solve_batch(
                w, n, lanes_used[batch], tolerance, supports, order, held, lists[batch],
                tableau, basis, counters,
            )
            while lost != 0:
                lane = 0
                while not (lost >> lane) & 1:
                    lane += 1
                lost &= ~(1 << lane)
                found = -1
                for number in range(len(known_games)):
                    if pick == 0 and known_games[number] == at_game + lane:
                        found = number
                if found >= 0:
                    w[values + lane] = known_values[found]
                    counters[WORST_GAP] = max(counters[WORST_GAP], known_gaps[found])
                    counters[ESCALATED] += 1
                elif failed < len(failed_games):
                    failed_games[failed] = at_game + lane
                    for entry in range(n * n):
                        failed_payoffs[failed, entry // n, entry % n] = w[lane + LANES * entry]
                    failed += 1
            store(games, at_game, load(w, values))
        for lane in range(LANES):
            counters[WORST_GAP] = max(counters[WORST_GAP], w[values + LANES + lane])
        if failed > 0:
            return pick, failed
        at_out = offsets[pattern]
        for position in range(links.shape[0]):
            total = 0.0
            for member in range(size):
                total += games[links[position, member]]
            total /= share
            if integers:
                total = (total * scale + _ROUND) - _ROUND
            out[at_out + position] = total
    return len(picked), 0
