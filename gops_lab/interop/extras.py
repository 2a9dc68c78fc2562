"""What is said where a library is not installed."""

from gops_lab.errors import missing

__all__ = ["missing"]
