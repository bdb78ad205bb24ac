"""Benchmarks of a tournament's tasks: by agents with compiled policies, and by networks."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from typing import Final

from sabacc_training.bench.config import BenchConfig
from sabacc_training.bench.sampling import Benchmark, Play
from sabacc_training.config.base import validated
from sabacc_training.jobs.stopwatch import Stopwatch

UNIT: Final = "hands a CPU-second"

PAIRS: Final = {
    "hands, tight - loose": ("tight", "loose"),
    "hands, random - tight": ("random", "tight"),
    "hands, two networks": ("zoo:casino-2p", "zoo:casino-2-8p"),
}
"""Pairs of agents: two without and with random numbers in the compiled loop, and 2 x 256 units."""


def play_tasks(agents: tuple[str, str], deals: int) -> Play:
    """Return what plays one task after the other, and reads what it has packed."""
    from sabacc_training.tournaments.config import TournamentConfig  # they compile at import
    from sabacc_training.tournaments.tasks import Task, play_task, read_task

    data = {"rules": "casino", "agents": agents, "deals": deals, "deals_per_task": deals}
    config = validated(TournamentConfig, data)
    lineup = tuple(agent.name for agent in config.agents)
    firsts = itertools.count(step=deals)

    def play(clock: Stopwatch) -> int:
        task = Task(lineup, next(firsts), deals)
        with clock:
            read_task(config, task, play_task(config, task))
        return task.episodes

    return play


def tournament_benchmarks(config: BenchConfig) -> Iterator[Benchmark]:
    """Yield a benchmark of each pair; a task has as many deals as a batch has tables."""
    for name, agents in PAIRS.items():
        yield Benchmark(name, "tournament", UNIT, play_tasks(agents, config.num_tables))
