"""Teachers: what they would do is what their agents do, and a policy comes near it."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from sabacc_agents.loading import load
from sabacc_training.config.base import validated
from sabacc_training.ppo.compute import Compute
from sabacc_training.ppo.config import PPOConfig
from sabacc_training.ppo.input_readers import CpuInputReader
from sabacc_training.ppo.rollout_buffer import Decisions
from sabacc_training.ppo.teachers import Teachers
from sabacc_training.ppo.threads import Workers
from sabacc_training.ppo.trainer import PPOTrainer

from sabacc_env import SabaccError
from tests.support.processors import QUICK_PRECISIONS

TWO = ["zoo:black_spire-2p", "zoo:casino-2p"]
PPO = {
    "num_tables": 64,
    "rollout_steps": 2048,
    "minibatch_size": 256,
    "hidden_sizes": [64],
    "kl_coef": 1.0,
}


def taught(teachers=TWO, precision="float32", **changes) -> PPOConfig:
    ppo = PPO | {"magnet": "teachers", "teachers": teachers, "precision": precision}
    games = {"rules": "black_spire", "more_rules": [{"rules": "casino"}], "steps": 40_000}
    nobody = {"snapshots": 0, "scripted": {}}
    return validated(PPOConfig, {"trainer": "ppo", "pool": nobody, "ppo": ppo} | games | changes)


def test_they_say_what_their_agents_do() -> None:
    config = taught()
    trainer = PPOTrainer(config)
    trainer.update()  # now the hands stand at various points
    tables, everywhere = trainer.collector.tables, np.arange(64)
    compute, workers = Compute("cpu", torch.float32), Workers(1)
    decisions = Decisions.empty(64, trainer.inputs.size, tables.action_masks.shape[1], compute)
    decisions.tables[:] = everywhere
    nothing = np.zeros((64, 0), np.float32)
    CpuInputReader(workers).write_inputs(trainer.inputs, tables, everywhere, nothing, decisions)
    teachers = Teachers(config, trainer.inputs.extractor, compute, workers)
    log_probs = teachers.log_probs(decisions, tables).numpy()
    for number, (spec, rules) in enumerate(zip(TWO, config.all_rules, strict=True)):
        which = np.flatnonzero(tables.rule_of == number)
        masks = tables.action_masks[which]
        agent = load(spec, rules, 2)
        wanted = agent.probabilities(tables.observations[which], masks)  # type: ignore[attr-defined]
        np.testing.assert_allclose(np.exp(log_probs[which]) * (masks != 0), wanted, atol=1e-5)


@pytest.mark.parametrize("precision", QUICK_PRECISIONS)
def test_a_policy_comes_near_them(precision) -> None:
    trainer = PPOTrainer(taught(precision=precision))
    distances = []
    while trainer.steps < trainer.config.steps:
        trainer.update()
        distances.append(trainer.metrics["train/kl_to_magnet"])
    assert distances[-1] < distances[0] / 4


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"ppo": PPO | {"magnet": "teachers"}}, 'give teachers exactly when magnet = "teachers"'),
        ({"ppo": PPO | {"teachers": TWO}}, 'give teachers exactly when magnet = "teachers"'),
        ({"teachers": TWO[:1]}, "names 1 for 2 rule sets; name one"),
        ({"teachers": TWO[::-1]}, "was made for the rules 'casino', not 'black_spire'"),
        ({"max_players": 3}, "zoo:black_spire-2p: was made for 2 players, not 3"),
        (
            {"teachers": [TWO[0], "zoo:casino-2-8p"]},
            "networks of this run lack",
        ),
        ({"teachers": ["zoo:nobody", TWO[1]]}, "the zoo has no member 'nobody'"),
        ({"teachers": ["nobody.safetensors", TWO[1]]}, "nobody.safetensors"),
    ],
)
def test_what_is_wrong_with_them_is_said(changes, sentence) -> None:
    with pytest.raises(SabaccError, match=sentence):
        PPOTrainer(taught(**changes))
