"""The plot of a fine-tuning: the regret of a decision against updates."""

from __future__ import annotations

from collections.abc import Sequence

from sabacc_training.bench.plot import OURS, svg_figure
from sabacc_training.language.fine_tuning import Evaluation


def plot(evaluations: Sequence[Evaluation]) -> bytes:
    """Return a plot of evaluations with their 95 % intervals, as SVG.

    Raises:
        ImportError: where matplotlib is not installed.
    """
    with svg_figure(6.4, 3.0) as (figure, file):
        axes = figure.add_subplot()
        axes.errorbar(
            [each.update for each in evaluations],
            [each.regret for each in evaluations],
            [each.half_width for each in evaluations],
            color=OURS,
            marker="o",
            ms=4,
            capsize=3,
        )
        axes.set_ylim(bottom=0)
        axes.set_xlabel("updates")
        axes.set_ylabel("regret, milli-antes a decision")
        axes.grid()
    return file.getvalue()
