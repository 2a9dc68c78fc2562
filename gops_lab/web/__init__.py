"""A game to look at and to play in a browser: a small server over the records of the explorer.

The server keeps nothing: a position is one line of text (`read_position`), the same that is shared
as a link, and every answer is made from it. What is shown is made by `gops_lab.explorer`; the page
(``static/``) draws it and knows no rule of the game. `exported_page` writes the same page as one
file, with the answers inside.
"""

from gops_lab.web.answers import answer, review_answer
from gops_lab.web.command import run_explore
from gops_lab.web.export import exported_page
from gops_lab.web.opponents import Opponents
from gops_lab.web.position import Position, read_position, write_position
from gops_lab.web.server import serve
from gops_lab.web.solutions import Solutions

__all__ = [
    "Opponents", "Position", "Solutions", "answer", "exported_page", "read_position",
    "review_answer", "run_explore", "serve", "write_position",
]
