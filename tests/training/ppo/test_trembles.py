"""Trembling hands: which seats play at random, what they play, and what is learnt from."""

from __future__ import annotations

import numpy as np
import torch
from sabacc_training.config.base import validated
from sabacc_training.ppo.compute import Compute
from sabacc_training.ppo.config import PPOConfig
from sabacc_training.ppo.rollout_buffer import Decisions, RolloutBuffer
from sabacc_training.ppo.trainer import PPOTrainer
from sabacc_training.ppo.trembles import Trembles

from sabacc_env.actions import CALL, CHECK, FIRST_BET, JUNK, STAND

COUNT = 4000
NUM_ACTIONS = FIRST_BET + 4
BETS = range(FIRST_BET, NUM_ACTIONS)


def decisions_of(seat: int, legal: list[int], action: int) -> Decisions:
    """Return a decision of a seat at each table, where the policy has chosen an action."""
    decisions = Decisions.empty(COUNT, 1, NUM_ACTIONS, Compute("cpu", torch.float32))
    decisions.tables[:] = np.arange(COUNT)
    decisions.seats[:] = seat
    decisions.action_masks[:, legal] = True
    decisions.actions[:] = action
    return decisions


def drawn(share: float, max_decisions: int, seats: tuple[bool, bool] = (True, True)):
    trembles = Trembles((share, share), max_decisions, COUNT, NUM_ACTIONS)
    rng = np.random.default_rng(3)
    trembles.draw(np.arange(COUNT), np.tile(np.array(seats), (COUNT, 1)), rng)
    return trembles, rng


def test_a_seat_of_the_learner_trembles_in_a_share_of_hands() -> None:
    trembles, _ = drawn(0.25, 8)
    for seat in (0, 1):
        assert abs((trembles.state()["seats"] == seat).mean() - 0.125) < 0.02
    trembles, _ = drawn(1.0, 8, (False, True))
    assert (trembles.state()["seats"] == 1).all()


def test_the_share_follows_the_run() -> None:
    trembles = Trembles((1.0, 0.0), 8, COUNT, NUM_ACTIONS)
    seats, rng = np.ones((COUNT, 2), bool), np.random.default_rng(3)
    for progress in (0.0, 0.75, 1.0):
        trembles.set_progress(progress)
        trembles.draw(np.arange(COUNT), seats, rng)
        assert abs((trembles.state()["seats"] >= 0).mean() - (1 - progress)) < 0.03


def test_random_bets_are_any_legal_ones_but_junk() -> None:
    trembles, rng = drawn(1.0, 8, (True, False))
    decisions = decisions_of(0, [JUNK, CALL, *BETS], JUNK)
    trembles.play(decisions, rng)
    assert decisions.left_out.all()
    counts = np.bincount(decisions.actions.numpy(), minlength=NUM_ACTIONS) / COUNT
    assert counts[JUNK] == 0
    np.testing.assert_allclose(counts[[CALL, *BETS]], 0.2, atol=0.03)


def test_the_other_seat_plays_by_the_policy_and_learns_from_it() -> None:
    trembles, rng = drawn(1.0, 8, (True, False))
    decisions = decisions_of(1, [JUNK, CALL, *BETS], JUNK)
    trembles.play(decisions, rng)
    assert (decisions.actions == JUNK).all()
    assert not decisions.left_out.any()


def test_cards_are_random_in_half_of_the_hands() -> None:
    trembles, rng = drawn(1.0, 8, (True, False))
    decisions = decisions_of(0, [STAND, 1], 1)
    trembles.play(decisions, rng)
    assert abs((decisions.actions == STAND).float().mean() - 0.25) < 0.03


def test_a_hand_keeps_its_style() -> None:
    trembles, rng = drawn(1.0, 8, (True, False))
    played = []
    for _ in range(2):
        decisions = decisions_of(0, [CHECK, *BETS], CHECK)
        trembles.play(decisions, rng)
        played.append(decisions.actions[torch.from_numpy(decisions.left_out)].numpy())
    lasting = decisions.left_out  # those that played at random twice
    assert (played[0][lasting] == played[1]).mean() > 0.45  # 0.2 without a style


def test_a_seat_that_can_only_junk_does() -> None:
    trembles, rng = drawn(1.0, 8, (True, False))
    decisions = decisions_of(0, [JUNK], JUNK)
    trembles.play(decisions, rng)
    assert (decisions.actions == JUNK).all()


def test_trembles_last_for_the_decisions_that_were_drawn() -> None:
    trembles, rng = drawn(1.0, 4, (True, False))
    left_out = []
    for _ in range(5):
        decisions = decisions_of(0, [CHECK, *BETS], CHECK)
        trembles.play(decisions, rng)
        left_out.append(decisions.left_out.mean())
    np.testing.assert_allclose(left_out, [1, 0.75, 0.5, 0.25, 0], atol=0.03)


def test_a_run_learns_from_decisions_of_its_policy_alone() -> None:
    ppo = {
        "num_tables": 64,
        "rollout_steps": 4000,
        "minibatch_size": 500,
        "hidden_sizes": [8],
        "precision": "float32",
        "trembles": [0.5, 0.5],
    }
    fields = {"trainer": "ppo", "rules": "casino", "pool": {"snapshots": 0, "scripted": {}}}
    trainer = PPOTrainer(validated(PPOConfig, fields | {"ppo": ppo}))
    compute = Compute("cpu", torch.float32)
    buffer = RolloutBuffer(64, 2, 4000, trainer.inputs.size, NUM_ACTIONS, compute)
    trainer.collector.collect(buffer, 0.0)
    decisions = buffer.decisions
    told = trainer.agent.log_probs(decisions.inputs, decisions.action_masks)
    told = told.gather(1, decisions.actions[:, None])[:, 0]
    by_policy = torch.isclose(told, decisions.log_probs, atol=1e-5).numpy()
    count, left_out = len(decisions), decisions.left_out.copy()
    assert by_policy[~left_out].all()
    assert not by_policy[left_out].all()
    assert 0.1 < left_out.mean() < 0.25  # of one seat in half of the hands
    rollout = buffer.compute_returns_and_advantages(np.zeros(count, np.float32), 0.8)
    assert not rollout.decisions.left_out.any()
    assert rollout.unfinished.left_out.any()
    assert len(rollout.decisions) > 0.9 * (~left_out).sum()
