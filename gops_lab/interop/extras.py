"""What is said where a library is not installed."""

from __future__ import annotations

from gops_lab.errors import MissingExtraError


def missing(library: str, extra: str) -> MissingExtraError:
    """Return the error that says which extra brings a library.

    Examples
    --------
    >>> print(missing("OpenSpiel", "openspiel"))
    OpenSpiel is not installed; pip install 'gops-lab[openspiel]' brings it
    """
    return MissingExtraError(
        f"{library} is not installed; pip install 'gops-lab[{extra}]' brings it"
    )
