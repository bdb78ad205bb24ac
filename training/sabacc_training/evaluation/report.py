"""Tables of margins for the terminal, and the sentences that explain them."""

from __future__ import annotations

from collections.abc import Sequence

from rich.table import Table

from sabacc_training.evaluation.rows import PairRow
from sabacc_training.statistics.estimate import CONFIDENCE

MET_MARK = "*"
"""Marks a margin between agents that met in training."""


def margins_table(pairs: Sequence[PairRow]) -> Table:
    """Return a row for each pair: its margin, and how many hands the duplicate deals saved."""
    table = Table(box=None, pad_edge=False)
    for heading in ("agent", "opponent"):
        table.add_column(heading)
    for heading in ("mante/hand", "sd of\na deal", "sd of\na hand", "hands\nsaved"):
        table.add_column(heading, justify="right", no_wrap=True)
    for pair in pairs:
        table.add_row(
            pair.agent,
            pair.opponent,
            marked(str(pair), pair.seen_in_training),
            f"{pair.sd:,.0f}",
            f"{pair.single_sd:,.0f}",
            "-" if pair.saving is None else f"x {pair.saving:.2f}",
        )
    return table


def legend(pairs: Sequence[PairRow]) -> list[str]:
    """Return the sentences that explain the tables of these pairs."""
    deals = pairs[0].deals
    unit = "mante/hand: thousandths of an ante (hand ante + Sabacc ante) a hand"
    lines = [f"{unit}, over {deals:,} deals, each played from every seat; ± is a 95 % interval."]
    savings = [pair.saving for pair in pairs if pair.saving is not None]
    if savings:
        lines.append(f"Playing each deal from both seats is worth {worth(savings, 2)}.")
    if len(pairs) > 1:
        decided = sum(pair.p_value < 1 - CONFIDENCE for pair in pairs)
        lines.append(
            f"For intervals that hold for all {len(pairs)} pairs together with 95 %, multiply "
            f"each ± by {all_pairs_factor(pairs):.2f} (max-t). With this correction it is certain "
            f"who wins in {decided} of them."
        )
    if any(pair.seen_in_training for pair in pairs):
        lines.append(f"{MET_MARK} one of the two agents met the other in training.")
    return lines


def worth(times: Sequence[float], decimals: int) -> str:
    """Say how many times as many hands something is worth, from the least to the most.

    >>> worth([1.151, 1.149], 2), worth([1.6, 2.5], 1)
    ('1.15 times as many hands', '1.6 to 2.5 times as many hands')
    """
    least, most = f"{min(times):.{decimals}f}", f"{max(times):.{decimals}f}"
    return f"{least if least == most else f'{least} to {most}'} times as many hands"


def all_pairs_factor(pairs: Sequence[PairRow]) -> float:
    """Return by what to multiply each pair's ±, so that all pairs hold together."""
    factors = [pair.half_width_all / pair.half_width for pair in pairs if pair.half_width]
    return max(factors, default=1.0)


def marked(text: str, met: bool) -> str:
    """Return a margin, with a mark where agents met in training."""
    return text + MET_MARK if met else text
