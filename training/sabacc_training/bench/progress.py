"""The progress bar of measurements in rounds."""

from __future__ import annotations

from rich.progress import BarColumn, TaskProgressColumn, TextColumn, TimeRemainingColumn

from sabacc_training.jobs.progress_bar import ProgressBar


class BenchProgress(ProgressBar):
    """A progress bar over samples; where stderr is not a terminal, a line for each round."""

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
        """Set how often ``next`` will be called."""
        self._bar.update(self._task, total=steps, completed=-1)

    def next(self, what: str) -> None:
        """Show the step that begins now; the step before has ended."""
        self._bar.update(self._task, description=what, advance=1)
