"""The configuration of a blueprint: the game, and how it is solved."""

from __future__ import annotations

from typing import ClassVar, Self

from pydantic import Field, model_validator

from sabacc_env.errors import SabaccError
from sabacc_training.blueprints.game import abstract_game
from sabacc_training.config.game import GameConfig


class BlueprintConfig(GameConfig):
    """What ``sabacc blueprint`` solves, and how long."""

    purpose: ClassVar[str] = "a blueprint"

    agent_sizes: tuple[str | int | float, ...] = (1,)
    """The bet sizes that the blueprint uses. It answers all of ``bet_sizes``."""

    stacks: tuple[float, float] = (8, 50)
    """The smallest and the largest stack at the start of a hand, in antes; both seats have equal
    ones."""

    epochs: int = Field(300, ge=1)
    """How many epochs are run."""

    walks: int = Field(2_000, ge=1)
    """The walks of a worker in an epoch, in each of which the agent and the adversary learn."""

    workers: int = Field(2, ge=1, le=64)
    """The workers, threads that learn side by side. The result depends on their number, not on that
    of the cores."""

    seed: int = Field(0, ge=0, lt=2**32)
    """Decides all that is random."""

    @model_validator(mode="after")
    def _check_game(self) -> Self:
        abstract_game(self.rule_set, self.bet_sizes, self.agent_sizes)
        if not 2 <= self.stacks[0] <= self.stacks[1] <= 10_000:
            raise SabaccError("stacks: give two numbers from 2 to 10,000, the smaller first")
        return self
