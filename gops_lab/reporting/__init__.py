"""Tables and text made from solutions."""

from gops_lab.reporting.tables import bids_table, first_bids_table, write_table

__all__ = ["bids_table", "first_bids_table", "write_table"]
