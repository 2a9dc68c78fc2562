"""Strategies against each other: exact payoffs, best responses."""

from gops_lab.evaluation.exact import Evaluation, evaluate
from gops_lab.evaluation.exploitability import (
    Exploitability,
    best_response_value,
    certified_exploitability,
    expected_margin,
    exploitability,
    regrets,
)

__all__ = [
    "Evaluation", "Exploitability", "best_response_value", "certified_exploitability", "evaluate",
    "expected_margin", "exploitability", "regrets",
]
