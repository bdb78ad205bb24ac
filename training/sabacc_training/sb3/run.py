"""Training by self-play: one run of Stable-Baselines3 from its configuration to the saved agent."""

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
from sabacc_training.runs.between_updates import AGENT, CHECKPOINT, CURVES, Conductor, kept_state
from sabacc_training.runs.checkpoint import only_of_runs
from sabacc_training.runs.progress import TrainingProgress
from sabacc_training.runs.tensorboard import Curves
from sabacc_training.sb3.config import MaskablePPOConfig
from sabacc_training.sb3.trainer import Learner


def train(config: MaskablePPOConfig, folder: Path, *, resume: bool = False) -> Path:
    """Train an agent and return the path of its file.

    Into the folder go ``config.json``, ``checkpoint.pt``, ``tensorboard/``, ``best.safetensors``
    once a margin was measured and, at the end, ``agent.safetensors``. SIGINT and SIGTERM are taken:
    the run keeps a checkpoint after the update that it is in. Whatever kills it, no more is lost
    than since the last checkpoint.

    Args:
        config: the run.
        folder: where its files go; made if it is missing.
        resume: go on from the checkpoint in the folder, as if there had been no stop.

    Raises:
        SabaccError: for a folder that holds a run where none is to be resumed, none to resume, or
            one that another process writes into; for an agent that there is not, before anything is
            written; for a disk that is full.
        Stopped: on SIGINT or SIGTERM, after the checkpoint is written.
    """
    with locked_folder(folder):
        return _train(config, folder, resume)


def _train(config: MaskablePPOConfig, folder: Path, resume: bool) -> Path:
    state = kept_state(config, folder, resume)
    learner = Learner(config)
    if state is not None:
        with only_of_runs(folder / CHECKPOINT):
            learner.restore(state)
    opponent = config.load(config.evaluation.opponent)
    write_text(folder / "config.json", dump(config))
    with (
        Curves(folder / CURVES, learner.steps) as curves,
        TrainingProgress(learner.steps, config) as bar,
        stop_signals() as told,
    ):
        learner.model.set_logger(Logger(None, [_IntoCurves(curves)]))
        conductor = Conductor(learner, opponent, folder, bar, told, curves, state)
        learner.model.learn(
            config.steps - learner.steps,
            callback=BetweenUpdates(learner, conductor),
            reset_num_timesteps=state is None,
        )
        learner.follow()
        conductor.keep()
    learner.save_agent(folder / AGENT)
    return folder / AGENT


class _IntoCurves(KVWriter):
    """Writes what Stable-Baselines3 records into a run's curves."""

    def __init__(self, curves: Curves) -> None:
        self._curves = curves

    def write(
        self, key_values: dict[str, Any], key_excluded: dict[str, tuple[str, ...]], step: int = 0
    ) -> None:
        """Write the numbers of one moment."""
        numbers = {name: float(each) for name, each in key_values.items() if isinstance(each, Real)}
        self._curves.write(step, numbers)

    def close(self) -> None:
        """Leave the curves open: they are the run's."""


class Listener(Protocol):
    """What is done between updates."""

    def between_updates(self) -> None:
        """Do it."""


class BetweenUpdates(BaseCallback):
    """Hands over to a conductor, or whoever else listens, before each rollout."""

    def __init__(self, learner: Learner, conductor: Listener) -> None:
        super().__init__()
        self._learner = learner
        self._conductor = conductor

    def _on_step(self) -> bool:
        return True

    def _on_rollout_start(self) -> None:
        self._learner.follow()
        self.logger.record("train/entropy_weight", self._learner.model.ent_coef)
        self._conductor.between_updates()

    def _on_rollout_end(self) -> None:
        hands, margin = self._learner.env.margin_since()
        self.logger.record("rollout/hands", hands)
        self.logger.record("rollout/margin", margin)
