"""The configuration of what a language model plays."""

from __future__ import annotations

from typing import Any, ClassVar, Final, Literal, Self

from pydantic import Field, model_validator

from sabacc_env.envs.text_env import MOST_RETRIES
from sabacc_env.errors import SabaccError
from sabacc_env.rules.limits import MAX_SEATS
from sabacc_training.config.base import validated
from sabacc_training.config.game import TableConfig, rungs
from sabacc_training.config.run import Count
from sabacc_training.variance_reduction.values import shipped_file

TEXT: Final = "text"
"""Stands among the opponents for a seat that answers in words, too."""


class TextTask(TableConfig):
    """What is played in words, and against whom."""

    purpose: ClassVar[str] = "a task for language models"

    kind: Literal["hands", "decision"] = "hands"
    """What an episode is: "hands", all decisions of a seat in one hand or more, rewarded by what it
    wins, in antes; or "decision", one decision from a hand that all play by the equilibrium of a
    solved game, rewarded by minus its regret."""

    opponents: tuple[str, ...] = ("random",)
    """The agents at the other seats: one for all of them, or one for each, clockwise. "text" is a
    seat that answers in words, too."""

    seat: int | None = Field(None, ge=0, lt=MAX_SEATS)
    """The seat that answers in words. Without one, the seeds take the seats in turn."""

    hands: Count = 1
    """Hands of an episode. A match ends before, when fewer than two seats can pay their antes."""

    regrets: bool = False
    """Whether the exact regret of each decision is told: against the equilibrium, whoever the
    opponents are. The rules must be a rung of the ladder."""

    variance_reduction: bool = False
    """Whether the control variates of tournaments take most of the luck out of the rewards: for
    chance, and for the actions of opponents that tell their probabilities. The mean of rewards
    stays the same, whatever the seat plays. The rules must be ones with a value function."""

    legal_moves: bool = True
    """Whether the legal moves are listed."""

    retries: int = Field(1, ge=0, le=MOST_RETRIES)
    """How often an answer that is not legal, or cannot be read, is asked for again. After that the
    default is played: check, else stand, else junk, else the first legal action."""

    @model_validator(mode="after")
    def _check_seats_and_opponents(self) -> Self:
        if self.seat is not None and self.seat >= self.num_players:
            raise SabaccError(f"seat: {self.seat} is not from 0 to {self.num_players - 1}")
        if len(self.opponents) not in (1, self.num_players - 1):
            raise SabaccError(
                f"opponents: {len(self.opponents)} given; give one for all other seats, or one for "
                f"each of the {self.num_players - 1}"
            )
        if self.kind == "decision" and TEXT in self.opponents:
            raise SabaccError(
                f'opponents: "{TEXT}" is for kind = "hands"; a single decision is one seat\'s'
            )
        return self

    @model_validator(mode="after")
    def _check_regrets(self) -> Self:
        if not self.knows_regrets:
            return self
        if self.rule_set.name not in rungs():
            raise SabaccError(
                f"regrets: the game {self.rule_set.name!r} is not solved; rungs of the ladder are: "
                f"{', '.join(rungs())}"
            )
        if self.hands > 1:
            raise SabaccError(
                f"hands: regrets are known of single hands only, not of {self.hands} hands"
            )
        return self

    @model_validator(mode="after")
    def _check_variance_reduction(self) -> Self:
        if not self.variance_reduction:
            return self
        if self.kind == "decision":
            raise SabaccError(
                'variance_reduction: is for kind = "hands"; a single decision is rewarded by its '
                "regret, which has no luck in it"
            )
        if shipped_file(self.rule_set) is None:
            raise SabaccError(
                f"variance_reduction: no value function ships for the rules "
                f"{self.rule_set.name!r} as they are here; take a rule set without rule_overrides"
            )
        return self

    @property
    def knows_regrets(self) -> bool:
        """Whether the exact regret of each decision is known."""
        return self.regrets or self.kind == "decision"

    def agents_of(self, seat: int) -> dict[int, str]:
        """Return who has the seats that do not answer in words, clockwise from a seat that does.

        >>> text_task(num_players=4, opponents=["tight", "text", "loose"]).agents_of(2)
        {3: 'tight', 1: 'loose'}
        """
        others = [(seat + place) % self.num_players for place in range(1, self.num_players)]
        specs = self.opponents * len(others) if len(self.opponents) == 1 else self.opponents
        return {other: spec for other, spec in zip(others, specs, strict=False) if spec != TEXT}


def text_task(**keys: Any) -> TextTask:
    """Return a task from its keys, with those of a rung in the place of its name.

    Raises:
        SabaccError: for keys that make no task.

    >>> text_task(rules="one_draw", kind="decision").knows_regrets
    True
    """
    return validated(TextTask, keys)
