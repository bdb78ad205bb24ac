"""A card rule and a bet rule as one compiled player: for batches, and as a compiled policy."""

from __future__ import annotations

from functools import lru_cache
from typing import Any, Final, NamedTuple

from sabacc_agents.scripted.bet_rule import BetRule, RaiseLimits, bet_action
from sabacc_agents.scripted.betting import read_only
from sabacc_agents.scripted.card_rule import CardRule, card_action
from sabacc_env.engine.jit import jit
from sabacc_env.engine.layout import Array, Record
from sabacc_env.observation import COLUMNS
from sabacc_env.policies import Policy, policy

BETTING: Final = COLUMNS.phase.betting


class ScriptedRule(NamedTuple):
    """All that a rule-based agent plays by, but what the bet actions mean."""

    cards: CardRule
    bets: BetRule
    limits: RaiseLimits


@jit
def scripted_action(rule: ScriptedRule, sizes: Array, observation: Record, legal: int) -> int:
    """Return the legal action that the rule chooses, by the card rule or by the bet rule."""
    if observation.phase[BETTING] > 0:
        return bet_action(rule.bets, rule.limits, sizes, observation, legal)
    return card_action(rule.cards, observation, legal)


@jit
def choose_actions(
    rule: ScriptedRule, sizes: Array, rows: Array, legal: Array, chosen: Array
) -> None:
    """Write the action for each row."""
    for i in range(len(rows)):
        chosen[i] = scripted_action(rule, sizes, rows[i], legal[i])


@lru_cache
def scripted_policy(rule: ScriptedRule, fractions: tuple[float, ...]) -> Policy:
    """Return the policy that plays by the rule; the bet actions mean these ``bet_fractions``."""
    sizes = read_only(fractions)

    @policy
    def scripted(observation: Any, legal: int, _word: int) -> int:
        return scripted_action(rule, sizes, observation, legal)

    return scripted
