"""OpenSpiel: one hand of any rules as a ``pyspiel.Game``. Importing this registers ``sabacc``.

>>> import pyspiel
>>> pyspiel.load_game("sabacc(rules=orsl,players=4)").num_players()
4
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from sabacc_env.actions import DEFAULT_BET_SIZES, BetSize
from sabacc_env.errors import how_to_install
from sabacc_env.rules import RuleSet

try:
    import pyspiel
except ModuleNotFoundError:
    raise ModuleNotFoundError(
        f"sabacc_env.adapters.openspiel needs OpenSpiel; {how_to_install('openspiel')}"
    ) from None

from sabacc_env.adapters.openspiel.agents import AgentBot, AgentPolicy, SpielAgent
from sabacc_env.adapters.openspiel.game import SabaccGame, SabaccState, game_type
from sabacc_env.adapters.openspiel.settings import NAME, GameSettings

__all__ = ["AgentBot", "AgentPolicy", "SabaccGame", "SabaccState", "SpielAgent", "load_game"]


def load_game(
    rules: str | Path | RuleSet = "casino",
    num_players: int = 2,
    *,
    bet_sizes: Sequence[BetSize] = DEFAULT_BET_SIZES,
    chance: str = "auto",
    rng_seed: int | None = None,
) -> SabaccGame:
    """Return one hand of Sabacc as a game of OpenSpiel.

    The last player deals, so player 0 acts first. Returns are in antes (``rules.ante_unit``
    credits). The game is zero-sum where there is no Sabacc pot, into which credits leave the hand,
    and general-sum elsewhere.

    Args:
        rules: a rule set by name, path, or as a ``RuleSet``.
        num_players: the number of players.
        bet_sizes: what the bet actions mean.
        chance: how chance is told to OpenSpiel. "cards": each card drawn and each roll of the dice
            is a chance node. "seed": the seed of the hand is drawn at the start, in four chance
            nodes of 256 outcomes. "sampled": one chance node draws it inside (OpenSpiel's
            ``SAMPLED_STOCHASTIC``); OpenSpiel cannot serialise such a game. "auto": "cards" where
            the most cards that one move may draw can be enumerated, "seed" elsewhere.
        rng_seed: what "sampled" hands are drawn by; None is random.

    Raises:
        SabaccError: for arguments that make no game; one sentence that names the argument.

    >>> game = load_game("casino")
    >>> state = game.new_initial_state()
    >>> while state.is_chance_node():
    ...     state.apply_action(state.chance_outcomes()[0][0])
    >>> [state.action_to_string(action) for action in state.legal_actions()][:3]
    ['stand', 'draw', 'discard_draw slot 0']
    """
    parameters = GameSettings.of(rules, num_players, bet_sizes).parameters()
    parameters["chance"] = chance
    if rng_seed is not None:
        parameters["rng_seed"] = rng_seed
    game: SabaccGame = pyspiel.load_game(NAME, parameters)
    return game


# A class, not a function: OpenSpiel drops what is registered after the interpreter has ended, and
# to free a function then aborts.
pyspiel.register_game(game_type(None, NAME), SabaccGame)
