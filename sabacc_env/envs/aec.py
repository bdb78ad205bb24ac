"""The PettingZoo environment: an agent-environment cycle over one table."""

from __future__ import annotations

import secrets
from collections.abc import Sequence
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray
from pettingzoo import AECEnv
from pettingzoo.utils import wrappers

from sabacc_env.checks import check_num_players, whole
from sabacc_env.engine.actions import (
    DEFAULT_BET_SIZES,
    BetSize,
    action_names,
    encode_bet_sizes,
    num_actions,
)
from sabacc_env.engine.features import LARGEST_FEATURE, OBSERVATION_SIZE
from sabacc_env.engine.layout import UNLIMITED
from sabacc_env.envs.options import (
    RENDER_MODES,
    TABLE_OPTIONS,
    checked_render_mode,
    known_options,
)
from sabacc_env.errors import IllegalMove
from sabacc_env.game import Game
from sabacc_env.keys import hand_key
from sabacc_env.render.text import render_text
from sabacc_env.rules import RuleSet, load_rules


class SabaccAEC(AECEnv):  # type: ignore[misc]
    """Corellian Spike Sabacc as a PettingZoo environment.

    ## Observation Space
    A dict: ``observation``, float32 of shape (400,), what the agent may know (docs/observation.md
    says what each index means); ``action_mask``, int8 of shape (num_actions,), 1 for each legal
    action, all zeros for an agent that is not to act.

    ## Action Space
    ``Discrete(29 + len(bet_sizes))``: stand, draw, buy_discard, keep, discard_drawn,
    replace_spike, check, call, junk; then five card slots each for discard_draw, swap, redraw and
    replace; then the bet sizes (docs/actions.md).

    ## Rewards
    Net credits of a hand in antes (hand ante + Sabacc ante), to every agent, on the step that ends
    the hand; zero on every other step.

    ## Starting State
    ``reset(seed=…, options=…)``: the seed decides every hand's key and the first dealer. Options,
    all optional: ``dealer``, ``credits`` and ``sabacc_pot`` before the antes, and for the first
    hand ``deck`` and ``dice`` (see ``sabacc_env.Game``). Without a seed, the next reset goes on
    from the last one's seed.

    ## Episode End
    After ``hands`` hands, or when fewer than two seats can pay their antes; all agents end on the
    same step. Credits, Sabacc pot and dealer carry over from hand to hand.

    ## Infos
    ``action_mask`` for every agent; on a step that ends a hand also ``net_credits`` (one number a
    seat), ``revealed_hands`` (names by agent, {} when nothing was revealed), ``winners`` (an agent
    for each pot) and ``sabacc_pot`` (credits left in it).

    ## Arguments
    ``rules``: a rule set by name, path, or as a ``RuleSet``. ``num_players``: 2 to 8. ``hands``:
    hands in an episode. ``bet_sizes``: what the bet actions mean. ``render_mode``: ``"ansi"``
    returns the table as text, ``"human"`` prints it; the text shows all hands.

    Illegal actions raise ``IllegalMove`` here and change nothing; ``sabacc_v0.env`` wraps this so
    that they end the episode with reward -1.

    ## Version History
    v0: first version.
    """

    metadata: ClassVar[dict[str, Any]] = {
        "name": "sabacc_v0",
        "render_modes": list(RENDER_MODES),
        "is_parallelizable": False,
        "render_fps": 2,
    }

    def __init__(
        self,
        rules: str | Path | RuleSet = "casino",
        num_players: int = 2,
        hands: int = 1,
        bet_sizes: Sequence[BetSize] = DEFAULT_BET_SIZES,
        render_mode: str | None = None,
    ) -> None:
        super().__init__()
        self.rules = load_rules(rules)
        num_players = check_num_players(self.rules, num_players)
        self.num_players = num_players
        self.hands = whole("hands", hands, 1, UNLIMITED)
        self._encoded_sizes = encode_bet_sizes(bet_sizes)
        self.bet_sizes = tuple(bet_sizes)
        self.render_mode = checked_render_mode(render_mode)
        self.game: Game
        self._seed: int | None = None
        self._episode = 0
        self._hand = 0
        self._no_actions = np.zeros(num_actions(bet_sizes), dtype=np.int8)
        self._no_actions.flags.writeable = False  # shared by all who do not act

        self.possible_agents = [f"player_{seat}" for seat in range(num_players)]
        self._seats = {agent: seat for seat, agent in enumerate(self.possible_agents)}
        features = spaces.Box(-LARGEST_FEATURE, LARGEST_FEATURE, (OBSERVATION_SIZE,), np.float32)
        mask = spaces.Box(0, 1, self._no_actions.shape, np.int8)
        self.observation_spaces = {
            agent: spaces.Dict({"observation": features, "action_mask": mask})
            for agent in self.possible_agents
        }
        self.action_spaces = {
            agent: spaces.Discrete(len(self._no_actions)) for agent in self.possible_agents
        }
        self.state_space = spaces.Box(
            -LARGEST_FEATURE, LARGEST_FEATURE, (num_players * OBSERVATION_SIZE,), np.float32
        )

    def observation_space(self, agent: str) -> spaces.Space[Any]:
        """Return the agent's observation space, the same object at every call."""
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> spaces.Space[Any]:
        """Return the agent's action space, the same object at every call."""
        return self.action_spaces[agent]

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Start an episode; see the class for what ``options`` may hold.

        Raises:
            SabaccError: for a seed or options that make no game.
        """
        given = known_options(options, TABLE_OPTIONS)
        if seed is not None:
            self._seed, self._episode = whole("seed", seed, 0, 2**64 - 1), 0
        elif self._seed is None:
            self._seed, self._episode = secrets.randbits(64), 0
        else:
            self._episode += 1
        self._hand = 0
        self.game = self._deal(**given)
        self.agents = list(self.possible_agents)
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self.infos: dict[str, dict[str, Any]] = {agent: {} for agent in self.agents}
        self._go_on()

    def _deal(self, **given: Any) -> Game:
        assert self._seed is not None
        key = hand_key(self._seed, self._episode, self._hand)
        game = Game(self.rules, self.num_players, key=key, **given)
        game.place_in_episode(self._hand, self.hands)
        return game

    def step(self, action: int | None) -> None:
        """Play the action of ``agent_selection``.

        Raises:
            IllegalMove: if it is not legal; nothing has changed.
        """
        agent = self.agent_selection
        if self.terminations[agent] or self.truncations[agent]:
            self._was_dead_step(action)
            return
        if isinstance(action, bool) or not isinstance(action, int | np.integer):
            raise no_action(action)
        self.game.play_code(self._checked(int(action)), self._encoded_sizes)
        self._cumulative_rewards[agent] = 0.0
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self.infos = {other: {} for other in self.agents}
        self._go_on()
        if self.render_mode == "human":
            self.render()

    def _checked(self, action: int) -> int:
        if 0 <= action < len(self._no_actions) and self._mask[action]:
            return action
        names = action_names(self.bet_sizes)
        legal = ", ".join(f"{i} ({names[i]})" for i in np.flatnonzero(self._mask))
        raise IllegalMove(
            f"action {action} is not legal for {self.agent_selection}; legal: {legal}"
        )

    def _go_on(self) -> None:
        """Go to the next decision: end a hand that is over, deal the next or end the episode."""
        while (seat := self.game.seat_to_act) is None:  # a hand may end at its deal, by the antes
            self._pay_out()
            self._hand += 1
            if self._hand == self.hands or not self.game.can_go_on():
                self.terminations = dict.fromkeys(self.agents, True)
                self.agent_selection = self.agents[0]
                break
            self._next_hand()
        else:
            self._start_turn(seat)

    def _start_turn(self, seat: int) -> None:
        """Let the seat to act choose."""
        self.agent_selection = self.possible_agents[seat]
        self._mask = self.game.action_mask(self._encoded_sizes)
        for info in self.infos.values():
            info["action_mask"] = self._no_actions
        self.infos[self.agent_selection]["action_mask"] = self._mask.copy()

    def _pay_out(self) -> None:
        """Pay the rewards of a hand that is over and say how it ended."""
        game = self.game
        net, winners = game.net_credits, game.winners
        assert net is not None
        assert winners is not None
        names = {self.possible_agents[seat]: name for seat, name in game.revealed_hands.items()}
        won = [self.possible_agents[seat] for seat in winners]
        sabacc_pot = game.sabacc_pot
        for agent in self.agents:
            reward = net[self._seats[agent]] / self.rules.ante_unit
            self.rewards[agent] += reward
            self._cumulative_rewards[agent] += reward
            self.infos[agent] = {
                "net_credits": list(net),
                "revealed_hands": dict(names),
                "winners": list(won),
                "sabacc_pot": sabacc_pot,
                "action_mask": self._no_actions,
            }

    def _next_hand(self) -> None:
        carried: dict[str, Any] = {"dealer": (self.game.dealer + 1) % self.num_players}
        if not self.rules.points:
            carried |= {"credits": self.game.credits, "sabacc_pot": self.game.sabacc_pot}
        self.game = self._deal(**carried)

    def observe(self, agent: str) -> dict[str, NDArray[Any]]:
        """Return the agent's observation and mask; any possible agent may ask at any time."""
        seat = self._seats[agent]
        observation = np.empty(OBSERVATION_SIZE, dtype=np.float32)
        self.game.observe(seat, observation)
        acts = agent == self.agent_selection and not self.terminations.get(agent, True)
        mask = self._mask.copy() if acts else self._no_actions
        return {"observation": observation, "action_mask": mask}

    def state(self) -> NDArray[np.float32]:
        """Return the observations of all seats, in seat order, as one array."""
        rows = np.empty((self.num_players, OBSERVATION_SIZE), dtype=np.float32)
        for seat in range(self.num_players):
            self.game.observe(seat, rows[seat])
        return rows.reshape(-1)

    def render(self) -> str | None:
        """Return the table as text (``ansi``) or print it (``human``)."""
        if self.render_mode is None:
            return None
        text = render_text(self.game)
        if self.render_mode == "ansi":
            return text
        print(text)
        return None

    def close(self) -> None:
        """There is nothing to close."""


def no_action(action: object) -> IllegalMove:
    """Return the refusal of what is no whole number."""
    return IllegalMove(f"{action!r} is no action: use a whole number below the space's n")


class EndOnIllegalAction(wrappers.TerminateIllegalWrapper):  # type: ignore[misc]
    """PettingZoo's ``TerminateIllegalWrapper``, which also says so in the actor's info."""

    def step(self, action: int | None) -> None:
        """Play an action; an illegal one ends the episode with the illegal reward."""
        if isinstance(action, bool):  # which a ``Discrete`` contains, and indexes the mask
            raise no_action(action)
        agent, ended_before = self.env.agent_selection, self._terminated
        super().step(action)
        if self._terminated and not ended_before:
            infos = self.env.unwrapped.infos
            infos[agent]["action_mask"] = np.zeros_like(infos[agent]["action_mask"])
            infos[agent]["illegal_action"] = True
