"""A run of the fast trainer: one typed, frozen description, read from a file."""

from __future__ import annotations

from functools import cached_property
from typing import Literal, Self

from pydantic import Field, model_validator

from sabacc_env.errors import SabaccError
from sabacc_env.rules import RuleSet
from sabacc_training.config.base import Config
from sabacc_training.config.game import RulesConfig
from sabacc_training.config.run import Count, Positive, RunConfig, Share, TableCount, Weight, Width
from sabacc_training.ppo.network_inputs import Critic


class LearningConfig(Config):
    """Masked PPO; gamma is 1. A pair of numbers is the first and the last of a linear schedule."""

    num_tables: TableCount = 4096
    """Tables played side by side."""

    decisions: Count = 32_768
    """The learner's decisions between two updates, at least. Of hands that are not over then as
    many decisions wait for their end; more than that are let go, so at full tables, where hands
    last long, several times as many are wanted as there are tables (``train/let_go``)."""

    minibatch: Count = 4096
    """Decisions in a gradient step, about."""

    epochs: Count = 2
    """Passes over the decisions in an update."""

    learning_rate: tuple[Positive, Weight] = (2e-3, 0.0)
    """Adam's step size."""

    entropy: tuple[Weight, Weight] = (0.02, 0.002)
    """The weight of the policy's entropy over the legal actions in the objective."""

    magnet: Literal["none", "refreshed", "moving", "teachers"] = "moving"
    """What the policy is drawn to: nothing, which is plain PPO; a copy of itself, made now and
    then; the moving average of its weights, which is what is saved; or ``teachers``."""

    teachers: tuple[str, ...] = ()
    """Networks that this trainer made and saved, as ``sabacc_agents.load`` takes them: one for
    each rule set that is played, in the same order."""

    kl: Weight = 0.1
    """How strongly: the weight of the divergence from the magnet over the legal actions."""

    refresh: Count = 20
    """Updates from one copy to the next, where the magnet is refreshed."""

    clip: Positive = 0.2
    """How far the probability of an action may move in an update, as a ratio."""

    gae_lambda: Share = 0.8
    """Lambda of the generalised advantage estimate."""

    grad_norm: Positive = 0.5
    """The longest gradient of a network; a longer one is shortened to it."""

    critic: Critic = "everything"
    """What the critic sees, which is used in training only: as much as the policy, the hands of the
    other seats too, or even the cards and dice to come. The more, the less is luck to it."""

    hidden: tuple[Width, ...] = Field((256, 256), min_length=1)
    """Widths of the hidden layers, the same for the policy and for the critic."""

    reward_scale: Positive = 10.0
    """Antes won that make a reward of 1, fixed throughout; where points are played for, a point."""

    precision: Literal["auto", "bfloat16", "float32"] = "auto"
    """What matrices are multiplied in; the weights are float32 throughout. By itself bfloat16 where
    the processor multiplies it faster. Another one gives another run of the same seed; a run that
    is resumed stays in the one that it began in."""

    @model_validator(mode="after")
    def _check_teachers(self) -> Self:
        if bool(self.teachers) != (self.magnet == "teachers"):
            raise SabaccError('teachers: they and magnet = "teachers" go together')
        return self

    @model_validator(mode="after")
    def _check_minibatch(self) -> Self:
        if self.minibatch > self.decisions:
            raise SabaccError(
                f"an update learns from about {self.decisions} decisions, fewer than a minibatch "
                f"of {self.minibatch}; change one of the two"
            )
        return self


class FastConfig(RunConfig):
    """One run of the fast trainer: self-play of all seats, with a pool of opponents beside."""

    trainer: Literal["fast"]
    """Which trainer does it."""

    most_players: int | None = Field(None, ge=2, le=8)
    """Where tables have several numbers of seats, each as many tables: the most, and
    ``num_players`` the least."""

    more_rules: tuple[RulesConfig, ...] = ()
    """Further rules, each played at as many tables; one network plays all."""

    device: Literal["cpu", "cuda"] = "cpu"
    """Where networks are trained and tables are played: the processors, or a GPU. Agents that do
    not learn think on the processors."""

    learning: LearningConfig = LearningConfig()
    """How it learns."""

    @model_validator(mode="after")
    def _check_tables(self) -> Self:
        if self.most_players is not None and self.most_players < self.num_players:
            raise SabaccError(
                f"most_players: {self.most_players} are fewer than num_players = {self.num_players}"
            )
        if len(set(self.all_rules)) < len(self.all_rules):
            raise SabaccError("more_rules: names a rule set twice")
        teachers = self.learning.teachers
        if teachers and len(teachers) != len(self.all_rules):
            raise SabaccError(
                f"learning.teachers: {len(self.all_rules)} rule sets are played, each with a "
                f"teacher of its own; {len(teachers)} are named"
            )
        if self.learning.num_tables < len(self.games):
            raise SabaccError(
                f"learning.num_tables: {len(self.games)} games need as many tables at least"
            )
        return self

    @cached_property
    def all_rules(self) -> tuple[RuleSet, ...]:
        """Every rule set that is played."""
        return (self.rule_set, *(more.rule_set for more in self.more_rules))

    @cached_property
    def games(self) -> tuple[tuple[RuleSet, int], ...]:
        """Every game that is played: rules and seats."""
        seats = range(self.num_players, (self.most_players or self.num_players) + 1)
        return tuple((rules, players) for rules in self.all_rules for players in seats)
