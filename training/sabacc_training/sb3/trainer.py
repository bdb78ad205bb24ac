"""The trainer: MaskablePPO, its tables, its opponent pool, and the average policy that is saved."""

from __future__ import annotations

from collections.abc import Mapping
from numbers import Real
from pathlib import Path
from typing import Any

import numpy as np
import torch
from sabacc_agents.networks.features import FeatureExtractor
from sabacc_agents.networks.network import NetworkInfo, save_network
from sb3_contrib import MaskablePPO
from sb3_contrib.common.maskable.policies import MaskableActorCriticPolicy
from stable_baselines3.common.callbacks import BaseCallback
from stable_baselines3.common.logger import KVWriter, Logger
from torch import nn

from sabacc_env import SavedState
from sabacc_env.adapters.stable_baselines3 import SabaccVecEnv
from sabacc_env.agent import RandomAgent
from sabacc_training.config.run import check_threads, linear
from sabacc_training.runs.opponent_pool import OpponentPool
from sabacc_training.runs.trainer import UpdateCallback
from sabacc_training.runs.weights import layer_weights, polyak_update
from sabacc_training.sb3.config import MaskablePPOConfig
from sabacc_training.sb3.policy import Actor, ActorAgent, Features

ACTIVATION = "relu"


class MaskablePPOTrainer:
    """Everything that a run of MaskablePPO changes, and can continue from.

    Attributes:
        model: sb3-contrib's MaskablePPO.
        env: its tables.
        pool: the opponents.
        agent: the current policy.
        average: the policy that is saved: the moving average of the current one's weights.
    """

    def __init__(self, config: MaskablePPOConfig) -> None:
        check_threads(config.threads)
        torch.set_num_threads(config.threads)
        torch.distributions.Distribution.set_default_validate_args(False)  # half the time of an act
        self.config = config
        self.env = _environment(config)
        self.model = _model(config, self.env)
        self.agent = ActorAgent(Actor(self.model.policy))
        self.average = self.agent.frozen()
        self.pool = OpponentPool(config, self.agent, config.load)
        self.env.set_opponents(self.pool.agents, self.pool.weights)
        self._last_update = 0

    @property
    def steps(self) -> int:
        """The learner's decisions so far."""
        return int(self.model.num_timesteps)

    def learn(self, callback: UpdateCallback) -> None:
        """Learn to the end of the run; log metrics and call the callback before each rollout."""
        self.model.set_logger(Logger(None, [_MetricsLogger(callback)]))
        self.model.learn(
            self.config.steps - self.steps,
            callback=_RolloutCallback(self, callback),
            reset_num_timesteps=False,  # True would reset the tables of a restored run
        )
        self.update_followers()

    def summary(self) -> str:
        """Return nothing: Stable-Baselines3 logs its speed itself."""
        return ""

    def update_followers(self) -> None:
        """Update what follows the policy: average, opponents, starts of hands, entropy weight."""
        if self.steps > self._last_update:
            self._last_update = self.steps
            updates = self.steps // self.model.rollout_buffer.buffer_size // self.env.num_envs
            average, latest = self.average.actor, self.agent.actor
            polyak_update(average, latest, self.config.polyak_tau, updates)
            if self.pool.add_snapshot_if_due(self.steps):
                self.env.set_opponents(self.pool.agents, self.pool.weights)
        progress = min(1.0, self.steps / self.config.steps)
        start = self.config.start
        self.env.set_start_ranges(start.stacks_at(progress), start.sabacc_pot_at(progress))
        self.model.ent_coef = linear(self.config.sb3.ent_coef, progress)

    def save_agent(self, path: Path) -> None:
        """Write the average policy as a network that ``sabacc_agents`` plays."""
        config = self.config
        record = config.training_record(self.steps)
        seats = (config.num_players,)
        rules, any_rules = (config.rule_set,), config.rule_space is not None
        info = NetworkInfo(rules, seats, config.bet_sizes, ACTIVATION, record, any_rules)
        actor = self.average.actor
        weights = layer_weights([*actor.hidden, actor.logits])
        save_network(path, weights, info, actor.features.extractor)

    def state(self) -> dict[str, Any]:
        """Return everything that ``restore`` needs to continue as if there had been no stop.

        Only between two rollouts.
        """
        model = self.model
        return {
            "steps": self.steps,
            "last_update": self._last_update,
            "updates": model._n_updates,
            "policy": model.policy.state_dict(),
            "optimizer": model.policy.optimizer.state_dict(),
            "average": self.average.actor.state_dict(),
            "pool": self.pool.state(),
            "env": self.env.save_state().to_bytes(),
            "episode_starts": model._last_episode_starts,
            "torch_rng": torch.get_rng_state(),
            "numpy_rng": np.random.get_state(),  # noqa: NPY002 (SB3 shuffles with it)
        }

    def restore(self, state: Mapping[str, Any]) -> None:
        """Continue from a ``state`` of a trainer of the same configuration."""
        model = self.model
        model.num_timesteps = state["steps"]
        self._last_update = state["last_update"]
        model._n_updates = state["updates"]
        model.policy.load_state_dict(state["policy"])
        model.policy.optimizer.load_state_dict(state["optimizer"])
        self.average.actor.load_state_dict(state["average"])
        self.pool.restore(state["pool"])
        self.env.set_opponents(self.pool.agents, self.pool.weights)
        model._last_obs = self.env.restore_state(SavedState.from_bytes(state["env"]))
        model._last_episode_starts = state["episode_starts"]
        torch.set_rng_state(state["torch_rng"])
        np.random.set_state(state["numpy_rng"])  # noqa: NPY002


class _MetricsLogger(KVWriter):
    """Passes what Stable-Baselines3 logs on to a callback."""

    def __init__(self, callback: UpdateCallback) -> None:
        self._callback = callback

    def write(
        self, key_values: dict[str, Any], key_excluded: dict[str, tuple[str, ...]], step: int = 0
    ) -> None:
        """Log the numbers among these values."""
        numbers = {name: float(each) for name, each in key_values.items() if isinstance(each, Real)}
        self._callback.log(step, numbers)

    def close(self) -> None:
        """Do nothing: there is no file."""


class _RolloutCallback(BaseCallback):
    """Calls a callback of ours before each rollout."""

    def __init__(self, trainer: MaskablePPOTrainer, callback: UpdateCallback) -> None:
        super().__init__()
        self._trainer = trainer
        self._callback = callback

    def _on_step(self) -> bool:
        return True

    def _on_rollout_start(self) -> None:
        self._trainer.update_followers()
        self.logger.record("train/ent_coef", self._trainer.model.ent_coef)
        self._callback.between_updates()

    def _on_rollout_end(self) -> None:
        hands, margin = self._trainer.env.margin_since()
        self.logger.record("rollout/hands", hands)
        self.logger.record("rollout/margin", margin)


def _environment(config: MaskablePPOConfig) -> SabaccVecEnv:
    return SabaccVecEnv(
        config.rules_of_hands,
        config.sb3.num_tables,
        config.num_players,
        opponents=[RandomAgent(config.rule_set, config.num_players)],  # the pool takes over
        seed=config.seed,
        bet_sizes=config.bet_sizes,
        stacks=config.start.stacks_at(0),
        equal_stacks=config.start.equal_stacks,
        sabacc_pots=config.start.sabacc_pot_at(0),
        reward_scale=config.sb3.reward_scale,
    )


def _model(config: MaskablePPOConfig, env: SabaccVecEnv) -> MaskablePPO:
    hyperparameters = config.sb3
    hidden = list(hyperparameters.hidden_sizes)
    return MaskablePPO(
        MaskableActorCriticPolicy,
        env,
        learning_rate=lambda remaining: linear(hyperparameters.learning_rate, 1 - remaining),
        n_steps=hyperparameters.n_steps,
        batch_size=hyperparameters.batch_size,
        n_epochs=hyperparameters.n_epochs,
        gamma=1.0,
        gae_lambda=hyperparameters.gae_lambda,
        clip_range=hyperparameters.clip_range,
        ent_coef=hyperparameters.ent_coef[0],
        vf_coef=hyperparameters.vf_coef,
        seed=config.seed,
        device="cpu",
        policy_kwargs={
            "net_arch": {"pi": hidden, "vf": hidden},
            "activation_fn": nn.ReLU,
            "features_extractor_class": Features,
            "features_extractor_kwargs": {
                "extractor": FeatureExtractor.for_games(config.all_rules, config.num_players)
            },
        },
    )
