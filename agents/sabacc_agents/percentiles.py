"""How good a hand is: the chance that it beats what an opponent holds at the end.

What opponents hold at the end is not guessed: the game is played, by seats that choose their cards
by these very chances and that check and call, until chances and hands agree. The seed is fixed, so
the tables of one rule set and number of players are always the same.
"""

from __future__ import annotations

import functools
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from sabacc_agents.card_search import CardSearch
from sabacc_agents.hand_values import HandValues, hand_values
from sabacc_agents.reading import NEVER, Floats, Ints, Stakes, best_legal
from sabacc_agents.rollouts import ROUNDS, Rollouts, play_out
from sabacc_env.engine.layout import CALL, CHECK
from sabacc_env.rules import RuleSet

FINAL_HANDS: Final = 8192
"""About how many final hands a distribution is taken from."""

PASSES: Final = 4
"""How often the hands at the end are played for, each time by the chances found before."""

BINS: Final = 40
"""Hands are told apart this finely in what they may still become."""

SEED: Final = 1977


@dataclass(frozen=True)
class Percentiles:
    """The chances of one rule set and number of players.

    Attributes:
        hands: the hands of these rules.
        wins: (num_players - 1, number of hands) float32: the chance that a hand, as it is, beats
            the final hands of 1, 2, ... opponents, an equal one counting half.
        prospects: (5, 40) float32: at a betting turn of a round (0 the opening bet, 4 a fourth or
            later), the mean chance that the hand then beats one opponent at the end, by that
            chance of the hand as it is, in 40 steps.
    """

    hands: HandValues
    wins: Floats
    prospects: Floats


@functools.lru_cache(maxsize=32)
def percentiles(rules: RuleSet, num_players: int) -> Percentiles:
    """Work out, once for each rule set and number of players, how good every hand is."""
    hands = hand_values(rules)
    chance = _before_play(hands)
    num_tables = max(FINAL_HANDS // num_players, 1)
    for turn in range(PASSES):
        search = CardSearch(rules, hands, _against(chance, num_players - 1))
        played = play_out(
            rules, num_players, num_tables, SEED + turn, hands, _Searcher(search, rules).act
        )
        final = played.final[played.final >= 0]
        if len(final):
            chance = _chances(hands.strengths, hands.strengths[final], np.ones(len(final)))
    return Percentiles(hands, _against(chance, num_players - 1), _prospects(played, chance))


class _Searcher:
    """Chooses cards by search; checks, calls where it must, junks only where it must."""

    def __init__(self, search: CardSearch, rules: RuleSet) -> None:
        self._search = search
        self._rules = rules

    def act(self, observations: Floats, action_masks: NDArray[np.int8]) -> Ints:
        scores = self._search.scores(
            observations, action_masks, Stakes(observations, self._rules)
        )
        scores[:, [CHECK, CALL]] = 0
        return best_legal(scores, action_masks)


def _before_play(hands: HandValues) -> Floats:
    """Return the chance of each hand to beat a hand dealt blindly, of any number of cards alike."""
    ways = np.array([[1, 0, 0, 0], [1, 1, 0, 0], [1, 2, 1, 0], [1, 3, 3, 1]], dtype=np.float64)
    weights = ways[hands.deck, hands.counts].prod(axis=1)
    weights /= np.bincount(hands.sizes, weights)[hands.sizes]
    return _chances(hands.strengths, hands.strengths[1:], weights[1:])


def _against(chance: Floats, opponents: int) -> Floats:
    """Return the chance to beat 1, 2, ... opponents, taken as independent."""
    return chance ** np.arange(1, opponents + 1, dtype=np.float32)[:, None]


def _chances(strengths: Ints, others: Ints, weights: NDArray[np.float64]) -> Floats:
    """Return for each strength the chance that it beats one drawn from others, by weight."""
    order = np.argsort(others, kind="stable")
    below = np.concatenate([[0.0], np.cumsum(weights[order])])
    lower = below[np.searchsorted(others[order], strengths, side="left")]
    upper = below[np.searchsorted(others[order], strengths, side="right")]
    return ((lower + upper) / 2 / below[-1]).astype(np.float32)


def _prospects(played: Rollouts, chance: Floats) -> Floats:
    """Return what becomes of hands at the betting turns of each round (see ``Percentiles``)."""
    centres = (np.arange(BINS) + 0.5) / BINS
    prospects = np.tile(centres.astype(np.float32), (ROUNDS, 1))
    for number, betting in enumerate(played.betting):
        both = (betting >= 0) & (played.final >= 0)
        if not both.any():
            continue
        bins = bin_of(chance[betting[both]])
        count = np.bincount(bins, minlength=BINS)
        total = np.bincount(bins, chance[played.final[both]], minlength=BINS)
        prospects[number] = np.interp(centres, *_rising(centres, count, total))
    return prospects


def _rising(
    centres: NDArray[np.float64], count: Ints, total: NDArray[np.float64]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the bins that were met, and the means in them made to rise (isotonic regression)."""
    met = np.flatnonzero(count)
    counts = np.concatenate([[0], np.cumsum(count[met])])
    totals = np.concatenate([[0.0], np.cumsum(total[met])])
    first, last = np.ogrid[: len(met), 1 : len(met) + 1]
    spans = np.where(first < last, counts[last] - counts[first], 1)
    means = (totals[last] - totals[first]) / spans
    # The mean at i: over the starts up to i, the greatest of the least means of spans past i.
    least = np.minimum.accumulate(np.where(first < last, means, np.inf)[:, ::-1], axis=1)[:, ::-1]
    greatest = np.maximum.accumulate(np.where(first < last, least, -np.inf), axis=0)
    return centres[met], np.diagonal(greatest)


def bin_of(chance: Floats) -> Ints:
    """Return which of the 40 steps chances from 0 to 1 fall into."""
    return np.minimum((chance * BINS).astype(np.int64), BINS - 1)
