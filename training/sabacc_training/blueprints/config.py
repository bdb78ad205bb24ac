"""The configuration of a blueprint: the game, and how it is solved."""

from __future__ import annotations

from itertools import pairwise
from typing import Annotated, ClassVar, Self

from pydantic import Field, model_validator

from sabacc_env.errors import SabaccError
from sabacc_training.blueprints.game import abstract_game, alike_in_abstract, check_rules
from sabacc_training.config.game import GameConfig, RulesConfig

Walks = Annotated[int, Field(ge=1)]
"""A number of walks."""


class BlueprintConfig(GameConfig):
    """What ``sabacc blueprint`` solves, and how long."""

    purpose: ClassVar[str] = "a blueprint"

    more_rules: tuple[RulesConfig, ...] = ()
    """Further rule sets that the blueprint may play, which differ from ``rules`` only in ``fees``
    or ``short_call``: in the abstract game nobody pays a fee, and no call is short."""

    agent_sizes: tuple[str | int | float, ...] = (1,)
    """The bet sizes that the blueprint uses. It answers all of ``bet_sizes``."""

    tells_swaps: bool = True
    """Whether the blueprint tells swaps apart by the card that is taken, which is public. In hands
    of two it is half of the hand. Without it files are a fifth as large."""

    coarse_epochs: int = Field(0, ge=0)
    """How many epochs come first in which it does not tell them apart, although it will. What is
    learnt there is where its finer states begin, so that those that are rarely met play well."""

    stacks: tuple[float, ...] = (10, 25, 50)
    """The stacks at the start of a hand that strategies are solved for, in antes, in rising order.
    Both seats have equal ones. In play the nearest by ratio counts, for hands more than 1.25 times
    as deep as that the next larger one."""

    epochs: int = Field(300, ge=1)
    """How many epochs are run."""

    walks: Walks | tuple[Walks, ...] = 2_000
    """The walks of each stack in an epoch, in each of which the agent and the adversary learn: one
    number for all stacks, or one for each."""

    threads: int = Field(1, ge=1, le=64)
    """How many stacks are solved for side by side. The result does not depend on it."""

    adversary_rows: int = Field(2**20, ge=2**10, le=2**26)
    """How many states of the adversary's bets are told apart for each stack, a power of 2. Each
    takes a kilobyte once it is met. Where there are more, the others share rows."""

    seed: int = Field(0, ge=0, lt=2**32)
    """Decides all that is random."""

    @model_validator(mode="after")
    def _check_game(self) -> Self:
        abstract_game(self.rule_set, self.bet_sizes, self.agent_sizes)
        for more in self.more_rules:
            check_rules(more.rule_set)
        alike = {alike_in_abstract(more.rule_set).digest for more in self.more_rules}
        if alike - {alike_in_abstract(self.rule_set).digest}:
            raise SabaccError(
                "more_rules: name rules that differ from rules only in fees or short_call"
            )
        rising = all(a < b for a, b in pairwise(self.stacks))
        if not self.stacks or not rising or self.stacks[0] < 2 or self.stacks[-1] > 10_000:
            raise SabaccError("stacks: give one or more rising numbers from 2 to 10,000")
        if isinstance(self.walks, tuple) and len(self.walks) != len(self.stacks):
            raise SabaccError("walks: give one number, or as many as there are stacks")
        if self.coarse_epochs and not self.tells_swaps:
            raise SabaccError("coarse_epochs: give 0, or let the blueprint tell swaps apart")
        if self.adversary_rows.bit_count() != 1:
            raise SabaccError("adversary_rows: give a power of 2, such as 1_048_576")
        return self

    @property
    def walks_of_stacks(self) -> tuple[int, ...]:
        """The walks of each stack in an epoch."""
        return self.walks if isinstance(self.walks, tuple) else (self.walks,) * len(self.stacks)
