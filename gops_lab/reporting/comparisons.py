"""Games side by side: rule sets, objectives, deck sizes, and what strategies lose."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import pandas as pd

from gops_lab.errors import TableError
from gops_lab.evaluation import Exploitability
from gops_lab.induction import Forecast
from gops_lab.induction.solution import Solution
from gops_lab.reporting.description import description, units, versions
from gops_lab.reporting.tables import first_bids_table
from gops_lab.reporting.text import NOISE


def comparison_table(
    solutions: Mapping[str, Solution] | Iterable[Solution],
) -> pd.DataFrame:
    """Return the first bids of several games in one tidy frame.

    Parameters
    ----------
    solutions : mapping of str to Solution, or iterable of Solution
        Of any rules, objectives and deck sizes. Without names of yours, a game is called by what
        sets it apart: its cards, ties, order or objective.

    Returns
    -------
    DataFrame
        One row for each game, player, upcard and bid: game (its name), cards, ties, order,
        objective, then the columns of `first_bids_table`. ``attrs["games"]`` describes each game.

    Raises
    ------
    TableError
        If there is no solution, or the games need names.

    Examples
    --------
    >>> import gops_lab as gl
    >>> games = [gl.solve(gl.Rules(cards=4, ties=ties)) for ties in ("carry", "discard")]
    >>> table = gl.reporting.comparison_table(games)
    >>> rows = (table.player == "a") & (table.upcard == 4) & (table.bid == 4)
    >>> table.loc[rows, ["game", "probability"]].round(4)
                game  probability
    15    ties carry        0.728
    47  ties discard        1.000
    """
    named = _named(solutions)
    frames = []
    for name, solution in named.items():
        frame = first_bids_table(solution)
        frame.attrs = {}
        for place, (column, value) in enumerate({"game": name, **_apart(solution)}.items()):
            frame.insert(place, column, value)
        frames.append(frame)
    table = pd.concat(frames, ignore_index=True)
    objectives = {solution.objective.name for solution in named.values()}
    table.attrs.update(
        {
            "table": "comparison",
            "games": {name: _game(solution) for name, solution in named.items()},
            "certified_error": max(
                description(solution, ())["certified_error"] for solution in named.values()
            ),
            "versions": versions(),
            "units": units(table.columns, objectives.pop() if len(objectives) == 1 else ""),
        }
    )
    return table


def stack_tables(tables: Mapping[str, pd.DataFrame]) -> pd.DataFrame:
    """Return tables of one kind one below the other, each with a name.

    Parameters
    ----------
    tables : mapping of str to DataFrame
        By name; all with the same columns.

    Returns
    -------
    DataFrame
        Their rows, and before them a column game with the name. ``attrs`` keep what all the tables
        say alike; ``attrs["games"]`` keeps what each says of its rules, objective and method.

    Raises
    ------
    TableError
        If there is no table, or their columns differ.

    Examples
    --------
    >>> import gops_lab as gl
    >>> state = gl.State((2, 4), (1, 3), (1,), upcard=3)
    >>> tables = {
    ...     ties: gl.reporting.stake_table(gl.solve(gl.Rules(cards=4, ties=ties)), state, [0, 1])
    ...     for ties in ("carry", "discard")
    ... }
    >>> table = gl.reporting.stack_tables(tables)
    >>> table[["game", "stake"]].drop_duplicates().values.tolist()
    [['carry', 3], ['carry', 4], ['discard', 3], ['discard', 4]]
    """
    if not isinstance(tables, Mapping) or not tables:
        raise TableError("give a mapping of names to tables, with at least one")
    first = next(iter(tables.values()))
    frames = []
    for name, table in tables.items():
        _check_columns(table, list(first.columns))
        if list(table.columns) != list(first.columns) or "game" in table.columns:
            raise TableError(
                f"the table {name!r} has other columns than the first, or a column game"
            )
        frame = table.copy()
        frame.attrs = {}
        frame.insert(0, "game", str(name))
        frames.append(frame)
    stacked = pd.concat(frames, ignore_index=True)
    stacked.attrs.update(
        {
            str(key): value for key, value in first.attrs.items()
            if all(table.attrs.get(key) == value for table in tables.values())
        }
    )
    errors = [table.attrs["certified_error"] for table in tables.values()
              if "certified_error" in table.attrs]
    if errors:
        stacked.attrs["certified_error"] = max(errors)
    stacked.attrs["games"] = {
        str(name): {
            key: table.attrs[key] for key in ("rules", "objective", "method") if key in table.attrs
        }
        for name, table in tables.items()
    }
    return stacked


def summary_table(bids: pd.DataFrame) -> pd.DataFrame:
    """Return a table of first bids with one row for each lottery.

    Parameters
    ----------
    bids : DataFrame
        From `first_bids_table` or `comparison_table`.

    Returns
    -------
    DataFrame
        One row for each game (if there are several), player and upcard: value (A's), mean_bid
        (rank), support (text, ranks with blanks between), support_size, unique, and for several
        games distance: the total variation distance to the first game's lottery at that upcard,
        between 0 and 1, NaN where the first game has none.

    Raises
    ------
    TableError
        If a column is missing.

    Examples
    --------
    >>> import gops_lab as gl
    >>> games = [gl.solve(gl.Rules(cards=4, ties=ties)) for ties in ("carry", "discard")]
    >>> table = gl.reporting.summary_table(gl.reporting.comparison_table(games))
    >>> table.loc[table.player == "a", ["game", "upcard", "support", "distance"]].round(4).tail(4)
                game  upcard support  distance
    8   ties discard       1       1    0.0000
    9   ties discard       2   1 2 3    0.4658
    10  ties discard       3   1 3 4    0.2324
    11  ties discard       4       4    0.2720
    """
    needed = ["player", "upcard", "bid", "probability", "value", "unique"]
    _check_columns(bids, needed)
    several = "game" in bids.columns
    keys = ["game"] * several + ["player", "upcard"]
    first: dict[Any, dict[Any, float]] = {}
    rows = []
    for key, part in bids.groupby(keys, sort=False):
        chances = dict(zip(part["bid"], part["probability"].astype(float), strict=True))
        support = [bid for bid, chance in chances.items() if chance > NOISE]
        row = {
            **dict(zip(keys, key, strict=True)),
            "value": part["value"].iloc[0],
            "mean_bid": sum(bid * chance for bid, chance in chances.items()),
            "support": " ".join(map(str, support)),
            "support_size": len(support),
            "unique": part["unique"].iloc[0],
        }
        if several:
            if row["game"] == bids["game"].iloc[0]:
                first[key[1:]] = chances
            row["distance"] = _distance(chances, first.get(key[1:]))
        rows.append(row)
    table = pd.DataFrame(rows)
    said = {name: value for name, value in bids.attrs.items() if name not in ("table", "units")}
    table.attrs.update(
        {
            **said,
            "table": "summary",
            # What the payoffs are, the bids say.
            "units": units(table.columns, "") | {
                name: unit for name, unit in bids.attrs.get("units", {}).items()
                if name in table.columns
            },
        }
    )
    return table


def exploitability_table(results: Iterable[Exploitability]) -> pd.DataFrame:
    """Return what strategies lose to their best responses: one row for each.

    Parameters
    ----------
    results : iterable of Exploitability
        From `gops_lab.exploitability`; all for one objective.

    Returns
    -------
    DataFrame
        Columns cards, ties, order, objective, strategy (both names, if two play), exploitability
        and nash_conv (in the unit of the objective).

    Raises
    ------
    TableError
        If there is no result, or their objectives differ.

    Examples
    --------
    >>> import gops_lab as gl
    >>> rules = gl.Rules(cards=3, ties="discard")
    >>> found = [gl.exploitability(rules, gl.strategy_named(name, rules))
    ...          for name in ("uniform", "match")]
    >>> gl.reporting.exploitability_table(found)[["strategy", "exploitability"]].round(4)
      strategy  exploitability
    0  uniform          1.3333
    1    match          0.0000
    """
    found = list(results)
    if not found:
        raise TableError("no result is given; at least one Exploitability is needed")
    goals = sorted({result.objective for result in found})
    if len(goals) > 1:
        raise TableError(f"one table holds one objective, not {' and '.join(goals)}")
    table = pd.DataFrame(
        {
            "cards": result.rules.cards,
            "ties": result.rules.ties,
            "order": _order(result.rules.order),
            "objective": result.objective,
            "strategy": result.a if result.a == result.b else f"{result.a}, {result.b}",
            "exploitability": result.exploitability,
            "nash_conv": result.nash_conv,
        }
        for result in found
    )
    rules = list({repr(result.rules): result.rules.as_dict() for result in found}.values())
    table.attrs.update(
        {
            "table": "exploitability",
            "rules": rules[0] if len(rules) == 1 else rules,
            "objective": goals[0],
            "versions": versions(),
            "units": units(table.columns, goals[0]),
        }
    )
    return table


def cost_table(forecasts: Iterable[Forecast]) -> pd.DataFrame:
    """Return what solves cost, as they are forecast: one row for each.

    Parameters
    ----------
    forecasts : iterable of Forecast
        From `gops_lab.forecast`.

    Returns
    -------
    DataFrame
        Columns cards, ties, order, objective, stage_games and values (as counted), memory (bytes),
        seconds (on one core of the machine that was measured).

    Raises
    ------
    TableError
        If there is none.

    Examples
    --------
    >>> import gops_lab as gl
    >>> table = cost_table(gl.forecast(gl.Rules(cards=n, ties="discard")) for n in (6, 8))
    >>> table[["cards", "ties", "stage_games"]]
       cards     ties  stage_games
    0      6  discard         5796
    1      8  discard       202728
    """
    table = pd.DataFrame(
        {
            "cards": expected.rules.cards,
            "ties": expected.rules.ties,
            "order": _order(expected.rules.order),
            "objective": expected.objective,
            "stage_games": expected.stage_games,
            "values": expected.values,
            "memory": expected.memory,
            "seconds": expected.seconds,
        }
        for expected in forecasts
    )
    if not len(table):
        raise TableError("no forecast is given; at least one is needed")
    table.attrs.update(
        {"table": "costs", "versions": versions(), "units": units(table.columns, "")}
    )
    return table


def _named(
    solutions: Mapping[str, Solution] | Iterable[Solution],
) -> dict[str, Solution]:
    """Return the solutions by name; what sets them apart is the name where none is given."""
    if isinstance(solutions, Solution):
        solutions = [solutions]
    if isinstance(solutions, Mapping):
        named = {str(name): solution for name, solution in solutions.items()}
    else:
        games = list(solutions)
        parts = [_apart(game) for game in games if isinstance(game, Solution)]
        differing = [
            name for name in (parts[0] if parts else ())
            if len({part[name] for part in parts}) > 1
        ]
        names = [
            ", ".join(_called(name, part[name]) for name in differing) or "game" for part in parts
        ]
        if len(set(names)) < len(games):
            raise TableError(
                "the games do not differ in cards, ties, order or objective; name them: "
                "{'a name': solution, ...}"
            )
        named = dict(zip(names, games, strict=True))
    if not named:
        raise TableError("no solution is given; at least one is needed")
    for name, solution in named.items():
        if not isinstance(solution, Solution):
            raise TableError(f"{name!r} must be a Solution, not {solution!r}")
    return named


def _called(name: str, value: Any) -> str:
    return {"cards": f"{value} cards", "objective": f"for {value}"}.get(name, f"{name} {value}")


def _apart(solution: Solution) -> dict[str, Any]:
    """Return what sets a game apart from others, in short."""
    rules = solution.rules
    return {
        "cards": rules.cards, "ties": rules.ties, "order": _order(rules.order),
        "objective": solution.objective.name,
    }


def _game(solution: Solution) -> dict[str, Any]:
    said = description(solution, ())
    return {name: said[name] for name in ("rules", "objective", "method")}


def _order(order: str | tuple[int, ...]) -> str:
    return order if isinstance(order, str) else " ".join(map(str, order))


def _distance(chances: dict[Any, float], other: dict[Any, float] | None) -> float:
    """Return the total variation distance of two lotteries over bids."""
    if other is None:
        return float("nan")
    bids = {*chances, *other}
    return sum(abs(chances.get(bid, 0.0) - other.get(bid, 0.0)) for bid in bids) / 2


def _check_columns(table: pd.DataFrame, needed: Sequence[str]) -> None:
    if not isinstance(table, pd.DataFrame):
        raise TableError(f"a DataFrame is needed, not {table!r}")
    missing = [name for name in needed if name not in table.columns]
    if missing:
        raise TableError(f"the table has no column {missing[0]!r}; needed are {', '.join(needed)}")
