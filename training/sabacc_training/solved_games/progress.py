"""The progress bar of a solver: nodes of the tree, then NashConv down to the target."""

from __future__ import annotations

import math

from rich.progress import BarColumn, TextColumn, TimeElapsedColumn

from sabacc_training.jobs.progress_bar import ProgressBar


class SolvingProgress(ProgressBar):
    """A progress bar from a NashConv of one ante to the target, on a logarithmic scale.

    Args:
        target: the NashConv to reach, in antes.
    """

    def __init__(self, target: float) -> None:
        super().__init__(
            TextColumn("{task.description}"),
            BarColumn(bar_width=None),
            TextColumn("{task.fields[found]}"),
            TimeElapsedColumn(),
            transient=True,
        )
        self._decades = max(-math.log10(target), 1e-9)
        self._task = self._bar.add_task("flattening", total=self._decades, found="")

    def on_nodes(self, nodes: int) -> None:
        """Show the number of nodes so far."""
        self._bar.update(self._task, found=f"{nodes:,} nodes")

    def on_nash_conv(self, iterations: int, nash_conv: float) -> None:
        """Show the NashConv of the average policy after some iterations."""
        done = min(max(-math.log10(max(nash_conv, 1e-300)), 0), self._decades)
        found = f"{iterations:,} iterations, NashConv {nash_conv:.5f}"
        self._bar.update(self._task, description="solving", completed=done, found=found)
        self.print_line(found)
