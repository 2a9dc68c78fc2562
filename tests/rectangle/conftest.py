"""What tests of both layouts share."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from dataclasses import replace

import pytest

from gops_lab.game import Rules, State, expose, resolve_round, start, upcards
from gops_lab.game.state import rounds_left


@pytest.fixture
def following() -> Callable[..., set[State]]:
    """Return a function: the states before an exposure that can follow a first upcard.

    With a lead to begin with; without one, leads do not count and are 0.
    """

    def states(rules: Rules, upcard: int, lead: int | None = None) -> set[State]:
        waiting = [expose(rules, replace(start(rules), lead=lead or 0), upcard)]
        seen = set()
        while waiting:
            state = waiting.pop()
            for bid_a, bid_b in itertools.product(state.hand_a, state.hand_b):
                after = resolve_round(rules, state, bid_a, bid_b)
                if lead is None:
                    after = replace(after, lead=0)
                if rounds_left(rules, after) and after not in seen:
                    seen.add(after)
                    waiting += [expose(rules, after, prize) for prize in upcards(rules, after)]
        return seen

    return states
