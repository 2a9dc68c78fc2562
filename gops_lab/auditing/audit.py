"""The audit of a folder: what is checked, in which order, and what is said of it."""

from __future__ import annotations

import math
import os
import random
from collections import Counter
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path

from gops_lab.auditing.hands import PatternCodes, codes_of, mirror, patterns_below
from gops_lab.auditing.manifest import FIELDS, Manifest, StoredTier, read_manifest
from gops_lab.auditing.recomputation import Enclosure, Recomputation
from gops_lab.auditing.report import AuditReport, Check, Disagreement
from gops_lab.auditing.tables import Entry, PatternTable, Table, open_table
from gops_lab.decks import found_at
from gops_lab.errors import ArgumentError, GopsError, StoreError
from gops_lab.game import checks
from gops_lab.game.state import State

Progress = Callable[[int, int, int], None]
"""Called with (cards in each hand, values looked at so far, values in all)."""

MOST_SAMPLES = 10**9

_ALL_UP_TO = 20_000
"""Arrays of at most so many numbers are looked through for what can be drawn."""

_MOST_PAIRS = 300_000
"""Most pairs of bids that are tried to enumerate the patterns of a tier."""

_UNIT_ROUNDOFF = 2.0**-53


def audit(
    folder: str | os.PathLike[str],
    *,
    samples: int = 100,
    seed: int = 0,
    progress: Progress | None = None,
) -> AuditReport:
    """Re-check a stored solution by a path that shares no code with what solved and stored it.

    The manifest's seal and fields, every file's length, SHA-256, type and shape, and the patterns
    are checked first. Then values of every tier that is kept are drawn at random, or all of them
    if there are not more than `samples`; each is found again by building its stage games from the
    values of the tier below and solving them, by HiGHS or in fractions.

    Parameters
    ----------
    folder : path
        What `Solution.save` or ``gops-lab solve --out`` wrote, or the name of a solved deck that
        comes with the package, as for `gops_lab.load`.
    samples : int
        How many values of each tier to solve again.
    seed : int
        Which ones: the same seed draws the same values.
    progress : callable, optional
        Called as ``progress(cards_in_hand, values_done, values_in_all)``.

    Returns
    -------
    AuditReport
        ``agrees`` says whether everything is as the folder says; ``checks`` what was looked at and
        how much of it, ``disagreements`` what is wrong, with the state's hands, prizes, carried
        sum and lead and both values (A's view; points under ``margin``, else the utility).

    Raises
    ------
    StoreError
        If there is no manifest, or one that is damaged or of another format: nothing else can be
        checked then.
    ArgumentError
        If an argument is none of the above.

    Notes
    -----
    A stored value v of tier n must be within error(n) of what is found from the tier below it; the
    stated errors must not decrease, error(n) >= error(n - 1) + worst_gap(n) / 2, because no value
    can be more certain than that; and v must not be farther off than a stage game whose gap is
    worst_gap(n) allows, which is half of it, and rounding.

    What cannot be checked is said and not counted: where the tier below is not kept, states of at
    most four cards are solved from scratch, others are not.

    Examples
    --------
    >>> import tempfile
    >>> import gops_lab as gl
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     stored = gl.solve(gl.Rules(cards=3), method="simplex").save(folder)
    ...     report = gl.audit(folder)
    >>> report.agrees
    True
    >>> for check in report.checks[-2:]:
    ...     print(check.what, check.checked, check.total)
    tier 2 values 12 12
    tier 3 values 1 1
    """
    samples = checks.integer("samples", samples, 1, MOST_SAMPLES, ArgumentError)
    seed = checks.integer("seed", seed, 0, 2**63 - 1, ArgumentError)
    checks.callback("progress", progress, ArgumentError)
    path = found_at(checks.path("folder", folder, ArgumentError))
    manifest = read_manifest(path)
    run = _Audit(path, manifest, samples, seed, progress)
    run.check()
    return AuditReport(
        str(path), repr(manifest.game), manifest.utility.name, samples, seed,
        tuple(run.checks), tuple(run.disagreements),
    )


class _Audit:
    """One audit under way."""

    def __init__(
        self, folder: Path, manifest: Manifest, samples: int, seed: int, progress: Progress | None
    ) -> None:
        self._folder = folder
        self._manifest = manifest
        self._samples = samples
        self._seed = seed
        self._progress = progress
        self._tables: dict[int, Table] = {}
        self._done = 0
        self.checks: list[Check] = []
        self.disagreements: list[Disagreement] = []

    def check(self) -> None:
        """Check everything, cheap things first."""
        fields = len(FIELDS)
        self._say("manifest", fields, fields, "fields in order, sealed by its SHA-256, format 1")
        self._check_files()
        self._check_patterns()
        self._check_bounds()
        for tier in self._manifest.tiers.values():
            self._check_values(tier)

    def _say(self, what: str, checked: int, total: int, note: str) -> None:
        self.checks.append(Check(what, checked, total, note))

    def _check_files(self) -> None:
        codes = codes_of(self._manifest.game, self._manifest.reductions["patterns"])
        total = good = 0
        for tier in self._manifest.tiers.values():
            if not tier.files:
                continue
            total += len(tier.files)
            try:
                self._tables[tier.tier] = open_table(self._folder, self._manifest, tier, codes)
                good += len(tier.files)
            except StoreError as error:
                self.disagreements.append(Disagreement(str(error), tier.tier))
        self._say("files", good, total, "length, SHA-256, type, shape, order of what they list")

    def _check_patterns(self) -> None:
        """Compare patterns and classes with those that bids lead to, from the top tier down."""
        manifest = self._manifest
        tables = {
            cards: table for cards, table in self._tables.items()
            if isinstance(table, PatternTable)
        }
        if not tables:
            return
        codes = PatternCodes(3)
        carry, swap = manifest.game.ties == "carry", manifest.swap
        first = codes.encode(manifest.game.hand_a, manifest.game.hand_b)
        patterns = {min(first, mirror(codes, first)) if swap else first: 0}
        checked = 0
        for cards in range(manifest.game.cards, min(tables) - 1, -1):
            kept = patterns
            if manifest.drops_lead:
                # Under margin a pattern that is its own mirror is worth 0 and not stored.
                kept = {code: k for code, k in kept.items() if mirror(codes, code) != code}
            if cards in tables:
                table = tables[cards]
                stored = dict(zip(table.codes.tolist(), table.classes.tolist(), strict=True))
                checked += len(stored)
                self._compare_patterns(cards, codes, stored, kept)
            if len(patterns) * cards**2 > _MOST_PAIRS:
                break
            patterns = patterns_below(patterns, codes, carry, swap)
        total = sum(len(table.codes) for table in tables.values())
        self._say(
            "patterns", checked, total,
            "enumerated anew, with the most prizes carried; of all: legal, ascending, offsets",
        )

    def _compare_patterns(
        self, cards: int, codes: PatternCodes, stored: dict[int, int], expected: dict[int, int]
    ) -> None:
        if stored == expected:
            return
        for code in sorted(stored.keys() | expected.keys()):
            if stored.get(code) != expected.get(code):
                hand_a, hand_b = codes.decode(code)
                said, right = (
                    f"class {kinds[code]}" if code in kinds else "no such pattern"
                    for kinds in (stored, expected)
                )
                self.disagreements.append(
                    Disagreement(
                        f"pattern {code}, hands {hand_a} and {hand_b}: the file has {said}, "
                        f"the bids lead to {right}",
                        cards,
                    )
                )
                return

    def _check_bounds(self) -> None:
        """Check that no tier claims to be more certain than what it was solved from."""
        below = self._manifest.utility_error
        for tier in self._manifest.tiers.values():
            least = below + tier.worst_gap / 2
            if tier.error < least:
                self.disagreements.append(
                    Disagreement(
                        f"the stated error {tier.error} is less than {least}: the error below, "
                        f"{below}, and half of the worst gap {tier.worst_gap}",
                        tier.tier,
                    )
                )
            below = tier.error
        tiers = len(self._manifest.tiers)
        self._say("stated errors", tiers, tiers, "not below those of the tier below and half a gap")

    # Values

    def _check_values(self, tier: StoredTier) -> None:
        what = f"tier {tier.tier} values"
        if not tier.files:
            self._say(what, 0, tier.values, "not re-solved: not kept")
            return
        if tier.tier not in self._tables:
            self._say(what, 0, tier.values, "not re-solved: the files are damaged")
            return
        again = Recomputation(self._manifest, self._tables)
        entries, total = self._draw(tier, self._tables[tier.tier])
        if not again.can_enclose(tier.tier):
            damaged = self._manifest.tiers[tier.tier - 1].files
            why = "damaged" if damaged else "not kept"
            self._say(what, 0, total, f"not re-solved: the tier below is {why}")
            return
        methods: Counter[str] = Counter()
        worst = 0.0
        for entry in entries:
            state = again.state(entry)
            try:
                found = again.enclose(state)
            except GopsError as error:
                self._disagree(tier, state, entry, None, str(error))
            else:
                methods.update(found.methods)
                worst = max(worst, self._compare(tier, state, entry, found, again))
            self._advance(tier.tier)
        games = ", ".join(f"{count:,} by {name}" for name, count in sorted(methods.items()))
        source = "the end of the game"
        if self._manifest.rounds_left(tier.tier) > 1:
            source = f"tier {tier.tier - 1}" if again.has_below(tier.tier) else "scratch"
        note = (
            f"re-solved from {source}, stage games {games}; largest difference {worst:.1e}, "
            f"stated error {tier.error:.1e}"
        )
        self._say(what, len(entries), total, note if entries else "there is nothing to re-solve")

    def _draw(self, tier: StoredTier, table: Table) -> tuple[list[Entry], int]:
        """Return values to look at, and how many there are; all if they are few."""
        chance = random.Random(f"{self._seed} {tier.tier}")
        if table.size <= max(_ALL_UP_TO, 2 * self._samples):
            every = [e for e in map(table.entry, range(table.size)) if e is not None]
            # Rows may hold more: leads that no play gives, next to those that it does.
            too_many = len(every) > tier.values and tier.layout != "rows"
            if len(every) < tier.values or too_many:
                self.disagreements.append(
                    Disagreement(
                        f"{len(every)} values are stored, the report says {tier.values}", tier.tier
                    )
                )
            if len(every) <= self._samples:
                return every, len(every)
            picked = sorted(chance.sample(range(len(every)), self._samples))
            return [every[number] for number in picked], len(every)
        drawn: dict[int, Entry] = {}
        for _ in range(100 * self._samples):
            position = chance.randrange(table.size)
            entry = None if position in drawn else table.entry(position)
            if entry is not None:
                drawn[position] = entry
            if len(drawn) == self._samples:
                break
        return [drawn[position] for position in sorted(drawn)], tier.values

    def _compare(
        self, tier: StoredTier, state: State, entry: Entry, found: Enclosure, again: Recomputation
    ) -> float:
        """Compare a stored value with its enclosure; return by how much it is outside."""
        middle = (found.low + found.high) / 2
        if not math.isfinite(entry.value):
            self._disagree(tier, state, entry, middle, "the stored value is not finite")
            return math.inf
        stored = Fraction(entry.value)
        outside = max(Fraction(0), found.low - stored, stored - found.high)
        if outside > Fraction(tier.error):
            self._disagree(
                tier, state, entry, middle,
                f"they differ by {float(outside):.3g}, more than the stated error {tier.error:.3g}",
            )
        elif not self._manifest.exact and again.has_below(tier.tier):
            allowed = tier.worst_gap / 2 + self._rounding(tier, state, found)
            if outside > Fraction(allowed):
                self._disagree(
                    tier, state, entry, middle,
                    f"they differ by {float(outside):.3g}, more than half of the stated worst gap "
                    f"{tier.worst_gap:.3g} and rounding",
                )
        return float(outside)

    def _rounding(self, tier: StoredTier, state: State, found: Enclosure) -> float:
        """Bound what rounding can do to a value with a tier below that is taken as it is stored.

        Sums of n products, a mean over m prizes and a few additions, each off by one unit of the
        largest number M there is, twice over; and half a step of what the value is stored as, and
        of what the values below were when they were used.
        """
        cards, prizes = state.tier, len(state.prizes)
        arithmetic = 2 * (4 * cards + 2 * prizes + 10) * _UNIT_ROUNDOFF * found.largest
        storing = {"int32": tier.step, "float32": 2.0**-23 * found.largest}
        return arithmetic + storing.get(tier.dtype, 0.0)

    def _disagree(
        self, tier: StoredTier, state: State, entry: Entry, middle: Fraction | None, what: str
    ) -> None:
        recomputed = middle
        if middle is not None and not self._manifest.exact:
            recomputed = float(middle)  # type: ignore[assignment]
        self.disagreements.append(
            Disagreement(
                what, tier.tier, state.hand_a, state.hand_b, state.prizes, state.carried,
                state.lead, entry.value, recomputed,
            )
        )

    def _advance(self, cards: int) -> None:
        self._done += 1
        if self._progress is not None:
            total = sum(min(table.size, self._samples) for table in self._tables.values())
            self._progress(cards, self._done, max(total, self._done))
