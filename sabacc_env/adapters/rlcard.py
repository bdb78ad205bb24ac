"""RLCard: Sabacc as one of its environments, our agents in it, and its agents at our tables.

Importing this module registers ``"sabacc"`` with ``rlcard.make``.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray
from rlcard.envs import Env
from rlcard.envs.registration import register

from sabacc_env import agent_calls
from sabacc_env.actions import (
    DEFAULT_BET_SIZES,
    BetSize,
    action_names,
    encode_bet_sizes,
    num_actions,
)
from sabacc_env.agent import Agent
from sabacc_env.arguments import check_num_players
from sabacc_env.engine.observation.blocks import OBSERVATION_SIZE
from sabacc_env.errors import IllegalMove, SabaccError, short_repr
from sabacc_env.game.game import Game
from sabacc_env.game.turn_buffers import TurnBuffers
from sabacc_env.rules import RuleSet, load_rules

DEFAULT_GAME: Final[dict[str, Any]] = {
    "game_rules": "casino",
    "game_num_players": 2,
    "game_bet_sizes": DEFAULT_BET_SIZES,
}
"""What ``config`` may say of the game, and what it is otherwise."""

ONLY_TABLE: Final = np.zeros(1, dtype=np.int64)


class SabaccGame:
    """One hand after the other in the form of RLCard's games. A raw action is an action's name.

    Args:
        rules: a rule set by name, path, or as a ``RuleSet``.
        num_players: 2 to 8.
        bet_sizes: what the bet actions mean.

    Attributes:
        hand: the hand in play, or the last one; it sees everything.
        np_random: decides all chance; RLCard sets it.
        allow_step_back: whether RLCard lets steps be taken back.
    """

    hand: Game
    np_random: Any
    allow_step_back = False

    def __init__(
        self, rules: str | Path | RuleSet, num_players: int, bet_sizes: Sequence[BetSize]
    ) -> None:
        self._rules = load_rules(rules)
        self._num_players = check_num_players(self._rules, num_players)
        self._buffers = TurnBuffers(self._rules, encode_bet_sizes(bet_sizes))
        self.action_names = action_names(bet_sizes)

    def init_game(self) -> tuple[dict[str, Any], int]:
        """Deal a hand; return the state of the player to act, and the player."""
        low, high = self.np_random.randint(2**32, size=2, dtype=np.uint64).tolist()
        self.hand = Game(self._rules, self._num_players, key=low | high << 32)
        return self._turn()

    def check_legal(self, action: str) -> None:
        """Refuse an action, by its name, that the player to act does not have.

        Raises:
            IllegalMove: names the legal ones.
        """
        legal = [self.action_names[code] for code in np.flatnonzero(self._buffers.mask)]
        if self.is_over():
            raise IllegalMove(f"{short_repr(action)} cannot be played: the hand is over")
        if action not in legal:
            raise IllegalMove(f"{short_repr(action)} is not legal; legal: {', '.join(legal)}")

    def step(self, action: str) -> tuple[dict[str, Any], int]:
        """Play a legal action by its name; return the state of the next player, and the player."""
        self.hand.play_action(self._buffers, self.action_names.index(action))
        return self._turn()

    def step_back(self) -> bool:
        """Take back the last action; return whether there was one."""
        if not self.hand.history:
            return False
        self.hand.undo()
        self._turn()
        return True

    def _turn(self) -> tuple[dict[str, Any], int]:
        self.hand.write_turn(self._buffers)
        player = self.get_player_id()
        return self.get_state(player), player

    def get_state(self, player_id: int) -> dict[str, Any]:
        """Return what a player may know and do.

        Returns:
            ``obs``, float32 of shape (OBSERVATION_SIZE,); ``actions``, the legal ones, all of them
            where none counts: for players that are not to act, and at the end; and ``view``.
        """
        if player_id == self.hand.seat_to_act:
            observation, actions = self._buffers.observation, np.flatnonzero(self._buffers.mask)
        else:
            self.hand.write_observation(self._buffers, player_id)
            observation = self._buffers.requested_observation
            actions = np.arange(self.get_num_actions())
        view = self.hand.view(player_id)
        return {"obs": observation.copy(), "actions": actions.tolist(), "view": view}

    def get_player_id(self) -> int:
        """Return the player to act; the dealer when the hand is over."""
        seat = self.hand.seat_to_act
        return self.hand.dealer if seat is None else seat

    def get_num_players(self) -> int:
        """Return how many players there are."""
        return self._num_players

    def get_num_actions(self) -> int:
        """Return how many actions there are, legal or not."""
        return len(self.action_names)

    def is_over(self) -> bool:
        """Return whether the hand is over."""
        return self.hand.seat_to_act is None

    def payoffs(self) -> NDArray[np.float64]:
        """Return what each player won or lost in the hand, in antes; zeros before its end."""
        net = self.hand.net_credits or [0] * self._num_players
        return np.array(net, np.float64) / self._rules.ante_unit


class SabaccEnv(Env):  # type: ignore[misc]
    """Sabacc as an environment of RLCard: ``rlcard.make("sabacc", config={...})``.

    A state has RLCard's keys: ``obs``, float32 of shape (400,) (docs/reference/observation.md);
    ``legal_actions``, an ``OrderedDict``, and ``raw_legal_actions``, their names; ``raw_obs``, the
    player's ``GameView``; and ``action_record``. Payoffs are net credits in antes.

    Args:
        config: besides RLCard's own keys, ``game_rules``, a rule set by name, path, or as a
            ``RuleSet``; ``game_num_players``, 2 to 8; and ``game_bet_sizes``.

    Raises:
        SabaccError: for a key or a value that makes no game.

    >>> import rlcard
    >>> env = rlcard.make("sabacc", config={"seed": 1, "game_num_players": 3})
    >>> state, player = env.reset()
    >>> state["obs"].shape, state["raw_legal_actions"][0]
    ((400,), 'stand')
    """

    def __init__(self, config: dict[str, Any]) -> None:
        given = {name: config[name] for name in config if name.startswith("game_")}
        if unknown := set(given) - set(DEFAULT_GAME):
            raise SabaccError(
                f"config: {short_repr(min(unknown))} is unknown; use {', '.join(DEFAULT_GAME)}"
            )
        settings = DEFAULT_GAME | given
        self.name = "sabacc"
        self.game = SabaccGame(
            settings["game_rules"], settings["game_num_players"], settings["game_bet_sizes"]
        )
        super().__init__(config)
        self.state_shape = [[OBSERVATION_SIZE] for _ in range(self.num_players)]
        self.action_shape = [None for _ in range(self.num_players)]

    def step(self, action: Any, raw_action: bool = False) -> tuple[dict[str, Any], int]:
        """Play an action of the player to act, by its name if it is raw.

        Raises:
            IllegalMove: if it is not legal; nothing has changed.
        """
        name = action if raw_action else self._decode_action(action)
        self.game.check_legal(name)
        stepped: tuple[dict[str, Any], int] = super().step(name, raw_action=True)
        return stepped

    def get_payoffs(self) -> NDArray[np.float64]:
        """Return what each player won or lost in the hand, in antes, (num_players,)."""
        return self.game.payoffs()

    def get_perfect_information(self) -> dict[str, Any]:
        """Return all cards, bets and credits, whose turn it is, and the legal actions by name."""
        hand = self.game.hand
        return {
            "hand_cards": [[str(card) for card in cards] for cards in hand.hands],
            "draw_pile": [str(card) for card in hand.draw_pile],
            "discard_pile": [str(card) for card in hand.discard_pile],
            "bets": hand.bets,
            "chips": hand.credits,
            "sabacc_pot": hand.sabacc_pot,
            "current_player": self.get_player_id(),
            "legal_actions": self.get_state(self.get_player_id())["raw_legal_actions"],
        }

    def _extract_state(self, state: dict[str, Any]) -> dict[str, Any]:
        names = self.game.action_names
        return {
            "obs": state["obs"],
            "legal_actions": OrderedDict.fromkeys(state["actions"]),
            "raw_obs": state["view"],
            "raw_legal_actions": [names[action] for action in state["actions"]],
            "action_record": self.action_recorder,
        }

    def _decode_action(self, action_id: int) -> str:
        if not 0 <= action_id < self.num_actions:
            raise IllegalMove(f"action {short_repr(action_id)} is not one of {self.num_actions}")
        return self.game.action_names[action_id]

    def _get_legal_actions(self) -> OrderedDict[int, None]:
        legal: OrderedDict[int, None] = self.get_state(self.get_player_id())["legal_actions"]
        return legal


class SabaccAgent:
    """An agent of ours as an agent of RLCard, for one environment.

    Args:
        agent: an agent made for the rules, players and bet sizes of the environment.
        num_actions: of the environment.
        seed: seeds the agent's random numbers; None is random.
    """

    use_raw = False

    def __init__(self, agent: Agent, num_actions: int, seed: int | None = None) -> None:
        self._agent = agent
        self._num_actions = num_actions
        self._rng = np.random.default_rng(seed)
        self._action_record: object = None
        agent_calls.reset([agent], 1)

    def step(self, state: dict[str, Any]) -> int:
        """Return what the agent plays."""
        if state["action_record"] is not self._action_record:  # the record of another hand
            self._action_record = state["action_record"]
            agent_calls.restart([self._agent], ONLY_TABLE)
        seen, mask = self._input(state)
        return int(agent_calls.actions(self._agent, seen, mask, self._rng, ONLY_TABLE)[0])

    def eval_step(self, state: dict[str, Any]) -> tuple[int, dict[str, Any]]:
        """Return what the agent plays, and ``probs`` by name if it tells its probabilities."""
        probabilities = agent_calls.probabilities(self._agent, *self._input(state))
        if probabilities is None:
            return self.step(state), {}
        told = probabilities[0, list(state["legal_actions"])].tolist()
        return self.step(state), {"probs": dict(zip(state["raw_legal_actions"], told, strict=True))}

    def _input(self, state: dict[str, Any]) -> tuple[Any, NDArray[np.int8]]:
        mask = np.zeros((1, self._num_actions), np.int8)
        mask[0, list(state["legal_actions"])] = 1
        wants_views = agent_calls.wants_views(self._agent)
        return [state["raw_obs"]] if wants_views else state["obs"][None], mask


class RLCardAgent:
    """An agent of RLCard as an agent of ours; it is asked by ``eval_step``, row by row.

    RLCard's agents draw from NumPy's global generator, and not from the one of ``act``. They see
    the observation and the legal actions; ``raw_obs`` is None, and ``action_record`` is empty.

    Args:
        agent: an agent that was made for ``"sabacc"`` and takes its actions as numbers.
        bet_sizes: what the bet actions mean.

    Raises:
        SabaccError: for an agent of raw actions.
    """

    def __init__(self, agent: Any, bet_sizes: Sequence[BetSize] = DEFAULT_BET_SIZES) -> None:
        if agent.use_raw:
            raise SabaccError(f"agent: {type(agent).__name__} takes raw actions")
        self._agent = agent
        self._bet_sizes = bet_sizes
        self._names = action_names(bet_sizes)

    def check_game(self, rules: RuleSet, num_players: int, bet_sizes: Sequence[BetSize]) -> None:
        """Refuse other bet sizes than the agent was made for."""
        if num_actions(bet_sizes) != len(self._names):
            raise SabaccError(f"the agent was made for the bet sizes {self._bet_sizes}")

    def reset(self, num_tables: int) -> None:
        """Remember nothing."""

    def act(
        self,
        observations: NDArray[np.float32],
        action_masks: NDArray[np.int8],
        rng: np.random.Generator,
        tables: NDArray[np.int64] | None = None,
    ) -> NDArray[np.int64]:
        """Choose a legal action for each row; see ``Agent.act``."""
        chosen = []
        for observation, mask in zip(observations, action_masks, strict=True):
            legal = np.flatnonzero(mask).tolist()
            state = {
                "obs": observation,
                "legal_actions": OrderedDict.fromkeys(legal),
                "raw_obs": None,
                "raw_legal_actions": [self._names[action] for action in legal],
                "action_record": [],
            }
            chosen.append(self._agent.eval_step(state)[0])
        return np.array(chosen, np.int64)


register("sabacc", "sabacc_env.adapters.rlcard:SabaccEnv")
