"""Re-checking a stored solution by a second path.

This room reads a folder from what ``docs/format.md`` says of it and solves its stage games anew. It
shares no code with what wrote the folder: of this package it imports the rules of the game, the
reference solver of a single matrix game, the names of errors and those of the decks that come with
it, nothing else; a test reads the imports. Where it and the sweep agree, two programs agree.
"""

from gops_lab.auditing.audit import audit
from gops_lab.auditing.report import AuditReport, Check, Disagreement

__all__ = ["AuditReport", "Check", "Disagreement", "audit"]
