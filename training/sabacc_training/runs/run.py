"""A training run in a folder, by either trainer: from its configuration to the saved agent."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from sabacc_env.errors import SabaccError
from sabacc_env.storage.files import read_bytes, write_text
from sabacc_training.config.base import dump
from sabacc_training.config.run import RunConfig
from sabacc_training.jobs.locking import locked_folder
from sabacc_training.jobs.stopping import stop_signals
from sabacc_training.runs.callback import (
    AGENT,
    BEST,
    CHECKPOINT,
    CONFIG,
    EVENTS,
    RunCallback,
)
from sabacc_training.runs.checkpoint import load_checkpoint, refuse_malformed_state
from sabacc_training.runs.progress import TrainingProgress
from sabacc_training.runs.tensorboard import EventWriter
from sabacc_training.runs.trainer import Trainer

State = dict[str, Any]
"""What a checkpoint holds."""


def run_training(
    config: RunConfig,
    folder: Path,
    resume: bool,
    make_trainer: Callable[[RunConfig, State | None], Trainer],
) -> Path:
    """Train an agent and return the path of its file; see ``sabacc_training.trainers.train``.

    Args:
        config: the run.
        folder: where its files go; made if it is missing.
        resume: continue from the checkpoint in the folder.
        make_trainer: returns the trainer of a run, at its beginning or at a state of it.
    """
    with locked_folder(folder):
        state = _resumed_state(config, folder, resume)
        if state is None:
            trainer = make_trainer(config, None)
        else:
            with refuse_malformed_state(folder / CHECKPOINT):
                trainer = make_trainer(config, state)
        opponent = config.load(config.evaluation.opponent)
        write_text(folder / CONFIG, dump(config))
        with (
            EventWriter(folder / EVENTS, trainer.steps) as events,
            TrainingProgress(trainer.steps, config) as bar,
            stop_signals() as signals,
        ):
            callback = RunCallback(trainer, opponent, folder, bar, signals, events, state)
            trainer.learn(callback)
            callback.save()
        trainer.save_agent(folder / AGENT)
    if summary := trainer.summary():
        print(summary, file=sys.stderr)
    return folder / AGENT


def holds_run(folder: Path) -> bool:
    """Return whether a folder holds a run that can be resumed."""
    return os.path.exists(folder / CHECKPOINT)  # noqa: PTH110 (Path's raises PermissionError)


def _resumed_state(config: RunConfig, folder: Path, resume: bool) -> State | None:
    """Return the state that a run continues from; None for a new run.

    Raises:
        SabaccError: if the folder holds a run that is not to be resumed, or none that could be.
    """
    if not resume:
        _refuse_earlier_run(config, folder)
        return None
    state = load_checkpoint(folder / CHECKPOINT, config)
    with refuse_malformed_state(folder / CHECKPOINT):
        float(state["seconds"])
        float(state["best"] or 0)
    return state


def _refuse_earlier_run(config: RunConfig, folder: Path) -> None:
    """Refuse a folder whose files a new run would overwrite.

    A run of the same configuration that was killed before its first checkpoint may begin again.

    Raises:
        SabaccError: if the folder holds the files of an earlier run.
    """
    if holds_run(folder):
        raise SabaccError(
            f"{folder}: holds a run already; resume it (--resume) or choose another folder"
        )
    killed_early = read_bytes(folder / CONFIG) == dump(config).encode()
    for name in (AGENT,) if killed_early else (AGENT, BEST, CONFIG):
        if (folder / name).exists():
            raise SabaccError(
                f"{folder}: holds {name} of an earlier run, and no {CHECKPOINT} to resume it from; "
                "choose another folder"
            )
