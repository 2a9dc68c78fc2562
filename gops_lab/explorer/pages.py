"""Views as HTML tables."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from typing import Any

import pandas as pd

from gops_lab.explorer.line import Line
from gops_lab.explorer.views import BidView, RoundView, StateView
from gops_lab.reporting.description import unit_of_payoffs
from gops_lab.reporting.text import number


def state_page(seen: StateView) -> str:
    """Return what there is to say about a state as HTML.

    Examples
    --------
    >>> import gops_lab as gl
    >>> from gops_lab.explorer import view
    >>> "value <b>0.0000</b>" in state_page(view(gl.solve(gl.Rules(cards=2))))
    True
    """
    state = seen.state
    unit = unit_of(seen)
    # Rounded bounds could be untrue; all their digits are shown.
    worth = (
        f"value <b>{number(seen.value)}</b> to A ({escape(unit)}), certified between "
        f"{seen.lower} and {seen.upper}"
    )
    if seen.stage is not None:
        parts = [
            f"<b>{state.upcard}</b> is exposed, {state.stake} at stake",
            f"{worth}; gap {number(float(seen.stage.gap), '.0e')}",
        ]
        tables = [
            ("A's payoff for every pair of bids: rows A, columns B", _payoffs(seen)),
            ("A's bids", _bids(seen.stage.a)),
            ("B's bids", _bids(seen.stage.b)),
        ]
    elif seen.upcards:
        parts = ["a prize is to be exposed", worth]
        chances = pd.DataFrame(seen.upcards, columns=["prize", "chance"])
        tables = [("what can come", _table(chances))]
    else:
        parts, tables = ["the game is over", worth], []
    cards = {"A holds": state.hand_a, "B holds": state.hand_b, "hidden": state.prizes}
    parts += [f"{name} {' '.join(map(str, held)) or 'nothing'}" for name, held in cards.items()]
    parts.append(f"carried {state.carried}, A's lead {state.lead}")
    lines = "".join(f"<div>{part}</div>" for part in parts)
    return lines + "".join(f"<p>{title}</p>{table}" for title, table in tables)


def line_page(line: Line, rounds: Sequence[RoundView]) -> str:
    """Return a line of play as HTML: its rounds, from `review`, and the points."""
    if not rounds:
        return ""
    table = pd.DataFrame(
        {
            "round": seen.number, "prize": seen.round.upcard, "stake": seen.round.stake,
            "A bids": seen.round.bid_a, "B bids": seen.round.bid_b,
            "A scores": str(seen.round.gain_a), "B scores": str(seen.round.gain_b),
            "carried": seen.round.carried, "A gives away": seen.given_away_a,
            "B gives away": seen.given_away_b,
        }
        for seen in rounds
    )
    points_a, points_b = line.points
    return f"{_table(table)}<div>points: A {points_a}, B {points_b}</div>"


def unit_of(seen: StateView) -> str:
    """Return the unit of a view's payoffs."""
    return unit_of_payoffs(seen.objective)


def _payoffs(seen: StateView) -> str:
    assert seen.stage is not None  # for the type checker
    table = pd.DataFrame(
        seen.stage.payoffs,
        index=[bid.bid for bid in seen.stage.a],
        columns=[bid.bid for bid in seen.stage.b],
        dtype=object,
    )
    return _table(table, index=True)


def _bids(bids: Sequence[BidView]) -> str:
    return _table(
        pd.DataFrame(
            {
                "bid": bid.bid, "probability": bid.probability, "least": bid.least,
                "greatest": bid.greatest, "gives away": bid.given_away,
            }
            for bid in bids
        )
    )


def _table(table: pd.DataFrame, index: bool = False) -> str:
    """Return a frame as HTML, its numbers as people read them."""
    shown = table.astype(object).map(_cell)
    return str(shown.to_html(index=index, border=0))


def _cell(value: Any) -> str:
    return number(value)
