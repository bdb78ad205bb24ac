"""How fast the trainer is, and what of it the environment costs: beside one that does nothing."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final, cast

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sabacc_env.policies import random_legal
from sabacc_env.tables import Tables
from sabacc_training.bench.progress import BenchProgress
from sabacc_training.jobs.partial_results import PartialResults
from sabacc_training.jobs.stopwatch import Stopwatch
from sabacc_training.ppo.collector import make_tables
from sabacc_training.ppo.config import PPOConfig
from sabacc_training.ppo.profiler import Profiler
from sabacc_training.ppo.trainer import PPOTrainer

HAND: Final = 8
"""Steps of a hand at the tables where nothing happens; of two-seat casino hands that random agents
play it is about the mean."""


class NothingTables:
    """Tables as they stood at one moment, for ever: what a learner reads is there, none is played.

    Each table's hand ends at every eighth step, so that there is as much to learn from.
    """

    def __init__(self, config: PPOConfig) -> None:
        tables = make_tables(config)
        tables.play(random_legal, 4 * HAND)
        which = np.arange(tables.num_tables)
        self._hands, self._coming = tables.opponents_hands(which), tables.coming(which)
        self._tables = tables
        self._ends = [which % HAND == step for step in range(HAND)]
        net = np.zeros((tables.num_tables, tables.num_players), np.int64)
        net[:, 0], net[:, 1] = 1, -1
        self._nets = [np.where(ends[:, None], net, 0) for ends in self._ends]
        self._steps = 0

    def __getattr__(self, name: str) -> Any:
        return getattr(self._tables, name)

    def step(self, actions: ArrayLike) -> None:
        """Do nothing but say which hands are over."""
        self._steps += 1
        self.finished: NDArray[np.bool_] = self._ends[self._steps % HAND]
        self.net_credits: NDArray[np.int64] = self._nets[self._steps % HAND]

    def opponents_hands(self, tables: ArrayLike) -> NDArray[np.float32]:
        """Return what was there."""
        return self._of(self._hands, tables)

    def coming(self, tables: ArrayLike) -> NDArray[np.float32]:
        """Return what was there."""
        return self._of(self._coming, tables)

    def _of(self, seen: NDArray[np.float32], tables: ArrayLike) -> NDArray[np.float32]:
        """Return some rows; of all tables, as on a GPU, they need no index."""
        which = np.asarray(tables)
        return seen if len(which) == len(seen) else np.asarray(seen[which])

    def set_stakes(self, tables: ArrayLike, **stakes: ArrayLike) -> None:
        """Do nothing."""


def nothing_of(config: PPOConfig) -> Tables:
    """Return tables at which nothing happens, in place of those of a run."""
    return cast(Tables, NothingTables(config))


@dataclass(frozen=True)
class Speeds:
    """How fast a learner was, a figure for each round.

    Attributes:
        by_second: decisions a second of wall-clock time, updates included.
        by_cpu: decisions a second of CPU time, of all threads together.
        seconds: where the time went, by name.
    """

    by_second: list[float]
    by_cpu: list[float]
    seconds: list[dict[str, float]]

    @property
    def clock(self) -> Profiler:
        """Where the time of all rounds went."""
        clock = Profiler()
        for each in self.seconds:
            for name, seconds in each.items():
                clock.seconds[name] += seconds
        return clock


def throughput(
    config: PPOConfig, rounds: int, updates: int, partial: PartialResults, progress: BenchProgress
) -> tuple[Speeds, Speeds]:
    """Measure decisions a second, updates included: at the tables, where nothing happens, in turn.

    Args:
        config: a run without opponents.
        rounds: how often both are measured.
        updates: how many updates each time.
        partial: the rounds that were measured before; those measured now are kept there too.
        progress: is told of every measurement.
    """
    places = "at the tables", "where nothing happens"
    left = range(len(partial.parts) + 1, rounds + 1)
    if left:
        progress.start(2 * len(left) + 1)
        progress.next("warming up")
        learners = [PPOTrainer(config, tables) for tables in (make_tables, nothing_of)]
        for learner in learners:
            learner.update()
    for number in left:
        found = []
        for learner, where in zip(learners, places, strict=True):
            progress.next(f"round {number} of {rounds}, {where}")
            found.append(_measured(learner, updates))
        partial.add(f"round {number}", found)
        progress.print_line(f"round {number} of {rounds} measured")
    real, nothing = (
        Speeds(*map(list, zip(*each, strict=True)))
        for each in zip(*partial.parts.values(), strict=True)
    )
    return real, nothing


def _measured(learner: PPOTrainer, updates: int) -> tuple[float, float, dict[str, float]]:
    """Return decisions a second and a CPU-second over some updates, and where the time went."""
    learner.profiler.seconds.clear()
    before = learner.steps
    with Stopwatch() as taken:
        for _ in range(updates):
            learner.update()
    steps = learner.steps - before
    return steps / taken.wall, steps / taken.cpu, dict(learner.profiler.seconds)
