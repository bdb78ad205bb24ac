"""Formats of tournaments: which agents sit at a table together."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from typing import Any, Final, Literal, Self

import numpy as np
from pydantic import Field, model_validator

from sabacc_env.errors import SabaccError
from sabacc_env.rules.limits import MAX_SEATS
from sabacc_training.config.base import Config

Lineup = tuple[str, ...]
"""The names of the agents at a table, one for each place. Rotation r seats place p at
(p + r) % places."""

MOST_LINEUPS: Final = 1000
"""More tables of different agents than these are not played unless their number is stated."""

ATTEMPTS: Final = 100
"""How often a new combination of the least used agents is looked for."""


class Format(Config):
    """A format of tables. In a file it is a table, or only its name: "pairs", "copies-4"."""

    kind: Literal["pairs", "copies", "mixed"]
    """``pairs``: every two agents, at two seats; ``copies``: one agent against copies of another,
    every ordered pair; ``mixed``: tables of different agents."""

    num_players: int = Field(2, ge=2, le=MAX_SEATS)
    """Seats at a table."""

    lineups: int | None = Field(None, ge=1, le=10**6)
    """How many tables of different agents are drawn, so that each agent sits at equally many, as
    near as can be; by default all."""

    @model_validator(mode="before")
    @classmethod
    def _from_text(cls, data: Any) -> Any:
        if not isinstance(data, str):
            return data
        kind, _, seats = data.partition("-")
        if kind in ("copies", "mixed") and not (seats.isascii() and seats.isdecimal()):
            raise SabaccError(f'"{data}" does not say how many seats; write "{kind}-4" for four')
        return {"kind": kind, "num_players": int(seats)} if seats.isdecimal() else {"kind": data}

    @model_validator(mode="after")
    def _check(self) -> Self:
        if self.kind == "pairs" and self.num_players != 2:
            raise SabaccError(
                f"pairs are played at 2 seats, not {self.num_players}; use copies or mixed"
            )
        if self.kind != "mixed" and self.lineups is not None:
            raise SabaccError(f"lineups: {self.kind} plays all its tables; only mixed draws some")
        return self

    @property
    def name(self) -> str:
        """Its name in results: "pairs", "copies-4"."""
        return self.kind if self.kind == "pairs" else f"{self.kind}-{self.num_players}"

    def tables(self, agents: Sequence[str], seed: int) -> tuple[Lineup, ...]:
        """Return the lineups of these agents.

        Args:
            agents: their names.
            seed: draws the tables where not all are played.

        Raises:
            SabaccError: for fewer agents than a table needs, or more tables than are played
                without saying how many.

        >>> Format(kind="copies", num_players=3).tables(["a", "b"], 0)
        (('a', 'b', 'b'), ('b', 'a', 'a'))
        """
        if self.kind == "pairs":
            return tuple(itertools.combinations(agents, 2))
        if self.kind == "copies":
            return tuple(
                (hero, *[other] * (self.num_players - 1))
                for hero, other in itertools.permutations(agents, 2)
            )
        combinations = math.comb(len(agents), self.num_players)
        if not combinations:
            raise SabaccError(
                f"formats: {self.name} needs at least {self.num_players} agents, not {len(agents)}"
            )
        if self.lineups is None and combinations > MOST_LINEUPS:
            raise SabaccError(
                f"formats: {self.name} of {len(agents)} agents has {combinations:,} tables; say "
                f'how many to draw: {{ kind = "mixed", num_players = {self.num_players}, '
                "lineups = 100 }"
            )
        if self.lineups is None or self.lineups >= combinations:
            return tuple(itertools.combinations(agents, self.num_players))
        return _drawn(agents, self.num_players, self.lineups, np.random.default_rng(seed))


def _drawn(
    agents: Sequence[str], places: int, count: int, rng: np.random.Generator
) -> tuple[Lineup, ...]:
    """Return so many different combinations, of the agents that were used least so far."""
    used = np.zeros(len(agents), dtype=np.int64)
    drawn: dict[frozenset[int], Lineup] = {}
    while len(drawn) < count:
        for attempt in itertools.count():
            order = rng.permutation(len(agents))
            if attempt < ATTEMPTS:  # then any combination will do
                order = order[np.argsort(used[order], kind="stable")]
            chosen = rng.permutation(order[:places])
            if (key := frozenset(chosen.tolist())) not in drawn:
                break
        used[chosen] += 1
        drawn[key] = tuple(agents[index] for index in chosen)
    return tuple(drawn.values())
