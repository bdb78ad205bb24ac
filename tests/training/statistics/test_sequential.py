"""The group-sequential rule: what it decides, and that its intervals keep their 95 %."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from sabacc_training.statistics.estimate import Estimate
from sabacc_training.statistics.sequential import GROWTH, SLACK, Forecast, SequentialPlan

from sabacc_env.errors import SabaccError
from tests.training.statistics.simulation import ALL, RARER_POTS, ZOO_MAXIMISER, ZOO_TIGHT, Deals

PLAN = SequentialPlan(half_width=20, task_deals=1_000)


def test_deals_are_added_until_the_widest_interval_is_narrow_enough():
    estimates = [Estimate(100, 5_000, 2_000), Estimate(0, 1_000, 2_000)]
    path = []
    while not path or path[-1] < PLAN.next_deals(estimates):
        path.append(PLAN.next_deals(estimates))
        estimates = [replace(estimate, deals=path[-1]) for estimate in estimates]
    assert path == [8_000, 32_000, 128_000, 245_000]
    needed = (1.96 * 5_000 / 20) ** 2
    assert path[-1] == pytest.approx(SLACK * needed, abs=1_000)
    assert (
        PLAN.widest(estimates)
        <= 20
        < PLAN.widest([replace(estimates[0], deals=int(needed) - 1_000)])
    )


def test_the_forecast_follows_the_same_path():
    estimates = [Estimate(100, 5_000, 2_000), Estimate(0, 1_000, 2_000)]
    assert PLAN.forecast(estimates) == Forecast(deals=245_000, looks=4)
    assert PLAN.forecast([Estimate(0, 0, 2_000)]) == Forecast(deals=2_000, looks=0)


@pytest.mark.parametrize("task_deals", [1, 7, 300, 50_000])
def test_deals_come_in_whole_tasks_and_grow_by_at_most_the_factor(task_deals):
    plan = SequentialPlan(half_width=1, task_deals=task_deals)
    deals = plan.next_deals([])
    assert deals >= plan.pilot_deals
    for _ in range(5):
        more = plan.next_deals([Estimate(0, 1e6, deals)])
        assert more % task_deals == 0
        assert GROWTH * deals <= more < GROWTH * deals + task_deals
        deals = more


def test_intervals_that_hold_together_need_more_deals():
    estimates = [Estimate(0, 5_000, 200_000)] * 10
    together = SequentialPlan(20, 1_000, comparisons=10)
    assert together.widest(estimates) == estimates[0].half_width(10)
    assert together.next_deals(estimates) > PLAN.next_deals(estimates)


@pytest.mark.parametrize("half_width", [0, -1, float("nan"), float("inf")])
def test_a_half_width_must_be_above_0(half_width):
    with pytest.raises(SabaccError, match=r"half_width: .* is not allowed; .* above 0"):
        SequentialPlan(half_width, 1_000)


def test_pairs_with_different_numbers_of_deals_are_refused():
    with pytest.raises(ValueError, match="too many values"):
        PLAN.next_deals([Estimate(0, 1, 2_000), Estimate(0, 1, 3_000)])


@pytest.mark.parametrize("deals", ALL, ids=lambda deals: deals.name)
@pytest.mark.parametrize("needed", [3_000])
def test_the_interval_covers_the_truth_at_95_in_100(deals, needed):
    check_coverage(deals, needed, repetitions=1_000)


@pytest.mark.slow
@pytest.mark.parametrize("deals", ALL, ids=lambda deals: deals.name)
@pytest.mark.parametrize("needed", [2_000, 3_000, 10_000, 40_000])
def test_the_interval_covers_the_truth_at_95_in_100_measured_long(deals, needed):
    check_coverage(deals, needed, repetitions=10_000)


def test_real_margins_have_heavy_tails():
    rng = np.random.default_rng(0)
    for real, expected in ((ZOO_MAXIMISER, 19.4), (ZOO_TIGHT, 29.8)):
        assert np.mean(real.draw(rng, (1_000_000,)) ** 4) == pytest.approx(expected, rel=0.05)


def test_pots_too_rare_for_the_deals_are_covered_less_with_any_number_of_deals():
    """3,000 deals have some three such pots, which carry most of the deviation, or none."""
    needed, repetitions = 3_000, 1_000
    followed = coverage(RARER_POTS, needed, repetitions)
    rng = np.random.default_rng(1)
    fixed = [Estimate.from_values(RARER_POTS.draw(rng, (needed,))) for _ in range(repetitions)]
    covered = np.mean([covers(estimate) for estimate in fixed])
    print(f"{RARER_POTS.name}, always {needed:,} deals: covered {covered:.2%}")
    assert 0.85 < followed < 0.92
    assert followed < covered < 0.94


def check_coverage(deals: Deals, needed: int, repetitions: int) -> None:
    assert 0.93 <= coverage(deals, needed, repetitions) <= 0.97


def coverage(deals: Deals, needed: int, repetitions: int) -> float:
    """Measure it where ``needed`` deals would do if the deviation, 1, were known."""
    plan = SequentialPlan(1.96 / needed**0.5, task_deals=200)
    rng = np.random.default_rng(needed)
    ends = [play_until_narrow(plan, deals, rng) for _ in range(repetitions)]
    assert max(end.half_width() for end in ends) <= plan.half_width
    covered = float(np.mean([covers(end) for end in ends]))
    excess = np.mean([end.deals for end in ends]) / needed
    print(f"{deals.name}, {needed:,} deals: covered {covered:.2%}, {excess:.2f} times the deals")
    return covered


def covers(estimate: Estimate) -> bool:
    """Whether its interval has the true mean, 0, in it."""
    return abs(estimate.mean) <= estimate.half_width()


def play_until_narrow(plan: SequentialPlan, deals: Deals, rng: np.random.Generator) -> Estimate:
    values = deals.draw(rng, (plan.next_deals([]),))
    while (wanted := plan.next_deals([Estimate.from_values(values)])) > len(values):
        values = np.append(values, deals.draw(rng, (wanted - len(values),)))
    return Estimate.from_values(values)
