"""Runs that begin as a saved network: they begin with its probabilities, and go on from there."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import torch
from sabacc_agents.networks.agent import NetworkAgent
from sabacc_agents.networks.network import NetworkInfo, load_network, save_network
from sabacc_training.config.base import dump, load_config, validated
from sabacc_training.ppo.config import PPOConfig
from sabacc_training.ppo.trainer import PPOTrainer

from sabacc_env import SabaccError, Tables
from sabacc_env.observation import OBSERVATION_SIZE
from sabacc_env.policies import random_legal
from tests.support.processors import PRECISIONS

PPO = {"num_tables": 32, "rollout_steps": 500, "minibatch_size": 128, "hidden_sizes": [16]}


def run_from(initial: str, precision: str = "float32", **changes: Any) -> PPOConfig:
    ppo = PPO | {"initial": initial, "precision": precision} | changes.pop("ppo", {})
    game = {"trainer": "ppo", "rules": "casino", "steps": 5000}
    return validated(PPOConfig, game | changes | {"ppo": ppo})


@pytest.mark.parametrize(
    ("initial", "changes"),
    [
        ("zoo:casino-2p", {}),
        ("zoo:casino-2-8p", {}),
        ("zoo:casino-2-8p", {"num_players": 5}),
        ("zoo:casino-2p", {"max_players": 4}),
        ("zoo:generalist", {}),
        ("zoo:generalist", {"more_rules": [{"rules": "spacers"}], "num_players": 3}),
        ("zoo:orsl-2-8p", {"rules": "orsl"}),
    ],
)
def test_it_begins_with_the_probabilities_of_the_network(initial, changes) -> None:
    config = run_from(initial, **changes)
    trainer = PPOTrainer(config)
    saved = NetworkAgent(network=initial)
    for rules, players in config.games:
        tables = Tables(rules, 256, players, seed=1)
        for _ in range(10):
            tables.play(random_legal, 5)
            seen = tables.observations, tables.action_masks
            wanted = saved.probabilities(*seen)
            for agent in (trainer.agent, trainer.average):
                np.testing.assert_allclose(agent.probabilities(*seen), wanted, atol=1e-5)


def test_a_saved_run_plays_what_the_trainer_does(tmp_path) -> None:
    trainer = PPOTrainer(run_from("zoo:generalist", ppo={"critic_warmup": 0.0}))
    trainer.update()
    trainer.save_agent(tmp_path / "agent.safetensors")
    agent = NetworkAgent("casino", 2, network=tmp_path / "agent.safetensors")
    tables = Tables("casino", 64, 2, seed=1)
    tables.play(random_legal, 5)
    seen = tables.observations, tables.action_masks
    wanted = trainer.average.probabilities(*seen)
    np.testing.assert_allclose(agent.probabilities(*seen), wanted, atol=1e-5)
    assert abs(wanted - NetworkAgent(network="zoo:generalist").probabilities(*seen)).max() > 1e-3


@pytest.mark.parametrize("precision", PRECISIONS)
def test_at_first_only_the_critic_learns(precision) -> None:
    trainer = PPOTrainer(run_from("zoo:casino-2p", precision, ppo={"critic_warmup": 0.3}))
    begun, warming_up = copied(trainer), 0
    while trainer.progress < 0.3:
        before = copied(trainer)
        trainer.update()
        warming_up += 1
        now = copied(trainer)
        assert torch.equal(now["actor"], begun["actor"])
        assert torch.equal(now["average"], begun["average"])
        assert not torch.equal(now["critic"], before["critic"])
    assert warming_up > 1
    trainer.update()
    assert not torch.equal(copied(trainer)["actor"], begun["actor"])


def copied(trainer: PPOTrainer) -> dict[str, torch.Tensor]:
    """Return all weights of each network, as one copied vector."""
    state = trainer.state()
    return {
        name: torch.cat([weights.ravel() for weights in state[name].values()])
        for name in ("actor", "average", "critic")
    }


def test_what_was_saved_before_there_were_initial_networks_is_the_same(tmp_path) -> None:
    config = validated(PPOConfig, {"trainer": "ppo"})
    assert "initial" not in dump(config)
    assert "critic_warmup" not in dump(config)
    file = tmp_path / "config.json"
    file.write_text(dump(run_from("zoo:casino-2p", ppo={"critic_warmup": 0.25})))
    again = load_config(PPOConfig, file).ppo
    assert (again.initial, again.critic_warmup) == ("zoo:casino-2p", 0.25)


@pytest.mark.parametrize(
    ("initial", "changes", "sentence"),
    [
        ("zoo:nobody", {}, "the zoo has no member 'nobody'"),
        ("heuristic", {}, "^'heuristic': only a saved network can be the initial policy; give"),
        ("nobody.safetensors", {}, "^nobody.safetensors: cannot be read"),
        ("zoo:orsl-2p", {}, "^zoo:orsl-2p: was made for the rules 'orsl', not 'casino'"),
        (
            "zoo:casino-2p",
            {"more_rules": [{"rules": "orsl"}]},
            "^zoo:casino-2p: was made for the rules 'casino', not 'orsl'",
        ),
        ("zoo:casino-2p", {"bet_sizes": ["min", "max"]}, "^zoo:casino-2p: was made for the bet"),
    ],
)
def test_what_is_wrong_with_the_network_is_said(initial, changes, sentence) -> None:
    with pytest.raises(SabaccError, match=sentence):
        PPOTrainer(run_from(initial, **changes))


@pytest.mark.parametrize("whole_observation", [True, False])
def test_a_network_of_another_trainer_is_refused(tmp_path, whole_observation) -> None:
    """Another trainer's has other inputs or another activation."""
    saved, path = load_network("zoo:casino-2p"), tmp_path / "other.safetensors"
    info, weights, extractor = saved.info, dict(saved.weights), saved.extractor
    if whole_observation:
        weights["layers.0.weight"] = np.zeros((256, OBSERVATION_SIZE), np.float32)
        extractor = None
    else:
        info = NetworkInfo(info.rules, info.num_players, info.bet_sizes, "tanh")
    save_network(path, weights, info, extractor)
    with pytest.raises(SabaccError, match="only a network of the PPO trainer can be the initial"):
        PPOTrainer(run_from(str(path)))
