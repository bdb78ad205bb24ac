"""The progress of a benchmark: what is being measured, and how much is left."""

from __future__ import annotations

from rich.progress import BarColumn, TaskProgressColumn, TextColumn, TimeRemainingColumn

from sabacc_training.jobs.progress_bar import ProgressBar


class BenchProgress(ProgressBar):
    """A bar over the samples to come; a line a round where stderr is no terminal."""

    def __init__(self) -> None:
        super().__init__(
            TextColumn("{task.description}"),
            BarColumn(bar_width=None),
            TaskProgressColumn(),
            TimeRemainingColumn(),
            transient=True,
        )
        self._task = self._bar.add_task("preparing", total=None)

    def start(self, steps: int) -> None:
        """Say how often ``next`` will be called."""
        self._bar.update(self._task, total=steps, completed=-1)

    def next(self, what: str) -> None:
        """Say what is done now; what was done before has ended."""
        self._bar.update(self._task, description=what, advance=1)
