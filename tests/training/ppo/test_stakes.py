"""What is at stake at a decision, as the inputs of the networks say it."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from sabacc_training.config.base import validated
from sabacc_training.ppo.config import PPOConfig
from sabacc_training.ppo.trainer import PPOTrainer

SMALL = {"num_tables": 64, "rollout_steps": 512, "minibatch_size": 128, "hidden_sizes": [8]}


def trainer_of(**changes) -> PPOTrainer:
    fields = {"trainer": "ppo", "rules": "casino", "pool": {"snapshots": 0, "scripted": {}}}
    return PPOTrainer(validated(PPOConfig, fields | changes))


def test_the_stake_is_the_pot_and_what_there_is_to_call() -> None:
    precise = SMALL | {"precision": "float32", "reward_scale": 5.0}
    trainer = trainer_of(more_rules=[{"rules": "orsl"}, {"rules": "black_spire"}], ppo=precise)
    tables, reader = trainer.collector.tables, trainer.collector._input_reader
    everywhere = np.arange(64)
    rng = np.random.default_rng(0)
    larger = 0
    for _ in range(12):
        decisions = trainer._buffer.decisions
        trainer._buffer.begin(decisions[:0])
        decisions = trainer._buffer.begin_step(64)
        decisions.tables[:] = everywhere
        recalled = np.zeros((64, 0), np.float32)
        reader.write_inputs(trainer.inputs, tables, everywhere, recalled, decisions)
        found = trainer._stakes.of(decisions, tables)
        for table in everywhere:
            game = tables.game(int(table))
            unit = game.rules.ante_unit
            pot = sum(amount for amount, _ in game.pots)
            seat = game.seat_to_act
            assert seat is not None
            to_call = max(game.bets) - game.bets[seat]
            stake = 1 if game.rules.points else max(1, (pot + to_call) / unit) / 5
            assert found[table] == pytest.approx(stake, rel=1e-5)
            larger += stake > 1 / 5
        masks = tables.action_masks
        tables.step(np.array([rng.choice(np.flatnonzero(row)) for row in masks]))
    assert larger > 100


def test_advantages_in_stakes_make_another_run() -> None:
    weights = []
    for unit in "ante", "stake":
        trainer = trainer_of(ppo=SMALL | {"advantage_unit": unit})
        trainer.update()
        weights.append(torch.cat([each.flatten() for each in trainer._actor.parameters()]))
    assert not torch.equal(*weights)
