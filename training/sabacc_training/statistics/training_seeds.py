"""Scores of several training seeds: the interquartile mean."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sabacc_training.statistics.bootstrap import Intervals, bootstrap


def interquartile_mean(scores: NDArray[np.float64], seed: int = 0) -> Intervals:
    """Return the interquartile mean of scores, with its 95 % interval.

    It is the mean of the middle half of all scores, pooled over seeds and tasks, as in rliable
    (Agarwal et al. 2021, "Deep Reinforcement Learning at the Edge of the Statistical Precipice",
    https://arxiv.org/abs/2108.13264; ``aggregate_iqm`` in
    https://github.com/google-research/rliable). The interval is theirs, too: a percentile bootstrap
    stratified by task, which draws the seeds of each task by themselves. With five seeds it covers
    the truth some 90 times in 100 instead of 95; the BCa bootstrap covers it no more often.

    Args:
        scores: (seeds, tasks), at least two seeds; scores of different tasks on one scale.
        seed: seeds the resamples.

    >>> scores = np.array([[1.0, 5.0], [2.0, 6.0], [3.0, 7.0], [4.0, 80.0]])
    >>> float(interquartile_mean(scores).values)  # of 3, 4, 5 and 6
    4.5
    """
    from scipy import stats

    return bootstrap(
        list(scores.T),
        lambda *tasks: stats.trim_mean(np.concatenate(tasks), 0.25),
        method="percentile",
        seed=seed,
    )
