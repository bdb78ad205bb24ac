"""Drives every environment alike, at random."""

from __future__ import annotations

import copy
import random
from abc import ABC, abstractmethod
from collections.abc import Callable
from importlib.util import find_spec
from typing import Any, Self

import gymnasium
import numpy as np

from sabacc_env import SavedState, sabacc_v0
from sabacc_env.actions import FIRST_BET, JUNK
from sabacc_env.envs.vector import SabaccVectorEnv
from tests.support.comparing import comparable
from tests.support.toys import Counting

ILLEGAL_SHARE = 0.03

SHOWN = (
    "agents",
    "agent_selection",
    "rewards",
    "_cumulative_rewards",
    "infos",
    "terminations",
    "truncations",
)
"""The attributes of the PettingZoo environment that libraries read."""


class Driver(ABC):
    """An environment driven at random: a step plays one action, or resets after an episode."""

    env: Any
    last: Any = None
    """What ``reset``, ``restore_state`` or ``undo`` returned last, where they return anything."""

    def reset(self, seed: int) -> None:
        self.last = comparable(self.env.reset(seed=seed))

    def restore(self, state: SavedState) -> None:
        self.last = comparable(self.env.restore_state(state))

    def undo(self) -> None:
        self.last = comparable(self.env.undo())

    @abstractmethod
    def step(self, rng: random.Random) -> str:
        """Say whether an action was ``played``, an agent that had ended ``left``, or ``reset``."""

    @abstractmethod
    def shown(self) -> Any:
        """Return all that the environment shows, comparable with ==."""

    def over(self, env: Any) -> Self:
        """Return a driver of another environment."""
        twin = copy.copy(self)
        twin.env = env
        return twin


def choose(mask: Any, rng: random.Random, illegal: float = 0.0) -> int:
    """Choose an action, seldom junk or a raise, and perhaps one that the mask forbids."""
    forbidden = np.flatnonzero(mask == 0).tolist()
    if forbidden and rng.random() < illegal:
        return int(rng.choice(forbidden))
    legal = np.flatnonzero(mask).tolist()
    careful = [action for action in legal if action != JUNK and action < FIRST_BET]
    return int(rng.choice(careful if careful and rng.random() < 0.9 else legal))


class Cycle(Driver):
    """The PettingZoo environment; after an episode all agents take their last steps first."""

    illegal = ILLEGAL_SHARE

    def __init__(self, **options: Any) -> None:
        self.env = sabacc_v0.env(**options)

    def step(self, rng: random.Random) -> str:
        env = self.env
        if not env.agents:
            env.reset()
            return "reset"
        if env.terminations[env.agent_selection]:
            env.step(None)
            return "left"
        env.step(choose(env.observe(env.agent_selection)["action_mask"], rng, self.illegal))
        return "played"

    def shown(self) -> Any:
        table = self.env.unwrapped
        return [
            *(comparable(getattr(table, name)) for name in SHOWN),
            [comparable(self.env.observe(agent)) for agent in table.possible_agents],
            comparable(self.env.state()),
            table.hand_result(),
            table.game.to_bytes(),
        ]


class RawCycle(Cycle):
    """The same without its wrappers."""

    illegal = 0.0

    def __init__(self, **options: Any) -> None:
        self.env = sabacc_v0.raw_env(**options)


class Parallel(Driver):
    """The parallel form."""

    def __init__(self, **options: Any) -> None:
        self.env = sabacc_v0.parallel_env(**options)

    def step(self, rng: random.Random) -> str:
        env = self.env
        if not env.agents:
            env.reset()
            return "reset"
        agent = env.aec_env.agent_selection
        mask = env.aec_env.observe(agent)["action_mask"]
        env.step(dict.fromkeys(env.agents, choose(mask, rng, ILLEGAL_SHARE)))
        return "played"

    def shown(self) -> Any:
        cycle = Cycle.__new__(Cycle)
        cycle.env = self.env.aec_env
        return [cycle.shown(), self.env.agents.copy()]


class SingleSeat(Driver):
    """``Sabacc-v0`` against an agent that remembers and a random one."""

    def __init__(self, **options: Any) -> None:
        agents: list[Any] = ["random", Counting(options["rules"], options["num_players"])]
        self.env: Any = gymnasium.make("Sabacc-v0", opponents=agents, **options).unwrapped

    def step(self, rng: random.Random) -> str:
        if self.env._over:
            self.last = comparable(self.env.reset())
            return "reset"
        mask = self.env.action_masks()
        observation, *_, info = self.env.step(choose(mask, rng, ILLEGAL_SHARE))
        self.last = comparable((observation, info))
        return "played"

    def shown(self) -> Any:
        return [
            self.last,
            comparable(self.env.action_masks()),
            self.env.hand_result(),
            self.env.seat,
            self.env.game.to_bytes(),
            self.env.np_random.bit_generator.state,
        ]


class Vector(Driver):
    """``make_vec("Sabacc-v0")`` against an agent that remembers and a random one."""

    mode = "NextStep"

    def __init__(self, **options: Any) -> None:
        agents: list[Any] = ["random", Counting(options["rules"], options["num_players"])]
        self.env: Any = SabaccVectorEnv(
            3, opponents=agents, autoreset_mode=self.mode, max_episode_steps=12, **options
        )

    def step(self, rng: random.Random) -> str:
        ended = self.env._waiting.copy()
        if rng.random() < 0.02:
            self.last = comparable(self.env.reset())
            return "reset"
        if self.mode == "Disabled" and ended.any():
            self.last = comparable(self.env.reset(options={"reset_mask": ended}))
            return "reset"
        masks = self.env.action_masks()
        observations, *_, info = self.env.step([choose(row, rng, ILLEGAL_SHARE) for row in masks])
        told_once = ("final_obs", "final_info", "_final_obs", "_final_info")
        info = {name: value for name, value in info.items() if name not in told_once}
        self.last = comparable((observations, info))
        return "played"

    def shown(self) -> Any:
        return [
            self.last,
            comparable(self.env.action_masks()),
            self.env.hand_results(),
            self.env.learner.tables.to_bytes(),
            self.env.learner.seats.tolist(),
            self.env.np_random.bit_generator.state,
        ]


class SameStepVector(Vector):
    """The same where the next episode begins within a step."""

    mode = "SameStep"


class DisabledVector(Vector):
    """The same where tables wait for a reset."""

    mode = "Disabled"


class VecEnv(Driver):
    """Stable-Baselines3's form."""

    def __init__(self, **options: Any) -> None:
        from sabacc_env.adapters.stable_baselines3 import SabaccVecEnv

        agents: list[Any] = ["random", Counting(options["rules"], options["num_players"])]
        self.env: Any = SabaccVecEnv(num_envs=3, opponents=agents, illegal="end", **options)

    def reset(self, seed: int) -> None:
        self.env.seed(seed)
        self.last = comparable(self.env.reset())

    def step(self, rng: random.Random) -> str:
        if rng.random() < 0.02:
            self.last = comparable(self.env.reset())
            return "reset"
        masks = self.env.action_masks()
        actions = np.array([choose(row, rng, ILLEGAL_SHARE) for row in masks])
        self.last = comparable(self.env.step(actions)[0])
        return "played"

    def shown(self) -> Any:
        return [
            self.last,
            comparable(self.env.action_masks()),
            self.env.tables.to_bytes(),
            self.env._learner.rng.bit_generator.state,
            self.env._learner._learners.hands.tolist(),
        ]


DRIVERS: dict[str, Callable[..., Driver]] = {
    "AEC": Cycle,
    "raw AEC": RawCycle,
    "parallel": Parallel,
    "Sabacc-v0": SingleSeat,
    "vector, next step": Vector,
    "vector, same step": SameStepVector,
    "vector, disabled": DisabledVector,
}
if find_spec("stable_baselines3"):
    DRIVERS["Stable-Baselines3"] = VecEnv


def anywhere(driver: Driver, rng: random.Random, most: int = 60) -> None:
    """Begin, and stop at a random point of a random episode."""
    driver.reset(rng.getrandbits(32))
    for _ in range(rng.randrange(most)):
        driver.step(rng)
