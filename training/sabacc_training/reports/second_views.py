"""Second views of a tournament of pairs: Bradley-Terry ratings, Nash averaging and alpha-rank."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

from sabacc_env.errors import SabaccError
from sabacc_training.reports.model import Rating, SecondView
from sabacc_training.statistics.bootstrap import Intervals
from sabacc_training.statistics.empirical_game import alpha_rank, margin_matrix, nash_average
from sabacc_training.statistics.ratings import bradley_terry

BRADLEY_TERRY = (
    "How often an agent comes out ahead, a deal counting once over both its seatings, on Elo's "
    "scale: 400 points more are odds of ten to one, and the mean is 1500. It does not say how much "
    "is won."
)
NASH_WEIGHTS = (
    "How often to send each agent, if the opponent chooses its agent as well as one can: the "
    "equilibrium of the game whose players each choose an agent."
)
NASH_SKILLS = (
    "The margin over that mixture in mante/hand: 0 for the agents in it, below 0 for others. "
    "Copies of an agent, and agents that all others beat, do not change it."
)
ALPHA_RANK = (
    "The share of time that a population spends with each agent, when agents are replaced by those "
    "that beat them. Only who beats whom counts."
)


def second_views(
    agents: Sequence[str], margins: NDArray[np.float64], pairs: Sequence[tuple[int, int]]
) -> tuple[SecondView, ...]:
    """Return the results of all pairs by other measures.

    Nash averaging and alpha-rank need OpenSpiel. Without it, they have no ratings and say so.

    Args:
        agents: the names of the agents.
        margins: (deals, pairs): the margin of the first agent over the second.
        pairs: the two agents of each pair, by index.
    """
    ratings = SecondView(
        name="Bradley-Terry ratings",
        meaning=BRADLEY_TERRY,
        ratings=_rated(agents, bradley_terry(margins, pairs)),
    )
    try:
        average = nash_average(margins, pairs)
        masses = alpha_rank(margin_matrix(margins.mean(axis=0), pairs))
    except SabaccError as error:  # OpenSpiel is absent
        return ratings, SecondView(name="Nash averaging and α-rank", meaning=f"{error}.")
    return (
        ratings,
        SecondView(
            name="Nash averaging: weights",
            meaning=NASH_WEIGHTS,
            ratings=_rated(agents, average.weights),
        ),
        SecondView(
            name="Nash averaging: margins",
            meaning=NASH_SKILLS,
            ratings=_rated(agents, average.skills),
        ),
        SecondView(
            name="α-rank",
            meaning=ALPHA_RANK,
            ratings=_best_first(
                Rating(agent=agent, value=round(mass, 6))
                for agent, mass in zip(agents, masses.tolist(), strict=True)
            ),
        ),
    )


def _rated(agents: Sequence[str], intervals: Intervals) -> tuple[Rating, ...]:
    """Return ratings with their intervals; the bootstrap finds none where all deals are alike."""
    return _best_first(
        Rating(
            agent=agent,
            value=round(value, 6),
            low=None if math.isnan(low + high) else round(low, 6),
            high=None if math.isnan(low + high) else round(high, 6),
        )
        for agent, value, low, high in zip(
            agents,
            intervals.values.tolist(),
            intervals.low.tolist(),
            intervals.high.tolist(),
            strict=True,
        )
    )


def _best_first(ratings: Iterable[Rating]) -> tuple[Rating, ...]:
    return tuple(sorted(ratings, key=lambda rating: -rating.value))
