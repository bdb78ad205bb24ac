"""The progress bar of a tournament."""

from __future__ import annotations

import math
import time
from collections import Counter
from collections.abc import Sequence
from itertools import groupby

import numpy as np
from numpy.typing import NDArray
from rich.progress import (
    BarColumn,
    ProgressColumn,
    TaskProgressColumn,
    TextColumn,
    TimeRemainingColumn,
)
from rich.progress import Task as BarTask
from rich.table import Column
from rich.text import Text

from sabacc_training.evaluation.margins import place_margins
from sabacc_training.jobs.progress_bar import ProgressBar
from sabacc_training.statistics.estimate import Estimate
from sabacc_training.tournaments.formats import Lineup
from sabacc_training.tournaments.tasks import Task, TaskResult


class _Speed(ProgressColumn):
    """Hands a second, as soon as they are known."""

    def render(self, task: BarTask) -> Text:
        return Text("" if task.speed is None else f"{task.speed:,.0f} hands/s")


class TournamentProgress(ProgressBar):
    """A progress bar over the episodes of a tournament, with the widest interval so far.

    Where stderr is not a terminal, a line is printed for each lineup when it has been played.

    Args:
        lineups: all lineups.
        deals: the deals of each, as far as they are planned.
        ante_unit: credits in one ante of the unit (``RuleSet.ante_unit``).
    """

    def __init__(self, lineups: Sequence[Lineup], deals: int, ante_unit: int) -> None:
        super().__init__(
            TextColumn("{task.description}", markup=False),
            BarColumn(bar_width=None),
            TaskProgressColumn(),
            _Speed(table_column=Column(no_wrap=True)),
            TextColumn("{task.fields[widest]}"),
            TimeRemainingColumn(),
            transient=True,
        )
        self._places, self._ante_unit = sum(map(len, lineups)), ante_unit
        self._sums: dict[Lineup, NDArray[np.float64]] = {}
        self._played: Counter[Lineup] = Counter()
        self._began, self._episodes = time.monotonic(), 0
        self._task = self._bar.add_task("", widest="")
        self.plan(deals)

    def plan(self, deals: int) -> None:
        """Expect so many deals of each lineup in all."""
        self._deals = deals
        self._bar.update(self._task, total=deals * self._places)

    def add(self, task: Task, result: TaskResult, played: bool = True) -> None:
        """Count a task that was played, or loaded."""
        margins = place_margins(result.arrays["net_credits"], self._ante_unit)[:, 0]
        hands = result.arrays.get("hands", np.ones(1)).mean() * len(margins)
        sums = np.array([len(margins), margins.sum(), (margins**2).sum(), hands])
        self._sums[task.lineup] = self._sums.get(task.lineup, np.zeros(4)) + sums
        self._played[task.lineup] += task.num_deals
        widest = max(self._margin(lineup).half_width() for lineup in self._sums)
        self._bar.update(
            self._task,
            description=title(task.lineup),
            advance=task.episodes,
            widest=f"widest ± {widest:,.0f} mante/hand",
            refresh=True,
        )
        self._episodes += played * task.episodes
        if played and self._played[task.lineup] == self._deals:
            (bar,) = self._bar.tasks
            margin = self._margin(task.lineup)
            who = f"{task.lineup[0]} " if len(set(task.lineup)) > 2 else ""
            self.print_line(
                f"{title(task.lineup)}: {who}{margin} mante/hand "
                f"({bar.percentage:.0f} % of the hands planned)"
            )

    def minutes(self, deals: int) -> float | None:
        """Return how long so many deals of all lineups take; None where none was played."""
        if not self._episodes:
            return None
        return (time.monotonic() - self._began) * deals * self._places / self._episodes / 60

    def _margin(self, lineup: Lineup) -> Estimate:
        """Return the margin of the first place so far."""
        count, total, squares, hands = self._sums[lineup]
        mean = total / count
        variance = max(0.0, squares / count - mean**2) * count / max(1, count - 1)
        per_hand = count / hands
        return Estimate(mean * per_hand, math.sqrt(variance) * per_hand, max(2, int(count)))


def title(lineup: Lineup) -> str:
    """Return the name of a lineup, copies counted.

    >>> title(("a", "b", "b")), title(("a", "b"))
    ('a - 2 x b', 'a - b')
    """
    groups = [(name, len(list(group))) for name, group in groupby(lineup)]
    return " - ".join(name if count == 1 else f"{count} x {name}" for name, count in groups)
