"""One run of the fast trainer from its configuration to the saved agent."""

from __future__ import annotations

import sys
import time
from pathlib import Path

from sabacc_training.conductor import AGENT, CURVES, Conductor, kept_state
from sabacc_training.config import dump
from sabacc_training.fast.config import FastConfig
from sabacc_training.fast.learner import FastLearner
from sabacc_training.files import write_text
from sabacc_training.stopping import stop_signals
from sabacc_training.training_progress import TrainingProgress


def train(config: FastConfig, folder: Path, *, resume: bool = False) -> Path:
    """Train an agent and return the path of its file.

    Files, signals and errors are those of ``sabacc_training.selfplay.train``.

    Args:
        config: the run.
        folder: where its files go; made if it is missing.
        resume: go on from the checkpoint in the folder, as if there had been no stop.
    """
    from torch.utils.tensorboard import SummaryWriter

    state = kept_state(config, folder, resume)
    # On a processor that would choose another precision it stays the one that the run began in.
    learner = FastLearner(config, precision=state["precision"] if state else None)
    if state is not None:
        learner.restore(state)
    opponent = config.load(config.progress.opponent)
    write_text(folder / "config.json", dump(config))
    curves = SummaryWriter(str(folder / CURVES), purge_step=learner.steps)

    def record(name: str, value: float) -> None:
        curves.add_scalar(name, value, learner.steps)

    with TrainingProgress(learner.steps, config) as bar, stop_signals() as told:
        conductor = Conductor(learner, opponent, folder, bar, told, record, state)
        while learner.steps < config.steps:
            before, began = learner.steps, time.perf_counter()
            learner.update()
            taken = time.perf_counter() - began
            record("speed/decisions_a_second", (learner.steps - before) / taken)
            for name, value in learner.figures.items():
                record(name, value)
            for name, seconds in learner.clock.seconds.items():
                record(f"seconds/{name}", seconds)
            conductor.between_updates()
        conductor.keep()
    curves.close()
    learner.save_agent(folder / AGENT)
    print(f"where the time went: {learner.clock}", file=sys.stderr)
    return folder / AGENT
