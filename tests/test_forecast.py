"""Forecasts: what they say of a solve, and that too large a solve is refused."""

from __future__ import annotations

import json
import os
import sys
from dataclasses import FrozenInstanceError

import pytest

from gops_lab.errors import ArgumentError, ForecastError, GopsError, ObjectiveError
from gops_lab.game import Rules
from gops_lab.induction.counts import count_states
from gops_lab.induction.forecast import ENGINES, available_memory, forecast
from gops_lab.induction.solve import solve

GIB = 2**30

MODULE = sys.modules[forecast.__module__]
"""The module, which the package hides behind its function of the same name."""


def test_a_forecast_is_what_the_solve_reports() -> None:
    rules = Rules(cards=5)
    expected = forecast(rules)
    solution = solve(rules)
    assert expected.counts_are_exact
    assert expected.stage_games == sum(r.stage_games for r in solution.reports.values()) == 1270
    assert expected.values == 754


def test_tiers_add_up() -> None:
    expected = forecast(Rules(cards=7), "win")
    tiers = expected.tiers
    assert list(tiers.columns) == ["tier", "patterns", "stage_games", "values"]
    assert tiers["tier"].tolist() == [7, 6, 5, 4, 3, 2, 1]
    assert tiers["stage_games"].sum() == expected.stage_games
    assert tiers["values"].sum() == expected.values
    assert not expected.counts_are_exact


def test_as_dict_survives_json_even_with_numbers_beyond_64_bits() -> None:
    expected = forecast(Rules(cards=62), "win")
    again = json.loads(json.dumps(expected.as_dict()))
    assert again["stage_games"] == expected.stage_games > 2**64
    assert Rules(**again["rules"]) == expected.rules
    assert len(again["tiers"]) == len(expected.tiers) == 62
    with pytest.raises(ForecastError, match="PiB"):
        expected.check_fits()


def test_a_forecast_cannot_be_changed() -> None:
    with pytest.raises(FrozenInstanceError):
        forecast(Rules(cards=2)).memory = 0  # type: ignore[misc]


def test_too_large_is_refused_in_one_sentence() -> None:
    expected = forecast(Rules(cards=13, ties="discard"), "win")
    with pytest.raises(ForecastError) as caught:
        expected.check_fits(16 * GIB)
    said = str(caught.value)
    assert "\n" not in said
    for part in ("Rules(cards=13, ties='discard')", "'win'", "26.1 GiB of memory", "16.0 GiB"):
        assert part in said
    assert "up to 51,726,013,023 stage games" in said


def test_what_fits_is_accepted() -> None:
    expected = forecast(Rules(cards=6))
    expected.check_fits()
    expected.check_fits(expected.memory)
    with pytest.raises(ForecastError):
        expected.check_fits(expected.memory - 1)


def test_the_full_deck_for_margin_is_not_refused_where_the_fast_sweep_solves_it() -> None:
    expected = forecast(Rules(cards=13, ties="discard"))
    assert expected.engine == "rectangle"
    expected.check_fits(4 * GIB)


def test_the_engine_is_the_one_that_solve_takes() -> None:
    deck, repeats = Rules(cards=3), Rules(hand_a=(1, 1, 2), hand_b=(1, 2, 3))
    ordered = Rules(cards=3, order="descending")
    asked = [(deck, "margin"), (deck, "win"), (repeats, "margin"), (ordered, "margin")]
    engines = [forecast(rules, objective).engine for rules, objective in asked]
    assert engines == ["rectangle", "rows", "general", "rows"]
    for (rules, objective), engine in zip(asked, engines, strict=True):
        assert solve(rules, objective).method.startswith(f"{engine} sweep")
    assert forecast(Rules(cards=3), exact=True).engine == "exact"


def test_memory_and_time_match_measurements() -> None:
    # (engine, rules, objective, bytes, seconds) of a solve, measured as `ENGINES` says.
    measured = [
        ("general", {"cards": 7}, "margin", 75e6, 0.8),
        ("general", {"cards": 9}, "margin", 718e6, 50),
        ("general", {"cards": 9, "ties": "discard"}, "margin", 485e6, 28),
        ("general", {"cards": 8}, "win", 661e6, 32),
        ("general", {"cards": 12, "rounds": 3}, "margin", 381e6, 10.7),
        ("general", {"cards": 12, "order": "ascending", "ties": "discard"}, "margin", 261e6, 16),
        ("rectangle", {"cards": 11}, "margin", 263e6, 5.7),
        ("rectangle", {"cards": 12, "ties": "discard"}, "margin", 261e6, 16),
        ("rows", {"cards": 10}, "win", 368e6, 22),
        ("rows", {"cards": 10, "ties": "discard"}, "win", 150e6, 20),
        ("rows", {"cards": 13, "order": "ascending", "ties": "discard"}, "win", 65e6, 3.6),
    ]
    for engine, kind, objective, size, seconds in measured:
        rules = Rules(**kind)  # type: ignore[arg-type]
        expected = forecast(rules, objective, engine=engine)
        assert 0.9 * size < expected.memory < 2 * size
        assert 0.8 * seconds < expected.seconds < 2 * seconds


def test_costs_grow_with_the_game() -> None:
    for cost in ENGINES.values():
        small, large = (count_states(Rules(cards=cards)) for cards in (6, 9))
        assert 0 < cost.memory(small) < cost.memory(large)
        assert 0 < cost.seconds(small) < cost.seconds(large)


def test_bad_arguments_are_named() -> None:
    with pytest.raises(GopsError, match="rules must be Rules, not 13"):
        forecast(13)  # type: ignore[arg-type]
    with pytest.raises(ObjectiveError, match="'points'"):
        forecast(Rules(cards=3), "points")
    with pytest.raises(GopsError, match="engine must be one of general, exact, rectangle, rows"):
        forecast(Rules(cards=3), engine="magic")


def test_memory_is_read_from_the_system(monkeypatch: pytest.MonkeyPatch) -> None:
    assert (available_memory() or GIB) > 2**20
    files = {
        "/proc/meminfo": ["MemTotal: 9000 kB", "MemAvailable: 5000 kB"],
        "/sys/fs/cgroup/memory.max": ["4000000"],
        "/sys/fs/cgroup/memory.current": ["1000000"],
    }
    monkeypatch.setattr(MODULE, "_lines", lambda path: files.get(path, []))
    assert available_memory() == 3_000_000
    files["/sys/fs/cgroup/memory.max"] = ["max"]
    assert available_memory() == 5_120_000


def test_memory_is_guessed_elsewhere(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(MODULE, "_lines", lambda path: [])
    sizes = {"SC_PHYS_PAGES": 1000, "SC_PAGE_SIZE": 4096}

    def sysconf(name: str) -> int:
        if name not in sizes:
            raise ValueError("unrecognized configuration name")
        return sizes[name]

    monkeypatch.setattr(os, "sysconf", sysconf, raising=False)
    assert available_memory() == 4_096_000
    monkeypatch.delattr(os, "sysconf")
    assert available_memory() is None
    forecast(Rules(cards=13, ties="discard"), "win").check_fits()


@pytest.mark.parametrize("keep", [-1, 0, 1.5, True, None, "some", 10**30])
def test_keep_is_checked_as_by_solve(keep):
    for ask in (forecast, solve):
        with pytest.raises(ArgumentError, match="keep must be"):
            ask(Rules(cards=3), keep=keep)
