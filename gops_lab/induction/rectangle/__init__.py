"""The certified sweep over rank patterns and prize sets: see `sweep`, `layout`, `kernels`."""

from gops_lab.induction.rectangle.plan import (
    SweepPlan,
    TierPlan,
    layout_name,
    plan_sweep,
    supports,
)
from gops_lab.induction.rectangle.sweep import (
    InMemory,
    Shard,
    TierReport,
    TierStore,
    report_tier,
    solve_plan,
    solve_tier,
    solve_tiers,
)
from gops_lab.induction.rectangle.table import TierTable, empty_table

__all__ = [
    "InMemory", "Shard", "SweepPlan", "TierPlan", "TierReport", "TierStore", "TierTable",
    "empty_table", "layout_name", "plan_sweep", "report_tier", "solve_plan", "solve_tier",
    "solve_tiers", "supports",
]
