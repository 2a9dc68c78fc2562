"""Strategies by name, as they are typed on the command line and stand in results.

=============================== ==============================================================
name                            strategy
=============================== ==============================================================
``uniform``                     any card
``match``, ``prize+1``          the prize's rank, or the prize plus a number
``stake``                       the rank of the whole stake
``highest``, ``lowest``         the highest, the lowest card
``proportional``                the hand spent in proportion to the stake
``optimal:margin``              optimal play for points; ``optimal:win`` to be ahead
``solution:FOLDER``             the optimal strategy of a stored solution
``best:margin:NAME``            the best response to another strategy; ``best:win:NAME``
``epsilon:0.1:NAME``            another strategy that bids at random one time in ten
``mix:0.5:NAME:NAME``           each of two strategies half of the time
``search:regret:1000``          tree search; ``search:uct:1000:win:seed=3:explore=0.5``
``table:FILE``                  a table in a CSV or Parquet file
=============================== ==============================================================
"""

from __future__ import annotations

import re
import reprlib
from collections.abc import Callable
from fractions import Fraction

from gops_lab.errors import StrategyError
from gops_lab.game import Rules, checks
from gops_lab.game.objectives import NAMED_OBJECTIVES
from gops_lab.induction import Solution, load, solve
from gops_lab.strategies.mixtures import EpsilonGreedy, Mixture
from gops_lab.strategies.optimal import OptimalStrategy
from gops_lab.strategies.response import BestResponse
from gops_lab.strategies.search import SELECTIONS, TreeSearch
from gops_lab.strategies.simple import (
    Highest,
    Lowest,
    MatchPrize,
    MatchStake,
    Proportional,
    Uniform,
)
from gops_lab.strategies.strategy import Strategy
from gops_lab.strategies.table import read_strategy

Solver = Callable[[Rules, str], Solution]

SIMPLE: dict[str, Callable[[], Strategy]] = {
    "uniform": Uniform, "match": MatchPrize, "stake": MatchStake, "highest": Highest,
    "lowest": Lowest, "proportional": Proportional,
}

FORMS = (
    *SIMPLE, "prize+1", "optimal:margin", "solution:FOLDER", "best:margin:NAME",
    "epsilon:0.1:NAME", "mix:0.5:NAME:NAME", "search:regret:1000", "table:FILE",
)
"""One example of every form of name."""

MOST_PARTS = 100
"""Most parts of a name, with colons between them."""

LONGEST = 200
"""Longest name that a message repeats in full."""


def strategy_named(name: str, rules: Rules, solver: Solver | None = None) -> Strategy:
    """Return the strategy with this name.

    Parameters
    ----------
    name : str
        See this module.
    rules : Rules
        The game that optimal strategies are solved for.
    solver : callable, optional
        ``(rules, objective) -> Solution``, default `gops_lab.solve`: to solve each game only once,
        or with a progress bar.

    Raises
    ------
    StrategyError
        If no strategy has this name; the message lists the forms there are.

    Examples
    --------
    >>> strategy_named("epsilon:0.1:prize+2", Rules(cards=5)).name
    'epsilon:0.1:prize+2'
    """
    if not isinstance(name, str):
        raise StrategyError(f"the name of a strategy must be text, not {name!r}")
    checks.callback("solver", solver, StrategyError)
    parts = name.split(":")
    if parts[0] in ("table", "solution") and len(parts) > 1:
        # The rest is a path, whatever it is made of.
        parts = [parts[0], name.split(":", 1)[1]]
    if len(parts) > MOST_PARTS:
        raise _unknown(name, f"it has {len(parts)} parts, more than {MOST_PARTS}")
    strategy = _read(parts, name, rules, solver or solve)
    if parts:
        raise _unknown(name, f"{':'.join(parts)!r} is left over")
    return strategy


def _read(parts: list[str], name: str, rules: Rules, solver: Solver) -> Strategy:
    """Take one strategy off the front of `parts`."""
    head = _taken(parts, name)
    if head in SIMPLE:
        return SIMPLE[head]()
    if re.fullmatch(r"prize[+-][0-9]{1,9}", head):
        return MatchPrize(int(head.removeprefix("prize")))
    if head == "optimal":
        return OptimalStrategy(solver(rules, _objective(parts, name)))
    if head == "solution":
        folder = _taken(parts, name)
        strategy = OptimalStrategy(load(folder), name=f"solution:{folder}")
        if strategy.solution.rules != rules:
            raise StrategyError(
                f"{strategy.name} is of {strategy.solution.rules!r}, but {rules!r} is to be played"
            )
        return strategy
    if head == "best":
        objective = _objective(parts, name)
        return BestResponse(_read(parts, name, rules, solver), objective)
    if head == "epsilon":
        weight = _number(parts, name)
        return EpsilonGreedy(weight, _read(parts, name, rules, solver))
    if head == "mix":
        weight = _number(parts, name)
        first = _read(parts, name, rules, solver)
        return Mixture(weight, first, _read(parts, name, rules, solver))
    if head == "search":
        return _search(parts, name)
    if head == "table":
        return read_strategy(_taken(parts, name))
    raise _unknown(name, f"{head!r} is none")


def _search(parts: list[str], name: str) -> Strategy:
    selection, budget = _taken(parts, name), _taken(parts, name)
    if selection not in SELECTIONS or not re.fullmatch(r"[0-9]{1,8}", budget):
        raise _unknown(name, f"a search is one of {', '.join(SELECTIONS)} and its iterations")
    objective = "margin"
    seed = 0
    explore = None
    if parts and parts[0] in NAMED_OBJECTIVES:
        objective = parts.pop(0)
    if parts and re.fullmatch(r"seed=[0-9]{1,18}", parts[0]):
        seed = int(parts.pop(0).removeprefix("seed="))
    if parts and parts[0].startswith("explore="):
        parts[0] = parts[0].removeprefix("explore=")
        explore = float(_number(parts, name))
    return TreeSearch(int(budget), selection, objective, seed, explore)


def _objective(parts: list[str], name: str) -> str:
    objective = _taken(parts, name)
    if objective not in NAMED_OBJECTIVES:
        raise _unknown(name, f"{objective!r} is not {' or '.join(NAMED_OBJECTIVES)}")
    return objective


def _number(parts: list[str], name: str) -> float | Fraction:
    written = _taken(parts, name)
    if re.fullmatch(r"[0-9]{1,9}/[0-9]{1,9}", written) and int(written.split("/")[1]):
        return Fraction(written)
    if re.fullmatch(r"[0-9]{0,9}\.?[0-9]{1,18}", written):
        return float(written) if "." in written else int(written)
    raise _unknown(name, f"{written!r} is not a number like 0.1 or 1/3")


def _taken(parts: list[str], name: str) -> str:
    if not parts or not parts[0]:
        raise _unknown(name, "something is missing")
    return parts.pop(0)


def _unknown(name: str, why: str) -> StrategyError:
    shown = repr(name) if len(name) <= LONGEST else reprlib.repr(name)
    return StrategyError(
        f"there is no strategy {shown}: {why}; strategies are named like {', '.join(FORMS)}"
    )
