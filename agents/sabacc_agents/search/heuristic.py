"""A compiled heuristic with chances: the base policy of rollouts, the model of opponents, an agent.

Cards: each action is scored by how near to zero it leaves the total, a card to come taken as any
value with the same chance; a hand that ranks well is kept. Bets: by a strength from 0 to 1, of the
total and the rank, against the odds of the pot. Nothing is certain: chances fall with the score.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from sabacc_agents.array_types import Floats, Ints
from sabacc_env.actions import DEFAULT_BET_SIZES, BetSize
from sabacc_env.agent import sample
from sabacc_env.engine.drivers.policy_loop import function_pointer
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
from sabacc_env.engine.piles import lowest
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
CREDITS: Final = COLUMNS.own_stakes
TABLE: Final = COLUMNS.table
PHASE: Final = COLUMNS.phase
BETTING: Final = COLUMNS.betting

CHASE: Final = 3.5
"""How much nearer to zero than on average a card not yet seen is hoped to bring the hand."""
ZERO: Final = 1.5
"""What a total of zero is worth, in points of distance, and as much again the best of ranks."""
SHARPNESS: Final = 2.5
"""How fast the chance of a card action falls with each point that it is worse."""
FEE: Final = 0.5
"""What a fee of an ante costs, in points."""

FAR: Final = np.array(
    [0.8, 0.6, 0.37, 0.27, 0.22, 0.19, 0.17, 0.14, 0.12, 0.1, 0.08, 0.06, 0.05, 0.03]
)
"""About how likely a hand with such a distance from zero beats another at the end."""
LOWEST_ZERO: Final = np.array(
    [(30 - [name for name, _ in HAND_NAMES[ranking]].index("Sabacc")) / 31 for ranking in RANKINGS]
)
"""The observed rank of a zero hand without a name."""
BET_FROM: Final = 0.5
RAISE_FROM: Final = 0.75
"""Chances to win from which it rather bets, or raises a bet, than not."""
CAUTION: Final = 0.45
"""Who bets the pot is taken to hold none of this share of hands, the weakest; half the pot, ..."""
AGAIN: Final = 0.1
"""How much less likely it is to raise once more in a phase."""
OVERBET: Final = 0.1
"""The weight of the largest size; that of the first is 1, of the second 4, of the third 9."""

_RULES: Final = list(rule_features(RuleSet()))
LOOKS: Final = np.array(
    [
        _RULES.index(name)
        for name in (
            "may look, then discard",
            "may replace",
            "may replace_spike",
            "may discard_drawn",
        )
    ]
)
"""Rules under which a drawn card need not be added to the hand, by their place in the row."""
ROUNDS: Final = _RULES.index("rounds / 8")
YARITH_BESPIN: Final = _RULES.index("ranking is alta_yarith_bespin")
DRAW_FEE, BUY_FEE, TRADE_FEE, SWAP_FEE = (
    _RULES.index(f"fee of {kind} / ante, at most 8")
    for kind in ("draw", "buy_discard", "discard_draw", "swap")
)


@jit
def left_at(total: int) -> float:
    """Return the score of a total."""
    return ZERO if total == 0 else -float(abs(total))


@jit
def left_to_chance(total: int) -> float:
    """Return the score of a total that a card not yet seen is added to."""
    return CHASE - (total * total + 110) / 20


@jit
def fee_of(observation: Record, place: int) -> float:
    """Return what a fee costs in points, a little even where there is none: standing wins a tie."""
    return FEE * float(observation.rules[place]) + 0.25


@jit
def card_score(observation: Record, action: int) -> float:
    """Return how good a card action is, in points of distance from zero."""
    total = round(observation.own_total[TOTAL.total] * 10)
    drawn = card_value(observation.drawn[0])
    top = card_value(observation.discard_top[0])
    if action in (STAND, DISCARD_DRAWN):
        named = ZERO * float(observation.own_rank[RANK.place]) if total == 0 else 0.0
        return left_at(total) + named
    if action == KEEP:
        return left_at(total + drawn)
    if action == REPLACE_SPIKE:
        return left_at(total - card_value(observation.own_spike[0]) + drawn)
    if action == BUY_DISCARD:
        return left_at(total + top) - fee_of(observation, BUY_FEE)
    if action == DRAW:
        score = left_to_chance(total)
        for place in LOOKS:  # then a bad card need not be taken into the hand
            if observation.rules[place] > 0:
                score = max(score, 1.0 - abs(total))
        return score - fee_of(observation, DRAW_FEE)
    kind = FIRST_CARD_ACTION + (action - FIRST_CARD_ACTION) // MAX_HAND
    slot = (action - FIRST_CARD_ACTION) % MAX_HAND
    without = total - card_value(observation.own_slots[len(SLOT) * slot + SLOT.card])
    if kind == SWAP:
        return left_at(without + top) - fee_of(observation, SWAP_FEE)
    if kind == REPLACE:
        return left_at(without + drawn)
    return left_to_chance(without) - (fee_of(observation, TRADE_FEE) if kind == DISCARD_DRAW else 0)


@jit
def strength_of(observation: Record) -> float:
    """Return about how likely the hand beats one other at the end."""
    total = round(observation.own_total[TOTAL.total] * 10)
    lowest_zero = 0.0
    for ranking in range(len(LOWEST_ZERO)):
        lowest_zero += observation.rules[ranking] * LOWEST_ZERO[ranking]
    better = float(observation.own_rank[RANK.place]) - lowest_zero
    if total == 0 or better > 0:  # an Idiots' Array ranks high without being of total zero
        strength = min(1.0, 0.8 + 3.2 * better)
    elif observation.rules[YARITH_BESPIN] > 0:  # three cards only: few hands come to zero
        strength = max(0.05, 0.9 - 0.055 * abs(total))
    else:
        strength = float(FAR[min(abs(total), len(FAR) - 1)])
    rounds_left = round(8 * observation.rules[ROUNDS])
    for number in range(5):
        rounds_left -= number if observation.round_no[number] > 0 else 0
    if rounds_left > 0:  # other cards are to come, and other hands
        kept = 0.6 if rounds_left == 1 else 0.44
        strength = kept * strength + (1 - kept) * 0.65
    return strength


@jit
def squashed(x: float) -> float:
    """Return a number between 0 and 1 that grows with x."""
    return 0.5 + 0.5 * x / math.sqrt(1 + x * x)


@jit
def calling_chance(observation: Record, strength: float, wins: float) -> float:
    """Return how likely a bet is called, by what a call costs and what the pot pays."""
    to_call = observation.betting[BETTING.to_call_per_pot]
    cost = min(to_call, observation.own_stakes[CREDITS.credits_per_pot])
    prize = max(1 - (to_call - cost), 1e-6)
    caution = min(CAUTION, cost / prize)  # who bets holds one of the better hands
    against = wins * max(strength - caution, 0.0) / (1 - caution) / strength
    sabacc_pot = observation.betting[BETTING.sabacc_pot_per_pot]
    pays = prize + cost + sabacc_pot * observation.own_total[TOTAL.is_zero]
    return squashed(20 * (against * pays - cost) / (prize + cost))


@jit
def put_bets(observation: Record, legal: int, chances: Array) -> None:
    """Write the chances of betting actions."""
    strength = strength_of(observation)
    wins = strength ** (round(observation.table[TABLE.remaining] * 8) - 1)
    facing = observation.betting[BETTING.faces_bet] > 0
    raises = legal >> FIRST_BET_ACTION
    raising = 0.0
    if raises != 0:
        raising = squashed(15 * (wins - (RAISE_FROM if facing else BET_FROM)))
        if observation.own_stakes[CREDITS.phase_bets_per_pot] > 0:  # once is enough, as a rule
            raising *= AGAIN
    calling = 1.0
    if facing and legal >> JUNK & 1:
        calling = calling_chance(observation, strength, wins)
    chances[CHECK] = 1 - raising
    chances[CALL] = (1 - raising) * calling
    chances[JUNK] = 0.0 if legal >> CHECK & 1 else (1 - raising) * (1 - calling)
    total = 0.0
    while raises != 0:
        action = FIRST_BET_ACTION + lowest(raises)
        raises &= raises - 1
        # Sizes as a rule rise up to the pot; the last one is everything.
        size = action - FIRST_BET_ACTION + 1.0
        chances[action] = OVERBET if raises == 0 and total > 0 else size * size
        total += chances[action]
    raises = legal >> FIRST_BET_ACTION << FIRST_BET_ACTION
    while raises != 0:
        chances[lowest(raises)] *= raising / total
        raises &= raises - 1


@jit_for(STOCHASTIC_POLICY_SIGNATURE)
def heuristic(observation: Record, legal: int, chances: Array) -> None:
    """Write how likely the heuristic plays each legal action; see the module."""
    if observation.phase[PHASE.betting] > 0:
        put_bets(observation, legal, chances)
        return
    best = -1000.0
    rest = legal & ~(1 << JUNK)
    while rest != 0:
        action = lowest(rest)
        rest &= rest - 1
        chances[action] = card_score(observation, action)
        best = max(best, chances[action])
    rest = legal & ~(1 << JUNK)
    while rest != 0:
        action = lowest(rest)
        rest &= rest - 1
        chances[action] = 1 / (1 + SHARPNESS * (best - chances[action])) ** 4
    chances[JUNK] = 0.0


@jit_for(STOCHASTIC_POLICY_SIGNATURE)
def even(_observation: Record, legal: int, chances: Array) -> None:
    """Give every legal action the same chance."""
    while legal != 0:
        chances[lowest(legal)] = 1.0
        legal &= legal - 1


class Heuristic:
    """Cards towards zero and named hands, bets by strength against pot odds, a little at random.

    It knows the ranks of hands but no cards seen, and nothing of opponents but how many remain.
    """

    def __init__(
        self,
        rules: RuleSet,
        num_players: int,
        bet_sizes: Sequence[BetSize] = DEFAULT_BET_SIZES,
    ) -> None:
        pass

    def reset(self, num_tables: int) -> None:
        """Remember nothing."""

    def act(
        self,
        observations: Floats,
        action_masks: NDArray[np.int8],
        rng: np.random.Generator,
        tables: Ints | None = None,
    ) -> Ints:
        """Draw a legal action for each row."""
        return sample(self.probabilities(observations, action_masks), rng)

    def probabilities(
        self, observations: Floats, action_masks: NDArray[np.int8]
    ) -> NDArray[np.float64]:
        """Return the distributions that it draws from, (n, num_actions)."""
        rows: NDArray[Any] = np.array(observations, np.float32, order="C").view(OBSERVATION_DTYPE)
        actions = action_masks.shape[1]
        legal = action_masks.astype(np.int64) @ (1 << np.arange(actions))
        chances = np.zeros((len(legal), MAX_ACTIONS))
        write_probabilities(
            function_pointer(heuristic, STOCHASTIC_POLICY_SIGNATURE),
            rows.reshape(-1),
            legal,
            chances,
        )
        return chances[:, :actions]
