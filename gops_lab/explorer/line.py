"""A line of play: a game as far as it has been played."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from gops_lab.game import Round, Rules, State, check_state, expose, play_round, rounds_left, start


@dataclass(frozen=True)
class Line:
    """A game as far as it has been played; every step returns a new one.

    Parameters
    ----------
    rules : Rules
    states : sequence of State, optional
        Every state so far, the present one last: before and after each exposure. Default: the
        start of the game alone. Give one state to begin there.
    rounds : sequence of Round, optional
        What each round gave that was played on the way.

    Raises
    ------
    StateError
        If the rules do not hold the present state's cards, or there is no state.

    Examples
    --------
    >>> line = Line(Rules(cards=2)).expose(1).bid(2, 2).expose(2).bid(1, 1)
    >>> line.is_over, line.points, line.state.carried
    (True, (0, 0), 3)
    >>> line.back().state
    State(hand_a=(1,), hand_b=(1,), prizes=(), upcard=2, carried=1, lead=0)
    """

    rules: Rules
    states: tuple[State, ...] = ()
    rounds: tuple[Round, ...] = ()

    def __post_init__(self) -> None:
        states = tuple(self.states) or (start(self.rules),)
        states = (*states[:-1], check_state(self.rules, states[-1]))
        object.__setattr__(self, "states", states)
        object.__setattr__(self, "rounds", tuple(self.rounds))

    @property
    def state(self) -> State:
        """The present state."""
        return self.states[-1]

    @property
    def is_over(self) -> bool:
        """Whether no round is left to play."""
        return rounds_left(self.rules, self.state) == 0

    @property
    def points(self) -> tuple[int | Fraction, int | Fraction]:
        """What A and B have scored on this line."""
        gains_a = sum((played.gain_a for played in self.rounds), start=0)
        gains_b = sum((played.gain_b for played in self.rounds), start=0)
        return gains_a, gains_b

    def expose(self, upcard: int) -> Line:
        """Return the line after the next exposure; see `gops_lab.game.expose`."""
        return Line(
            self.rules, (*self.states, expose(self.rules, self.state, upcard)), self.rounds
        )

    def bid(self, bid_a: int, bid_b: int) -> Line:
        """Return the line after both bids; see `gops_lab.game.play_round`."""
        played, after = play_round(self.rules, self.state, bid_a, bid_b)
        return Line(self.rules, (*self.states, after), (*self.rounds, played))

    def back(self) -> Line:
        """Return the line without its last step, an exposure or a round; at the start itself."""
        if len(self.states) == 1:
            return self
        rounds = self.rounds if self.state.upcard is not None else self.rounds[:-1]
        return Line(self.rules, self.states[:-1], rounds)
