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

from sabacc_env.actions import (
    CALL,
    CHECK,
    DEFAULT_BET_SIZES,
    FIRST_BET,
    JUNK,
    STAND,
    action_names,
)

COUNT = 4000
NUM_ACTIONS = FIRST_BET + len(DEFAULT_BET_SIZES)
BETS = range(FIRST_BET, NUM_ACTIONS)
SWAPS = [action_names().index(f"swap slot {slot}") for slot in range(3)]


def decisions_of(seat: int, legal: list[int], action: int) -> Decisions:
    """Return a decision of a seat at each table, where the policy has chosen an action."""
    decisions = Decisions.empty(COUNT, 1, NUM_ACTIONS, Compute("cpu", torch.float32))
    decisions.tables[:] = np.arange(COUNT)
    decisions.seats[:] = seat
    decisions.action_masks[:, legal] = True
    decisions.actions[:] = action
    return decisions


class Hands:
    """Hands at all tables, of which all tremble unless ``share`` says otherwise."""

    def __init__(self, max_decisions: int = 8, share: float = 1.0, seats=(True, False)) -> None:
        self.trembles = Trembles((share, share), max_decisions, COUNT, DEFAULT_BET_SIZES)
        self.rng = np.random.default_rng(3)
        self.trembles.draw(np.arange(COUNT), np.tile(np.array(seats), (COUNT, 1)), self.rng)

    @property
    def random_from_the_beginning(self) -> np.ndarray:
        """Where the first decisions are random, in whatever phase they are."""
        state = self.trembles.state()
        return (state["policy_decisions"] == 0) & state["random_phases"].all(axis=1)

    def play(self, legal: list[int], action: int, seat: int = 0) -> Decisions:
        decisions = decisions_of(seat, legal, action)
        self.trembles.play(decisions, self.rng)
        return decisions


def test_a_seat_of_the_learner_trembles_in_a_share_of_hands() -> None:
    trembles = Hands(share=0.25, seats=(True, True)).trembles
    for seat in (0, 1):
        assert abs((trembles.state()["seats"] == seat).mean() - 0.125) < 0.02
    trembles = Hands(seats=(False, True)).trembles
    assert (trembles.state()["seats"] == 1).all()


def test_the_share_follows_the_run() -> None:
    trembles = Trembles((1.0, 0.0), 8, COUNT, DEFAULT_BET_SIZES)
    seats, rng = np.ones((COUNT, 2), bool), np.random.default_rng(3)
    for progress in (0.0, 0.75, 1.0):
        trembles.set_progress(progress)
        trembles.draw(np.arange(COUNT), seats, rng)
        assert abs((trembles.state()["seats"] >= 0).mean() - (1 - progress)) < 0.03


def test_random_bets_are_any_legal_ones_but_junk() -> None:
    hands = Hands()
    random = hands.random_from_the_beginning
    actions = hands.play([JUNK, CALL, *BETS], JUNK).actions.numpy()[random]
    counts = np.bincount(actions, minlength=NUM_ACTIONS) / random.sum()
    assert counts[JUNK] == 0
    np.testing.assert_allclose(counts[[CALL, *BETS]], 0.2, atol=0.06)


def test_a_card_action_is_as_likely_with_one_slot_as_with_three() -> None:
    hands = Hands()
    random = hands.random_from_the_beginning
    actions = hands.play([STAND, *SWAPS], SWAPS[0]).actions.numpy()[random]
    assert abs((actions == STAND).mean() - 0.5) < 0.06


def test_the_other_seat_plays_by_the_policy_and_learns_from_it() -> None:
    decisions = Hands().play([JUNK, CALL, *BETS], JUNK, seat=1)
    assert (decisions.actions == JUNK).all()
    assert not decisions.left_out.any()


def test_cards_bets_or_both_are_random() -> None:
    hands = Hands()
    first = hands.trembles.state()["policy_decisions"] == 0
    cards = hands.play([STAND, *SWAPS], JUNK).actions.numpy() != JUNK
    bets = hands.play([CALL, *BETS], JUNK).actions.numpy() != JUNK
    lasting = first & (hands.trembles.state()["random_decisions"] > 0)
    shares = [(cards & bets), (cards & ~bets), (~cards & bets)]
    np.testing.assert_allclose([share[lasting].mean() for share in shares], 1 / 3, atol=0.05)
    assert (cards | bets)[lasting].all()


def test_a_hand_keeps_its_style() -> None:
    hands = Hands()
    first = [hands.play([CHECK, *BETS], JUNK).actions.numpy() for _ in range(2)]
    both = (first[0] != JUNK) & (first[1] != JUNK)
    assert (first[0] == first[1])[both].mean() > 0.45  # 0.2 without a style


def test_a_seat_that_can_only_junk_does() -> None:
    assert (Hands().play([JUNK], JUNK).actions == JUNK).all()


def test_random_decisions_begin_and_end_where_it_was_drawn() -> None:
    hands = Hands(max_decisions=4)
    begin = hands.trembles.state()["policy_decisions"].copy()
    count = hands.trembles.state()["random_decisions"].copy()
    assert abs((begin == 0).mean() - 0.625) < 0.03
    np.testing.assert_allclose(np.bincount(count)[1:] / COUNT, 0.25, atol=0.03)
    betting = hands.trembles.state()["random_phases"][:, 1]
    for decision in range(8):
        random = hands.play([CALL, *BETS], JUNK).actions.numpy() != JUNK
        expected = betting & (begin <= decision) & (decision < begin + count)
        np.testing.assert_array_equal(random, expected)


def test_decisions_are_learnt_from_once_the_random_ones_are_over() -> None:
    hands = Hands(max_decisions=4)
    end = sum(hands.trembles.state()[key] for key in ("policy_decisions", "random_decisions"))
    for decision in range(8):
        decisions = hands.play([CALL, *BETS], JUNK)
        np.testing.assert_array_equal(decisions.left_out, decision < end)


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
