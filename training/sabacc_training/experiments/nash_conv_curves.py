"""The PPO trainer on solved games: how far from equilibrium what it learns is, exactly."""

from __future__ import annotations

from dataclasses import dataclass
from signal import Signals
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from sabacc_training.bench.progress import BenchProgress
from sabacc_training.config.base import validated
from sabacc_training.evaluation.estimate import t_quantile
from sabacc_training.experiments.timed import TimedRun
from sabacc_training.jobs.partial_results import PartialResults
from sabacc_training.ppo.config import PPOConfig
from sabacc_training.ppo.trainer import PPOTrainer
from sabacc_training.solved_games.agent_strategy import nash_conv
from sabacc_training.solved_games.game_tree import GameTree
from sabacc_training.solved_games.rung import Rung

Floats = NDArray[np.float64]

SETTINGS: Final[dict[str, Any]] = {
    "num_tables": 1024,
    "rollout_steps": 4096,
    "minibatch_size": 1024,
    "n_epochs": 2,
    "learning_rate": [3e-3, 0.0],
    "hidden_sizes": [128, 128],
    "reward_scale": 2.0,
}
"""What all methods have in common on the ladder."""

METHODS: Final[dict[str, dict[str, Any]]] = {
    "PPO, entropy .01": {"magnet": "none", "ent_coef": [0.01, 0.01]},
    "PPO, entropy .05 to .01": {"magnet": "none", "ent_coef": [0.05, 0.01]},
    "refreshed magnet": {"magnet": "periodic", "kl_coef": 0.1, "ent_coef": [0.15, 0.0005]},
    "moving magnet": {"magnet": "moving_average", "kl_coef": 0.1, "ent_coef": [0.15, 0.0005]},
}
"""What is compared, by name: how the settings differ."""

POINTS: Final = 10
"""How often a run is measured, at even distances."""


def ladder_config(rung: Rung, method: str, steps: int, seed: int) -> PPOConfig:
    """Return the run of a method on a rung."""
    return validated(
        PPOConfig,
        {
            **rung.model_dump(mode="json"),
            "trainer": "ppo",
            "steps": steps,
            "seed": seed,
            "pool": {"snapshots": 0.0, "scripted": {}},
            "ppo": SETTINGS | METHODS[method],
        },
    )


@dataclass(frozen=True)
class Climb:
    """What the runs of a method came to, one for each seed, each measured at some points.

    Attributes:
        method: its name.
        steps: (runs, points) decisions so far.
        averaged: likewise the NashConv of the averaged policy, which is what is saved, in antes.
        seconds: likewise the CPU time so far, measuring left out.
        last: (runs,) the NashConv of the policy as it is at the end.
    """

    method: str
    steps: NDArray[np.int64]
    averaged: Floats
    seconds: Floats
    last: Floats

    @property
    def means(self) -> Floats:
        """(points,) the mean NashConv of the averaged policies."""
        return np.asarray(self.averaged.mean(axis=0))

    @property
    def half_widths(self) -> Floats:
        """(points,) half the widths of their 95 % intervals, Student's t over runs."""
        runs = len(self.averaged)
        return np.asarray(t_quantile(runs) * self.averaged.std(axis=0, ddof=1) / np.sqrt(runs))

    def seconds_to(self, target: float) -> Floats:
        """Return the CPU time of each run until it was measured below a NashConv; inf if never."""
        below = np.where(self.averaged < target, self.seconds, np.inf)
        return np.asarray(below.min(axis=1))


def climb(
    tree: GameTree,
    method: str,
    steps: int,
    seeds: int,
    partial: PartialResults,
    stops: list[Signals],
    progress: BenchProgress,
) -> Climb:
    """Train by a method from seeds 0 up, at least two, and measure what is learnt.

    Args:
        tree: the game.
        method: one of ``METHODS``.
        steps: decisions in a run.
        seeds: how many runs.
        partial: the finished runs; new runs and the checkpoint of the current one are saved there.
        stops: the signals received so far; with any, the run stops.
        progress: shows each point, ``POINTS`` of them in a run.

    Raises:
        StoppedBySignal: after a signal; everything is saved.
    """
    runs = []
    for seed in range(seeds):
        name = f"{method}, seed {seed}"
        if name not in partial.parts:
            progress.next(name)
            config = ladder_config(tree.rung, method, steps, seed)
            timed = TimedRun(config, partial.checkpoint, stops)
            partial.add(name, _climbed(tree, timed, name, progress))
        runs.append(partial.parts[name])
    points, last = zip(*runs, strict=True)
    at, averaged, seconds = np.moveaxis(np.array(points), 2, 0)
    return Climb(method, at.astype(np.int64), averaged, seconds, np.array(last))


def _climbed(
    tree: GameTree, timed: TimedRun, name: str, progress: BenchProgress
) -> tuple[list[tuple[int, float, float]], float]:
    """Train once. Return the points, and NashConv of the policy as it is at the end.

    A point is decisions so far, NashConv of the averaged policy, and CPU time so far.
    """
    learner = timed.run
    assert isinstance(learner, PPOTrainer)
    for point in range(len(timed.found) + 1, POINTS + 1):
        timed.taken.start()
        while learner.steps < learner.config.steps * point / POINTS:
            learner.update()
            timed.between_updates()
        timed.taken.stop()
        averaged = nash_conv(tree, learner.average)
        timed.found.append((learner.steps, averaged, timed.taken.cpu))
        if point < POINTS:
            progress.next(f"{name}: NashConv {averaged:.4f}")
    return timed.found, nash_conv(tree, learner.agent)
