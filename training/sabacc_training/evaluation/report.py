"""Tables of margins for the terminal, and the sentences that explain them."""

from __future__ import annotations

import math
import sys
from collections.abc import Sequence

from rich.console import Console, Group, RenderableType
from rich.table import Table
from rich.text import Text

from sabacc_training.evaluation.evaluate import PairResult
from sabacc_training.evaluation.tournament import ranking
from sabacc_training.statistics.estimate import Estimate, t_quantile

MET_MARK = "*"
"""Marks a margin between agents that met in training."""


def margins_table(pairs: Sequence[PairResult]) -> Table:
    """Return a row for each pair: its margin, and how many hands the duplicate deals saved."""
    table = Table(box=None, pad_edge=False)
    for heading in ("agent", "opponent"):
        table.add_column(heading)
    for heading in ("mante/hand", "sd of\na deal", "sd of\na hand", "hands\nsaved"):
        table.add_column(heading, justify="right", no_wrap=True)
    for pair in pairs:
        margin = pair.match.margin
        table.add_row(
            pair.first,
            pair.second,
            _marked(str(margin), pair.met_in_training),
            f"{margin.sd:,.0f}",
            f"{pair.match.hand_sd:,.0f}",
            f"x {pair.match.variance_reduction:.2f}",
        )
    return table


def standings(pairs: Sequence[PairResult], console: Console) -> RenderableType:
    """Return the ranking with mean margins, and the margin of each agent over each other.

    Where the matrix is too wide for the console, a second table has a row for each pair.
    """
    matrix = _standings_table(pairs, matrix=True)
    unlimited = console.options.update(max_width=sys.maxsize)
    if console.measure(matrix, options=unlimited).maximum <= console.width:
        return matrix
    return Group(_standings_table(pairs, matrix=False), Text(), margins_table(pairs))


def _standings_table(pairs: Sequence[PairResult], *, matrix: bool) -> Table:
    """Return a row for each agent, best first; with ``matrix``, a column for each opponent."""
    cells = {}
    for pair in pairs:
        margin = pair.match.margin
        cells[pair.first, pair.second] = _cell(margin.mean, margin, pair.met_in_training)
        cells[pair.second, pair.first] = _cell(-margin.mean, margin, pair.met_in_training)
    ranked = ranking(pairs)
    others = [standing.name for standing in ranked] if matrix else []
    table = Table(box=None, leading=1, pad_edge=False)
    table.add_column("")
    table.add_column("agent")
    for heading in ("mean", *(f"v. {place}" for place in range(1, len(others) + 1))):
        table.add_column(heading, justify="right", no_wrap=True)
    for place, standing in enumerate(ranked, 1):
        name, margin = standing.name, standing.margin
        row = [cells.get((name, other), "-") for other in others]
        table.add_row(f"{place}", name, _cell(margin.mean, margin, standing.met_in_training), *row)
    return table


def legend(pairs: Sequence[PairResult]) -> list[str]:
    """Return the sentences that explain the tables of these pairs."""
    deals = pairs[0].match.margin.deals
    unit = "mante/hand: thousandths of an ante (hand ante + Sabacc ante) a hand"
    lines = [f"{unit}, over {deals:,} deals, each played from both seats; ± is a 95 % interval."]
    savings = [
        pair.match.variance_reduction
        for pair in pairs
        if math.isfinite(pair.match.variance_reduction)
    ]
    if savings:
        lines.append(
            f"Playing each deal from both seats is worth {min(savings):.2f} to "
            f"{max(savings):.2f} times as many hands."
        )
    if len(pairs) > 1:
        factor = t_quantile(deals, len(pairs)) / t_quantile(deals)
        lines.append(
            f"For intervals that hold for all {len(pairs)} pairs together with 95 %, multiply "
            f"each ± by {factor:.2f} (Bonferroni)."
        )
    if any(pair.met_in_training for pair in pairs):
        lines.append(f"{MET_MARK} one of the two agents met the other in training.")
    return lines


def _cell(mean: float, margin: Estimate, met: bool) -> str:
    return f"{_marked(f'{mean:+z,.0f}', met)}\n± {margin.half_width():,.0f}"


def _marked(text: str, met: bool) -> str:
    return text + MET_MARK if met else text
