"""What makes a batch of tables, checked."""

from __future__ import annotations

import secrets
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Self

from sabacc_env.actions import BetSize, action_names, encode_bet_sizes
from sabacc_env.arguments import (
    check_bool,
    check_int,
    check_max_tokens,
    check_num_players,
    check_sequence,
    one_per_table,
)
from sabacc_env.engine.layout import MAX_SEATS, UNLIMITED
from sabacc_env.errors import SabaccError, short_repr
from sabacc_env.rules import RuleSet, load_rules
from sabacc_env.rules.space import RuleSpace
from sabacc_env.rules.wording import did_you_mean

ARRAY_FORMS: Final = ("flat", "planes", "tokens")
"""The forms of observation that tables write."""

Rules = str | Path | RuleSet


@dataclass(frozen=True, slots=True)
class TableSettings:
    """The settings of a batch of tables, which make it together with where its hands start.

    Attributes:
        rules: the rule set of all tables, or one for each; or those that episodes draw from.
        num_tables: how many tables.
        num_players: the seats of all tables, or one number for each.
        draws_rules: whether each episode draws one of the rule sets.
        seed, hands, bet_sizes, packed, observation, max_tokens: as of ``Tables``.
    """

    rules: tuple[RuleSet, ...]
    num_tables: int
    num_players: tuple[int, ...]
    seed: int
    hands: int
    bet_sizes: tuple[BetSize, ...]
    packed: bool
    observation: str
    max_tokens: int
    draws_rules: bool

    @classmethod
    def check(
        cls,
        rules: Rules | Sequence[Rules] | RuleSpace,
        num_tables: int,
        num_players: int | Sequence[int],
        *,
        seed: int | None,
        hands: int,
        bet_sizes: Sequence[BetSize],
        packed: bool,
        observation: str = "flat",
        max_tokens: int | None = None,
        draws_rules: bool = False,
    ) -> Self:
        """Return the settings that a user gave; arguments as of ``Tables``.

        Raises:
            SabaccError: for a wrong one; names the argument.
        """
        seed = secrets.randbits(64) if seed is None else check_int("seed", seed, 0, 2**64 - 1)
        num_tables = check_int("num_tables", num_tables, 1, 2**31)
        hands = check_int("hands", hands, 1, UNLIMITED)
        encode_bet_sizes(bet_sizes)  # refuses what is not a bet size
        packed = check_bool("packed", packed)
        if not isinstance(observation, str) or observation not in ARRAY_FORMS:
            raise SabaccError(
                f"observation: {short_repr(observation)} is not an array form; use one of "
                f"{', '.join(ARRAY_FORMS)}{did_you_mean(observation, ARRAY_FORMS)}"
            )
        if packed and observation != "flat":
            raise SabaccError('packed: only the observation "flat" can be packed')
        players = one_per_table("num_players", num_players, num_tables)
        if isinstance(rules, RuleSpace):
            if len(set(players)) > 1:
                raise SabaccError("num_players: give one number for all tables with a rule space")
            seats = check_int("num_players", players[0], 2, MAX_SEATS)
            rules, draws_rules = rules.rule_sets(seats), True
        how_many = len(check_sequence("rules", rules)) if draws_rules else num_tables
        loaded = [load_rules(each) for each in one_per_table("rules", rules, how_many)]
        checked = [
            check_num_players(loaded[i % len(loaded)], players[i % len(players)])
            for i in range(max(len(loaded), len(players)))
        ]
        return cls(
            tuple(loaded),
            num_tables,
            tuple(checked),
            seed,
            hands,
            tuple(bet_sizes),
            packed,
            observation,
            check_max_tokens(max_tokens, max(checked)),
            draws_rules,
        )

    def illegal(self, action: int, seat: int) -> str:
        """Say that an action is not legal."""
        names = action_names(self.bet_sizes)
        name = names[action] if 0 <= action < len(names) else "no such action"
        return f"action {action} ({name}) is not legal for seat {seat} now"
