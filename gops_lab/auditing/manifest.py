"""The manifest of a stored solution, read from what ``docs/format.md`` says of it."""

from __future__ import annotations

import hashlib
import json
import math
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from gops_lab.auditing.utility import Utility
from gops_lab.errors import GopsError, StoreError
from gops_lab.game.documents import from_json
from gops_lab.game.rules import MAX_PRIZE, Rules
from gops_lab.game.state import State, check_state, rounds_left, rules_left, start

FIELDS = (
    "format", "format_version", "rules", "objective", "start", "start_leads", "game", "exact",
    "method", "reductions", "versions", "tiers", "sha256",
)
STATE = ("hand_a", "hand_b", "prizes", "upcard", "carried", "lead")
REDUCTIONS = ("patterns", "swap", "drop_lead", "decided")
LAYOUTS = {
    "blocks": ("patterns", "values"),
    "rows": ("patterns", "reached", "values"),
    "nodes": ("nodes", "values"),
}
"""Each layout, and the array that says whose values are where."""

DTYPES = ("float64", "float32", "int32", "text")

T = TypeVar("T")


@dataclass(frozen=True)
class StoredFile:
    """A file's name, length in bytes and SHA-256, as the manifest gives them."""

    name: str
    bytes: int
    sha256: str


@dataclass(frozen=True)
class StoredTier:
    """What the manifest says of one tier; `layout` is empty where no values are kept."""

    tier: int
    stage_games: int
    values: int
    worst_gap: float
    error: float
    layout: str
    prizes: int
    dtype: str
    step: float
    files: Mapping[str, StoredFile]


@dataclass(frozen=True)
class Manifest:
    """What a folder says it holds."""

    rules: Rules
    game: Rules
    utility: Utility
    start: State
    start_leads: tuple[int, int]
    exact: bool
    reductions: Mapping[str, bool]
    tiers: Mapping[int, StoredTier]

    @property
    def swap(self) -> bool:
        """Whether only one of two mirrored pairs of hands is kept."""
        return self.reductions["swap"]

    @property
    def drops_lead(self) -> bool:
        """Whether values are what is still to be gained, the lead left out."""
        return self.utility.is_margin and self.reductions["drop_lead"]

    @property
    def utility_error(self) -> float:
        """How far a utility at the end of the game may be from the truth."""
        return 0.0 if self.exact else self.utility.error

    def rounds_left(self, cards: int) -> int:
        """Return how many rounds are played from `cards` cards in each hand on."""
        return self.game.rounds - (self.game.cards - cards)


def read_manifest(folder: Path) -> Manifest:
    """Read the manifest of a folder, and check its seal, format and fields.

    Raises
    ------
    StoreError
        In one sentence, what makes it no manifest of a solution.
    """
    file = folder / "manifest.json"
    try:
        data = file.read_bytes()
    except OSError as error:
        if (folder / "journal.jsonl").exists():
            raise StoreError(
                f"{folder} holds a solve that is not finished; --resume (resume=True) ends it"
            ) from error
        raise StoreError(
            f"{folder} holds no solution that can be read: {file.name}: {error.strerror or error}"
        ) from error
    try:
        content = from_json(data)
    except ValueError as error:
        raise StoreError(f"{file} is not JSON: {error}") from error
    if not isinstance(content, dict) or content.get("format") != "gops_lab solution":
        raise StoreError(f"{file} is not the manifest of a solution")
    if type(content.get("format_version")) is not int or content["format_version"] != 1:
        raise StoreError(
            f"{file} has format version {content.get('format_version')!r}; only 1 can be audited"
        )
    rest = {name: value for name, value in content.items() if name != "sha256"}
    digest = hashlib.sha256(_text(rest)).hexdigest()
    if content.get("sha256") != digest:
        raise StoreError(f"{file} is damaged: its SHA-256 is not the one it gives")
    if data != _text({**rest, "sha256": digest}):
        raise StoreError(f"{file} is not written as the format says, though its SHA-256 fits")
    try:
        return _manifest(content)
    except (
        GopsError, ArithmeticError, AttributeError, LookupError, TypeError, ValueError
    ) as error:
        raise StoreError(f"{file} is garbled: {type(error).__name__}: {error}") from error


def _text(content: Mapping[str, Any]) -> bytes:
    return (json.dumps(content, indent=1, ensure_ascii=True) + "\n").encode("ascii")


def _manifest(content: Mapping[str, Any]) -> Manifest:
    missing = [name for name in FIELDS if name not in content]
    unknown = [name for name in content if name not in FIELDS]
    if missing or unknown:
        raise ValueError(f"fields missing: {missing}; fields not known: {unknown}")
    rules, game = _rules(content, "rules"), _rules(content, "game")
    written = _of(content, "start", dict)
    if sorted(written) != sorted(STATE):
        raise ValueError(f"start has fields {sorted(written)}")
    begun = check_state(rules, State(**written))
    low, high = (_integer(lead, "start_leads") for lead in _of(content, "start_leads", list))
    if not low <= begun.lead <= high:
        raise ValueError(f"start_leads {low}, {high} leave out the lead of start, {begun.lead}")
    expected = _game_left(rules, begun)
    if game != expected:
        raise ValueError(f"game is {game}, but what is left at start is {expected}")
    exact = _of(content, "exact", bool)
    reductions = _of(content, "reductions", dict)
    if sorted(reductions) != sorted(REDUCTIONS) or not all(
        isinstance(value, bool) for value in reductions.values()
    ):
        raise ValueError(f"reductions are {reductions}")
    reach = sum(map(abs, game.prizes)) + (0 if begun.upcard is not None else abs(begun.carried))
    utility = Utility.read(
        _of(content, "objective", dict), exact, low - reach, high + reach, reductions["swap"]
    )
    if reductions["drop_lead"] and not utility.is_margin:
        raise ValueError("drop_lead is used under another objective than margin")
    if reductions["swap"] and not reductions["patterns"] and game.hand_a != game.hand_b:
        raise ValueError("swap is used on cards though the hands differ")
    _of(content, "method", str)
    if not all(isinstance(version, str) for version in _of(content, "versions", dict).values()):
        raise ValueError(f"versions are {content['versions']}")
    is_over = rounds_left(rules, begun) == 0
    tiers = _tiers(_of(content, "tiers", dict), game, exact, is_over)
    kept = [number for number, tier in tiers.items() if tier.files]
    if kept != sorted(tiers)[len(tiers) - len(kept) :]:
        raise ValueError(f"tiers {kept} are kept, which are not the highest")
    return Manifest(rules, game, utility, begun, (low, high), exact, reductions, tiers)


def _rules(content: Mapping[str, Any], name: str) -> Rules:
    written = _of(content, name, dict)
    rules = Rules(**written)
    if rules.as_dict() != written:
        raise ValueError(f"{name} is written as {written}, not as {rules.as_dict()}")
    return rules


def _game_left(rules: Rules, begun: State) -> Rules:
    """Return the game from the start on: the stake takes the place of an upcard."""
    if begun == start(rules) or rounds_left(rules, begun) == 0:
        return rules
    if begun.upcard is None or abs(begun.stake) > MAX_PRIZE:
        return rules_left(rules, begun)
    return rules_left(
        rules,
        State(begun.hand_a, begun.hand_b, begun.prizes, begun.stake, 0, begun.lead),
    )


def _tiers(
    written: Mapping[str, Any], game: Rules, exact: bool, is_over: bool
) -> dict[int, StoredTier]:
    lowest = game.cards - game.rounds + 1
    names = [str(number) for number in range(lowest, game.cards + 1)]
    if is_over:
        names = []
    if list(written) != names:
        raise ValueError(f"tiers are {list(written)}, but the game has {names}")
    tiers = {}
    for name, entry in written.items():
        number = int(name)
        report = _of(entry, "report", dict)
        files = {
            kind: StoredFile(
                _of(file, "name", str), _count(file["bytes"], "bytes"), _of(file, "sha256", str)
            )
            for kind, file in _of(entry, "files", dict).items()
        }
        tier = StoredTier(
            number,
            _count(report["stage_games"], "stage_games"),
            _count(report["values"], "values"),
            _size(report["worst_gap"], "worst_gap"),
            _size(report["error"], "error"),
            _of(entry, "layout", str) if files else "",
            _count(entry["prizes"], "prizes") if files else 0,
            _of(entry, "dtype", str) if files else "",
            _size(entry["step"], "step") if files else 1.0,
            files,
        )
        methods = _of(report, "methods", dict)
        if sum(_count(games, "methods") for games in methods.values()) != tier.stage_games:
            raise ValueError(f"tier {name}: methods {methods} are not {tier.stage_games} games")
        if files:
            _check_entry(tier, game, exact)
        tiers[number] = tier
    return tiers


def _check_entry(tier: StoredTier, game: Rules, exact: bool) -> None:
    where = f"tier {tier.tier}"
    if tier.layout not in LAYOUTS or tier.dtype not in DTYPES:
        raise ValueError(f"{where} has layout {tier.layout!r} and dtype {tier.dtype!r}")
    if exact != (tier.dtype == "text") or (exact and tier.layout != "nodes"):
        raise ValueError(f"{where} keeps {tier.layout} of {tier.dtype}, exact is {exact}")
    if sorted(tier.files) != list(LAYOUTS[tier.layout]):
        raise ValueError(f"{where} has files {sorted(tier.files)}")
    for kind, file in tier.files.items():
        expected = f"tier-{tier.tier:02d}-{kind}-{file.sha256[:12]}.npy"
        if not re.fullmatch("[0-9a-f]{64}", file.sha256) or file.name != expected:
            raise ValueError(f"{where} names a file {file.name!r}, which should be {expected!r}")
    whole = tier.step == 1.0 if tier.dtype != "int32" else math.frexp(tier.step)[0] == 0.5
    if not whole:
        raise ValueError(f"{where} has steps of {tier.step!r}")
    left = len(game.prizes) - (game.cards - tier.tier)
    # A tier of the general sweep that has no states names no number of prizes.
    if tier.prizes != left and not (tier.layout == "nodes" and tier.prizes == 0):
        raise ValueError(f"{where} says {tier.prizes} prizes are to come; there are {left}")


def _of(content: Any, name: str, kind: type[T]) -> T:
    value = content[name]
    if type(value) is not kind:
        raise TypeError(f"{name} must be {kind.__name__}, not {value!r}")
    return value


def _integer(value: Any, name: str) -> int:
    if type(value) is not int:
        raise TypeError(f"{name} must be an integer, not {value!r}")
    return value


def _count(value: Any, name: str) -> int:
    if _integer(value, name) < 0:
        raise ValueError(f"{name} must not be negative, not {value}")
    return int(value)


def _size(value: Any, name: str) -> float:
    if type(value) not in (int, float) or not 0 <= value < math.inf:
        raise ValueError(f"{name} must be a finite number that is not negative, not {value!r}")
    return float(value)


