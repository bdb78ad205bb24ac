"""Reading observations: the blocks of features by name, as views of the array."""

from __future__ import annotations

import hashlib
from types import SimpleNamespace

import numpy as np
from numpy.typing import NDArray

from sabacc_env.engine.features import BLOCKS, OBSERVATION_SIZE, PACKED_SCALES

__all__ = [
    "BLOCKS",
    "OBSERVATION_SIZE",
    "PACKED_SCALES",
    "blocks",
    "feature_names",
    "observation_version",
]


def blocks(observations: NDArray[np.float32]) -> SimpleNamespace:
    """Return the blocks of one observation or of a batch of them, by the names in ``BLOCKS``.

    Each attribute is a view of shape (..., *block shape): ``blocks(observations).own_slots`` has
    shape (n, 5, 3) for observations of shape (n, OBSERVATION_SIZE).

    >>> blocks(np.zeros((8, OBSERVATION_SIZE), dtype=np.float32)).opponents.shape
    (8, 7, 24)
    """
    views = {}
    first = 0
    for block in BLOCKS:
        size = len(block.features)
        flat = observations[..., first : first + size]
        views[block.name] = flat.reshape(observations.shape[:-1] + block.shape)
        first += size
    return SimpleNamespace(**views)


def observation_version() -> str:
    """Return a hash of what every index means: an agent trained on another cannot read these."""
    return hashlib.sha256("\n".join(feature_names()).encode()).hexdigest()[:16]


def feature_names() -> list[str]:
    """Return what every index of the observation means.

    >>> feature_names()[43]
    'the top discard as value / 10, a Sylop 0.05, 0 for none'
    """
    return [feature for block in BLOCKS for feature in block.features]
