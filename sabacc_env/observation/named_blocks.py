"""Reading observations: the blocks of features by name, as views of the array."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Iterator
from typing import Final

import numpy as np
from numpy.typing import NDArray

from sabacc_env.engine.observation.blocks import BLOCKS, COLUMNS, OBSERVATION_SIZE, PACKED_SCALES
from sabacc_env.errors import SabaccError

__all__ = [
    "BLOCKS",
    "COLUMNS",
    "OBSERVATION_SIZE",
    "PACKED_SCALES",
    "Blocks",
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


_PLACES: Final = {name: (columns, shape) for name, columns, shape in _places()}


class Blocks:
    """Observations by block: each name in ``BLOCKS`` is an attribute, a view."""

    def __init__(self, observations: NDArray[np.float32]) -> None:
        self._observations = observations

    def __getattr__(self, name: str) -> NDArray[np.float32]:
        """Return a block, made when it is asked for: of twenty, most readers want three."""
        try:
            columns, shape = _PLACES[name]
        except KeyError:
            raise AttributeError(
                f"observations have no block {name!r}", name=name, obj=self
            ) from None
        observations = self._observations
        return observations[..., columns].reshape(observations.shape[:-1] + shape)

    def __dir__(self) -> list[str]:
        """Return what is offered to who looks around: the names of the blocks."""
        return [*super().__dir__(), *_PLACES]


def blocks(observations: NDArray[np.float32]) -> Blocks:
    """Return the blocks of one observation or of a batch of them, by the names in ``BLOCKS``.

    Each attribute is a view of shape (..., shape of the block): ``blocks(observations).own_slots``
    has shape (n, 5, 3) for observations of shape (n, OBSERVATION_SIZE).

    Raises:
        SabaccError: for anything that is not an array of observations.

    >>> blocks(np.zeros((8, OBSERVATION_SIZE), dtype=np.float32)).opponents.shape
    (8, 7, 24)
    """
    if tuple(getattr(observations, "shape", ()))[-1:] != (OBSERVATION_SIZE,):
        raise SabaccError(f"observations: give an array of shape (..., {OBSERVATION_SIZE})")
    return Blocks(observations)


def observation_version() -> str:
    """Return a hash of what every index means: an agent trained on another cannot read these."""
    return hashlib.sha256("\n".join(feature_names()).encode()).hexdigest()[:16]


def feature_names() -> list[str]:
    """Return what every index of the observation means.

    >>> feature_names()[43]
    'the top discard as value / 10, a Sylop 0.05, 0 for none'
    """
    return [feature for block in BLOCKS for feature in block.features]
