"""Estimates: means over deals with their confidence intervals."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Self

import numpy as np
from numpy.typing import NDArray

CONFIDENCE = 0.95
"""The confidence of every interval here."""

MILLI = 1000
"""Milli-antes in an ante; margins are in mante/hand, milli-antes a hand."""


@dataclass(frozen=True)
class Estimate:
    """A mean over deals with a confidence interval.

    The interval is Student's t over deals. Deals are drawn independently and there are thousands of
    them, so a bootstrap would give the same interval for more work.

    Attributes:
        mean: in mante/hand (milli-antes a hand).
        sd: standard deviation of one deal's value, in mante/hand.
        deals: the number of deals.

    >>> estimate = Estimate.from_values(np.array([100.0, 300.0, 200.0]))
    >>> estimate.mean, estimate.sd, round(estimate.half_width(), 1)
    (200.0, 100.0, 248.4)
    >>> print(estimate)
    +200 ± 248
    """

    mean: float
    sd: float
    deals: int

    @classmethod
    def from_values(cls, values: NDArray[np.float64]) -> Self:
        """Return the estimate from one value for each deal, (deals,), at least two."""
        return cls(float(values.mean()), float(values.std(ddof=1)), len(values))

    @property
    def standard_error(self) -> float:
        """The standard deviation of the mean, in mante/hand."""
        return self.sd / math.sqrt(self.deals)

    def half_width(self, comparisons: int = 1) -> float:
        """Return half the width of the 95 % interval around the mean, in mante/hand.

        Args:
            comparisons: how many such intervals hold together with 95 % (Bonferroni's correction,
                which needs no independence: the pairs of a tournament share deals).
        """
        return t_quantile(self.deals, comparisons) * self.standard_error

    def __str__(self) -> str:
        return f"{self.mean:+z,.0f} ± {self.half_width():,.0f}"


def t_quantile(samples: int, comparisons: int = 1) -> float:
    """Return half the width of the interval of ``Estimate.half_width``, in standard errors."""
    from scipy import stats  # of the extra train, which `sabacc watch` does without

    return float(stats.t.isf((1 - CONFIDENCE) / comparisons / 2, samples - 1))
