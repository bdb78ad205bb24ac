"""Tianshou: what it collects, from one seat and in self-play; runs in its own environment."""

from __future__ import annotations

from functools import partial

import gymnasium
import numpy as np
import pytest
from pettingzoo.utils.wrappers import BaseWrapper

pytest.importorskip("tianshou", minversion="2")

from tianshou.algorithm.modelfree.dqn import DiscreteQLearningPolicy
from tianshou.algorithm.multiagent.marl import MultiAgentPolicy
from tianshou.data import Collector, VectorReplayBuffer
from tianshou.env import DummyVectorEnv, PettingZooEnv
from tianshou.utils.net.common import Net

from sabacc_env import load_rules, sabacc_v0

ANTE = load_rules("casino").ante_unit


def random_policy():
    """Return a policy that draws among the legal actions."""
    net = Net(state_shape=400, action_shape=33)
    actions = gymnasium.spaces.Discrete(33)
    return DiscreteQLearningPolicy(model=net, action_space=actions, eps_training=1.0)


def collect(policy, envs):
    """Return the buffer of a collection, with as many steps as fit in it."""
    buffer = VectorReplayBuffer(2_000, len(envs))
    collector = Collector(policy, envs, buffer, exploration_noise=True)
    collector.collect(n_step=2_000, reset_before_collect=True)
    assert len(buffer) == 2_000
    assert np.take_along_axis(buffer.obs.mask, buffer.act[:, None], axis=1).all()
    assert len(np.unique(buffer.act)) > 10
    return buffer


def test_one_seat():
    names = {"obs": "flat", "mask": "action_mask"}
    envs = DummyVectorEnv(
        [lambda: gymnasium.make("Sabacc-v0", num_players=2, observation=names)] * 4
    )
    buffer = collect(random_policy(), envs)
    assert not buffer.info.illegal_action.any()
    ended = buffer.done.astype(bool)
    assert ended.sum() > 100
    own = np.isclose(buffer.rew[:, None], buffer.info.net_credits / ANTE)
    assert own.any(axis=1).all()
    assert (buffer.rew[~ended] == 0).all()
    np.testing.assert_array_equal(buffer.obs_next.mask[ended], 1)


class NotedTable(BaseWrapper):  # type: ignore[misc]
    """A table of three seats that keeps what each of its hands brought, in antes."""

    def __init__(self):
        super().__init__(sabacc_v0.env(num_players=3))
        self.results = []

    def step(self, action):
        finished = self.hands_finished
        super().step(action)
        if self.hands_finished > finished:
            self.results.append([credits / ANTE for credits in self.hand_result()["net_credits"]])


def test_self_play_pays_every_seat():
    tables = [NotedTable() for _ in range(4)]
    envs = DummyVectorEnv([partial(PettingZooEnv, table) for table in tables])
    agents = tables[0].possible_agents
    policy = MultiAgentPolicy({agent: random_policy() for agent in agents})
    buffer = collect(policy, envs)
    assert set(buffer.info.keys()) == {"env_id", "action_mask"}
    assert set(buffer.obs.agent_id) == set(agents)
    for collected, table in zip(buffer.buffers, tables, strict=True):
        ended = collected.done.astype(bool)[: len(collected)]
        rewards = collected.rew[: len(collected)]
        assert len(table.results) > 10
        np.testing.assert_allclose(rewards[ended], table.results, rtol=1e-6)
        assert not rewards[~ended].any()
