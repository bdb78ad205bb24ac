"""Ratings on Elo's scale: Bradley-Terry for two seats, Plackett-Luce for more.

They come second to margins: they count how often an agent comes out ahead, not by how much. An
agent that wins many small pots and loses few huge ones has a high rating and a negative margin. On
Elo's scale 400 points are odds of ten to one; the mean of all agents is 1500.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from sabacc_env.errors import SabaccError
from sabacc_training.statistics.bootstrap import NUM_RESAMPLES, Intervals, block_means, bootstrap
from sabacc_training.statistics.estimate import t_quantile

MEAN_RATING: Final = 1500.0
"""The mean of all ratings."""

POINTS: Final = 400 / math.log(10)
"""Elo's points of one unit of log odds."""

NUM_PASSES: Final = 40
"""Passes over the tables by ``plackett_luce``."""

CONTESTS: Final = 5_000
"""Contests in a pass, about; each takes some 30 microseconds. Far fewer leave ratings too far
apart."""


def bradley_terry(
    margins: NDArray[np.number[Any]],
    pairs: Sequence[tuple[int, int]],
    *,
    num_resamples: int = NUM_RESAMPLES,
    seed: int = 0,
) -> Intervals:
    """Return ratings, (agents,), by Bradley and Terry's model, with BCa intervals over deals.

    A deal is a contest: the agent with the greater net credits over all its hands wins it, and
    equal net credits are half a win for each. The ratings are those of maximum likelihood
    (``choix.ilsr_pairwise_dense``; Maystre and Grossglauser 2015), with half a win more for each
    agent of each pair, so that they stay finite for an agent that wins all deals or none.

    Args:
        margins: (deals, pairs): the first agent's margin over the second, or only its sign.
        pairs: the two agents, by index, of each pair; they connect all agents.
        num_resamples: the number of resamples.
        seed: seeds the resamples.
    """
    import choix

    deals = len(margins)
    first, second = np.array(pairs).T
    agents = 1 + max(first.max(), second.max())

    def ratings(wins: NDArray[np.float64]) -> NDArray[np.float64]:
        shares = wins.mean(axis=0)
        contests = np.zeros((agents, agents))
        contests[first, second] = deals * shares + 0.5
        contests[second, first] = deals * (1 - shares) + 0.5
        return MEAN_RATING + POINTS * np.asarray(choix.ilsr_pairwise_dense(contests))

    wins = (block_means(np.sign(margins)) + 1) / 2
    return bootstrap([wins], ratings, num_resamples=num_resamples, seed=seed)


def plackett_luce(
    scores: NDArray[np.float64],
    lineups: NDArray[np.int64],
    *,
    num_passes: int = NUM_PASSES,
    seed: int = 0,
) -> Intervals:
    """Return ratings, (agents,), by openskill's Plackett-Luce, with intervals over deals.

    A deal at a table is a contest with places, by the scores; equal scores share a place. openskill
    rates contest after contest, so the order matters: the last ones count more. Therefore each of
    several passes resamples the deals and orders them at random, starting anew, and the rating is
    the mean over the passes. The interval is Student's with the deviation of single passes, which
    has the error of the order in it and so is rather too wide. Of many deals a pass draws only
    some, and the interval is that of so many; few deals are gone through several times in a pass.

    Args:
        scores: (deals, tables, places), higher is better: of single hands the mean net credits or
            margins over the rotations of a deal, of matches the mean places with a minus sign.
        lineups: (tables, places): the agent, by index, at each place.
        num_passes: passes over all deals, at least two.
        seed: seeds the resamples and their order.

    Raises:
        SabaccError: for an agent that sits twice at a table.
    """
    agents = 1 + int(lineups.max())
    for lineup in lineups.tolist():
        if len(set(lineup)) < len(lineup):
            raise SabaccError(
                f"lineups: {lineup} has an agent twice; ratings need tables of different agents "
                "(format mixed)"
            )
    rng = np.random.default_rng(seed)
    deals = len(scores)
    drawn = min(deals, max(1, CONTESTS // len(lineups)))
    rounds = max(1, CONTESTS // (drawn * len(lineups)))

    def order() -> NDArray[np.int64]:
        """Draw deals, and return them in the order of a pass."""
        resample = rng.integers(deals, size=drawn)
        return np.concatenate([rng.permutation(resample) for _ in range(rounds)])

    passes = np.array([_rate(scores[order()], lineups, agents) for _ in range(num_passes)])
    values = passes.mean(axis=0)
    half_widths = t_quantile(num_passes) * passes.std(axis=0, ddof=1)
    return Intervals(values, values - half_widths, values + half_widths)


def _rate(
    scores: NDArray[np.float64], lineups: NDArray[np.int64], agents: int
) -> NDArray[np.float64]:
    """Return ratings after all contests in this order, with their mean moved to 1500."""
    from openskill.models import PlackettLuce

    places = lineups.shape[1]
    model = PlackettLuce(
        mu=MEAN_RATING,
        sigma=2 * POINTS,
        beta=POINTS / math.sqrt(places),  # odds of two agents at a table are then Elo's
        tau=0.0,  # agents do not change
        gamma=lambda *_, **__: 1.0,  # all contests count alike in the end
    )
    ratings = [model.rating() for _ in range(agents)]
    for deal in scores.tolist():
        for lineup, row in zip(lineups.tolist(), deal, strict=True):
            rated = model.rate([[ratings[agent]] for agent in lineup], scores=row)
            for agent, (rating,) in zip(lineup, rated, strict=True):
                ratings[agent] = rating
    values = np.array([rating.mu for rating in ratings])
    return np.asarray(values - values.mean() + MEAN_RATING)
