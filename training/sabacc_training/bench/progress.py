"""The progress of a benchmark: what is being measured, and how much is left."""

from __future__ import annotations

import sys
from types import TracebackType
from typing import Self

from rich.console import Console
from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeRemainingColumn


class BenchProgress:
    """A bar over the samples to come; a line a round where stderr is no terminal."""

    def __init__(self) -> None:
        console = Console(stderr=True)
        self._bar = Progress(
            TextColumn("{task.description}"),
            BarColumn(bar_width=None),
            TaskProgressColumn(),
            TimeRemainingColumn(),
            console=console,
            transient=True,
            disable=not console.is_terminal,
        )
        self._task = self._bar.add_task("preparing", total=None)

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

    def start(self, steps: int) -> None:
        """Say how often ``next`` will be called."""
        self._bar.update(self._task, total=steps, completed=-1)

    def next(self, what: str) -> None:
        """Say what is done now; what was done before has ended."""
        self._bar.update(self._task, description=what, advance=1)

    def line(self, text: str) -> None:
        """Print a line where there is no bar."""
        if self._bar.disable:
            print(text, file=sys.stderr, flush=True)
