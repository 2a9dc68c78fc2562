"""``docs/format.md`` is enough to read a solution: a reader in plain Python, written from it alone.

It shares no code with the package, so a word on that page that is not true fails here.
"""

import json
import struct
from fractions import Fraction
from itertools import combinations

import pytest

import gops_lab as gl
from gops_lab.induction import Reductions
from gops_lab.induction.solve import solve_states


class Reader:
    """Finds values of states before an exposure."""

    def __init__(self, folder):
        self.folder = folder
        self.arrays = {}
        self.manifest = json.loads((folder / "manifest.json").read_text())
        assert self.manifest["format"] == "gops_lab solution"
        assert self.manifest["format_version"] == 1
        self.game = self.manifest["game"]
        self.objective = self.manifest["objective"]
        self.margin = self.objective["name"] == "margin"
        self.carry = self.game["ties"] == "carry"
        order = self.game["order"]
        ways = {"random": None, "ascending": self.game["prizes"]}
        ways["descending"] = self.game["prizes"][::-1]
        self.known = ways[order] if isinstance(order, str) else order
        self.prizes = self.known or self.game["prizes"]
        low, high = self.manifest["start_leads"]
        reach = sum(map(abs, self.prizes))
        self.low, self.high = low, high
        if self.manifest["reductions"]["swap"]:
            self.low = -max(-low, high)
            self.high = -self.low
        if not self.margin:
            first, last = low - reach, high + reach
            if self.manifest["reductions"]["swap"]:
                first, last = -max(-first, last), max(-first, last)
            utilities = [self.utility(lead) for lead in range(first, last + 1)]
            same = [value == utilities[0] for value in utilities]
            self.flat_below = first + (same.index(False) if False in same else len(same)) - 1
            same = [value == utilities[-1] for value in utilities[::-1]]
            self.flat_above = last - (same.index(False) if False in same else len(same)) + 1

    def utility(self, lead):
        if self.objective["name"] == "win":
            return (lead > 0) - (lead < 0)
        text = self.objective["table"][str(lead)]
        return float(text) if set(text) & set(".en") else Fraction(text)

    def array(self, tier, kind):
        name = tier["files"][kind]["name"]
        if name not in self.arrays:
            self.arrays[name] = self.read(name)
        return self.arrays[name]

    def read(self, name):
        """Read an .npy file without numpy's help."""
        data = (self.folder / name).read_bytes()
        assert data[:8] == b"\x93NUMPY\x01\x00"
        (length,) = struct.unpack("<H", data[8:10])
        header = eval(data[10 : 10 + length])
        count = 1
        for size in header["shape"]:
            count *= size
        descr, rest = header["descr"], data[10 + length :]
        if descr[:2] == "|S":
            width = int(descr[2:])
            texts = [rest[width * k : width * k + width] for k in range(count)]
            return [Fraction(text.rstrip(b"\0").decode()) for text in texts]
        code = {"<i8": "q", "<f8": "d", "<f4": "f", "<i4": "i", "|u1": "B"}[descr]
        return list(struct.unpack(f"<{count}{code}", rest))

    def code(self, hand_a, hand_b):
        hands = self.game["hand_a"], self.game["hand_b"]
        repeats = any(len(set(hand)) < len(hand) for hand in hands)
        code = 0
        for rank in sorted({*hand_a, *hand_b}):
            a, b = hand_a.count(rank), hand_b.count(rank)
            word = [3] + [4] * (a - 1) + [5] * (b - 1) if a and b else [1] * a + [2] * b
            for symbol in word:
                code = code * (5 if repeats else 3) + symbol
        return code

    def mask(self, prizes):
        if self.known:
            whole = len(self.prizes)
            return (1 << whole) - (1 << (whole - len(prizes)))
        mask = 0
        for prize in prizes:
            mask |= 1 << next(
                i for i, each in enumerate(self.prizes) if each == prize and not mask >> i & 1
            )
        return mask

    def members(self, mask):
        return [prize for i, prize in enumerate(self.prizes) if mask >> i & 1]

    def sums(self, mask, kind):
        if not self.carry:
            kind = 0
        outside = [prize for i, prize in enumerate(self.prizes) if not mask >> i & 1]
        if self.known:
            found = {sum(outside[-k:]) for k in range(1, kind + 1)}
        else:
            found = {sum(c) for k in range(1, kind + 1) for c in combinations(outside, k)}
        return [0, *sorted(found - {0})]

    def all_masks(self, size):
        count = len(self.prizes)
        if self.known:
            return [(1 << count) - (1 << (count - size))]
        return [mask for mask in range(1 << count) if mask.bit_count() == size]

    def value(self, state):
        """Return the stored value of a state, with its sign and lead, or None."""
        hand_a, hand_b, lead = list(state.hand_a), list(state.hand_b), state.lead
        tier = self.manifest["tiers"][str(len(hand_a))]
        code, mirror = self.code(hand_a, hand_b), self.code(hand_b, hand_a)
        sign, twice = 1, False
        if self.manifest["reductions"]["swap"]:
            nodes = tier["layout"] == "nodes"
            if mirror < code or (mirror == code and lead < 0 and nodes and not self.margin):
                sign = -1
            if mirror == code and (self.margin or lead == 0):
                return lead if self.margin else 0
            twice = mirror == code and not nodes
            code = min(code, mirror)
        find = {"nodes": self.node, "blocks": self.in_blocks, "rows": self.in_rows}[tier["layout"]]
        dropped = self.margin and self.manifest["reductions"]["drop_lead"]
        place = tier, code, self.mask(state.prizes), state.carried
        found = find(*place, 0 if dropped else sign * lead)
        if found is None and twice:
            found, sign = find(*place, -sign * lead), -sign
        if found is None:
            return None
        return sign * found * (1 if tier["dtype"] == "text" else tier["step"]) + dropped * lead

    def node(self, tier, code, mask, carried, lead):
        flat = self.array(tier, "nodes")
        rows = [tuple(flat[k : k + 4]) for k in range(0, len(flat), 4)]
        assert rows == sorted(rows)
        wanted = code, mask, carried, lead
        return self.array(tier, "values")[rows.index(wanted)] if wanted in rows else None

    def pattern(self, tier, code):
        flat = self.array(tier, "patterns")
        rows = {flat[k]: (flat[k + 1], flat[k + 3]) for k in range(0, len(flat), 4)}
        return rows.get(code, (None, None))

    def reached(self, tier, code):
        """Return the bits of a pattern."""
        flat = self.array(tier, "patterns")
        kinds = {flat[k]: (flat[k + 1], flat[k + 2]) for k in range(0, len(flat), 4)}
        lists = sorted(set(kinds.values()))
        flat = self.array(tier, "reached")
        width = len(flat) // len(lists)
        first = width * lists.index(kinds[code])
        return "".join(f"{byte:08b}" for byte in flat[first : first + width])

    def in_blocks(self, tier, code, mask, carried, lead):
        kind, offset = self.pattern(tier, code)
        if kind is None or carried not in self.sums(mask, kind):
            return None
        count = len(self.prizes)
        masks = sorted(self.all_masks(tier["prizes"]), key=lambda m: f"{m:0{count}b}"[::-1])
        number = masks.index(mask)
        rows = [
            max(len(self.sums(each, kind)) for each in masks[first : first + 8])
            for first in range(0, number // 8 * 8, 8)
        ]
        row = self.sums(mask, kind).index(carried)
        return self.array(tier, "values")[offset + 8 * sum(rows) + 8 * row + number % 8]

    def row(self, mask, carried):
        if self.margin:
            return 0, 0, 1
        total, left = sum(map(abs, self.prizes)), sum(self.members(mask)) + carried
        if min(self.prizes) < 0:
            low, high = self.low - total, self.high + total
        else:
            low = max(self.low - (total - left), self.flat_below - left + 1)
            high = min(self.high + (total - left), self.flat_above + left - 1)
        first, last = self.manifest["start_leads"]
        if not (self.carry and first == last):
            return low, high, 1
        parity = first + sum(self.prizes) - left
        return low + (low - parity) % 2, high - (high - parity) % 2, 2

    def in_rows(self, tier, code, mask, carried, lead):
        kind, offset = self.pattern(tier, code)
        if kind is None or carried not in self.sums(mask, kind):
            return None
        masks = [
            each for each in self.all_masks(tier["prizes"])
            if self.known or self.mask(self.members(each)) == each
        ]
        position = 0
        for each in masks:
            for total in self.sums(each, kind):
                low, high, step = self.row(each, total)
                if (each, total) != (mask, carried):
                    position += max(0, (high - low) // step + 1)
                    continue
                if not low <= lead <= high or (lead - low) % step:
                    return None
                bits = self.reached(tier, code)
                position += (lead - low) // step
                if bits[position] == "0":
                    return None
                return self.array(tier, "values")[offset + bits[:position].count("1")]
        return None


def kept_as(dtype, rules, objective="margin", leads=(0,)):
    states = [gl.State(*[*map(tuple, (rules.hand_a, rules.hand_b, rules.prizes))], lead=lead)
              for lead in leads]
    return solve_states(rules, objective, states, dtype=dtype)


UNEQUAL = gl.Rules(hand_a=(1, 3, 4, 6), hand_b=(2, 3, 5, 7), prizes=(1, 2, 4, 6))
CASES = {
    "blocks, carry": lambda: gl.solve(gl.Rules(cards=4)),
    "blocks, discard": lambda: gl.solve(gl.Rules(cards=5, ties="discard")),
    "blocks, sums of 0": lambda: gl.solve(
        gl.Rules(cards=4, hand_b=(2, 3, 4, 6), prizes=(-3, 1, 2, 2, 5), negative_stakes="low_bid")
    ),
    "blocks, two rounds": lambda: gl.solve(gl.Rules(cards=4, hand_a=(1, 3, 5, 6), rounds=2)),
    "blocks, later": lambda: gl.solve(
        gl.Rules(cards=4), start=gl.State((1, 2, 4), (1, 3, 4), (1, 4), upcard=2, carried=3)
    ),
    "blocks, int32": lambda: kept_as("int32", UNEQUAL),
    "blocks, float32": lambda: kept_as("float32", UNEQUAL),
    "rows, win": lambda: gl.solve(gl.Rules(cards=4), "win"),
    "rows, win, unequal": lambda: gl.solve(UNEQUAL, "win"),
    "rows, win, split": lambda: gl.solve(
        gl.Rules(cards=4, ties="split", hand_b=(0, 2, 3, 5)), "win"
    ),
    "rows, win, negative": lambda: gl.solve(gl.Rules(cards=3, prizes=(-2, -2, 1, 4)), "win"),
    "rows, win, a lead": lambda: gl.solve(UNEQUAL, "win", start=gl.State(
        UNEQUAL.hand_a, UNEQUAL.hand_b, UNEQUAL.prizes, lead=3)),
    "rows, win, int32": lambda: kept_as("int32", UNEQUAL, "win"),
    "rows, many leads": lambda: kept_as("float64", UNEQUAL, "win", (0, -3, 4)),
    "rows, utility": lambda: gl.solve(
        gl.Rules(hand_a=(1, 4, 5), hand_b=(2, 3, 6), prizes=(1, 4, 6)),
        lambda lead: min(lead, 2) + lead**2 / 7,
    ),
    "rows, known order": lambda: gl.solve(
        gl.Rules(cards=4, hand_b=(2, 3, 5, 6), order=(2, 4, 1, 3))
    ),
    "rows, known order, win": lambda: gl.solve(gl.Rules(cards=4, order="descending"), "win"),
    "rows, twice the same": lambda: gl.solve(gl.Rules(cards=4, prizes=(1, 2, 2, 3)), "win"),
    "nodes": lambda: gl.solve(UNEQUAL, "win", method="highs"),
    "nodes, no reductions": lambda: gl.solve(
        gl.Rules(cards=3), reductions=Reductions(True, False, False, False)),
    "nodes, fractions": lambda: gl.solve(gl.Rules(cards=3, hand_b=(2, 3, 5)), exact=True),
    "nodes, ranks twice": lambda: gl.solve(
        gl.Rules(hand_a=(0, 2, 2), hand_b=(1, 2, 3), prizes=(2, 2, 5))
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", CASES)
def test_a_reader_written_from_the_page(tmp_path, name):
    """It finds what the package finds at every state before an exposure, and no more."""
    solved = CASES[name]()
    reader = Reader(solved.save(tmp_path / "solution"))
    assert {tier["layout"] for tier in reader.manifest["tiers"].values()} == {
        name.split(",")[0]
    }
    game, compared, asked = solved.reducer.rules, 0, 0
    order = game.known_order
    reach = sum(map(abs, game.prizes))
    low, high = solved.reducer.start_leads
    for played in range(game.rounds):
        for hand_a in sorted(set(combinations(game.hand_a, game.cards - played))):
            for hand_b in sorted(set(combinations(game.hand_b, game.cards - played))):
                left = set(combinations(game.prizes, len(game.prizes) - played))
                for prizes in [order[played:]] if order else sorted(left):
                    for carried in range(-3, 8, 3 - 2 * (game.cards < 4)):
                        for _ in range(6 if game.cards < 4 else 2):
                            asked += 1
                            lead = (7 * asked) % (2 * reach + high - low + 1) - reach + low
                            state = gl.State(hand_a, hand_b, prizes, None, carried, lead)
                            compared += compare(solved, reader, state)
    assert compared > 6


def compare(solved, reader, state):
    found = reader.value(state)
    nodes = solved._node(state)
    if nodes.known[0] or nodes.zero[0]:
        assert not nodes.zero[0] or found == (state.lead if reader.margin else 0)
        return 0
    values, there = solved.tables[state.tier].lookup(
        nodes.codes, nodes.prizes, nodes.carried, nodes.lead
    )
    assert (found is not None) == there[0]
    if found is None:
        return 0
    assert found == values[0] * nodes.sign[0] + (state.lead if reader.margin else 0) * (
        solved.reducer.ignores_lead
    )
    return 1
