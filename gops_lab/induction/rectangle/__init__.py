"""The certified sweep over rank patterns and prize sets: see `sweep`, `layout`, `kernels`."""

from gops_lab.induction.rectangle.plan import SweepPlan, TierPlan, plan_sweep, supports
from gops_lab.induction.rectangle.sweep import (
    Shard,
    TierReport,
    report_tier,
    solve_tier,
    solve_tiers,
)
from gops_lab.induction.rectangle.table import TierTable, empty_table

__all__ = [
    "Shard", "SweepPlan", "TierPlan", "TierReport", "TierTable", "empty_table", "plan_sweep",
    "report_tier", "solve_tier", "solve_tiers", "supports",
]
