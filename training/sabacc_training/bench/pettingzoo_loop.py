"""PettingZoo's loop over one table, and the environment that does nothing: its ceiling."""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Any, ClassVar, Final

import numpy as np
from gymnasium import spaces
from pettingzoo import AECEnv
from pettingzoo.utils import wrappers

from sabacc_env import sabacc_v0
from sabacc_training.bench.names import (
    NOTHING_RAW,
    NOTHING_WRAPPED,
    OPENSPIEL,
    RAW,
    TEXAS_RAW,
    TEXAS_WRAPPED,
    WRAPPED,
)
from sabacc_training.bench.sampling import Play, Subject
from sabacc_training.jobs.stopwatch import Stopwatch

PLAYERS: Final = 2

TURNS: Final = 200
"""Turns played in one go, or a few more: episodes are played to their end."""


def turns(env: Any) -> Play:
    """Play random legal turns in PettingZoo's usual loop, the resets included."""
    env.reset(seed=0)  # the only seeded one: seeding costs some environments more than a hand
    uniform = random.Random(0).random

    def play(clock: Stopwatch) -> int:
        played = 0
        with clock:
            while played < TURNS:
                env.reset()
                for _ in env.agent_iter():
                    observation, _, termination, truncation, _ = env.last()
                    if termination or truncation:
                        env.step(None)
                        continue
                    legal = observation["action_mask"].nonzero()[0]
                    env.step(int(legal[int(uniform() * len(legal))]))
                    played += 1
        return played

    return play


def turns_subject(name: str, part: str, env: Any, over: tuple[str, ...] = ()) -> Subject:
    """Return an environment's turns as a thing to measure."""
    return Subject(name, part, "turns a CPU-second", turns(env), over=over)


class Nothing(AECEnv):  # type: ignore[misc]
    """An environment with the agents and spaces of ours, which only passes the turn.

    What it shows is always the same, every action is legal, and its episode has as many turns as
    two players' hand of casino on the average, played at random.
    """

    metadata: ClassVar[dict[str, Any]] = {"name": "nothing_v0", "is_parallelizable": False}
    episode: Final = 8

    def __init__(self) -> None:
        super().__init__()
        like = sabacc_v0.raw_env(num_players=PLAYERS)
        self.possible_agents = like.possible_agents
        self.observation_spaces, self.action_spaces = like.observation_spaces, like.action_spaces
        like.reset(seed=0)
        self._shown = {key: np.ones_like(array) for key, array in like.observe("player_0").items()}

    def observation_space(self, agent: str) -> spaces.Space[Any]:
        """Return the agent's observation space."""
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> spaces.Space[Any]:
        """Return the agent's action space."""
        return self.action_spaces[agent]

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Start an episode."""
        self.agents = list(self.possible_agents)
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self.infos: dict[str, dict[str, Any]] = {agent: {} for agent in self.agents}
        self.agent_selection = self.agents[0]
        self._left = self.episode

    def step(self, action: int | None) -> None:
        """Pass the turn."""
        if self.terminations[self.agent_selection]:
            self._was_dead_step(action)
            return
        self._left -= 1
        if self._left:
            self.agent_selection = self.agents[self._left % PLAYERS]
        else:
            self.terminations = dict.fromkeys(self.agents, True)
            self.agent_selection = self.agents[0]

    def observe(self, agent: str) -> dict[str, Any]:
        """Return the one observation."""
        return self._shown


def nothing_env() -> Any:
    """Return the environment that does nothing in PettingZoo's default wrappers."""
    environment = wrappers.TerminateIllegalWrapper(Nothing(), illegal_reward=-1)
    return wrappers.OrderEnforcingWrapper(wrappers.AssertOutOfBoundsWrapper(environment))


def aec_subjects() -> Iterator[Subject]:
    """Yield our environment and its ceiling, both raw and in PettingZoo's default wrappers."""
    raw, wrapped = sabacc_v0.raw_env(num_players=PLAYERS), sabacc_v0.env(num_players=PLAYERS)
    yield turns_subject(RAW, "aec", raw, over=(TEXAS_RAW, OPENSPIEL, NOTHING_RAW))
    yield turns_subject(WRAPPED, "aec", wrapped, over=(TEXAS_WRAPPED, NOTHING_WRAPPED))
    yield turns_subject(NOTHING_RAW, "aec", Nothing())
    yield turns_subject(NOTHING_WRAPPED, "aec", nothing_env())
