"""Round robins: everybody against everybody, in both seats, on the same shuffles."""

from __future__ import annotations

import hashlib
import json
import math
import os
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from gops_lab._version import __version__
from gops_lab.cluster import as_client, check_small, results
from gops_lab.errors import EvaluationError, StoreError
from gops_lab.evaluation.meta_game import meta_equilibrium
from gops_lab.evaluation.ratings import bradley_terry
from gops_lab.evaluation.simulation import MOST_DEALS, Simulation, simulate
from gops_lab.game import Rules, checks
from gops_lab.game.documents import check_shape, from_json, plain
from gops_lab.game.rules import as_rules
from gops_lab.induction.files import check_no_others, locked, replace_file, storing
from gops_lab.induction.manifest import sealed
from gops_lab.strategies import Strategy
from gops_lab.strategies.observations import Observations, Probabilities
from gops_lab.strategies.strategy import as_strategy, checked

if TYPE_CHECKING:
    from gops_lab.cluster import Client

RESULTS = "tournament.json"

_OUR_FILES = re.compile(r"\.lock|\.tournament\.json\.\d+\.tmp")
"""What else a tournament that was killed can leave behind."""

FORMAT = 2

ROW = {
    "a": str, "b": str, "deals": int, "games": int, "wins": int, "draws": int, "losses": int,
    "win_rate": float, "win_low": float, "win_high": float, "margin": float,
    "margin_low": (float, None), "margin_high": (float, None), "points_a": float,
    "points_b": float, "tie_rate": float, "unclaimed": float, "games_per_match": int, "seed": int,
    "version": str, "rules": str, "fingerprint": str,
}
"""What a kept pair holds: a row of `Tournament.pairs`, and the hash of some answers."""

ENDS = {"margin_low": -math.inf, "margin_high": math.inf}
"""What is null where it is kept: a single deal gives no interval."""

FIRST_DEALS = 256
"""Deals of a pair that are played again to see that a kept result is that of these strategies."""


@dataclass(frozen=True, eq=False)
class Tournament:
    """The results of a round robin.

    Attributes
    ----------
    rules : Rules
    pairs : DataFrame
        One self-sufficient row for each pair: a, b, deals, games (both seatings), wins, draws,
        losses and win_rate (of `a`), win_low and win_high (Wilson, 95 %), margin (mean points of
        `a` minus those of `b`), margin_low and margin_high (Student, 95 %), points_a, points_b,
        tie_rate, unclaimed, games_per_match, seed, version, rules (as JSON).
    """

    rules: Rules
    pairs: pd.DataFrame

    @property
    def names(self) -> list[str]:
        """The strategies, in the order they were entered."""
        return list(dict.fromkeys([*self.pairs["a"], *self.pairs["b"]]))

    def payoffs(self, objective: str = "margin") -> pd.DataFrame:
        """Return what the row's strategy gets from the column's.

        Under ``"margin"`` points a game, under ``"win"`` the share of games won minus that lost.
        """
        if objective not in ("margin", "win"):
            raise EvaluationError(f"objective must be 'margin' or 'win', not {objective!r}")
        names = self.names
        table = pd.DataFrame(0.0, index=names, columns=names)
        for row in self.pairs.to_dict("records"):
            payoff = row["margin"] if objective == "margin" else (
                (row["wins"] - row["losses"]) / row["games"]
            )
            table.loc[row["a"], row["b"]] = payoff
            table.loc[row["b"], row["a"]] = -payoff
        return table

    def standings(self) -> pd.DataFrame:
        """Return one row for each strategy, the best first.

        Columns: strategy, games, wins, draws, losses, score (share of points, a draw half), elo
        (Bradley-Terry, mean 0), margin (mean points won by), equilibrium (its probability in an
        optimal mixture for the meta-game of margins).
        """
        names = self.names
        place = {name: i for i, name in enumerate(names)}
        points = np.zeros((len(names), len(names)))
        counts = np.zeros((len(names), 3), np.int64)
        for row in self.pairs.to_dict("records"):
            a, b = place[row["a"]], place[row["b"]]
            points[a, b] += row["wins"] + row["draws"] / 2
            points[b, a] += row["losses"] + row["draws"] / 2
            counts[a] += (row["wins"], row["draws"], row["losses"])
            counts[b] += (row["losses"], row["draws"], row["wins"])
        games = counts.sum(axis=1)
        margins = self.payoffs()
        table = pd.DataFrame(
            {
                "strategy": names,
                "games": games,
                "wins": counts[:, 0],
                "draws": counts[:, 1],
                "losses": counts[:, 2],
                "score": points.sum(axis=1) / games,
                "elo": bradley_terry(points),
                "margin": margins.to_numpy().sum(axis=1) / (len(names) - 1),
                "equilibrium": meta_equilibrium(margins).to_numpy(),
            }
        )
        return table.sort_values(
            ["score", "strategy"], ascending=[False, True], kind="stable", ignore_index=True
        )


def tournament(
    rules: Rules,
    strategies: Sequence[Strategy],
    deals: int,
    *,
    seed: int = 0,
    games_per_match: int = 1,
    workers: int | None = None,
    folder: str | os.PathLike[str] | None = None,
    progress: Callable[[int, int], None] | None = None,
    client: Client | None = None,
) -> Tournament:
    """Let every strategy play every other, each deal in both seatings.

    All pairs see the same shuffles. A pair's own random numbers depend on the seed and the two
    names only, so a result does not change when others join the field.

    Parameters
    ----------
    rules : Rules
        With equal hands.
    strategies : sequence of Strategy
        At least two, all names different.
    deals : int
        Shuffles for each pair; twice as many games.
    seed : int
    games_per_match : int
        Games whose totals are added.
    workers : int, optional
        Threads; the results do not depend on it.
    folder : path, optional
        Where finished pairs are kept; a tournament that was interrupted goes on there. A kept
        result is used if both strategies still answer as they did in the pair's first deals, which
        are played once more to see it.
    progress : callable, optional
        Called as ``progress(deals_done, deals_in_all)``.
    client : distributed.Client, optional
        Of a Dask cluster whose workers play a pair each, in place of threads.

    Returns
    -------
    Tournament

    Raises
    ------
    StrategyError
        If one is no strategy, or its answer no distribution over the hand.
    EvaluationError
        If there are fewer than two strategies or two of one name, or the hands differ.
    StoreError
        If the folder holds other files, another tournament or a result of other strategies of the
        same names, if another process uses it, or if it cannot be used.
    ClusterError
        If the cluster is lost; pairs that are finished are kept in the folder.

    Examples
    --------
    >>> from gops_lab.strategies import Highest, MatchPrize, Uniform
    >>> field = [Uniform(), MatchPrize(), Highest()]
    >>> result = tournament(Rules(cards=6, ties="discard"), field, 500)
    >>> result.standings()["strategy"].tolist()
    ['match', 'highest', 'uniform']
    """
    as_rules(rules)
    if not isinstance(strategies, Sequence):
        raise EvaluationError(f"strategies must be a sequence of them, not {strategies!r}")
    checks.callback("progress", progress, EvaluationError)
    names = [as_strategy(strategy).name for strategy in strategies]
    if len(names) < 2:
        raise EvaluationError(f"a tournament needs at least two strategies, not {len(names)}")
    deals = checks.integer("deals", deals, 1, MOST_DEALS, EvaluationError)
    twice = [name for name in names if names.count(name) > 1]
    if twice:
        raise EvaluationError(f"two strategies are called {twice[0]!r}; names must differ")
    if client is not None:
        client = as_client(client)
        for strategy in strategies:
            check_small(f"strategy {strategy.name!r}", strategy)
    header = {
        "format": FORMAT, "version": __version__, "rules": rules.as_dict(), "deals": deals,
        "seed": seed, "games_per_match": games_per_match,
    }
    pairs = list(combinations(strategies, 2))
    how = [
        {
            "seed": seed, "pair": pair_number(a.name, b.name), "games_per_match": games_per_match,
            "swap_seats": True,
        }
        for a, b in pairs
    ]
    done = 0

    def advance(more: int, _: int = 0) -> None:
        if progress is not None:
            progress(done + more, len(pairs) * deals)

    place = None if folder is None else checks.path("folder", folder, StoreError)
    with _kept(place, header) as kept:
        prints = [
            None if folder is None else _fingerprint(rules, a, b, deals, **seeds)
            for (a, b), seeds in zip(pairs, how, strict=True)
        ]
        rows = [
            kept.get(a.name, b.name, fingerprint)
            for (a, b), fingerprint in zip(pairs, prints, strict=True)
        ]
        missing = [number for number, row in enumerate(rows) if row is None]
        tasks = [(rules, *pairs[number], deals, how[number]) for number in missing]
        played = (
            (play_pair(*task, workers=workers, progress=advance) for task in tasks)
            if client is None else results(client, play_pair, tasks)
        )
        done = (len(pairs) - len(missing)) * deals
        advance(0)
        for number, row in zip(missing, played, strict=True):
            kept.add(row, prints[number])
            rows[number] = row
            done += deals
            advance(0)
    return Tournament(rules, pd.DataFrame(rows))


def play_pair(
    rules: Rules, a: Strategy, b: Strategy, deals: int, how: Mapping[str, Any],
    workers: int | None = 1, progress: Callable[[int, int], None] | None = None,
) -> dict[str, Any]:
    """Play all deals of a pair, each in both seatings; return the row of its result."""
    return result_row(simulate(rules, a, b, deals, workers=workers, progress=progress, **how))


def pair_number(a: str, b: str) -> int:
    """Return the number of a pair of names, the same in every tournament and whoever comes first.

    Examples
    --------
    >>> pair_number("match", "uniform") == pair_number("uniform", "match")
    True
    """
    digest = hashlib.sha256("\n".join(sorted((a, b))).encode()).digest()
    return int.from_bytes(digest[:7], "big")


def result_row(found: Simulation) -> dict[str, Any]:
    """Return a simulation as a row that says all about itself; see `Tournament.pairs`."""
    win_low, win_high = found.win_interval()
    margin_low, margin_high = found.margin_interval()
    return {
        "a": found.a, "b": found.b, "deals": found.deals, "games": found.games,
        "wins": found.wins, "draws": found.draws, "losses": found.losses,
        "win_rate": found.win_rate, "win_low": win_low, "win_high": win_high,
        "margin": found.margin, "margin_low": margin_low, "margin_high": margin_high,
        "points_a": found.points_a, "points_b": found.points_b, "tie_rate": found.tie_rate,
        "unclaimed": found.unclaimed, "games_per_match": found.games_per_match,
        "seed": found.seed, "version": __version__,
        "rules": json.dumps(found.rules.as_dict()),
    }


class _Heard(Strategy):
    """A strategy all of whose answers are heard by somebody else, as bytes."""

    def __init__(self, strategy: Strategy, hear: Callable[[bytes], None]) -> None:
        self.name = strategy.name
        self.sees = strategy.sees
        self._strategy = strategy
        self._hear = hear

    def probabilities(self, seen: Observations) -> Probabilities:
        answer = checked(self._strategy, seen)
        # Rounded, as sums may differ in the last bits from machine to machine; and no -0.0.
        self._hear((np.round(answer, 9) + 0.0).astype("<f8").tobytes())
        return answer


def _fingerprint(rules: Rules, a: Strategy, b: Strategy, deals: int, **how: Any) -> str:
    """Return a hash of what two strategies answer in some games against each other.

    A name need not say what a strategy does: a table can have changed, and so can a solution.
    """
    digest = hashlib.sha256()
    a, b = _Heard(a, digest.update), _Heard(b, digest.update)
    simulate(rules, a, b, min(deals, FIRST_DEALS), workers=1, **how)
    return digest.hexdigest()


def _check_adds_up(row: dict[str, Any], header: dict[str, Any]) -> None:
    """Refuse a kept row whose numbers contradict each other, or are of another tournament."""
    games = row["wins"] + row["draws"] + row["losses"]
    agree = {
        "rules": row["rules"] == json.dumps(header["rules"]),
        **{name: row[name] == header[name] for name in ("deals", "seed", "games_per_match")},
        "games": min(row["wins"], row["draws"], row["losses"]) >= 0
        and row["games"] == games == 2 * row["deals"],
        "win_rate": row["win_rate"] == row["wins"] / max(games, 1),
        "tie_rate": 0 <= row["tie_rate"] <= 1,
    }
    for name, fits in agree.items():
        if not fits:
            raise ValueError(
                f"in the pair {row['a']!r}, {row['b']!r} {name} {row[name]!r} contradicts the rest"
            )


@contextmanager
def _kept(folder: Path | None, header: dict[str, Any]) -> Iterator[_Kept]:
    """Yield the finished pairs of a tournament; nobody else may use the folder meanwhile."""
    if folder is None:
        yield _Kept(None, header)
        return
    with storing(folder):
        folder.mkdir(parents=True, exist_ok=True)
        if not (folder / RESULTS).exists():
            check_no_others(folder, _OUR_FILES, "no tournament")
    with locked(folder):
        yield _Kept(folder / RESULTS, header)


class _Kept:
    """The finished pairs of a tournament, in a file or nowhere."""

    def __init__(self, path: Path | None, header: dict[str, Any]) -> None:
        self._path = path
        self._data: dict[str, Any] = {**header, "pairs": []}
        if path is None or not path.exists():
            return
        try:
            text = path.read_bytes()
            data = from_json(text)
            there = {name: data[name] for name in header}
        except OSError as error:
            raise StoreError(f"{path} cannot be read: {error.strerror or error}") from error
        except (ValueError, KeyError, TypeError) as error:
            raise StoreError(f"{path} is no tournament of ours: {error}") from error
        for name, value in header.items():
            if there[name] != value:
                raise StoreError(
                    f"{path} holds another tournament: {name} is {there[name]!r}, not {value!r}"
                )
        data.pop("sha256", None)
        if sealed(data) != text:
            raise StoreError(f"{path} is damaged: its SHA-256 is not the one it gives")
        try:
            check_shape("pairs", data["pairs"], [ROW])
            for row in data["pairs"]:
                _check_adds_up(row, header)
        except (ValueError, KeyError) as error:
            raise StoreError(f"{path} is garbled: {error}") from error
        self._data = data

    def get(self, a: str, b: str, fingerprint: str | None) -> dict[str, Any] | None:
        for kept in self._data["pairs"]:
            row = {name: ENDS.get(name) if end is None else end for name, end in kept.items()}
            if (row["a"], row["b"]) != (a, b):
                continue
            if row.pop("fingerprint") != fingerprint:
                raise StoreError(
                    f"{self._path} holds a result of {a!r} against {b!r}, but one of the two plays "
                    "otherwise now: give it another name, or the tournament another folder"
                )
            return row
        return None

    def add(self, row: dict[str, Any], fingerprint: str | None) -> None:
        self._data["pairs"].append(plain({**row, "fingerprint": fingerprint}))
        if self._path is not None:
            with storing(self._path):
                replace_file(self._path, sealed(self._data))
