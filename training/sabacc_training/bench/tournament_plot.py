"""The plot of tournaments: hands a minute on all cores, and where the time of a task goes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

from sabacc_training.bench.report import format_figure
from sabacc_training.bench.results import BenchmarkResult
from sabacc_training.bench.tournament import ALL_CORES, TIME_PARTS

if TYPE_CHECKING:
    from matplotlib.axes import Axes

COLOURS: Final = dict(
    zip(
        TIME_PARTS,
        ("#9a6a8f", "#f2c14e", "#6aa68c", "#c97b4a", "#1f5fa8", "#c3c8ce"),
        strict=True,
    )
)
"""The colour of each part of the time."""


def draw_tournaments(
    rates: Axes, times: Axes, measured: Sequence[BenchmarkResult], colour: str, ink: str
) -> None:
    """Draw hands a minute of each pair beside the shares of the parts in its time.

    Args:
        rates: for bars of medians, with lines from the minimum to the maximum.
        times: for bars of shares, which add up to 100.
        measured: the results of tournaments.
        colour: the colour of bars.
        ink: the colour of lines.
    """
    on_all = [each for each in measured if each.unit == ALL_CORES]
    with_shares = [each for each in measured if each.shares]
    for axes, shown in ((rates, on_all), (times, with_shares)):
        names = [each.name.rpartition(", ")[0] for each in shown]
        axes.set_yticks(range(len(shown)), names, color=ink)
        axes.set_ylim(len(shown) - 0.5, -0.5)
        axes.tick_params(left=False)
        axes.grid(axis="x")
    for y, each in enumerate(on_all):
        spread = each.spread
        rates.barh(y, spread.median, height=0.6, color=colour)
        rates.plot([spread.min, spread.max], [y, y], color=ink, linewidth=0.9)
        rates.text(spread.max * 1.15, y, format_figure(spread.median), va="center")
    rates.set_xscale("log")
    rates.set_xlim(right=8 * max(each.spread.max for each in on_all))
    rates.set_xlabel("hands of a tournament a minute, all cores")
    for y, each in enumerate(with_shares):
        left = 0.0
        for part, share in each.shares.items():
            width = 100 * share.median
            label = part if y == 0 else None
            times.barh(y, width, height=0.6, left=left, color=COLOURS[part], label=label)
            left += width
    times.set_yticks([])
    times.set_xlim(0, 100)
    times.set_xlabel("where the time goes, % of the profiled time")
    times.legend(
        ncols=3, loc="lower center", bbox_to_anchor=(0.5, 1), frameon=False, handlelength=1
    )
