"""The certified sweep over rank patterns and prize sets.

See `sweep`; `layout` and `rows` for where values stand without and with leads; `kernels`.
"""

from gops_lab.induction.rectangle.plan import (
    FLOATS_UP_TO,
    SweepPlan,
    TierPlan,
    held_at_once,
    layout_name,
    leads_do_not_count,
    may_drop_dominated,
    plan_sweep,
    supports,
)
from gops_lab.induction.rectangle.rows import RowLayouts
from gops_lab.induction.rectangle.sweep import (
    InMemory,
    Shard,
    TierReport,
    TierSolver,
    TierStore,
    TierTask,
    report_tier,
    solve_plan,
    solve_tier,
    solve_tiers,
    tier_task,
)
from gops_lab.induction.rectangle.table import TierTable, empty_table

__all__ = [
    "FLOATS_UP_TO", "InMemory", "RowLayouts", "Shard", "SweepPlan", "TierPlan", "TierReport",
    "TierSolver", "TierStore", "TierTable", "TierTask", "empty_table", "held_at_once",
    "layout_name", "leads_do_not_count", "may_drop_dominated", "plan_sweep", "report_tier",
    "solve_plan", "solve_tier", "solve_tiers", "supports", "tier_task",
]
