"""Tables, figures and text made from solutions."""

from gops_lab.reporting.canvas import Plot
from gops_lab.reporting.charts import (
    plot_bid_panels,
    plot_convergence,
    plot_costs,
    plot_exploitability,
    plot_stakes,
    plot_support,
)
from gops_lab.reporting.comparisons import (
    comparison_table,
    cost_table,
    exploitability_table,
    stack_tables,
    summary_table,
)
from gops_lab.reporting.formats import write_table
from gops_lab.reporting.heat_maps import (
    plot_bids,
    plot_comparison,
    plot_leads,
    plot_stage_game,
    plot_tournament,
)
from gops_lab.reporting.saving import save_figure
from gops_lab.reporting.style import paper_style
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
    "Plot", "bids_table", "comparison_table", "cost_table", "exploitability_table",
    "first_bids_table", "lead_table", "line_table", "paper_style", "plot_bid_panels", "plot_bids",
    "plot_comparison", "plot_convergence", "plot_costs", "plot_exploitability", "plot_leads",
    "plot_stage_game", "plot_stakes", "plot_support", "plot_tournament", "save_figure",
    "stack_tables", "stage_table", "stake_table", "summary_table", "tier_table", "write_table",
]
