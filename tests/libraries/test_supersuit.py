"""SuperSuit's wrappers on a Box: the PettingZoo environments with the mask in the infos."""

from __future__ import annotations

import gymnasium
import numpy as np
import pytest
from pettingzoo.test import parallel_api_test

pytest.importorskip("supersuit")

from sabacc_env import sabacc_v0

pytestmark = pytest.mark.filterwarnings(
    "ignore:.*bservation", "ignore:.*Box (low|high)'s precision"
)

WRAPPERS = {
    "frame_stack_v1": ((4,), (1600,)),
    "dtype_v0": ((np.float16,), (400,)),
    "flatten_v0": ((), (400,)),
    "reshape_v0": (((20, 20),), (20, 20)),
    "normalize_obs_v0": ((), (400,)),
    "clip_reward_v0": ((), (400,)),
    "max_observation_v0": ((2,), (400,)),
    "delay_observations_v0": ((1,), (400,)),
    "nan_noop_v0": ((0,), (400,)),
    "agent_indicator_v0": ((), (403,)),
    "pad_observations_v0": ((), (400,)),
    "pad_action_space_v0": ((), (400,)),
}
"""The arguments of each wrapper, and the shape of an observation then."""

OF_AGENTS = ("agent_indicator_v0", "pad_observations_v0", "pad_action_space_v0")


def wrapped(name, env):
    import supersuit  # not above: doctest stumbles over this module's attributes

    return getattr(supersuit, name)(env, *WRAPPERS[name][0])


@pytest.mark.parametrize("name", WRAPPERS)
def test_multi_agent(name):
    shape = WRAPPERS[name][1]
    env = wrapped(name, sabacc_v0.env(num_players=3, hands=2, mask_in_observation=False))
    env.reset(seed=1)
    for _ in range(60):
        if not env.agents:
            env.reset()
        observation, _, terminated, truncated, info = env.last()
        assert observation.shape == shape
        env.step(None if terminated or truncated else int(info["action_mask"].argmax()))
    parallel = sabacc_v0.parallel_env(num_players=3, mask_in_observation=False)
    parallel_api_test(wrapped(name, parallel), num_cycles=50)


@pytest.mark.parametrize("name", [name for name in WRAPPERS if name not in OF_AGENTS])
def test_one_seat(name):
    env = wrapped(name, gymnasium.make("Sabacc-v0"))
    observation, info = env.reset(seed=1)
    for _ in range(20):
        assert observation.shape == WRAPPERS[name][1]
        observation, _, terminated, _, info = env.step(int(info["action_mask"].argmax()))
        if terminated:
            observation, info = env.reset()


def test_a_batch_of_parallel_environments():
    import supersuit

    parallel = sabacc_v0.parallel_env(num_players=3, mask_in_observation=False)
    seats = supersuit.pettingzoo_env_to_vec_env_v1(parallel)
    envs = supersuit.concat_vec_envs_v1(seats, 4, num_cpus=0, base_class="gymnasium")
    observations, infos = envs.reset(seed=1)
    ends = 0
    for _ in range(60):
        assert observations.shape == (12, 400)
        actions = np.array([info["action_mask"].argmax() for info in infos])
        observations, rewards, terminated, _, infos = envs.step(actions)
        ends += int(terminated.sum())
        assert not rewards[terminated == 0].any()
    assert ends > 12
    assert ends % 3 == 0
