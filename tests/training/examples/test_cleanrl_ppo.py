"""The example in the style of CleanRL: its advantages, its masks, and that it learns."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from tests.support.examples import load_example

cleanrl_ppo = load_example("cleanrl_ppo")


def test_advantages_stop_at_the_end_of_a_hand() -> None:
    """One table, three decisions; the second ends a hand. Lambda is 0.5, gamma is 1."""
    values = torch.tensor([[0.5], [1.0], [2.0]])
    rewards = torch.tensor([[0.0], [3.0], [0.0]])
    dones = torch.tensor([[0.0], [1.0], [0.0]])
    nothing = torch.zeros(3, 1)
    rollout = cleanrl_ppo.Rollout(nothing, nothing, nothing, nothing, rewards, dones, values)
    args = cleanrl_ppo.Args(gae_lambda=0.5)
    advantages = cleanrl_ppo.compute_advantages(rollout, torch.tensor([4.0]), args)
    second, third = 3.0 - 1.0, 4.0 - 2.0
    np.testing.assert_allclose(advantages[:, 0], [1.0 - 0.5 + 0.5 * second, second, third])


def test_illegal_actions_are_never_played() -> None:
    args = cleanrl_ppo.Args(num_envs=32, rules="yarith_bespin", num_players=4)
    runner = cleanrl_ppo.Runner(args)
    agent = cleanrl_ppo.Agent(runner.obs.shape[1], runner.masks.shape[1])
    rollout = runner.play(agent, 40)
    assert rollout.masks.gather(-1, rollout.actions[..., None]).all()
    assert not rollout.rewards[rollout.dones == 0].any()
    assert rollout.dones.sum() > 32


@pytest.mark.slow
def test_it_learns() -> None:
    """It starts by losing 2 antes a hand or more, and soon wins; seeds 1 to 3 end above 1."""
    args = cleanrl_ppo.Args(total_timesteps=160_000)
    _, margins = cleanrl_ppo.train(args)
    assert np.mean(margins[:5]) < -1
    assert np.mean(margins[-10:]) > 0.5
