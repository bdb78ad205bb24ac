"""A simulated tournament with known truth: standings, pairs and ratings cover it.

In each deal every agent performs by its strength and luck (Gumbel's distribution); all pairs share
the deals, so the margins of pairs are correlated. The margin of a pair is the difference of their
performances times the pot, which is skewed. So the margins' means and the ratings of Bradley and
Terry's model are known exactly.
"""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from numpy.typing import NDArray
from sabacc_training.statistics.comparisons import compare
from sabacc_training.statistics.estimate import Estimate
from sabacc_training.statistics.ratings import POINTS, bradley_terry
from sabacc_training.statistics.sequential import SequentialPlan

STRENGTHS = np.array([0.3, 0.1, 0.0, 0.0, -0.4])
PAIRS = list(itertools.combinations(range(5), 2))
FIRST, SECOND = np.array(PAIRS).T
MARGINS = STRENGTHS[FIRST] - STRENGTHS[SECOND]
RATINGS = 1500 + POINTS * STRENGTHS


def play(rng: np.random.Generator, deals: int) -> NDArray[np.float64]:
    """Return the margins of all pairs, (deals, pairs)."""
    performances = STRENGTHS + rng.gumbel(size=(deals, 5))
    pots = rng.exponential(size=(deals, 1))
    return pots * (performances[:, FIRST] - performances[:, SECOND])


def standing(margins: NDArray[np.float64], agent: int) -> NDArray[np.float64]:
    """Return an agent's margin over the mean of its opponents, deal by deal."""
    own = np.where(agent == FIRST, 1.0, np.where(agent == SECOND, -1.0, 0.0))
    return margins @ own / 4


def test_standings_pairs_and_decisions_cover_the_truth():
    check_means(repetitions=200)


@pytest.mark.slow
def test_standings_pairs_and_decisions_cover_the_truth_measured_long():
    check_means(repetitions=10_000)


def check_means(repetitions: int) -> None:
    rng = np.random.default_rng(1)
    pairs, standings, together, wrong = [], [], [], []
    true_standings = standing(MARGINS[None], 0), standing(MARGINS[None], 4)
    for _ in range(repetitions):
        margins = play(rng, 1_000)
        pairs.append([covers(margins[:, pair], MARGINS[pair]) for pair in (0, 4, 9)])
        standings.append(
            [
                covers(standing(margins, agent), truth[0])
                for agent, truth in zip((0, 4), true_standings, strict=True)
            ]
        )
        compared = compare(margins)
        together.append((abs(compared.means - MARGINS) <= compared.half_widths).all())
        wrong.append((compared.p_values[MARGINS == 0] < 0.05).any())
    for what, covered in (("a pair", pairs), ("a standing", standings), ("all pairs", together)):
        share = np.mean(covered)
        print(f"{what}: covered {share:.2%}")
        assert 0.93 <= share <= 0.97
    print(f"an undecided pair is called decided: {np.mean(wrong):.2%}")
    assert np.mean(wrong) <= 0.06


def covers(values: NDArray[np.float64], truth: float) -> bool:
    estimate = Estimate.from_values(values)
    return abs(estimate.mean - truth) <= estimate.half_width()


def test_pairs_that_stop_together_cover_the_truth():
    check_sequential(repetitions=150)


@pytest.mark.slow
def test_pairs_that_stop_together_cover_the_truth_measured_long():
    check_sequential(repetitions=10_000)


def check_sequential(repetitions: int) -> None:
    rng = np.random.default_rng(2)
    plan = SequentialPlan(half_width=0.09, task_deals=200)
    covered, deals = [], []
    for _ in range(repetitions):
        margins = play(rng, plan.next_deals([]))
        while (wanted := plan.next_deals(estimates(margins))) > len(margins):
            margins = np.concatenate([margins, play(rng, wanted - len(margins))])
        covered.append([covers(margins[:, pair], MARGINS[pair]) for pair in range(10)])
        deals.append(len(margins))
    print(f"pairs that stop together: covered {np.mean(covered):.2%}, {np.mean(deals):,.0f} deals")
    assert 0.93 <= np.mean(covered) <= 0.97
    assert np.mean(deals) > plan.pilot_deals


def estimates(margins: NDArray[np.float64]) -> list[Estimate]:
    return [Estimate.from_values(column) for column in margins.T]


@pytest.mark.slow
def test_ratings_cover_the_truth():
    check_ratings(repetitions=25)


@pytest.mark.slow
def test_ratings_cover_the_truth_measured_long():
    check_ratings(repetitions=2_000)


def check_ratings(repetitions: int) -> None:
    rng = np.random.default_rng(3)
    covered = []
    for _ in range(repetitions):
        ratings = bradley_terry(play(rng, 150), PAIRS, num_resamples=200)
        covered.append((ratings.low <= RATINGS) & (ratings.high >= RATINGS))
    print(f"Bradley-Terry ratings: covered {np.mean(covered):.2%}")
    assert 0.91 <= np.mean(covered) <= 0.98
