"""Our game as a PettingZoo parallel environment: all rules, any objective, one step a round.

Both agents, ``"a"`` and ``"b"``, bid at once. Each sees the table from its own side, as a strategy
does: the own hand first, the lead the own. Actions are positions, from 0, among the distinct ranks
that the agent was dealt; the mask says which of them it still holds.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from gops_lab.encoding import Encoder, features
from gops_lab.errors import IllegalBidError, StateError, missing
from gops_lab.game import (
    Round,
    Rules,
    as_objective,
    expose,
    play_round,
    rounds_left,
    start,
    upcards,
)
from gops_lab.interop.positions import seen
from gops_lab.strategies.observations import Observations, observe

try:
    from gymnasium import spaces
    from gymnasium.utils.seeding import np_random
    from pettingzoo import ParallelEnv
except ImportError as error:
    raise missing("PettingZoo", "rl") from error

__all__ = ["GopsEnv"]

AGENTS = ("a", "b")

ByAgent = dict[str, Any]


class GopsEnv(ParallelEnv):  # type: ignore[misc]
    """The game as a PettingZoo environment.

    Observations are dictionaries of ``observation``, the row of
    `gops_lab.encoding.features` of the agent's side (float32, in which points above 2**24 are
    rounded), and ``action_mask``. A strategy that answers `features(seen.encoder, seen.batch)` in
    its ``probabilities(seen)`` sees the same rows, so that what was trained here can be measured
    exactly.

    Rewards add up to the objective: points as they are won under margin; else all at the end. B's
    are the negatives of A's.

    Infos hold ``state``, the `State` from the agent's side, and ``round``, the last `Round`, A's
    bid and gain first for both, or None before the first.

    Parameters
    ----------
    rules : Rules
    objective : {"margin", "win"}, callable or dict
        A's utility of the final lead.
    render_mode : {"ansi"}, optional
        `render` returns the state as text in any case.

    Examples
    --------
    >>> env = GopsEnv(Rules(hand_a=(1, 3, 5), hand_b=(2, 3, 4), prizes=(3, 1, 2), order=(3, 1, 2)))
    >>> seen, infos = env.reset()
    >>> seen, rewards, ended, _, infos = env.step({"a": 2, "b": 0})
    >>> rewards, seen["a"]["action_mask"].tolist(), infos["b"]["state"].hand_a
    ({'a': 3.0, 'b': -3.0}, [1, 1, 0], (3, 4))
    >>> print(env.render())
    A 1 3 | B 3 4 | hidden 2 | upcard 1 | carried 0 | lead 3
    """

    metadata = {"name": "gops_v0", "render_modes": ["ansi"], "is_parallelizable": True}  # noqa: RUF012

    def __init__(
        self, rules: Rules, objective: object = "margin", render_mode: str | None = None
    ) -> None:
        self.rules = rules
        self.objective = as_objective(objective)
        self.render_mode = render_mode
        self.possible_agents = list(AGENTS)
        self.agents: list[str] = []
        self._encoder = Encoder(rules)
        self._table = start(rules)
        self._last: Round | None = None
        self._ranks = dict(
            zip(AGENTS, (sorted(set(hand)) for hand in (rules.hand_a, rules.hand_b)), strict=True)
        )
        self.action_spaces = {agent: spaces.Discrete(len(self._ranks[agent])) for agent in AGENTS}
        self.observation_spaces = {
            agent: spaces.Dict({
                "observation": spaces.Box(-np.inf, np.inf, _row(self._view(agent)).shape),
                "action_mask": spaces.MultiBinary(len(self._ranks[agent])),
            })
            for agent in AGENTS
        }  # fmt: skip
        self._random = np_random()[0]

    def observation_space(self, agent: str) -> Any:
        """Return what an agent can observe."""
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> Any:
        """Return an agent's actions, those among them that the mask forbids."""
        return self.action_spaces[agent]

    def reset(
        self, seed: int | None = None, options: Mapping[str, Any] | None = None
    ) -> tuple[ByAgent, ByAgent]:
        """Begin a game and return observations and infos; a seed fixes all games from here on."""
        if seed is not None:
            self._random = np_random(seed)[0]
        self.agents = list(AGENTS)
        self._table, self._last = start(self.rules), None
        self._expose()
        return self._shown()

    def step(
        self, actions: Mapping[str, int]
    ) -> tuple[ByAgent, ByAgent, ByAgent, ByAgent, ByAgent]:
        """Play a round; return observations, rewards, terminations, truncations and infos.

        Raises
        ------
        IllegalBidError
            If an agent does not act, or on a card that it does not hold.
        StateError
            If the game is over or has not begun.
        """
        if not self.agents:
            raise StateError("no game is being played; reset() begins one")
        before = self._table.lead
        bids = [self._bid(agent, actions.get(agent)) for agent in AGENTS]
        self._last, self._table = play_round(self.rules, self._table, *bids)
        over = rounds_left(self.rules, self._table) == 0
        if self.objective.ignores_lead:
            reward = float(self._table.lead - before)
        else:
            reward = self.objective.as_float(self._table.lead) if over else 0.0
        if over:
            self.agents = []
        else:
            self._expose()
        observations, infos = self._shown()
        rewards = {"a": reward, "b": 0.0 - reward}
        ended, cut_short = (dict.fromkeys(AGENTS, value) for value in (over, False))
        return observations, rewards, ended, cut_short, infos

    def render(self) -> str:
        """Return the state as text, seen from A's side."""
        return seen(self._table)

    def _expose(self) -> None:
        chances = upcards(self.rules, self._table)
        drawn = self._random.choice(list(chances), p=[float(p) for p in chances.values()])
        self._table = expose(self.rules, self._table, int(drawn))

    def _bid(self, agent: str, action: Any) -> int:
        ranks = self._ranks[agent]
        if not self.action_spaces[agent].contains(action):
            raise IllegalBidError(
                f"agent {agent!r} must act with one of 0 to {len(ranks) - 1}, not {action!r}"
            )
        return ranks[int(action)]

    def _view(self, agent: str) -> Observations:
        return observe(self._encoder, self._encoder.encode([self._table]), agent)

    def _shown(self) -> tuple[ByAgent, ByAgent]:
        """Return observations and infos."""
        observations, infos = {}, {}
        for agent in AGENTS:
            view = self._view(agent)
            legal = view.legal[0] & bool(self.agents)
            observations[agent] = {
                "observation": _row(view), "action_mask": legal.astype(np.int8)
            }
            infos[agent] = {"state": view.state(0), "round": self._last}
        return observations, infos


def _row(view: Observations) -> npt.NDArray[np.float32]:
    row: npt.NDArray[np.float32] = features(view.encoder, view.batch)[0].astype(np.float32)
    return row
