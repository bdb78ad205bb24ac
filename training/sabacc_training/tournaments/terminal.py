"""The results of a tournament as tables for the terminal."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from typing import Final

from rich.console import Console, Group, RenderableType
from rich.table import Table
from rich.text import Text
from sabacc_agents.language_models.usage import COUNTS, Usage

from sabacc_training.evaluation.report import legend, margins_table, marked, worth
from sabacc_training.evaluation.rows import PairRow
from sabacc_training.statistics.empirical_game import WITHOUT_EMPIRICAL_GAME
from sabacc_training.tournaments.ratings import Measure
from sabacc_training.tournaments.rows import RatingRow, Results, StandingRow, UsageRow

HEADINGS: Final[dict[Measure, str]] = {
    "bradley_terry": "Bradley-Terry",
    "plackett_luce": "Plackett-Luce",
    "nash_weight": "Nash weight",
    "nash_margin": "Nash margin",
    "alpha_rank": "α-rank",
}
"""How tables call the measures."""


def standings(results: Results, console: Console) -> RenderableType:
    """Return for each format the ranking, and the margin of each agent over each other.

    Where a matrix is too wide for the console, a second table has a row for each pair.
    """
    parts: list[RenderableType] = []
    formats = list(dict.fromkeys(row.format for row in results.ranking))
    for name in formats:
        ranked = [row for row in results.ranking if row.format == name]
        pairs = [row for row in results.pairs if row.format == name]
        if len(formats) > 1:
            parts += [Text()] * bool(parts) + [Text(name, "bold"), Text()]
        matrix = _standings_table(ranked, pairs, matrix=bool(pairs))
        unlimited = console.options.update(max_width=sys.maxsize)
        if console.measure(matrix, options=unlimited).maximum <= console.width:
            parts.append(matrix)
        else:
            parts += [_standings_table(ranked, pairs, matrix=False)]
            parts += [Text(), margins_table(pairs)] if pairs else []
        ratings = [row for row in results.ratings if row.format == name]
        parts += [Text(), _ratings_table(ranked, ratings)] if ratings else []
    return Group(*parts)


def explanations(results: Results) -> Iterator[str]:
    """Yield the sentences that explain the tables, and name the agents that failed."""
    pairs = [row for row in results.pairs if row.format == "pairs"]
    if pairs:
        yield from legend(pairs)
    else:
        yield (
            "mante/hand: thousandths of an ante (hand ante + Sabacc ante) a hand, over "
            f"{results.deals:,} deals, each played from every seat; ± is a 95 % interval."
        )
    if results.ratings:
        yield (
            "Ratings count how often an agent comes out ahead, not by how much: 400 points more "
            "are odds of ten to one, and the mean is 1500. Below a value is its 95 % interval."
        )
    if results.lacks_empirical_game:
        yield WITHOUT_EMPIRICAL_GAME
    reductions = [row.reduction for row in results.places if row.reduction is not None]
    if reductions:
        yield f"Reduced: with control variates, which are worth {worth(reductions, 1)}."
    for failure in results.failures:
        yield (
            f"{failure.agent} failed in {failure.count:,} of {failure.decisions:,} decisions "
            f"({failure.kind}), and a default was played. The first time: {failure.example}"
        )
    for agent, restarts in {row.agent: row.restarts for row in results.failures}.items():
        if restarts:
            yield f"The process of {agent} was started again {restarts:,} times."
    for row in results.usage:
        yield f"{row.agent}, {row.decisions:,} decisions: {_usage_of(row).text(row.cost)}."


def _usage_of(row: UsageRow) -> Usage:
    return Usage(**row.model_dump(include=set(COUNTS)))


def _standings_table(ranked: list[StandingRow], pairs: list[PairRow], *, matrix: bool) -> Table:
    """Return a row for each agent, best first; with ``matrix``, a column for each opponent."""
    cells = {}
    for pair in pairs:
        cells[pair.agent, pair.opponent] = _cell(
            pair.margin, pair.half_width, pair.seen_in_training
        )
        if pair.format == "pairs":
            other = _cell(-pair.margin, pair.half_width, pair.seen_in_training)
            cells[pair.opponent, pair.agent] = other
    others = [row.agent for row in ranked] if matrix else []
    with_ranks = any(row.rank is not None for row in ranked)
    table = Table(box=None, leading=1, pad_edge=False)
    table.add_column("")
    table.add_column("agent")
    reduced = any(row.reduced_margin is not None for row in ranked)
    headings = [
        "mean",
        *["reduced"] * reduced,
        *["place"] * with_ranks,
        *(f"v. {n}" for n in range(1, len(others) + 1)),
    ]
    for heading in headings:
        table.add_column(heading, justify="right", no_wrap=True)
    for place, row in enumerate(ranked, 1):
        against = [cells.get((row.agent, other), "-") for other in others]
        ranks = [f"{row.rank:.2f}\n± {row.rank_half_width:.2f}"] if row.rank is not None else []
        means = [_cell(row.margin, row.half_width, row.seen_in_training)]
        if row.reduced_margin is not None and row.reduced_half_width is not None:
            means += [_cell(row.reduced_margin, row.reduced_half_width, row.seen_in_training)]
        table.add_row(f"{place}", row.agent, *means, *ranks, *against)
    return table


def _ratings_table(ranked: list[StandingRow], ratings: list[RatingRow]) -> Table:
    """Return a row for each agent, in the order of the ranking: its value by each measure."""
    values = {(row.agent, row.measure): row for row in ratings}
    measures = list(dict.fromkeys(row.measure for row in ratings))
    table = Table(box=None, pad_edge=False)
    table.add_column("agent")
    for measure in measures:
        table.add_column(HEADINGS[measure], justify="right", no_wrap=True)
    for ranking in ranked:
        rated = [values.get((ranking.agent, measure)) for measure in measures]
        table.add_row(ranking.agent, *("-" if row is None else _rating_text(row) for row in rated))
    return table


def _rating_text(row: RatingRow) -> str:
    """Return a rating with its interval."""
    digits = 2 if row.measure in ("nash_weight", "alpha_rank") else 0
    numbers = [row.value, *(end for end in (row.low, row.high) if end is not None)]
    value, *ends = (f"{number:.{digits}f}" for number in numbers)
    return f"{value}\n{' to '.join(ends)}" if ends else value


def _cell(mean: float, half_width: float, met: bool) -> str:
    return f"{marked(f'{mean:+z,.0f}', met)}\n± {half_width:,.0f}"
