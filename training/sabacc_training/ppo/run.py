"""One run of the PPO trainer, from its configuration to the saved agent."""

from __future__ import annotations

import sys
import time
from pathlib import Path

from sabacc_env.storage.files import write_text
from sabacc_training.config.base import dump
from sabacc_training.jobs.locking import locked_folder
from sabacc_training.jobs.stopping import stop_signals
from sabacc_training.ppo.config import PPOConfig
from sabacc_training.ppo.trainer import PPOTrainer
from sabacc_training.runs.callback import AGENT, CHECKPOINT, EVENTS, RunCallback, resumed_state
from sabacc_training.runs.checkpoint import refuse_malformed_state
from sabacc_training.runs.progress import TrainingProgress
from sabacc_training.runs.tensorboard import EventWriter


def train(config: PPOConfig, folder: Path, *, resume: bool = False) -> Path:
    """Train an agent and return the path of its file.

    Files, signals and errors are those of ``sabacc_training.sb3.run.train``.

    Args:
        config: the run.
        folder: where its files go; made if it is missing.
        resume: continue from the checkpoint in the folder, as if there had been no stop.
    """
    with locked_folder(folder):
        return _train(config, folder, resume)


def _train(config: PPOConfig, folder: Path, resume: bool) -> Path:
    state = resumed_state(config, folder, resume)
    if state is None:
        trainer = PPOTrainer(config)
    else:
        with refuse_malformed_state(folder / CHECKPOINT):
            # The precision of before, also on a processor that would choose another.
            trainer = PPOTrainer(config, precision=state["precision"])
            trainer.restore(state)
    opponent = config.load(config.evaluation.opponent)
    write_text(folder / "config.json", dump(config))
    with (
        EventWriter(folder / EVENTS, trainer.steps) as events,
        TrainingProgress(trainer.steps, config) as bar,
        stop_signals() as signals,
    ):
        callback = RunCallback(trainer, opponent, folder, bar, signals, events, state)
        while trainer.steps < config.steps:
            before, began = trainer.steps, time.perf_counter()
            trainer.update()
            seconds = time.perf_counter() - began
            speed = {"time/fps": (trainer.steps - before) / seconds}
            sections = {
                f"time/{name.replace(' ', '_')}_seconds": total
                for name, total in trainer.profiler.seconds.items()
            }
            events.write(trainer.steps, speed | trainer.metrics | sections)
            callback.between_updates()
        callback.save()
    trainer.save_agent(folder / AGENT)
    print(f"where the time went: {trainer.profiler}", file=sys.stderr)
    return folder / AGENT
