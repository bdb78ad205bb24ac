"""The example that trains on tokens: what it can tell apart, its mask, and that it learns."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest
import torch
from sabacc_training.solved_games import flatten, load_rung
from sabacc_training.solved_games.agent_policy import observations_at, tokens_at

from sabacc_env.observation import PAD
from tests.support.examples import FOLDER, load_example

ppo = load_example("ppo")
ppo_tokens = load_example("ppo_tokens")


@pytest.fixture(scope="module")
def tree():
    return flatten(load_rung(ppo_tokens.GAME))


def policies_told_apart(observation, tree):
    """Return in how many ways an untrained network plays in the information states."""
    *_, network = ppo_tokens.make(ppo_tokens.Args(observation=observation), seed=1)
    probabilities = ppo_tokens.probabilities(network, tree)
    return len(np.unique(probabilities, axis=0))


def test_a_flat_policy_plays_alike_where_the_observations_are_equal(tree):
    observations, _ = observations_at(tree, np.arange(len(tree.states.seats)))
    assert policies_told_apart("flat", tree) <= len(np.unique(observations, axis=0)) == 2973


def test_a_token_policy_tells_the_information_states_apart(tree):
    assert policies_told_apart("tokens", tree) > 0.95 * len(tree.states.seats)


def test_padding_does_not_matter(tree):
    tokens = torch.from_numpy(tokens_at(tree, np.arange(0, 7000, 700), 64)).long()
    policy = ppo_tokens.TokenPolicy(num_actions=30, width=16)
    longer = torch.nn.functional.pad(tokens, (0, 10), value=PAD)
    for row, logits in zip(longer, policy(longer), strict=True):
        alone = row[row != PAD][None]
        torch.testing.assert_close(policy(alone)[0], logits)


@pytest.mark.parametrize("observation", ["flat", pytest.param("tokens", marks=pytest.mark.slow)])
def test_it_learns(observation, tree):
    """Little training brings it much nearer to equilibrium than the untrained network's 1.76."""
    args = ppo_tokens.Args(observation=observation, total_decisions=20_000)
    settings, tables, network = ppo_tokens.make(args, seed=1)
    assert ppo_tokens.nash_conv(network, tree) > 1.7
    trained = ppo.train(settings, tables, network)
    assert ppo_tokens.nash_conv(trained, tree) < 1.4


@pytest.mark.slow
def test_it_prints_each_seed_and_the_mean():
    arguments = "--observation flat --total-decisions 1 --seeds 1 2".split()
    command = [sys.executable, str(FOLDER / "ppo_tokens.py"), *arguments]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    lines = [line.split(":")[0] for line in done.stdout.splitlines()]
    assert lines == ["flat, seed 1", "flat, seed 2", "flat"]
