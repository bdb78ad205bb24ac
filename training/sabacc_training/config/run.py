"""What the configurations of both trainers share: game, opponents, evaluation, checkpoints."""

from __future__ import annotations

import os
from functools import cached_property
from typing import Annotated, Any, Self

from pydantic import Field, model_validator

from sabacc_env.errors import SabaccError
from sabacc_env.rules import RuleSet
from sabacc_env.rules.space import RuleSpace
from sabacc_training.config.base import Config
from sabacc_training.config.game import Deals, RuleSpaceConfig, TableConfig

Count = Annotated[int, Field(ge=1)]
Width = Annotated[int, Field(ge=1, le=2**14)]
TableCount = Annotated[int, Field(ge=1, le=2**20)]
Share = Annotated[float, Field(ge=0, le=1)]
Weight = Annotated[float, Field(ge=0)]
Positive = Annotated[float, Field(gt=0)]
Antes = tuple[Weight, Weight]
"""A range in antes of the unit: hand ante + Sabacc ante."""


class StartConfig(Config):
    """The ranges from which the credits and Sabacc pots at the start of hands are drawn."""

    stacks: Antes | None = None
    """Least and most credits of a seat, in antes. They are drawn uniformly: with "sb3" for each
    hand, with "ppo" for each table at the start of each rollout. By default they are the credits
    that the rules give."""

    equal_stacks: Share = 0.0
    """The share of hands in which all seats start with the same credits."""

    sabacc_pot: Antes | None = None
    """Least and most credits in the Sabacc pot, in antes, drawn in the same way; by default the pot
    is empty."""

    curriculum_fraction: Share = 0.0
    """Fraction of the run over which these ranges grow to their full size: stacks from one ante, on
    a logarithmic scale, the Sabacc pot from nothing. With short stacks a hand depends on little but
    its cards, so their values are learnt first, without the noise of large pots."""

    def stacks_at(self, progress: float) -> Antes | None:
        """Return the range of stacks after this fraction of the run."""
        if self.stacks is None:
            return None
        least, most = self.stacks
        grown = self._curriculum(progress)
        return least**grown, most**grown

    def sabacc_pot_at(self, progress: float) -> Antes | None:
        """Return the range of the Sabacc pot after this fraction of the run."""
        if self.sabacc_pot is None:
            return None
        least, most = self.sabacc_pot
        grown = self._curriculum(progress)
        return least * grown, most * grown

    def _curriculum(self, progress: float) -> float:
        fraction = self.curriculum_fraction
        return min(1.0, progress / fraction) if fraction else 1.0

    @model_validator(mode="after")
    def _check_stacks(self) -> Self:
        if self.stacks is not None and self.stacks[0] < 1:
            raise SabaccError("stacks must be at least one ante")
        return self


class PoolConfig(Config):
    """The learner's opponents. Each is drawn in proportion to its weight."""

    current: Weight = 4.0
    """The weight of the current policy."""

    snapshots: Weight = 2.0
    """The weight of all snapshots of the policy together. Until there are snapshots, the current
    policy has it."""

    scripted: dict[str, Weight] = Field(default_factory=lambda: {"random": 1.0})
    """Weights of other agents: registered names, ``zoo:NAME``, saved networks, ``module:Class``."""

    snapshot_every: Count = 100_000
    """Steps from one snapshot to the next."""

    max_snapshots: Count = 10
    """The largest number of snapshots. When it is reached, a new one replaces a random one."""

    @model_validator(mode="after")
    def _check_someone(self) -> Self:
        if not self.current + self.snapshots + sum(self.scripted.values()) > 0:
            raise SabaccError("give at least one opponent a weight above 0")
        return self


class EvaluationConfig(Config):
    """How the run is evaluated. Nothing here changes what is learnt."""

    later = frozenset({"record_hands"})

    opponent: str = "random"
    """The fixed opponent that the margin is measured over."""

    every: Count = 250_000
    """Steps from one evaluation to the next."""

    deals: Deals = 1_000
    """Deals of an evaluation, each played from every seat."""

    record_hands: int = Field(0, ge=0, le=10**9)
    """One deal in so many is recorded, from every seat: the hands of an evaluation are in the
    folder of the run, in ``evaluations/step-STEPS.jsonl``. 0 is none."""


class RunConfig(TableConfig):
    """A training run by self-play, by either trainer."""

    purpose = "a training run"

    later = frozenset({"rule_space"})

    rule_space: RuleSpaceConfig | None = None
    """A space that every hand draws its rules from. ``rules`` are then only those of the
    evaluations; the saved network plays any rules. By default all hands are played by ``rules``."""

    steps: Count = 3_000_000
    """Decisions of the learner; schedules run over them."""

    seed: int = Field(0, ge=0, lt=2**32)
    """The seed of everything random: deals, sampled actions, initial weights."""

    threads: Count = 1
    """Threads of the run. With "ppo" they step the tables and compute the networks; on a GPU there
    is only one. With "sb3" they are PyTorch's. Several help on an idle machine and harm on a busy
    one."""

    polyak_tau: Share = 0.05
    """Weight of the newest policy in the Polyak average of policies. The average is what is saved;
    with 1 it is the last policy."""

    start: StartConfig = StartConfig()
    """The credits and Sabacc pots at the start of hands."""

    pool: PoolConfig = PoolConfig()
    """The opponents."""

    evaluation: EvaluationConfig = EvaluationConfig()
    """How the run is evaluated."""

    checkpoint_seconds: Weight = 30.0
    """Seconds from one checkpoint to the next. A kill loses at most these and an update."""

    @cached_property
    def all_rules(self) -> tuple[RuleSet, ...]:
        """Every rule set that is played in training."""
        if self.rule_space is None:
            return (self.rule_set,)
        return tuple(dict.fromkeys(self.rule_space.rule_space.rule_sets(self.num_players)))

    @property
    def rules_of_hands(self) -> RuleSet | RuleSpace:
        """The rules of all hands in training, or the space that each draws them from."""
        return self.rule_set if self.rule_space is None else self.rule_space.rule_space

    @model_validator(mode="after")
    def _check_rule_space(self) -> Self:
        if self.rule_space is None:
            return self
        for key in "stacks", "sabacc_pot":
            if getattr(self.start, key) is not None:
                raise SabaccError(
                    f"start.{key}: hands that draw their rules start with what the rules say; "
                    "leave it out with rule_space"
                )
        self.rule_space.rule_space.episode_rules(0, self.num_players)  # refuses other seats
        return self

    @model_validator(mode="after")
    def _check_start(self) -> Self:
        if self.rule_space is not None:
            return self
        names = ", ".join(repr(rules.name) for rules in self.all_rules)
        if self.start.stacks is not None and all(rules.points for rules in self.all_rules):
            raise SabaccError(
                f"start.stacks: the rules {names} are played for points; leave it out"
            )
        if self.start.sabacc_pot is not None and not any(
            rules.sabacc_ante for rules in self.all_rules
        ):
            raise SabaccError(
                f"start.sabacc_pot: the rules {names} have no Sabacc pot; leave it out"
            )
        return self

    def training_record(self, steps: int) -> dict[str, Any]:
        """Return the record of its training that a saved network carries, after so many steps."""
        return {
            "config": self.model_dump(mode="json"),
            "opponents": [name for name, weight in self.pool.scripted.items() if weight],
            "seed": self.seed,
            "steps": steps,
        }


def check_threads(threads: int) -> None:
    """Refuse more threads than processors: the others would only wait.

    Raises:
        SabaccError: where there are fewer processors.
    """
    processors = os.cpu_count() or 1
    if threads > processors:
        raise SabaccError(
            f"threads: {threads} is more than the {processors} processors of this machine"
        )


def linear(ends: tuple[float, float], progress: float) -> float:
    """Return the value of a linear schedule after this fraction of the run.

    >>> linear((4.0, 2.0), 0.5)
    3.0
    """
    first, last = ends
    return first + (last - first) * min(1.0, progress)
