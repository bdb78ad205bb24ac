"""The progress bar of a training run: steps, speed, and margin."""

from __future__ import annotations

import time

from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeRemainingColumn

from sabacc_training.config.run import RunConfig
from sabacc_training.jobs.progress_bar import ProgressBar
from sabacc_training.statistics.estimate import Estimate


class TrainingProgress(ProgressBar):
    """A bar over a run's steps; a line for each report where stderr is not a terminal.

    Args:
        steps: the steps that the run has done before.
        config: the run.
    """

    def __init__(self, steps: int, config: RunConfig) -> None:
        self._opponent = config.evaluation.opponent
        super().__init__(
            TextColumn("training"),
            BarColumn(bar_width=None),
            MofNCompleteColumn(),
            TextColumn("steps, {task.speed:,.0f}/s"),
            TextColumn("{task.fields[margin]}"),
            TextColumn("{task.fields[best]}"),
            TimeRemainingColumn(),
            transient=False,
        )
        self._began, self._first = time.monotonic(), steps
        self._task = self._bar.add_task("", total=config.steps, completed=steps, margin="", best="")

    def steps(self, steps: int) -> None:
        """Show how many steps are done."""
        self._bar.update(self._task, completed=steps)

    def margin(self, margin: Estimate) -> None:
        """Show the latest margin over the fixed opponent."""
        self._bar.update(self._task, margin=f"{margin} mante/hand over {self._opponent}")

    def best(self, margin: float) -> None:
        """Show the largest margin so far."""
        self._bar.update(self._task, best=f"best {margin:+z,.0f}")

    def report(self) -> None:
        """Print the progress as a line where there is no bar."""
        (task,) = self._bar.tasks
        speed = (task.completed - self._first) / (time.monotonic() - self._began)
        steps = f"{task.completed:,} of {task.total:,} steps, {speed:,.0f}/s"
        parts = [steps, task.fields["margin"], task.fields["best"]]
        self.print_line(", ".join(filter(None, parts)))
