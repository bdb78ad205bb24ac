"""Bets of any size, as a blueprint with few sizes takes them."""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

from sabacc_env.actions import BetSize

SAME_SIZE: Final = 1e-6
"""Raises that differ by less, in pots, are of the same size."""


def pots_of(size: BetSize) -> float:
    """Return a bet size in pots after the call, as far as a seat may bet it."""
    if isinstance(size, str):
        return 0 if size == "min" else np.inf
    return float(size)


def translate_bets(
    raised: NDArray[np.float64],
    least: NDArray[np.float64],
    all_in: NDArray[np.float64],
    sizes: NDArray[np.float64],
) -> NDArray[np.float64]:
    """Return how much a call and each size of raises stand for some bets, (n, 1 + sizes).

    A bet between two sizes stands for both, by the pseudo-harmonic mapping (Ganzfried and Sandholm
    2013). A check or a call is a raise of 0. All from all-in on are one.

    Args:
        raised: (n,) what the bets are beyond a call, in pots after the call.
        least: (n,) the smallest raises.
        all_in: (n,) the largest ones that both seats can pay.
        sizes: (sizes,) what the raises are that others are translated to.

    >>> nine = np.full(4, 9.0)
    >>> translate_bets(np.array([0, 0.25, 1, 20]), nine / 90, nine, np.array([1, np.inf]))
    array([[1. , 0. , 0. ],
           [0.6, 0.4, 0. ],
           [0. , 1. , 0. ],
           [0. , 0. , 1. ]])
    """
    raises = np.minimum(np.maximum(sizes, least[:, None]), all_in[:, None])
    points = np.concatenate([np.zeros((len(raised), 1)), raises], axis=1)
    size = np.minimum(raised[:, None], points.max(axis=1, keepdims=True))
    low = np.where(points <= size + SAME_SIZE, points, 0).max(axis=1, keepdims=True)
    high = np.where(points >= size - SAME_SIZE, points, np.inf).min(axis=1, keepdims=True)
    between = high - low > SAME_SIZE
    width = np.where(between, high - low, 1) * (1 + size)
    share = np.where(between, (high - size) * (1 + low) / width, 1)
    is_low, is_high = np.abs(points - low) <= SAME_SIZE, np.abs(points - high) <= SAME_SIZE
    return np.asarray(is_low * share + (is_high & ~is_low) * (1 - share))
