"""Deals with known true margins, to measure how often intervals cover them.

``margins.csv`` has how often each margin occurred in 100,000 deals of casino for two seats, made by
``play_match(load_rules("casino"), (load(NAME), load(NAME)), 100_000, seed=11)`` (module ``match``):
``zoo:casino-2p`` against ``maximiser`` (``rng_stream=0``) and against ``tight`` (1). A unit is a
quarter of a credit, the smallest step of a deal's margin: 62.5 mante/hand.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

Draw = Callable[[np.random.Generator, tuple[int, ...]], NDArray[np.float64]]


@dataclass(frozen=True)
class Deals:
    """A distribution of one deal's margin, with mean 0 and deviation 1."""

    name: str
    draw: Draw


def _real_margins(column: int) -> Draw:
    table = np.loadtxt(Path(__file__).with_name("margins.csv"), delimiter=",", skiprows=1)
    margins = np.repeat(table[:, 0], table[:, column].astype(np.int64))
    margins = (margins - margins.mean()) / margins.std()
    return lambda rng, size: margins[rng.integers(len(margins), size=size)]


def _rare_pots(chance: float, size: float, won: float) -> Draw:
    """A few pots are larger than others by the factor ``size``, and won with this probability."""
    mean, square = chance * size * (2 * won - 1), 1 - chance + chance * size**2

    def draw(rng: np.random.Generator, shape: tuple[int, ...]) -> NDArray[np.float64]:
        pots = np.where(rng.random(shape) < won, size, -size)
        margins = np.where(rng.random(shape) < chance, pots, rng.normal(size=shape))
        return (margins - mean) / np.sqrt(square - mean**2)

    return draw


NORMAL = Deals("normal", lambda rng, size: rng.normal(size=size))
SKEWED = Deals("skewed (exponential)", lambda rng, size: rng.exponential(size=size) - 1)
HEAVY = Deals("heavy-tailed (t, 3 degrees)", lambda rng, size: rng.standard_t(3, size) / 3**0.5)
RARE_POTS = Deals("1 pot in 100 is 25 times as large", _rare_pots(0.01, 25, 2 / 3))
RARER_POTS = Deals("1 pot in 1,000 is 60 times as large and won", _rare_pots(0.001, 60, 1))
ZOO_MAXIMISER = Deals("zoo:casino-2p - maximiser", _real_margins(1))
ZOO_TIGHT = Deals("zoo:casino-2p - tight", _real_margins(2))
ALL = (NORMAL, SKEWED, HEAVY, RARE_POTS, ZOO_MAXIMISER, ZOO_TIGHT)
