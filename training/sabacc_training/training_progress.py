"""The progress of a training run: how far, how fast, and how well it plays."""

from __future__ import annotations

import sys
import time
from types import TracebackType
from typing import Self

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from sabacc_training.margins import Estimate
from sabacc_training.selfplay_config import TrainingConfig


class TrainingProgress:
    """A bar over a run's steps; a line a report where stderr is no terminal.

    Args:
        steps: the steps that are done already.
        config: the run.
    """

    def __init__(self, steps: int, config: TrainingConfig) -> None:
        console = Console(stderr=True)
        self._opponent = config.progress.opponent
        self._bar = Progress(
            TextColumn("training"),
            BarColumn(bar_width=None),
            MofNCompleteColumn(),
            TextColumn("steps, {task.speed:,.0f}/s"),
            TextColumn("{task.fields[margin]}"),
            TimeRemainingColumn(),
            console=console,
            disable=not console.is_terminal,
        )
        self._began, self._first = time.monotonic(), steps
        self._task = self._bar.add_task("", total=config.steps, completed=steps, margin="")

    def __enter__(self) -> Self:
        self._bar.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._bar.stop()

    def steps(self, steps: int) -> None:
        """Show how many steps are done."""
        self._bar.update(self._task, completed=steps)

    def margin(self, margin: Estimate) -> None:
        """Show the latest margin over the fixed opponent."""
        self._bar.update(self._task, margin=f"{margin} mA/h over {self._opponent}")

    def report(self) -> None:
        """Print how it stands as a line where there is no bar."""
        if self._bar.disable:
            (task,) = self._bar.tasks
            speed = (task.completed - self._first) / (time.monotonic() - self._began)
            steps = f"{task.completed:,} of {task.total:,} steps, {speed:,.0f}/s"
            line = ", ".join(filter(None, [steps, task.fields["margin"]]))
            print(line, file=sys.stderr, flush=True)
