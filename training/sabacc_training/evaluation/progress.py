"""Progress bars of matches and of measured margins."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
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

from sabacc_training.jobs.progress_bar import ProgressBar
from sabacc_training.statistics.estimate import MILLI, Estimate


class _Speed(ProgressColumn):
    """Hands a second, as soon as they are known."""

    def render(self, task: Task) -> Text:
        return Text("" if task.speed is None else f"{task.speed:,.0f} hands/s")


def _margin_line(bar: Progress, margin: Estimate) -> str:
    (task,) = bar.tasks
    return f"{task.description}: {margin} mante/hand ({task.percentage:.0f} % of all hands)"


class MatchProgress(ProgressBar):
    """A progress bar over the hands of several matches.

    Where stderr is not a terminal, a line is printed for each match.

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

    def add_hands(self, net_credits: NDArray[np.int64]) -> None:
        """Count hands of this match by (n, 2) net credits of the first and the second agent."""
        self._hands += len(net_credits)
        self._credits += int(net_credits[:, 0].sum() - net_credits[:, 1].sum())
        margin = MILLI * self._credits / (2 * self._ante_unit * self._hands)
        self._bar.update(self._task, advance=len(net_credits), margin=margin)

    def end(self, margin: Estimate) -> None:
        """End this match and print its margin."""
        self.print_line(_margin_line(self._bar, margin))


class MarginProgress(ProgressBar):
    """A progress bar over the hands of several margins.

    Where stderr is not a terminal, a line is printed for each margin.

    Args:
        hands: the hands of all margins together.
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
        """Begin the next margin."""
        self._bar.update(self._task, description=title, refresh=True)

    def add_hands(self, count: int) -> None:
        """Count hands."""
        self._bar.advance(self._task, count)

    def end(self, margin: Estimate) -> None:
        """End this margin and print it."""
        self.print_line(_margin_line(self._bar, margin))
