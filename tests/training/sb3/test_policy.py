"""The policy that Stable-Baselines3 trains: what is saved of it plays as it does."""

from __future__ import annotations

import numpy as np
import torch
from sabacc_agents import NetworkAgent, load_network
from sabacc_training.sb3.config import MaskablePPOConfig, MaskablePPOHyperparameters
from sabacc_training.sb3.trainer import MaskablePPOTrainer

from sabacc_env import Tables
from sabacc_env.agent import RandomAgent


def test_the_saved_network_plays_like_the_learner(tmp_path) -> None:
    learner = MaskablePPOTrainer(
        MaskablePPOConfig(sb3=MaskablePPOHyperparameters(num_tables=8, n_steps=4, batch_size=16))
    )
    learner.save_agent(tmp_path / "agent.safetensors")
    tables = Tables("casino", num_tables=64, num_players=2, seed=3)
    agent, rng = RandomAgent(tables.rules, 2), np.random.default_rng(0)
    for _ in range(40):
        tables.step(agent.act(tables.observations, tables.action_masks, rng))
    saved = NetworkAgent("casino", 2, network=load_network(tmp_path / "agent.safetensors"))
    with torch.inference_mode():
        logits = learner.average.actor(torch.from_numpy(tables.observations))
        logits[torch.from_numpy(tables.action_masks) == 0] = -torch.inf
        expected = torch.softmax(logits, dim=1).numpy()
    found = saved.probabilities(tables.observations, tables.action_masks)
    np.testing.assert_allclose(found, expected, atol=1e-5)
