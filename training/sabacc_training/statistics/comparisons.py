"""Many comparisons over the same deals: intervals that hold together, and what is decided."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from sabacc_training.statistics.estimate import CONFIDENCE, t_quantile

NUM_DRAWS: Final = 20_000
"""Draws of all comparisons together; the critical value then is good to some 0.01."""

ROUNDING: Final = 1e-12
"""A relative deviation below it is the error of rounding."""


@dataclass(frozen=True, eq=False)
class Comparisons:
    """Several means over the same deals.

    Attributes:
        means: (comparisons,).
        half_widths: (comparisons,): half the widths of intervals that hold together with 95 %.
        p_values: (comparisons,): against the mean 0, corrected for all comparisons. Who calls those
            below 0.05 decided calls none of them wrongly, with 95 %.
        critical_value: half a width in standard errors.
    """

    means: NDArray[np.float64]
    half_widths: NDArray[np.float64]
    p_values: NDArray[np.float64]
    critical_value: float


def compare(values: NDArray[np.float64], seed: int = 0) -> Comparisons:
    """Return means with simultaneous 95 % intervals by max-t, and decisions step by step.

    What is compared over the same deals is correlated, and Bonferroni's correction
    (``Estimate.half_width``) does without that knowledge. Here the correlations are estimated from
    the deals. The critical value is the 95 % quantile of the largest of all t statistics under
    normal errors with these correlations (Hothorn, Bretz and Westfall 2008,
    https://doi.org/10.1002/bimj.200810425). For that many deals the bootstrap of the largest t
    statistic has the same limit. The p-values step down: after the most certain comparison is
    decided, only the others count (Romano and Wolf 2005,
    https://doi.org/10.1198/016214504000000539); they are never above Holm's in that limit.

    Args:
        values: (deals, comparisons), at least two deals.
        seed: seeds the draws; the same arguments give the same result.

    >>> values = np.random.default_rng(0).normal([0.0, 0.5], 1.0, size=(1000, 2))
    >>> compared = compare(values)
    >>> round(compared.critical_value, 1), compared.p_values < 0.05
    (2.2, array([False,  True]))
    """
    deals, comparisons = values.shape
    means = values.mean(axis=0)
    errors = values.std(axis=0, ddof=1) / np.sqrt(deals)
    # Means without any deviation, but for the error of rounding, are certain.
    varying = errors > ROUNDING * np.abs(values).max(axis=0)
    half_widths, p_values = np.zeros(comparisons), np.where(means == 0, 1.0, 0.0)
    critical_value = 0.0
    if varying.any():
        statistics = np.abs(means[varying] / errors[varying])
        ascending = np.argsort(statistics)
        drawn = _draw_statistics(values[:, varying][:, ascending], seed)
        largest = np.maximum.accumulate(drawn, axis=1)  # of each comparison and all less certain
        drawn_value = float(np.quantile(largest[:, -1], CONFIDENCE))
        critical_value = max(drawn_value, t_quantile(deals))  # of one comparison it is exact
        half_widths[varying] = critical_value * errors[varying]
        exceeded = (largest >= statistics[ascending]).mean(axis=0)
        stepwise = np.maximum.accumulate(exceeded[::-1])[::-1]
        p_values[np.flatnonzero(varying)[ascending]] = stepwise
    return Comparisons(means, half_widths, p_values, critical_value)


def _draw_statistics(values: NDArray[np.float64], seed: int) -> NDArray[np.float64]:
    """Return absolute t statistics, (draws, comparisons), as correlated as values of mean 0."""
    rng = np.random.default_rng(seed)
    correlations = np.atleast_2d(np.corrcoef(values, rowvar=False))
    normal = rng.multivariate_normal(
        np.zeros(len(correlations)), correlations, size=NUM_DRAWS, method="eigh"
    )
    freedom = len(values) - 1
    return np.abs(normal) / np.sqrt(rng.chisquare(freedom, size=(NUM_DRAWS, 1)) / freedom)
