"""The fast trainer on solved games: how far from equilibrium what it learnt is, exactly."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from sabacc_training.config import validated
from sabacc_training.fast.config import FastConfig
from sabacc_training.fast.learner import FastLearner
from sabacc_training.margins import quantile
from sabacc_training.solving.game_tree import GameTree
from sabacc_training.solving.measuring import strategy_of
from sabacc_training.solving.responses import distance
from sabacc_training.solving.rung import Rung

SETTINGS: Final[dict[str, Any]] = {
    "num_tables": 1024,
    "decisions": 8192,
    "minibatch": 2048,
    "epochs": 2,
    "learning_rate": [3e-3, 0.0],
    "hidden": [128, 128],
    "reward_scale": 2.0,
}
"""What all methods have in common on the ladder."""

METHODS: Final[dict[str, dict[str, Any]]] = {
    "PPO, entropy .01": {"magnet": "none", "entropy": [0.01, 0.01]},
    "PPO, entropy .03 to 0": {"magnet": "none", "entropy": [0.03, 0.0]},
    "refreshed magnet": {"magnet": "refreshed", "kl": 0.2, "entropy": [0.03, 0.0]},
    "moving magnet": {"magnet": "moving", "kl": 0.2, "entropy": [0.03, 0.0]},
}
"""What is compared, by name: how the settings differ."""


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
    """What the runs of a method came to, one a seed.

    Attributes:
        method: its name.
        last: NashConv of the last policy, in antes.
        averaged: likewise of the averaged one, which is what is saved.
        seconds: how long each took, measuring left out.
    """

    method: str
    last: tuple[float, ...]
    averaged: tuple[float, ...]
    seconds: tuple[float, ...]

    @property
    def mean(self) -> float:
        """The mean NashConv of the averaged policies."""
        return float(np.mean(self.averaged))

    @property
    def half_width(self) -> float:
        """Half the width of its 95 % interval, Student's t over seeds."""
        count = len(self.averaged)
        return quantile(count) * float(np.std(self.averaged, ddof=1)) / float(np.sqrt(count))


def climb(rung: Rung, tree: GameTree, method: str, steps: int, seeds: int) -> Climb:
    """Train by a method from seeds 0 up, at least two, and measure what was learnt."""
    last, averaged, seconds = [], [], []
    for seed in range(seeds):
        learner = FastLearner(ladder_config(rung, method, steps, seed))
        began = time.perf_counter()
        while learner.steps < steps:
            learner.update()
        seconds.append(time.perf_counter() - began)
        last.append(distance(tree, strategy_of(tree, learner.agent)).nash_conv)
        averaged.append(distance(tree, strategy_of(tree, learner.average)).nash_conv)
    return Climb(method, tuple(last), tuple(averaged), tuple(seconds))
