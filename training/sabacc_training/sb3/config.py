"""A training run with MaskablePPO: one typed, frozen description, read from a file."""

from __future__ import annotations

from typing import Literal, Self

from pydantic import model_validator

from sabacc_env.errors import SabaccError
from sabacc_training.config.base import Config
from sabacc_training.config.run import Count, Positive, RunConfig, Share, TableCount, Weight, Width


class PPOConfig(Config):
    """MaskablePPO; gamma is 1. A pair of numbers is the first and the last of a linear schedule."""

    num_tables: TableCount = 1024
    """Tables played side by side."""

    rollout: Count = 32
    """The learner's decisions at each table between two updates."""

    batch_size: Count = 1024
    """Decisions in a gradient step."""

    epochs: Count = 2
    """Passes over a rollout in an update."""

    learning_rate: tuple[Positive, Weight] = (1e-3, 1e-4)
    """Adam's step size."""

    entropy: tuple[Weight, Weight] = (0.05, 0.005)
    """The weight of the policy's entropy over the legal actions in the objective."""

    clip: Positive = 0.2
    """How far the probability of an action may move in an update, as a ratio."""

    gae_lambda: Share = 0.95
    """Lambda of the generalised advantage estimate."""

    critic: Weight = 0.5
    """The weight of the critic's squared error."""

    hidden: tuple[Width, ...] = (128, 128)
    """Widths of the hidden layers, the same for the policy and for the critic."""

    reward_scale: Positive = 10.0
    """Antes won that make a reward of 1, fixed throughout."""

    @model_validator(mode="after")
    def _check_gradient_steps(self) -> Self:
        # Advantages are normalised in each gradient step: those of one decision have no spread.
        decisions = self.num_tables * self.rollout
        if decisions == 1 or self.batch_size == 1 or decisions % self.batch_size == 1:
            raise SabaccError(
                f"num_tables * rollout = {decisions} decisions in steps of batch_size = "
                f"{self.batch_size} leave a step of a single one, which nothing is learnt from; "
                f"change one of the three"
            )
        return self


class TrainingConfig(RunConfig):
    """One training run: self-play with MaskablePPO against a pool of opponents."""

    trainer: Literal["sb3"] = "sb3"
    """Which trainer does it: this one, of Stable-Baselines3, is taken where nothing is said."""

    ppo: PPOConfig = PPOConfig()
    """How it learns."""
