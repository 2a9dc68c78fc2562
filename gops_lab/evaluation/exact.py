"""Two strategies against each other, exactly: the whole distribution of play, without sampling.

All the probability starts on one state and is pushed down round by round. With m the probability
of a stage game and x, y the two distributions, bids i and j come with probability m x(i) y(j).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from gops_lab.encoding import Encoder, StateBatch
from gops_lab.encoding.card_sets import BoolArray
from gops_lab.encoding.patterns import IntArray
from gops_lab.errors import EvaluationError
from gops_lab.game import Rules, State, settle
from gops_lab.game.objectives import as_objective
from gops_lab.game.state import check_state
from gops_lab.game.state import start as start_of
from gops_lab.strategies import Strategy
from gops_lab.strategies.observations import observe
from gops_lab.strategies.response import utilities
from gops_lab.strategies.states import Stages, StateSpace
from gops_lab.strategies.strategy import as_strategy, checked

Numbers = npt.NDArray[Any]


@dataclass(frozen=True, eq=False)
class Evaluation:
    """What comes of one strategy in seat A against another in seat B.

    Attributes
    ----------
    rules : Rules
    a, b : str
        The names of the strategies.
    margin : float or Fraction
        Expected final lead, A's points minus B's, the lead at the start included; points.
    win, draw, loss : float or Fraction, or None
        Probabilities that A ends ahead, level, behind; None if outcomes were not asked for.
    leads : Series or None
        Probability of each final lead; index lead.
    rounds : DataFrame
        One row for each round. Columns round (1 is the first), stake (expected points on offer),
        points_a and points_b (expected points won), tie_rate (probability of equal bids), carried
        (expected points on the table after it).
    unclaimed : float or Fraction
        Expected points that nobody has won when the last round is over, because they stayed on
        the table or a tie removed them.
    states : int
        How many states before an exposure were followed.
    """

    rules: Rules
    a: str
    b: str
    margin: Any
    win: Any
    draw: Any
    loss: Any
    leads: pd.Series[Any] | None
    rounds: pd.DataFrame
    unclaimed: Any
    states: int

    def payoff(self, objective: object = "margin") -> Any:
        """Return A's expected utility of the final lead.

        Raises
        ------
        EvaluationError
            If it is not the margin and outcomes were not asked for.
        """
        goal = as_objective(objective)
        if goal.ignores_lead:
            return self.margin
        if self.leads is None:
            raise EvaluationError(
                f"{goal.name} needs the final leads: evaluate with outcomes=True"
            )
        exact = self.leads.dtype == object
        worth = utilities(goal, self.leads.index.to_numpy(np.int64), exact)
        return (worth * self.leads.to_numpy()).sum()


@dataclass(frozen=True, eq=False)
class Visits:
    """Stage games of one round, each with the probability that play comes there."""

    stages: StateBatch
    reach: Numbers
    answer_a: Numbers
    """(k, ranks of A) what A's strategy does there."""
    answer_b: Numbers


def evaluate(
    rules: Rules,
    a: Strategy,
    b: Strategy,
    *,
    start: State | None = None,
    outcomes: bool = True,
    exact: bool = False,
) -> Evaluation:
    """Return what comes of two strategies against each other, exactly.

    Parameters
    ----------
    rules : Rules
    a, b : Strategy
        In seat A and in seat B.
    start : State, optional
        Default: the start of the game.
    outcomes : bool
        Whether to find the distribution of final leads, and with it the probabilities to win.
        Without, the lead is forgotten where no strategy looks at it, and far fewer states are
        followed.
    exact : bool
        Whether to compute in fractions; for small games.

    Returns
    -------
    Evaluation

    Raises
    ------
    StrategyError
        If `a` or `b` is no strategy, or an answer no distribution over the hand.
    StateError
        If the start does not fit the rules.
    EvaluationError
        If there are too many states.

    Examples
    --------
    Two players who match the prize tie every round (DESIGN section 1).

    >>> from gops_lab.strategies import Highest, MatchPrize, Uniform
    >>> rules = Rules(cards=4)
    >>> both = evaluate(rules, MatchPrize(), MatchPrize(), exact=True)
    >>> both.margin, both.draw, set(both.rounds["tie_rate"])
    (Fraction(0, 1), Fraction(1, 1), {Fraction(1, 1)})
    >>> evaluate(Rules(cards=4, ties="discard"), MatchPrize(), Uniform(), exact=True).margin
    Fraction(5, 2)
    """
    state = start_of(rules) if start is None else check_state(rules, start)
    roots = Encoder(rules).encode([state])
    looked_at = as_strategy(a).sees | as_strategy(b).sees
    lead = outcomes or "lead" in looked_at
    space = StateSpace(rules, roots, lead=lead, ranks="ranks" in looked_at)
    walk = _Walk(space, roots, exact)
    rows = []
    for number in range(rules.cards - state.tier + 1, rules.rounds + 1):
        totals = _Totals(number, exact)
        for visits in walk.play_round(a, b):
            totals.add(rules, visits, space)
        rows.append(totals.row())
    table = pd.DataFrame(rows, columns=list(_COLUMNS), dtype=object if exact else None)
    table["round"] = table["round"].astype(np.int64)
    zero = walk.mass[:0].sum() * 1
    margin = state.lead + sum(table["points_a"], zero) - sum(table["points_b"], zero)
    start_points = state.carried + (state.upcard or 0)
    to_come = sum(table["stake"], zero) - sum(table["carried"].iloc[:-1], zero)
    won = sum(table["points_a"], zero) + sum(table["points_b"], zero)
    unclaimed = (to_come if len(table) else start_points) - won
    leads = None
    if outcomes:
        final, mass = _merged(space.unpack(walk.keys).lead, walk.mass)
        leads = pd.Series(mass, pd.Index(final, name="lead"), name="probability")
    win, draw, loss = (None, None, None) if leads is None else (
        leads[leads.index > 0].sum() + zero, leads[leads.index == 0].sum() + zero,
        leads[leads.index < 0].sum() + zero,
    )
    if not exact:
        margin, win, draw, loss, unclaimed = (
            None if value is None else float(value)
            for value in (margin, win, draw, loss, unclaimed)
        )
    return Evaluation(
        rules, a.name, b.name, margin, win, draw, loss, leads, table, unclaimed, walk.states
    )


def visited(
    rules: Rules, a: Strategy, b: Strategy, *, start: State | None = None, exact: bool = False
) -> Iterator[Visits]:
    """Yield all stage games that play reaches, with their probabilities, from the first round on.

    The lead and the ranks are kept, whether a strategy looks at them or not: every state is one
    of the game itself.
    """
    state = start_of(rules) if start is None else check_state(rules, start)
    roots = Encoder(rules).encode([state])
    space = StateSpace(rules, roots, lead=True, ranks=True)
    walk = _Walk(space, roots, exact)
    for _ in range(space.rounds_left(roots)):
        yield from walk.play_round(a, b)


class _Walk:
    """Where the probability is, before the next exposure (or at the very top: after it)."""

    def __init__(self, space: StateSpace, root: StateBatch, exact: bool) -> None:
        self.space = space
        self.exact = exact
        self._exposed = root if root.exposed[0] else None
        self.keys = space.pack_states(root)
        self.mass: Numbers = np.array([Fraction(1)], object) if exact else np.ones(1)
        self.states = 1

    def _stages(self) -> Iterator[tuple[Stages, Numbers]]:
        if self._exposed is not None:
            yield Stages.at_once(self._exposed), self.mass
            self._exposed = None
            return
        for first, batch in self.space.chunks(self.keys):
            stages = self.space.stages(batch)
            yield stages, self.mass[first + stages.owner] * stages.chances(self.exact)

    def play_round(self, a: Strategy, b: Strategy) -> Iterator[Visits]:
        """Yield the stage games of this round; when exhausted, the round has been played."""
        keys_after: list[IntArray] = []
        mass_after: list[Numbers] = []
        for stages, reach in self._stages():
            batch = stages.batch
            encoder = self.space.encoder
            answer_a = checked(a, observe(encoder, batch, "a", self.exact))
            answer_b = checked(b, observe(encoder, batch, "b", self.exact))
            yield Visits(batch, reach, answer_a, answer_b)
            joint = reach[:, None, None] * answer_a[:, :, None] * answer_b[:, None, :]
            comes: BoolArray = np.asarray(joint > 0, np.bool_)
            keys, mass = _merged(self.space.rounds(batch).keys[comes], joint[comes])
            keys_after.append(keys)
            mass_after.append(mass)
        self.keys, self.mass = _merged(np.concatenate(keys_after), np.concatenate(mass_after))
        self.states += len(self.keys)


def _merged(keys: IntArray, mass: Numbers) -> tuple[IntArray, Numbers]:
    """Return the distinct keys (or leads), ascending, and the whole mass on each."""
    distinct, where = np.unique(keys, return_inverse=True)
    if mass.dtype != object:
        return distinct, np.bincount(where, mass, minlength=len(distinct))
    total = np.zeros(len(distinct), object)
    np.add.at(total, where, mass)
    return distinct, total


_COLUMNS = ("round", "stake", "points_a", "points_b", "tie_rate", "carried")


class _Totals:
    """The expectations of one round, summed over its stage games."""

    def __init__(self, number: int, exact: bool) -> None:
        self._number = number
        self._sums: list[Any] = [0 if exact else 0.0] * (len(_COLUMNS) - 1)

    def add(self, rules: Rules, visits: Visits, space: StateSpace) -> None:
        ranks_a, ranks_b = (hand.distinct for hand in space.encoder.hands)
        # Each player's distribution against the other's: higher, level, lower.
        comparison = np.sign(ranks_a[:, None] - ranks_b)
        stake = visits.stages.stake
        parts: list[Any] = [(visits.reach * stake).sum(), 0, 0, 0, 0]
        for outcome in (1, 0, -1):
            pairs = (comparison == outcome).astype(np.int64)
            against = visits.answer_b @ pairs.T
            chance = visits.reach * (visits.answer_a * against).sum(axis=1)
            gains = settle(rules, stake, np.full(len(stake), outcome))
            if visits.reach.dtype == object:
                gains = tuple(np.vectorize(Fraction, otypes=[object])(gain) for gain in gains)
            for i, gain in zip((1, 2, 4), gains, strict=True):
                parts[i] = parts[i] + (chance * gain).sum()
            if outcome == 0:
                parts[3] = chance.sum()
        self._sums = [total + part for total, part in zip(self._sums, parts, strict=True)]

    def row(self) -> tuple[Any, ...]:
        return (self._number, *self._sums)
