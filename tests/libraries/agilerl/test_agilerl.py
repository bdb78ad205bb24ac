"""AgileRL's turn-based self-play, as its page plays it: legal, rewarded rightly, and learning."""

from __future__ import annotations

from typing import Any

import gymnasium
import numpy as np
import pytest

pytest.importorskip("agilerl")

from sabacc_env import load_rules, sabacc_v0
from tests.libraries.environments import page_script

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def page() -> dict[str, Any]:
    """The names of the page after its code ran: a DQN that trained for a thousand hands."""
    names: dict[str, Any] = {"__name__": "page"}
    exec(page_script("agilerl"), names)
    return names


def test_transitions_go_from_decision_to_decision(page: dict[str, Any]) -> None:
    memory = page["memory"]
    stored = memory.storage[: len(memory)]
    last = stored["done"].bool()
    assert 500 < last.sum() <= 1000  # hands in which the learner had a decision
    assert (~last).sum() > 500
    assert (stored["reward"][~last] == 0).all()
    assert (stored["reward"][last] != 0).float().mean() > 0.9


def test_every_action_is_legal_and_rewards_are_the_results(page: dict[str, Any]) -> None:
    env, ante = sabacc_v0.raw_env(), load_rules("casino").ante_unit  # an illegal action raises
    players = dict.fromkeys(env.possible_agents, page["dqn"])
    for _ in range(100):
        for seat, learner in enumerate(env.possible_agents):
            total = page["play_hand"](env, learner, players, epsilon=0.5)
            result = env.hand_result()
            assert result is not None
            assert total == result["net_credits"][seat] / ante


def test_it_learns_to_lose_less_than_random_play(page: dict[str, Any]) -> None:
    dqn = page["dqn"]
    random_play, trained = (returns_against_tight(dqn, epsilon) for epsilon in (1.0, 0.0))
    error = np.hypot(
        random_play.std() / len(random_play) ** 0.5, trained.std() / len(trained) ** 0.5
    )
    assert trained.mean() - random_play.mean() > 4 * error


def returns_against_tight(dqn: Any, epsilon: float) -> np.ndarray:
    """Play on; return what was won in each hand that ended, in antes. Epsilon 1 plays at random."""
    envs = gymnasium.make_vec("sabacc_env:Sabacc-v0", num_envs=256, opponents="tight")
    observations, infos = envs.reset(seed=1)
    returns = []
    for _ in range(150):
        actions = dqn.get_action(observations, epsilon, infos["action_mask"])
        observations, rewards, terminated, _, infos = envs.step(actions)
        assert not infos["illegal_action"].any()
        returns.append(rewards[terminated])
    return np.concatenate(returns)
