"""Reading observations: the blocks of features by name, as views of the array."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Final

import numpy as np
from numpy.typing import NDArray

from sabacc_env.engine.layout import KINDS
from sabacc_env.engine.observe import BLOCKS, KIND_CODES, OBSERVATION_SIZE, block_offsets
from sabacc_env.engine.rulebook import rule_features
from sabacc_env.rules import RuleSet

__all__ = ["BLOCKS", "OBSERVATION_SIZE", "blocks", "index_table", "kind_table"]

_OFFSETS: Final = block_offsets()


def blocks(observations: NDArray[np.float32]) -> SimpleNamespace:
    """Return the blocks of one observation or of a batch of them, by the names in ``BLOCKS``.

    Each attribute is a view of shape (..., *block shape): ``blocks(observations).own_slots`` has
    shape (n, 5, 3) for observations of shape (n, OBSERVATION_SIZE).

    >>> blocks(np.zeros((8, OBSERVATION_SIZE), dtype=np.float32)).opponents.shape
    (8, 7, 25)
    """
    views = {}
    for name, (first, shape) in _OFFSETS.items():
        flat = observations[..., first : first + int(np.prod(shape))]
        views[name] = flat.reshape(observations.shape[:-1] + shape)
    return SimpleNamespace(**views)


def index_table() -> list[tuple[str, str, str]]:
    """Return what every index means: (indices, block and shape, meaning), for the documentation."""
    rows = []
    for block in BLOCKS:
        first, shape = _OFFSETS[block.name]
        last = first + int(np.prod(shape)) - 1
        indices = f"{first}" if first == last else f"{first}-{last}"
        size = " x ".join(map(str, shape))
        meaning = block.meaning
        if block.name == "rules":
            meaning += ": " + "; ".join(rule_features(RuleSet()))
        rows.append((indices, f"{block.name} ({size})", meaning))
    return rows


def kind_table() -> list[tuple[str, float, float, float]]:
    """Return the three numbers (source, hand, money) that stand for each move kind."""
    rows = zip(KINDS, KIND_CODES[:-1].tolist(), strict=True)
    return [(kind, source, hand, money) for kind, (source, hand, money) in rows]
