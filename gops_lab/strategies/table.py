"""Strategies as tables: read from a CSV or Parquet file, and written to one.

A table is tidy, one row for each state and bid. There is a column ``bid``, and either a column
``probability``, which sums to 1 over the rows of each state, or a column ``weight``, which is
scaled so that it does. Those of the following that are there say which states a row is about, and a
strategy looks at nothing else:

================= ===========================================================================
column            holds
================= ===========================================================================
``hand``          the player's own cards, like ``1 3 5``
``opponent_hand`` the other player's cards
``prizes``        the prizes still hidden
``cards``         how many cards are in each hand
``upcard``        the prize exposed
``carried``       points held over from tied rounds
``stake``         upcard and carried together
``lead``          the player's own points so far minus the opponent's
================= ===========================================================================
"""

from __future__ import annotations

import os
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd
import pyarrow as pa

from gops_lab.encoding import Encoder
from gops_lab.encoding.patterns import IntArray
from gops_lab.errors import StrategyError
from gops_lab.game import Rules, checks
from gops_lab.strategies.observations import Observations, Probabilities, observe
from gops_lab.strategies.states import StateSpace
from gops_lab.strategies.strategy import SUM_TOLERANCE, Strategy, as_strategy, checked

HANDS = ("hand", "opponent_hand", "prizes")
NUMBERS = ("cards", "upcard", "carried", "stake", "lead")
COLUMNS = (*HANDS, *NUMBERS)
SHARES = ("probability", "weight")

SMALL = 1 << 22
"""Widest range of integers that is looked up in an array, not by bisection."""

MOST_ROWS = 5_000_000
"""Most rows of a table that lists states; more are refused before memory is full."""

_LOOKS_AT = {
    "hand": {"ranks"}, "opponent_hand": {"ranks", "opponent"}, "prizes": {"prizes"},
    "cards": set(), "upcard": {"upcard"}, "carried": {"carried"}, "stake": {"upcard", "carried"},
    "lead": {"lead"},
}

_READ: dict[str, Callable[[Observations], IntArray]] = {
    "hand": lambda seen: seen.batch.hand_a,
    "opponent_hand": lambda seen: seen.batch.hand_b,
    "prizes": lambda seen: seen.batch.prizes,
    "cards": lambda seen: seen.encoder.tier(seen.batch),
    "upcard": lambda seen: seen.batch.upcard,
    "carried": lambda seen: seen.batch.carried,
    "stake": lambda seen: seen.stake,
    "lead": lambda seen: seen.batch.lead,
}
"""What a column holds, of many states at once; sets of cards as masks."""


class TableStrategy(Strategy):
    """A strategy that looks its distribution up.

    Parameters
    ----------
    table : DataFrame
        Tidy rows, see this module. Sets of cards as text (``1 3 5``) or as tuples.
    name : str
        What results call it.
    otherwise : Strategy, optional
        Plays where the table has no row. Default: that is an error. Where the table has a row but
        the bid is not in the hand, its probability is dropped and the others are scaled up;
        if none is left, it is `otherwise` again.

    Raises
    ------
    StrategyError
        If the table lacks a column, has one that is not known or has both of probability and
        weight, if one of these is below 0, or if the probabilities of a state do not sum to 1.

    Examples
    --------
    >>> from gops_lab.game import State
    >>> from gops_lab.strategies import Lowest
    >>> rows = pd.DataFrame({"upcard": [3, 3], "bid": [2, 3], "probability": [0.25, 0.75]})
    >>> strategy = TableStrategy(rows, "mine", otherwise=Lowest())
    >>> strategy.distribution(Rules(cards=3), State((1, 2, 3), (1, 2, 3), (1, 2), upcard=3))
    {1: 0.0, 2: 0.25, 3: 0.75}
    """

    def __init__(
        self, table: pd.DataFrame, name: str, otherwise: Strategy | None = None
    ) -> None:
        self.name = name
        self._otherwise = None if otherwise is None else as_strategy(otherwise)
        if not isinstance(table, pd.DataFrame):
            raise StrategyError(
                f"the table of strategy {name!r} must be a DataFrame, not {table!r}"
            )
        share = self._share(list(table.columns))
        self._columns = [column for column in COLUMNS if column in table.columns]
        frame = table.reset_index(drop=True)
        shares = pd.to_numeric(frame[share], errors="coerce").to_numpy(float)
        wrong = ~(np.isfinite(shares) & (shares >= 0))
        if wrong.any():
            row = int(np.argmax(wrong))
            raise StrategyError(
                f"the table of strategy {name!r} has {share} {frame[share].tolist()[row]!r} in row "
                f"{row + 1}; it must be a number and not negative"
            )
        self._shares = shares
        self._bids = self._integers(frame, "bid")
        self._cells = {
            column: [self._cards(cell, row) for row, cell in enumerate(frame[column])]
            if column in HANDS else self._integers(frame, column).tolist()
            for column in self._columns
        }
        self._check_sums(share)
        sees: set[str] = {"ranks"}
        sees.update(*(_LOOKS_AT[column] for column in self._columns))
        self.sees = frozenset(sees | (otherwise.sees if otherwise is not None else set()))
        self._lookups: dict[Rules, _Lookup] = {}

    def probabilities(self, seen: Observations) -> Probabilities:
        """Return the distributions; see `Strategy.probabilities`."""
        if seen.rules not in self._lookups:
            self._lookups[seen.rules] = _Lookup(
                seen, self._columns, self._cells, self._bids, self._shares
            )
        shares, found = self._lookups[seen.rules].find(seen)
        weights: Probabilities = shares * seen.legal
        if seen.exact:
            weights = np.asarray(np.frompyfunc(Fraction, 1, 1)(weights))
        ones = np.ones(weights.shape[1], weights.dtype)
        total = weights @ ones
        found = found & (total > 0)
        if not found.all():
            rows = np.flatnonzero(~found)
            if self._otherwise is None:
                raise StrategyError(
                    f"the table of strategy {self.name!r} has no row for "
                    f"{seen.state(int(rows[0]))} (own hand first)"
                )
            weights[rows] = checked(self._otherwise, seen[rows])
            total = weights @ ones
        return np.asarray(weights / total[:, None])

    def _share(self, columns: list[Any]) -> str:
        """Return which of `SHARES` the table has."""
        shares = [column for column in SHARES if column in columns]
        odd = [c for c in columns if c not in (*COLUMNS, "bid", *SHARES)]
        twice = [c for c in columns if columns.count(c) > 1]
        if "bid" not in columns or not shares:
            missing = "probability" if "bid" in columns else "bid"
            what = f"lacks {missing!r}"
        elif odd:
            what = f"has {odd[0]!r}, which is not known"
        elif twice or len(shares) > 1:
            what = f"has {twice[0]!r} twice" if twice else "has both probability and weight"
        else:
            return shares[0]
        raise StrategyError(
            f"the table of strategy {self.name!r} {what}; its columns are bid, probability (or "
            f"weight) and any of {', '.join(COLUMNS)}"
        )

    def _check_sums(self, share: str) -> None:
        """Refuse a table that does not hold the whole distribution of each of its states."""
        columns = [
            [tuple(sorted(cell)) for cell in cells] if column in HANDS else cells
            for column, cells in self._cells.items()
        ]
        states = list(zip(*columns, strict=True)) if columns else [()] * len(self._shares)
        totals: dict[tuple[Any, ...], float] = {}
        for state, number in zip(states, self._shares.tolist(), strict=True):
            totals[state] = totals.get(state, 0.0) + number
        for state, total in totals.items():
            if share == "weight" and 0 < total < np.inf:
                continue
            if share == "probability" and abs(total - 1) <= SUM_TOLERANCE:
                continue
            named = [
                f"{column} {' '.join(map(str, cell)) if column in HANDS else cell}"
                for column, cell in zip(self._columns, state, strict=True)
            ]
            rule = "above 0" if share == "weight" else "1, or the column be called weight"
            raise StrategyError(
                f"the table of strategy {self.name!r} has a {share} column that sums to "
                f"{total:.12g} where {', '.join(named) or 'it says nothing of the state'} (from "
                f"row {states.index(state) + 1} on); it must sum to {rule}"
            )

    def _integers(self, frame: pd.DataFrame, column: str) -> IntArray:
        numbers = pd.to_numeric(frame[column], errors="coerce").to_numpy(float)
        wrong = ~(np.isfinite(numbers) & (numbers == np.round(numbers)))
        if wrong.any():
            row = int(np.argmax(wrong))
            raise StrategyError(
                f"the table of strategy {self.name!r} has {column} "
                f"{frame[column].tolist()[row]!r} in row {row + 1}; it must be an integer"
            )
        return numbers.astype(np.int64)

    def _cards(self, cell: Any, row: int) -> tuple[int, ...]:
        try:
            parts = cell.replace(",", " ").split() if isinstance(cell, str) else cell
            if isinstance(parts, int | np.integer):
                parts = [parts]
            return tuple(int(part) for part in parts)
        except (TypeError, ValueError):
            raise StrategyError(
                f"the table of strategy {self.name!r} has {cell!r} in row {row + 1}; cards are "
                "written like 1 3 5"
            ) from None


class _Lookup:
    """The table for one set of rules: sorted keys and a row of weights for each."""

    def __init__(
        self, seen: Observations, columns: list[str], cells: dict[str, list[Any]],
        bids: IntArray, probabilities: npt.NDArray[np.float64],
    ) -> None:
        self._columns = columns
        hands = {
            "hand": seen.encoder.hands[0], "opponent_hand": seen.encoder.hands[1],
            "prizes": seen.encoder.prizes,
        }
        usable = np.isin(bids, seen.ranks)
        coded = []
        for column in columns:
            if column not in HANDS:
                coded.append(np.array(cells[column], np.int64))
                continue
            # Rows about cards that these rules do not hold are about other games.
            masks = np.full(len(bids), -1, np.int64)
            for row, cards in enumerate(cells[column]):
                try:
                    masks[row] = hands[column].encode([tuple(cards)])[0]
                except ValueError:
                    usable[row] = False
            coded.append(masks)
        rows = np.flatnonzero(usable)
        self._digits = [_Positions(values[usable]) for values in coded]
        keys = np.zeros(len(rows), np.int64)
        for values, digits in zip(coded, self._digits, strict=True):
            keys = keys * len(digits) + digits.find(values[rows])[0]
        self._keys = _Positions(keys)
        where = self._keys.find(keys)[0]
        self._weights = np.zeros((len(self._keys), len(seen.ranks)))
        np.add.at(
            self._weights, (where, np.searchsorted(seen.ranks, bids[rows])), probabilities[rows]
        )

    def find(self, seen: Observations) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.bool_]]:
        """Return a row of weights for each state and whether there is one."""
        keys = np.zeros(len(seen), np.int64)
        found = np.full(len(seen), len(self._keys) > 0)
        if not len(self._keys):
            return np.zeros((len(seen), len(seen.ranks))), found
        for column, digits in zip(self._columns, self._digits, strict=True):
            digit, there = digits.find(_READ[column](seen))
            found &= there
            keys = keys * len(digits) + digit
        row, there = self._keys.find(keys)
        return self._weights[row], found & there


class _Positions:
    """Where integers stand among the distinct ones of a list."""

    def __init__(self, values: IntArray) -> None:
        self._sorted = np.unique(values)
        self._table: IntArray | None = None
        if len(self._sorted) and self._sorted[-1] - self._sorted[0] < SMALL:
            self._table = np.full(int(self._sorted[-1] - self._sorted[0]) + 1, -1)
            self._table[self._sorted - self._sorted[0]] = np.arange(len(self._sorted))

    def __len__(self) -> int:
        return len(self._sorted)

    def find(self, values: IntArray) -> tuple[IntArray, npt.NDArray[np.bool_]]:
        """Return the position of each value (0 where it is missing), and whether it is there."""
        if self._table is None:
            place = np.searchsorted(self._sorted, values).clip(max=len(self._sorted) - 1)
            return place, self._sorted[place] == values
        place = values - self._sorted[0]
        inside = (place >= 0) & (place < len(self._table))
        place = self._table[np.where(inside, place, 0)]
        inside &= place >= 0
        return np.where(inside, place, 0), inside


def read_strategy(
    file: str | os.PathLike[str], otherwise: Strategy | None = None
) -> TableStrategy:
    """Read a strategy from a CSV or Parquet file; see `TableStrategy`.

    Parameters
    ----------
    file : path
        Parquet if its name ends so, else CSV.
    otherwise : Strategy, optional
        Plays where the table has no row. Default: that is an error.

    Raises
    ------
    StrategyError
        If the file cannot be read as such a table.
    """
    path = checks.path("file", file, StrategyError)
    try:
        if path.suffix.lower() == ".parquet":
            table = pd.read_parquet(path)
        else:
            table = pd.read_csv(path, dtype=dict.fromkeys(HANDS, str), keep_default_na=False)
    except (OSError, ValueError, pa.ArrowException) as error:
        raise StrategyError(f"{path} cannot be read as a table of a strategy: {error}") from error
    return TableStrategy(table, f"table:{path}", otherwise)


def strategy_table(
    strategy: Strategy, rules: Rules, *, player: str = "a", opponent: Strategy | None = None
) -> pd.DataFrame:
    """Return a strategy as tidy rows, one for each state that play can reach and bid.

    Parameters
    ----------
    strategy : Strategy
    rules : Rules
        For small decks: every state is listed.
    player : {"a", "b"}
        Where it sits.
    opponent : Strategy, optional
        Only states that this opponent can bring about; default: any bids of the opponent. In both
        cases only states that the strategy itself can bring about.

    Returns
    -------
    DataFrame
        Columns hand, opponent_hand, prizes (text), upcard, carried, lead (only where the strategy
        looks at it), bid, probability; bids with probability 0 are left out.

    Raises
    ------
    StrategyError
        If it or the opponent is no strategy, an answer no distribution over the hand, or the table
        would be too long.

    Examples
    --------
    >>> from gops_lab.strategies import Highest
    >>> strategy_table(Highest(), Rules(cards=2))
      hand opponent_hand prizes  upcard  carried  bid  probability
    0  1 2           1 2      2       1        0    2          1.0
    1  1 2           1 2      1       2        0    2          1.0
    2    1             1             1        2    1          1.0
    3    1             1             2        1    1          1.0
    4    1             2             1        0    1          1.0
    5    1             2             2        0    1          1.0
    """
    encoder = Encoder(rules)
    lead = "lead" in as_strategy(strategy).sees
    if opponent is not None:
        lead = lead or "lead" in as_strategy(opponent).sees
    space = StateSpace(rules, encoder.start(), lead=lead, ranks=True)
    keys = space.pack_states(encoder.start())
    parts = []
    rows = 0
    for _ in range(rules.rounds):
        after = []
        for _, batch in space.chunks(keys):
            stages = space.stages(batch).batch
            seen = observe(encoder, stages, player)
            answer = checked(strategy, seen)
            rows += int(np.count_nonzero(answer))
            if rows > MOST_ROWS:
                raise StrategyError(
                    f"the table of strategy {strategy.name!r} for {rules!r} would have more than "
                    f"{MOST_ROWS:,} rows"
                )
            other = observe(encoder, stages, "b" if player == "a" else "a")
            reply = other.legal if opponent is None else checked(opponent, other) > 0
            own = answer > 0
            pair = (own, reply) if player == "a" else (reply, own)
            comes = pair[0][:, :, None] & pair[1][:, None, :]
            after.append(np.unique(space.rounds(stages).keys[comes]))
            parts.append(_rows(seen, answer, lead))
        keys = np.unique(np.concatenate(after))
    return pd.concat(parts, ignore_index=True)


def _rows(seen: Observations, answer: Probabilities, lead: bool) -> pd.DataFrame:
    rows, columns = np.nonzero(answer)
    hand, opponent = seen.encoder.hands
    frame: dict[str, Any] = {
        "hand": hand.texts(seen.batch.hand_a)[rows],
        "opponent_hand": opponent.texts(seen.batch.hand_b)[rows],
        "prizes": seen.encoder.prizes.texts(seen.batch.prizes)[rows],
        "upcard": seen.batch.upcard[rows],
        "carried": seen.batch.carried[rows],
    }
    if lead:
        frame["lead"] = seen.batch.lead[rows]
    frame["bid"] = seen.ranks[columns]
    frame["probability"] = answer[rows, columns]
    return pd.DataFrame(frame)
