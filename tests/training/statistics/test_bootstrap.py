"""Bootstrap intervals: SciPy's where SciPy can be asked, and coverage."""

import numpy as np
import pytest
from sabacc_training.statistics.bootstrap import block_means, bootstrap
from scipy import stats

RNG = np.random.default_rng(0)
SKEWED = RNG.exponential(size=(60, 2))


@pytest.mark.parametrize("method", ["BCa", "percentile"])
def test_a_mean_has_the_interval_of_scipy(method):
    ours = bootstrap([SKEWED], lambda rows: rows.mean(axis=0), method=method, seed=3)
    for column in (0, 1):
        scipys = stats.bootstrap(
            (SKEWED[:, column],), np.mean, n_resamples=2_000, method=method, rng=7
        ).confidence_interval
        width = scipys.high - scipys.low
        assert ours.low[column] == pytest.approx(scipys.low, abs=0.08 * width)
        assert ours.high[column] == pytest.approx(scipys.high, abs=0.08 * width)
    assert ours.values == pytest.approx(SKEWED.mean(axis=0))


def test_samples_are_resampled_by_themselves_and_rows_stay_whole():
    low, high = np.zeros(50), np.ones(70)
    apart = bootstrap([low, high], lambda low, high: high.mean() - low.mean())
    assert (apart.low, apart.values, apart.high) == (1, 1, 1)
    same = np.stack([SKEWED[:, 0], SKEWED[:, 0] + 5], axis=1)
    paired = bootstrap([same], lambda rows: np.diff(rows.mean(axis=0)))
    assert (paired.low[0], paired.high[0]) == pytest.approx((5, 5))


def test_the_same_seed_gives_the_same_interval():
    first, again, other = (
        bootstrap([SKEWED], lambda rows: np.median(rows[:, 0]), num_resamples=200, seed=seed)
        for seed in (1, 1, 2)
    )
    assert (first.low, first.high) == (again.low, again.high) != (other.low, other.high)


def test_block_means_keep_the_interval():
    values = np.random.default_rng(5).exponential(size=20_000)
    blocks = block_means(values)
    assert len(blocks) == 500
    interval = bootstrap([blocks], lambda rows: rows.mean(), num_resamples=1_000)
    student = 1.96 * values.std() / np.sqrt(len(values))
    assert interval.values == pytest.approx(values.mean())
    assert (interval.high - interval.low) / 2 == pytest.approx(student, rel=0.1)


def test_block_means_leave_out_as_few_deals_as_they_can():
    assert block_means(np.arange(9.0), 4).tolist() == [1, 4, 7]  # three blocks instead of four
    assert block_means(np.arange(11.0), 4).tolist() == [2, 7]
    assert block_means(np.arange(3.0), 4).tolist() == [0, 1, 2]


def test_intervals_of_a_skewed_statistic_cover_it():
    check_coverage(repetitions=150)


@pytest.mark.slow
def test_intervals_of_a_skewed_statistic_cover_it_measured_long():
    check_coverage(repetitions=10_000)


def check_coverage(repetitions: int) -> None:
    """Check it with the deviation of 200 normal values, whose sampling is skewed."""
    rng = np.random.default_rng(11)
    samples = (rng.normal(size=200) for _ in range(repetitions))
    intervals = [
        bootstrap([sample], lambda rows: rows.std(ddof=1), num_resamples=400) for sample in samples
    ]
    covered = np.mean([interval.low <= 1 <= interval.high for interval in intervals])
    print(f"deviation of 200 values, BCa: covered {covered:.2%}")
    assert 0.93 <= covered <= 0.97
