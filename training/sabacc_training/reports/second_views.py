"""Second views of a tournament: its ratings, with what they mean."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby
from typing import Final

from sabacc_training.reports.model import Rating, SecondView
from sabacc_training.statistics.empirical_game import WITHOUT_EMPIRICAL_GAME
from sabacc_training.tournaments.config import TournamentConfig
from sabacc_training.tournaments.ratings import Measure
from sabacc_training.tournaments.rows import Results

NAMES: Final[dict[Measure, str]] = {
    "bradley_terry": "Bradley-Terry ratings",
    "plackett_luce": "Plackett-Luce ratings",
    "nash_weight": "Nash averaging: weights",
    "nash_margin": "Nash averaging: margins",
    "alpha_rank": "α-rank",
}
ELO = (
    "on Elo's scale: 400 points more are odds of ten to one, and the mean is 1500. It does not say "
)
MEANINGS: Final[dict[Measure, str]] = {
    "bradley_terry": "How often an agent comes out ahead, a deal counting once over both its "
    f"seatings, {ELO}how much is won.",
    "plackett_luce": "In which order the agents of a table come out of a deal, over all rotations, "
    f"{ELO}how much is won.",
    "nash_weight": "How often to send each agent, if the opponent chooses its agent as well as one "
    "can: the equilibrium of the game whose players each choose an agent.",
    "nash_margin": "The margin over that mixture in mante/hand: 0 for the agents in it, below 0 "
    "for others. Copies of an agent, and agents that all others beat, do not change it.",
    "alpha_rank": "The share of time that a population spends with each agent, when agents are "
    "replaced by those that beat them. Only who beats whom counts.",
}


def second_views(config: TournamentConfig, results: Results) -> Iterator[SecondView]:
    """Yield the ratings of each format by each measure, in the order of the rows."""
    rows = results.ratings
    for (format_, measure), group in groupby(rows, lambda row: (row.format, row.measure)):
        yield SecondView(
            name=NAMES[measure] + (f", {format_}" if len(config.formats) > 1 else ""),
            meaning=MEANINGS[measure],
            ratings=tuple(
                Rating(agent=row.agent, value=row.value, low=row.low, high=row.high)
                for row in group
            ),
        )
    if results.lacks_empirical_game:
        yield SecondView(name="Nash averaging and α-rank", meaning=WITHOUT_EMPIRICAL_GAME)
