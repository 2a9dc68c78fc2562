"""The explorer in a notebook: ipywidgets around the records of this room."""

from __future__ import annotations

from collections.abc import Callable
from html import escape
from random import Random
from typing import Any

from gops_lab.errors import GopsError, missing
from gops_lab.explorer.drawing import drawn_bid, drawn_upcard
from gops_lab.explorer.forms import (
    RULES_FIELDS,
    STATE_FIELDS,
    read_rules,
    read_state,
    rules_fields,
    state_fields,
)
from gops_lab.explorer.line import Line
from gops_lab.explorer.pages import line_page, state_page
from gops_lab.explorer.solving import solved
from gops_lab.explorer.views import StateView, review, view
from gops_lab.game import MARGIN, TIE_RULES, WIN, Rules
from gops_lab.game.rules import NEGATIVE_STAKES
from gops_lab.induction import Solution
from gops_lab.reporting import paper_style, plot_stage_game, stage_table

DRAWN = "drawn"
"""The bid that is drawn from the optimal strategy."""


def explore(solution: Solution | None = None, *, seed: int | None = None) -> Explorer:
    """Return an explorer: choose rules and a state, see optimal play there, play a game.

    Parameters
    ----------
    solution : Solution
        What to begin with; default the game with 4 cards, for margin. Other rules can be chosen in
        the explorer if they are solved within a minute.
    seed : int, optional
        Of what is drawn: exposures, and bids of optimal strategies.

    Raises
    ------
    MissingExtraError
        If ipywidgets is not installed.

    Examples
    --------
    >>> explore()  # doctest: +SKIP
    <Explorer of Rules(cards=4, ties='carry'), objective margin: run the cell to use it>
    """
    return Explorer(solved(Rules(cards=4), MARGIN) if solution is None else solution, Random(seed))


class Explorer:
    """A game to look at and to play in a notebook; made by `explore`.

    Attributes
    ----------
    solution : Solution
        Of the rules that are shown.
    line : Line
        The game as far as it has been played.
    message : str
        What is wrong with what was typed last, in one sentence; else empty.
    controls : dict of str to widget
        Every field and button by its name; fields of the rules as ``rules.cards``, of the state as
        ``state.upcard``.
    widget : ipywidgets.Widget
        All of it, for layouts of your own.
    """

    def __init__(self, solution: Solution, random: Random) -> None:
        widgets = _ipywidgets()
        self._random = random
        self.solution = solution
        self.line = Line(solution.rules, (solution.start,))
        self.message = ""
        wide = {"description_width": "8em"}
        choices = {"ties": list(TIE_RULES), "negative_stakes": list(NEGATIVE_STAKES)}
        objectives = [(goal.name, goal) for goal in (MARGIN, WIN)]
        if solution.objective not in (MARGIN, WIN):
            objectives.append((solution.objective.name, solution.objective))

        def field(name: str) -> Any:
            label = name.replace("_", " ")
            if name in choices:
                return widgets.Dropdown(options=choices[name], description=label, style=wide)
            return widgets.Text(description=label, style=wide)

        def button(name: str, action: Callable[[], None]) -> Any:
            made = widgets.Button(description=name)
            made.on_click(lambda _: self._do(action))
            return made

        rules = {f"rules.{name}": field(name) for name in RULES_FIELDS}
        rules["objective"] = widgets.Dropdown(
            options=objectives, value=solution.objective, description="objective", style=wide
        )
        rules["solve"] = button("solve", self._solve)
        state = {f"state.{name}": field(name) for name in STATE_FIELDS}
        state["show"] = button("show", self._show)
        play = {
            "upcard": widgets.Dropdown(description="prize"),
            "expose": button("expose", self._expose),
            "bid_a": widgets.Dropdown(description="A bids"),
            "bid_b": widgets.Dropdown(description="B bids"),
            "bid": button("bid", self._bid),
            "back": button("back", self._back),
            "restart": button("from the start", self._restart),
        }
        self.controls = {**rules, **state, **play}
        self._said = widgets.HTML()
        self._page = widgets.HTML()
        self._figure = widgets.Image(format="png", width=420)
        self._rounds = widgets.HTML()
        forms = widgets.HBox([widgets.VBox(list(form.values())) for form in (rules, state)])
        moves = widgets.HBox(list(play.values()), layout={"flex_flow": "row wrap"})
        shown = widgets.HBox([self._page, self._figure])
        self.widget = widgets.VBox([forms, moves, self._said, shown, self._rounds])
        self._draw()

    def __repr__(self) -> str:
        """Return what is kept of an explorer where nothing runs."""
        return (
            f"<Explorer of {self.solution.rules!r}, objective {self.solution.objective.name}: "
            "run the cell to use it>"
        )

    def _repr_mimebundle_(self, **how: Any) -> Any:
        """Return what a notebook shows."""
        shown = self.widget._repr_mimebundle_(**how)
        return {**(shown or {}), "text/plain": repr(self)}

    # What the buttons do

    def _do(self, action: Callable[[], None]) -> None:
        """Do what a button says, or say in one sentence why not; then nothing has changed."""
        try:
            action()
            self.message = ""
        except GopsError as error:
            self.message = " ".join(str(error).split())
        self._said.value = f"<b>{escape(self.message)}</b>" if self.message else ""

    def _solve(self) -> None:
        rules = read_rules(self._typed("rules", RULES_FIELDS))
        goal = self.controls["objective"].value
        same = rules == self.solution.rules and goal == self.solution.objective
        solution = self.solution if same else solved(rules, goal)
        self._go(Line(rules), solution)

    def _show(self) -> None:
        state = read_state(self.line.rules, self._typed("state", STATE_FIELDS))
        self._go(Line(self.line.rules, (state,)))

    def _expose(self) -> None:
        chosen = self.controls["upcard"].value
        if chosen == DRAWN:
            chosen = drawn_upcard(self._seen, self._random)
        self._go(self.line.expose(chosen))

    def _bid(self) -> None:
        stage = self._seen.stage
        chosen = [self.controls[name].value for name in ("bid_a", "bid_b")]
        if stage is not None:
            chosen = [
                drawn_bid(bids, self._random) if bid == DRAWN else bid
                for bid, bids in zip(chosen, (stage.a, stage.b), strict=True)
            ]
        self._go(self.line.bid(*chosen))

    def _back(self) -> None:
        self._go(self.line.back())

    def _restart(self) -> None:
        self._go(Line(self.line.rules, self.line.states[:1]))

    # What is shown

    def _typed(self, form: str, names: tuple[str, ...]) -> dict[str, str]:
        return {name: self.controls[f"{form}.{name}"].value for name in names}

    def _go(self, line: Line, solution: Solution | None = None) -> None:
        """Go to the end of a line, once all that is shown there has been found."""
        before = self.solution, self.line
        self.solution, self.line = solution or self.solution, line
        try:
            self._draw()
        except GopsError:
            self.solution, self.line = before
            raise

    def _draw(self) -> None:
        seen = view(self.solution, self.line.state)
        rounds = review(self.solution, self.line)
        self._figure.value = self._picture(seen)
        self._seen = seen
        self._page.value = state_page(seen)
        self._rounds.value = line_page(self.line, rounds)
        for form, fields in (
            ("rules", rules_fields(self.line.rules)), ("state", state_fields(seen.state))
        ):
            for name, written in fields.items():
                self.controls[f"{form}.{name}"].value = written
        prizes = [prize for prize, _ in seen.upcards]
        self._offer("upcard", prizes)
        self.controls["expose"].disabled = not prizes
        for name in ("bid_a", "bid_b"):
            bids = () if seen.stage is None else getattr(seen.stage, name[-1])
            self._offer(name, [bid.bid for bid in bids])
        self.controls["bid"].disabled = seen.stage is None
        self.controls["back"].disabled = len(self.line.states) == 1

    def _offer(self, name: str, choices: list[int]) -> None:
        control = self.controls[name]
        control.options = [(DRAWN, DRAWN), *((str(choice), choice) for choice in choices)]
        control.value = DRAWN  # with new options nothing is chosen
        control.disabled = not choices

    def _picture(self, seen: StateView) -> bytes:
        if seen.stage is None:
            return b""
        with paper_style(columns=1):
            plot = plot_stage_game(stage_table(self.solution, seen.state))
        return plot._repr_png_()


def _ipywidgets() -> Any:
    try:
        import ipywidgets
    except ImportError as error:
        raise missing("ipywidgets", "notebooks") from error
    return ipywidgets
