"""Tables, figures and text made from solutions."""

from gops_lab.reporting.comparisons import (
    comparison_table,
    exploitability_table,
    summary_table,
)
from gops_lab.reporting.formats import write_table
from gops_lab.reporting.tables import (
    bids_table,
    first_bids_table,
    lead_table,
    line_table,
    stage_table,
    stake_table,
)
from gops_lab.reporting.tiers import tier_table

__all__ = [
    "bids_table", "comparison_table", "exploitability_table", "first_bids_table", "lead_table",
    "line_table", "stage_table", "stake_table", "summary_table", "tier_table", "write_table",
]
