"""Networks that are trained on a rule space play rules that they have never met."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sabacc_agents.loading import load
from sabacc_agents.networks.network import read_info
from sabacc_training.config.base import load_config, validated
from sabacc_training.config.run import RunConfig
from sabacc_training.evaluation.hero_margin import hero_margin
from sabacc_training.ppo.config import PPOConfig
from sabacc_training.sb3.config import MaskablePPOConfig
from sabacc_training.trainers import train

from sabacc_env import RuleSpace, Tables, load_rules
from sabacc_env.agent import RandomAgent

CONFIGS = Path(__file__).parents[2] / "configs"
RULES = {
    "rules": "one_draw",
    "rule_space": {"space": "small", "split": "train"},
    "pool": {"snapshots": 0, "scripted": {}},
    "polyak_tau": 0.2,
}
RUNS: dict[str, tuple[type[RunConfig], dict[str, Any]]] = {
    "ppo": (
        PPOConfig,
        {
            "trainer": "ppo",
            "steps": 150_000,
            "ppo": {
                "num_tables": 256,
                "rollout_steps": 4096,
                "minibatch_size": 512,
                "learning_rate": [4e-3, 0],
                "hidden_sizes": [64],
                "reward_scale": 2,
            },
        },
    ),
    "sb3": (
        MaskablePPOConfig,
        {
            "steps": 150_000,
            "sb3": {
                "num_tables": 256,
                "n_steps": 16,
                "batch_size": 512,
                "learning_rate": [3e-3, 0],
                "hidden_sizes": [64],
            },
        },
    ),
}


@pytest.mark.slow
@pytest.mark.parametrize("trainer", RUNS)
def test_it_beats_random_by_rules_that_it_has_not_met(trainer: str, tmp_path: Path) -> None:
    model, keys = RUNS[trainer]
    agent = train(validated(model, RULES | keys), tmp_path)
    assert read_info(agent).any_rules
    for split in ("test_near", "test_far"):
        margins = []
        for key in range(20):
            rules = RuleSpace("small").split(split).sample(key)
            hero = load(agent, rules, 2, ["min"])
            random = RandomAgent(rules, 2)
            margins.append(hero_margin(rules, hero, random, 2, 300, 5, bet_sizes=["min"]).mean)
        assert np.mean(margins) > 400  # mante/hand


@pytest.mark.parametrize("name", ["house", "small"])
def test_the_configurations_evaluate_on_rules_that_are_not_met(name: str) -> None:
    config = load_config(PPOConfig, CONFIGS / f"rule-space-{name}.toml")
    assert config.rule_space is not None
    space = RuleSpace(name)
    assert config.rules_of_hands == space.split("train")
    assert space.split("test_near").contains(config.rule_set)


def test_a_network_of_any_rules_plays_all_rules(tmp_path: Path) -> None:
    model, keys = RUNS["ppo"]
    drawn = {"space": "house", "num_rule_sets": 10}
    config = validated(model, RULES | keys | {"steps": 300, "rules": "casino", "rule_space": drawn})
    agent = train(config, tmp_path)
    for name in ("casino", "yarith_bespin"):
        load(agent, load_rules(name), 2)
    space = RuleSpace("house", num_rule_sets=30).split("test_far")
    tables = Tables(space, 30, seed=1)
    player = load(agent, None, 2)
    for _ in range(20):
        masks = tables.action_masks
        tables.step(player.act(tables.observations, masks, np.random.default_rng(1), np.arange(30)))
    assert tables.hand_counts.sum() > 20
