"""Simultaneous intervals and stepwise decisions."""

import numpy as np
import pytest
from sabacc_training.statistics.comparisons import compare
from sabacc_training.statistics.estimate import Estimate, t_quantile
from scipy import stats


def test_one_comparison_is_students():
    values = np.random.default_rng(0).normal(0.1, 1, size=(400, 1))
    compared = compare(values)
    estimate = Estimate.from_values(values[:, 0])
    assert compared.means[0] == pytest.approx(estimate.mean)
    assert compared.half_widths[0] == pytest.approx(estimate.half_width(), rel=0.02)
    assert compared.p_values[0] == pytest.approx(
        stats.ttest_1samp(values[:, 0], 0).pvalue, abs=0.01
    )


def test_correlated_comparisons_need_less_than_bonferroni():
    rng = np.random.default_rng(1)
    common, own = rng.normal(size=(2_000, 1)), rng.normal(size=(2_000, 20))
    bonferroni = t_quantile(2_000, 20)
    assert compare(own).critical_value == pytest.approx(bonferroni, rel=0.02)
    assert compare(3 * common + own).critical_value < 0.87 * bonferroni
    assert compare(common + 0 * own).critical_value == pytest.approx(1.96, rel=0.02)


def test_decisions_step_down():
    """The most certain comparison is corrected for all, the others only for those left."""
    noise = np.random.default_rng(2).normal(size=(1_000, 3))
    noise = (noise - noise.mean(axis=0)) / noise.std(axis=0, ddof=1)
    compared = compare(noise + np.array([10, 2.2, 0.1]) / np.sqrt(1_000))
    alone = 2 * stats.t.sf([10, 2.2, 0.1], 999)
    assert compared.p_values[0] == 0
    assert alone[1] * 1.5 < compared.p_values[1] <= 2 * alone[1] + 0.004  # Holm: twice
    assert compared.p_values[1] < 2.9 * alone[1]  # Bonferroni: three times
    assert compared.p_values[2] == pytest.approx(alone[2], abs=0.02)


def test_p_values_follow_the_statistics_in_any_order():
    values = np.random.default_rng(3).normal([0.2, 0, 0.1, -0.3], 1, size=(500, 4))
    compared = compare(values)
    order = [2, 0, 3, 1]
    again = compare(values[:, order])
    assert again.p_values == pytest.approx(compared.p_values[order], abs=0.01)
    certain = np.argsort(-np.abs(values.mean(axis=0) / values.std(axis=0)))
    assert (np.diff(compared.p_values[certain]) >= 0).all()


def test_means_without_deviation_are_certain():
    values = np.zeros((100, 3))
    values[:, 1], values[:, 2] = 5, np.random.default_rng(4).normal(size=100)
    compared = compare(values)
    assert compared.half_widths[:2].tolist() == [0, 0]
    assert compared.p_values[:2].tolist() == [1, 0]
    assert compared.half_widths[2] > 0
    assert compare(values[:, :2]).critical_value == 0
