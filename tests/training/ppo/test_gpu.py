"""What a GPU does for the trainer is what the processors do.

Its operations run on any tensors, so all but where the memory is can be seen here. The tables' own
part is in tests/cuda; one test there has the trainer at tables that Numba simulates.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import torch
from sabacc_training.config.base import validated
from sabacc_training.experiments.throughput import nothing_of
from sabacc_training.ppo import gpu
from sabacc_training.ppo import trainer as ppo_trainer
from sabacc_training.ppo.config import PPOConfig
from sabacc_training.ppo.cpu import Processors
from sabacc_training.ppo.gpu import Gpu
from sabacc_training.ppo.kernels import Objective
from sabacc_training.ppo.mlp import Made
from sabacc_training.ppo.network_inputs import Inputs
from sabacc_training.ppo.rollout_buffer import Rows
from sabacc_training.ppo.trainer import FastLearner

from sabacc_env import Tables
from sabacc_env.policies import random_legal

HERE = Made("cpu", torch.float32)
BOTH = Processors(HERE, threads=1), Gpu(HERE)
ROWS, ACTIONS = 500, 33
PPO = {
    "num_tables": 64,
    "rollout_steps": 1024,
    "minibatch_size": 256,
    "hidden_sizes": [16],
    "precision": "float32",
}


@pytest.fixture(autouse=True)
def tables_in_this_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(gpu, "shared", torch.as_tensor)


@pytest.fixture
def rows() -> Rows:
    rng = np.random.default_rng(0)
    rows = Rows.room_for(ROWS, 1, HERE)
    allowed = rng.random((ROWS, ACTIONS)) < rng.random((ROWS, 1))
    allowed[np.arange(ROWS), rng.integers(ACTIONS, size=ROWS)] = True
    rows.legal[:] = torch.from_numpy((allowed << np.arange(ACTIONS)).sum(axis=1))
    rows.actions[:] = torch.from_numpy((allowed * rng.random((ROWS, ACTIONS))).argmax(axis=1))
    rows.log_chances[:] = torch.from_numpy(rng.normal(-2, 1, ROWS).astype(np.float32))
    return rows


def some(*shape: int) -> torch.Tensor:
    generator = torch.Generator().manual_seed(sum(shape))
    return torch.randn(shape, generator=generator)


def logs_on(device: Processors | Gpu, rows: Rows, scale: float = 3.0) -> torch.Tensor:
    logs = scale * some(ROWS, ACTIONS)
    device.log_softmax(logs, rows.legal)
    return logs


def test_chances_are_the_same(rows: Rows) -> None:
    one, other = (logs_on(device, rows) for device in BOTH)
    torch.testing.assert_close(one, other, atol=1e-5, rtol=0)


def test_the_same_actions_are_drawn(rows: Rows) -> None:
    logs = logs_on(BOTH[0], rows)
    uniforms = torch.from_numpy(np.random.default_rng(1).random(ROWS, np.float32))
    uniforms[:20] = 1.0  # beyond what rounding leaves: the last legal action
    uniforms[20:40] = 0.0
    drawn = []
    for device in BOTH:
        device.draw(logs, uniforms, rows)
        drawn.append((rows.actions.tolist(), rows.log_chances.tolist()))
    assert drawn[0] == drawn[1]
    assert ((rows.legal >> rows.actions) & 1).all()


@pytest.mark.parametrize("drawn", [True, False])
def test_the_gradient_is_the_same(rows: Rows, drawn: bool) -> None:
    logs, gains = logs_on(BOTH[0], rows, 1.0), some(ROWS)
    gains[:10] = 0
    magnet = 2 * some(ROWS if drawn else 0, ACTIONS)
    found = []
    for device in BOTH:
        sums = torch.zeros(4, dtype=torch.float64)
        objective = Objective(clip=0.2, entropy=0.05, kl=0.3)
        slopes = device.policy_slopes(logs, rows, gains, magnet, objective, 1 / ROWS, sums)
        found.append((slopes, sums))
    torch.testing.assert_close(found[0][0], found[1][0], atol=1e-6, rtol=1e-4)
    torch.testing.assert_close(found[0][1], found[1][1], rtol=1e-4, atol=1e-3)


@pytest.mark.parametrize("critic", ["own_hand", "all_hands", "everything"])
@pytest.mark.parametrize(
    ("rules", "players"), [("casino", 3), ("yarith_bespin", 2), ("black_spire", 4)]
)
def test_the_same_is_shown(rules: str, players: int, critic: Any) -> None:
    tables = Tables(rules, 60, players, seed=1)
    tables.play(random_legal, 30)
    inputs = Inputs(tables.rule_sets, players, critic)
    which = np.arange(0, 60, 2)
    both = []
    for device in BOTH:
        rows = Rows.room_for(len(which), inputs.size, HERE)
        device.look(inputs, tables, which, rows)
        both.append(rows)
    torch.testing.assert_close(both[0].shown, both[1].shown, atol=1e-6, rtol=0)
    assert both[0].legal.tolist() == both[1].legal.tolist()


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
def test_the_same_is_learnt(changes: dict[str, Any], monkeypatch: pytest.MonkeyPatch) -> None:
    config = validated(PPOConfig, {"trainer": "ppo", "ppo": PPO, **changes})
    learners = [FastLearner(config)]
    monkeypatch.setattr(ppo_trainer, "device_of", lambda made, threads: Gpu(made))
    learners.append(FastLearner(config))
    for learner in learners:
        for _ in range(3):
            learner.update()
    one, other = (learner.average.network.weights for learner in learners)
    torch.testing.assert_close(one, other, atol=1e-3, rtol=0)
    assert learners[0].steps == learners[1].steps
    assert learners[0].figures == pytest.approx(learners[1].figures, abs=1e-3)


def test_tables_where_nothing_happens_are_learnt_from_too(monkeypatch: pytest.MonkeyPatch) -> None:
    alone = {"snapshots": 0, "scripted": {}}
    config = validated(PPOConfig, {"trainer": "ppo", "ppo": PPO, "pool": alone})
    monkeypatch.setattr(ppo_trainer, "device_of", lambda made, threads: Gpu(made))
    learner = FastLearner(config, nothing_of)
    learner.update()
    assert learner.steps >= 1024


@pytest.mark.skipif(not torch.cuda.is_available(), reason="there is no CUDA GPU here")
def test_a_gpu_learns_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.undo()
    said = {"trainer": "ppo", "ppo": PPO}
    learners = [FastLearner(validated(PPOConfig, said | {"device": d})) for d in ("cpu", "cuda")]
    for learner in learners:
        learner.update()
    one, other = (learner.average.network.weights.cpu() for learner in learners)
    torch.testing.assert_close(one, other, atol=1e-3, rtol=0)
