"""The PPO trainer on solved games: the exact NashConv of its policies during training."""

from __future__ import annotations

from dataclasses import dataclass
from signal import Signals
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray
from sabacc_agents.networks.agent import network_agent

from sabacc_training.bench.progress import BenchProgress
from sabacc_training.config.base import validated
from sabacc_training.experiments.timed_run import TimedRun
from sabacc_training.jobs.partial_results import PartialResults
from sabacc_training.ppo.config import PPOConfig
from sabacc_training.ppo.policy import PolicyAgent
from sabacc_training.ppo.trainer import PPOTrainer
from sabacc_training.solved_games.agent_policy import nash_conv
from sabacc_training.solved_games.game_tree import FloatArray, GameTree
from sabacc_training.solved_games.rung import Rung
from sabacc_training.statistics.estimate import t_quantile

SETTINGS: Final[dict[str, Any]] = {
    "num_tables": 1024,
    "rollout_steps": 4096,
    "minibatch_size": 1024,
    "n_epochs": 2,
    "learning_rate": [3e-3, 0.0],
    "hidden_sizes": [128, 128],
    "reward_scale": 2.0,
}
"""The hyperparameters on the ladder, unless a method has its own."""

LOG_BARRIER: Final[dict[str, Any]] = {
    "polyak_tau": 0.005,
    "ppo": {
        "magnet": "moving_average",
        "kl_coef": 0.3,
        "magnet_tau": 0.02,
        "ent_coef": [0.1, 0.005],
        "log_barrier_coef": [0.02, 0.003],
        "advantage_unit": "stake",
        "rollout_steps": 16_384,
        "minibatch_size": 4096,
        "hidden_sizes": [256, 256],
    },
}
"""The keys of a long run that keeps trying every action."""

METHODS: Final[dict[str, dict[str, Any]]] = {
    "PPO, entropy .01": {"ppo": {"magnet": "none", "ent_coef": [0.01, 0.01]}},
    "PPO, entropy .05 to .01": {"ppo": {"magnet": "none", "ent_coef": [0.05, 0.01]}},
    "periodic magnet": {
        "ppo": {"magnet": "periodic", "kl_coef": 0.1, "ent_coef": [0.15, 0.0005]},
    },
    "moving-average magnet": {
        "ppo": {"magnet": "moving_average", "kl_coef": 0.1, "ent_coef": [0.15, 0.0005]},
    },
    "log barrier": LOG_BARRIER,
    "log barrier, recall": {
        **LOG_BARRIER,
        "ppo": {
            **LOG_BARRIER["ppo"],
            "ent_coef": [0.1, 0.015],
            "log_barrier_coef": [0.02, 0.005],
            "recalled_decisions": 3,
        },
    },
}
"""The methods by name, with the keys of a run in which they differ. The last two are for long runs,
in which the others cease to come nearer; the last one tells apart more information states."""

POINTS: Final = 10
"""Measurements of a run, at equal distances."""


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
            **METHODS[method],
            "ppo": SETTINGS | METHODS[method]["ppo"],
        },
    )


@dataclass(frozen=True)
class LearningCurve:
    """NashConv during the runs of a method, one run for each seed, measured at some points.

    Attributes:
        method: the name of the method.
        steps: (runs, points) decisions so far.
        nash_conv: (runs, points) NashConv in antes of the averaged policy, the one that is saved.
        seconds: (runs, points) CPU time so far, without the time of measurements.
        last_nash_conv: (runs,) NashConv of the policy that is not averaged, at the end.
    """

    method: str
    steps: NDArray[np.int64]
    nash_conv: FloatArray
    seconds: FloatArray
    last_nash_conv: FloatArray

    @property
    def means(self) -> FloatArray:
        """(points,) mean NashConv over runs."""
        return np.asarray(self.nash_conv.mean(axis=0))

    @property
    def half_widths(self) -> FloatArray:
        """(points,) half the widths of the 95 % intervals of ``means``, Student's t over runs."""
        runs = len(self.nash_conv)
        return np.asarray(t_quantile(runs) * self.nash_conv.std(axis=0, ddof=1) / np.sqrt(runs))

    def seconds_to(self, target: float) -> FloatArray:
        """Return the CPU time of each run until its NashConv was below a target; inf if never."""
        below = np.where(self.nash_conv < target, self.seconds, np.inf)
        return np.asarray(below.min(axis=1))


def learning_curve(
    tree: GameTree,
    method: str,
    steps: int,
    seeds: int,
    partial: PartialResults,
    stops: list[Signals],
    progress: BenchProgress,
) -> LearningCurve:
    """Train by a method from seeds 0, 1, ... and measure the policies.

    Args:
        tree: the game.
        method: one of ``METHODS``.
        steps: decisions in a run.
        seeds: the number of runs, at least two.
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
            run = TimedRun(config, partial.checkpoint, stops)
            partial.add(name, _measured_run(tree, run, name, progress))
        runs.append(partial.parts[name])
    points, last = zip(*runs, strict=True)
    decisions, averaged, seconds = np.moveaxis(np.array(points), 2, 0)
    return LearningCurve(method, decisions.astype(np.int64), averaged, seconds, np.array(last))


def _measured_run(
    tree: GameTree, run: TimedRun, name: str, progress: BenchProgress
) -> tuple[list[tuple[int, float, float]], float]:
    """Train once; return the points, and the NashConv of the last policy without averaging.

    A point is the decisions so far, NashConv of the averaged policy, and the CPU time so far.
    """
    trainer = run.trainer
    assert isinstance(trainer, PPOTrainer)
    for point in range(len(run.measurements) + 1, POINTS + 1):
        run.stopwatch.start()
        while trainer.steps < trainer.config.steps * point / POINTS:
            trainer.update()
            run.after_update()
        run.stopwatch.stop()
        averaged = _nash_conv(tree, trainer, trainer.average)
        run.measurements.append((trainer.steps, averaged, run.stopwatch.cpu))
        if point < POINTS:
            progress.next(f"{name}: NashConv {averaged:.4f}")
    return run.measurements, _nash_conv(tree, trainer, trainer.agent)


def _nash_conv(tree: GameTree, trainer: PPOTrainer, policy: PolicyAgent) -> float:
    """Return the NashConv of a policy of a run as it is saved."""
    network = trainer.saved_network(policy)
    return nash_conv(tree, network_agent(bet_sizes=tree.rung.bet_sizes, network=network))
