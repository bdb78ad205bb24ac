"""How scores of actions become actions."""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

from sabacc_env.array_types import Floats, Ints

MIN_SCORE: Final = np.float32(-1e6)
"""The score of an action that is chosen only where nothing else is legal."""


def best_legal(scores: Floats, action_masks: NDArray[np.int8]) -> Ints:
    """Return the legal action of the highest score in each row; of equal scores the first.

    >>> best_legal(np.array([[3, 2, 2]], np.float32), np.array([[0, 1, 1]], np.int8))
    array([1])
    """
    return np.asarray(np.where(action_masks > 0, scores, -np.inf).argmax(axis=1), dtype=np.int64)
