"""How good a hand is: the chance that it beats what opponents hold at the end.

What opponents hold at the end is not guessed: the game is played, by seats that choose their cards
by these very chances and that check and call; what they end with gives new chances, and so on.
These are averaged over the passes: where it pays to buy cards while others do not, and the other
way round, the passes would swing for ever. The seed is fixed, so the tables of one rule set and
number of players are always the same.
"""

from __future__ import annotations

import functools
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from sabacc_agents.expectation.action_values import CardSearch
from sabacc_agents.expectation.backward_induction import foresee, stages
from sabacc_agents.expectation.final_hands import final_hands
from sabacc_agents.expectation.hand_table import HandValues, hand_values
from sabacc_agents.scripted.by_phase import best_legal
from sabacc_agents.scripted.decoding import Floats, Ints, Stakes
from sabacc_env.actions import CALL, CHECK
from sabacc_env.engine.layout import PHASES
from sabacc_env.observation import blocks
from sabacc_env.rules import RuleSet

FINAL_HANDS: Final = 8192
"""About how many final hands a distribution is taken from."""

PASSES: Final = 5
"""How often hands are played to their end; the first pass only gives a start."""

SEED: Final = 1977

ROUNDS_SEEN: Final = 5
"""The rounds that an observation tells apart: 0 (the opening bet), 1, 2, 3, and 4 or later."""


@dataclass(frozen=True)
class Percentiles:
    """The chances of one rule set and number of players.

    Attributes:
        hands: the hands of these rules.
        final: (number of hands,) float32: the chance that a hand at the end beats the final hand of
            one opponent, an equal one counting half.
        worths: (number of stages, num_players - 1, number of hands) float32: after each stage, the
            chance that what a hand becomes beats 1, 2, ... opponents at the end.
        stage_of: (3, 5) the stage of each phase (as ``PHASES`` has them) and observed round.
    """

    hands: HandValues
    final: Floats
    worths: Floats
    stage_of: Ints

    def stage(self, observations: Floats) -> Ints:
        """Return which stage observations are in, (n,)."""
        seen = blocks(observations)
        phase = np.maximum(seen.phase.argmax(axis=1) - 1, 0)  # first and second choice are one
        stage: Ints = self.stage_of[phase, seen.round_no.argmax(axis=1)]
        return stage


@functools.lru_cache(maxsize=16)
def percentiles(rules: RuleSet, num_players: int) -> Percentiles:
    """Work out, once for each rule set and number of players, how good every hand is."""
    hands = hand_values(rules)
    final = _chances(hands.strengths, hands.strengths, hands.dealt * (hands.sizes > 0))
    num_tables = max(FINAL_HANDS // num_players, 1)
    for turn in range(PASSES):
        worths = foresee(rules, num_players, hands, _against(final, num_players - 1)[-1])[:, None]
        known = Percentiles(hands, final, worths, _stage_of(rules))
        chooser = _Chooser(rules, known)
        ends = final_hands(rules, num_players, num_tables, SEED + turn, hands, chooser.act)
        if len(ends):
            found = _chances(hands.strengths, hands.strengths[ends], np.ones(len(ends)))
            final = final + (found - final) * np.float32(1 / max(turn, 1))
    against = _against(final, num_players - 1)
    worths = np.stack([foresee(rules, num_players, hands, wins) for wins in against], axis=1)
    return Percentiles(hands, final, worths, _stage_of(rules))


def _against(final: Floats, opponents: int) -> Floats:
    """Return the chance of hands to beat 1, 2, ... opponents, their hands taken as independent."""
    return np.cumprod(np.tile(final, (opponents, 1)), axis=0, dtype=np.float32)


class _Chooser:
    """Chooses cards by search; checks, calls where it must, junks only where it must."""

    def __init__(self, rules: RuleSet, known: Percentiles) -> None:
        self._rules = rules
        self._known = known
        self._search = CardSearch(rules, known.hands, known.worths)

    def act(self, observations: Floats, action_masks: NDArray[np.int8]) -> Ints:
        stakes = Stakes(observations, self._rules)
        stage = self._known.stage(observations)
        scores = self._search.scores(observations, action_masks, stakes, stage)
        scores[:, [CHECK, CALL]] = 2
        return best_legal(scores, action_masks)


def _stage_of(rules: RuleSet) -> Ints:
    """Return the stage of each phase and observed round; 0 where there is none.

    Of round 4 or later only that is observed; it is taken for the last.
    """
    found = np.zeros((len(PHASES) - 1, ROUNDS_SEEN), dtype=np.int64)
    for index, (number, phase) in enumerate(stages(rules)):
        found[PHASES.index(phase), min(number, ROUNDS_SEEN - 1)] = index
    return found


def _chances(strengths: Ints, others: Ints, weights: NDArray[np.float64]) -> Floats:
    """Return for each strength the chance that it beats one drawn from others, by weight."""
    order = np.argsort(others, kind="stable")
    below = np.concatenate([[0.0], np.cumsum(weights[order])])
    lower = below[np.searchsorted(others[order], strengths, side="left")]
    upper = below[np.searchsorted(others[order], strengths, side="right")]
    chances: Floats = ((lower + upper) / 2 / below[-1]).astype(np.float32)
    return chances
