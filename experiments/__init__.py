"""The experiments whose results are in ``results/``: ``python -m experiments list``."""
