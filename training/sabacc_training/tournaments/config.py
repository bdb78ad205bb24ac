"""The configuration of a tournament."""

from __future__ import annotations

from functools import cached_property
from pathlib import Path
from typing import Self

from pydantic import Field, field_validator, model_validator
from sabacc_agents.specs import outside_spec, with_timeout

from sabacc_env.arguments import check_num_players
from sabacc_env.errors import SabaccError
from sabacc_env.game import Game
from sabacc_training.config.base import dump
from sabacc_training.evaluation.evaluate import Entrant, MatchConfig
from sabacc_training.tournaments.formats import Format, Lineup
from sabacc_training.variance_reduction.values import load_value_function, shipped_file

DEALS_PER_TASK = 2_500
"""Deals in one task, unless the configuration says otherwise."""


class TournamentConfig(MatchConfig):
    """A tournament: the agents, which of them meet at a table, and what they play there."""

    purpose = "a tournament"
    later = frozenset({"record_hands"})
    replaces = (("half_width", "deals"),)

    agents: tuple[Entrant, ...]
    """The agents, at least two: specs, or tables with ``spec`` and ``label``."""

    formats: tuple[Format, ...] = (Format(kind="pairs"),)
    """What is played: "pairs", every two agents; "copies-4", one agent against three copies of
    another, every ordered pair; "mixed-6", tables of six different agents; all over the same deals.
    Of many tables some are drawn: { kind = "mixed", num_players = 6, lineups = 100 }."""

    half_width: float | None = Field(None, gt=0)
    """Half the width of the intervals asked for, in mante/hand, in place of ``deals``; give one of
    the two. Deals are added until the widest interval of all tables is as narrow."""

    hands: int = Field(1, ge=1, le=10_000)
    """Hands in an episode: 1, or a match of at most so many, which ends early when fewer than two
    seats can pay their antes."""

    variance_reduction: bool | Path = False
    """Whether control variates for chance and for told actions make the intervals narrower, beside
    the raw figures. Agents are then asked for their probabilities, and hands take longer. ``true``
    takes the value function that ships for these rules; a path takes that file, which
    ``python -m sabacc_training.variance_reduction.train`` wrote."""

    timeout_s: float | None = Field(None, gt=0, le=86_400)
    """Seconds that a process or a language model has for a decision, where its spec has no
    ``timeout_s``; by default 10 and 60. One that takes longer plays a default, which is counted."""

    deals_per_task: int = Field(DEALS_PER_TASK, ge=1, le=10**6)
    """The deals of one lineup that are played in one piece and saved as one file. With another
    number agents draw other random numbers."""

    record_hands: int = Field(0, ge=0, le=10**9)
    """One deal in so many is recorded: its hands, from every seat and at every table, are in
    ``hands.jsonl``. 0 is none."""

    processes: int = Field(1, ge=1, le=1024)
    """Processes that play tasks; results do not depend on it."""

    output: Path | None = None
    """The folder for results; by default ``runs/tournaments/`` and the configuration's name."""

    @field_validator("agents")
    @classmethod
    def _number_alike(cls, agents: tuple[Entrant, ...]) -> tuple[Entrant, ...]:
        """Number processes and models whose specs differ in their settings or folders alone."""
        specs: dict[str, list[str]] = {}
        numbered = []
        for agent in agents:
            alike = specs.setdefault(agent.name, [])
            if alike and agent.spec not in alike and not agent.label and outside_spec(agent.spec):
                label = f"{agent.name} ({len(alike) + 1})"
                numbered.append(Entrant(spec=agent.spec, label=label))
            else:
                numbered.append(agent)
            alike.append(agent.spec)
        return tuple(numbered)

    @model_validator(mode="after")
    def _check_agents(self) -> Self:
        names = [agent.name for agent in self.agents]
        if len(names) < 2:
            raise SabaccError(f"agents: {len(names)} given; a tournament needs at least 2")
        for name in names:
            if names.count(name) > 1:
                raise SabaccError(f'agents: two have the label "{name}"; give each its own label')
        return self

    @model_validator(mode="after")
    def _check_variance_reduction(self) -> Self:
        if isinstance(self.variance_reduction, Path):
            try:
                load_value_function(self.variance_reduction, self.rule_set)
            except SabaccError as error:
                raise SabaccError(f"variance_reduction: {error}") from None
        return self

    @model_validator(mode="after")
    def _check_formats(self) -> Self:
        names = [format_.name for format_ in self.formats]
        if not names:
            raise SabaccError('formats: none given; name at least one, such as "pairs"')
        for name in names:
            if names.count(name) > 1:
                raise SabaccError(f"formats: {name} is given twice; give it once")
        _ = self.lineups
        return self

    @model_validator(mode="after")
    def _check_start(self) -> Self:  # in the place of that of two seats
        for format_ in self.formats:
            try:
                seats = check_num_players(self.rule_set, format_.num_players)
            except SabaccError as error:
                raise SabaccError(f"formats: {format_.name}: {error}") from None
            credits = None if self.credits is None else [self.credits] * seats
            Game(self.rule_set, seats, seed=0, credits=credits, sabacc_pot=self.sabacc_pot)
        return self

    @cached_property
    def lineups(self) -> dict[str, tuple[Lineup, ...]]:
        """The lineups of each format, by its name."""
        names = [agent.name for agent in self.agents]
        return {format_.name: format_.tables(names, self.seed) for format_ in self.formats}

    @property
    def all_lineups(self) -> tuple[Lineup, ...]:
        """The lineups of all formats, each once."""
        return tuple(dict.fromkeys(each for some in self.lineups.values() for each in some))

    @cached_property
    def entrants(self) -> dict[str, Entrant]:
        """The agents by name, as they are loaded: with the limit for decisions in their specs."""
        return {
            agent.name: Entrant(spec=self._limited(agent.spec), label=agent.name)
            for agent in self.agents
        }

    def _limited(self, spec: str) -> str:
        if self.timeout_s is None or outside_spec(spec) is None:
            return spec
        return with_timeout(spec, self.timeout_s)

    @property
    def value_function_file(self) -> Path | None:
        """The file of the control variates' value function; None where none is used."""
        if isinstance(self.variance_reduction, Path):
            return self.variance_reduction
        return shipped_file(self.rule_set) if self.variance_reduction else None

    @property
    def identity(self) -> str:
        """Everything but where it is played and by how many processes, as JSON text."""
        return dump(self.model_copy(update={"output": None, "processes": 1}))
