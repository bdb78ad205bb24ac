"""Sampling, and strategies by regret matching."""

from __future__ import annotations

from typing import Final

import numpy as np

from sabacc_env.engine.jit import jit
from sabacc_env.engine.layout import Array
from sabacc_training.blueprints.hands import uniform

UNREACHED: Final = 1e-9
"""Below this weight of all the opponent's hands a walk goes no further."""


@jit
def total(weights: Array) -> float:
    """Return the sum of weights."""
    found = 0.0
    for weight in weights:
        found += weight
    return found


@jit
def copy(source: Array, target: Array) -> None:
    """Copy the numbers of an array. Numba would allocate memory for ``target[:] = source``."""
    for i in range(len(source)):
        target[i] = source[i]


@jit
def match_regrets(regrets: Array, legal: Array, strategy: Array) -> None:
    """Write the strategy of regret matching; without positive regrets it is uniform."""
    positive, count = np.float32(0), np.float32(0)
    for action in range(len(regrets)):
        strategy[action] = 0
        if legal[action]:
            strategy[action] = max(regrets[action], np.float32(0))
            positive += strategy[action]
            count += np.float32(1)
    found = positive > np.float32(UNREACHED)
    scale = np.float32(1) / (positive if found else count)
    for action in range(len(regrets)):
        share = strategy[action] if found else np.float32(legal[action])
        strategy[action] = share * scale


@jit
def sample(rng: Array, probabilities: Array, first: int, end: int) -> int:
    """Sample an action from ``first`` to below ``end``, none of probability 0."""
    left = uniform(rng)
    chosen = first
    for action in range(first, end):
        if probabilities[action] > 0:
            chosen = action
            left -= probabilities[action]
            if left < 0:
                break
    return chosen
