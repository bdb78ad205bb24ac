"""Which game is played: what configurations of training and of evaluation have in common."""

from __future__ import annotations

import tomllib
from functools import cached_property
from importlib import resources
from typing import Annotated, Any, Literal, Self

from pydantic import Field, model_validator
from sabacc_agents.loading import load

from sabacc_env.actions import encode_bet_sizes
from sabacc_env.agent import Agent
from sabacc_env.arguments import check_num_players
from sabacc_env.errors import SabaccError
from sabacc_env.rules import RuleSet, load_rules, rule_sets
from sabacc_env.rules.limits import MAX_SEATS
from sabacc_env.rules.space import MAX_RULE_SETS, RuleSpace
from sabacc_env.rules.wording import did_you_mean, quoted_choices, toml_repr
from sabacc_training.config.base import Config

Deals = Annotated[int, Field(ge=2, le=10**9)]
"""A number of deals. More would fill any memory and take weeks."""


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
        """The rule set with these changes."""
        return load_rules(self.rules, **self.rule_overrides)


class RuleSpaceConfig(Config):
    """A space of rule sets, of which every hand draws one."""

    space: str = "house"
    """A rule space by name, or the path of its file, that every hand of the training draws its
    rules from. Without this section all hands are played by ``rules``."""

    split: Literal["train", "test_near", "test_far", "all"] = "train"
    """A part of it, or all of it."""

    num_rule_sets: int = Field(1024, ge=1, le=MAX_RULE_SETS)
    """How many rule sets hands draw from: those of the keys from 0 on."""

    @model_validator(mode="after")
    def _check_space(self) -> Self:
        _ = self.rule_space
        return self

    @cached_property
    def rule_space(self) -> RuleSpace:
        """The space, or the part of it."""
        space = RuleSpace(self.space, num_rule_sets=self.num_rule_sets)
        return space if self.split == "all" else space.split(self.split)


class GameConfig(RulesConfig):
    """Which game is played."""

    rules: str = "casino"
    """A rule set by name, the path of a rules file, or a rung of the ladder. A rung sets the rules,
    the bet sizes and the number of players; the other keys here override them."""

    bet_sizes: tuple[str | int | float, ...] = ("min", 0.5, 1, "max")
    """What the bet actions mean: "min", "max", or fractions of the pot."""

    @classmethod
    def expanded(cls, data: dict[str, Any]) -> dict[str, Any]:
        """Return the keys of a file with those of a rung in the place of its name."""
        name = data.get("rules")
        if name not in rungs():
            names = *rule_sets(), *rungs()
            if isinstance(name, str) and name.isidentifier() and name not in names:
                raise SabaccError(
                    f"rules: {toml_repr(name)} is not a rule set or a rung of the ladder; use "
                    f"{quoted_choices(names)}, or a path to a rules file, which ends in .toml"
                    f"{did_you_mean(name, names)}"
                )
            return data
        rung = tomllib.loads(_ladder().joinpath(f"{name}.toml").read_text("utf-8"))
        known = {key: value for key, value in rung.items() if key in cls.model_fields}
        beside = {key: value for key, value in data.items() if key != "rules"}
        overrides = beside.get("rule_overrides", {})
        if isinstance(overrides, dict):  # other types are refused where all keys are checked
            beside["rule_overrides"] = known["rule_overrides"] | overrides
        return known | beside

    @model_validator(mode="after")
    def _check_bet_sizes(self) -> Self:
        encode_bet_sizes(self.bet_sizes)
        return self


class TableConfig(GameConfig):
    """Which game is played, and by how many."""

    num_players: int = Field(2, ge=2, le=MAX_SEATS)
    """Seats at a table."""

    @model_validator(mode="after")
    def _check_seats(self) -> Self:
        check_num_players(self.rule_set, self.num_players)
        return self

    def load(self, spec: str) -> Agent:
        """Return an agent made for this game.

        Args:
            spec: as ``sabacc_agents.load`` takes it.

        Raises:
            SabaccError: as ``sabacc_agents.load``.
        """
        return load(spec, self.rule_set, self.num_players, self.bet_sizes)


def rungs() -> tuple[str, ...]:
    """Return the names of the ladder's rungs, the smallest game first."""
    return tuple(_ladder().joinpath("order.txt").read_text("utf-8").split())


def _ladder() -> resources.abc.Traversable:
    return resources.files("sabacc_training").joinpath("solved_games", "ladder")
