"""Reading observations: the blocks of features by name, as views of the array."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Iterator
from types import SimpleNamespace
from typing import Final

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


def _places() -> Iterator[tuple[str, slice, tuple[int, ...]]]:
    """Yield the name, the columns and the shape of each block."""
    first = 0
    for block in BLOCKS:
        size = math.prod(block.shape)
        yield block.name, slice(first, first + size), block.shape
        first += size


_PLACES: Final = tuple(_places())


def blocks(observations: NDArray[np.float32]) -> SimpleNamespace:
    """Return the blocks of one observation or of a batch of them, by the names in ``BLOCKS``.

    Each attribute is a view of shape (..., *block shape): ``blocks(observations).own_slots`` has
    shape (n, 5, 3) for observations of shape (n, OBSERVATION_SIZE).

    >>> blocks(np.zeros((8, OBSERVATION_SIZE), dtype=np.float32)).opponents.shape
    (8, 7, 24)
    """
    rows = observations.shape[:-1]
    views = {name: observations[..., where].reshape(rows + shape) for name, where, shape in _PLACES}
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
