"""How many deals to play until intervals are as narrow as asked for: a group-sequential rule.

The deviation of a deal is unknown before deals are played, so the number of deals follows from the
deals themselves. After a pilot, and after every further group of deals, the rule looks at the
intervals:

- All are narrow enough: it stops.
- Otherwise it plans as many deals as the deviations so far ask for, and ``SLACK`` more, so that
  another look is seldom needed; but never more than ``GROWTH`` times as many as there are, because
  a deviation from few deals may be wrong: rare huge pots carry most of it.

The last interval is Student's over all deals (``Estimate.half_width``). The rule looks at the width
of an interval only, never at its place, so no correction for the looks is due, other than in rules
that stop when a margin differs from zero: as the number of deals grows, the interval covers the
true margin with 95 % (Chow and Robbins, "On the asymptotic theory of fixed-width sequential
confidence intervals for the mean", Annals of Mathematical Statistics 36, 1965, pages 457-462; in a
few groups of growing size instead of single observations: Liu, "A k-stage sequential sampling
procedure for estimation of normal mean", Journal of Statistical Planning and Inference 65, 1997,
pages 109-127). The tests measure the coverage for thousands of deals, where that limit is not yet
reached.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

from sabacc_env.errors import SabaccError
from sabacc_training.statistics.estimate import Estimate

PILOT_DEALS: Final = 2_000
"""Deals before the first look. Real margins have a kurtosis of 20 to 30, so the first deviation has
a standard error of 6 %."""

GROWTH: Final = 4
"""At a look, the number of deals grows at most by this factor."""

SLACK: Final = 1.02
"""Planned deals over those that the deviations so far ask for."""


@dataclass(frozen=True)
class SequentialPlan:
    """Decides after each group of deals whether more are needed, and how many.

    A decision is a pure function of the estimates over all deals so far. Who resumes, or plays on
    another machine, asks again from the pilot on, and comes to the same numbers of deals.

    All pairs (or tables) of a tournament play the same deals, and so they stop together: when the
    widest interval is narrow enough. So all results are over the same deals, and whatever compares
    pairs deal by deal (standings, simultaneous intervals, ratings) can use all of them.

    Attributes:
        half_width: asked for, in mante/hand.
        task_deals: deals in a task; numbers of deals are multiples of it.
        pilot_deals: deals before the first look, rounded up to whole tasks.
        comparisons: how many intervals shall be so narrow and still hold together with 95 %
            (Bonferroni). With 1, each holds by itself.

    Raises:
        SabaccError: for a half-width that is not above 0.

    >>> plan = SequentialPlan(half_width=20, task_deals=1_000)
    >>> plan.next_deals([])  # the pilot
    2000
    >>> plan.next_deals([Estimate(mean=300, sd=4_000, deals=2_000)])  # needs 154,000
    8000
    >>> plan.next_deals([Estimate(mean=300, sd=4_100, deals=128_000)])
    165000
    >>> plan.next_deals([Estimate(mean=300, sd=4_100, deals=165_000)])  # enough
    165000
    """

    half_width: float
    task_deals: int
    pilot_deals: int = PILOT_DEALS
    comparisons: int = 1

    def __post_init__(self) -> None:
        if not 0 < self.half_width < math.inf:
            raise SabaccError(
                f"half_width: {self.half_width:g} is not allowed; it is half the width of the "
                "intervals asked for, in mante/hand, above 0"
            )

    def next_deals(self, estimates: Sequence[Estimate]) -> int:
        """Return how many deals to have in total; as many as there are when it is enough.

        Args:
            estimates: one for each pair, each over all deals so far; none before the pilot.

        Raises:
            ValueError: for estimates over different numbers of deals.
        """
        if not estimates:
            return self._whole_tasks(self.pilot_deals)
        (deals,) = {estimate.deals for estimate in estimates}
        excess = self.widest(estimates) / self.half_width
        if excess <= 1:
            return deals
        return self._whole_tasks(deals * min(SLACK * excess**2, GROWTH))

    def widest(self, estimates: Sequence[Estimate]) -> float:
        """Return half the width of the widest interval, in mante/hand."""
        return max(estimate.half_width(self.comparisons) for estimate in estimates)

    def forecast(self, estimates: Sequence[Estimate]) -> Forecast:
        """Return what is still to come if the deviations stay as they are."""
        looks = 0
        while (wanted := self.next_deals(estimates)) > estimates[0].deals:
            estimates = [replace(estimate, deals=wanted) for estimate in estimates]
            looks += 1
        return Forecast(estimates[0].deals, looks)

    def _whole_tasks(self, deals: float) -> int:
        return math.ceil(deals / self.task_deals) * self.task_deals


@dataclass(frozen=True)
class Forecast:
    """What is expected from the deviations so far.

    Attributes:
        deals: in total, of each pair.
        looks: how many more groups of deals that takes.
    """

    deals: int
    looks: int
