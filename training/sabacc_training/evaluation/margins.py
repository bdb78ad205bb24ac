"""Margins: what a match says about how much one agent is better, and how sure that is."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Self

import numpy as np
from numpy.typing import NDArray
from scipy import stats

CONFIDENCE = 0.95
"""The confidence of every interval here."""

MILLI = 1000
"""Milli-antes in an ante; margins are in mante/hand, milli-antes a hand."""


@dataclass(frozen=True)
class Estimate:
    """A mean over deals and how far it may be off.

    Deals are drawn independently and there are thousands of them, so the interval is Student's t
    over deals: a bootstrap would give the same for more work.

    Attributes:
        mean: in mante/hand (milli-antes a hand).
        sd: standard deviation of one deal's value, in mante/hand.
        deals: how many deals it is the mean of.

    >>> estimate = Estimate.of(np.array([100.0, 300.0, 200.0]))
    >>> estimate.mean, estimate.sd, round(estimate.half_width(), 1)
    (200.0, 100.0, 248.4)
    >>> print(estimate)
    +200 ± 248
    """

    mean: float
    sd: float
    deals: int

    @classmethod
    def of(cls, values: NDArray[np.float64]) -> Self:
        """Return the estimate from one value a deal, shape (deals,), at least two of them."""
        return cls(float(values.mean()), float(values.std(ddof=1)), len(values))

    def half_width(self, comparisons: int = 1) -> float:
        """Return half the width of the 95 % interval around the mean, in mante/hand.

        Args:
            comparisons: how many such intervals shall hold all at once with 95 % (Bonferroni's
                correction: it needs no independence, and the pairs of a tournament share deals).
        """
        return quantile(self.deals, comparisons) * self.sd / math.sqrt(self.deals)

    def __str__(self) -> str:
        return f"{self.mean:+z,.0f} ± {self.half_width():,.0f}"


def quantile(deals: int, comparisons: int = 1) -> float:
    """Return half the width of an interval in standard errors, as ``Estimate.half_width`` does."""
    return float(stats.t.isf((1 - CONFIDENCE) / comparisons / 2, deals - 1))


@dataclass(frozen=True, eq=False)
class Match:
    """What two agents netted over duplicate deals.

    Attributes:
        net: (deals, 2, 2) int64 credits: deal, seating, agent. In seating 0 the first agent had
            seat 0, in seating 1 seat 1, with the same cards and dice.
        ante_unit: credits in one ante of the unit (``RuleSet.ante_unit``).
    """

    net: NDArray[np.int64]
    ante_unit: int

    @property
    def single_margins(self) -> NDArray[np.float64]:
        """(deals, 2): the first agent's margin over the second in each hand, in mante/hand."""
        return (self.net[..., 0] - self.net[..., 1]) * MILLI / (2 * self.ante_unit)

    @property
    def margins(self) -> NDArray[np.float64]:
        """(deals,): the margin over both seatings of each deal, in mante/hand."""
        return np.asarray(self.single_margins.mean(axis=1))

    @property
    def margin(self) -> Estimate:
        """The first agent's margin over the second."""
        return Estimate.of(self.margins)

    @property
    def single_sd(self) -> float:
        """Standard deviation of one hand's margin, as if each deal were played once, mante/hand."""
        return float(self.single_margins.std(ddof=1))

    @property
    def saving(self) -> float:
        """How many times as many hands singly played deals would need for the same interval.

        A deal is two hands, so it is the variance of one hand over twice that of a deal;
        infinite where no deal differs from another.
        """
        duplicate = 2 * self.margin.sd**2
        return self.single_sd**2 / duplicate if duplicate else math.inf
