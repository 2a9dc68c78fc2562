"""Progress bars of the command line: for a solve, and for what is counted."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager

from tqdm import tqdm

from gops_lab.induction.timetable import Timetable
from gops_lab.strategies.response import Progress

LEAST_PROGRESS = 0.01
"""The share of a solve's time after which the bar says how much is left."""


@contextmanager
def solve_bar(hidden: bool | None) -> Iterator[Timetable]:
    """Yield a progress callback that draws one bar for the whole solve.

    `hidden` as tqdm takes ``disable``: None hides the bar where there is no terminal.
    """
    with tqdm(
        total=1.0, leave=False, delay=1.0, disable=hidden,
        bar_format="{desc}{percentage:3.0f}%|{bar}| {elapsed}{postfix}",
    ) as bar:
        # When the first news came, and how far the solve was: kernels had been compiled by then,
        # and what an interrupted solve had finished took no time now.
        first: list[tuple[float, float, int]] = []

        def show(cards: int, share: float, done: int, total: int) -> None:
            now = time.monotonic()
            if not first:
                first.append((now, share, done))
            begun, share_before, done_before = first[0]
            elapsed, progress = now - begun, share - share_before
            news = []
            if progress >= LEAST_PROGRESS:
                left = elapsed * (1.0 - share) / progress
                news.append(f"{tqdm.format_interval(left)} left")
            if elapsed > 0:
                rate = (done - done_before) / elapsed
                news.append(f"{tqdm.format_sizeof(rate)} games/s")
            bar.set_description(_in_hand(cards), refresh=False)
            bar.set_postfix_str(", ".join(news), refresh=False)
            bar.update(share - bar.n)

        yield Timetable(show)


@contextmanager
def counting_bar(hidden: bool | None, unit: str) -> Iterator[Progress]:
    """Yield a callback that draws a bar for what is counted, tier by tier; tier 0 has no name.

    `hidden` as for `solve_bar`.
    """
    with tqdm(
        unit=f" {unit}", unit_scale=True, leave=False, delay=1.0, disable=hidden
    ) as bar:

        def progress(cards: int, done: int, total: int) -> None:
            bar.total = total
            if cards:
                bar.set_description(_in_hand(cards), refresh=False)
            bar.update(done - bar.n)

        yield progress


def _in_hand(cards: int) -> str:
    return f"{cards} card{'' if cards == 1 else 's'} in hand"
