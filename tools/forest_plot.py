"""What the forest plots of the docs have in common: agents in rows, margins across."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def set_up(
    axes: Axes,
    title: str,
    labels: Sequence[str],
    ticks: Sequence[int],
    linear_to: int,
    linear_scale: float = 1.0,
) -> None:
    """Label the rows and ticks of a panel, the first row at the top.

    Margins are drawn linearly up to ``linear_to``, and logarithmically beyond.
    """
    axes.set_xscale("symlog", linthresh=linear_to, linscale=linear_scale)
    axes.set_xticks(ticks, [f"{tick:,}" for tick in ticks], fontsize=7)
    axes.minorticks_off()
    axes.set_yticks(range(len(labels)), labels)
    axes.set_ylim(len(labels) - 0.4, -0.6)
    axes.set_title(title, fontsize=9, loc="left", weight="bold")
    axes.grid(axis="x")
