"""Bootstrap intervals, for statistics that are not plain means (``Estimate`` is for those)."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sabacc_training.statistics.estimate import CONFIDENCE

NUM_RESAMPLES: Final = 2_000
"""Resamples by default: the ends of a 95 % interval then have 50 of them beyond each."""

NUM_BLOCKS: Final = 500
"""Blocks of deals by default (``block_means``)."""

_BATCH_SIZE: Final = 10_000_000
"""Indices drawn at once, which bounds the memory."""

Method = Literal["BCa", "percentile"]


@dataclass(frozen=True, eq=False)
class Intervals:
    """Values with their 95 % intervals, each by itself; arrays in the shape of the statistic.

    Attributes:
        values: the statistic of the data.
        low: the lower ends of the intervals.
        high: the upper ends.
    """

    values: NDArray[np.float64]
    low: NDArray[np.float64]
    high: NDArray[np.float64]


def bootstrap(
    samples: Sequence[NDArray[Any]],
    statistic: Callable[..., ArrayLike],
    *,
    method: Method = "BCa",
    num_resamples: int = NUM_RESAMPLES,
    seed: int = 0,
) -> Intervals:
    """Return a statistic with 95 % intervals by ``scipy.stats.bootstrap``.

    Each sample is drawn from by itself (the strata of a stratified bootstrap). A sample is
    resampled along its first axis, and its rows stay whole: what belongs to a deal stays together.

    Args:
        samples: one or more arrays, (n, ...) each, with at least two rows.
        statistic: of as many arrays; returns a number or an array of one dimension.
        method: "BCa" corrects for bias and skewness (Efron 1987,
            https://doi.org/10.1080/01621459.1987.10478410) and calls the statistic once more for
            each row; "percentile" does without, for statistics that jump (Nash weights).
        num_resamples: the number of resamples.
        seed: seeds the resamples; the same arguments give the same intervals.

    >>> margins = np.array([[3.0, 1.0], [5.0, 2.0], [4.0, 6.0], [8.0, 3.0]])
    >>> intervals = bootstrap([margins], lambda margins: margins.mean(axis=0))
    >>> intervals.values
    array([5., 3.])
    >>> bool(np.all((intervals.low < [5, 3]) & (intervals.high > [5, 3])))
    True
    """
    from scipy import stats

    def of_resamples(*rows: NDArray[np.int64], axis: int) -> NDArray[np.float64]:
        """Return the statistic, (..., resamples), of indices into the samples, (..., n)."""
        chosen = zip(*(index.reshape(-1, index.shape[axis]) for index in rows), strict=True)
        values = [
            statistic(*(sample[index] for sample, index in zip(samples, indices, strict=True)))
            for indices in chosen
        ]
        along_last = np.moveaxis(np.asarray(values, dtype=np.float64), 0, -1)
        return along_last if rows[0].ndim > 1 else along_last[..., 0]

    with warnings.catch_warnings(), np.errstate(invalid="ignore"):
        warnings.simplefilter("ignore", stats.DegenerateDataWarning)
        drawn = stats.bootstrap(
            [np.arange(len(sample)) for sample in samples],
            of_resamples,
            vectorized=True,
            axis=-1,
            n_resamples=num_resamples,
            batch=max(1, _BATCH_SIZE // max(len(sample) for sample in samples)),
            confidence_level=CONFIDENCE,
            method=method,
            rng=np.random.default_rng(seed),
        )
    values = np.asarray(statistic(*samples), dtype=np.float64)
    ends = np.array([drawn.confidence_interval.low, drawn.confidence_interval.high])
    # BCa is undefined where all resamples lie on one side of the value, or on it.
    tails = [(1 - CONFIDENCE) / 2, (1 + CONFIDENCE) / 2]
    plain = np.quantile(drawn.bootstrap_distribution, tails, axis=-1)
    low, high = np.where(np.isnan(ends), plain, ends)
    return Intervals(values, low, high)


def block_means(values: NDArray[np.number[Any]], blocks: int = NUM_BLOCKS) -> NDArray[np.float64]:
    """Return means over blocks of deals, (at most ``blocks``, ...), from values, (deals, ...).

    Deals are independent, and so are blocks of them: a function of means over deals has the same
    intervals by either, and far sooner by the blocks. Blocks have equally many deals. At least half
    as many blocks are made where that divides the deals better; the few deals left over at the end
    are left out.
    """
    deals = len(values)
    whole = max(range(max(blocks // 2, 1), blocks + 1), key=lambda count: (-(deals % count), count))
    whole = min(whole, deals)
    size = deals // whole
    return np.asarray(values[: whole * size].reshape(whole, size, *values.shape[1:]).mean(axis=1))
