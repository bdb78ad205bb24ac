"""Leagues: whom the learner and its exploiters meet, what exploiters learn, what is refused."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import torch
from sabacc_training.config.base import validated
from sabacc_training.ppo.config import PPOConfig
from sabacc_training.ppo.league import LeagueTrainer
from sabacc_training.ppo.seat_assignment import CURRENT

from sabacc_env import SabaccError

SMALL = {"num_tables": 256, "rollout_steps": 2048, "minibatch_size": 512, "hidden_sizes": [64]}


def league(share: float = 0.8, cold: int = 1, warm: int = 0, **changes: Any) -> LeagueTrainer:
    fields: dict[str, Any] = {
        "trainer": "ppo",
        "rules": "casino",
        "steps": 100_000,
        "start": {"stacks": [10, 10], "equal_stacks": 1},
        "pool": {"current": 1, "snapshots": 0, "scripted": {"tight": 1}},
        "ppo": SMALL,
        "league": {"cold": cold, "warm": warm, "share": share, "ppo": SMALL},
    }
    return LeagueTrainer(validated(PPOConfig, fields | changes))


def members_met(trainer: Any) -> np.ndarray:
    """Return how often each member of the pool has the other seat, as a share of tables."""
    members = trainer.collector._seats.members
    return np.bincount(members.max(axis=1), minlength=len(trainer.pool.agents)) / len(members)


def test_the_learner_meets_exploiters_in_their_share_of_hands_and_the_pool_in_the_rest() -> None:
    trainer = league(share=0.5, warm=1, ppo=SMALL | {"num_tables": 4096})
    np.testing.assert_allclose(members_met(trainer), [0.25, 0.25, 0.25, 0.25], atol=0.04)


def test_the_learner_meets_the_greedy_policies_of_its_exploiters() -> None:
    trainer = league()
    exploiter = trainer.exploiters[0]
    exploiter.update()
    opponent: Any = trainer.pool.agents[1]
    tables = exploiter.collector.tables
    seen = tables.observations, tables.action_masks
    sampled = exploiter.agent.probabilities(*seen)
    np.testing.assert_array_equal(opponent.probabilities(*seen).argmax(1), sampled.argmax(1))
    assert (opponent.probabilities(*seen).max(axis=1) == 1).all()
    played = opponent.act(*seen, np.random.default_rng(0))
    np.testing.assert_array_equal(played, sampled.argmax(axis=1))


def test_an_exploiter_always_meets_the_current_policy_of_the_learner() -> None:
    trainer = league()
    exploiter = trainer.exploiters[0]
    policies: Any = exploiter.pool.agents
    networks = exploiter.agent.network, trainer.agent.network
    assert all(met.network is network for met, network in zip(policies, networks, strict=True))
    np.testing.assert_array_equal(members_met(exploiter), [0, 1])
    seats: Any = exploiter.collector._seats
    assert (seats.members == CURRENT).sum(axis=1).tolist() == [1] * 256


def test_exploiters_begin_with_weights_and_deals_of_their_own() -> None:
    trainer = league(cold=2)
    learners = [trainer, *trainer.exploiters]
    assert len({learner.config.seed for learner in learners}) == 3
    assert len({learner.agent.state()["0.weight"].sum().item() for learner in learners}) == 3


def test_an_exploiter_learns_to_win_from_a_learner_that_stays_as_it_is() -> None:
    trainer = league(ppo=SMALL | {"learning_rate": [1e-30, 1e-30]})
    before = {name: weight.clone() for name, weight in trainer.agent.state().items()}
    rewards = []
    for _ in range(20):
        trainer.update()
        rewards.append(trainer.metrics["exploiter_0/rollout/ep_rew_mean"])
    for name, weights in trainer.agent.state().items():
        assert torch.allclose(weights, before[name], rtol=0, atol=1e-20)
    assert np.mean(rewards[:3]) < 0.1  # an ante a hand
    assert np.mean(rewards[-3:]) > 0.2


def test_schedules_of_exploiters_follow_the_progress_of_the_learner() -> None:
    trainer = league(league={"cold": 1, "ppo": SMALL | {"ent_coef": [0.1, 0.0]}})
    trainer.steps = 50_000
    trainer.update()
    assert trainer.metrics["exploiter_0/train/ent_coef"] == pytest.approx(0.05)


def test_a_warm_exploiter_begins_as_the_learner_and_anew_after_its_steps() -> None:
    trainer = league(
        cold=0,
        ppo=SMALL | {"hidden_sizes": [32], "initial": "zoo:casino-2-8p", "critic_warmup": 0.0},
        league={"warm": 1, "warm_steps": 5000, "ppo": SMALL},
    )
    exploiter = trainer.exploiters[0]

    def is_learner() -> bool:
        own, average = exploiter.agent.state(), trainer.average.state()
        return all(torch.equal(own[name], average[name]) for name in average)

    assert is_learner()
    for weights in trainer.average.network.parameters():
        weights.data += 0.01
    for anew in (False, False, True, False):  # after some 2,000, 4,000, 6,000, 8,000 decisions
        exploiter.update()
        assert is_learner() == anew


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"minibatch_size": 4096}, "league.ppo: minibatch_size: 4096 is more than the 2048"),
        ({"magnet": "teachers"}, "league.ppo: teachers: give teachers exactly when"),
        ({"num_tables": 1}, "league.ppo.num_tables: 1 is less than the 2 games"),
    ],
)
def test_a_league_that_cannot_be_is_refused(changes, sentence) -> None:
    with pytest.raises(SabaccError) as refused:
        league(league={"cold": 1, "ppo": SMALL | changes}, max_players=3)
    assert str(refused.value).startswith(sentence)
