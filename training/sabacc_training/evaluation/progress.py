"""The progress of matches and of results: how far, how fast, and the margin so far."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from rich.progress import (
    BarColumn,
    ProgressColumn,
    Task,
    TaskProgressColumn,
    TextColumn,
    TimeRemainingColumn,
)
from rich.table import Column
from rich.text import Text

from sabacc_training.evaluation.margins import MILLI, Estimate
from sabacc_training.jobs.progress_bar import Bar


class _Speed(ProgressColumn):
    """Hands a second, once they are known."""

    def render(self, task: Task) -> Text:
        return Text("" if task.speed is None else f"{task.speed:,.0f} hands/s")


class MatchProgress(Bar):
    """A bar over the hands of several matches; a line a match where stderr is no terminal.

    Args:
        hands: the hands of all matches together.
        ante_unit: credits in one ante of the unit (``RuleSet.ante_unit``).
    """

    def __init__(self, hands: int, ante_unit: int) -> None:
        super().__init__(
            TextColumn("{task.description}"),
            BarColumn(bar_width=None),
            TaskProgressColumn(),
            _Speed(table_column=Column(no_wrap=True)),
            TextColumn("{task.fields[margin]:+z,.0f} mante/hand"),
            TimeRemainingColumn(),
            transient=True,
        )
        self._task = self._bar.add_task("", total=hands, margin=0.0)
        self._ante_unit = ante_unit
        self._hands = self._credits = 0

    def start(self, title: str) -> None:
        """Begin the next match."""
        self._hands = self._credits = 0
        self._bar.update(self._task, description=title, margin=0.0, refresh=True)

    def hands(self, net: NDArray[np.int64]) -> None:
        """Count hands of this match: (n, 2) net credits of the first and the second agent."""
        self._hands += len(net)
        self._credits += int(net[:, 0].sum() - net[:, 1].sum())
        margin = MILLI * self._credits / (2 * self._ante_unit * self._hands)
        self._bar.update(self._task, advance=len(net), margin=margin)

    def end(self, margin: Estimate) -> None:
        """End this match, whose margin has come to this."""
        (task,) = self._bar.tasks
        self.line(f"{task.description}: {margin} mante/hand ({task.percentage:.0f} % of all hands)")

    def skip(self, hands: int) -> None:
        """Count the hands of a match that needs no playing."""
        self._bar.update(self._task, advance=hands)


class ResultProgress(Bar):
    """A bar over the hands of several results; a line a result where stderr is no terminal.

    Args:
        hands: the hands of all results together.
    """

    def __init__(self, hands: int) -> None:
        super().__init__(
            TextColumn("{task.description}"),
            BarColumn(bar_width=None),
            TaskProgressColumn(),
            _Speed(table_column=Column(no_wrap=True)),
            TimeRemainingColumn(),
            transient=True,
        )
        self._task = self._bar.add_task("", total=hands)

    def start(self, title: str) -> None:
        """Begin the next result."""
        self._bar.update(self._task, description=title, refresh=True)

    def hands(self, count: int) -> None:
        """Count hands."""
        self._bar.advance(self._task, count)

    def end(self, margin: Estimate) -> None:
        """End this result, which is this."""
        (task,) = self._bar.tasks
        self.line(f"{task.description}: {margin} mante/hand ({task.percentage:.0f} % of all hands)")
