"""The buckets of hands that a blueprint tells apart in each betting phase, by their values.

A hand's value is the probability that it wins at the end, if both seats choose their cards by
expectation and nobody junks (``expectation.win_probabilities``). Buckets hold about equally many of
the hands that come. In the last betting phase a bucket holds no zero hand beside others, because a
zero hand wins the Sabacc pot, too.
"""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

from sabacc_agents.expectation.backward_induction import stages
from sabacc_agents.expectation.win_probabilities import win_probabilities
from sabacc_env.array_types import Floats
from sabacc_env.rules import RuleSet

HAND_BUCKETS: Final = 40
"""The buckets of a betting phase."""

ZERO_BUCKETS: Final = 18
"""Those for zero hands in the last betting phase, the highest ones."""

FIRST_ZERO_BUCKET: Final = HAND_BUCKETS - ZERO_BUCKETS
"""The lowest of these."""


def betting_values(rules: RuleSet) -> Floats:
    """Return the values of hands in each betting phase, (betting phases, hands)."""
    values = win_probabilities(rules, 2).hand_values[:, 0]
    return values[[i for i, (_, phase) in enumerate(stages(rules)) if phase == "betting"]]


def bucket_edges(rules: RuleSet, hands: NDArray[np.int32]) -> Floats:
    """Return the lowest values of all buckets but the first, (betting phases, HAND_BUCKETS - 1).

    Args:
        rules: the rules.
        hands: (n, betting phases) hands as they come in play.
    """
    values = betting_values(rules)
    is_zero = win_probabilities(rules, 2).table.is_zero
    edges = np.empty((len(values), HAND_BUCKETS - 1), np.float32)
    for betting, of_hand in enumerate(values[:-1]):
        edges[betting] = _inner_quantiles(of_hand[hands[:, betting]], HAND_BUCKETS)
    edges[-1] = edges_with_zeros(values[-1], hands[:, -1], is_zero)
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
    """Return the bucket of each hand in each betting phase, (betting phases, hands)."""
    pairs = zip(edges, betting_values(rules), strict=True)
    return np.array([np.searchsorted(e, v, side="right") for e, v in pairs], np.int8)


def _inner_quantiles(values: Floats, count: int) -> Floats:
    """Return the values that part others into so many parts of about equal size, (count - 1,)."""
    if not len(values):
        return np.full(count - 1, np.inf, np.float32)
    found: Floats = np.quantile(values, np.arange(1, count) / count).astype(np.float32)
    return found
