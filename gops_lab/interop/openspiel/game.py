"""Our game as an OpenSpiel game: all rules, any order, for margin or to win.

Both players bid at once (`pyspiel.convert_to_turn_based` makes it sequential). Chance acts where
several prizes can come next, a player is asked where somebody has a choice; all else plays itself,
as in OpenSpiel's own game. Actions are positions: of a bid among the player's distinct ranks, of a
prize among the distinct prizes, so that action a is the bid a + 1 in a plain deck.

Everything is public once a round is over. What a player observes is the state and nothing else,
hence Markov; an information state is the whole history of upcards and bids, hence perfect recall.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from typing import Any

import numpy as np
import pyspiel

from gops_lab.encoding import Encoder, features
from gops_lab.errors import RulesError
from gops_lab.game import Rules, start
from gops_lab.game.objectives import NAMED_OBJECTIVES
from gops_lab.interop.openspiel.parameters import (
    DEFAULTS,
    GAME_NAME,
    as_parameters,
    from_parameters,
)
from gops_lab.interop.positions import Position, Tree, recalled, seen

GAME_TYPE = pyspiel.GameType(
    short_name=GAME_NAME,
    long_name="GOPS Lab",
    dynamics=pyspiel.GameType.Dynamics.SIMULTANEOUS,
    chance_mode=pyspiel.GameType.ChanceMode.EXPLICIT_STOCHASTIC,
    information=pyspiel.GameType.Information.PERFECT_INFORMATION,
    utility=pyspiel.GameType.Utility.ZERO_SUM,
    reward_model=pyspiel.GameType.RewardModel.TERMINAL,
    max_num_players=2,
    min_num_players=2,
    provides_information_state_string=True,
    provides_information_state_tensor=True,
    provides_observation_string=True,
    provides_observation_tensor=True,
    provides_factored_observation_string=True,
    parameter_specification=DEFAULTS,
)


def openspiel_game(rules: Rules, objective: str = "margin", *, turn_based: bool = False) -> Any:
    """Return our game as an OpenSpiel game.

    Parameters
    ----------
    rules : Rules
    objective : {"margin", "win"}
        What the returns are: A's final lead in points (player 0 is A, player 1 gets the negative),
        or 1, 0, -1 for ahead, level, behind.
    turn_based : bool
        Whether A bids first, unseen by B: what most of OpenSpiel's algorithms need.

    Returns
    -------
    pyspiel.Game
        ``pyspiel.load_game(str(game))`` gives it back.

    Raises
    ------
    RulesError
        If the objective is neither margin nor win.

    Examples
    --------
    >>> game = openspiel_game(Rules(hand_a=(2, 4), hand_b=(1, 3), prizes=(-1, 2)), "win")
    >>> state = game.new_initial_state().child(1)
    >>> print(state)
    A 2 4 | B 1 3 | hidden -1 | upcard 2 | carried 0 | lead 0
    >>> state.apply_actions([0, 1])
    >>> state.returns()
    [-1.0, 1.0]
    """
    game = pyspiel.load_game(GAME_NAME, as_parameters(rules, objective))
    return pyspiel.convert_to_turn_based(game) if turn_based else game


class GopsGame(pyspiel.Game):  # type: ignore[misc]
    """The game; see `openspiel_game`."""

    def __init__(self, params: Mapping[str, Any] | None = None) -> None:
        rules, objective = from_parameters(params or {})
        ranks = max(len(set(hand)) for hand in (rules.hand_a, rules.hand_b))
        prizes = sorted(map(abs, rules.prizes))
        most = float(sum(prizes[-rules.rounds :])) if objective == "margin" else 1.0
        super().__init__(
            GAME_TYPE,
            pyspiel.GameInfo(
                num_distinct_actions=ranks,
                max_chance_outcomes=0 if rules.known_order else len(set(rules.prizes)),
                num_players=2,
                min_utility=-most,
                max_utility=most,
                utility_sum=0.0,
                max_game_length=rules.rounds,
            ),
            dict(params or {}),
        )

    # Found from the parameters when asked for: a game that was pickled has nothing else.

    @cached_property
    def objective(self) -> str:
        """What is played for, ``"margin"`` or ``"win"``."""
        return from_parameters(self.get_parameters())[1]

    @cached_property
    def tree(self) -> Tree:
        """Its positions."""
        return Tree(from_parameters(self.get_parameters())[0])

    @cached_property
    def encoder(self) -> Encoder:
        """Of its rules."""
        return Encoder(self.tree.rules)

    def new_initial_state(self) -> GopsState:
        """Return the state before the first decision."""
        return GopsState(self)

    def make_py_observer(
        self, iig_obs_type: Any = None, params: Mapping[str, Any] | None = None
    ) -> GopsObserver:
        """Return what writes observations."""
        if params:
            raise RulesError(f"the observer of gops_lab takes no parameters, not {params}")
        usual = pyspiel.IIGObservationType(perfect_recall=False)
        return GopsObserver(self, iig_obs_type or usual)


class GopsState(pyspiel.State):  # type: ignore[misc]
    """A position of the game as OpenSpiel sees it."""

    def __init__(self, game: GopsGame) -> None:
        super().__init__(game)
        self.position = game.tree.root

    def current_player(self) -> int:
        """Return who acts: chance, both players at once, or nobody."""
        if self.is_terminal():
            return int(pyspiel.PlayerId.TERMINAL)
        chance = self.position.table.upcard is None
        return int(pyspiel.PlayerId.CHANCE if chance else pyspiel.PlayerId.SIMULTANEOUS)

    def is_terminal(self) -> bool:
        """Return whether no round is left."""
        return self._tree.is_over(self.position)

    def chance_outcomes(self) -> list[tuple[int, float]]:
        """Return the prizes that can come next, as actions."""
        return [(action, float(p)) for action, p in self._tree.chances(self.position)]

    def returns(self) -> list[float]:
        """Return what each player gets in the end; 0 before."""
        if not self.is_terminal():
            return [0.0, 0.0]
        result = NAMED_OBJECTIVES[self.get_game().objective](self.position.table.lead)
        return [float(result), -float(result)]

    def _legal_actions(self, player: int) -> list[int]:
        return self._tree.legal(self.position, player)

    def _apply_action(self, action: int) -> None:
        self.position = self._tree.exposed(self.position, int(action))

    def _apply_actions(self, actions: Sequence[int]) -> None:
        self.position = self._tree.bid(self.position, *map(int, actions))

    def _action_to_string(self, player: int, action: int) -> str:
        if player == pyspiel.PlayerId.CHANCE:
            return f"prize {self._tree.prizes[action]}"
        return f"{'AB'[player]} bids {self._tree.ranks[player][action]}"

    def __str__(self) -> str:
        return seen(self.position.table)

    @property
    def _tree(self) -> Tree:
        return self.get_game().tree  # type: ignore[no-any-return]


class GopsObserver:
    """What the players see, as text and as numbers; the same for both, for all of it is public.

    Text is never ambiguous. Numbers are float32, in which points above 2**24 are rounded.
    """

    def __init__(self, game: GopsGame, kind: Any) -> None:
        self._game = game
        self._kind = kind
        tree, rules = game.tree, game.tree.rules
        self.dict: dict[str, Any] = {}
        if not kind.public_info:
            self.tensor = np.zeros(0, np.float32)
        elif kind.perfect_recall:
            width = len(tree.prizes) + sum(map(len, tree.ranks))
            self.tensor = np.zeros(rules.rounds * width, np.float32)
            self.dict["rounds"] = self.tensor.reshape(rules.rounds, width)
        else:
            row = features(game.encoder, game.encoder.encode([start(rules)]))[0]
            self.tensor = np.zeros(len(row), np.float32)
            self.dict["state"] = self.tensor

    def set_from(self, state: GopsState, player: int) -> None:
        """Write what is seen at `state` to the tensor."""
        if not self._kind.public_info:
            return
        position = state.position
        if not self._kind.perfect_recall:
            encoder = self._game.encoder
            self.tensor[:] = features(encoder, encoder.encode([position.table]))[0]
            return
        self.tensor.fill(0)
        for row, columns in zip(self.dict["rounds"], self._marked(position), strict=False):
            row[columns] = 1

    def string_from(self, state: GopsState, player: int) -> str:
        """Return what is seen at `state` as text."""
        if not self._kind.public_info:
            return ""
        position = state.position
        return recalled(position) if self._kind.perfect_recall else seen(position.table)

    def _marked(self, position: Position) -> Iterator[list[int]]:
        """Yield which columns are 1, round by round: the upcard, A's bid, B's bid."""
        tree = self._game.tree
        bids_a = len(tree.prizes)
        bids_b = bids_a + len(tree.ranks[0])
        for done in position.past:
            yield [
                tree.prizes.index(done.upcard),
                bids_a + tree.ranks[0].index(done.bid_a),
                bids_b + tree.ranks[1].index(done.bid_b),
            ]
        if position.table.upcard is not None:
            yield [tree.prizes.index(position.table.upcard)]


pyspiel.register_game(GAME_TYPE, GopsGame)
