"""The plot of learning curves: NashConv of each method against decisions."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import cycle
from typing import Final

from sabacc_training.bench.plot import FAINT, svg_figure
from sabacc_training.experiments.nash_conv_curves import LearningCurve

COLOURS: Final = ("#9a6a8f", "#f2a33c", "#6aa84f", "#1f5fa8", "#c0504d", "#555555")


def plot(title: str, curves: Sequence[LearningCurve]) -> bytes:
    """Return a plot of learning curves as SVG: means over runs with their 95 % intervals.

    Raises:
        ImportError: where matplotlib is not installed.
    """
    with svg_figure(6.4, 3.4) as (figure, file):
        axes = figure.add_subplot()
        for each, colour in zip(curves, cycle(COLOURS), strict=False):
            decisions = each.steps.mean(axis=0) / 1e6
            low, high = each.means - each.half_widths, each.means + each.half_widths
            axes.plot(decisions, each.means, color=colour, label=each.method, marker="o", ms=3)
            axes.fill_between(decisions, low.clip(1e-3), high, color=colour, alpha=0.18, lw=0)
        axes.set_yscale("log")
        axes.set_xlabel("million decisions")
        axes.set_ylabel("NashConv, antes")
        axes.grid(which="both")
        axes.legend(frameon=False)
        axes.set_title(title, fontsize=9, color=FAINT)
    return file.getvalue()
