"""Results for the eye: margins as tables for the terminal, with what one needs to read them."""

from __future__ import annotations

import math
import sys
from collections.abc import Sequence

from rich.console import Console, Group, RenderableType
from rich.table import Table
from rich.text import Text

from sabacc_training.evaluation.evaluate import Pair
from sabacc_training.evaluation.margins import Estimate, quantile
from sabacc_training.evaluation.tournament import ranking

SEEN = "*"
"""Marks a margin between agents that met in training."""


def margins_table(pairs: Sequence[Pair]) -> Table:
    """Return one row a pair: its margin, and what playing deals from both seats saved."""
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
            _marked(str(margin), pair.seen),
            f"{margin.sd:,.0f}",
            f"{pair.match.single_sd:,.0f}",
            f"x {pair.match.saving:.2f}",
        )
    return table


def standings(pairs: Sequence[Pair], console: Console) -> RenderableType:
    """Return everyone's place, margin over the field, and what everyone wins from each other.

    A matrix of many agents is too wide for a console: then a second table has a row for each pair.
    """
    matrix = _standings_table(pairs, matrix=True)
    unlimited = console.options.update(max_width=sys.maxsize)
    if console.measure(matrix, options=unlimited).maximum <= console.width:
        return matrix
    return Group(_standings_table(pairs, matrix=False), Text(), margins_table(pairs))


def _standings_table(pairs: Sequence[Pair], *, matrix: bool) -> Table:
    """Return a row for each agent, best first; the matrix is what it wins from each other."""
    cells = {}
    for pair in pairs:
        margin = pair.match.margin
        cells[pair.first, pair.second] = _cell(margin.mean, margin, pair.seen)
        cells[pair.second, pair.first] = _cell(-margin.mean, margin, pair.seen)
    ranked = ranking(pairs)
    others = [standing.name for standing in ranked] if matrix else []
    table = Table(box=None, leading=1, pad_edge=False)
    table.add_column("")
    table.add_column("agent")
    for heading in ("field", *(f"v. {place}" for place in range(1, len(others) + 1))):
        table.add_column(heading, justify="right", no_wrap=True)
    for place, standing in enumerate(ranked, 1):
        name, field = standing.name, standing.margin
        row = [cells.get((name, other), "-") for other in others]
        table.add_row(f"{place}", name, _cell(field.mean, field, standing.seen), *row)
    return table


def legend(pairs: Sequence[Pair]) -> list[str]:
    """Return the sentences that say how to read the tables of these pairs."""
    deals = pairs[0].match.margin.deals
    unit = "mante/hand: thousandths of an ante (hand ante + Sabacc ante) a hand"
    lines = [f"{unit}, over {deals:,} deals, each played from both seats; ± is a 95 % interval."]
    savings = [pair.match.saving for pair in pairs if math.isfinite(pair.match.saving)]
    if savings:
        lines.append(
            f"Deals played from both seats tell as much as {min(savings):.2f} to "
            f"{max(savings):.2f} times as many hands dealt afresh."
        )
    if len(pairs) > 1:
        factor = quantile(deals, len(pairs)) / quantile(deals)
        lines.append(
            f"For all {len(pairs)} pairs to hold at once with 95 %, take each ± times "
            f"{factor:.2f} (Bonferroni)."
        )
    if any(pair.seen for pair in pairs):
        lines.append(f"{SEEN} between agents of which one met the other in training.")
    return lines


def _cell(mean: float, margin: Estimate, seen: bool) -> str:
    return f"{_marked(f'{mean:+z,.0f}', seen)}\n± {margin.half_width():,.0f}"


def _marked(text: str, seen: bool) -> str:
    return text + SEEN if seen else text
