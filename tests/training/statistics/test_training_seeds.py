"""The interquartile mean over training seeds."""

import numpy as np
import pytest
from sabacc_training.statistics.training_seeds import interquartile_mean
from scipy import stats


def test_it_is_rliables_definition():
    # Pooled over seeds and tasks: of 1, 2, 3, 4, 5, 6, 7, 800 the middle half is 3, 4, 5, 6. Task
    # by task it would be the mean of 2.5 and 6.5, which is equal; the second tells them apart.
    first = np.array([[1.0, 5], [2, 6], [3, 7], [4, 800]])
    second = np.array([[0.0, 10], [0, 0], [100, 20], [200, 30]])
    assert interquartile_mean(first).values == 4.5
    assert interquartile_mean(second).values == 15
    for scores in (first, second):  # the expression of rliable's aggregate_iqm
        theirs = stats.trim_mean(scores, proportiontocut=0.25, axis=None)
        assert interquartile_mean(scores).values == theirs


def test_seeds_are_drawn_within_their_task():
    apart = np.array([[1.0, 100.0], [1.0, 100.0], [1.0, 100.0]])
    interval = interquartile_mean(apart)
    assert interval.low == interval.values == interval.high


@pytest.mark.slow
def test_the_interval_covers_the_truth():
    """20 seeds of 2 tasks; intervals of few seeds are known to be narrow."""
    rng = np.random.default_rng(2)
    intervals = [interquartile_mean(rng.normal(3, 1, size=(20, 2))) for _ in range(400)]
    covered = np.mean([interval.low <= 3 <= interval.high for interval in intervals])
    print(f"interquartile mean, 20 seeds, 2 tasks: covered {covered:.2%}")
    assert 0.91 <= covered <= 0.97
