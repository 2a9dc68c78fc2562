"""Compiled kernels of the sweep over rank patterns and prize sets.

Everything compiled lives in this one module, because numba's cache on disk looks only at the file
of the kernel that is called. The parts, in order: eight lanes as one value, the words of rank
patterns, one guess of a support for eight stage games, a simplex for the games no guess fits, and
the kernels that walk a tier.

**Eight games at once.** A `lanes` value is eight float64 numbers, one for each of eight stage games
of the same shape; the arithmetic below is written once and works on all of them.

**The same bits everywhere.** Stored values must come out of a later solve byte for byte, on any
processor. So only additions, multiplications, divisions and comparisons are used, each rounded as
IEEE 754 says, in the order of the source: the compiler may not fuse, reorder or approximate any of
them. Where a product and the sum it goes into are to be rounded once instead of twice, which saves
a tenth of the time, the source says so: `plus_product` and `less_product`. A processor without such
an instruction computes the same number, much more slowly.

**Work array.** A kernel keeps everything it touches often in one float64 array ``w``, in units of
eight lanes: the payoff matrix (n × n), the augmented matrix of the elimination (n × n), the row
strategy (n), the column strategy (n), the values of the games (1), the widest gap met (1), the
matrix of the values of children (n × n); see `work_size`.
"""

from __future__ import annotations

import operator
from typing import Any

import numba
import numpy as np
from numba import config, types
from numba.core import cgutils
from numba.core.typing.templates import ConcreteTemplate, infer_global
from numba.extending import (
    intrinsic,
    lower_builtin,
    models,
    register_jitable,
    register_model,
)

from gops_lab.compiling import compiled, copied, inlined

LANES = 8
"""Stage games solved side by side."""

MOST_BIDS = 16
"""Largest hand of a stage game."""

SUPPORT_SIZE = 1 + 2 * MOST_BIDS
"""Numbers that hold one pair of supports: how many bids, where the rows of A's bids begin in the
payoff matrix of the work array, and where in a row the columns of B's bids are."""

MOST_SUPPORTS = 24
"""Supports remembered for one pattern and one stake; the one longest unused is dropped."""

# What `solve_patterns` counts, positions in its `counters`.
COUNTERS = ("worst gap", "simplex games", "batches", "guesses", "escalated")
WORST_GAP, SIMPLEX_GAMES, BATCHES, GUESSES, ESCALATED = range(len(COUNTERS))

# Adding and subtracting it rounds a float64 to an integer, halves to even, for numbers below 2**51.
_ROUND = 1.5 * 2.0**52

# Weights below this are taken for a wrong guess without looking at the certificate.
_LEAST_WEIGHT = -1e-9

# How many blocks ahead values of children are fetched: they lie in as many places as there are
# pairs of bids, more than a processor follows by itself.
_AHEAD = 6

# Of ways as bits 8 x + y: those with x = 7 and with y = 7.
_MOST_A = -(1 << 56)
_MOST_B = 0x8080808080808080 - (1 << 64)

# What the simplex, on a matrix scaled to [1, 2], takes for zero.
_SIMPLEX_ZERO = 1e-11


# Eight lanes as one value. Without the compiler a value of eight lanes is a numpy array.

if config.DISABLE_JIT:

    def bare(array: Any, at: Any) -> Any:
        """Return a flat array from position `at` on, without counting references to it.

        Counting costs an atomic instruction at every call, and two threads wait for each other's.
        The caller keeps the array alive.
        """
        return array[at:]

    def load(array: Any, at: Any) -> Any:
        """Return eight neighbours of a flat array, from position `at`."""
        return array[at : at + LANES].astype(np.float64)

    def store(array: Any, at: Any, lanes: Any) -> None:
        """Write eight neighbours of a flat float64 array."""
        array[at : at + LANES] = lanes

    def prefetch(array: Any, at: Any) -> None:
        """Have a position of an array fetched from memory."""

    def gather(array: Any, base: Any, *offsets: Any) -> Any:
        """Return eight numbers of a flat array: those at `base` plus each of eight offsets."""
        return array[base + np.array(offsets)].astype(np.float64)

    def gather_at(array: Any, base: Any, offsets: Any) -> Any:
        """Return eight numbers of a flat array: those at `base` plus each of the first offsets."""
        return array[base + offsets[:LANES]].astype(np.float64)

    def splat(number: Any) -> Any:
        """Return `number` in every lane."""
        return np.full(LANES, number, np.float64)

    def plus_product(a: Any, b: Any, c: Any) -> Any:
        """Return a + b c; rounded twice, where the compiled kernels round once."""
        return a + b * c

    def less_product(a: Any, b: Any, c: Any) -> Any:
        """Return a - b c; rounded twice, where the compiled kernels round once."""
        return a - b * c

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

    @register_model(_Lanes)
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

    def _fused(builder: Any, total: Any, first: Any, second: Any) -> Any:
        kind = ir.FunctionType(_VECTOR, [_VECTOR] * 3)
        name = f"llvm.fma.v{LANES}f64"
        function = cgutils.get_or_insert_function(builder.module, kind, name)
        return builder.call(function, [first, second, total])

    @intrinsic  # type: ignore[untyped-decorator]
    def plus_product(typing: Any, a: Any, b: Any, c: Any) -> Any:
        """Return a + b c, rounded once."""

        def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            return _fused(builder, *arguments)

        return _lanes(_lanes, _lanes, _lanes), generate

    @intrinsic  # type: ignore[untyped-decorator]
    def less_product(typing: Any, a: Any, b: Any, c: Any) -> Any:
        """Return a - b c, rounded once."""

        def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            total, first, second = arguments
            return _fused(builder, total, builder.fneg(first), second)

        return _lanes(_lanes, _lanes, _lanes), generate

    @intrinsic  # type: ignore[untyped-decorator]
    def bare(typing: Any, array: Any, at: Any) -> Any:
        """Return a flat array from position `at` on, without counting references to it.

        Counting costs an atomic instruction at every call, and two threads wait for each other's.
        The caller keeps the array alive.
        """

        def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            data = context.make_array(array)(context, builder, arguments[0]).data
            return builder.gep(data, [arguments[1]])

        return types.CPointer(array.dtype)(array, types.int64), generate

    def _place(context: Any, builder: Any, kind: Any, array: Any, at: Any) -> Any:
        if isinstance(kind, types.Array):
            array = context.make_array(kind)(context, builder, array).data
        return builder.gep(array, [at])

    def _pointer(context: Any, builder: Any, kind: Any, array: Any, at: Any) -> Any:
        vector = ir.VectorType(context.get_data_type(kind.dtype), LANES)
        return builder.bitcast(_place(context, builder, kind, array, at), vector.as_pointer())

    @intrinsic  # type: ignore[untyped-decorator]
    def prefetch(typing: Any, array: Any, at: Any) -> Any:
        """Have a position of an array fetched from memory; nothing happens if it is no position."""

        def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            byte = ir.IntType(8).as_pointer()
            place = builder.bitcast(_place(context, builder, array, *arguments), byte)
            number = ir.IntType(32)
            kind = ir.FunctionType(ir.VoidType(), [byte, number, number, number])
            name = "llvm.prefetch.p0"
            fetch = cgutils.get_or_insert_function(builder.module, kind, name)
            builder.call(fetch, [place, number(0), number(3), number(1)])
            return context.get_dummy_value()

        return types.void(array, types.int64), generate

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

    def _gathered(
        context: Any, builder: Any, kind: Any, array: Any, base: Any, offsets: Any
    ) -> Any:
        data = _place(context, builder, kind, array, base)
        lanes = ir.Constant(ir.VectorType(context.get_data_type(kind.dtype), LANES), ir.Undefined)
        for lane, offset in enumerate(offsets):
            entry = builder.load(builder.gep(data, [offset]))
            lanes = builder.insert_element(lanes, entry, ir.Constant(ir.IntType(32), lane))
        return _widened(builder, kind.dtype, lanes)

    @intrinsic  # type: ignore[untyped-decorator]
    def gather(
        typing: Any, array: Any, base: Any, p0: Any, p1: Any, p2: Any, p3: Any, p4: Any,
        p5: Any, p6: Any, p7: Any,
    ) -> Any:  # fmt: skip
        """Return eight numbers of a flat array: those at `base` plus each of eight offsets."""

        def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            data, base, *offsets = arguments
            return _gathered(context, builder, array, data, base, offsets)

        return _lanes(array, *[types.int64] * (LANES + 1)), generate

    @intrinsic  # type: ignore[untyped-decorator]
    def gather_at(typing: Any, array: Any, base: Any, offsets: Any) -> Any:
        """Return eight numbers of a flat array: those at `base` plus each of the first offsets."""

        def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            data, base, first = arguments
            lanes = [ir.Constant(ir.IntType(64), lane) for lane in range(LANES)]
            offsets = [builder.load(builder.gep(first, [lane])) for lane in lanes]
            return _gathered(context, builder, array, data, base, offsets)

        return _lanes(array, types.int64, offsets), generate

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
def drop_bids(word: Any, length: int, place_a: Any, place_b: Any) -> int:
    """Leave out bids that a lower one dominates; return how many are left, as many of each player.

    Two cards of a player with no card of the opponent at or between them win, tie and lose against
    the same bids. The lower one leaves the better hand, and is at least as good where no prize is
    below 0 and no lead worse than a lower one: see the theory page. Of the player with fewer bids
    left, some of the others stay in.

    Parameters
    ----------
    word : pointer to int64
    length : int
    place_a, place_b : pointers to int64
        See `spell`; rewritten.
    """
    left_a = 0
    left_b = 0
    before = 0
    for place in range(length):
        left_a += word[place] == 3 or (word[place] == 1 and before != 1)
        left_b += word[place] == 3 or (word[place] == 2 and before != 2)
        before = word[place]
    left = max(left_a, left_b)
    spare_a = left - left_a
    spare_b = left - left_b
    left_a = 0
    left_b = 0
    before = 0
    for place in range(length):
        again = word[place] == before and before != 3
        if word[place] != 2 and (not again or spare_a > 0):
            place_a[left_a] = place
            left_a += 1
            spare_a -= again
        if word[place] != 1 and (not again or spare_b > 0):
            place_b[left_b] = place
            left_b += 1
            spare_b -= again
        before = word[place]
    return left


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
def reach(
    codes: Any, classes: Any, ways: Any, played: int, swap: bool, carry: bool, low_bid: bool,
    keys: Any, most: Any, ways_there: Any, notes: Any,
) -> int:
    """Collect the patterns one round below some patterns, in a hash table.

    A *way* to a pattern is how many prizes each player has won: row x of a pattern's ways has bit y
    set if A can have won x prizes and B y of them on the way there. In all `played` prizes are
    gone; those that nobody won are on the table (carry), or were discarded.

    Parameters
    ----------
    codes : array of int64, shape (k,)
        Patterns; canonical ones if `swap`.
    classes : array of int64, shape (k,)
        For each, the most prizes that can be carried there.
    ways : array of int64, shape (k, MOST_BIDS)
        For each, its ways.
    played : int
        Rounds played so far.
    swap : bool
        Whether of two mirrored patterns the canonical one is collected.
    carry : bool
        Whether a tie carries the stake over.
    low_bid : bool
        Whether there are stakes that the lower bid takes.
    keys : array of int64, shape (c,)
        The table, c a power of two; -1 where empty. Filled.
    most : array of int64, shape (c,)
        The class of each key. Filled.
    ways_there : array of int64, shape (c, MOST_BIDS)
        The ways of each key. Filled.
    notes : array of int64, shape (4 * MOST_BIDS,)
        Scratch.

    Returns
    -------
    int
        How many patterns the table holds, or -1 if it became more than half full.
    """
    word = bare(notes, 0)
    place_a = bare(notes, 2 * MOST_BIDS)
    place_b = bare(notes, 3 * MOST_BIDS)
    capacity = len(keys)
    held = 0
    for row in range(len(codes)):
        length = spell(codes[row], word, place_a, place_b)
        n = 0
        for place in range(length):
            n += word[place] != 2
        for i in range(n):
            at_a = place_a[i]
            # Neighbours of one player's own cards leave the same word whichever is bid, but not
            # the same winner: that is seen to below.
            for j in range(n):
                at_b = place_b[j]
                code, mirror = child_codes(word, length, at_a, at_b)
                swapped = swap and mirror < code
                code = mirror if swapped else code
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
                for x in range(played + 1):
                    if ways[row, x] == 0:
                        continue
                    for y in range(played + 1 - x):
                        if not (ways[row, x] >> y) & 1:
                            continue
                        taken = played - x - y + 1 if carry else 1
                        for winner in range(2):
                            after_x = x
                            after_y = y
                            if at_a != at_b:
                                a_wins = (at_a > at_b) == (winner == 0)
                                if winner == 1 and not low_bid:
                                    continue
                                after_x += taken if a_wins else 0
                                after_y += 0 if a_wins else taken
                            if swapped:
                                after_x, after_y = after_y, after_x
                            ways_there[slot, after_x] |= 1 << after_y
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


@register_jitable  # type: ignore[untyped-decorator]
def work_size(n: int) -> int:
    """Return the length of the work array for stage games of n bids each."""
    return LANES * (3 * n * n + 2 * n + 2)


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
    w : pointer to float64
        The work array. Reads the payoff matrix, writes values and the widest gap of accepted lanes.
    n : int
        Bids of each player.
    supports : pointer to int64
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
    rest_x = one
    rest_y = one
    if m > 0:
        top = supports[rows]
        left = supports[columns]
        corner = load(w, top + left)
        stride = LANES * (m + 1)
        last = system + m * stride
        for k in range(m):
            # Row k of the upper factor and of the right-hand side, then column k of the lower one.
            row = supports[rows + 1 + k]
            here = system + k * stride
            first = corner - load(w, row + left)
            for b in range(k, m + 1):
                entry = first
                if b < m:
                    column = supports[columns + 1 + b]
                    entry = first + (load(w, row + column) - load(w, top + column))
                above = system + LANES * b
                for c in range(k):
                    other = load(w, above + c * stride)
                    entry = less_product(entry, load(w, here + LANES * c), other)
                store(w, here + LANES * b, entry)
            inverse = one / load(w, here + LANES * k)
            store(w, here + LANES * k, inverse)
            column = supports[columns + 1 + k]
            first = corner - load(w, top + column)
            above = system + LANES * k
            for a in range(k + 1, m + 1):
                here = system + a * stride
                entry = first
                if a < m:
                    row = supports[rows + 1 + a]
                    entry = first + (load(w, row + column) - load(w, row + left))
                for c in range(k):
                    other = load(w, above + c * stride)
                    entry = less_product(entry, load(w, here + LANES * c), other)
                store(w, here + LANES * k, entry * inverse)
        least = one
        for k in range(m - 1, -1, -1):
            row = system + k * stride
            y = load(w, row + LANES * m)
            x = load(w, last + LANES * k)
            for b in range(k + 1, m):
                y = less_product(y, load(w, row + LANES * b), load(w, ys + LANES * (b + 1)))
                factor = load(w, system + b * stride + LANES * k)
                x = less_product(x, factor, load(w, xs + LANES * (b + 1)))
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
    low = zero
    high = zero
    weights = xs
    bids = rows
    step = LANES
    for side in range(2):
        # First x against every column, then y against every row.
        low = high
        smallest = splat(np.inf)
        largest = splat(-np.inf)
        j = 0
        while j + 3 < n:
            place = supports[bids] + step * j
            weight = load(w, weights)
            sum_0 = weight * load(w, place)
            sum_1 = weight * load(w, place + step)
            sum_2 = weight * load(w, place + 2 * step)
            sum_3 = weight * load(w, place + 3 * step)
            for a in range(1, m + 1):
                place = supports[bids + a] + step * j
                weight = load(w, weights + LANES * a)
                sum_0 = plus_product(sum_0, weight, load(w, place))
                sum_1 = plus_product(sum_1, weight, load(w, place + step))
                sum_2 = plus_product(sum_2, weight, load(w, place + 2 * step))
                sum_3 = plus_product(sum_3, weight, load(w, place + 3 * step))
            smallest = smaller(smallest, smaller(smaller(sum_0, sum_1), smaller(sum_2, sum_3)))
            largest = larger(largest, larger(larger(sum_0, sum_1), larger(sum_2, sum_3)))
            j += 4
        while j < n:
            sum_0 = load(w, weights) * load(w, supports[bids] + step * j)
            for a in range(1, m + 1):
                place = supports[bids + a] + step * j
                sum_0 = plus_product(sum_0, load(w, weights + LANES * a), load(w, place))
            smallest = smaller(smallest, sum_0)
            largest = larger(largest, sum_0)
            j += 1
        high = smallest if side == 0 else largest
        weights = ys
        bids = columns
        step = LANES * n
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
    w : pointer to float64
        The work array; reads the payoff matrix.
    n, lane : int
    tableau : pointer to float64, shape (n + 1, n + 1)
        Filled; the last row ends as minus the rows' weights and the last column as the columns',
        both before they are normalised.
    basis : pointer to int64, shape (2, n)
        Filled: the variable of each tableau row, and of each column; y_j is j, the slack of row i
        is n + i.
    bland : bool
        Choose pivots by the smallest variable, which cannot cycle, instead of the steepest.
    """
    low = w[lane]
    high = low
    for entry in range(n * n):
        payoff = w[lane + LANES * entry]
        low = payoff if payoff < low else low
        high = payoff if payoff > high else high
    scale = 1.0 / (high - low) if high > low else 1.0
    last = n * (n + 1)
    for i in range(n):
        for j in range(n):
            tableau[i * (n + 1) + j] = 1.0 + (w[lane + LANES * (n * i + j)] - low) * scale
        tableau[i * (n + 1) + n] = 1.0
        tableau[n * (n + 1) + i] = 1.0
        basis[i] = n + i
        basis[n + i] = i
    tableau[n * (n + 1) + n] = 0.0
    for _ in range(50 * n + 50):
        enter = -1
        steepest = 0.0
        for j in range(n):
            if tableau[last + j] > _SIMPLEX_ZERO and (
                enter < 0
                or (basis[n + j] < basis[n + enter] if bland else tableau[last + j] > steepest)
            ):
                steepest = tableau[last + j]
                enter = j
        if enter < 0:
            return True
        leave = -1
        best = 0.0
        for i in range(n):
            entry = tableau[i * (n + 1) + enter]
            if entry > _SIMPLEX_ZERO:
                ratio = tableau[i * (n + 1) + n] / entry
                ratio = ratio if ratio > 0.0 else 0.0
                if leave < 0 or ratio < best - 1e-13:
                    leave = i
                    best = ratio
                elif ratio <= best + 1e-13 and (
                    basis[i] < basis[leave] if bland else entry > tableau[leave * (n + 1) + enter]
                ):
                    leave = i
                    best = ratio if ratio < best else best
        if leave < 0:
            return False
        inverse = 1.0 / tableau[leave * (n + 1) + enter]
        for j in range(n + 1):
            tableau[leave * (n + 1) + j] *= inverse
        tableau[leave * (n + 1) + enter] = inverse
        for i in range(n + 1):
            if i != leave:
                factor = tableau[i * (n + 1) + enter]
                if factor != 0.0:
                    for j in range(n + 1):
                        tableau[i * (n + 1) + j] -= factor * tableau[leave * (n + 1) + j]
                tableau[i * (n + 1) + enter] = -factor * inverse
        basis[leave], basis[n + enter] = basis[n + enter], basis[leave]
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
        if basis[i] < n:
            supports[columns + size] = LANES * basis[i]
            if tableau[i * (n + 1) + n] > best:
                best = tableau[i * (n + 1) + n]
                supports[columns], supports[columns + size] = (
                    supports[columns + size], supports[columns],
                )
            size += 1
    size = 0
    best = -1.0
    for j in range(n):
        if basis[n + j] >= n:
            supports[rows + size] = LANES * n * (basis[n + j] - n)
            if -tableau[n * (n + 1) + j] > best:
                best = -tableau[n * (n + 1) + j]
                supports[rows], supports[rows + size] = supports[rows + size], supports[rows]
            size += 1
    supports[at] = size
    m = size - 1
    top = lane + supports[rows]
    left = supports[columns]
    for a in range(m):
        row = lane + supports[rows + 1 + a]
        for b in range(m):
            column = supports[columns + 1 + b]
            d[a * m + b] = (w[row + column] - w[row + left]) - (w[top + column] - w[top + left])
    for k in range(m):
        pivot_row = k
        pivot_column = k
        for a in range(k, m):
            for b in range(k, m):
                if abs(d[a * m + b]) > abs(d[pivot_row * m + pivot_column]):
                    pivot_row = a
                    pivot_column = b
        if d[pivot_row * m + pivot_column] == 0.0:
            return
        for b in range(m):
            d[k * m + b], d[pivot_row * m + b] = d[pivot_row * m + b], d[k * m + b]
        for a in range(m):
            d[a * m + k], d[a * m + pivot_column] = d[a * m + pivot_column], d[a * m + k]
        k_row = rows + 1 + k
        k_column = columns + 1 + k
        row = rows + 1 + pivot_row
        column = columns + 1 + pivot_column
        supports[k_row], supports[row] = supports[row], supports[k_row]
        supports[k_column], supports[column] = supports[column], supports[k_column]
        for a in range(k + 1, m):
            factor = d[a * m + k] / d[k * m + k]
            for b in range(k + 1, m):
                d[a * m + b] -= factor * d[k * m + b]


@compiled
def certify(w: Any, n: int, lane: int, tableau: Any, basis: Any) -> Any:
    """Return what the strategies of a finished tableau guarantee: rows, columns.

    Weights below 0 become 0 and the rest is normalised, so that both are strategies.
    """
    last = n * (n + 1)
    total_x = 0.0
    total_y = 0.0
    for k in range(n):
        # A weight below 0 is rounding; as 0 it still makes a strategy.
        if tableau[k * (n + 1) + n] < 0.0:
            tableau[k * (n + 1) + n] = 0.0
        if tableau[last + k] > 0.0:
            tableau[last + k] = 0.0
        if basis[k] < n:
            total_y += tableau[k * (n + 1) + n]
        if basis[n + k] >= n:
            total_x -= tableau[last + k]
    low = np.inf
    high = -np.inf
    for k in range(n):
        row_sum = 0.0
        column_sum = 0.0
        for other in range(n):
            if basis[other] < n:
                entry = w[lane + LANES * (n * k + basis[other])]
                row_sum += tableau[other * (n + 1) + n] / total_y * entry
            if basis[n + other] >= n:
                entry = w[lane + LANES * (n * (basis[n + other] - n) + k)]
                column_sum -= tableau[last + other] / total_x * entry
        low = column_sum if column_sum < low else low
        high = row_sum if row_sum > high else high
    return low, high


@inlined
def number_of(lanes: int) -> int:
    """Return how many lanes are set, as bits, in `lanes`."""
    pairs = (lanes & 0x55) + ((lanes >> 1) & 0x55)
    fours = (pairs & 0x33) + ((pairs >> 2) & 0x33)
    return (fours & 0x0F) + (fours >> 4)


@compiled
def remember(supports: Any, order: Any, held: Any, which: int, at: int) -> None:
    """Put the pair of supports that stands at a place of `supports` in front of a list."""
    first = MOST_SUPPORTS * which
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
        supports[SUPPORT_SIZE * record + entry] = supports[at + entry]


@copied
def solve_batch(
    w: Any, n: int, pending: int, tolerance: float,
    supports: Any, order: Any, held: Any, lists: int, which: int, spare: int,
    tableau: Any, basis: Any, counters: Any,
) -> int:
    """Solve eight stage games: by remembered supports, then by the simplex method.

    Parameters
    ----------
    w : pointer to float64
        The work array. Reads the payoff matrix, writes values and widest gap.
    n : int
    pending : int
        Lanes that hold a game, as bits.
    tolerance : float
    supports : pointer to int64
        Records, `MOST_SUPPORTS` for each list, and one for the pair being tried.
    order : pointer to int64, shape (MOST_SUPPORTS * lists,)
        Records of each list that are in use, what helped the most games last time first.
    held : pointer to int64, shape (lists,)
        How many each list has in use.
    lists : int
        How many lists there are; neighbours know of similar games. 0: do not ask them.
    which : int
        The list.
    spare : int
        Where in `supports` the record for the pair being tried begins.
    tableau, basis : pointers
        Scratch.
    counters : pointer to float64

    Returns
    -------
    int
        Lanes not solved, as bits.
    """
    counters[BATCHES] += 1
    first = MOST_SUPPORTS * which
    turn = 0
    most = 0
    while pending != 0 and turn < held[which]:
        counters[GUESSES] += 1
        record = order[first + turn]
        solved = guess(w, n, supports, SUPPORT_SIZE * record, pending, tolerance)
        if solved != 0:
            pending &= ~solved
            # The record that helped the most games comes first, the others right behind it.
            games = number_of(solved)
            head = first if games > most else first + 1
            most = max(most, games)
            for place in range(first + turn, head, -1):
                order[place] = order[place - 1]
            order[head] = record
        turn += 1
    # What is best for a neighbouring list is cheaper to try than a simplex.
    for other in range(which - 1, which + 2, 2):
        if pending == 0 or other < 0 or other >= lists or held[other] == 0:
            continue
        counters[GUESSES] += 1
        best = SUPPORT_SIZE * order[MOST_SUPPORTS * other]
        solved = guess(w, n, supports, best, pending, tolerance)
        if solved != 0:
            pending &= ~solved
            remember(supports, order, held, which, best)
    failed = 0
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
                remember(supports, order, held, which, spare)
            if not (pending >> lane) & 1:
                done = True
                break
            # The tableau was used as scratch above.
            simplex(w, n, lane, tableau, basis, attempt == 1)
            low, high = certify(w, n, lane, tableau, basis)
            if high - low <= tolerance:
                w[values + lane] = 0.5 * (low + high)
                if high - low > w[values + LANES + lane]:
                    w[values + LANES + lane] = high - low
                done = True
                break
        if not done:
            failed |= 1 << lane
        pending &= ~(1 << lane)
    return failed


@inlined
def write_payoffs(w: Any, n: int, lane: int, payoffs: Any) -> None:
    """Write the payoff matrix of a lane; rows and columns beyond it repeat the last."""
    for i in range(len(payoffs)):
        for j in range(len(payoffs)):
            payoffs[i, j] = w[lane + LANES * (n * min(i, n - 1) + min(j, n - 1))]


# A tier.


def scratch(n: int, lists: int, batches: int) -> tuple[Any, Any]:
    """Return the two arrays `solve_patterns` works in."""
    numbers = LANES * (3 * n * n + 2 * n + 2) + 2 * n * n + (n + 1) ** 2 + LANES * batches + 1
    records = (MOST_SUPPORTS + 1) * lists + SUPPORT_SIZE * (MOST_SUPPORTS * lists + 1)
    integers = 7 * MOST_BIDS + 3 * n * n + records
    return np.zeros(numbers, np.float64), np.zeros(integers, np.int64)


@compiled
def solve_patterns(
    work: Any, notes: Any, most_lists: int,
    codes: Any, picked: Any, cards: int, drop: bool,
    child_codes_held: Any, child_offsets: Any, child_classes: Any, child_values: Any,
    carry: bool, block_starts: Any, places: Any, tie_places: Any, batch_blocks: Any,
    aligned: Any, swings: Any, lists: Any, lanes_used: Any, links: Any,
    offsets: Any, out: Any, step: float, tolerance: float,
    known_games: Any, known_values: Any, known_gaps: Any,
    failed_games: Any, failed_payoffs: Any, counters: Any,
) -> Any:
    """Solve all stage games of some patterns of a tier and keep the means over the upcards.

    Parameters
    ----------
    work, notes : array of float64, array of int64
        From `scratch`.
    most_lists : int
        How many lists of supports are kept.
    codes : array of int64
        The tier's canonical patterns.
    picked : array of int64
        Which of them to solve, all of one class (see `layout`).
    cards : int
        In each hand.
    drop : bool
        Whether to leave out bids that a lower one dominates.
    child_codes_held, child_offsets, child_classes, child_values
        The tier below: its sorted codes, where each one's values begin, each one's class, values.
    carry : bool
        Whether the stake stays on the table on a tie.
    block_starts : array of int64, shape (classes, blocks + 1)
        Where each block of eight prize sets begins among the values of a child of each class.
    places, tie_places : array of int32, shape (classes * 8 * batches,)
        For each class of child, where among its values those of each game's hidden prizes are,
        with nothing carried and with the stake carried.
    batch_blocks : array of int64, shape (batches,)
        The block of the first game of each batch, ascending.
    aligned : array of bool, shape (batches,)
        Whether the games of a batch are those of the block, lane by lane.
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
    bids = cards * cards
    w = bare(work, 0)
    blocks = block_starts.shape[1] - 1
    most_kinds = block_starts.shape[0]
    signs = bare(work, work_size(cards))
    comparisons = bare(work, work_size(cards) + bids)
    tableau = bare(work, work_size(cards) + 2 * bids)
    games = bare(work, work_size(cards) + 2 * bids + (cards + 1) * (cards + 1))
    games[LANES * batches] = 0.0
    word = bare(notes, 0)
    place_a = bare(notes, 2 * MOST_BIDS)
    place_b = bare(notes, 3 * MOST_BIDS)
    basis = bare(notes, 4 * MOST_BIDS)
    tied = bare(notes, 6 * MOST_BIDS)
    children = bare(notes, 7 * MOST_BIDS)
    kinds = bare(notes, 7 * MOST_BIDS + bids)
    listed = bare(notes, 7 * MOST_BIDS + 2 * bids)
    held = bare(notes, 7 * MOST_BIDS + 3 * bids)
    order = bare(notes, 7 * MOST_BIDS + 3 * bids + most_lists)
    supports = bare(notes, 7 * MOST_BIDS + 3 * bids + (MOST_SUPPORTS + 1) * most_lists)
    spare = SUPPORT_SIZE * MOST_SUPPORTS * most_lists
    counts = bare(counters, 0)
    integers = step != 1.0
    scale = 1.0 / step
    share = float(size)
    for pick in range(len(picked)):
        pattern = picked[pick]
        length = spell(codes[pattern], word, place_a, place_b)
        n = drop_bids(word, length, place_a, place_b) if drop else cards
        bids = n * n
        values = LANES * (2 * bids + 2 * n)
        free = values + 2 * LANES
        store(w, values + LANES, splat(0.0))
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
                if code != mirror and len(child_codes_held) > 0:
                    code = code if code < mirror else mirror
                    child = 0
                    high = len(child_codes_held) - 1
                    while child < high:
                        middle = (child + high) // 2
                        if child_codes_held[middle] < code:
                            child = middle + 1
                        else:
                            high = middle
                    children[entry] = child_offsets[child]
                    kinds[entry] = child_classes[child]
                    if carry and place_a[i] == place_b[j]:
                        tied[ties] = entry
                        ties += 1
        for number in range(most_lists):
            held[number] = 0
        failed = 0
        helped = 0
        # Entries by the class of the child, so that its places are read once for all of them.
        count = 0
        for kind in range(-1, most_kinds):
            for entry in range(bids):
                if (kinds[entry] if children[entry] >= 0 else -1) == kind:
                    listed[count] = entry
                    count += 1
        block = -1
        for batch in range(batches):
            at_game = LANES * batch
            if block != batch_blocks[batch]:
                block = batch_blocks[batch]
                for entry in range(bids):
                    child = splat(0.0)
                    if children[entry] >= 0:
                        at = children[entry] + block_starts[kinds[entry], block]
                        child = load(child_values, at) * splat(signs[entry])
                        if block + _AHEAD < blocks:
                            at = children[entry] + block_starts[kinds[entry], block + _AHEAD]
                            prefetch(child_values, at)
                    store(w, free + LANES * entry, child)
            swing = splat(swings[batch])
            if aligned[batch]:
                for entry in range(bids):
                    payoff = load(w, free + LANES * entry) + splat(comparisons[entry]) * swing
                    store(w, LANES * entry, payoff)
            else:
                count = 0
                while count < bids and children[listed[count]] < 0:
                    entry = listed[count]
                    store(w, LANES * entry, splat(comparisons[entry]) * swing)
                    count += 1
                while count < bids:
                    kind = kinds[listed[count]]
                    at = kind * LANES * batches + at_game
                    p0 = np.int64(places[at])
                    p1 = np.int64(places[at + 1])
                    p2 = np.int64(places[at + 2])
                    p3 = np.int64(places[at + 3])
                    p4 = np.int64(places[at + 4])
                    p5 = np.int64(places[at + 5])
                    p6 = np.int64(places[at + 6])
                    p7 = np.int64(places[at + 7])
                    while count < bids and kinds[listed[count]] == kind:
                        entry = listed[count]
                        at = children[entry]
                        child = gather(child_values, at, p0, p1, p2, p3, p4, p5, p6, p7)
                        payoff = splat(comparisons[entry]) * swing
                        payoff = child * splat(signs[entry]) + payoff
                        store(w, LANES * entry, payoff)
                        count += 1
            for tie in range(ties):
                entry = tied[tie]
                at = children[entry]
                first = kinds[entry] * LANES * batches + at_game
                child = gather(
                    child_values, at,
                    np.int64(tie_places[first]), np.int64(tie_places[first + 1]),
                    np.int64(tie_places[first + 2]), np.int64(tie_places[first + 3]),
                    np.int64(tie_places[first + 4]), np.int64(tie_places[first + 5]),
                    np.int64(tie_places[first + 6]), np.int64(tie_places[first + 7]),
                )  # fmt: skip
                store(w, LANES * entry, child * splat(signs[entry]))
            lost = solve_batch(
                w, n, lanes_used[batch], tolerance, supports, order, held, most_lists,
                lists[batch], spare, tableau, basis, counts,
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
                    if known_gaps[found] > counters[WORST_GAP]:
                        counters[WORST_GAP] = known_gaps[found]
                    helped += 1
                elif failed < len(failed_games):
                    failed_games[failed] = at_game + lane
                    write_payoffs(w, n, lane, failed_payoffs[failed])
                    failed += 1
            store(games, at_game, load(w, values))
        for lane in range(LANES):
            if w[values + LANES + lane] > counters[WORST_GAP]:
                counters[WORST_GAP] = w[values + LANES + lane]
        if failed > 0:
            return pick, failed
        counters[ESCALATED] += helped
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


# A tier whose values depend on the lead.


def row_scratch(
    n: int, lists: int, game_positions: int, widest: int, most_games: int
) -> tuple[Any, Any]:
    """Return the two arrays `solve_rows` works in.

    Parameters
    ----------
    n, lists : int
        Bids of each player, lists of supports.
    game_positions : int
        Length of all rows of stage games.
    widest : int
        Most leads there can be after a round that was not tied.
    most_games : int
        Most stage games with the same hidden prizes.
    """
    numbers = work_size(n) + (n + 1) ** 2 + n * n + 2 * LANES
    numbers += n * n * (widest + LANES) + game_positions
    records = (MOST_SUPPORTS + 1) * lists + SUPPORT_SIZE * (MOST_SUPPORTS * lists + 1)
    integers = 7 * MOST_BIDS + 4 * n * n + 5 * LANES + 2 * most_games + records
    return np.zeros(numbers, np.float64), np.zeros(integers, np.int64)


@inlined
def find_children(
    code: int, n: int, drop: bool, swap: bool, word: Any, place_a: Any, place_b: Any,
    child_codes_held: Any, child_offsets: Any, child_classes: Any, child_places_at: Any,
    comparisons: Any, signs: Any, children: Any, kinds: Any, places_at: Any,
) -> int:
    """Write what each pair of bids leads to: who bids higher, where the child's values begin.

    Returns how many bids each player has to consider.

    Parameters
    ----------
    code : int
        The pattern.
    n : int
    drop : bool
        Whether to leave out dominated bids.
    swap : bool
        Whether a child's values may be those of its mirror, negated.
    word, place_a, place_b : pointers
        Filled: see `spell`.
    child_codes_held, child_offsets, child_classes, child_places_at : arrays
        The tier below.
    comparisons : pointer to int64, shape (n * n,)
        Filled with 1 where A bids higher, -1 where B does, 0 on a tie.
    signs : pointer to float64, shape (n * n,)
        Filled with -1 where the values kept are the mirror's, else 1.
    children, kinds, places_at : pointers to int64, shape (n * n,)
        Filled with where each child's values begin, -1 where it has none, its class, and where its
        list of places begins.
    """
    length = spell(code, word, place_a, place_b)
    if drop:
        n = drop_bids(word, length, place_a, place_b)
    for i in range(n):
        for j in range(n):
            entry = n * i + j
            child_code, mirror = child_codes(word, length, place_a[i], place_b[j])
            comparisons[entry] = int(place_a[i] > place_b[j]) - int(place_a[i] < place_b[j])
            signs[entry] = 1.0
            if swap and mirror < child_code:
                signs[entry] = -1.0
                child_code = mirror
            low = 0
            high = len(child_codes_held) - 1
            while low < high:
                middle = (low + high) // 2
                if child_codes_held[middle] < child_code:
                    low = middle + 1
                else:
                    high = middle
            children[entry] = -1
            kinds[entry] = 0
            places_at[entry] = 0
            if high >= 0 and child_codes_held[low] == child_code:
                children[entry] = child_offsets[low]
                kinds[entry] = child_classes[low]
                places_at[entry] = child_places_at[low]
    return n


@inlined
def spread_values(
    spread: Any, stride: int, bids: int, first: int, width: int, step: int, hidden: int,
    carry: bool, lead_counts: bool, over: bool, utility: Any, utility_low: int,
    comparisons: Any, signs: Any, out_step: float, children: Any, kinds: Any, places_at: Any,
    child_places: Any, child_values: Any, free_low: int, free_length: int, free_starts: Any,
) -> None:
    """Write out the values after each pair of bids over `width` leads from `first` up.

    Only ties of a game with carry-over are left out. Beyond the child's row, `free_length` leads
    from `free_low` up, the game is decided; leads of it that cannot come about get any value. The
    other parameters are those of `solve_rows`.
    """
    for entry in range(bids):
        at = stride * entry
        if carry and comparisons[entry] == 0:
            continue
        if over:
            for k in range(width):
                lead = first + step * k
                if lead_counts:
                    # Beyond both ends of the table no game that can be reached ends.
                    place = min(max(lead - utility_low, 0), len(utility) - 1)
                    spread[at + k] = utility[place]
                else:
                    spread[at + k] = float(lead)
            continue
        sign = signs[entry] * out_step
        if not lead_counts:
            value = 0.0
            if children[entry] >= 0:
                start = places_at[entry] + free_starts[kinds[entry], hidden]
                value = child_values[children[entry] + child_places[start]] * sign
            for k in range(width):
                spread[at + k] = value + float(first + step * k)
            continue
        child = children[entry]
        start = places_at[entry] + free_starts[kinds[entry], hidden]
        ahead = (free_low - first) // step
        inside = min(max(ahead, 0), width)
        outside = max(min(ahead + free_length, width), inside)
        for k in range(inside):
            spread[at + k] = utility[0]
        if sign > 0.0:
            start -= ahead
            for k in range(inside, outside):
                spread[at + k] = child_values[child + child_places[start + k]] * sign
        else:
            start += free_length - 1 + ahead
            for k in range(inside, outside):
                spread[at + k] = child_values[child + child_places[start - k]] * sign
        for k in range(outside, width):
            spread[at + k] = utility[len(utility) - 1]


@compiled
def count_ways(
    masks: Any, prizes: Any, set_starts: Any, sums: Any, lows: Any, lengths: Any, starts: Any,
    step: int, carry: bool, first_leads: Any, furthest: int, ways: Any, after: Any, ways_to: Any,
) -> None:
    """Write the ways that lead to each lead of the rows of values.

    Parameters
    ----------
    masks, set_starts, sums, lows, lengths, starts, step
        The rows: see `rows.Rows`.
    prizes : array of int64
    carry : bool
        Whether the prizes that nobody won are on the table; else they are gone.
    first_leads : array of int64
        Leads that the solve starts from.
    furthest : int
        The largest of them, signs aside.
    ways, after : arrays of int64, shape (leads, sums on the table)
        Scratch, with 0 in the middle, for whatever can be won or be on the table.
    ways_to : array of int64, shape (positions,)
        Filled.
    """
    edge = len(ways) // 2
    points = ways.shape[1] // 2
    # ways[lead, on the table]: bit 8 x + y, both at most 7, if A can have won x prizes and B y.
    for position in range(len(masks)):
        ways[:, :] = 0
        for lead in first_leads:
            ways[edge + lead, points] = 1
        spent = 0
        for bit in range(len(prizes)):
            if (masks[position] >> bit) & 1:
                continue
            prize = prizes[bit]
            kept = prize if carry else 0
            after[:, :] = 0
            far = spent if carry else 0
            for lead in range(edge - furthest - spent, edge + furthest + spent + 1):
                for table in range(points - far, points + far + 1):
                    mask = ways[lead, table]
                    if mask != 0:
                        after[lead + prize, table] |= more_won(mask, 8)
                        after[lead - prize, table] |= more_won(mask, 1)
                        after[lead, table + kept] |= mask
            ways, after = after, ways
            spent += abs(prize)
        for row in range(set_starts[position], set_starts[position + 1]):
            table = points + (sums[row] if carry else 0)
            for k in range(lengths[row]):
                ways_to[starts[row] + k] = ways[edge + lows[row] + step * k, table]


@compiled
def merge_ways(
    lengths: Any, starts: Any, links: Any, game_starts: Any, ways_to: Any, game_ways: Any
) -> None:
    """Add the ways to each row of values to the rows of stage games it is the mean of."""
    for row in range(len(lengths)):
        for member in range(links.shape[1]):
            for k in range(lengths[row]):
                game_ways[game_starts[links[row, member]] + k] |= ways_to[starts[row] + k]


@copied
def more_won(mask: int, place: int) -> int:
    """Return ways after one more prize won: by A for place 8, by B for 1; 7 stands for 7 and up."""
    if place == 8:
        return (mask << 8) | (mask & _MOST_A)
    return ((mask & ~_MOST_B) << 1) | (mask & _MOST_B)


@compiled
def solve_rows(
    work: Any, notes: Any, most_lists: int, list_blocks: int,
    codes: Any, ways: int, places: Any, picked: Any, cards: int, drop: bool,
    child_codes_held: Any, child_offsets: Any, child_classes: Any, child_places_at: Any,
    child_places: Any, child_values: Any,
    swap: bool, carry: bool, lead_counts: bool, over: bool,
    utility: Any, utility_low: int,
    set_starts: Any, lows: Any, lengths: Any, starts: Any, ways_to: Any, swings: Any,
    row_lists: Any,
    first_leads: Any, widths: Any, free_lows: Any, free_lengths: Any, free_starts: Any,
    tie_starts: Any, step: int, widest: int,
    value_lengths: Any, value_starts: Any, links: Any,
    offsets: Any, out: Any, out_step: float, tolerance: float,
    known_games: Any, known_values: Any, known_gaps: Any,
    failed_games: Any, failed_payoffs: Any, counters: Any,
) -> Any:
    """Solve all stage games of some patterns of a tier, eight leads at a time; keep the means.

    For each set of hidden prizes the values after every pair of bids that is no tie are written
    out over all leads, beyond the rows of the child as well, where the game is decided. A stage
    game's payoffs are then read from there: the winner's stake is a shift along the leads.

    Parameters
    ----------
    work, notes : array of float64, array of int64
        From `row_scratch`.
    most_lists, list_blocks : int
        How many lists of supports are kept, and how many of them for one stake.
    codes : array of int64
        The tier's patterns.
    ways : int
        Ways that lead to each of those picked, as bits: see `rows.Rows`.
    places : array of int32, shape (positions of values,)
        Where each position of the class stands among the values of those picked; -1 where nothing
        leads to.
    picked : array of int64
        Which patterns to solve, all of one class (see `layout`).
    cards : int
        In each hand.
    drop : bool
        Whether to leave out bids that a lower one dominates.
    child_codes_held, child_offsets, child_classes, child_places_at, child_places, child_values
        The tier below: its sorted codes, where each one's values begin, each one's class, where
        its list of places begins; all lists of places, as above but with 0 for -1; values.
    swap : bool
        Whether mirrored patterns share their values.
    carry : bool
        Whether the stake stays on the table on a tie.
    lead_counts : bool
        False if a lead is simply added to a value, so that rows hold the lead 0 alone.
    over : bool
        Whether the game is over after this round.
    utility : array of float64
        Of every final lead from `utility_low` up.
    utility_low : int
    set_starts, lows, lengths, starts : arrays of int64
        The rows of stage games: see `rows.Rows`.
    ways_to : array of int64, shape (positions,)
        Ways that lead to each lead of those rows. A stage game with none of the pattern's own
        cannot come about, and is not solved.
    swings : array of int64, shape (rows,)
        How much the higher bid gains over the lower.
    row_lists : array of int64, shape (rows,)
        Which stake each row has, as a number of its own.
    first_leads, widths : arrays of int64, shape (sets,)
        The lowest lead after a round that was not tied (carry) or after any, and how many more.
    free_lows, free_lengths : arrays of int64, shape (sets,)
        The children's rows with nothing carried.
    free_starts : array of int64, shape (classes, sets)
        Where they begin among the values of a child of each class.
    tie_starts : array of int64, shape (classes, rows)
        The same for the stake carried over; those rows hold the leads of the stage game.
    step : int
        How far neighbouring leads of a row are apart.
    widest : int
        The largest of `widths`.
    value_lengths, value_starts : arrays of int64
        The rows of values.
    links : array of int32, shape (rows of values, prizes that can come next)
        The rows of stage games that each row of values is the mean of.
    offsets, out, out_step, tolerance, known_games, known_values, known_gaps, failed_games,
    failed_payoffs, counters
        As in `solve_patterns`.

    Returns
    -------
    done, failed : int
        Patterns solved before one with games that failed, or all of them; how many failed.
    """
    bids = cards * cards
    stride = widest + LANES
    most_games = 0
    for hidden in range(len(set_starts) - 1):
        most_games = max(most_games, starts[set_starts[hidden + 1]] - starts[set_starts[hidden]])
    w = bare(work, 0)
    at = work_size(cards)
    tableau = bare(work, at)
    at += (cards + 1) * (cards + 1)
    signs = bare(work, at)
    at += bids
    spread = bare(work, at)
    at += bids * stride
    games = bare(work, at)
    word = bare(notes, 0)
    place_a = bare(notes, 2 * MOST_BIDS)
    place_b = bare(notes, 3 * MOST_BIDS)
    basis = bare(notes, 4 * MOST_BIDS)
    tied = bare(notes, 6 * MOST_BIDS)
    at = 7 * MOST_BIDS
    children = bare(notes, at)
    kinds = bare(notes, at + bids)
    comparisons = bare(notes, at + 2 * bids)
    places_at = bare(notes, at + 3 * bids)
    at += 4 * bids
    won = bare(notes, at)
    lost_to = bare(notes, at + LANES)
    level = bare(notes, at + 2 * LANES)
    active = bare(notes, at + 3 * LANES)
    rows = bare(notes, at + 4 * LANES + most_games)
    at += 5 * LANES + 2 * most_games
    held = bare(notes, at)
    order = bare(notes, at + most_lists)
    supports = bare(notes, at + (MOST_SUPPORTS + 1) * most_lists)
    spare = SUPPORT_SIZE * MOST_SUPPORTS * most_lists
    counts = bare(counters, 0)
    integers = out_step != 1.0
    scale = 1.0 / out_step
    size = links.shape[1]
    share = float(size)
    for pick in range(len(picked)):
        pattern = picked[pick]
        n = find_children(
            codes[pattern], cards, drop, swap, word, place_a, place_b,
            child_codes_held, child_offsets, child_classes, child_places_at,
            comparisons, signs, children, kinds, places_at,
        )
        bids = n * n
        values = LANES * (2 * bids + 2 * n)
        store(w, values + LANES, splat(0.0))
        ties = 0
        for entry in range(bids):
            if carry and comparisons[entry] == 0:
                tied[ties] = entry
                ties += 1
        for number in range(most_lists):
            held[number] = 0
        failed = 0
        helped = 0
        for position in range(starts[len(starts) - 1]):
            games[position] = np.nan
        for hidden in range(len(set_starts) - 1):
            first = first_leads[hidden]
            count = 0
            for row in range(set_starts[hidden], set_starts[hidden + 1]):
                for position in range(starts[row], starts[row] + lengths[row]):
                    active[count] = position
                    rows[count] = row
                    count += (ways_to[position] & ways) != 0
            if count == 0:
                continue
            for lane in range(LANES):
                active[count + lane] = active[count - 1]
                rows[count + lane] = rows[count - 1]
            spread_values(
                spread, stride, bids, first, widths[hidden], step, hidden,
                carry, lead_counts, over, utility, utility_low, comparisons, signs,
                out_step, children, kinds, places_at, child_places, child_values,
                free_lows[hidden], free_lengths[hidden], free_starts,
            )
            for at in range(0, count, LANES):
                used = min(count - at, LANES)
                row = rows[at]
                side_by_side = used == LANES and row == rows[at + LANES - 1]
                side_by_side &= active[at + LANES - 1] - active[at] == LANES - 1
                for lane in range(LANES):
                    row_here = rows[at + lane]
                    place = active[at + lane] - starts[row_here]
                    lead = lows[row_here] + step * place - first
                    won[lane] = (lead + swings[row_here]) // step
                    lost_to[lane] = (lead - swings[row_here]) // step
                    level[lane] = lead // step
                if side_by_side:
                    for entry in range(bids):
                        start = won[0]
                        if comparisons[entry] <= 0:
                            start = level[0] if comparisons[entry] == 0 else lost_to[0]
                        store(w, LANES * entry, load(spread, stride * entry + start))
                else:
                    for entry in range(bids):
                        if comparisons[entry] > 0:
                            payoff = gather_at(spread, stride * entry, won)
                        elif comparisons[entry] < 0:
                            payoff = gather_at(spread, stride * entry, lost_to)
                        else:
                            payoff = gather_at(spread, stride * entry, level)
                        store(w, LANES * entry, payoff)
                for tie in range(ties):
                    entry = tied[tie]
                    for lane in range(LANES):
                        row_here = rows[at + lane]
                        place = active[at + lane] - starts[row_here]
                        if over:
                            level[lane] = lows[row_here] + step * place - utility_low
                            continue
                        if signs[entry] < 0.0:
                            place = lengths[row_here] - 1 - place
                        place += places_at[entry] + tie_starts[kinds[entry], row_here]
                        level[lane] = child_places[place]
                    if over:
                        payoff = gather_at(utility, 0, level)
                    elif children[entry] < 0:
                        payoff = splat(0.0)
                    else:
                        payoff = gather_at(child_values, children[entry], level)
                        payoff = payoff * splat(signs[entry] * out_step)
                    store(w, LANES * entry, payoff)
                which = list_blocks * row_lists[row] + (active[at] - starts[row]) // LANES
                lost = solve_batch(
                    w, n, (1 << used) - 1, tolerance, supports, order, held, 0, which, spare,
                    tableau, basis, counts,
                )
                while lost != 0:
                    lane = 0
                    while not (lost >> lane) & 1:
                        lane += 1
                    lost &= ~(1 << lane)
                    found = -1
                    for number in range(len(known_games)):
                        if pick == 0 and known_games[number] == active[at + lane]:
                            found = number
                    if found >= 0:
                        w[values + lane] = known_values[found]
                        if known_gaps[found] > counters[WORST_GAP]:
                            counters[WORST_GAP] = known_gaps[found]
                        helped += 1
                    elif failed < len(failed_games):
                        failed_games[failed] = active[at + lane]
                        write_payoffs(w, n, lane, failed_payoffs[failed])
                        failed += 1
                for lane in range(used):
                    games[active[at + lane]] = w[values + lane]
        for lane in range(LANES):
            if w[values + LANES + lane] > counters[WORST_GAP]:
                counters[WORST_GAP] = w[values + LANES + lane]
        if failed > 0:
            return pick, failed
        counters[ESCALATED] += helped
        for row in range(len(value_lengths)):
            for k in range(value_lengths[row]):
                place = places[value_starts[row] + k]
                if place < 0:
                    continue
                total = 0.0
                for member in range(size):
                    total += games[starts[links[row, member]] + k]
                total /= share
                if integers:
                    total = (total * scale + _ROUND) - _ROUND
                out[offsets[pattern] + place] = total
    return len(picked), 0
