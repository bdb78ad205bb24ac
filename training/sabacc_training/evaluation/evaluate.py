"""Evaluations: agents by what a user writes, the game they are compared in, one or many pairs."""

from __future__ import annotations

import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

from pydantic import Field, model_validator
from sabacc_agents.loading import load, trained_against
from sabacc_agents.saved_files import is_saved

from sabacc_env.agent import Agent
from sabacc_env.game import Game
from sabacc_training.config.base import Config
from sabacc_training.config.game import Deals, GameConfig
from sabacc_training.evaluation.margins import Match
from sabacc_training.evaluation.match import NUM_TABLES, play_match
from sabacc_training.evaluation.progress import MatchProgress


class Entrant(Config):
    """An agent that takes part; in a file a table, or only the text of its ``spec``."""

    spec: str
    """A registered name, ``zoo:NAME``, the path of a saved network, or ``module:Class``."""

    label: str = ""
    """What results call it; without one, its spec, the name of its file, or its class."""

    @model_validator(mode="before")
    @classmethod
    def _from_text(cls, data: Any) -> Any:
        return {"spec": data} if isinstance(data, str) else data

    @property
    def name(self) -> str:
        """What results call it."""
        if self.label:
            return self.label
        return Path(self.spec).stem if is_saved(self.spec) else self.spec.rpartition(":")[2]


class Evaluation(GameConfig):
    """What two agents are compared in: the game, the stakes, how many deals."""

    credits: int | None = Field(None, ge=1)
    """Each seat's credits before the antes; without, the rules' own."""

    sabacc_pot: int = Field(0, ge=0)
    """Credits in the Sabacc pot before the antes."""

    deals: Deals = 10_000
    """Deals for each pair of agents, each played from both seats."""

    seed: int = Field(0, ge=0, lt=2**64)
    """Decides the deals, the same for every pair, and the agents' chance."""

    num_tables: int = Field(NUM_TABLES, ge=2, le=2**20)
    """Tables played side by side; another number gives random agents other chance."""

    @model_validator(mode="after")
    def _check_stakes(self) -> Self:
        credits = None if self.credits is None else [self.credits] * 2
        Game(self.rule_set, 2, seed=0, credits=credits, sabacc_pot=self.sabacc_pot)
        return self

    def load(self, entrant: Entrant) -> Agent:
        """Return the agent, made for this game.

        Raises:
            SabaccError: for a spec that names no agent, or one made for something else.
        """
        return load(entrant.spec, self.rule_set, 2, bet_sizes=self.bet_sizes)


@dataclass(frozen=True)
class Pair:
    """What one agent against another came to.

    Attributes:
        first, second: what results call them.
        match: what they netted; its margin is the first's over the second.
        seen: whether either met the other in training, so that the margin says less.
    """

    first: str
    second: str
    match: Match
    seen: bool


def play_pair(
    evaluation: Evaluation,
    first: Entrant,
    second: Entrant,
    progress: MatchProgress | None = None,
) -> Pair:
    """Play two agents against each other.

    Raises:
        SabaccError: for a spec that names no agent, or stakes that the rules do not know.
    """
    if progress is not None:
        progress.start(f"{first.name} - {second.name}")
    match = play_match(
        evaluation.rule_set,
        (evaluation.load(first), evaluation.load(second)),
        evaluation.deals,
        evaluation.seed,
        bet_sizes=evaluation.bet_sizes,
        credits=evaluation.credits,
        sabacc_pot=evaluation.sabacc_pot,
        chance=chance_of(first, second),
        num_tables=evaluation.num_tables,
        on_hands=None if progress is None else progress.hands,
    )
    if progress is not None:
        progress.end(match.margin)
    return pair_of(first, second, match)


def pair_of(first: Entrant, second: Entrant, match: Match) -> Pair:
    """Return the pair that a match was played by."""
    seen = second.spec in trained_against(first.spec) or first.spec in trained_against(second.spec)
    return Pair(first.name, second.name, match, seen)


def chance_of(first: Entrant, second: Entrant) -> int:
    """Return which random numbers two agents draw: others for every pair of names."""
    return zlib.crc32(f"{first.name}\n{second.name}".encode())


def evaluate(
    evaluation: Evaluation,
    agent: Entrant,
    opponents: Sequence[Entrant],
    progress: MatchProgress | None = None,
) -> list[Pair]:
    """Play one agent against each of several; ``report.margins_table`` shows what comes out.

    >>> pairs = evaluate(
    ...     Evaluation(deals=50), Entrant(spec="random"), [Entrant(spec="random", label="other")]
    ... )
    >>> pairs[0].second, pairs[0].match.net.shape, pairs[0].seen
    ('other', (50, 2, 2), False)
    """
    return [play_pair(evaluation, agent, opponent, progress) for opponent in opponents]
