"""Runs whose networks recall: what they recall, what they begin as, and what is saved."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import torch
from sabacc_agents.loading import load
from sabacc_agents.networks.agent import RecallingNetworkAgent
from sabacc_agents.networks.recall import NUM_RECALLED
from sabacc_training.config.base import dump, validated
from sabacc_training.ppo import input_readers
from sabacc_training.ppo import trainer as ppo_trainer
from sabacc_training.ppo.config import PPOConfig
from sabacc_training.ppo.input_readers import GpuInputReader
from sabacc_training.ppo.trainer import PPOTrainer

from sabacc_env import SabaccError, Tables
from sabacc_env.policies import random_legal

PPO = {
    "num_tables": 32,
    "rollout_steps": 500,
    "minibatch_size": 128,
    "hidden_sizes": [16],
    "precision": "float32",
}
ALONE = {"snapshots": 0, "scripted": {}}
AMONG_OTHERS = {"current": 1, "snapshots": 1, "snapshot_every": 500, "scripted": {"tight": 1}}


def recalling(decisions: int = 2, **changes: Any) -> PPOConfig:
    ppo = PPO | {"recalled_decisions": decisions} | changes.pop("ppo", {})
    run = {"trainer": "ppo", "rules": "casino", "num_players": 3, "pool": ALONE, "ppo": ppo}
    return validated(PPOConfig, run | changes)


@pytest.mark.parametrize("on_gpu", [False, True], ids=["cpu", "as on a GPU"])
@pytest.mark.parametrize("pool", [ALONE, AMONG_OTHERS], ids=["alone", "among others"])
def test_the_inputs_have_the_last_decisions_of_the_seat_in_the_hand(
    pool, on_gpu, monkeypatch
) -> None:
    if on_gpu:
        monkeypatch.setattr(input_readers, "shared", torch.as_tensor)
        monkeypatch.setattr(ppo_trainer, "make_input_reader", lambda *_: GpuInputReader("cpu"))
    trainer = PPOTrainer(recalling(pool=pool))
    trainer.update()
    collector, buffer, first = trainer.collector, trainer._buffer, trainer.inputs.extractor.size
    remembered: dict[tuple[int, int], list[np.ndarray]] = {}
    unknown = dict.fromkeys(range(32), True)  # in the middle of a hand
    compared = 0
    for _ in range(60):
        buffer.begin(buffer.decisions[:0])
        collector._step(buffer)
        for row, where in enumerate(
            zip(buffer.decisions.tables.tolist(), buffer.decisions.seats.tolist(), strict=True)
        ):
            inputs = buffer.decisions.inputs[row].numpy().copy()
            before = remembered.setdefault(where, [])
            if not unknown[where[0]]:
                wanted = np.concatenate([*before[::-1], *[np.zeros(NUM_RECALLED)] * 2][:2])
                found = inputs[first : first + 2 * NUM_RECALLED]
                np.testing.assert_allclose(found, wanted, atol=1e-6)
                compared += len(before) > 1
            before.append(inputs[:NUM_RECALLED])
        for table in np.flatnonzero(collector.tables.finished).tolist():
            unknown[table] = False
            remembered = {key: kept for key, kept in remembered.items() if key[0] != table}
    assert compared > 100


def test_the_saved_agent_recalls_as_the_policy_does(tmp_path) -> None:
    trainer = PPOTrainer(recalling())
    trainer.update()
    trainer.save_agent(tmp_path / "agent.safetensors")
    saved = load(tmp_path / "agent.safetensors")
    assert isinstance(saved, RecallingNetworkAgent)
    policy = trainer.average.greedy()
    greedy = RecallingNetworkAgent(network=tmp_path / "agent.safetensors", greedy=True)
    tables = Tables("casino", 32, 3, seed=1)
    for agent in (policy, greedy):
        agent.reset(32)
    for _ in range(30):
        seen = tables.observations.copy(), tables.action_masks.copy()
        actions = [agent.act(*seen, np.random.default_rng(0)) for agent in (policy, greedy)]
        assert (actions[0] == actions[1]).mean() > 0.9  # else probabilities are nearly equal
        tables.step(actions[0])
        for agent in (policy, greedy):
            agent.restart(np.flatnonzero(tables.finished))
    memories: list[Any] = [policy.memory(), greedy.memory()]
    np.testing.assert_array_equal(*memories)
    assert memories[0].any()


def test_a_run_begins_as_a_network_that_recalls_no_more_than_it(tmp_path) -> None:
    seen_before = Tables("casino", 64, 3, seed=1)
    seen_before.play(random_legal, 4)
    seen = seen_before.observations, seen_before.action_masks
    path = tmp_path / "agent.safetensors"
    first = PPOTrainer(recalling(1))
    first.update()
    first.save_agent(path)
    saved: Any = load(path)
    memories = saved.follow(*seen, np.zeros(64, np.int64))[1]
    wanted, _ = saved.follow(*seen, memories)
    for decisions in (1, 3):
        run = PPOTrainer(recalling(decisions, ppo={"initial": str(path)}))
        run.save_agent(tmp_path / "begun.safetensors")
        begun: Any = load(tmp_path / "begun.safetensors")
        memories = begun.follow(*seen, np.zeros(64, np.int64))[1]
        np.testing.assert_allclose(begun.follow(*seen, memories)[0], wanted, atol=1e-5)
    with pytest.raises(SabaccError, match=r"recalls 1 decisions; ppo.recalled_decisions is 0, so"):
        PPOTrainer(recalling(0, ppo={"initial": str(path)}))


def test_a_teacher_that_recalls_is_refused(tmp_path) -> None:
    path = tmp_path / "agent.safetensors"
    PPOTrainer(recalling(1)).save_agent(path)
    with pytest.raises(SabaccError, match="recalls decisions, which a teacher cannot"):
        PPOTrainer(recalling(1, ppo={"magnet": "teachers", "teachers": [str(path)]}))


def test_what_was_saved_before_there_was_recall_is_the_same() -> None:
    assert "recalled_decisions" not in dump(validated(PPOConfig, {"trainer": "ppo"}))
    with pytest.raises(SabaccError, match="recalled_decisions"):
        recalling(17)
