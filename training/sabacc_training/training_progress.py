"""The progress of a training run on a terminal: how far, how fast, and how well it plays."""

from __future__ import annotations

from types import TracebackType
from typing import Self

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from sabacc_training.margins import Estimate
from sabacc_training.selfplay_config import TrainingConfig


class TrainingProgress:
    """A bar over a run's steps; nothing where standard error is no terminal.

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
        text = f"{margin.mean:+,.0f} ± {margin.half_width():,.0f} mA/h over {self._opponent}"
        self._bar.update(self._task, margin=text)
