"""Sampling, and strategies by regret matching."""

from __future__ import annotations

from typing import Final

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
    positive, count = 0.0, 0
    for action in range(len(regrets)):
        strategy[action] = 0
        if legal[action]:
            count += 1
            strategy[action] = max(regrets[action], 0)
            positive += strategy[action]
    for action in range(len(regrets)):
        if positive > UNREACHED:
            strategy[action] /= positive
        elif legal[action]:
            strategy[action] = 1 / count


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
