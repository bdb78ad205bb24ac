"""``evaluation.record_hands``: the hands of evaluations are in the folder of the run."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from sabacc_agents import load_network
from sabacc_training.config.base import dump, validated
from sabacc_training.ppo.config import PPOConfig
from sabacc_training.trainers import train

from sabacc_env.hand_histories import read_hand_histories
from tests.support.training import Killed, before_update, kill

TINY: dict[str, Any] = {
    "trainer": "ppo",
    "rules": "spacers",
    "num_players": 3,
    "steps": 2000,
    "pool": {"snapshots": 0, "scripted": {}},
    "ppo": {"num_tables": 32, "rollout_steps": 500, "minibatch_size": 128, "hidden_sizes": [16]},
    "evaluation": {"every": 1000, "deals": 20, "opponent": "tight", "record_hands": 5},
    "checkpoint_seconds": 0,
}


def files(folder) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in (folder / "evaluations").iterdir()}


def test_evaluations_are_recorded_and_a_resumed_run_has_the_same(tmp_path):
    config = validated(PPOConfig, TINY)
    train(config, tmp_path / "whole")
    whole = files(tmp_path / "whole")
    assert len(whole) == 2
    for name in whole:
        hands = list(read_hand_histories(tmp_path / "whole" / "evaluations" / name))
        assert [(hand.origin["deal"], hand.origin["rotation"]) for hand in hands] == [
            (deal, rotation) for deal in (0, 5, 10, 15) for rotation in range(3)
        ]
        for hand in hands:
            hand.replay()
            seat = hand.origin["rotation"]
            assert hand.seats[seat] == "policy"
            assert sorted(hand.seats) == ["policy", "tight", "tight"]
            assert name == f"step-{hand.origin['steps']}.jsonl"
            for (mover, move), told in zip(hand.moves, hand.told, strict=True):
                assert sum(told.probabilities.values()) == pytest.approx(1)
                if mover != seat:  # `tight` draws no random numbers
                    assert told.probabilities == {move: 1}

    with pytest.raises(Killed), before_update(config, 3, kill):
        train(config, tmp_path / "killed")
    train(config, tmp_path / "killed", resume=True)
    assert files(tmp_path / "killed") == whole


def test_recording_changes_nothing_that_is_learnt(tmp_path):
    without = TINY | {"evaluation": TINY["evaluation"] | {"record_hands": 0}}
    weights = [
        load_network(train(validated(PPOConfig, keys), tmp_path / name)).weights
        for name, keys in (("with", TINY), ("without", without))
    ]
    for name, array in weights[0].items():
        assert np.array_equal(array, weights[1][name])
    assert (tmp_path / "with" / "evaluations").exists()
    assert not (tmp_path / "without" / "evaluations").exists()
    assert "record_hands" not in dump(validated(PPOConfig, without))
