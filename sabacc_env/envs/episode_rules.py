"""The rules of an environment's episodes: the same for all, or drawn from a space."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from sabacc_env.arguments import check_int, check_num_players
from sabacc_env.engine.chance import drawn_rules
from sabacc_env.engine.layout import MAX_SEATS
from sabacc_env.game.game import Game
from sabacc_env.game.keys import split_key
from sabacc_env.rules import RuleSet, load_rules
from sabacc_env.rules.space import RuleSpace

AnyRules = str | Path | RuleSet | RuleSpace
"""A rule set by name, path, or as a ``RuleSet``; or a space that every episode draws one from."""


class EpisodeRules:
    """Says which rules an episode is played by; the same rules as at ``Tables`` with its key.

    Args:
        rules: as an environment takes them.
        num_players: seats at the table.

    Attributes:
        given: the rule set or the space.
        num_players: as given.
        first: the rule set of all episodes, or one of those that they draw from.
    """

    def __init__(self, rules: AnyRules, num_players: int) -> None:
        self.given = rules if isinstance(rules, RuleSpace) else load_rules(rules)
        if isinstance(self.given, RuleSpace):
            self.num_players = check_int("num_players", num_players, 2, MAX_SEATS)
            self.first = self.given.episode_rules(0, self.num_players)
        else:
            self.num_players = check_num_players(self.given, num_players)
            self.first = self.given

    @property
    def are_drawn(self) -> bool:
        """Whether each episode draws its rules."""
        return isinstance(self.given, RuleSpace)

    def of_key(self, key: int) -> RuleSet:
        """Return the rules of the episode whose first hand has this key."""
        if not isinstance(self.given, RuleSpace):
            return self.given
        number = drawn_rules(*split_key(key), self.given.num_rule_sets)
        return self.given.episode_rules(int(number), self.num_players)

    def of_game(self, game: Any) -> RuleSet:
        """Return the rules of a game if an episode can have them, and else others."""
        if isinstance(self.given, RuleSpace) and isinstance(game, Game):
            drawn = self.given.rule_sets(self.num_players)
            return next((rules for rules in drawn if rules == game.rules), self.first)
        return self.first
