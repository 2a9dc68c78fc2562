"""States as rows of numbers for learning code."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from gops_lab.encoding.batch import StateBatch
from gops_lab.encoding.encoder import Encoder


def feature_names(encoder: Encoder) -> list[str]:
    """Return what each column of `features` holds.

    ================= =====================================================================
    column            meaning
    ================= =====================================================================
    ``hand_a:r``      how many cards of rank r A holds
    ``hand_b:r``      how many cards of rank r B holds
    ``hidden:p``      how many prizes of value p are hidden (``hidden:i:p``, i the position
                      in the order of play, where that is known)
    ``exposed``       1 if a prize is exposed, else 0
    ``upcard``        its value, 0 if none is; points
    ``carried``       points held over from tied rounds
    ``stake``         upcard and carried together; points
    ``lead``          A's points so far minus B's
    ``rounds_left``   rounds still to be played
    ``hidden_points`` sum of the hidden prizes
    ``a_beats``       part of all pairs of cards in which A's is higher
    ``ties``          part of all pairs of cards in which both are equal
    ================= =====================================================================
    """
    prizes = encoder.prizes.distinct.tolist()
    hidden = [
        f"hidden:{i}:{p}" if encoder.prizes.ordered else f"hidden:{p}" for i, p in enumerate(prizes)
    ]
    return [
        *(f"hand_a:{rank}" for rank in encoder.hands[0].distinct.tolist()),
        *(f"hand_b:{rank}" for rank in encoder.hands[1].distinct.tolist()),
        *hidden,
        "exposed", "upcard", "carried", "stake", "lead", "rounds_left", "hidden_points",
        "a_beats", "ties",
    ]


def features(encoder: Encoder, batch: StateBatch) -> npt.NDArray[np.float64]:
    """Return a row of numbers for each state, shape (k, number of columns).

    Columns are described at `feature_names`. Nothing is scaled.

    Examples
    --------
    >>> from gops_lab.game import Rules, State
    >>> encoder = Encoder(Rules(cards=2))
    >>> batch = encoder.encode([State((2,), (1,), (), upcard=2, carried=1)])
    >>> dict(zip(feature_names(encoder), features(encoder, batch)[0].tolist()))["stake"]
    3.0
    """
    hands = [encoder.hands[0].counts(batch.hand_a), encoder.hands[1].counts(batch.hand_b)]
    hidden = encoder.prizes.counts(batch.prizes)
    tier = encoder.tier(batch)
    pairs = np.maximum(tier * tier, 1)
    ranks_a, ranks_b = (sets.distinct for sets in encoder.hands)
    beats = hands[0] @ (ranks_a[:, None] > ranks_b).astype(np.int64)
    ties = hands[0] @ (ranks_a[:, None] == ranks_b).astype(np.int64)
    columns = [
        *hands,
        hidden,
        batch.exposed,
        batch.upcard,
        batch.carried,
        batch.stake,
        batch.lead,
        encoder.rules.rounds - encoder.rules.cards + tier,
        hidden @ encoder.prizes.distinct,
        (beats * hands[1]).sum(axis=1) / pairs,
        (ties * hands[1]).sum(axis=1) / pairs,
    ]
    return np.column_stack([np.asarray(column, np.float64) for column in columns])
