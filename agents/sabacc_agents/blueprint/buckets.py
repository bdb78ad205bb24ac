"""The buckets of hands that a blueprint tells apart in each betting phase, by their values.

A hand's value is the probability that it wins at the end, if both seats choose their cards by
expectation and nobody junks, and the top discard is known. Buckets hold about equally many of the
hands that come. In the last betting phase a bucket holds no zero hand beside others, because a zero
hand wins the Sabacc pot, too. With Spike Cards it may.
"""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

from sabacc_agents.blueprint.card_choices import card_choices, free_win_probabilities
from sabacc_agents.blueprint.spike_hands import spike_values
from sabacc_agents.expectation.backward_induction import (
    DOUBLE_SPIKE_PROB,
    DOUBLES_PROB,
    stages,
)
from sabacc_agents.expectation.hand_table import NUM_VALUES
from sabacc_env.array_types import Floats, Ints
from sabacc_env.rules import RuleSet

HAND_BUCKETS: Final = 40
"""The buckets of a betting phase."""

ZERO_BUCKETS: Final = 18
"""Those for zero hands in the last betting phase, the highest ones."""

FIRST_ZERO_BUCKET: Final = HAND_BUCKETS - ZERO_BUCKETS
"""The lowest of these."""

NO_TOP: Final = NUM_VALUES
"""Instead of a top discard, as index of a card value: none, or one that is not known."""

NUM_TOPS: Final = NUM_VALUES + 1

TOP_STAYS: Final = 1.0, 0.6
"""How likely the top discard is still there when a seat plays its cards next, by its position.

The other seat leaves it where it stands or draws, which is about as often as this says.
"""


def betting_values(rules: RuleSet) -> Floats:
    """Return the values of hands at betting turns, (positions, betting phases, hands, NUM_TOPS).

    ``win_probabilities`` has averages over the top discard. Here it is known. But doubles change
    it, and the seat that acts second in the next card phase may not find it there. Under rules with
    Spike Cards the last index is the other seat's (``spike_values``).
    """
    if rules.spike_card:
        return spike_values(rules)
    win_probs = free_win_probabilities(rules)
    values, draw_probs = win_probs.hand_values[:, 0], win_probs.table.draw_probs
    by_stage = card_choices(rules).values
    order = [phase for _, phase in stages(rules)]
    bettings = [stage for stage, phase in enumerate(order) if phase == "betting"]
    found = np.empty((2, len(bettings), values.shape[1], NUM_TOPS), np.float32)
    found[:] = values[bettings][:, :, None]
    for betting, stage in enumerate(bettings):
        following = next((number for number in by_stage if number > stage), None)
        if following is None:
            continue
        by_top = by_stage[following]
        surplus = by_top - np.einsum("nv,nv->n", by_top, draw_probs)[:, None]
        has_dice = "dice" in order[stage:following]
        undisturbed = 1 - DOUBLES_PROB - DOUBLE_SPIKE_PROB if has_dice else 1
        for position, stays in enumerate(TOP_STAYS):
            found[position, betting, :, :NO_TOP] += stays * undisturbed * surplus
    return found


def bucket_edges(
    rules: RuleSet, positions: Ints, hands: NDArray[np.int32], tops: NDArray[np.integer]
) -> Floats:
    """Return the lowest values of all buckets but the first, (betting phases, HAND_BUCKETS - 1).

    Args:
        rules: the rules.
        positions: (n,) the positions of seats: 0 for the one that acts first, else 1.
        hands: (n, betting phases) their hands as they come in play.
        tops: (n, betting phases) the top discards.
    """
    values = betting_values(rules)
    edges = np.empty((hands.shape[1], HAND_BUCKETS - 1), np.float32)
    for betting in range(len(edges) - 1):
        found = values[positions, betting, hands[:, betting], tops[:, betting]]
        edges[betting] = _inner_quantiles(found, HAND_BUCKETS)
    is_zero = free_win_probabilities(rules).table.is_zero
    edges[-1] = edges_with_zeros(values[0, -1, :, NO_TOP], hands[:, -1], is_zero)
    return edges


def edges_with_zeros(
    values: Floats, hands: NDArray[np.int32], is_zero: NDArray[np.bool_]
) -> NDArray[np.float32]:
    """Return the edges of buckets that part zero hands from others, (HAND_BUCKETS - 1,).

    Args:
        values: (hands,) values that are higher for zero hands than for all others.
        hands: (n,) hands as they come in play.
        is_zero: (hands,) whether the total is zero.
    """
    zero = is_zero[hands]
    others = _inner_quantiles(values[hands[~zero]], FIRST_ZERO_BUCKET)
    zeros = _inner_quantiles(values[hands[zero]], ZERO_BUCKETS)
    lowest = values[hands[zero]].min(initial=np.inf)
    return np.array([*others, lowest, *zeros], np.float32)


def hand_buckets(rules: RuleSet, edges: Floats) -> NDArray[np.int8]:
    """Return the buckets of hands, (positions, betting phases, hands, NUM_TOPS)."""
    values = betting_values(rules)
    found = np.empty(values.shape, np.int8)
    for betting, of_phase in enumerate(edges):
        found[:, betting] = np.searchsorted(of_phase, values[:, betting], side="right")
    return found


def _inner_quantiles(values: Floats, count: int) -> Floats:
    """Return the values that part others into so many parts of about equal size, (count - 1,)."""
    if not len(values):
        return np.full(count - 1, np.inf, np.float32)
    found: Floats = np.quantile(values, np.arange(1, count) / count).astype(np.float32)
    return found
