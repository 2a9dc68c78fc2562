"""What the tests share: the reference numbers, solutions solved once, and a plain second program.

The plain program knows the rules from their description alone and takes nothing from `gops_lab`:
a wrong rule in the package cannot hide in it. It is slow and in fractions throughout.
"""

import json
from fractions import Fraction
from functools import cache
from itertools import combinations
from pathlib import Path

import pytest

import gops_lab as gl
from gops_lab.game import expose, resolve_round, start, upcards

DATA = Path(__file__).parent / "data"


@pytest.fixture(scope="session")
def reference():
    """``reference_public.json``: exact values up to 4 cards."""
    return json.loads((DATA / "reference_public.json").read_text(encoding="utf-8"))


@pytest.fixture(scope="session")
def published():
    """``published.json``: numbers in print, each with its source."""
    return json.loads((DATA / "published.json").read_text(encoding="utf-8"))


@pytest.fixture(scope="session")
def solved():
    """Return a function like `gops_lab.solve` that solves the same thing only once."""
    return cache(gl.solve)


@pytest.fixture(scope="session")
def fractions():
    """Return a function: nested lists of text to nested lists of fractions."""

    def read(entry):
        return [read(part) for part in entry] if isinstance(entry, list) else Fraction(entry)

    return read


@pytest.fixture(scope="session")
def state_of():
    """Return a function: a row of a data file to its `State`."""

    def state(row):
        return gl.State(
            row["hand_a"], row["hand_b"], row["prizes"], row.get("upcard"),
            row.get("carried", 0), row.get("lead", 0),
        )

    return state


@pytest.fixture(scope="session")
def reachable():
    """Return a function: rules to all states that play can reach, with an upcard or without."""
    return reachable_states


@pytest.fixture(scope="session")
def plain_value():
    """Return a function (rules, state, utility) -> exact value by the plain program."""
    return plain_value_of


@pytest.fixture(scope="session")
def plain_matrix_value():
    """Return a function: payoff matrix to its exact value, by the plain program."""
    return matrix_value


def reachable_states(rules):
    """Return every state that some play reaches, by the package's pure transitions."""
    seen = set()
    waiting = [start(rules)]
    while waiting:
        state = waiting.pop()
        if state in seen:
            continue
        seen.add(state)
        if state.upcard is None:
            waiting += [expose(rules, state, upcard) for upcard in upcards(rules, state)]
        else:
            waiting += [
                resolve_round(rules, state, bid_a, bid_b)
                for bid_a in set(state.hand_a)
                for bid_b in set(state.hand_b)
            ]
    return sorted(
        seen, key=lambda s: (s.hand_a, s.hand_b, s.prizes, s.upcard or 0, s.carried, s.lead)
    )


def matrix_value(payoff):
    """Return the exact value of a matrix game: try every square submatrix as the kernel.

    Source: L. S. Shapley, R. N. Snow (1950), Basic solutions of discrete games: some square
    submatrix K has optimal strategies ``x = 1' adj K / s`` and ``y = adj K 1 / s`` with
    ``s = 1' adj K 1``. Whichever they are, they prove themselves here.
    """
    rows, columns = range(len(payoff)), range(len(payoff[0]))
    for size in range(1, min(len(rows), len(columns)) + 1):
        for row_set in combinations(rows, size):
            for column_set in combinations(columns, size):
                cofactors = [
                    [
                        (-1) ** (i + j)
                        * _determinant(
                            [
                                [payoff[r][c] for c in column_set if c != column_set[j]]
                                for r in row_set
                                if r != row_set[i]
                            ]
                        )
                        for j in range(size)
                    ]
                    for i in range(size)
                ]
                total = sum(map(sum, cofactors))
                if total == 0:
                    continue
                x = [Fraction(sum(line)) / total for line in cofactors]
                y = [Fraction(sum(line)) / total for line in zip(*cofactors, strict=True)]
                if min(x) < 0 or min(y) < 0:
                    continue
                lower = min(
                    sum(p * payoff[r][c] for p, r in zip(x, row_set, strict=True)) for c in columns
                )
                upper = max(
                    sum(q * payoff[r][c] for q, c in zip(y, column_set, strict=True)) for r in rows
                )
                if lower == upper:
                    return lower
    raise AssertionError(f"no kernel of {payoff} is optimal, against the theorem")


def _determinant(matrix):
    if not matrix:
        return 1
    return sum(
        (-1) ** j * entry * _determinant([[*row[:j], *row[j + 1 :]] for row in matrix[1:]])
        for j, entry in enumerate(matrix[0])
    )


def plain_value_of(rules, state, utility):
    """Return the exact value of a state by plain recursion; the rules are read off DESIGN 1."""
    known_order = rules.order != "random"
    left = rules.rounds - (len(rules.hand_a) - len(state.hand_a))
    hidden = state.prizes
    if rules.order == "ascending":
        hidden = tuple(sorted(hidden))
    elif rules.order == "descending":
        hidden = tuple(sorted(hidden, reverse=True))
    elif known_order:
        hidden = rules.order[len(rules.order) - len(hidden) :]

    def taken(stake, bid_a, bid_b):
        """What A wins on B in points, and what stays on the table."""
        if bid_a == bid_b:
            return 0, stake if rules.ties == "carry" else 0
        a_takes = bid_a > bid_b
        if stake < 0 and rules.negative_stakes == "low_bid":
            a_takes = not a_takes
        return (stake if a_takes else -stake), 0

    @cache
    def between_rounds(hand_a, hand_b, hidden, carried, lead, left):
        if left == 0:
            return Fraction(utility(lead))
        next_up = [0] if known_order else range(len(hidden))
        total = Fraction(0)
        for i in next_up:
            total += stage(
                hand_a, hand_b, hidden[:i] + hidden[i + 1 :], hidden[i] + carried, lead, left
            )
        return total / len(next_up)

    @cache
    def stage(hand_a, hand_b, hidden, stake, lead, left):
        payoff = []
        for i, bid_a in enumerate(hand_a):
            payoff.append([])
            for j, bid_b in enumerate(hand_b):
                gain, carried = taken(stake, bid_a, bid_b)
                payoff[-1].append(
                    between_rounds(
                        hand_a[:i] + hand_a[i + 1 :], hand_b[:j] + hand_b[j + 1 :],
                        hidden, carried, lead + gain, left - 1,
                    )
                )
        return matrix_value(payoff)

    if state.upcard is None:
        return between_rounds(
            state.hand_a, state.hand_b, hidden, state.carried, state.lead, left
        )
    stake = state.upcard + state.carried
    return stage(state.hand_a, state.hand_b, hidden, stake, state.lead, left)
