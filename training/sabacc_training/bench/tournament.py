"""Benchmarks of a tournament's tasks: by agents with compiled policies, and by networks."""

from __future__ import annotations

import atexit
import itertools
import os
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from functools import cache, partial
from typing import TYPE_CHECKING, Final

from sabacc_training.bench.config import BenchConfig
from sabacc_training.bench.sampling import Benchmark
from sabacc_training.bench.time_shares import time_shares
from sabacc_training.config.base import validated
from sabacc_training.jobs.executors import Executor, local_processes
from sabacc_training.jobs.stopwatch import Stopwatch

if TYPE_CHECKING:
    from sabacc_training.tournaments.tasks import Task

ONE_CORE: Final = "hands a CPU-second"
ALL_CORES: Final = "hands a minute"

TIME_PARTS: Final = {
    "networks": ("sabacc_agents/networks/",),
    "sampling": ("sabacc_env/agent_calls",),
    "statistics": ("tournaments/play_statistics",),
    "files": ("sabacc_env/storage/", "tournaments/tasks"),
    "engine": ("sabacc_env/",),
    "the rest": ("sabacc_training/", "sabacc_agents/"),
}
"""The parts of a task's time. The engine writes observations, and runs compiled policies."""


@dataclass(frozen=True)
class Pair:
    """Two agents.

    Attributes:
        agents: their specs.
        tasks: how many tasks each core plays in a call: about a second.
    """

    agents: tuple[str, str]
    tasks: int


PAIRS: Final = {
    "tight - loose": Pair(("tight", "loose"), 60),
    "random - tight": Pair(("random", "tight"), 60),
    "two networks": Pair(("zoo:casino-2p", "zoo:casino-2-8p"), 3),
}
"""Pairs without and with random numbers in the compiled loop, and of 2 x 256 units."""


class PairTasks:
    """The tasks of a pair, one after the other.

    Args:
        pair: the pair.
        deals: the deals of a task, each two hands.
    """

    def __init__(self, pair: Pair, deals: int) -> None:
        from sabacc_training.tournaments.config import TournamentConfig  # they compile at import
        from sabacc_training.tournaments.task_times import timed_task
        from sabacc_training.tournaments.tasks import Task, read_task

        data = {"rules": "casino", "deals": deals, "deals_per_task": deals}
        config = validated(TournamentConfig, {**data, "agents": pair.agents})
        lineup = tuple(agent.name for agent in config.agents)
        self._tasks = (Task(lineup, first, deals) for first in itertools.count(step=deals))
        self._read, self._timed = partial(read_task, config), partial(timed_task, config)
        self._count = pair.tasks

    def play_one(self, clock: Stopwatch) -> int:
        """Play a task here, from its start to what is read from its bytes."""
        task = next(self._tasks)
        with clock:
            self._read(task, self._timed(task)[0])
        return task.episodes

    def play_on_all_cores(self, clock: Stopwatch) -> int:
        """Play tasks in a process for each core, and read what they return."""
        executor, cores = all_cores()
        tasks: list[Task] = list(itertools.islice(self._tasks, cores * self._count))
        with clock:
            for task, (data, seconds) in executor(self._timed, tasks):
                self._read(task, data)
                clock.cpu += seconds
        return sum(task.episodes for task in tasks)

    def shares(self) -> dict[str, float]:
        """Return where the time of a task goes."""
        return time_shares(partial(self.play_one, Stopwatch()), TIME_PARTS)


@cache
def all_cores() -> tuple[Executor, int]:
    """Return an executor over a process for each core, which live until this one ends; how many."""
    stack, cores = ExitStack(), os.cpu_count() or 1
    atexit.register(stack.close)
    return stack.enter_context(local_processes(cores)), cores


def tournament_benchmarks(config: BenchConfig) -> Iterator[Benchmark]:
    """Yield benchmarks of each pair; a task has as many deals as a batch has tables."""
    for name, pair in PAIRS.items():
        tasks = PairTasks(pair, config.num_tables)
        yield Benchmark(
            f"{name}, one core", "tournament", ONE_CORE, tasks.play_one, shares=tasks.shares
        )
        yield Benchmark(f"{name}, all cores", "tournament", ALL_CORES, tasks.play_on_all_cores)
