"""A game to look at and to play, state by state: in a notebook, or whatever draws it.

What is shown is made of plain records that know nothing of widgets or pages: `Line` is a game as
far as it has been played, `view` says all there is to say about a state, `review` what each bid
made gave away, `read_rules` and `read_state` read what a person typed. `explore` draws them with
ipywidgets.
"""

from gops_lab.explorer.drawing import drawn_bid, drawn_upcard
from gops_lab.explorer.forms import read_rules, read_state, rules_fields, state_fields
from gops_lab.explorer.line import Line
from gops_lab.explorer.solving import solved
from gops_lab.explorer.views import BidView, RoundView, StageView, StateView, review, view
from gops_lab.explorer.widgets import Explorer, explore

__all__ = [
    "BidView", "Explorer", "Line", "RoundView", "StageView", "StateView", "drawn_bid",
    "drawn_upcard", "explore", "read_rules", "read_state", "review", "rules_fields", "solved",
    "state_fields", "view",
]
