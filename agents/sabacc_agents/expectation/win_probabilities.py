"""The probability that a hand beats what opponents hold at the end.

The distribution of the opponents' final hands comes from play. In each of a few iterations all
seats choose their cards by the win probabilities so far, check and call; the hands that they end
with give new probabilities. As in fictitious play the probabilities are averaged over the
iterations, because otherwise they would oscillate wherever buying cards pays only if others do not.
The seed is fixed, so a rule set and a number of players always give the same tables.
"""

from __future__ import annotations

import functools
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from sabacc_agents.expectation.action_values import CardActionValues
from sabacc_agents.expectation.backward_induction import backward_induction, stages
from sabacc_agents.expectation.final_hands import sample_final_hands
from sabacc_agents.expectation.hand_table import HandTable, hand_table
from sabacc_agents.expectation.scores import best_legal
from sabacc_agents.scripted.betting import PotAmounts
from sabacc_env.actions import CALL, CHECK
from sabacc_env.array_types import Floats, Ints
from sabacc_env.engine.layout import PHASES
from sabacc_env.observation import decode
from sabacc_env.rules import RuleSet

NUM_FINAL_HANDS: Final = 8192
"""About how many final hands are sampled in an iteration."""

ITERATIONS: Final = 5
"""How often hands are played to their end. The first iteration only gives a start."""

SEED: Final = 1977

OBSERVED_ROUNDS: Final = 5
"""The rounds that an observation tells apart: 0 (the opening bet), 1, 2, 3, and 4 or later."""


@dataclass(frozen=True)
class WinProbabilities:
    """The win probabilities and hand values of one rule set and number of players.

    Attributes:
        table: the hand table of these rules.
        final: (number of hands,) float32: the probability that a hand at the end beats the final
            hand of one opponent; an equal hand counts half.
        hand_values: (number of stages, num_players - 1, number of hands) float32: the probability
            that a hand after a stage beats 1, 2, ... opponents at the end, less the fees to come.
        stage_indices: (3, 5) the index of the stage of each phase (in the order of ``PHASES``) and
            observed round.
    """

    table: HandTable
    final: Floats
    hand_values: Floats
    stage_indices: Ints

    def stages_of(self, observations: Floats) -> Ints:
        """Return the indices of the stages that observations are in, (n,)."""
        decoded = decode(observations)
        found: Ints = self.stage_indices[decoded.phase, decoded.round]
        return found


@functools.lru_cache(maxsize=16)
def win_probabilities(rules: RuleSet, num_players: int) -> WinProbabilities:
    """Compute the win probabilities of a rule set and number of players, once for each."""
    table = hand_table(rules)
    dealt_probs = table.deal_probs * (table.sizes > 0)
    final = win_probs_against(table.strengths, table.strengths, dealt_probs)
    num_tables = max(NUM_FINAL_HANDS // num_players, 1)
    for iteration in range(ITERATIONS):
        beats_all = _against_opponents(final, num_players - 1)[-1]
        values = backward_induction(rules, num_players, table, beats_all)[:, None]
        policy = _CardPolicy(rules, WinProbabilities(table, final, values, _stage_indices(rules)))
        hands = sample_final_hands(
            rules, num_players, num_tables, SEED + iteration, table, policy.act
        )
        if len(hands):
            sampled = win_probs_against(
                table.strengths, table.strengths[hands], np.ones(len(hands))
            )
            final = final + (sampled - final) * np.float32(1 / max(iteration, 1))
    against = _against_opponents(final, num_players - 1)
    values = np.stack(
        [backward_induction(rules, num_players, table, beats) for beats in against], axis=1
    )
    return WinProbabilities(table, final, values, _stage_indices(rules))


def _against_opponents(final: Floats, max_opponents: int) -> Floats:
    """Return the probability that hands beat 1, 2, ... opponents, whose hands are independent."""
    return np.cumprod(np.tile(final, (max_opponents, 1)), axis=0, dtype=np.float32)


class _CardPolicy:
    """Chooses cards by their values. It checks or calls, and junks only where it must."""

    def __init__(self, rules: RuleSet, win_probs: WinProbabilities) -> None:
        self._rules = rules
        self._win_probs = win_probs
        self._cards = CardActionValues(rules, win_probs.table, win_probs.hand_values)

    def act(self, observations: Floats, action_masks: NDArray[np.int8]) -> Ints:
        amounts = PotAmounts(observations, self._rules)
        stages = self._win_probs.stages_of(observations)
        values = self._cards.action_values(observations, action_masks, amounts, stages)
        values[:, [CHECK, CALL]] = 2
        return best_legal(values, action_masks)


def _stage_indices(rules: RuleSet) -> Ints:
    """Return the index of the stage of each phase and observed round; 0 where there is none.

    An observation does not tell the rounds from the fourth on apart. They count as the last.
    """
    found = np.zeros((len(PHASES) - 1, OBSERVED_ROUNDS), dtype=np.int64)
    for index, (number, phase) in enumerate(stages(rules)):
        found[PHASES.index(phase), min(number, OBSERVED_ROUNDS - 1)] = index
    return found


def win_probs_against(strengths: Ints, others: Ints, weights: NDArray[np.float64]) -> Floats:
    """Return the probability that each strength beats one drawn from others by weight."""
    order = np.argsort(others, kind="stable")
    cumulative = np.concatenate([[0.0], np.cumsum(weights[order])])
    lower = cumulative[np.searchsorted(others[order], strengths, side="left")]
    upper = cumulative[np.searchsorted(others[order], strengths, side="right")]
    win_probs: Floats = ((lower + upper) / 2 / cumulative[-1]).astype(np.float32)
    return win_probs
