"""The ladder: small house rule sets that can be solved, each with a number of players."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

from sabacc_env.actions import BetSize
from sabacc_env.errors import SabaccError
from sabacc_env.rules import RuleSet, load_rules
from sabacc_env.rules.wording import did_you_mean, quoted_choices
from sabacc_training.config.base import load_config, validated
from sabacc_training.config.game import TableConfig, rungs


class Rung(TableConfig):
    """A small game: rules, bet sizes and the number of players; the last seat is the dealer."""

    @property
    def name(self) -> str:
        """The name of its rule set."""
        return self.rule_set.name


def rung_of(rules: str | Path | RuleSet, num_players: int, bet_sizes: Sequence[BetSize]) -> Rung:
    """Return any rules as a rung: ``rules`` as ``load_rules`` takes them.

    Raises:
        SabaccError: for arguments that make no game; one sentence that names the argument.
    """
    every_field = json.loads(load_rules(rules).canonical())
    game = {"rules": "casino", "rule_overrides": every_field, "num_players": num_players}
    return validated(Rung, game | {"bet_sizes": list(bet_sizes)})


def load_rung(name: str | Path) -> Rung:
    """Return a rung of the ladder by name, or any game from a file of the same keys.

    Raises:
        SabaccError: for an unknown name, or a file that cannot be read or describes no game.
    """
    if isinstance(name, Path) or name.endswith((".toml", ".json")):
        return load_config(Rung, name)
    if name not in rungs():
        raise SabaccError(
            f"unknown rung {name!r}; use {quoted_choices(rungs())}, or a path to a file, which "
            f"ends in .toml{did_you_mean(name, rungs())}"
        )
    return validated(Rung, {"rules": name})
