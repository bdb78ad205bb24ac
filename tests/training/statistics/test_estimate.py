"""Estimates: the mean over deals and its interval."""

import numpy as np
import pytest
from sabacc_training.statistics.estimate import Estimate, t_quantile
from scipy import stats


def test_the_interval_is_students():
    values = np.random.default_rng(0).normal(50, 300, size=400)
    estimate = Estimate.from_values(values)
    interval = stats.ttest_1samp(values, 0).confidence_interval(0.95)
    assert estimate.mean - estimate.half_width() == pytest.approx(interval.low)
    assert estimate.mean + estimate.half_width() == pytest.approx(interval.high)
    assert estimate.half_width(10) / estimate.half_width() == pytest.approx(
        t_quantile(400, 10) / t_quantile(400)
    )
