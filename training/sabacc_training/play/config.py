"""The configuration of a table to play at."""

from __future__ import annotations

import secrets
from typing import Annotated, Any, Final, Self

from pydantic import Field, model_validator
from sabacc_agents.loading import zoo_members

from sabacc_env.engine.layout import UNLIMITED
from sabacc_env.errors import SabaccError
from sabacc_env.rules import RuleSet
from sabacc_training.config.game import TableConfig

PERSON: Final = "person"
"""The name of a seat that a person takes."""


class PlayConfig(TableConfig):
    """Who sits at a table, and what is played."""

    seats: tuple[str, ...]
    """For each seat an agent, or "person"."""

    hands: Annotated[int, Field(ge=1, le=UNLIMITED)] = 20
    """Hands of a match. It ends before, when fewer than two seats can pay their antes."""

    seed: Annotated[int, Field(ge=0, lt=2**64)] = Field(
        default_factory=lambda: secrets.randbits(64)
    )
    """The seed of all hands and of the agents' random numbers."""

    guided: bool = False
    """Whether people read in each phase what it is about: for those who play their first hand."""

    @classmethod
    def expanded(cls, data: dict[str, Any]) -> dict[str, Any]:
        """Return the keys as they are checked: the seats say how many players there are."""
        expanded = super().expanded(data)
        seats = expanded.get("seats", ())
        return expanded | ({"num_players": len(seats)} if isinstance(seats, tuple | list) else {})

    @model_validator(mode="after")
    def _check_number_of_seats(self) -> Self:
        if len(self.seats) != self.num_players:
            raise SabaccError(f"seats: {len(self.seats)} given for {self.num_players} players")
        return self


def strongest_agent(rules: RuleSet, num_players: int) -> str:
    """Return the member of the zoo to play against: the one made for fewest games.

    Where no member plays these rules at so many seats it is the heuristic.
    """
    playing = zoo_members(rules, num_players)
    games = {spec: len(info.rules) * len(info.num_players) for spec, info in playing.items()}
    return min(games, key=games.__getitem__, default="heuristic")
