"""The test that every strategy must pass, published for people who write their own."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

import numpy as np

from gops_lab.encoding import Encoder, StateBatch, concatenate
from gops_lab.errors import StrategyError
from gops_lab.game import Rules, checks
from gops_lab.strategies.draw import drawn
from gops_lab.strategies.observations import Observations, Probabilities, in_hand_order, observe
from gops_lab.strategies.simple import of_kernel
from gops_lab.strategies.states import order_suffices, without_gaps
from gops_lab.strategies.strategy import EVERYTHING, Strategy, as_strategy, checked

SAMPLE_RULES = (
    Rules(cards=4),
    Rules(cards=5, ties="discard", order="descending"),
    Rules(hand_a=(1, 3, 3, 7), hand_b=(0, 2, 3, 9), prizes=(-2, 1, 4, 4, 6), ties="split",
          negative_stakes="low_bid"),
)
"""Games of different kinds that a strategy for any rules should be able to play."""

CLOSE = 1e-9

MOST_STATES = 10**7


def check_strategy(
    strategy: Strategy,
    rules: Rules | Iterable[Rules] = SAMPLE_RULES,
    *,
    states: int = 200,
    seed: int = 0,
) -> int:
    """Check that a strategy keeps its contract; return at how many states it was asked.

    Checked at states of random play, in both seats: every answer is a distribution over the hand;
    the same question gets the same answer, whatever else is asked together with it and alone; the
    observation is left as it was; the answer in fractions is the same; no answer changes with
    anything that is not in ``strategy.sees``; and the compiled simulation, if there is a
    ``strategy.kernel``, plays the same.

    Parameters
    ----------
    strategy : Strategy
    rules : Rules or several
        The games it is to play; default three very different ones.
    states : int
        About how many states of each game and seat to ask about.
    seed : int
        Of the random play.

    Raises
    ------
    StrategyError
        Naming the strategy, what is wrong, and the state.

    Examples
    --------
    >>> from gops_lab.strategies import Strategy, Uniform
    >>> check_strategy(Uniform()) > 500
    True
    >>> class Cheat(Strategy):
    ...     name = "cheat"
    ...     def distribution(self, rules, state):
    ...         return {max(state.hand_a) + 1: 1.0}
    >>> check_strategy(Cheat(), Rules(cards=2))  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    ...
    gops_lab.errors.StrategyError: strategy 'cheat' gives probability 1.0 to bid 3, which is not...
    """
    as_strategy(strategy)
    if not isinstance(strategy.name, str) or not strategy.name:
        raise StrategyError(f"a strategy needs a name, not {strategy.name!r}")
    if not isinstance(strategy.sees, frozenset | set) or not strategy.sees <= EVERYTHING:
        raise StrategyError(
            f"strategy {strategy.name!r} says that it sees {strategy.sees!r}; it must be a set of "
            f"some of {', '.join(sorted(EVERYTHING))}"
        )
    simple = of_kernel(strategy)
    states = checks.integer("states", states, 1, MOST_STATES, StrategyError)
    seed = checks.integer("seed", seed, 0, 2**63, StrategyError)
    games = list(rules) if isinstance(rules, Iterable) else [rules]
    if not games or not all(isinstance(game, Rules) for game in games):
        raise StrategyError(f"rules must be Rules or several of them, not {rules!r}")
    asked = 0
    for game in games:
        encoder = Encoder(game)
        batch = random_states(encoder, states, np.random.default_rng(seed))
        for player in "ab":
            seen = observe(encoder, batch, player)
            _check_answers(strategy, seen)
            if simple is not None:
                _same(
                    strategy, seen, checked(strategy, seen), checked(simple, seen),
                    f"is played as {simple.name!r} by its kernel, but answers differently",
                )
            for changed, other in _disguises(seen, np.random.default_rng(seed)):
                if not changed & strategy.sees:
                    things = " or ".join(map(repr, sorted(changed)))
                    _check_same(strategy, seen, other, f"looks at {things}, which is not in sees")
            asked += len(seen)
    return asked


def random_states(encoder: Encoder, count: int, draw: np.random.Generator) -> StateBatch:
    """Return stage games of all rounds, from random play; about `count` in all."""
    rounds = encoder.rules.rounds
    batch = encoder.start(max(1, -(-count // rounds)))
    found = []
    for number in range(rounds):
        possible = encoder.possible_upcards(batch)
        batch = encoder.expose(batch, drawn(possible, draw.random(len(batch))))
        found.append(batch)
        if number < rounds - 1:
            bids = [
                encoder.hands[side].distinct[
                    drawn(encoder.legal_bids(batch, player), draw.random(len(batch)))
                ]
                for side, player in enumerate("ab")
            ]
            batch = encoder.resolve_round(batch, bids[0], bids[1])
    return concatenate(found)


def _check_answers(strategy: Strategy, seen: Observations) -> None:
    kept = seen.batch[np.arange(len(seen))]
    answer = checked(strategy, seen).copy()
    fresh = Observations(seen.encoder, kept)
    if not seen.batch.equals(kept) or not (
        np.array_equal(seen.held, fresh.held) and np.array_equal(seen.legal, fresh.legal)
    ):
        raise StrategyError(f"strategy {strategy.name!r} changes the observation it is given")
    _same(strategy, seen, answer, checked(strategy, seen), "answers the same question differently")
    backwards = np.arange(len(seen))[::-1]
    _same(
        strategy, seen, answer, checked(strategy, seen[backwards])[backwards],
        "answers differently when states come in another order",
    )
    for row in range(0, len(seen), max(1, len(seen) // 20)):
        one = seen[np.array([row])]
        _same(
            strategy, one, answer[[row]], checked(strategy, one),
            "answers differently when a state comes alone",
        )
        exact = checked(strategy, Observations(one.encoder, one.batch, exact=True))
        _same(
            strategy, one, answer[[row]], exact.astype(np.float64),
            "answers differently when fractions are asked for",
        )
        if type(strategy).distribution is not Strategy.distribution:
            _same(
                strategy, one, answer[[row]], Strategy.probabilities(strategy, one),
                "answers differently in its one-state and its batch form",
            )


def _check_same(strategy: Strategy, seen: Observations, other: Observations, what: str) -> None:
    """Compare the answers where `other` differs from `seen` in something not looked at."""
    first, second = checked(strategy, seen), checked(strategy, other)
    if other.batch.hand_a is not seen.batch.hand_a:
        # Replaced ranks: compare position by position in the hand.
        first, second = (in_hand_order(a, o.legal) for a, o in ((first, seen), (second, other)))
    _same(strategy, seen, first, second, what)


def _same(
    strategy: Strategy, seen: Observations, first: Probabilities, second: Probabilities, what: str
) -> None:
    different = (np.abs(first - second) > CLOSE).any(axis=1)
    if different.any():
        row = int(np.argmax(different))
        raise StrategyError(
            f"strategy {strategy.name!r} {what}: {first[row].tolist()} and "
            f"{second[row].tolist()}, at {seen.state(row)} (own hand first)"
        )


def _disguises(
    seen: Observations, draw: np.random.Generator
) -> list[tuple[frozenset[str], Observations]]:
    """Return the same states with as little changed each as can be, and what is changed."""
    batch = seen.batch
    points = max(1, int(np.abs(seen.encoder.prizes.distinct).sum()))
    others = [("lead", replace(batch, lead=batch.lead + draw.integers(1, points + 1, len(batch))))]
    if seen.rules.tie_rule.carried:
        others.append(("carried", replace(batch, carried=batch.carried + 1)))
    tiers = seen.encoder.tier(batch)
    hands = batch.hand_b.copy()
    for tier in np.unique(tiers):
        rows = np.flatnonzero(tiers == tier)
        hands[rows] = draw.choice(seen.encoder.hands[1].of_size(int(tier)), len(rows))
    others.append(("opponent", replace(batch, hand_b=hands)))
    if not seen.encoder.prizes.ordered:
        others.append(("prizes", _exchanged(seen, draw, "hidden", "spent")))
        others.append(("upcard", _exchanged(seen, draw, "upcard", "spent")))
        # With nothing spent yet, the hidden prizes and the upcard change only together.
        others.append(("prizes upcard", _exchanged(seen, draw, "hidden", "upcard")))
    if order_suffices(seen.rules):
        low_a, low_b = without_gaps(batch.hand_a, batch.hand_b, seen.rules.cards)
        others.append(("ranks", replace(batch, hand_a=low_a, hand_b=low_b)))
    return [
        (frozenset(changed.split()), Observations(seen.encoder, other))
        for changed, other in others
    ]


def _exchanged(
    seen: Observations, draw: np.random.Generator, first: str, second: str
) -> StateBatch:
    """Return the states with one prize of two places exchanged: hidden, upcard or spent."""
    sets = seen.encoder.prizes
    prizes, upcard = seen.batch.prizes.copy(), seen.batch.upcard.copy()
    for row in range(len(seen)):
        places = {
            "hidden": list(sets.decode(prizes[row])), "upcard": [int(upcard[row])],
            "spent": list(seen.rules.prizes),
        }
        for prize in (*places["hidden"], *places["upcard"]):
            places["spent"].remove(prize)
        one, other = places[first], places[second]
        if one and other:
            i, j = int(draw.integers(len(one))), int(draw.integers(len(other)))
            one[i], other[j] = other[j], one[i]
            prizes[row] = sets.encode([tuple(places["hidden"])])[0]
            upcard[row] = places["upcard"][0]
    return replace(seen.batch, prizes=prizes, upcard=upcard)
