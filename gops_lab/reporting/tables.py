"""Tables of solutions: tidy frames, one row for each thing that is said.

What the numbers mean (unit, whose payoff, which rules, what made them) travels in ``frame.attrs``
and, for Parquet, in the file's metadata; see `gops_lab.reporting.write_table`.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
import pandas as pd

from gops_lab.errors import StateError, TableError
from gops_lab.evaluation import given_away
from gops_lab.game.checks import as_integer
from gops_lab.game.state import State, check_state, expose, play_round
from gops_lab.induction.solution import Solution
from gops_lab.matrix_games import is_unique
from gops_lab.reporting.description import UNITS, description
from gops_lab.reporting.latex import FIRST_BIDS, STAGE_GAME
from gops_lab.reporting.text import NOISE

PLAYERS = ("a", "b")


def bids_table(solution: Solution, player: str = "a") -> pd.DataFrame:
    """Return the first-bid table as it is printed: a row for each upcard, a column for each bid.

    Parameters
    ----------
    solution : Solution
    player : {"a", "b"}
        Whose bids.

    Returns
    -------
    DataFrame
        Index upcard (points); columns the bids (ranks) with their probabilities, then value (A's,
        of the stage game), gap, unique (whether the player's optimal strategy is); ``attrs``
        describes them.

    Raises
    ------
    StateError
        If the player is neither "a" nor "b".

    Examples
    --------
    >>> import gops_lab as gl
    >>> gl.reporting.bids_table(gl.solve(gl.Rules(cards=2)))[[1, 2]]
              1    2
    upcard
    1       1.0  0.0
    2       0.0  1.0
    """
    tidy = solution.first_bids(player)
    columns = {
        bid: rows.set_index("upcard")["probability"] for bid, rows in tidy.groupby("bid")
    }
    wide = pd.DataFrame(columns)
    rest = tidy.drop_duplicates("upcard").set_index("upcard")[["value", "gap", "unique"]]
    table = wide.join(rest)
    said = description(solution, ["upcard", *rest.columns])
    said["units"] |= {str(bid): UNITS["probability"] for bid in wide.columns}
    table.attrs.update({"table": "first bids by upcard", **said})
    return table


def first_bids_table(solution: Solution) -> pd.DataFrame:
    """Return `Solution.first_bids` of both players in one tidy frame, with its description.

    Parameters
    ----------
    solution : Solution

    Returns
    -------
    DataFrame
        One row for each player, upcard and bid: player, upcard, bid (ranks), probability, value
        (A's, of the stage game), gap, unique; ``attrs`` describes them.

    Examples
    --------
    >>> import gops_lab as gl
    >>> table = gl.reporting.first_bids_table(gl.solve(gl.Rules(cards=2)))
    >>> table[["player", "upcard", "bid", "probability"]].tail(2)
      player  upcard  bid  probability
    6      b       2    1          0.0
    7      b       2    2          1.0
    >>> table.attrs["units"]["bid"]
    'rank'
    """
    frames = []
    for player in PLAYERS:
        frame = solution.first_bids(player)
        frame.insert(0, "player", player)
        frames.append(frame)
    table = pd.concat(frames, ignore_index=True)
    table.attrs.update({"table": FIRST_BIDS, **description(solution, table.columns)})
    return table


def stage_table(solution: Solution, state: State | None = None) -> pd.DataFrame:
    """Return a stage game: one row for each pair of bids.

    Parameters
    ----------
    solution : Solution
    state : State, optional
        With an upcard; default the state the solution started from.

    Returns
    -------
    DataFrame
        Columns bid_a, bid_b (ranks), payoff (A's, with optimal play from there on), probability_a
        and probability_b (of the two bids, each in one optimal strategy of its player). Written as
        LaTeX it is a matrix, rows A's bids.

    Raises
    ------
    StateError
        If the state has no upcard or does not fit the rules.

    Examples
    --------
    >>> import gops_lab as gl
    >>> solution = gl.solve(gl.Rules(cards=2, ties="discard"))
    >>> gl.reporting.stage_table(solution, gl.State((1, 2), (1, 2), (1,), upcard=2))
       bid_a  bid_b  payoff  probability_a  probability_b
    0      1      1     0.0            0.0            0.0
    1      1      2    -1.0            0.0            1.0
    2      2      1     1.0            1.0            0.0
    3      2      2     0.0            1.0            1.0
    """
    state = solution.start if state is None else state
    stage = solution.stage_solution(state)
    state = check_state(solution.rules, state)
    chance_a, chance_b = (solution.strategy(state, player) for player in PLAYERS)
    table = pd.DataFrame(
        [
            (bid_a, bid_b, stage.payoffs.loc[bid_a, bid_b], chance_a[bid_a], chance_b[bid_b])
            for bid_a in stage.payoffs.index
            for bid_b in stage.payoffs.columns
        ],
        columns=["bid_a", "bid_b", "payoff", "probability_a", "probability_b"],
    )
    table.attrs.update(
        {
            "table": STAGE_GAME,
            "state": state.as_dict(),
            "value": _plain(solution.value(state)),
            **description(solution, table.columns),
        }
    )
    return table


def line_table(
    solution: Solution, rounds: Iterable[Sequence[int]], start: State | None = None
) -> pd.DataFrame:
    """Return a line of play: one row for each round, with what optimal play says there.

    Parameters
    ----------
    solution : Solution
    rounds : iterable of (upcard, bid of A, bid of B)
        The prize exposed and the ranks bid, round by round; the game need not be played to its
        end. Where `start` has an upcard, the first round names it again.
    start : State, optional
        Where the line begins; default where the solution does.

    Returns
    -------
    DataFrame
        Columns round, hand_a, hand_b, prizes (text, ranks with blanks between), upcard, carried,
        lead, stake, value (A's, of the stage game), bid_a, bid_b, probability_a, probability_b (of
        the bids made), given_away_a, given_away_b (what each bid loses against the other's optimal
        strategy, not below 0), gain_a, gain_b (points scored), and for every rank r of A ``a_r``,
        of B ``b_r``: its probability in one optimal strategy, NaN where it is not held.

    Raises
    ------
    StateError
        If a prize cannot be exposed there; `IllegalBidError` if a card bid is not held.
    TableError
        If a round is not three numbers, or there is none.

    Examples
    --------
    >>> import gops_lab as gl
    >>> solution = gl.solve(gl.Rules(cards=3, ties="discard"))
    >>> line = gl.reporting.line_table(solution, [(3, 3, 1), (2, 1, 3), (1, 2, 2)])
    >>> line[["hand_a", "hand_b", "stake", "lead", "value", "bid_a", "given_away_a"]].round(4)
      hand_a hand_b  stake  lead   value  bid_a  given_away_a
    0  1 2 3  1 2 3      3     0  0.0000      3           0.0
    1    1 2    2 3      2     3  0.6667      1           0.0
    2      2      2      1     1  1.0000      2           0.0
    """
    rules = solution.rules
    state = check_state(rules, solution.start if start is None else start)
    rows: list[dict[str, Any]] = []
    played = rules.cards - state.tier
    for number, entry in enumerate(rounds, start=played + 1):
        upcard, bid_a, bid_b = _round(entry, number)
        if state.upcard is None:
            state = expose(rules, state, upcard)
        elif state.upcard != upcard:
            raise StateError(f"round {number}: upcard {state.upcard} is exposed, not {upcard}")
        result, after = play_round(rules, state, bid_a, bid_b)
        chances = {player: solution.strategy(state, player) for player in PLAYERS}
        rows.append(
            {
                "round": number,
                **_shown_state(state),
                "value": solution.value(state),
                "bid_a": bid_a,
                "bid_b": bid_b,
                "probability_a": chances["a"][bid_a],
                "probability_b": chances["b"][bid_b],
                "given_away_a": given_away(solution, state, bid_a, "a"),
                "given_away_b": given_away(solution, state, bid_b, "b"),
                "gain_a": float(result.gain_a),
                "gain_b": float(result.gain_b),
                **{
                    f"{player}_{rank}": chances[player].get(rank, np.nan)
                    for player, hand in zip(PLAYERS, (rules.hand_a, rules.hand_b), strict=True)
                    for rank in dict.fromkeys(hand)
                },
            }
        )
        state = after
    if not rows:
        raise TableError("a line of play needs at least one round (upcard, bid of A, bid of B)")
    table = pd.DataFrame(rows)
    said = description(solution, table.columns)
    for player in PLAYERS:
        said["units"] |= {
            name: f"probability of that rank in one optimal strategy of {player.upper()}"
            for name in table.columns if name.startswith(f"{player}_")
        }
    table.attrs.update({"table": "line of play", **said})
    return table


def stake_table(
    solution: Solution, state: State, carried: Iterable[int]
) -> pd.DataFrame:
    """Return value and optimal bids at a state as the stake grows.

    Parameters
    ----------
    solution : Solution
    state : State
        With an upcard; what it carries is replaced.
    carried : iterable of int
        Points held over from tied rounds; they are added to the upcard.

    Returns
    -------
    DataFrame
        One row for each stake, player and bid: carried, stake (points), player, bid, probability,
        pure (whether that bid alone is an optimal strategy), unique (whether the player's optimal
        strategy is), value (A's, of the stage game), gap.

    Raises
    ------
    StateError
        If the state has no upcard or does not fit the rules.
    TableError
        If nothing is asked for.

    Examples
    --------
    >>> import gops_lab as gl
    >>> state = gl.State((1, 4), (2, 3), (1,), upcard=4)
    >>> table = gl.reporting.stake_table(gl.solve(gl.Rules(cards=4)), state, [0, 4])
    >>> table.drop_duplicates("stake")[["stake", "value"]].round(4)
       stake  value
    0      4    3.0
    4      8    7.0
    """
    return _varied(solution, state, "carried", carried)


def lead_table(solution: Solution, state: State, leads: Iterable[int]) -> pd.DataFrame:
    """Return value and optimal bids at a state as A's lead changes.

    Parameters
    ----------
    solution : Solution
        For points (``margin``) the bids do not depend on the lead; for ``win`` they do.
    state : State
        With an upcard; its lead is replaced.
    leads : iterable of int
        A's points minus B's.

    Returns
    -------
    DataFrame
        One row for each lead, player and bid: lead, stake (points), player, bid, probability, pure
        (whether that bid alone is an optimal strategy), unique (whether the player's optimal
        strategy is), value (A's, of the stage game, the lead included), gap.

    Raises
    ------
    StateError
        If the state has no upcard or does not fit the rules.
    TableError
        If nothing is asked for.

    Examples
    --------
    >>> import gops_lab as gl
    >>> state = gl.State((1, 2, 3), (1, 2, 3), (1, 2), upcard=3)
    >>> table = gl.reporting.lead_table(gl.solve(gl.Rules(cards=3), "win"), state, [-6, 0, 6])
    >>> table.drop_duplicates("lead")["value"].tolist()
    [-1.0, 0.0, 1.0]
    """
    return _varied(solution, state, "lead", leads)


def _varied(
    solution: Solution, state: State, field: str, values: Iterable[int]
) -> pd.DataFrame:
    """Return the bids at a state with one field replaced by each value."""
    rows = []
    for value in values:
        varied = State(**{**state.as_dict(), field: value})
        stage = solution.stage_solution(varied)
        payoffs, game = stage.payoffs.to_numpy(), stage.game
        for player, side in zip(PLAYERS, ("row", "column"), strict=True):
            unique = is_unique(payoffs, side, exact=solution.exact, error=stage.error)
            # What each bid alone leaves of the value, whatever the other bids.
            lost = game.value - payoffs.min(1) if side == "row" else payoffs.max(0) - game.value
            pure = lost <= (0 if solution.exact else 2 * stage.error + game.gap + NOISE)
            rows += [
                (getattr(varied, field), varied.stake, player, bid, probability, bool(alone),
                 unique, game.value, game.gap)
                for (bid, probability), alone in zip(
                    solution.strategy(varied, player).items(), pure, strict=True
                )
            ]
    if not rows:
        raise TableError(f"no {field} is given; at least one is needed")
    columns = [field, "stake", "player", "bid", "probability", "pure", "unique", "value", "gap"]
    table = pd.DataFrame(rows, columns=columns)
    table.attrs.update(
        {
            "table": f"bids by {field}",
            "state": check_state(solution.rules, state).as_dict(),
            **description(solution, columns),
        }
    )
    return table


def _round(entry: Sequence[int], number: int) -> tuple[int, int, int]:
    try:
        numbers = [as_integer(part) for part in entry]
    except TypeError:
        numbers = []
    if len(numbers) != 3 or None in numbers:
        raise TableError(
            f"round {number} must be three whole numbers (upcard, bid of A, bid of B), not "
            f"{entry!r}"
        )
    upcard, bid_a, bid_b = (int(part) for part in numbers if part is not None)
    return upcard, bid_a, bid_b


def _shown_state(state: State) -> dict[str, Any]:
    return {
        **{
            name: " ".join(map(str, getattr(state, name)))
            for name in ("hand_a", "hand_b", "prizes")
        },
        "upcard": state.upcard,
        "carried": state.carried,
        "lead": state.lead,
        "stake": state.stake,
    }


def _plain(value: Any) -> float | str:
    return value if isinstance(value, float) else str(value)
