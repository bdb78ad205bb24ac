"""The bet rule of rule-based agents, compiled: it serves batches and compiled policies."""

from __future__ import annotations

from typing import Final, NamedTuple, Self

import numpy as np

from sabacc_agents.scripted.card_rule import total_of
from sabacc_env.actions import CALL, CHECK, FIRST_BET, JUNK
from sabacc_env.engine.jit import jit
from sabacc_env.engine.layout import MAX_SEATS, Array, Record
from sabacc_env.engine.rules_record import starting_credits
from sabacc_env.observation import COLUMNS
from sabacc_env.rules import RuleSet

BETTING: Final = COLUMNS.betting
STAKES: Final = COLUMNS.own_stakes
ONE: Final = np.float32(1)


class BetRule(NamedTuple):
    """Chooses bets by the distance of the hand, its |total|."""

    bet_distance: int
    """The largest distance with which it bets where nobody has."""
    raise_distance: int
    """The largest distance with which it raises a bet."""
    call_distance: int
    """The largest distance with which it calls a small bet."""
    large_call_distance: int
    """The largest distance with which it calls a large bet."""
    large_call: np.float32
    """A bet is large if the call costs more than this fraction of the pot."""
    raise_size: float
    """The size of a bet or raise to aim for, in pots after the call; infinite for the largest."""
    raises_again: bool
    """Whether it bets or raises more than once in a phase."""


class RaiseLimits(NamedTuple):
    """What rules let seats bet and raise, in credits."""

    min_bet: int
    min_raise: int
    max_bet: np.float32
    max_raise: np.float32
    start: np.float32
    """The credits that seats start with. If they start unequal, it is their mean."""

    @classmethod
    def of(cls, rules: RuleSet) -> Self:
        """Return the limits under these rules."""
        max_bet, max_raise = (
            np.float32(limit or np.inf) for limit in (rules.max_bet, rules.max_raise)
        )
        start = np.float32(np.mean(starting_credits(rules, MAX_SEATS)))
        return cls(rules.min_bet, rules.min_raise, max_bet, max_raise, start)


@jit
def bet_action(
    rule: BetRule, limits: RaiseLimits, sizes: Array, observation: Record, legal: int
) -> int:
    """Return the action that raises, calls or junks by the distance of the total from zero."""
    distance = abs(total_of(observation))
    if wants_raise(rule, observation, distance) and legal >> FIRST_BET != 0:
        return raise_action(limits, sizes, observation, legal, rule.raise_size)
    return passive_action(legal, wants_call(rule, observation, distance))


@jit
def wants_raise(rule: BetRule, observation: Record, distance: int) -> bool:
    """Say whether to bet, or to raise."""
    if not rule.raises_again and observation.own_stakes[STAKES.phase_bets_per_pot] != 0:
        return False
    if faces_bet(observation):
        return distance <= rule.raise_distance
    return distance <= rule.bet_distance


@jit
def wants_call(rule: BetRule, observation: Record, distance: int) -> bool:
    """Say whether to call a bet."""
    if call_cost(observation) > rule.large_call * call_prize(observation):
        return distance <= rule.large_call_distance
    return distance <= rule.call_distance


@jit
def passive_action(legal: int, calls: bool) -> int:
    """Return what is played without a raise: where a check is legal, a check rather than junk.

    Where junk is not legal it calls in any case.
    """
    if legal >> CHECK & 1:
        return CHECK
    if legal >> CALL & 1 and (calls or legal >> JUNK & 1 == 0):
        return CALL
    return JUNK


# Raises.


@jit
def raise_action(
    limits: RaiseLimits, sizes: Array, observation: Record, legal: int, target: float
) -> int:
    """Return the legal raise nearest to a fraction of the pot after the call; there must be one.

    ``sizes`` are what the bet actions mean (``betting.bet_fractions``). Of equal totals only the
    first is legal, so legal raises have rising totals in the order of these numbers.
    """
    if target == np.inf:
        return largest_raise(sizes, legal)
    return nearest_raise(limits, sizes, observation, legal, target)


@jit
def largest_raise(sizes: Array, legal: int) -> int:
    """Return the legal raise to the highest total."""
    best = FIRST_BET
    largest = -np.inf
    for i in range(len(sizes)):
        if legal >> FIRST_BET + i & 1 and sizes[i] > largest:
            best, largest = FIRST_BET + i, sizes[i]
    return best


@jit
def nearest_raise(
    limits: RaiseLimits, sizes: Array, observation: Record, legal: int, target: float
) -> int:
    """Return the legal raise nearest to a size.

    The totals come from the rounded numbers of the observation. This matters only between two sizes
    that are about equally near.
    """
    cost = call_cost(observation)
    pot = ONE + cost
    unit = credit_per_pot(observation, limits.start)
    if faces_bet(observation):
        min_raise, max_raise = limits.min_raise, limits.max_raise
    else:
        min_raise, max_raise = limits.min_bet, limits.max_bet
    low = np.float64(min_raise) * np.float64(unit) / np.float64(pot)
    affordable = (observation.own_stakes[STAKES.credits_per_pot] - cost) / pot
    high = np.float64(min(affordable, max_raise * unit / pot))
    best = FIRST_BET
    least = np.inf
    for i in range(len(sizes)):
        if legal >> FIRST_BET + i & 1:
            size = high if sizes[i] == np.inf else min(max(sizes[i], low), max(low, high))
            distance = abs(size - target)
            if distance < least:
                best, least = FIRST_BET + i, distance
    return best


# Amounts in pots: the credits bet in this hand are 1.


@jit
def faces_bet(observation: Record) -> bool:
    """Say whether there is a bet to call."""
    return bool(observation.betting[BETTING.faces_bet] > 0)


@jit
def call_cost(observation: Record) -> np.float32:
    """Return the cost of a call. A short call costs the credits that are left."""
    to_call: np.float32 = observation.betting[BETTING.to_call_per_pot]
    return min(to_call, observation.own_stakes[STAKES.credits_per_pot])


@jit
def call_prize(observation: Record) -> np.float32:
    """Return what the pot pays besides the call. A short call cannot win all of it."""
    to_call: np.float32 = observation.betting[BETTING.to_call_per_pot]
    return ONE - (to_call - call_cost(observation))


@jit
def credit_per_pot(observation: Record, start: np.float32) -> np.float32:
    """Return one credit; the pot is observed in starting credits."""
    pot: np.float32 = observation.betting[BETTING.pot_per_start] * start
    return ONE / max(pot, ONE)
