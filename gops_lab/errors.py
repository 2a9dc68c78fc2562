"""What can go wrong, each kind with a name.

Every error of this package is a :class:`GopsError`, and also the built-in kind a caller would
expect (``ValueError`` for bad input, ``LookupError`` for something absent, ``ArithmeticError`` for
a game that no method solves, ``RuntimeError`` for a cluster that is lost), so that a user need not
know this module to catch one. A message states the rule, the value given and what is accepted.
"""


class GopsError(Exception):
    """Base of every error this package raises on purpose."""


class ArgumentError(GopsError, ValueError):
    """An argument that is none of those accepted."""


class RulesError(GopsError, ValueError):
    """Rules that describe no game."""


class StateError(GopsError, ValueError):
    """A state that the rules do not allow."""


class IllegalBidError(StateError):
    """A bid that the player does not hold."""


class ObjectiveError(GopsError, ValueError):
    """An objective that is not known, or a utility that has no value where one is needed."""


class MatrixGameError(GopsError, ValueError):
    """A payoff matrix that is not finite and real, or a request about it that makes no sense."""


class SolverError(GopsError, ArithmeticError):
    """No method could solve a matrix game to the tolerance asked for."""


class StrategyError(GopsError, ValueError):
    """A strategy that breaks its contract, or is asked about a game it does not know."""


class EvaluationError(GopsError, ValueError):
    """An evaluation, simulation or tournament that cannot be made as asked."""


class ForecastError(GopsError, ValueError):
    """A solve that does not fit the memory at hand; refused before it starts."""


class StoreError(GopsError, ValueError):
    """A folder that does not hold the solution it should, or may not be written."""


class OccupiedError(StoreError):
    """A folder that holds something else than what is to be written or continued there."""


class WritingError(StoreError):
    """A file or folder that cannot be written."""


class ClusterError(GopsError, RuntimeError):
    """A cluster that cannot do the work, or was lost in the middle of it."""


class MissingTableError(GopsError, LookupError):
    """A stored solution does not keep the table that was asked for."""


class TableError(GopsError, ValueError):
    """A table that cannot be made as asked, a format not known, a file that cannot be written."""


class FigureError(GopsError, ValueError):
    """Data that a figure cannot show, a style not known, a file that cannot be written."""


class MissingExtraError(GopsError, ImportError):
    """A library that comes with an extra of this package is not installed."""


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
