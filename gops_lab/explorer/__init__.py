"""A game to look at and to play, state by state: in a notebook, or whatever draws it.

What is shown is made of plain records that know nothing of widgets or pages: `Line` is a game as
far as it has been played, `view` says all there is to say about a state, `review` what each bid
made gave away, `table_of` where every card lies, `read_rules` and `read_state` read what a person
typed. `explore` draws them with ipywidgets, `gops_lab.web` in a browser.
"""

from gops_lab.explorer.drawing import drawn_bid, drawn_upcard
from gops_lab.explorer.forms import read_rules, read_state, rules_fields, state_fields
from gops_lab.explorer.line import Line
from gops_lab.explorer.solving import check_soon, solved, solved_below, solved_match
from gops_lab.explorer.table import TAKERS, Table, table_of, taker
from gops_lab.explorer.views import BidView, RoundView, StageView, StateView, review, view
from gops_lab.explorer.widgets import Explorer, explore

__all__ = [
    "TAKERS", "BidView", "Explorer", "Line", "RoundView", "StageView", "StateView", "Table",
    "check_soon", "drawn_bid", "drawn_upcard", "explore", "read_rules", "read_state", "review",
    "rules_fields", "solved", "solved_below", "solved_match", "state_fields", "table_of", "taker",
    "view",
]
