"""The ladder: house rule sets small enough to solve, each with its number of players."""

from __future__ import annotations

from pathlib import Path

from pydantic import Field
from sabacc_agents.loading import load

from sabacc_env.agent import Agent
from sabacc_env.errors import SabaccError
from sabacc_env.rules.limits import MOST_SEATS
from sabacc_env.rules.wording import listed, nearest
from sabacc_training.config import load_config, validated
from sabacc_training.game_config import GameConfig, rungs


class Rung(GameConfig):
    """A game to be solved: rules, bet sizes, and how many play."""

    num_players: int = Field(2, ge=2, le=MOST_SEATS)
    """Seats at the table; the last one is the dealer."""

    @property
    def name(self) -> str:
        """The name of its rule set."""
        return self.rule_set.name

    def load(self, spec: str) -> Agent:
        """Return an agent made for this game.

        Args:
            spec: as ``sabacc_agents.load`` takes it.

        Raises:
            SabaccError: as ``sabacc_agents.load``.
        """
        return load(spec, self.rule_set, self.num_players, self.bet_sizes)


def load_rung(name: str | Path) -> Rung:
    """Return a rung of the ladder by name, or any game from a file of the same keys.

    Raises:
        SabaccError: for a name that is none, or a file that cannot be read or says no game.
    """
    if isinstance(name, Path) or name.endswith((".toml", ".json")):
        return load_config(Rung, name)
    if name not in rungs():
        raise SabaccError(
            f"rung: {name!r} is not on the ladder, which has {listed(rungs())}; a path to a file "
            f"ends in .toml{nearest(name, rungs())}"
        )
    return validated(Rung, {"rules": name})
