"""RLlib's PPO on its new API stack: one seat and all seats, masked, without a wrapper of ours."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import gymnasium
import numpy as np
import pytest

pytest.importorskip("ray")
import ray
import torch
from ray.rllib.algorithms.ppo import PPOConfig
from ray.rllib.core.rl_module.default_model_config import DefaultModelConfig
from ray.rllib.core.rl_module.rl_module import RLModuleSpec
from ray.rllib.env.wrappers.pettingzoo_env import PettingZooEnv
from ray.rllib.examples.rl_modules.classes.action_masking_rlm import ActionMaskingTorchRLModule
from ray.tune.registry import register_env

from sabacc_env import load_rules, sabacc_v0

pytestmark = pytest.mark.slow

NAMES = {"observations": "flat", "action_mask": "action_mask"}
BATCH_SIZE = 2000


@pytest.fixture(scope="module", autouse=True)
def processes() -> Iterator[None]:
    ray.init(num_cpus=2, object_store_memory=100_000_000, include_dashboard=False)
    yield
    ray.shutdown()


def masked_ppo(environment: str, env_config: dict[str, Any]) -> PPOConfig:
    model = DefaultModelConfig(vf_share_layers=False)
    return (
        PPOConfig()
        .environment(environment, env_config={"observation": NAMES, **env_config})
        .env_runners(num_env_runners=0, num_envs_per_env_runner=16)
        .rl_module(rl_module_spec=RLModuleSpec(ActionMaskingTorchRLModule, model_config=model))
        .training(gamma=1, lambda_=0.95, lr=1e-3, entropy_coeff=0.05, vf_clip_param=float("inf"))
        .training(train_batch_size_per_learner=BATCH_SIZE, minibatch_size=500, num_epochs=6)
        .debugging(seed=0)
    )


def self_play(**env_config: Any) -> PPOConfig:
    """All seats learn with one module. An illegal action raises in ``raw_env``, and ends a test."""
    register_env("sabacc", lambda config: PettingZooEnv(sabacc_v0.raw_env(**config)))
    config = masked_ppo("sabacc", env_config)
    config.environment(disable_env_checking=True)  # the check plays any action, unmasked
    return config.multi_agent(policies={"shared"}, policy_mapping_fn=lambda *_, **__: "shared")


def assert_trained(results: dict[str, Any], module: str) -> None:
    assert results["env_runners"]["num_env_steps_sampled"] >= BATCH_SIZE
    losses = results["learners"][module]
    for name in ("policy_loss", "vf_loss", "entropy"):
        assert np.isfinite(losses[name])
    assert losses["vf_loss"] > 0


@pytest.mark.parametrize(
    "env_runners",
    [
        {"gym_env_vectorize_mode": "sync"},
        {"gym_env_vectorize_mode": "vector_entry_point"},
        {"num_env_runners": 1},  # in a process that imports nothing first
    ],
    ids=str,
)
def test_one_seat_trains(env_runners: dict[str, Any]) -> None:
    config = masked_ppo("sabacc_env:Sabacc-v0", {"opponents": ["tight", "random"]})
    config.env_runners(**env_runners).callbacks(on_episode_end=assert_no_illegal_action)
    algorithm = config.build_algo()
    for _ in range(2):
        results = algorithm.train()
        assert_trained(results, "default_policy")
        assert results["env_runners"]["num_episodes"] > 100
    algorithm.stop()


def assert_no_illegal_action(episode: Any, **_: Any) -> None:
    info = episode.get_infos(-1)
    assert info["hand_finished"]
    assert not info["illegal_action"]


@pytest.mark.parametrize(("rules", "num_players"), [("casino", 2), ("orsl", 5)])
def test_seats_get_their_own_rewards(rules: str, num_players: int) -> None:
    """Whoever acted gets what it won or lost, though others act in between and at the end."""
    ante = load_rules(rules).ante_unit
    acted = []

    def compare_returns(episode: Any, env: Any, env_index: int, **_: Any) -> None:
        result = env.envs[env_index].unwrapped.env.hand_result()
        for agent, its in episode.agent_episodes.items():
            seat = int(agent.removeprefix("player_"))
            assert its.get_return() == result["net_credits"][seat] / ante
        acted.append(len(episode.agent_episodes))

    config = self_play(rules=rules, num_players=num_players)
    algorithm = config.callbacks(on_episode_end=compare_returns).build_algo()
    assert_trained(algorithm.train(), "shared")
    algorithm.stop()
    assert len(acted) > 50
    assert max(acted) == num_players


def test_self_play_learns_to_beat_random() -> None:
    algorithm = self_play().build_algo()
    for _ in range(20):
        assert_trained(algorithm.train(), "shared")
    module = algorithm.get_module("shared")
    algorithm.stop()
    returns = returns_against_random(module)
    assert returns.mean() > 3 * returns.std() / np.sqrt(len(returns))


def returns_against_random(module: Any) -> np.ndarray:
    """Play a module on; return what it won in each hand that ended, in antes."""
    envs = gymnasium.make_vec("sabacc_env:Sabacc-v0", num_envs=512, observation=NAMES)
    observations, _ = envs.reset(seed=1)
    returns = []
    for _ in range(150):
        batch = {"obs": {name: torch.from_numpy(array) for name, array in observations.items()}}
        with torch.no_grad():
            logits = module.forward_inference(batch)["action_dist_inputs"]
        actions = torch.distributions.Categorical(logits=logits).sample().numpy()
        observations, rewards, terminated, _, infos = envs.step(actions)
        assert not infos["illegal_action"].any()
        returns.append(rewards[terminated])
    return np.concatenate(returns)
