"""Evaluation of agents: the game, the agents that a user names, and matches between them."""

from __future__ import annotations

import zlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

from pydantic import Field, model_validator
from sabacc_agents.loading import load, trained_against
from sabacc_agents.saved_files import is_saved
from sabacc_agents.specs import outside_spec

from sabacc_env.agent import Agent
from sabacc_env.errors import SabaccError, short_repr
from sabacc_env.game import Game
from sabacc_training.config.base import Config
from sabacc_training.config.game import Deals, GameConfig
from sabacc_training.evaluation.match import MatchResult, play_match
from sabacc_training.evaluation.playing import NUM_TABLES
from sabacc_training.evaluation.progress import MatchProgress
from sabacc_training.evaluation.rows import PairRow, compared_fields, estimate_fields, rounded


class Entrant(Config):
    """An agent that takes part. In a file it is a table, or only the text of its ``spec``."""

    spec: str
    """A registered name, ``zoo:NAME``, the path of a saved network, ``module:Class``,
    ``process:COMMAND``, or ``model:NAME``."""

    label: str = ""
    """Its name in results; by default its spec, the name of its file, its class, its command
    without settings and folders, or the name of its model."""

    @model_validator(mode="before")
    @classmethod
    def _from_text(cls, data: Any) -> Any:
        return {"spec": data} if isinstance(data, str) else data

    @model_validator(mode="after")
    def _check_label(self) -> Self:
        if self.label and (not self.label.strip() or not self.label.isprintable()):
            raise SabaccError(
                f"label: {short_repr(self.label)} cannot be shown; give a name of visible "
                "characters and spaces"
            )
        return self

    @property
    def name(self) -> str:
        """Its name in results."""
        if self.label:
            return self.label
        if (outside := outside_spec(self.spec)) is not None:
            return outside.name
        return Path(self.spec).stem if is_saved(self.spec) else self.spec.rpartition(":")[2]


class MatchConfig(GameConfig):
    """How two agents are compared: the game, its credits at the start, the number of deals."""

    credits: int | None = Field(None, ge=1)
    """Each seat's credits before the antes; by default the rules' own."""

    sabacc_pot: int = Field(0, ge=0)
    """Credits in the Sabacc pot before the antes."""

    deals: Deals = 10_000
    """The number of deals for each pair of agents; each is played from both seats."""

    seed: int = Field(0, ge=0, lt=2**64)
    """Seeds the deals, which are the same for every pair, and the agents' random numbers."""

    num_tables: int = Field(NUM_TABLES, ge=2, le=2**20)
    """Tables played side by side; with another number agents draw other random numbers."""

    @model_validator(mode="after")
    def _check_start(self) -> Self:
        credits = None if self.credits is None else [self.credits] * 2
        Game(self.rule_set, 2, seed=0, credits=credits, sabacc_pot=self.sabacc_pot)
        return self

    def load(self, entrant: Entrant, num_players: int = 2) -> Agent:
        """Return the agent, made for this game at a table of so many seats.

        Raises:
            SabaccError: for a spec that names no agent, or an agent made for another game.
        """
        return load(entrant.spec, self.rule_set, num_players, bet_sizes=self.bet_sizes)


@dataclass(frozen=True)
class PairResult:
    """The result of one agent against another.

    Attributes:
        first, second: their names in results.
        match: their match; its margin is the first's over the second.
        met_in_training: whether one of them met the other in training. Such a margin says less
            about other opponents.
    """

    first: str
    second: str
    match: MatchResult
    met_in_training: bool


def pair_rows(results: Iterable[PairResult]) -> list[PairRow]:
    """Return pairs that played the same deals as rows of results, compared together."""
    pairs = list(results)
    margins = [pair.match.margin for pair in pairs]
    compared = compared_fields(margins, [pair.match.deal_margins for pair in pairs])
    return [
        PairRow(
            format="pairs",
            agent=pair.first,
            opponent=pair.second,
            **estimate_fields(pair.match.margin),
            **of_all,
            single_sd=round(pair.match.hand_sd, 3),
            saving=rounded(pair.match.variance_reduction),
            seen_in_training=pair.met_in_training,
        )
        for pair, of_all in zip(pairs, compared, strict=True)
    ]


def play_pair(
    config: MatchConfig,
    first: Entrant,
    second: Entrant,
    progress: MatchProgress | None = None,
) -> PairResult:
    """Play two agents against each other.

    Raises:
        SabaccError: for a spec that names no agent, or an agent that fails.
    """
    if progress is not None:
        progress.start(f"{first.name} - {second.name}")
    match = play_match(
        config.rule_set,
        (config.load(first), config.load(second)),
        config.deals,
        config.seed,
        bet_sizes=config.bet_sizes,
        credits=config.credits,
        sabacc_pot=config.sabacc_pot,
        rng_stream=_rng_stream_of(first, second),
        num_tables=config.num_tables,
        on_hands=None if progress is None else progress.add_hands,
    )
    if progress is not None:
        progress.end(match.margin)
    met = second.spec in trained_against(first.spec) or first.spec in trained_against(second.spec)
    return PairResult(first.name, second.name, match, met)


def _rng_stream_of(first: Entrant, second: Entrant) -> int:
    """Return the random stream of two agents (see ``play_match``): one for each pair of names."""
    return zlib.crc32(f"{first.name}\n{second.name}".encode())


def evaluate(
    config: MatchConfig,
    agent: Entrant,
    opponents: Sequence[Entrant],
    progress: MatchProgress | None = None,
) -> list[PairResult]:
    """Play one agent against each of several; ``report.margins_table`` shows the results.

    >>> pairs = evaluate(
    ...     MatchConfig(deals=50), Entrant(spec="random"), [Entrant(spec="random", label="other")]
    ... )
    >>> pairs[0].second, pairs[0].match.net_credits.shape, pairs[0].met_in_training
    ('other', (50, 2, 2), False)
    """
    return [play_pair(config, agent, opponent, progress) for opponent in opponents]
