"""What a solve will cost, before it starts: how many states, how much memory, how long.

The counts come from `gops_lab.induction.counts`; `ENGINES` turns them into bytes and seconds.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pandas as pd

from gops_lab.errors import ArgumentError, ForecastError
from gops_lab.game.objectives import Objective, as_objective
from gops_lab.game.rules import Rules, as_rules
from gops_lab.induction import rectangle
from gops_lab.induction.counts import Counts, TierCount, count_states
from gops_lab.induction.rectangle import FLOATS_UP_TO
from gops_lab.induction.sweep import as_keep


@dataclass(frozen=True, kw_only=True)
class EngineCost:
    """What an engine needs, fitted to measurements.

    An *entry* is one number of a payoff matrix: a stage game with n cards in hand has n**2.
    *Tables* hold the values of tiers; an engine may be able to have them in files.

    Attributes
    ----------
    bytes_fixed, bytes_per_game, bytes_per_value : int
        Kept while a solve runs, whatever its size, for each stage game and for each value.
    bytes_per_entry, entries_at_once : int
        Working memory: for each entry of the largest tier, up to so many.
    halved_beyond : int, optional
        Tables that take more bytes than this are kept at half the size.
    files : bool
        Whether tables can be in files, read and written piece by piece.
    bytes_per_place : int
        For each stage game and each value of one pattern: where they stand is the same for others.
    bytes_per_comparison : int
        For each pattern and each pair of bids; n**2 for a pattern of n cards.
    seconds_per_entry : float
        Finding, solving and averaging stage games.
    seconds_per_last_entry : float
        The same in the last round, where the highest card is best.
    seconds_per_pattern : float
        Working out what remains of a pattern after each pair of bids; times n**4.
    seconds_per_tier : float
        Calls that take the same time for every size; times n**2.
    growth : float
        How many times longer an entry takes with each card in hand above four.
    """

    bytes_fixed: int
    bytes_per_game: int = 0
    bytes_per_value: int
    bytes_per_entry: int = 0
    entries_at_once: int = 0
    bytes_per_place: int = 0
    bytes_per_comparison: int = 0
    seconds_per_entry: float
    seconds_per_last_entry: float
    seconds_per_pattern: float = 0.0
    seconds_per_tier: float = 0.0
    growth: float = 1.0
    halved_beyond: int | None = None
    files: bool = False

    def memory(self, counts: Counts) -> int:
        """Return the largest amount of memory at one time besides tables, in bytes."""
        largest = max(tier.stage_games * tier.tier**2 for tier in counts.tiers)
        comparisons = sum(tier.patterns * tier.tier**2 for tier in counts.tiers)
        places = sum(
            (tier.stage_games + tier.values) // max(tier.patterns, 1) for tier in counts.tiers
        )
        return (
            self.bytes_fixed
            + self.bytes_per_game * counts.stage_games
            + self.bytes_per_entry * min(largest, self.entries_at_once)
            + self.bytes_per_place * places
            + self.bytes_per_comparison * comparisons
        )

    def tables(self, counts: Counts, keep: str | int) -> int:
        """Return the most bytes of tables at one time if so many of the highest tiers are kept."""
        values = [tier.values for tier in reversed(counts.tiers)]
        held = rectangle.held_at_once(values, keep if self.files else "all")
        size = self.bytes_per_value * held
        if self.halved_beyond is not None and size > self.halved_beyond:
            size //= 2
        return size

    def seconds(self, counts: Counts) -> float:
        """Return the time on one core."""
        total = 0.0
        for tier in counts.tiers:
            each = self.seconds_per_entry * self.growth ** max(0, tier.tier - 4)
            if tier == counts.tiers[-1]:
                each = self.seconds_per_last_entry
            total += each * tier.stage_games * tier.tier**2
            total += self.seconds_per_pattern * tier.patterns * tier.tier**4
            total += self.seconds_per_tier * tier.tier**2
        return total


# How these were measured: a fresh process, a 3-card solve to have the kernels compiled, then the
# rise of VmHWM (/proc/self/status, reset through clear_refs) and process_time around one solve, on
# a 2-core 24 GiB Linux machine with Python 3.11 and NumPy 2. What was measured over the forecast:
#
#                                                               memory       seconds
#   general, margin, 6-9 cards, carry and discard               0.6 - 0.95   0.7 - 1.0
#   general, win, 6-8 cards (the counts themselves are bounds)  0.4 - 0.8    0.5 - 0.7
#   general, 10-13 cards in a known order; 3 rounds of 12       0.5 - 0.85   0.8 - 1.2
#   rectangle, 9-12 cards, carry and discard                    0.2 - 0.8    0.7 - 1.5
#   rows, win, 8-12 cards (the counts themselves are bounds)    0.2 - 0.7    0.8 - 2.0
#   rows, 13 cards in a known order; 4 rounds of 12             0.8 - 1.1    0.7 - 1.1
#
# With tables in files, the rise of the memory that no file is behind (RssAnon) is what is measured:
# 190 MB for rows, win, 11 cards carry, 35 MB for rectangle, 12 cards carry.
#
# Fractions grow from tier to tier in a way that depends on the game: under margin a matrix of tier
# 5 took 0.02 s (discard) or 0.5 s (carry), under win 0.002 s. So the seconds of "exact" are an
# order of magnitude for margin beyond 5 cards, and far too many for win.
ENGINES: dict[str, EngineCost] = {
    "general": EngineCost(
        bytes_fixed=2_000_000,
        bytes_per_game=160,
        bytes_per_value=140,
        bytes_per_entry=160,
        entries_at_once=2_000_000,
        bytes_per_comparison=8,
        seconds_per_entry=9e-7,
        seconds_per_last_entry=1.2e-7,
        seconds_per_pattern=2.5e-8,
        seconds_per_tier=5e-4,
    ),
    "exact": EngineCost(
        bytes_fixed=2_000_000,
        bytes_per_game=500,
        bytes_per_value=500,
        bytes_per_entry=160,
        entries_at_once=2_000_000,
        bytes_per_comparison=8,
        seconds_per_entry=8e-5,
        seconds_per_last_entry=1e-5,
        seconds_per_tier=5e-4,
        growth=100.0,
    ),
    "rectangle": EngineCost(
        bytes_fixed=10_000_000,
        bytes_per_value=10,
        bytes_per_place=700,
        files=True,
        seconds_per_entry=1.7e-9,
        seconds_per_last_entry=4e-9,
        seconds_per_tier=1e-4,
        halved_beyond=FLOATS_UP_TO,
    ),
    "rows": EngineCost(
        bytes_fixed=10_000_000,
        bytes_per_value=8,
        bytes_per_place=350,
        files=True,
        bytes_per_comparison=2,
        seconds_per_entry=4e-9,
        seconds_per_last_entry=2e-9,
        seconds_per_pattern=1.5e-9,
        seconds_per_tier=1e-4,
        halved_beyond=FLOATS_UP_TO,
    ),
}
"""What the engines of `gops_lab.solve` need; a new one is one more entry, and a line in
`fastest_engine`."""


@dataclass(frozen=True)
class Forecast:
    """What a solve from the start of a game will need.

    Attributes
    ----------
    rules : Rules
    objective : str
        Its name.
    engine : str
        A key of `ENGINES`.
    counts : Counts
        Patterns, stage games and values of each tier.
    memory : int
        Bytes, on top of what the process holds before.
    tables : int
        Bytes of the tables in it. They can be in a folder instead: see `least_memory`.
    seconds : float
        On one core of the machine that was measured.
    """

    rules: Rules
    objective: str
    engine: str
    counts: Counts
    memory: int
    tables: int
    seconds: float

    @property
    def least_memory(self) -> int:
        """Bytes of memory with all tables that can be in a folder there; see `gops_lab.solve`."""
        return self.memory - self.tables * ENGINES[self.engine].files

    @property
    def tiers(self) -> pd.DataFrame:
        """One row for each tier, the highest first: tier, patterns, stage_games, values."""
        return pd.DataFrame(self.counts.tiers, columns=list(TierCount._fields))

    @property
    def stage_games(self) -> int:
        """Stage games to solve."""
        return self.counts.stage_games

    @property
    def values(self) -> int:
        """Values of states before the next exposure."""
        return self.counts.values

    @property
    def counts_are_exact(self) -> bool:
        """Whether the counts are exact; else they are upper bounds."""
        return self.counts.exact

    def as_dict(self) -> dict[str, Any]:
        """Return everything as plain values that JSON can hold."""
        return {
            "rules": self.rules.as_dict(),
            "objective": self.objective,
            "engine": self.engine,
            "tiers": [tier._asdict() for tier in self.counts.tiers],
            "stage_games": self.stage_games,
            "values": self.values,
            "counts_are_exact": self.counts_are_exact,
            "memory": self.memory,
            "least_memory": self.least_memory,
            "tables": self.tables,
            "seconds": self.seconds,
        }

    def check_fits(self, memory: int | None = None, *, folder: bool = False) -> None:
        """Refuse a solve that does not fit the memory.

        Parameters
        ----------
        memory : int, optional
            Bytes that may be used; default what this machine has available. Where that cannot be
            found out, nothing is refused.
        folder : bool
            Whether there is a folder for the tables.

        Raises
        ------
        ForecastError
            If more is needed.
        """
        available = available_memory() if memory is None else memory
        needed = self.least_memory if folder else self.memory
        if available is not None and needed > available:
            most = "" if self.counts_are_exact else "up to "
            else_ = "start from a later state"
            if not folder and self.least_memory <= available:
                else_ = f"give a scratch folder with {readable_size(self.tables)} of space"
            raise ForecastError(
                f"solving {self.rules!r} for objective {self.objective!r} needs about "
                f"{readable_size(needed)} of memory ({most}{self.stage_games:,} stage games), "
                f"but {readable_size(available)} are available; take fewer cards, or {else_}"
            )


def forecast(
    rules: Rules,
    objective: object = "margin",
    *,
    exact: bool = False,
    engine: str | None = None,
    keep: str | int = "all",
) -> Forecast:
    """Say how large a solve would be, without listing its states.

    Parameters
    ----------
    rules : Rules
        The game; what lies below a state is a game of its own (`gops_lab.game.state.rules_left`).
    objective : {"margin", "win"}, callable or dict
        As `gops_lab.solve` takes it.
    exact : bool
        Whether fractions are to be used throughout.
    engine : {"general", "exact", "rectangle", "rows"}, optional
        Default: the one that `gops_lab.solve` takes.
    keep : "all" or int
        How many tiers are kept, from the top; the others are needed until the next is solved.

    Returns
    -------
    Forecast

    Raises
    ------
    ArgumentError
        If an argument is none of the above.

    Examples
    --------
    >>> expected = forecast(Rules(cards=6, ties="discard"))
    >>> expected.stage_games, expected.values, expected.counts_are_exact
    (5796, 1631, True)
    >>> forecast(Rules(cards=13, ties="discard"), "win").check_fits(2**34)
    Traceback (most recent call last):
    ...
    gops_lab.errors.ForecastError: solving Rules(cards=13, ties='discard') for objective 'win'
    needs about 26.1 GiB of memory (up to 51,726,013,023 stage games), but 16.0 GiB are available;
    take fewer cards, or give a scratch folder with 25.6 GiB of space
    """
    as_rules(rules)
    goal = as_objective(objective)
    keep = as_keep(keep)
    if engine is None:
        engine = "exact" if exact else fastest_engine(rules, goal)
    elif engine not in ENGINES:
        raise ArgumentError(f"engine must be one of {', '.join(ENGINES)}, not {engine!r}")
    counts = count_states(rules, goal)
    cost = ENGINES[engine]
    tables = cost.tables(counts, keep)
    memory = cost.memory(counts) + tables
    return Forecast(rules, goal.name, engine, counts, memory, tables, cost.seconds(counts))


def fastest_engine(
    rules: Rules, objective: Objective, start_leads: tuple[int, int] = (0, 0)
) -> str:
    """Return the key in `ENGINES` of the fastest one in floats that can solve a game."""
    if rectangle.supports(rules, objective, start_leads):
        return "general"
    return "rectangle" if rectangle.leads_do_not_count(rules, objective) else "rows"


def available_memory() -> int | None:
    """Return how many bytes new work can use, or None where the system does not say.

    Linux says what is available without swapping, and a container what its limit leaves; other
    systems with POSIX say how much is unused, or at least how much is built in.
    """
    found = [_linux_memory(), _container_memory()]
    known = [size for size in found if size is not None]
    if known:
        return min(known)
    for pages in ("SC_AVPHYS_PAGES", "SC_PHYS_PAGES"):
        try:
            size = os.sysconf(pages) * os.sysconf("SC_PAGE_SIZE")
        except (AttributeError, ValueError, OSError):
            continue
        if size > 0:
            return size
    return None


def _linux_memory() -> int | None:
    for line in _lines("/proc/meminfo"):
        if line.startswith("MemAvailable:"):
            return 1024 * int(line.split()[1])
    return None


def _container_memory() -> int | None:
    """Return what the limit of a version 2 control group leaves."""
    limit, used = (_lines(f"/sys/fs/cgroup/memory.{name}") for name in ("max", "current"))
    if not limit or not used or not limit[0].isdigit():
        return None
    return max(0, int(limit[0]) - int(used[0]))


def _lines(path: str) -> list[str]:
    try:
        return Path(path).read_text(encoding="ascii").splitlines()
    except (OSError, UnicodeDecodeError):
        return []


def readable_size(count: int) -> str:
    """Return a number of bytes in the largest unit that keeps it above 1.

    Examples
    --------
    >>> readable_size(1_500_000)
    '1.4 MiB'
    """
    amount = float(count)
    for unit in ("bytes", "KiB", "MiB", "GiB", "TiB"):
        if amount < 1024:
            return f"{amount:.0f} {unit}" if unit == "bytes" else f"{amount:,.1f} {unit}"
        amount /= 1024
    return f"{amount:,.1f} PiB" if amount < 1e6 else f"{amount:.1e} PiB"
