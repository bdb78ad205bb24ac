"""Converts a ``RuleSet`` to the record that compiled code reads, and to observed features."""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from typing import Any, get_args

import numpy as np
from numpy.typing import NDArray

from sabacc_env.engine.layout import (
    DOUBLES,
    JUNK_WHEN,
    KINDS,
    MAX_SEATS,
    PHASES,
    RANKINGS,
    RULES_DTYPE,
    UNLIMITED,
    kind_bits,
)
from sabacc_env.rules import RuleSet
from sabacc_env.rules.choices import SECOND_CHOICES, CardAction


def _action_bits(kinds: Iterable[str]) -> int:
    return sum(kind_bits(KINDS.index(kind)) for kind in kinds)


@lru_cache(maxsize=4096)  # more than the rule sets that tables draw from by default
def rules_record(rules: RuleSet) -> NDArray[Any]:
    """Return rules as an array of one record of ``RULES_DTYPE``. It is shared: do not change it."""
    array = np.zeros(1, RULES_DTYPE)
    record = array[0]
    record.deck[:] = -1
    record.deck[: len(rules.deck)] = sorted(rules.deck)
    record.deck_size = len(rules.deck)
    record.rounds = rules.rounds
    record.cards_dealt = rules.cards_dealt
    record.hand_ante = rules.hand_ante
    record.sabacc_ante = rules.sabacc_ante
    record.per_start[:] = [1 / max(credits, 1) for credits in starting_credits(rules, MAX_SEATS)]
    record.points = rules.points
    record.num_phases = len(rules.phases)
    for index, phase in enumerate(rules.phases):
        record.phases[index] = PHASES.index(phase)
    record.opening_bet = rules.opening_bet
    second: list[str] = [kind for kind in rules.card_actions if kind in SECOND_CHOICES]
    first: list[str] = [kind for kind in rules.card_actions if kind not in SECOND_CHOICES]
    if rules.junk_when == "cards":
        first.append("junk")
    if rules.look_then_discard:
        second = ["keep", "discard_drawn"]
    record.first_choices = _action_bits(first)
    record.second_choices = _action_bits(second)
    for kind, fee in rules.fees.items():
        record.fees[KINDS.index(kind)] = fee
    record.highest_fee = max(rules.fees.values(), default=0)
    record.doubles = DOUBLES.index(rules.doubles)
    record.double_spike = DOUBLES.index(rules.double_spike)
    record.junk_when = JUNK_WHEN.index(rules.junk_when)
    record.junk_penalty = rules.junk_penalty
    record.junk_face_up = rules.junk_face_up
    record.all_in = rules.short_call == "all_in"
    record.min_bet = rules.min_bet
    record.max_bet = UNLIMITED if rules.max_bet is None else rules.max_bet
    record.min_raise = rules.min_raise
    record.max_raise = UNLIMITED if rules.max_raise is None else rules.max_raise
    record.bet_step = rules.bet_step
    record.max_raises = UNLIMITED if rules.max_raises is None else rules.max_raises
    record.spike_card = rules.spike_card
    record.turns_up = rules.turns_up_card
    record.ranking = RANKINGS.index(rules.ranking)
    features = list(rule_features(rules).values())
    record.features[:] = np.array(features, dtype=np.float64)
    return array


def starting_credits(rules: RuleSet, num_players: int) -> list[int]:
    """Return the credits that each seat starts a match with; zeros in a points game."""
    credits = rules.starting_credits
    if isinstance(credits, tuple):
        return [*credits, *[credits[-1]] * num_players][:num_players]
    return [credits or 0] * num_players


def rule_features(rules: RuleSet) -> dict[str, float]:
    """Return the features of the observation's block ``rules``, by meaning."""
    ante = rules.hand_ante
    actions = rules.card_actions
    return {
        **{f"ranking is {name}": rules.ranking == name for name in RANKINGS},
        **{f"may {kind}": kind in actions for kind in get_args(CardAction) if kind != "stand"},
        "may look, then discard": rules.look_then_discard,
        **{
            f"fee of {kind} / ante, at most 8": min(8, rules.fees.get(kind, 0) / ante)
            for kind in ("draw", "buy_discard", "discard_draw", "swap")
        },
        "doubles redraw one": rules.doubles == "redraw_one",
        "doubles redraw all": rules.doubles == "redraw_all",
        "a double Spike redraws one": rules.double_spike == "redraw_one",
        "a double Spike redraws all": rules.double_spike == "redraw_all",
        "junk at any betting turn": rules.junk_when == "betting",
        "junk in the card phase": rules.junk_when == "cards",
        "junk penalty / ante, at most 8": min(8, rules.junk_penalty / ante),
        "junked cards are face up": rules.junk_face_up,
        "a short call is all-in": rules.short_call == "all_in",
        "points instead of credits": rules.points,
        **{
            f"place of {phase} in a round / 3": (rules.phases.index(phase) + 1) / 3
            if phase in rules.phases
            else 0.0
            for phase in ("cards", "dice", "betting")
        },
        "opening bet": rules.opening_bet,
        "Spike Card": rules.spike_card,
        "rounds / 8": rules.rounds / 8,
        "cards dealt / 5": rules.cards_dealt / 5,
        "cards in the deck / 62": len(rules.deck) / 62,
        "Sabacc ante / ante, at most 8": min(8, rules.sabacc_ante / ante),
        "bet step / ante, at most 8": min(8, rules.bet_step / ante),
        "ante / largest bet, at most 8, 0 if unlimited": _inverse(ante, rules.max_bet),
        "ante / largest raise, at most 8, 0 if unlimited": _inverse(ante, rules.max_raise),
        "1 / (1 + most raises), 0 if unlimited": _inverse(
            1, None if rules.max_raises is None else 1 + rules.max_raises
        ),
    }


def _inverse(ante: int, limit: int | None) -> float:
    return 0.0 if limit is None else min(8, ante / limit)
