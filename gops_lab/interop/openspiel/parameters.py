"""Rules as OpenSpiel game parameters and back: those of our game, and of OpenSpiel's goofspiel.

OpenSpiel's ``goofspiel`` is our game with equal hands ``1 .. n``, the same prizes, tied prizes
discarded, and the order random, ascending or descending. Three of its habits differ:

- its ``point_difference`` pays each player the points above the mean of both, half of our margin
  (`payoff_scale` says so); ``total_points`` is not zero-sum and has no counterpart here;
- actions count from 0: action a is the bid a + 1;
- the last round, where nobody has a choice, plays itself; one turn less than cards never ends.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pyspiel

from gops_lab.errors import RulesError
from gops_lab.game import Rules
from gops_lab.game.objectives import NAMED_OBJECTIVES

GAME_NAME = "gops_lab"

DEFAULTS: dict[str, Any] = {
    "cards": 0,
    "hand_a": "",
    "hand_b": "",
    "prizes": "",
    "ties": "carry",
    "order": "random",
    "negative_stakes": "high_bid",
    "rounds": 0,
    "objective": "margin",
}
"""Parameters of our game. Cards are text like ``1 3 5``; 0 and empty text: not given, as in
`Rules`, and 13 cards where nothing says how many."""

FULL_DECK = 13

RETURNS = {"margin": "point_difference", "win": "win_loss"}
"""What OpenSpiel's goofspiel calls our objectives."""


def as_parameters(rules: Rules, objective: str) -> dict[str, Any]:
    """Return the parameters of our game in OpenSpiel, those left out that are defaults."""
    if objective not in NAMED_OBJECTIVES:
        raise RulesError(f"objective must be 'margin' or 'win' in OpenSpiel, not {objective!r}")
    plain = {
        name: " ".join(map(str, value)) if isinstance(value, list) else value
        for name, value in rules.as_dict().items()
    }
    whole = {**plain, "cards": rules.cards, "objective": objective}
    usual = Rules(cards=rules.cards)
    for name in ("hand_a", "hand_b", "prizes", "rounds"):
        if getattr(rules, name) == getattr(usual, name):
            del whole[name]
    return {name: value for name, value in whole.items() if value != DEFAULTS[name]}


def from_parameters(parameters: Mapping[str, Any]) -> tuple[Rules, str]:
    """Return the rules and the objective that parameters of our game stand for.

    Raises
    ------
    RulesError
        If they describe no game.
    """
    given = {**DEFAULTS, **parameters}
    hands = {
        name: _cards(name, given[name]) for name in ("hand_a", "hand_b", "prizes") if given[name]
    }
    sized = given["cards"] or ("hand_a" in hands or "hand_b" in hands)
    order = given["order"]
    rules = Rules(
        cards=given["cards"] or (None if sized else FULL_DECK),
        ties=given["ties"],
        order=order if order.isalpha() else _cards("order", order),
        negative_stakes=given["negative_stakes"],
        rounds=given["rounds"] or None,
        **hands,
    )
    objective = given["objective"]
    if objective not in NAMED_OBJECTIVES:
        raise RulesError(f"objective must be 'margin' or 'win', not {objective!r}")
    return rules, objective


def goofspiel_parameters(rules: Rules, objective: str = "margin") -> dict[str, Any]:
    """Return the parameters of OpenSpiel's own goofspiel that is the same game.

    Parameters
    ----------
    rules : Rules
    objective : {"margin", "win"}
        ``margin`` becomes ``point_difference``, which is half of it.

    Raises
    ------
    RulesError
        If OpenSpiel's game has no such rule; the message names it.

    Examples
    --------
    >>> goofspiel_parameters(Rules(cards=4, ties="discard", order="descending"))["points_order"]
    'descending'
    """
    cards = rules.cards
    ranks = tuple(range(1, cards + 1))
    order = rules.order
    if isinstance(order, tuple):
        named = {ranks: "ascending", ranks[::-1]: "descending"}
        order = named.get(order, str(order))
    cut_short = rules.rounds < cards
    unlike = {
        f"hand_a={rules.hand_a}": rules.hand_a != ranks,
        f"hand_b={rules.hand_b}": rules.hand_b != ranks,
        f"prizes={rules.prizes}": rules.prizes != ranks,
        f"order={rules.order!r}": order not in ("random", "ascending", "descending"),
        # Nothing changes a lead in a split, and all stakes are above 0.
        f"ties={rules.ties!r}": rules.ties == "carry" and cards > 1,
        f"rounds={rules.rounds}": cut_short and rules.rounds == cards - 1,
        f"objective={objective!r}": objective not in RETURNS,
    }
    for rule, differs in unlike.items():
        if differs:
            raise RulesError(
                f"OpenSpiel's goofspiel has no {rule}; its hands and prizes are 1 to n, tied "
                "prizes are discarded, the last card plays itself: use openspiel_game"
            )
    return {
        "players": 2,
        "num_cards": cards,
        "num_turns": rules.rounds if cut_short else -1,
        "points_order": order,
        "returns_type": RETURNS[objective],
        "imp_info": False,
        "egocentric": False,
    }


def rules_of(game: Any) -> Rules:
    """Return our rules of an OpenSpiel game: ours or its goofspiel, turn-based or not.

    Raises
    ------
    RulesError
        If it is another game, or a goofspiel that is not ours.

    Examples
    --------
    >>> rules_of(pyspiel.load_game("goofspiel(num_cards=3)"))
    Rules(cards=3, ties='discard')
    """
    return _described(game)[0]


def objective_of(game: Any) -> str:
    """Return ``"margin"`` or ``"win"``: what an OpenSpiel game is played for.

    Raises
    ------
    RulesError
        As `rules_of`.

    Examples
    --------
    >>> objective_of(pyspiel.load_game("goofspiel(num_cards=3,returns_type=win_loss)"))
    'win'
    """
    return _described(game)[1]


def payoff_scale(game: Any) -> float:
    """Return what our payoff must be multiplied with to be player 0's in an OpenSpiel game.

    Raises
    ------
    RulesError
        As `rules_of`.

    Examples
    --------
    >>> payoff_scale(pyspiel.load_game("goofspiel(num_cards=3,returns_type=point_difference)"))
    0.5
    """
    name, _ = _named(game)
    return 0.5 if name == "goofspiel" and objective_of(game) == "margin" else 1.0


def _described(game: Any) -> tuple[Rules, str]:
    name, parameters = _named(game)
    if name == GAME_NAME:
        return from_parameters(parameters)
    if name != "goofspiel":
        raise RulesError(f"the OpenSpiel game must be gops_lab or goofspiel, not {name}")
    if parameters["players"] != 2 or parameters["imp_info"]:
        raise RulesError(
            "goofspiel must have players=2 and imp_info=False: here there are two, and bids are "
            f"seen; not {game}"
        )
    objectives = {returns: objective for objective, returns in RETURNS.items()}
    objective = objectives.get(parameters["returns_type"])
    if objective is None:
        raise RulesError(
            f"goofspiel's returns_type must be one of {', '.join(objectives)}, not "
            f"{parameters['returns_type']}: that game is not zero-sum"
        )
    cards, turns = parameters["num_cards"], parameters["num_turns"]
    if turns == cards - 1:
        raise RulesError(
            f"goofspiel with num_cards={cards} and num_turns={turns} never ends in OpenSpiel: its "
            "last card plays itself after the last turn"
        )
    rounds = cards if turns == -1 else turns
    return Rules(cards, ties="discard", order=parameters["points_order"], rounds=rounds), objective


def _named(game: Any) -> tuple[str, dict[str, Any]]:
    """Return an OpenSpiel game's name and parameters, those of the game a turn-based one wraps."""
    parameters = game.get_parameters()
    if "game" in parameters:
        parameters = parameters["game"]
        name = parameters["name"]
    else:
        name = game.get_type().short_name
    if name == "goofspiel":
        usual = pyspiel.load_game("goofspiel").get_parameters()
        parameters = {**usual, **parameters}
    return name, {key: value for key, value in parameters.items() if key != "name"}


def _cards(name: str, written: str) -> tuple[int, ...]:
    try:
        return tuple(int(card) for card in written.split())
    except ValueError:
        raise RulesError(f"{name} must be integers like '1 3 5', not {written!r}") from None
