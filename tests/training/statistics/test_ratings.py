"""Ratings: what is known of them, and bad input."""

import choix
import numpy as np
import pytest
from sabacc_training.statistics.ratings import bradley_terry, plackett_luce

from sabacc_env.errors import SabaccError


def test_400_points_are_odds_of_ten_to_one():
    margins = np.array([[1.0]] * 1_000 + [[-1.0]] * 100)
    ratings = bradley_terry(margins, [(0, 1)], num_resamples=100)
    assert ratings.values[0] - ratings.values[1] == pytest.approx(400, abs=2)
    assert ratings.values.mean() == pytest.approx(1500)
    assert (ratings.low < ratings.values).all()
    assert (ratings.values < ratings.high).all()


def test_equal_net_credits_are_half_a_win_for_each():
    won = np.array([[1.0], [-1.0]] * 200)
    equal = np.zeros((400, 1))
    for margins in (won, equal):
        ratings = bradley_terry(margins, [(0, 1)], num_resamples=50)
        assert ratings.values == pytest.approx([1500, 1500], abs=0.01)


def test_an_agent_that_wins_all_deals_has_a_rating():
    ratings = bradley_terry(np.ones((100, 1)), [(0, 1)], num_resamples=50)
    assert ratings.values[0] - ratings.values[1] == pytest.approx(400 * np.log10(100.5 / 0.5))


def test_ratings_count_deals_and_not_credits():
    small = np.array([[1.0, 1.0, 1.0]] * 90 + [[-1.0, -1.0, -1.0]] * 30)
    pairs = [(0, 1), (0, 2), (1, 2)]
    huge = np.where(small < 0, -1_000, small)
    ratings, same = (bradley_terry(margins, pairs, num_resamples=50) for margins in (small, huge))
    assert ratings.values.tolist() == same.values.tolist()
    assert huge.mean() < 0 < ratings.values[0] - ratings.values[2]


def tables(strengths, lineups, deals, seed=0):
    """Net credits whose order follows Plackett and Luce's model with these ratings."""
    noise = np.random.default_rng(seed).gumbel(size=(deals, *lineups.shape))
    return np.array(strengths)[lineups] * np.log(10) / 400 + noise


def test_more_seats_have_their_ratings_back():
    lineups = np.array([[0, 1, 2, 3], [1, 2, 3, 4], [0, 2, 4, 1], [4, 3, 0, 1], [2, 3, 4, 0]])
    strengths = np.array([200.0, 50, 0, -100, -150])
    ratings = plackett_luce(tables(strengths, lineups, 400), lineups, num_passes=8)
    assert ratings.values.mean() == pytest.approx(1500)
    assert ratings.values == pytest.approx(1500 + strengths, abs=20)
    assert ((ratings.low < 1500 + strengths) & (1500 + strengths < ratings.high)).all()


def test_few_contests_give_the_ratings_of_maximum_likelihood():
    """In one order they put ratings further apart, by 22 points here."""
    lineups = np.array([[0, 1, 2, 3], [1, 2, 3, 4], [0, 2, 4, 1], [4, 3, 0, 1]])
    net_credits = tables([150.0, 50, 0, -50, -150], lineups, 100)
    ratings = plackett_luce(net_credits, lineups, num_passes=12).values
    rankings = np.take_along_axis(lineups[None], np.argsort(-net_credits), axis=2)
    likely = choix.opt_rankings(5, rankings.reshape(-1, 4).tolist()) * 400 / np.log(10)
    assert ratings[0] - ratings[4] == pytest.approx(likely[0] - likely[4], abs=12)


def test_the_order_of_deals_and_places_does_not_matter():
    lineups = np.array([[0, 1, 2]])
    net_credits = tables([100, 0, -100], lineups, 400)
    ratings = plackett_luce(net_credits, lineups, num_passes=8)
    backwards = plackett_luce(net_credits[::-1], lineups, num_passes=8)
    moved = plackett_luce(net_credits[..., [2, 0, 1]], lineups[:, [2, 0, 1]], num_passes=8)
    for other in (backwards, moved):
        assert other.values == pytest.approx(ratings.values, abs=8)


def test_two_seats_agree_with_bradley_terry():
    lineups = np.array([[0, 1], [1, 2], [2, 0]])
    net_credits = tables([120, 0, -120], lineups, 600)
    ratings = plackett_luce(net_credits, lineups, num_passes=8)
    margins = net_credits[..., 0] - net_credits[..., 1]
    expected = bradley_terry(margins, [(0, 1), (1, 2), (2, 0)], num_resamples=50)
    assert ratings.values == pytest.approx(expected.values, abs=8)


def test_shared_places_are_even():
    ratings = plackett_luce(np.zeros((50, 1, 3)), np.array([[0, 1, 2]]), num_passes=3)
    assert ratings.values == pytest.approx([1500] * 3, abs=1)


def test_an_agent_twice_at_a_table_is_refused():
    with pytest.raises(SabaccError, match=r"lineups: \[0, 1, 1\] has an agent twice"):
        plackett_luce(np.zeros((5, 1, 3)), np.array([[0, 1, 1]]))
