"""The fast trainer on solved games: how far from equilibrium what it learns is, exactly."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from sabacc_training.config import validated
from sabacc_training.fast.config import FastConfig
from sabacc_training.fast.learner import FastLearner
from sabacc_training.margins import quantile
from sabacc_training.solving.game_tree import GameTree
from sabacc_training.solving.measuring import nash_conv
from sabacc_training.solving.rung import Rung
from sabacc_training.stopwatch import Stopwatch

Floats = NDArray[np.float64]

SETTINGS: Final[dict[str, Any]] = {
    "num_tables": 1024,
    "decisions": 4096,
    "minibatch": 1024,
    "epochs": 2,
    "learning_rate": [3e-3, 0.0],
    "hidden": [128, 128],
    "reward_scale": 2.0,
}
"""What all methods have in common on the ladder."""

METHODS: Final[dict[str, dict[str, Any]]] = {
    "PPO, entropy .01": {"magnet": "none", "entropy": [0.01, 0.01]},
    "PPO, entropy .05 to .01": {"magnet": "none", "entropy": [0.05, 0.01]},
    "refreshed magnet": {"magnet": "refreshed", "kl": 0.1, "entropy": [0.15, 0.0005]},
    "moving magnet": {"magnet": "moving", "kl": 0.1, "entropy": [0.15, 0.0005]},
}
"""What is compared, by name: how the settings differ."""

POINTS: Final = 10
"""How often a run is measured, at even distances."""


def ladder_config(rung: Rung, method: str, steps: int, seed: int) -> FastConfig:
    """Return the run of a method on a rung."""
    return validated(
        FastConfig,
        {
            **rung.model_dump(mode="json"),
            "trainer": "fast",
            "steps": steps,
            "seed": seed,
            "pool": {"snapshots": 0.0, "scripted": {}},
            "learning": SETTINGS | METHODS[method],
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
        return np.asarray(quantile(runs) * self.averaged.std(axis=0, ddof=1) / np.sqrt(runs))

    def seconds_to(self, target: float) -> Floats:
        """Return the CPU time of each run until it was measured below a NashConv; inf if never."""
        below = np.where(self.averaged < target, self.seconds, np.inf)
        return np.asarray(below.min(axis=1))


def climb(rung: Rung, tree: GameTree, method: str, steps: int, seeds: int) -> Climb:
    """Train by a method from seeds 0 up, at least two, and measure what is learnt."""
    runs = [_climbed(tree, ladder_config(rung, method, steps, seed)) for seed in range(seeds)]
    at, averaged, seconds, last = zip(*runs, strict=True)
    return Climb(method, np.array(at), np.array(averaged), np.array(seconds), np.array(last))


def _climbed(
    tree: GameTree, config: FastConfig
) -> tuple[list[int], list[float], list[float], float]:
    """Train once; return what a ``Climb`` says of a run."""
    learner = FastLearner(config)
    steps, averaged, seconds = [], [], []
    taken = Stopwatch()
    for point in range(1, POINTS + 1):
        with taken:
            while learner.steps < config.steps * point / POINTS:
                learner.update()
        steps.append(learner.steps)
        averaged.append(nash_conv(tree, learner.average))
        seconds.append(taken.cpu)
    return steps, averaged, seconds, nash_conv(tree, learner.agent)
