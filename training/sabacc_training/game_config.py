"""Which game is played: what configurations of training and of evaluation have in common."""

from __future__ import annotations

from functools import cached_property
from typing import Any, Self

from pydantic import Field, model_validator

from sabacc_env.engine.actions import encode_bet_sizes
from sabacc_env.rules import RuleSet, load_rules
from sabacc_training.config import Config


class RulesConfig(Config):
    """Rules to play by."""

    rules: str = "casino"
    """A rule set by name, or the path of a rules file."""

    rule_overrides: dict[str, Any] = Field(default_factory=dict)
    """Fields of the rule set to change."""

    @model_validator(mode="after")
    def _check_rules(self) -> Self:
        _ = self.rule_set
        return self

    @cached_property
    def rule_set(self) -> RuleSet:
        """The rules that result."""
        return load_rules(self.rules, **self.rule_overrides)


class GameConfig(RulesConfig):
    """Which game is played."""

    bet_sizes: tuple[str | int | float, ...] = ("min", 0.5, 1, "max")
    """What the bet actions mean: "min", "max", or fractions of the pot."""

    @model_validator(mode="after")
    def _check_bet_sizes(self) -> Self:
        encode_bet_sizes(self.bet_sizes)
        return self
