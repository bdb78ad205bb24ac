"""Results for the eye: margins as tables for the terminal, with what one needs to read them."""

from __future__ import annotations

from collections.abc import Sequence

from rich.table import Table

from sabacc_training.evaluation import Pair
from sabacc_training.margins import Estimate, quantile
from sabacc_training.tournament import Standing

SEEN = "*"
"""Marks a margin between agents that met in training."""


def margins_table(pairs: Sequence[Pair]) -> Table:
    """Return one row a pair: its margin, and what playing deals from both seats saved."""
    table = Table(box=None)
    for heading in ("agent", "opponent"):
        table.add_column(heading)
    for heading in ("mA/h", "sd of a deal", "sd of a hand", "hands saved"):
        table.add_column(heading, justify="right")
    for pair in pairs:
        margin = pair.match.margin
        table.add_row(
            pair.first,
            pair.second,
            _marked(f"{margin.mean:+,.0f} ± {margin.half_width():,.0f}", pair.seen),
            f"{margin.sd:,.0f}",
            f"{pair.match.single_sd:,.0f}",
            f"x {pair.match.saving:.2f}",
        )
    return table


def cross_table(pairs: Sequence[Pair]) -> Table:
    """Return the table of everyone against everyone: what the row wins from the column."""
    names = list(dict.fromkeys(name for pair in pairs for name in (pair.first, pair.second)))
    cells = {}
    for pair in pairs:
        margin = pair.match.margin
        cells[pair.first, pair.second] = _cell(margin.mean, margin, pair.seen)
        cells[pair.second, pair.first] = _cell(-margin.mean, margin, pair.seen)
    table = Table(box=None, leading=1)
    table.add_column("mA/h")
    for name in names:
        table.add_column(name, justify="right")
    for row in names:
        table.add_row(row, *(cells.get((row, column), "-") for column in names))
    return table


def ranking_table(standings: Sequence[Standing]) -> Table:
    """Return the places, with the margin over the field."""
    table = Table(box=None)
    table.add_column("", justify="right")
    table.add_column("agent")
    table.add_column("mA/h over the field", justify="right")
    for place, standing in enumerate(standings, 1):
        margin = standing.margin
        text = f"{margin.mean:+,.0f} ± {margin.half_width():,.0f}"
        table.add_row(f"{place}", standing.name, _marked(text, standing.seen))
    return table


def legend(pairs: Sequence[Pair]) -> list[str]:
    """Return the sentences that say how to read the tables of these pairs."""
    deals = pairs[0].match.margin.deals
    unit = "mA/h: thousandths of an ante (hand ante + Sabacc ante) a hand"
    lines = [f"{unit}, over {deals:,} deals, each played from both seats; ± is a 95 % interval."]
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
    return f"{_marked(f'{mean:+,.0f}', seen)}\n± {margin.half_width():,.0f}"


def _marked(text: str, seen: bool) -> str:
    return text + SEEN if seen else text
