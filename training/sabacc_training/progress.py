"""The progress of matches: how far, how fast, and the margin so far."""

from __future__ import annotations

import sys
from types import TracebackType
from typing import Self

import numpy as np
from numpy.typing import NDArray
from rich.console import Console
from rich.progress import (
    BarColumn,
    Progress,
    ProgressColumn,
    Task,
    TaskProgressColumn,
    TextColumn,
    TimeRemainingColumn,
)
from rich.table import Column
from rich.text import Text

from sabacc_training.margins import MILLI, Estimate


class _Speed(ProgressColumn):
    """Hands a second, once they are known."""

    def render(self, task: Task) -> Text:
        return Text("" if task.speed is None else f"{task.speed:,.0f} hands/s")


class MatchProgress:
    """A bar over the hands of several matches; a line a match where stderr is no terminal.

    Args:
        hands: the hands of all matches together.
        ante_unit: credits in one ante of the unit (``RuleSet.ante_unit``).
    """

    def __init__(self, hands: int, ante_unit: int) -> None:
        console = Console(stderr=True)
        self._bar = Progress(
            TextColumn("{task.description}"),
            BarColumn(bar_width=None),
            TaskProgressColumn(),
            _Speed(table_column=Column(no_wrap=True)),
            TextColumn("{task.fields[margin]:+z,.0f} mA/h"),
            TimeRemainingColumn(),
            console=console,
            transient=True,
            disable=not console.is_terminal,
        )
        self._task = self._bar.add_task("", total=hands, margin=0.0)
        self._ante_unit = ante_unit
        self._hands = self._credits = 0

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

    def start(self, title: str) -> None:
        """Begin the next match."""
        self._hands = self._credits = 0
        self._bar.update(self._task, description=title, margin=0.0)

    def hands(self, net: NDArray[np.int64]) -> None:
        """Count hands of this match: (n, 2) net credits of the first and the second agent."""
        self._hands += len(net)
        self._credits += int(net[:, 0].sum() - net[:, 1].sum())
        margin = MILLI * self._credits / (2 * self._ante_unit * self._hands)
        self._bar.update(self._task, advance=len(net), margin=margin)

    def end(self, margin: Estimate) -> None:
        """End this match, whose margin has come to this."""
        if self._bar.disable:
            (task,) = self._bar.tasks
            line = f"{task.description}: {margin} mA/h ({task.percentage:.0f} % of all hands)"
            print(line, file=sys.stderr, flush=True)

    def skip(self, hands: int) -> None:
        """Count the hands of a match that needs no playing."""
        self._bar.update(self._task, advance=hands)
