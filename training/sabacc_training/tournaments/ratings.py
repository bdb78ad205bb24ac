"""Ratings of a tournament: the results of a format by other measures than margins."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sabacc_env.errors import SabaccError
from sabacc_training.statistics.bootstrap import Intervals
from sabacc_training.statistics.empirical_game import alpha_rank, margin_matrix, nash_average
from sabacc_training.statistics.ratings import (
    CONTESTS,
    NUM_PASSES,
    bradley_terry,
    plackett_luce,
)

Measure = Literal["bradley_terry", "plackett_luce", "nash_weight", "nash_margin", "alpha_rank"]

FEWEST_DEALS: Final = 100
"""Of fewer deals there are no ratings: the bootstrap's intervals would be too narrow."""


class Rating(NamedTuple):
    """The value of an agent, with the ends of its 95 % interval; None where there is none."""

    measure: Measure
    agent: str
    value: float
    low: float | None
    high: float | None


def ratings_of_pairs(
    agents: Sequence[str],
    pairs: Sequence[tuple[str, str]],
    won: NDArray[np.int8],
    margins: NDArray[np.float64],
) -> Iterator[Rating]:
    """Yield Bradley-Terry ratings; of three agents or more also Nash averaging and alpha-rank.

    The last two need OpenSpiel. They are left out without it, and where its solver fails.

    Args:
        agents: their names.
        pairs: the two agents of each pair; all of them meet.
        won: (deals, pairs): 1 where the first came out ahead in a deal, -1 where the second did.
        margins: (blocks, pairs): the first agent's margin over the second, in blocks of deals.
    """
    if len(won) < FEWEST_DEALS:
        return
    indices = [(agents.index(first), agents.index(second)) for first, second in pairs]
    yield from _rated("bradley_terry", agents, bradley_terry(won, indices), digits=1)
    if len(agents) < 3:
        return
    try:
        average = nash_average(margins, indices)
        masses = alpha_rank(margin_matrix(margins.mean(axis=0), indices))
    except SabaccError:  # OpenSpiel is absent, or its solver fails
        return
    yield from _rated("nash_weight", agents, average.weights, digits=3)
    yield from _rated("nash_margin", agents, average.skills, digits=0)
    nan = np.full(len(agents), np.nan)
    yield from _rated("alpha_rank", agents, Intervals(masses, nan, nan), digits=3)


def ratings_of_tables(
    agents: Sequence[str],
    lineups: Sequence[tuple[str, ...]],
    scores: NDArray[np.float64],
) -> Iterator[Rating]:
    """Yield Plackett-Luce ratings of mixed tables.

    Agents that no chain of tables connects cannot be compared: then there are none.

    Args:
        agents: their names.
        lineups: the agents of each table.
        scores: (deals, tables, places), higher is better; of ``most_rated_deals``.
    """
    seated = [agent for agent in agents if any(agent in lineup for lineup in lineups)]
    if len(scores) < FEWEST_DEALS or not _connected(lineups):
        return
    indices = np.array([[seated.index(agent) for agent in lineup] for lineup in lineups])
    yield from _rated("plackett_luce", seated, plackett_luce(scores, indices), digits=1)


def most_rated_deals(tables: int) -> int:
    """Return of how many deals the ratings of so many tables are: what all passes draw."""
    return max(FEWEST_DEALS, NUM_PASSES * CONTESTS // tables)


def _connected(lineups: Sequence[tuple[str, ...]]) -> bool:
    """Say whether a chain of tables connects any two agents that sit at one."""
    reached, left = set(lineups[0]), [set(lineup) for lineup in lineups[1:]]
    while left:
        beside = [table for table in left if not reached.isdisjoint(table)]
        if not beside:
            return False
        reached = reached.union(*beside)
        left = [table for table in left if table not in beside]
    return True


def _rated(
    measure: Measure, agents: Sequence[str], intervals: Intervals, digits: int
) -> list[Rating]:
    """Return the rating of each agent, best first, in so many decimals: more is solvers' error."""

    def rounded(value: float) -> float | None:
        return None if np.isnan(value) else round(value, digits) + 0.0

    rows = zip(
        agents,
        intervals.values.tolist(),
        map(rounded, intervals.low.tolist()),
        map(rounded, intervals.high.tolist()),
        strict=True,
    )
    ratings = [
        Rating(measure, agent, round(value, digits) + 0.0, low, high)
        for agent, value, low, high in rows
    ]
    return sorted(ratings, key=lambda rating: -rating.value)
