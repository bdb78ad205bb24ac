"""Where the PPO trainer plays: what hands start from, and what they are worth."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from sabacc_training.config.base import validated
from sabacc_training.ppo.collector import make_tables
from sabacc_training.ppo.compute import Compute
from sabacc_training.ppo.config import PPOConfig
from sabacc_training.ppo.rollout_buffer import RolloutBuffer
from sabacc_training.ppo.seat_assignment import CURRENT, SeatAssignment
from sabacc_training.ppo.start_sampler import StartSampler
from sabacc_training.ppo.trainer import PPOTrainer

from sabacc_env import SabaccError, Tables
from sabacc_env.agent import RandomAgent

PPO = {
    "num_tables": 60,
    "rollout_steps": 3000,
    "minibatch_size": 500,
    "hidden_sizes": [8],
    "precision": "float32",
}
ALONE = {"snapshots": 0, "scripted": {}}


def config_of(*rules: str, **changes) -> PPOConfig:
    first, *more = rules
    fields = {
        "trainer": "ppo",
        "rules": first,
        "more_rules": [{"rules": name} for name in more],
        "max_players": 3,
        "pool": ALONE,
        "ppo": PPO,
        **changes,
    }
    return validated(PPOConfig, fields)


def a_hand_later(config: PPOConfig) -> Tables:
    tables = make_tables(config)
    StartSampler(config, tables).draw(0.0, np.random.default_rng(0))
    agent, rng = RandomAgent(config.rule_set, 2), np.random.default_rng(1)
    waiting = np.arange(tables.num_tables)
    while len(waiting):
        chosen = agent.act(tables.observations[waiting], tables.action_masks[waiting], rng)
        tables.step(chosen, waiting)
        waiting = waiting[~tables.finished[waiting]]
    return tables


def test_each_rule_set_starts_from_the_ranges_that_it_has_a_use_for() -> None:
    config = config_of(
        "casino", "spacers", "black_spire", start={"stacks": [7, 9], "sabacc_pot": [2, 4]}
    )
    tables = a_hand_later(config)
    pots = []
    for table in range(tables.num_tables):
        game = tables.game(table)
        if game.rules.points:
            continue
        unit = game.rules.ante_unit
        paid = game.rules.hand_ante + game.rules.sabacc_ante
        stacks = np.array(game.credits) + paid  # nobody has bet yet: all are asked at first
        assert ((stacks >= 7 * unit) & (stacks <= 9 * unit)).all()
        pot = game.sabacc_pot - game.num_players * game.rules.sabacc_ante
        if game.rules.sabacc_ante:
            assert 2 * unit <= pot <= 4 * unit
            pots.append(pot)
        else:
            assert pot == 0
    assert len(set(pots)) > 1


@pytest.mark.parametrize(
    ("rules", "start"),
    [("black_spire", {"stacks": [7, 9]}), ("spacers", {"sabacc_pot": [2, 4]})],
)
def test_a_range_that_the_only_rule_set_has_no_use_for_is_refused(rules, start) -> None:
    with pytest.raises(SabaccError, match=rules):
        PPOTrainer(config_of(rules, start=start))


def rewards_of(monkeypatch, **ppo) -> tuple[Tables, np.ndarray, np.ndarray]:
    """Return tables, and the net credits and the rewards of every step of a rollout there."""
    trainer = PPOTrainer(config_of("casino", "black_spire", ppo={**PPO, **ppo}))
    tables = trainer.collector.tables
    compute = Compute("cpu", torch.float32)
    actions = tables.action_masks.shape[1]
    buffer = RolloutBuffer(60, 3, 3000, trainer.inputs.size, actions, compute)
    seen = []

    def end_step(finished: np.ndarray, rewards: np.ndarray) -> None:
        seen.append((tables.net_credits.copy(), rewards))
        RolloutBuffer.end_step(buffer, finished, rewards)

    monkeypatch.setattr(buffer, "end_step", end_step)
    trainer.collector.collect(buffer, 0.0)
    net, rewards = (np.stack(each) for each in zip(*seen, strict=True))
    return tables, net, rewards


def test_a_reward_is_a_point_or_so_many_antes(monkeypatch) -> None:
    tables, net, rewards = rewards_of(monkeypatch, reward_scale=5.0)
    points = np.array([tables.rule_sets[rule].points for rule in tables.rule_of])
    np.testing.assert_allclose(rewards[:, points], net[:, points])
    np.testing.assert_allclose(rewards[:, ~points], net[:, ~points] / (4 * 5), rtol=1e-6)
    assert net[:, points].any()
    assert net[:, ~points].any()


def test_a_reward_is_what_is_won_more_than_the_mean_of_the_others(monkeypatch) -> None:
    tables, net, rewards = rewards_of(monkeypatch, reward_scale=5.0, reward="margin")
    points = np.array([tables.rule_sets[rule].points for rule in tables.rule_of])
    antes = np.where(points, 1, 4 * 5)[:, None]
    two, three = tables.players == 2, tables.players == 3
    first, second = net[:, two, 0], net[:, two, 1]
    np.testing.assert_allclose(rewards[:, two, 0], (first - second) / 2 / antes[two, 0], rtol=1e-6)
    np.testing.assert_allclose(rewards[:, two, 0], -rewards[:, two, 1], rtol=1e-6)
    others = net[:, three, 1:].mean(axis=2)
    np.testing.assert_allclose(
        rewards[:, three, 0], (net[:, three, 0] - others) / antes[three, 0], rtol=1e-5
    )
    assert (first != -second).any()  # a Sabacc pot that nobody takes
    assert net[:, three].any()


def test_a_hand_is_played_by_the_learner_and_copies_of_one_other() -> None:
    scripted = {"random": 1.0, "tight": 2.0}
    config = config_of(
        "casino",
        num_players=3,
        max_players=5,
        pool={"current": 1, "snapshots": 0, "scripted": scripted},
        ppo={**PPO, "num_tables": 3000},
    )
    trainer = PPOTrainer(config)
    cast = SeatAssignment(config, trainer.pool, trainer.collector.tables)
    cast.draw(np.arange(3000), np.random.default_rng(0))
    members, others, heroes = cast.members, [], []
    for table, players in enumerate(trainer.collector.tables.players):
        seats = members[table, :players]
        counts = np.bincount(seats, minlength=3)
        other = int(counts[1:].argmax() + 1) if counts[1:].any() else CURRENT
        assert counts[other] == (players if other == CURRENT else players - 1)
        others.append(other)
        if other != CURRENT:
            heroes.append((seats == CURRENT).argmax() / (players - 1))
    np.testing.assert_allclose(np.bincount(others) / 3000, [0.25, 0.25, 0.5], atol=0.03)
    np.testing.assert_allclose(np.mean(heroes), 0.5, atol=0.03)  # each seat as often
