"""PettingZoo's loop over one table, and an environment that does nothing as its ceiling."""

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
    NOOP_RAW,
    NOOP_WRAPPED,
    OPENSPIEL,
    RAW,
    TEXAS_RAW,
    TEXAS_WRAPPED,
    WRAPPED,
)
from sabacc_training.bench.sampling import Benchmark, Play
from sabacc_training.jobs.stopwatch import Stopwatch

PLAYERS: Final = 2

TURNS: Final = 200
"""Turns in one call, or a few more: episodes are played to their end."""


def play_turns(env: Any) -> Play:
    """Return what plays random legal turns in PettingZoo's usual loop, resets included."""
    env.reset(seed=0)  # the only seed: for some environments seeding costs more than a hand
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


def turns_benchmark(name: str, part: str, env: Any, baselines: tuple[str, ...] = ()) -> Benchmark:
    """Return the benchmark of an environment's turns."""
    return Benchmark(name, part, "turns a CPU-second", play_turns(env), baselines=baselines)


class NoOpEnv(AECEnv):  # type: ignore[misc]
    """An environment with our agents and spaces, which only passes the turn.

    Its observation is always the same and every action is legal. Its episode has as many turns as
    the average hand of casino between two random players.
    """

    metadata: ClassVar[dict[str, Any]] = {"name": "nothing_v0", "is_parallelizable": False}
    episode: Final = 8

    def __init__(self) -> None:
        super().__init__()
        like = sabacc_v0.raw_env(num_players=PLAYERS)
        self.possible_agents = like.possible_agents
        self.observation_spaces, self.action_spaces = like.observation_spaces, like.action_spaces
        like.reset(seed=0)
        self._observation = {
            key: np.ones_like(array) for key, array in like.observe("player_0").items()
        }

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
        return self._observation


def wrapped_noop_env() -> Any:
    """Return ``NoOpEnv`` in PettingZoo's default wrappers."""
    environment = wrappers.TerminateIllegalWrapper(NoOpEnv(), illegal_reward=-1)
    return wrappers.OrderEnforcingWrapper(wrappers.AssertOutOfBoundsWrapper(environment))


def aec_benchmarks() -> Iterator[Benchmark]:
    """Yield benchmarks of our environment and its ceiling, raw and in PettingZoo's wrappers."""
    raw, wrapped = sabacc_v0.raw_env(num_players=PLAYERS), sabacc_v0.env(num_players=PLAYERS)
    yield turns_benchmark(RAW, "aec", raw, baselines=(TEXAS_RAW, OPENSPIEL, NOOP_RAW))
    yield turns_benchmark(WRAPPED, "aec", wrapped, baselines=(TEXAS_WRAPPED, NOOP_WRAPPED))
    yield turns_benchmark(NOOP_RAW, "aec", NoOpEnv())
    yield turns_benchmark(NOOP_WRAPPED, "aec", wrapped_noop_env())
