"""Compiled policies of the rule-based agents that bet whatever they hold."""

from __future__ import annotations

from functools import lru_cache
from typing import Any, Final

import numpy as np

from sabacc_agents.scripted.card_rule import CardRule, card_action
from sabacc_env.actions import CALL, CHECK, JUNK
from sabacc_env.engine.jit import jit
from sabacc_env.observation import COLUMNS
from sabacc_env.policies import Policy, policy

BETTING: Final = COLUMNS.phase.betting


@lru_cache
def calling_policy(rule: CardRule) -> Policy:
    """Return the policy that follows a card rule, and checks or calls."""

    @policy
    def calling(observation: Any, legal: int, _word: int) -> int:
        if observation.phase[BETTING] > 0:
            return passive_bet(legal)
        return card_action(rule, observation, legal)

    return calling


@lru_cache
def raising_policy(rule: CardRule, from_largest: tuple[int, ...]) -> Policy:
    """Return the policy that follows a card rule, and makes the first legal raise of these."""
    raises = np.array(from_largest)

    @policy
    def raising(observation: Any, legal: int, _word: int) -> int:
        if not observation.phase[BETTING] > 0:
            return card_action(rule, observation, legal)
        for action in raises:
            if legal >> action & 1:
                return int(action)
        return passive_bet(legal)

    return raising


@jit
def passive_bet(legal: int) -> int:
    """Check or call; junk where neither is legal."""
    if legal >> CHECK & 1:
        return CHECK
    if legal >> CALL & 1:
        return CALL
    return JUNK
