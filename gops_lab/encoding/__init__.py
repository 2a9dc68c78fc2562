"""The vectorised state encoder; see `Encoder`."""

from gops_lab.encoding.batch import StateBatch, concatenate
from gops_lab.encoding.card_sets import CardSets
from gops_lab.encoding.encoder import Encoder, hand_codes, prize_sets
from gops_lab.encoding.features import feature_names, features
from gops_lab.encoding.patterns import HandCodes, Patterns, RawHands, children, comparisons

__all__ = [
    "CardSets", "Encoder", "HandCodes", "Patterns", "RawHands", "StateBatch", "children",
    "comparisons", "concatenate", "feature_names", "features", "hand_codes", "prize_sets",
]
