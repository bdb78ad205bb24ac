"""One run of the fast trainer from its configuration to the saved agent."""

from __future__ import annotations

import sys
import time
from pathlib import Path

from sabacc_env.storage.files import write_text
from sabacc_training.config.base import dump
from sabacc_training.jobs.locking import locked_folder
from sabacc_training.jobs.stopping import stop_signals
from sabacc_training.ppo.config import PPOConfig
from sabacc_training.ppo.trainer import FastLearner
from sabacc_training.runs.between_updates import AGENT, CHECKPOINT, CURVES, Conductor, kept_state
from sabacc_training.runs.checkpoint import only_of_runs
from sabacc_training.runs.progress import TrainingProgress
from sabacc_training.runs.tensorboard import Curves


def train(config: PPOConfig, folder: Path, *, resume: bool = False) -> Path:
    """Train an agent and return the path of its file.

    Files, signals and errors are those of ``sabacc_training.sb3.run.train``.

    Args:
        config: the run.
        folder: where its files go; made if it is missing.
        resume: go on from the checkpoint in the folder, as if there had been no stop.
    """
    with locked_folder(folder):
        return _train(config, folder, resume)


def _train(config: PPOConfig, folder: Path, resume: bool) -> Path:
    state = kept_state(config, folder, resume)
    if state is None:
        learner = FastLearner(config)
    else:
        with only_of_runs(folder / CHECKPOINT):
            # Also on a processor that would choose another precision.
            learner = FastLearner(config, precision=state["precision"])
            learner.restore(state)
    opponent = config.load(config.evaluation.opponent)
    write_text(folder / "config.json", dump(config))
    with (
        Curves(folder / CURVES, learner.steps) as curves,
        TrainingProgress(learner.steps, config) as bar,
        stop_signals() as told,
    ):
        conductor = Conductor(learner, opponent, folder, bar, told, curves, state)
        while learner.steps < config.steps:
            before, began = learner.steps, time.perf_counter()
            learner.update()
            taken = time.perf_counter() - began
            speed = {"speed/decisions_a_second": (learner.steps - before) / taken}
            seconds = {f"seconds/{name}": each for name, each in learner.clock.seconds.items()}
            curves.write(learner.steps, speed | learner.figures | seconds)
            conductor.between_updates()
        conductor.keep()
    learner.save_agent(folder / AGENT)
    print(f"where the time went: {learner.clock}", file=sys.stderr)
    return folder / AGENT
