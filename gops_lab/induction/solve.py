"""From rules to a solution."""

from __future__ import annotations

import os
from collections.abc import Sequence
from contextlib import nullcontext
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from gops_lab.cluster import as_client
from gops_lab.errors import ArgumentError, ForecastError, RulesError, StateError
from gops_lab.game import checks
from gops_lab.game.objectives import WIN, Objective, as_objective
from gops_lab.game.rules import MAX_PRIZE, Rules, as_rules
from gops_lab.game.state import State, check_state, rounds_left, rules_left
from gops_lab.game.state import start as start_of
from gops_lab.induction import rectangle
from gops_lab.induction.distributed import ClusterSolver, check_workers
from gops_lab.induction.forecast import fastest_engine, forecast
from gops_lab.induction.growing import (
    Growing,
    check_space,
    clean,
    growing,
    is_complete,
    scratch_folder,
)
from gops_lab.induction.manifest import described
from gops_lab.induction.plan import plan_tiers
from gops_lab.induction.reduction import MOST_LEADS, Reducer, Reductions
from gops_lab.induction.solution import Solution
from gops_lab.induction.stage_solvers import StageSolver, stage_solver
from gops_lab.induction.store import as_path, load, taken_out
from gops_lab.induction.sweep import (
    NodeTable,
    Progress,
    Table,
    TierReport,
    as_keep,
    kept_tiers,
    solve_tier,
)
from gops_lab.induction.timetable import GROWTH, Timetable
from gops_lab.matrix_games import METHODS

if TYPE_CHECKING:
    from gops_lab.cluster import Client

MOST_WORKERS = 1024
"""Most threads that can be asked for."""

MOST_GAMES = 100
"""Longest match."""

MOST_MEMORY = 2**63 - 1
"""Most bytes that can be asked for."""


def solve(
    rules: Rules,
    objective: object = "margin",
    *,
    start: State | None = None,
    exact: bool = False,
    method: str | None = None,
    reductions: Reductions | None = None,
    workers: int | None = None,
    keep: str | int = "all",
    progress: Progress | None = None,
    out: str | os.PathLike[str] | None = None,
    resume: bool = False,
    scratch: str | os.PathLike[str] | None = None,
    memory: int | None = None,
    client: Client | None = None,
) -> Solution:
    """Solve a game by backward induction.

    Parameters
    ----------
    rules : Rules
        The game.
    objective : {"margin", "win"}, callable or dict
        What A wants of the final lead (A's points minus B's): the lead itself, its sign, or a
        utility ``lead -> number``. The game is zero-sum.
    start : State, optional
        Solve only what lies below this state. Default: the start of the game.
    exact : bool
        Use fractions throughout; for small games.
    method : {"simplex", "highs", "exact"}, optional
        Default: the fastest sweep that fits the game, see ``solution.method``. A method given makes
        it the general sweep, with stage games solved by our batch simplex, by
        `scipy.optimize.linprog` with HiGHS, or in fractions (which needs ``exact=True``). Whatever
        is used, a game whose certificate fails goes to the next method and is never accepted
        silently.
    reductions : Reductions, optional
        Which states may share a value; for testing, on the general sweep.
    workers : int, optional
        Threads; default as many as there are cores. The result does not depend on it.
    keep : "all" or int
        How many tiers to keep, from the top. States below are solved again when asked for.
    progress : callable, optional
        Called as ``progress(cards_in_hand, stage_games_done, stage_games_in_all)``.
    out : path, optional
        A folder in which the solution is stored while it is solved; see `gops_lab.load`. However
        the solve is interrupted, it can go on.
    resume : bool
        Go on with what an interrupted solve left in `out`, or in `scratch` if there is no `out`, or
        use the solution if it is complete. Rules, objective and all other arguments must be the
        same, but for `workers`, `memory`, `client` and `progress`.
    scratch : path, optional
        A folder on a disk with much space, where the fast sweep has the tables that are not kept,
        until the next is solved. It can be used by several solves, and is left as it was. Without
        `out`, tables that are kept come into memory when all is solved.
    memory : int, optional
        Bytes to do with; default what there is. Tables in `out` and `scratch` are read and written
        piece by piece, everything else has to fit, or nothing is begun. Pages of these files that
        are in use are resident beyond it, until the work unit ends or the system takes them back.
    client : distributed.Client, optional
        Of a Dask cluster whose workers do the work of the fast sweep, in place of threads. They
        must all see `scratch`, or `out` if there is none. The extra ``cluster`` brings Dask.

    Returns
    -------
    Solution

    Raises
    ------
    ArgumentError
        If another argument is none of the above.
    StateError
        If `start` does not fit the rules.
    ForecastError
        If the solve needs more memory, or space on the disk, than there is; nothing is begun then.
    ObjectiveError
        If the objective is none of the above, or a utility has no finite value where a game ends.
    StoreError
        If `out` holds something else, is in use by another process, is damaged, or cannot be
        written.
    ClusterError
        If a worker cannot take part, or the cluster is lost; what is done is kept.

    Examples
    --------
    >>> import gops_lab as gl
    >>> solution = gl.solve(gl.Rules(cards=3, ties="discard"))
    >>> solution.first_bids().query("upcard == 3")[["bid", "probability"]]
       bid  probability
    6    1          0.0
    7    2          0.0
    8    3          1.0
    """
    as_rules(rules)
    state = start_of(rules) if start is None else check_state(rules, start)
    return solve_states(
        rules, objective, [state],
        exact=exact, method=method, reductions=reductions, workers=workers, keep=keep,
        progress=progress, out=out, resume=resume, scratch=scratch, memory=memory, client=client,
    )


def solve_states(
    rules: Rules,
    objective: object,
    starts: Sequence[State],
    *,
    exact: bool = False,
    method: str | None = None,
    reductions: Reductions | None = None,
    workers: int | None = None,
    keep: str | int = "all",
    progress: Progress | None = None,
    out: str | os.PathLike[str] | None = None,
    resume: bool = False,
    scratch: str | os.PathLike[str] | None = None,
    memory: int | None = None,
    client: Client | None = None,
    dtype: str | None = None,
    upcard_only: bool = False,
) -> Solution:
    """Solve a game from several start states at once; the first is the solution's `start`.

    They may differ in the lead only. `dtype` says what the fast sweep keeps values as: float64,
    float32 or int32; default float64, or int32 where memory is short. With `upcard_only`, what can
    only follow another upcard than that of the start need not be solved, more than half of what is
    below; such a solution cannot be stored. See `solve` for the rest.
    """
    goal = as_objective(objective)
    if workers is not None:
        workers = checks.integer("workers", workers, 1, MOST_WORKERS, ArgumentError)
    keep = as_keep(keep)
    if not (reductions is None or isinstance(reductions, Reductions)):
        raise ArgumentError(f"reductions must be Reductions or None, not {reductions!r}")
    checks.callback("progress", progress, ArgumentError)
    if memory is not None:
        memory = checks.integer("memory", memory, 1, MOST_MEMORY, ArgumentError)
    if resume and out is None and scratch is None:
        raise ArgumentError("resume=True needs a folder to go on with: out=FOLDER")
    if client is not None:
        client = as_client(client)
        if out is None and scratch is None:
            raise ArgumentError(
                "a cluster needs a folder that all workers share: out=FOLDER or scratch=FOLDER"
            )
        if workers is not None:
            raise ArgumentError("workers are threads of this process; a client has its own")
    first = starts[0]
    if any(replace(state, lead=first.lead) != first for state in starts):
        raise StateError("several starts must be alike but for the lead")
    leads = [state.lead for state in starts]
    below = left_to_play(rules, first)
    reducer = Reducer(
        below, goal, min(leads), max(leads), reductions, exact, carried_apart(first)
    )
    if first.upcard is not None and keep != "all":
        keep = int(keep) + 1  # a stage game is solved from the tier below, its own has no table
    chosen = _method(method, exact)
    engine = "exact" if exact else "general"
    if method is None and not exact and reductions is None and not carried_apart(first):
        engine = fastest_engine(below, goal, reducer.start_leads)
    fast = engine in ("rectangle", "rows")
    if client is not None and not fast:
        raise ArgumentError(f"a cluster solves with the fast sweep; this needs the {engine} one")
    sweep = f"{engine} sweep, supports then simplex" if fast else f"general sweep, {chosen}"
    names = reducer.reductions.names()
    if fast and rectangle.may_drop_dominated(below, goal, reducer.start_leads):
        names.append("dominated bids")
    how = f"{sweep}, reductions: {', '.join(names) or 'none'}"

    asked_for = dtype if fast else "text" if exact else "float64"
    if keep != "all" and int(keep) >= below.rounds:
        keep = "all"
    home = passing = None
    if out is not None or scratch is not None:
        description = described(rules, goal, first, reducer, how)
        if scratch is not None:
            home = passing = scratch_folder(as_path(scratch), description, asked_for, keep)
        if out is not None:
            home = as_path(out)
        assert home is not None
        if passing is not None and home.resolve() in passing.resolve().parents:
            raise ArgumentError(f"scratch {scratch} must not be in out {out}, or the same folder")
        if is_complete(home, description, asked_for, keep, bool(resume)):
            clean(home, passing)
            return load(home) if out is not None else taken_out(home)
    expected = forecast(below, goal, engine=engine, keep=keep)
    expected.check_fits(memory, folder=home is not None)
    if fast:
        upcard = first.stake if upcard_only and first.upcard is not None else None
        plan = rectangle.plan_sweep(below, goal, reducer.start_leads, upcard=upcard)
    kept_as = asked_for or plan.dtype(keep)
    if fast and home is not None:
        check_space(plan, kept_as, keep, home, passing)
        if client is not None:
            folders = [home] if passing is None else [home, passing]
            check_workers(client, folders, expected.least_memory)

    with (
        nullcontext() if home is None
        else growing(
            home, description, kept_as, keep, bool(resume), reducer, passing=passing, memory=memory
        )
    ) as store:
        if fast:
            place = rectangle.InMemory(kept_as) if store is None else store
            sweep_on: rectangle.TierSolver = partial(rectangle.solve_tier, workers=workers)
            if client is not None and store is not None:
                sweep_on = ClusterSolver(client, plan, reducer, store)
            tables, reports = rectangle_sweep(plan, place, sweep_on, keep, progress)
        else:
            solver = stage_solver(chosen)
            tables, reports = general_sweep(reducer, starts, solver, keep, progress, store)
        if store is not None:
            tables = store.finish(reports)
    if home is not None and out is None:
        return taken_out(home)
    return Solution(rules, goal, first, reducer, tables, reports, how, reductions)


def left_to_play(rules: Rules, state: State) -> Rules:
    """Return the rules of the game from a state on, what is carried added to the upcard.

    An upcard counts only through the stake it is part of, so the stake can stand for it; the
    sums that can be carried later are then those of the prizes of the game that is left.
    """
    if state == start_of(rules) or rounds_left(rules, state) == 0:
        return rules
    if state.upcard is None or carried_apart(state):
        return rules_left(rules, state)
    return rules_left(rules, replace(state, upcard=state.stake, carried=0))


def carried_apart(state: State) -> int:
    """Return the points on the table that `left_to_play` does not make part of a prize."""
    folded = state.upcard is not None and abs(state.stake) <= MAX_PRIZE
    return 0 if folded else state.carried


def rectangle_sweep(
    plan: rectangle.SweepPlan,
    store: rectangle.TierStore,
    solver: rectangle.TierSolver,
    keep: str | int,
    progress: Progress | None,
) -> tuple[dict[int, Table], dict[int, TierReport]]:
    """Solve a game with the fast sweep over rank patterns and prize sets."""
    if isinstance(progress, Timetable):
        layout = rectangle.layout_name(plan.tiers[0])
        progress.expect([(tier.tier, tier.games) for tier in plan.tiers], GROWTH[layout])
    tables, found = rectangle.solve_plan(
        plan, store, solver=solver, progress=progress, keep=keep
    )
    reports = {
        report.tier: TierReport(
            report.tier,
            report.games,
            report.values,
            report.worst_gap,
            report.error,
            {
                "support": report.games - report.simplex_games,
                "simplex": report.simplex_games - report.escalated,
                "escalated": report.escalated,
            },
        )
        for report in found
    }
    return dict(tables), reports


def general_sweep(
    reducer: Reducer,
    starts: Sequence[State],
    solver: StageSolver,
    keep: str | int,
    progress: Progress | None,
    store: Growing | None,
) -> tuple[dict[int, Table], dict[int, TierReport]]:
    """Find all states below the starts, then solve them tier by tier; works for all rules."""
    tiers = plan_tiers(reducer, starts)
    numbers = [tier.cards for tier in tiers]
    games = [(tier.cards, len(tier.solved_stages(reducer))) for tier in reversed(tiers)]
    total = sum(count for _, count in games)
    if isinstance(progress, Timetable):
        progress.expect(games, GROWTH["exact" if reducer.exact else "general"])
    done = 0
    tables: dict[int, Table] = {}
    reports: dict[int, TierReport] = {}
    below: NodeTable | None = None
    error = reducer.utility_error
    for tier in reversed(tiers):

        def advance(games: int, cards: int = tier.cards) -> None:
            nonlocal done
            done += games
            if progress is not None:
                progress(cards, done, total)

        found = None if store is None else store.node_table(numbers, tier.cards)
        if found is None:
            below, report = solve_tier(reducer, tier, below, error, solver, advance)
            if store is not None:
                store.add_node_table(below, report)
        else:
            below, report = found
            done += report.stage_games
        error = report.error
        if below is not None:
            tables[tier.cards] = below
        reports[tier.cards] = report
    return {tier: tables[tier] for tier in kept_tiers(tables, keep)}, reports


def solve_match(
    rules: Rules,
    games: int = 3,
    *,
    objective: object = WIN,
    exact: bool = False,
    method: str | None = None,
    keep: str | int = "all",
    progress: Progress | None = None,
    out: str | os.PathLike[str] | None = None,
    resume: bool = False,
    scratch: str | os.PathLike[str] | None = None,
    memory: int | None = None,
    client: Client | None = None,
) -> list[Solution]:
    """Solve a match: the totals of several fresh games are added, and the higher total wins.

    Parameters
    ----------
    rules : Rules
        The rules of every game.
    games : int
        How many games are played.
    objective : {"win", "margin"}, callable or dict
        The utility of the final total lead.
    out : path, optional
        A folder with one for each game, ``game-1`` the first, as `solve` stores it. The last game
        is solved first.
    resume : bool
        Use the games that are complete in `out`, and go on with the one that was interrupted.
    exact, method, keep, progress, scratch, memory, client
        For every game; see `solve`.

    Returns
    -------
    list of Solution
        First game first. In each, ``lead`` is the lead over the whole match, and values are those
        of the match.

    Examples
    --------
    >>> import gops_lab as gl
    >>> first, last = gl.solve_match(gl.Rules(cards=2), games=2)
    >>> last.value(gl.State((1, 2), (1, 2), (1, 2), lead=1))
    1.0
    """
    as_rules(rules)
    games = checks.integer("games", games, 1, MOST_GAMES, RulesError)
    goal = as_objective(objective)
    fresh = start_of(rules)
    reach = sum(map(abs, rules.prizes))
    most = 2 * (games - 1) * reach + 1
    if most > MOST_LEADS:
        raise ForecastError(
            f"the last of {games} games of {rules!r} can begin with {most:,} different leads; "
            f"at most {MOST_LEADS:,} can be solved"
        )
    solutions: list[Solution] = []
    for earlier in reversed(range(games)):
        leads = sorted(range(-earlier * reach, earlier * reach + 1), key=abs)
        starts = [
            replace(fresh, lead=lead) for lead in leads
        ]
        folder = None if out is None else game_folder(out, earlier + 1)
        solution = solve_states(
            rules, goal, starts,
            exact=exact, method=method, keep=keep, progress=progress, out=folder, resume=resume,
            scratch=scratch, memory=memory, client=client,
        )
        solutions.insert(0, solution)
        goal = _followed_by(solution, games - earlier)
    return solutions


def game_folder(out: str | os.PathLike[str], game: int) -> Path:
    """Return where one game of a match is stored, the first being 1."""
    return as_path(out) / f"game-{game}"


def _followed_by(solution: Solution, games_left: int) -> Objective:
    """Return the utility of a game's final lead: the value of the next game begun with it."""
    fresh = start_of(solution.rules)
    errors = [report.error for report in solution.reports.values()]
    seen: dict[int, Any] = {}

    def next_game(lead: int) -> Any:
        if lead not in seen:
            seen[lead] = solution.value(replace(fresh, lead=lead))
        return seen[lead]

    error = max(errors, default=solution.reducer.utility_error)
    return Objective(f"match, then {games_left} more", next_game, error)


def _method(method: str | None, exact: bool) -> str:
    if exact:
        if method not in (None, "exact"):
            raise ArgumentError(f"exact=True needs method='exact', not {method!r}")
        return "exact"
    if method == "exact":
        raise ArgumentError("method='exact' needs exact=True")
    if method is not None and method not in METHODS:
        raise ArgumentError(f"method must be one of {', '.join(METHODS)}, not {method!r}")
    return method or "simplex"
