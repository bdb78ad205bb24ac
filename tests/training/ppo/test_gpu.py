"""The trainer reads tables of a GPU as it reads those of the processors.

The operations run on any tensors, so everything but where the memory is can be tested here. The
tables' own part is in tests/cuda; one test there has the trainer at tables that Numba simulates.
"""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any, cast

import numpy as np
import pytest
import torch
from sabacc_agents.loading import load
from sabacc_agents.networks.features import FeatureExtractor
from sabacc_training.config.base import validated
from sabacc_training.experiments.throughput import frozen_tables
from sabacc_training.ppo import input_readers
from sabacc_training.ppo import trainer as ppo_trainer
from sabacc_training.ppo.compute import Compute
from sabacc_training.ppo.config import PPOConfig
from sabacc_training.ppo.input_readers import CpuInputReader, GpuInputReader, HostTables
from sabacc_training.ppo.network_inputs import NetworkInputs
from sabacc_training.ppo.rollout_buffer import Decisions
from sabacc_training.ppo.threads import Workers
from sabacc_training.ppo.trainer import PPOTrainer

from sabacc_env import Tables
from sabacc_env.agent_calls import actions_at
from sabacc_env.policies import random_legal

HERE = Compute("cpu", torch.float32)
BOTH = CpuInputReader(Workers(1)), GpuInputReader("cpu")
PPO = {
    "num_tables": 64,
    "rollout_steps": 1024,
    "minibatch_size": 256,
    "hidden_sizes": [16],
    "precision": "float32",
}


@pytest.fixture(autouse=True)
def tables_in_this_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(input_readers, "shared", torch.as_tensor)


@pytest.mark.parametrize("critic", ["own_hand", "all_hands", "everything"])
@pytest.mark.parametrize(
    ("rules", "players"), [("casino", 3), ("yarith_bespin", 2), ("black_spire", 4)]
)
def test_the_inputs_are_the_same(rules: str, players: int, critic: Any) -> None:
    tables = Tables(rules, 60, players, seed=1)
    tables.play(random_legal, 30)
    extractor = FeatureExtractor.for_games(tables.rule_sets, players)
    inputs = NetworkInputs(extractor, 2, players, critic)
    which = np.arange(0, 60, 2)
    recalled = np.random.default_rng(0).random((30, inputs.recalled_size), np.float32)
    both = []
    for input_reader in BOTH:
        actions = tables.action_masks.shape[1]
        decisions = Decisions.empty(len(which), inputs.size, actions, HERE)
        input_reader.write_inputs(inputs, tables, which, recalled, decisions)
        both.append(decisions)
    torch.testing.assert_close(both[0].inputs, both[1].inputs, atol=1e-6, rtol=0)
    assert torch.equal(both[0].action_masks, both[1].action_masks)
    np.testing.assert_array_equal(both[0].action_masks, tables.action_masks[which])


class OnDevice:
    """An array that only tensors can read, as those of a GPU."""

    def __init__(self, array: Any) -> None:
        self.array = array


def test_agents_on_the_cpu_are_shown_copies(monkeypatch: pytest.MonkeyPatch) -> None:
    tables = Tables("casino", 60, 3, seed=1)
    there = SimpleNamespace(
        flat_observations=OnDevice(tables.flat_observations),
        action_masks=OnDevice(tables.action_masks),
        seats_to_act=OnDevice(tables.seats_to_act),
    )
    monkeypatch.setattr(input_readers, "shared", lambda held: torch.from_numpy(held.array))
    here = cast(Tables, HostTables(cast(Tables, there)))
    which, rng, agent = np.arange(7, 60, 5), np.random.default_rng(0), load("tight", "casino", 3)
    found, wanted = (actions_at(agent, each, which, rng) for each in (here, tables))
    np.testing.assert_array_equal(found, wanted)


@pytest.mark.parametrize(
    "changes",
    [
        {"pool": {"snapshots": 0, "scripted": {}}},
        {
            "rules": "orsl",
            "more_rules": [{"rules": "black_spire"}],
            "max_players": 3,
            "pool": {"current": 1, "snapshots": 1, "snapshot_every": 500, "scripted": {"tight": 1}},
        },
    ],
    ids=["alone", "among others"],
)
def test_the_same_is_learned(changes: dict[str, Any], monkeypatch: pytest.MonkeyPatch) -> None:
    config = validated(PPOConfig, {"trainer": "ppo", "ppo": PPO, **changes})
    trainers = [PPOTrainer(config)]
    monkeypatch.setattr(ppo_trainer, "make_input_reader", lambda *_: GpuInputReader("cpu"))
    trainers.append(PPOTrainer(config))
    for trainer in trainers:
        for _ in range(3):
            trainer.update()
    one, other = (trainer.average.state() for trainer in trainers)
    torch.testing.assert_close(one, other, atol=1e-3, rtol=0)
    assert trainers[0].steps == trainers[1].steps
    assert trainers[0].metrics == pytest.approx(trainers[1].metrics, abs=1e-3)


def test_tables_where_nothing_happens_are_learned_from_too(monkeypatch: pytest.MonkeyPatch) -> None:
    alone = {"snapshots": 0, "scripted": {}}
    config = validated(PPOConfig, {"trainer": "ppo", "ppo": PPO, "pool": alone})
    monkeypatch.setattr(ppo_trainer, "make_input_reader", lambda *_: GpuInputReader("cpu"))
    trainer = PPOTrainer(config, frozen_tables)
    trainer.update()
    assert trainer.steps >= 1024


@pytest.mark.skipif(not torch.cuda.is_available(), reason="there is no CUDA GPU here")
def test_a_gpu_learns_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.undo()
    said = {"trainer": "ppo", "ppo": PPO}
    trainers = [PPOTrainer(validated(PPOConfig, said | {"device": d})) for d in ("cpu", "cuda")]
    for trainer in trainers:
        trainer.update()
    one, other = (trainer.average.state() for trainer in trainers)
    torch.testing.assert_close(one, other, atol=1e-3, rtol=0, check_device=False)
