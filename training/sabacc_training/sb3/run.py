"""One run of Stable-Baselines3's MaskablePPO, from its configuration to the saved agent."""

from __future__ import annotations

from numbers import Real
from pathlib import Path
from typing import Any, Protocol

from stable_baselines3.common.callbacks import BaseCallback
from stable_baselines3.common.logger import KVWriter, Logger

from sabacc_env.storage.files import write_text
from sabacc_training.config.base import dump
from sabacc_training.jobs.locking import locked_folder
from sabacc_training.jobs.stopping import stop_signals
from sabacc_training.runs.callback import AGENT, CHECKPOINT, EVENTS, RunCallback, resumed_state
from sabacc_training.runs.checkpoint import refuse_malformed_state
from sabacc_training.runs.progress import TrainingProgress
from sabacc_training.runs.tensorboard import EventWriter
from sabacc_training.sb3.config import MaskablePPOConfig
from sabacc_training.sb3.trainer import MaskablePPOTrainer


def train(config: MaskablePPOConfig, folder: Path, *, resume: bool = False) -> Path:
    """Train an agent and return the path of its file.

    The folder will hold ``config.json``, ``checkpoint.pt``, ``tensorboard/``, ``best.safetensors``
    after the first evaluation and, at the end, ``agent.safetensors``. On SIGINT and SIGTERM the run
    saves a checkpoint after the current update. If the process is killed, at most the work since
    the last checkpoint is lost.

    Args:
        config: the run.
        folder: where its files go; made if it is missing.
        resume: continue from the checkpoint in the folder, as if there had been no stop.

    Raises:
        SabaccError: if the folder holds a run that is not to be resumed, or none that could be, or
            if another process writes into it; for an unknown agent, before anything is written; if
            the disk is full.
        StoppedBySignal: on SIGINT or SIGTERM, after the checkpoint is written.
    """
    with locked_folder(folder):
        return _train(config, folder, resume)


def _train(config: MaskablePPOConfig, folder: Path, resume: bool) -> Path:
    state = resumed_state(config, folder, resume)
    trainer = MaskablePPOTrainer(config)
    if state is not None:
        with refuse_malformed_state(folder / CHECKPOINT):
            trainer.restore(state)
    opponent = config.load(config.evaluation.opponent)
    write_text(folder / "config.json", dump(config))
    with (
        EventWriter(folder / EVENTS, trainer.steps) as events,
        TrainingProgress(trainer.steps, config) as bar,
        stop_signals() as signals,
    ):
        trainer.model.set_logger(Logger(None, [_EventLogger(events)]))
        callback = RunCallback(trainer, opponent, folder, bar, signals, events, state)
        trainer.model.learn(
            config.steps - trainer.steps,
            callback=SB3Callback(trainer, callback),
            reset_num_timesteps=state is None,
        )
        trainer.update_followers()
        callback.save()
    trainer.save_agent(folder / AGENT)
    return folder / AGENT


class _EventLogger(KVWriter):
    """Writes what Stable-Baselines3 logs to a run's events."""

    def __init__(self, events: EventWriter) -> None:
        self._events = events

    def write(
        self, key_values: dict[str, Any], key_excluded: dict[str, tuple[str, ...]], step: int = 0
    ) -> None:
        """Write the numbers that were logged after a step."""
        numbers = {name: float(each) for name, each in key_values.items() if isinstance(each, Real)}
        self._events.write(step, numbers)

    def close(self) -> None:
        """Leave the events open: the run closes them."""


class UpdateCallback(Protocol):
    """What is called between updates."""

    def between_updates(self) -> None:
        """Run between two updates."""


class SB3Callback(BaseCallback):
    """Calls a callback of ours before each rollout."""

    def __init__(self, trainer: MaskablePPOTrainer, callback: UpdateCallback) -> None:
        super().__init__()
        self._trainer = trainer
        self._callback = callback

    def _on_step(self) -> bool:
        return True

    def _on_rollout_start(self) -> None:
        self._trainer.update_followers()
        self.logger.record("train/ent_coef", self._trainer.model.ent_coef)
        self._callback.between_updates()

    def _on_rollout_end(self) -> None:
        hands, margin = self._trainer.env.margin_since()
        self.logger.record("rollout/hands", hands)
        self.logger.record("rollout/margin", margin)
