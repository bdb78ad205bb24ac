"""A compiled stochastic policy of simple rules: the base of rollouts, their model, and an agent.

The nearer to zero a card action leaves the total, the higher its score and its probability. An
unseen card is taken to have any value with the same probability, and a hand of high rank is kept.
Bets depend on the strength of the hand, from 0 to 1, and on the pot odds.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from sabacc_agents.scripted.stochastic_agent import StochasticAgent
from sabacc_env.actions import DEFAULT_BET_SIZES, BetSize
from sabacc_env.array_types import Floats
from sabacc_env.engine.bit_sets import lowest
from sabacc_env.engine.drivers.policy_code import function_pointer
from sabacc_env.engine.jit import jit, jit_for
from sabacc_env.engine.layout import (
    BUY_DISCARD,
    CALL,
    CHECK,
    DISCARD_DRAW,
    DISCARD_DRAWN,
    DRAW,
    FIRST_BET_ACTION,
    FIRST_CARD_ACTION,
    JUNK,
    KEEP,
    MAX_ACTIONS,
    MAX_HAND,
    RANKINGS,
    REPLACE,
    REPLACE_SPIKE,
    STAND,
    SWAP,
    Array,
    Record,
)
from sabacc_env.engine.observation.blocks import COLUMNS, OBSERVATION_DTYPE
from sabacc_env.engine.observation.encoding import card_value
from sabacc_env.engine.rules_record import rule_features
from sabacc_env.engine.search.rollouts import (
    STOCHASTIC_POLICY_SIGNATURE,
    write_probabilities,
)
from sabacc_env.hand_ranks import HAND_NAMES
from sabacc_env.rules import RuleSet

SLOT: Final = COLUMNS.own_slots
TOTAL: Final = COLUMNS.own_total
RANK: Final = COLUMNS.own_rank
STAKES: Final = COLUMNS.own_stakes
TABLE: Final = COLUMNS.table
PHASE: Final = COLUMNS.phase
BETTING: Final = COLUMNS.betting

DRAW_OPTIMISM: Final = 3.5
"""By how much an unseen card is expected to leave the hand nearer to zero than on average."""
ZERO_BONUS: Final = 1.5
"""The score of a total of zero. The best rank adds as much again."""
SHARPNESS: Final = 2.5
"""How fast the probability of a card action falls with its score."""
FEE_WEIGHT: Final = 0.5
"""By how much a fee of one ante lowers a score."""

STRENGTH_BY_DISTANCE: Final = np.array(
    [0.8, 0.6, 0.37, 0.27, 0.22, 0.19, 0.17, 0.14, 0.12, 0.1, 0.08, 0.06, 0.05, 0.03]
)
"""About how likely a hand beats another at the end, by the distance of its total from zero."""
UNNAMED_ZERO_RANKS: Final = np.array(
    [(30 - [name for name, _ in HAND_NAMES[ranking]].index("Sabacc")) / 31 for ranking in RANKINGS]
)
"""The observed rank of a zero hand without a name, under each ranking."""
BET_THRESHOLD: Final = 0.5
"""The win probability above which a bet is more likely than a check."""
RAISE_THRESHOLD: Final = 0.75
"""The win probability above which raising a bet is more likely than not."""
CAUTION: Final = 0.45
"""The fraction of hands, the weakest, that a seat which made a large bet is assumed not to hold."""
REPEATED_RAISE_FACTOR: Final = 0.1
"""What the probability of a raise is multiplied by after a bet in the same phase."""
OVERBET_WEIGHT: Final = 0.1
"""The weight of the largest bet size. The others weigh 1, 4, 9 and so on, in rising order."""

_RULE_FEATURES: Final = list(rule_features(RuleSet()))
SECOND_CHOICE_FEATURES: Final = np.array(
    [
        _RULE_FEATURES.index(name)
        for name in (
            "may look, then discard",
            "may replace",
            "may replace_spike",
            "may discard_drawn",
        )
    ]
)
"""Rule features that say whether a drawn card may be left out of the hand."""
ROUNDS: Final = _RULE_FEATURES.index("rounds / 8")
YARITH_BESPIN: Final = _RULE_FEATURES.index("ranking is alta_yarith_bespin")
DRAW_FEE, BUY_DISCARD_FEE, DISCARD_DRAW_FEE, SWAP_FEE = (
    _RULE_FEATURES.index(f"fee of {kind} / ante, at most 8")
    for kind in ("draw", "buy_discard", "discard_draw", "swap")
)


@jit
def total_score(total: int) -> float:
    """Return the score of a total."""
    return ZERO_BONUS if total == 0 else -float(abs(total))


@jit
def expected_draw_score(total: int) -> float:
    """Return the expected score of a total after one more card."""
    return DRAW_OPTIMISM - (total * total + 110) / 20


@jit
def fee_cost(observation: Record, feature: int) -> float:
    """Return by how much a fee lowers a score. It is never zero, so that standing wins a tie."""
    return FEE_WEIGHT * float(observation.rules[feature]) + 0.25


@jit
def card_score(observation: Record, action: int) -> float:
    """Return the score of a card action: about minus the distance from zero that it leaves."""
    total = round(observation.own_total[TOTAL.total] * 10)
    drawn = card_value(observation.drawn[0])
    top = card_value(observation.discard_top[0])
    if action in (STAND, DISCARD_DRAWN):
        rank_bonus = ZERO_BONUS * float(observation.own_rank[RANK.place]) if total == 0 else 0.0
        return total_score(total) + rank_bonus
    if action == KEEP:
        return total_score(total + drawn)
    if action == REPLACE_SPIKE:
        return total_score(total - card_value(observation.own_spike[0]) + drawn)
    if action == BUY_DISCARD:
        return total_score(total + top) - fee_cost(observation, BUY_DISCARD_FEE)
    if action == DRAW:
        score = expected_draw_score(total)
        for feature in SECOND_CHOICE_FEATURES:  # a bad card can then be left out of the hand
            if observation.rules[feature] > 0:
                score = max(score, 1.0 - abs(total))
        return score - fee_cost(observation, DRAW_FEE)
    kind = FIRST_CARD_ACTION + (action - FIRST_CARD_ACTION) // MAX_HAND
    slot = (action - FIRST_CARD_ACTION) % MAX_HAND
    without = total - card_value(observation.own_slots[len(SLOT) * slot + SLOT.card])
    if kind == SWAP:
        return total_score(without + top) - fee_cost(observation, SWAP_FEE)
    if kind == REPLACE:
        return total_score(without + drawn)
    score = expected_draw_score(without)
    return score - (fee_cost(observation, DISCARD_DRAW_FEE) if kind == DISCARD_DRAW else 0)


@jit
def estimated_win_probability(observation: Record) -> float:
    """Return about how likely the hand beats one other at the end."""
    total = round(observation.own_total[TOTAL.total] * 10)
    unnamed_zero_rank = 0.0
    for ranking in range(len(UNNAMED_ZERO_RANKS)):
        unnamed_zero_rank += observation.rules[ranking] * UNNAMED_ZERO_RANKS[ranking]
    rank_above_zero = float(observation.own_rank[RANK.place]) - unnamed_zero_rank
    if total == 0 or rank_above_zero > 0:  # an Idiots' Array ranks high with another total
        strength = min(1.0, 0.8 + 3.2 * rank_above_zero)
    elif observation.rules[YARITH_BESPIN] > 0:  # of three cards few hands have a total of zero
        strength = max(0.05, 0.9 - 0.055 * abs(total))
    else:
        strength = float(STRENGTH_BY_DISTANCE[min(abs(total), len(STRENGTH_BY_DISTANCE) - 1)])
    rounds_left = round(8 * observation.rules[ROUNDS])
    for number in range(5):
        rounds_left -= number if observation.round_no[number] > 0 else 0
    if rounds_left > 0:  # this hand and the others will still change
        weight = 0.6 if rounds_left == 1 else 0.44
        strength = weight * strength + (1 - weight) * 0.65
    return strength


@jit
def sigmoid(x: float) -> float:
    """Return an increasing function of x with values between 0 and 1."""
    return 0.5 + 0.5 * x / math.sqrt(1 + x * x)


@jit
def call_probability(observation: Record, strength: float, wins: float) -> float:
    """Return the probability of calling a bet, by the cost of the call and what the pot pays."""
    to_call = observation.betting[BETTING.to_call_per_pot]
    cost = min(to_call, observation.own_stakes[STAKES.credits_per_pot])
    prize = max(1 - (to_call - cost), 1e-6)
    caution = min(CAUTION, cost / prize)  # the bettor holds one of the better hands
    wins_after_bet = wins * max(strength - caution, 0.0) / (1 - caution) / strength
    sabacc_pot = observation.betting[BETTING.sabacc_pot_per_pot]
    pays = prize + cost + sabacc_pot * observation.own_total[TOTAL.is_zero]
    return sigmoid(20 * (wins_after_bet * pays - cost) / (prize + cost))


@jit
def write_bet_probabilities(observation: Record, legal: int, probabilities: Array) -> None:
    """Write the probabilities of the betting actions."""
    strength = estimated_win_probability(observation)
    wins = strength ** (round(observation.table[TABLE.remaining] * 8) - 1)
    facing = observation.betting[BETTING.faces_bet] > 0
    raises = legal >> FIRST_BET_ACTION
    raise_prob = 0.0
    if raises != 0:
        raise_prob = sigmoid(15 * (wins - (RAISE_THRESHOLD if facing else BET_THRESHOLD)))
        if observation.own_stakes[STAKES.phase_bets_per_pot] > 0:
            raise_prob *= REPEATED_RAISE_FACTOR
    call_prob = 1.0
    if facing and legal >> JUNK & 1:
        call_prob = call_probability(observation, strength, wins)
    probabilities[CHECK] = 1 - raise_prob
    probabilities[CALL] = (1 - raise_prob) * call_prob
    probabilities[JUNK] = 0.0 if legal >> CHECK & 1 else (1 - raise_prob) * (1 - call_prob)
    total = 0.0
    while raises != 0:
        action = FIRST_BET_ACTION + lowest(raises)
        raises &= raises - 1
        # The sizes usually rise up to the pot, and the last is all-in.
        size = action - FIRST_BET_ACTION + 1.0
        probabilities[action] = OVERBET_WEIGHT if raises == 0 and total > 0 else size * size
        total += probabilities[action]
    raises = legal >> FIRST_BET_ACTION << FIRST_BET_ACTION
    while raises != 0:
        probabilities[lowest(raises)] *= raise_prob / total
        raises &= raises - 1


@jit_for(STOCHASTIC_POLICY_SIGNATURE)
def heuristic(observation: Record, legal: int, probabilities: Array) -> None:
    """Write the probability of each legal action (see the module)."""
    if observation.phase[PHASE.betting] > 0:
        write_bet_probabilities(observation, legal, probabilities)
        return
    best = -1000.0
    rest = legal & ~(1 << JUNK)
    while rest != 0:
        action = lowest(rest)
        rest &= rest - 1
        probabilities[action] = card_score(observation, action)
        best = max(best, probabilities[action])
    rest = legal & ~(1 << JUNK)
    while rest != 0:
        action = lowest(rest)
        rest &= rest - 1
        probabilities[action] = 1 / (1 + SHARPNESS * (best - probabilities[action])) ** 4
    probabilities[JUNK] = 0.0


@jit_for(STOCHASTIC_POLICY_SIGNATURE)
def uniform_random(_observation: Record, legal: int, probabilities: Array) -> None:
    """Write the same probability for each legal action."""
    while legal != 0:
        probabilities[lowest(legal)] = 1.0
        legal &= legal - 1


class Heuristic(StochasticAgent):
    """Plays cards towards zero and named hands, and bets by strength and pot odds, with some noise.

    It knows the ranks of hands. It ignores the cards seen and all about opponents but their number.
    """

    def __init__(
        self,
        rules: RuleSet,
        num_players: int,
        bet_sizes: Sequence[BetSize] = DEFAULT_BET_SIZES,
    ) -> None:
        pass

    def probabilities(
        self, observations: Floats, action_masks: NDArray[np.int8]
    ) -> NDArray[np.float64]:
        """Return the distributions that it draws from, (n, num_actions)."""
        rows: NDArray[Any] = np.array(observations, np.float32, order="C").view(OBSERVATION_DTYPE)
        actions = action_masks.shape[1]
        legal = action_masks.astype(np.int64) @ (1 << np.arange(actions))
        probabilities = np.zeros((len(legal), MAX_ACTIONS))
        write_probabilities(
            function_pointer(heuristic, STOCHASTIC_POLICY_SIGNATURE),
            rows.reshape(-1),
            legal,
            probabilities,
        )
        return probabilities[:, :actions]
