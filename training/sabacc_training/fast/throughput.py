"""How fast the trainer is, and what of it the environment costs: beside one that does nothing."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final, cast

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sabacc_env.policies import random_legal
from sabacc_env.tables import Tables
from sabacc_training.fast.clock import Clock
from sabacc_training.fast.collecting import tables_of
from sabacc_training.fast.config import FastConfig
from sabacc_training.fast.learner import FastLearner
from sabacc_training.stopwatch import Stopwatch

HAND: Final = 8
"""Steps of a hand at the tables where nothing happens; of two-seat casino hands that random agents
play it is about the mean."""


class NothingTables:
    """Tables as they stood at one moment, for ever: what a learner reads is there, none is played.

    Each table's hand ends at every eighth step, so that there is as much to learn from.
    """

    def __init__(self, config: FastConfig) -> None:
        tables = tables_of(config)
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


def nothing_of(config: FastConfig) -> Tables:
    """Return tables at which nothing happens, in place of those of a run."""
    return cast(Tables, NothingTables(config))


@dataclass(frozen=True)
class Speeds:
    """How fast a learner was, a figure for each round.

    Attributes:
        by_second: decisions a second of wall-clock time, updates included.
        by_cpu: decisions a second of CPU time, of all threads together.
        clock: where the time went.
    """

    by_second: list[float]
    by_cpu: list[float]
    clock: Clock


def throughput(config: FastConfig, rounds: int, updates: int) -> tuple[Speeds, Speeds]:
    """Measure decisions a second, updates included: at the tables, where nothing happens, in turn.

    Args:
        config: a run without opponents.
        rounds: how often both are measured.
        updates: how many updates each time.
    """
    learners = [FastLearner(config, tables) for tables in (tables_of, nothing_of)]
    for learner in learners:
        learner.update()
        learner.clock.seconds.clear()
    real, nothing = (Speeds([], [], learner.clock) for learner in learners)
    for _ in range(rounds):
        for learner, found in zip(learners, (real, nothing), strict=True):
            before = learner.steps
            with Stopwatch() as taken:
                for _ in range(updates):
                    learner.update()
            steps = learner.steps - before
            found.by_second.append(steps / taken.wall)
            found.by_cpu.append(steps / taken.cpu)
    return real, nothing
