"""The certified sweep over rank patterns and prize sets.

See `sweep`; `layout` and `rows` for where values stand without and with leads; `kernels`.
"""

from gops_lab.induction.rectangle.plan import (
    SweepPlan,
    TierPlan,
    leads_do_not_count,
    plan_sweep,
    supports,
)
from gops_lab.induction.rectangle.sweep import (
    FLOATS_UP_TO,
    Shard,
    TierReport,
    report_tier,
    solve_tier,
    solve_tiers,
)
from gops_lab.induction.rectangle.table import TierTable, empty_table

__all__ = [
    "FLOATS_UP_TO", "Shard", "SweepPlan", "TierPlan", "TierReport", "TierTable", "empty_table",
    "leads_do_not_count", "plan_sweep", "report_tier", "solve_tier", "solve_tiers", "supports",
]
