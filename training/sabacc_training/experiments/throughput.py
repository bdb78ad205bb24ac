"""The speed of the PPO trainer, and the share of its time that the environment takes."""

from __future__ import annotations

from collections.abc import Mapping
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
from sabacc_training.ppo.league import make_ppo_trainer
from sabacc_training.ppo.profiler import Profiler
from sabacc_training.ppo.trainer import PPOTrainer

PLAYED: Final = "at played tables"
FROZEN: Final = "at frozen tables"

HAND_STEPS: Final = 8
"""Steps of a hand at frozen tables: about the mean of two-seat casino hands of random agents."""


class FrozenTables:
    """Tables that stay as they were at one moment: a trainer reads them, but no hand is played.

    The hand of each table ends at every eighth step, so that a trainer has as much to learn from.
    """

    def __init__(self, config: PPOConfig) -> None:
        tables = make_tables(config)
        tables.play(random_legal, 4 * HAND_STEPS)
        indices = np.arange(tables.num_tables)
        self._opponents_hands = tables.opponents_hands(indices)
        self._upcoming_chance = tables.upcoming_chance(indices)
        self._tables = tables
        self._ends = [indices % HAND_STEPS == step for step in range(HAND_STEPS)]
        net = np.zeros((tables.num_tables, tables.num_players), np.int64)
        net[:, 0], net[:, 1] = 1, -1
        self._nets = [np.where(ends[:, None], net, 0) for ends in self._ends]
        self._steps = 0

    def __getattr__(self, name: str) -> Any:
        return getattr(self._tables, name)

    def step(self, actions: ArrayLike) -> None:
        """Play nothing; set which hands have ended."""
        self._steps += 1
        self.finished: NDArray[np.bool_] = self._ends[self._steps % HAND_STEPS]
        self.net_credits: NDArray[np.int64] = self._nets[self._steps % HAND_STEPS]

    def opponents_hands(self, tables: ArrayLike) -> NDArray[np.float32]:
        """Return the frozen values."""
        return self._of(self._opponents_hands, tables)

    def upcoming_chance(self, tables: ArrayLike) -> NDArray[np.float32]:
        """Return the frozen values."""
        return self._of(self._upcoming_chance, tables)

    def _of(self, seen: NDArray[np.float32], tables: ArrayLike) -> NDArray[np.float32]:
        """Return some rows; of all tables, as on a GPU, they need no index."""
        indices = np.asarray(tables)
        return seen if len(indices) == len(seen) else np.asarray(seen[indices])

    def set_episode_starts(self, tables: ArrayLike, **starts: ArrayLike) -> None:
        """Do nothing."""


def frozen_tables(config: PPOConfig) -> Tables:
    """Return frozen tables for a run, in place of those that are played."""
    return cast(Tables, FrozenTables(config))


@dataclass(frozen=True)
class Throughput:
    """The speed of a trainer, a figure for each round.

    Attributes:
        per_second: decisions per second of wall-clock time, updates included.
        per_cpu_second: decisions per second of CPU time of all threads.
        seconds: seconds of each section of the trainer, by name.
    """

    per_second: list[float]
    per_cpu_second: list[float]
    seconds: list[dict[str, float]]

    @property
    def profiler(self) -> Profiler:
        """The seconds of each section over all rounds."""
        profiler = Profiler()
        for each in self.seconds:
            for name, seconds in each.items():
                profiler.seconds[name] += seconds
        return profiler


def measure_throughput(
    config: PPOConfig,
    beside: Mapping[str, PPOConfig],
    rounds: int,
    updates: int,
    partial: PartialResults,
    progress: BenchProgress,
) -> dict[str, Throughput]:
    """Measure decisions per second, updates included, in turn.

    Args:
        config: a run without opponents, measured at played and at frozen tables.
        beside: other runs, opponents and exploiters included, measured at played tables.
        rounds: the number of measurements of each.
        updates: the updates of each measurement.
        partial: the finished rounds; new rounds are saved there.
        progress: shows each measurement.

    Returns:
        The speeds at ``PLAYED`` tables, at ``FROZEN`` ones, and of the other runs by their names.
    """
    names = PLAYED, FROZEN, *beside
    left = range(len(partial.parts) + 1, rounds + 1)
    if left:
        progress.start(len(names) * len(left) + 1)
        progress.next("warming up")
        trainers = [
            PPOTrainer(config, make_tables),
            PPOTrainer(config, frozen_tables),
            *(make_ppo_trainer(other) for other in beside.values()),
        ]
        for trainer in trainers:
            trainer.update()
    for number in left:
        found = []
        for trainer, name in zip(trainers, names, strict=True):
            progress.next(f"round {number} of {rounds}, {name}")
            found.append(_measure(trainer, updates))
        partial.add(f"round {number}", found)
        progress.print_line(f"round {number} of {rounds} measured")
    measured = zip(names, zip(*partial.parts.values(), strict=True), strict=True)
    return {name: Throughput(*map(list, zip(*each, strict=True))) for name, each in measured}


def _measure(trainer: PPOTrainer, updates: int) -> tuple[float, float, dict[str, float]]:
    """Return decisions per second and per CPU-second over some updates, and seconds by section."""
    trainer.profiler.seconds.clear()
    before = trainer.steps
    with Stopwatch() as taken:
        for _ in range(updates):
            trainer.update()
    steps = trainer.steps - before
    return steps / taken.wall, steps / taken.cpu, dict(trainer.profiler.seconds)
