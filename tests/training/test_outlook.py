"""What the network looks at: the totals are right, and the saved network computes the same."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from gymnasium import spaces
from sabacc_agents import NetworkAgent
from sabacc_agents.network import Network, NetworkInfo
from sabacc_training.learner import Learner
from sabacc_training.outlook import as_layers, totals_after, varying_columns
from sabacc_training.policy import Outlook, network_weights
from sabacc_training.selfplay_config import PPOConfig, TrainingConfig

from sabacc_env import Tables, load_rules, rule_sets
from sabacc_env.agent import RandomAgent
from sabacc_env.observation import OBSERVATION_SIZE


def played(rules: str, num_players: int, turns: int = 40) -> Tables:
    tables = Tables(rules, num_tables=64, num_players=num_players, seed=3)
    agent, rng = RandomAgent(tables.rules, num_players), np.random.default_rng(0)
    for _ in range(turns):
        tables.step(agent.act(tables.observations, tables.action_masks, rng))
    return tables


def test_totals_of_the_card_actions() -> None:
    tables = played("casino", 2, turns=1)
    totals = tables.observations @ totals_after(tables.rules)
    for table in range(tables.num_tables):
        game = tables.game(table)
        assert game.seat_to_act is not None
        hand = game.hands[game.seat_to_act]
        top = game.discard_pile[-1]
        if game.phase != "cards" or any(card.value == 0 for card in (*hand, top)):
            continue
        total = sum(card.value for card in hand)
        assert totals[table, 0] == pytest.approx(total)
        for slot, card in enumerate(hand):
            assert totals[table, 1 + slot] == pytest.approx(total - card.value, abs=1e-4)
            swapped = total - card.value + top.value
            assert totals[table, 6 + slot] == pytest.approx(swapped, abs=1e-4)


@pytest.mark.parametrize("name", rule_sets())
def test_layers_make_the_same_of_an_observation(name: str) -> None:
    tables = played(name, 3)
    space = spaces.Box(-8, 8, (OBSERVATION_SIZE,), np.float32)
    made_of = varying_columns(3), totals_after(tables.rules)
    outlook = Outlook(space, *made_of)
    weight, bias, mix = as_layers(*made_of)
    observations = torch.from_numpy(tables.observations)
    layered = torch.relu(observations @ weight.T + bias) @ mix.T
    torch.testing.assert_close(layered, outlook(observations), atol=1e-4, rtol=0)


def test_the_saved_network_plays_like_the_learner() -> None:
    learner = Learner(TrainingConfig(ppo=PPOConfig(num_tables=8, rollout=4, batch_size=16)))
    weights = {name: array.numpy() for name, array in network_weights(learner.agent.actor).items()}
    rules = load_rules("casino")
    network = Network(weights, NetworkInfo(rules, 2, activation="relu"))
    tables = played("casino", 2)
    saved = NetworkAgent(rules, 2, network=network)
    with torch.inference_mode():
        logits = learner.agent.actor(torch.from_numpy(tables.observations))
        logits[torch.from_numpy(tables.action_masks) == 0] = -torch.inf
        expected = torch.softmax(logits, dim=1).numpy()
    found = saved.probabilities(tables.observations, tables.action_masks)
    np.testing.assert_allclose(found, expected, atol=1e-4)
