"""Configuration of a run with MaskablePPO: typed, frozen, read from a file."""

from __future__ import annotations

from typing import Literal, Self

from pydantic import model_validator

from sabacc_env.errors import SabaccError
from sabacc_training.config.base import Config
from sabacc_training.config.run import Count, Positive, RunConfig, Share, TableCount, Weight, Width


class MaskablePPOHyperparameters(Config):
    """Hyperparameters of MaskablePPO, named as there; gamma is 1.

    A pair of numbers is a linear schedule: its first and its last value.
    """

    num_tables: TableCount = 1024
    """Tables played side by side: Stable-Baselines3's environments."""

    n_steps: Count = 32
    """Decisions of the learner at each table in a rollout."""

    batch_size: Count = 1024
    """Decisions in a gradient step: a minibatch."""

    n_epochs: Count = 2
    """Passes over a rollout in an update."""

    learning_rate: tuple[Positive, Weight] = (1e-3, 1e-4)
    """Adam's learning rate."""

    ent_coef: tuple[Weight, Weight] = (0.05, 0.005)
    """Weight of the entropy bonus in the loss, over the legal actions."""

    clip_range: Positive = 0.2
    """PPO's clip range: how far the probability ratio may move from 1 and still be rewarded."""

    gae_lambda: Share = 0.95
    """Lambda of generalised advantage estimation."""

    vf_coef: Weight = 0.5
    """Weight of the value loss, the critic's mean squared error."""

    hidden_sizes: tuple[Width, ...] = (128, 128)
    """Widths of the hidden layers, the same for the policy and for the critic."""

    reward_scale: Positive = 10.0
    """Antes won that make a reward of 1."""

    @model_validator(mode="after")
    def _check_batch_size(self) -> Self:
        # Advantages are normalised in each minibatch: those of one decision have no deviation.
        rollout_steps = self.num_tables * self.n_steps
        if rollout_steps == 1 or self.batch_size == 1 or rollout_steps % self.batch_size == 1:
            raise SabaccError(
                f"num_tables * n_steps = {rollout_steps} decisions in minibatches of batch_size = "
                f"{self.batch_size} leave a minibatch of a single decision, whose advantage cannot "
                "be normalised; change one of the three"
            )
        return self


class MaskablePPOConfig(RunConfig):
    """One run of Stable-Baselines3's MaskablePPO: self-play against a pool of opponents."""

    trainer: Literal["sb3"] = "sb3"
    """Selects this trainer, which is also the default."""

    sb3: MaskablePPOHyperparameters = MaskablePPOHyperparameters()
    """Hyperparameters."""
