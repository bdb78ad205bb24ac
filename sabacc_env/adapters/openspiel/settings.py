"""What decides a game of OpenSpiel: rules, players, bet sizes, chance; as parameters, and back.

OpenSpiel writes a game as text, ``sabacc(players=4,rules=orsl)``, and reads it again from that. So
rules of a user's own are written out in full as one parameter: as their canonical JSON, with the
characters escaped that would end the parameter.
"""

from __future__ import annotations

import math
import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from pathlib import Path
from typing import Any, Final
from urllib.parse import quote, unquote

from sabacc_env.actions import DEFAULT_BET_SIZES, BetSize, encode_bet_sizes, num_actions
from sabacc_env.arguments import check_num_players, default_max_tokens
from sabacc_env.engine.rules_record import starting_credits
from sabacc_env.errors import SabaccError, short_repr
from sabacc_env.game.turn_buffers import TurnBuffers
from sabacc_env.rules import RuleSet, load_rules, rule_sets

NAME: Final = "sabacc"

UNESCAPED: Final = '{}[]":'
"""What canonical JSON has besides letters and digits and OpenSpiel takes as it is."""

DICE_OUTCOMES: Final = 36
MAX_BITS: Final = 62
"""What the engine can be told of chance outcomes at once; see ``chance.force_chance``."""
BLIND_DRAWS: Final = 3
"""How many tied blind draws in a row are provided for."""


class _ThreadBuffers(threading.local):
    """Turn buffers for each thread, because compiled code runs without the GIL."""

    def __init__(self, rules: RuleSet, bet_sizes: Sequence[BetSize]) -> None:
        self.buffers = TurnBuffers(rules, encode_bet_sizes(bet_sizes))


@dataclass(frozen=True)
class GameSettings:
    """A game: rules, players and bet sizes. The last seat deals, so player 0 acts first."""

    rules: RuleSet
    num_players: int
    bet_sizes: tuple[BetSize, ...]

    @classmethod
    def of(
        cls, rules: str | Path | RuleSet, num_players: int, bet_sizes: Sequence[BetSize]
    ) -> GameSettings:
        """Check arguments and return what they say.

        Raises:
            SabaccError: for arguments that make no game; one sentence that names the argument.
        """
        rules = load_rules(rules)
        check_num_players(rules, num_players)
        encode_bet_sizes(bet_sizes)
        return cls(rules, num_players, tuple(bet_sizes))

    @classmethod
    def from_parameters(cls, parameters: Mapping[str, Any]) -> GameSettings:
        """Return what OpenSpiel's parameters say; raises as ``of``."""
        given = DEFAULT_PARAMETERS | dict(parameters)
        rules = given["rules"]
        if rules.startswith("{"):
            rules = RuleSet.from_canonical(unquote(rules))
        return cls.of(rules, given["players"], _sizes_of_text(given["bet_sizes"]))

    def parameters(self) -> dict[str, Any]:
        """Return OpenSpiel's parameters of this game, those left out that have their default."""
        every = {
            "rules": text_of_rules(self.rules),
            "players": self.num_players,
            "bet_sizes": _text_of_sizes(self.bet_sizes),
        }
        return {key: each for key, each in every.items() if each != DEFAULT_PARAMETERS[key]}

    def __reduce__(self) -> tuple[Any, ...]:
        return GameSettings.from_parameters, (self.parameters(),)

    @property
    def buffers(self) -> TurnBuffers:
        """The buffers of this thread, rewritten at every turn."""
        return self._thread_buffers.buffers

    @cached_property
    def _thread_buffers(self) -> _ThreadBuffers:
        return _ThreadBuffers(self.rules, self.bet_sizes)

    @property
    def num_actions(self) -> int:
        """The number of discrete actions."""
        return num_actions(self.bet_sizes)

    @property
    def max_tokens(self) -> int:
        """The length of token sequences; a longer hand keeps its latest tokens."""
        return default_max_tokens(self.num_players)

    @property
    def is_zero_sum(self) -> bool:
        """Whether no credits leave the table: they do into the Sabacc pot, where there is one."""
        return self.rules.sabacc_ante == 0

    @cached_property
    def utility_range(self) -> tuple[float, float]:
        """The least and the greatest return of a player, in antes."""
        losses = self._largest_losses()
        unit = self.rules.ante_unit
        return -max(losses) / unit, (sum(losses) - min(losses)) / unit

    def _largest_losses(self) -> list[int]:
        """Return the most that each seat can lose, in credits."""
        rules = self.rules
        if rules.points:
            return [rules.ante_unit] * self.num_players
        stacks = starting_credits(rules, self.num_players)
        if None in (rules.max_bet, rules.max_raise, rules.max_raises) and self.betting_phases:
            return stacks
        bets = (rules.max_bet or 0) + (rules.max_raises or 0) * (rules.max_raise or 0)
        fees = max(rules.fees.values(), default=0)
        most = rules.ante_unit + rules.junk_penalty + rules.rounds * fees
        most += self.betting_phases * bets
        return [min(stack, most) for stack in stacks]

    @property
    def betting_phases(self) -> int:
        """The most betting phases that a hand can have."""
        rules = self.rules
        return rules.opening_bet + rules.rounds * ("betting" in rules.phases)

    @cached_property
    def max_decisions(self) -> int:
        """A number of decisions that no hand exceeds."""
        rules = self.rules
        card_turns = 2 * rules.rounds  # an action, and what to do with the card drawn
        redraws = rules.rounds if "dice" in rules.phases else 0
        richest = max(starting_credits(rules, self.num_players), default=0)
        raises = richest // min(rules.min_bet, rules.min_raise) + 1
        if rules.max_raises is not None:
            raises = min(raises, self.betting_phases * (rules.max_raises + 1))
        turns = card_turns + redraws + self.betting_phases + (raises if self.betting_phases else 0)
        return self.num_players * turns

    @property
    def max_chance_outcomes(self) -> int:
        """The most outcomes of one card drawn or one roll."""
        rolls = "dice" in self.rules.phases
        return max(len(self.rules.deck), DICE_OUTCOMES if rolls else 0)

    @property
    def cards_can_be_chance_nodes(self) -> bool:
        """Whether the engine can be told all cards and rolls that may follow one action."""
        rules, seats = self.rules, self.num_players
        deal = seats * (rules.cards_dealt + rules.spike_card) + rules.turns_up_card
        redraws = "dice" in rules.phases and "redraw_all" in (rules.doubles, rules.double_spike)
        turn = 1 + (seats * rules.largest_hand if redraws else 0) + BLIND_DRAWS * seats
        rolls = math.log2(DICE_OUTCOMES) if "dice" in rules.phases else 0
        return max(deal, turn) * math.log2(len(rules.deck)) + rolls <= MAX_BITS


def text_of_rules(rules: RuleSet) -> str:
    """Return a published name, or the canonical JSON, escaped."""
    if rules.name in rule_sets() and rules == load_rules(rules.name):
        return rules.name
    return quote(rules.canonical(), safe=UNESCAPED)


def _text_of_sizes(bet_sizes: Sequence[BetSize]) -> str:
    """Return bet sizes as words; a single number as a fraction, for it must not look like one."""
    if len(bet_sizes) == 1 and not isinstance(bet_sizes[0], str):
        numerator, denominator = Fraction(bet_sizes[0]).as_integer_ratio()
        return f"{numerator}/{denominator}"
    return " ".join(map(str, bet_sizes))


def _sizes_of_text(text: str) -> list[BetSize]:
    """Read bet sizes as ``_text_of_sizes`` writes them."""
    return [word if word in ("min", "max") else _number(word) for word in text.split()]


def _number(word: str) -> BetSize:
    try:
        size = Fraction(word)
        return int(size) if size.denominator == 1 else float(word) if "." in word else size
    except (ValueError, ZeroDivisionError):
        raise SabaccError(
            f"bet_sizes: {short_repr(word)} is not a bet size; write them as words with spaces "
            'between, such as "min 0.5 1 max"'
        ) from None


DEFAULT_PARAMETERS: Final[dict[str, Any]] = {
    "rules": "casino",
    "players": 2,
    "bet_sizes": _text_of_sizes(DEFAULT_BET_SIZES),
}
"""OpenSpiel's parameters of every game of sabacc_env, and what they are when left out."""

PARAMETERS: Final = DEFAULT_PARAMETERS | {"chance": "auto", "rng_seed": -1}
"""Those of ``sabacc``."""
