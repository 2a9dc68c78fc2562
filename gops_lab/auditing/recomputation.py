"""A stored value found again from the rules and from what is stored one tier below.

Let a state before an exposure have n cards in each hand. For every prize that can come next the
matrix of A's payoffs is built from the values after each pair of bids and solved by HiGHS, or in
fractions for up to `EXACT_CARDS` cards. The two strategies x and y that come out are turned into
fractions that sum to 1, and with the payoffs M, which are fractions too,

    min_j (x M)_j  <=  value  <=  max_i (M y)_i

holds without any rounding. The means of these two numbers over the prizes enclose what the stored
value should be, if the tier below is what it says.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction

from gops_lab.auditing.hands import codes_of, mirror
from gops_lab.auditing.layouts import Place
from gops_lab.auditing.manifest import Manifest
from gops_lab.auditing.prize_sets import PrizeSets
from gops_lab.auditing.tables import Entry, Table
from gops_lab.auditing.utility import Number
from gops_lab.errors import StoreError
from gops_lab.game.rules import Rules
from gops_lab.game.state import State, expose, resolve_round, upcards
from gops_lab.matrix_games import solve_matrix_game

EXACT_CARDS = 4
"""Stage games of at most so many cards are solved in fractions."""

SCRATCH_CARDS = 4
"""States of at most so many cards are solved from scratch where the tier below is not kept."""


@dataclass(frozen=True)
class Enclosure:
    """Two numbers between which a value must be, and what they were found from."""

    low: Fraction
    high: Fraction
    largest: float
    """The largest absolute value that was part of a payoff."""
    methods: Mapping[str, int] = field(default_factory=dict)
    """How many stage games each method solved."""


class Recomputation:
    """Finds values of one folder again.

    Parameters
    ----------
    manifest : Manifest
    tables : mapping of int to Table
        By cards in each hand, those that are kept and in order.
    """

    def __init__(self, manifest: Manifest, tables: Mapping[int, Table]) -> None:
        self._manifest = manifest
        self._tables = tables
        self._codes = codes_of(manifest.game, manifest.reductions["patterns"])
        self._sets = PrizeSets(manifest.game)
        self._from_scratch: dict[tuple[int, Place], Enclosure] = {}

    def state(self, entry: Entry) -> State:
        """Return a state that a stored value is the value of."""
        hand_a, hand_b = self._codes.decode(entry.code)
        mask, carried, lead = entry.place
        return State(hand_a, hand_b, self._sets.prizes(mask), None, carried, lead)

    def can_enclose(self, cards: int) -> bool:
        """Whether values of a tier can be found again."""
        return self.has_below(cards) or cards <= SCRATCH_CARDS

    def has_below(self, cards: int) -> bool:
        """Whether what a tier follows from is there: the tier below, or the end of the game."""
        return self._manifest.rounds_left(cards) == 1 or cards - 1 in self._tables

    def enclose(self, state: State) -> Enclosure:
        """Return bounds of the value of a state before an exposure.

        Under ``margin`` it is what A still gains, where the folder leaves leads out.

        Raises
        ------
        StoreError
            If a value is needed that should be stored and is not.
        """
        rules = self._rules_from(state)
        low = high = Fraction(0)
        largest = 0.0
        methods: Counter[str] = Counter()
        for upcard, chance in upcards(rules, state).items():
            exposed = expose(rules, state, upcard)
            payoffs = []
            doubt = Fraction(0)
            for bid_a in state.hand_a:
                row = []
                for bid_b in state.hand_b:
                    after = resolve_round(rules, exposed, bid_a, bid_b)
                    try:
                        worth = self._worth(after)
                    except StoreError as error:
                        raise StoreError(
                            f"upcard {upcard}, bids {bid_a} and {bid_b}: {error}"
                        ) from error
                    row.append((worth.low + worth.high) / 2)
                    doubt = max(doubt, (worth.high - worth.low) / 2)
                    largest = max(largest, worth.largest)
                payoffs.append(row)
            least, most, method = solve_stage_game(payoffs, self._manifest.exact)
            methods[method] += 1
            low += chance * (least - doubt)
            high += chance * (most + doubt)
            largest += abs(exposed.stake) if self._manifest.drops_lead else 0.0
        return Enclosure(low, high, largest, methods)

    def _rules_from(self, state: State) -> Rules:
        """Return the rules of the game that is left, for whatever hands stand for a pattern."""
        game = self._manifest.game
        return Rules(
            hand_a=state.hand_a,
            hand_b=state.hand_b,
            prizes=state.prizes,
            ties=game.ties,
            order="random" if game.known_order is None else state.prizes,
            negative_stakes=game.negative_stakes,
            rounds=self._manifest.rounds_left(state.tier),
        )

    def _worth(self, state: State) -> Enclosure:
        """Return the value of a state after a round, its lead included."""
        manifest, lead = self._manifest, state.lead
        left = manifest.rounds_left(state.tier)
        if left == 0:
            return _known(manifest.utility(lead))
        code = self._codes.encode(state.hand_a, state.hand_b)
        swapped = mirror(self._codes, code) if manifest.swap else code
        own = manifest.swap and code == swapped
        if own and (manifest.drops_lead or lead == 0):
            # Both players are in the same position, and what one gains the other loses.
            return _known(lead if manifest.drops_lead else 0)
        if not manifest.drops_lead:
            reach = abs(state.carried) + sum(sorted(map(abs, state.prizes))[-left:])
            if manifest.utility.is_constant(lead - reach, lead + reach):
                return _known(manifest.utility(lead))
        if state.tier in self._tables:
            return self._stored(state, code, swapped)
        place = self._place(state)
        if (code, place) not in self._from_scratch:
            fresh = State(
                state.hand_a, state.hand_b, state.prizes, None, state.carried, place.lead
            )
            self._from_scratch[code, place] = self.enclose(fresh)
        gain = self._from_scratch[code, place]
        more = lead if manifest.drops_lead else 0
        return Enclosure(gain.low + more, gain.high + more, gain.largest)

    def _stored(self, state: State, code: int, swapped: int) -> Enclosure:
        place = self._place(state)
        opposite = place._replace(lead=-place.lead)
        table = self._tables[state.tier]
        value, sign = table.find(min(code, swapped), opposite if swapped < code else place), 1
        if swapped < code:
            sign = -1
        elif value is None and self._manifest.swap and code == swapped:
            # A pair of hands that is its own mirror has each state twice, and may keep either.
            value, sign = table.find(code, opposite), -1
        if value is None:
            raise StoreError(
                f"hands {state.hand_a} and {state.hand_b}, prizes {state.prizes}, carried "
                f"{state.carried}, lead {place.lead} should be stored and is not"
            )
        try:
            gain = sign * Fraction(value)
        except (ValueError, OverflowError):
            raise StoreError(
                f"hands {state.hand_a} and {state.hand_b}, prizes {state.prizes}, carried "
                f"{state.carried}, lead {place.lead} is stored as {value}"
            ) from None
        worth = gain + state.lead if self._manifest.drops_lead else gain
        return Enclosure(worth, worth, float(abs(gain)))

    def _place(self, state: State) -> Place:
        lead = 0 if self._manifest.drops_lead else state.lead
        return Place(self._sets.mask(state.prizes), state.carried, lead)


def solve_stage_game(
    payoffs: Sequence[Sequence[Fraction]], exact: bool
) -> tuple[Fraction, Fraction, str]:
    """Return proven bounds of the value of a matrix game, and the method that found them.

    The two bounds are equal where the game is solved in fractions.

    Examples
    --------
    >>> half = Fraction(1, 2)
    >>> solve_stage_game([[half, -half], [-half, half]], exact=False)
    (Fraction(0, 1), Fraction(0, 1), 'fractions')
    """
    if exact or len(payoffs) <= EXACT_CARDS:
        game = solve_matrix_game(payoffs, method="exact")
        method = "fractions"
    else:
        game = solve_matrix_game([[float(entry) for entry in row] for row in payoffs])
        method = "HiGHS" if game.method == "highs" else "fractions"
    row, column = _weights(game.row.tolist()), _weights(game.column.tolist())
    low = min(
        sum((x * payoffs[i][j] for i, x in row), start=Fraction(0))
        for j in range(len(payoffs[0]))
    )
    high = max(sum((y * entries[j] for j, y in column), start=Fraction(0)) for entries in payoffs)
    return low, high, method


def _weights(strategy: Sequence[Number]) -> list[tuple[int, Fraction]]:
    """Return the actions that are used, each with a probability; they sum to exactly 1."""
    used = [(action, Fraction(p)) for action, p in enumerate(strategy) if p > 0]
    total = sum((p for _, p in used), start=Fraction(0))
    return [(action, p / total) for action, p in used]


def _known(value: Number) -> Enclosure:
    exact = Fraction(value)
    return Enclosure(exact, exact, float(abs(exact)))
