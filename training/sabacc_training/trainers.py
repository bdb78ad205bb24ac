"""The two trainers behind one kind of configuration: a file names one of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from sabacc_training.config.base import chosen_config
from sabacc_training.config.run import RunConfig
from sabacc_training.ppo.config import PPOConfig
from sabacc_training.sb3.config import MaskablePPOConfig

if TYPE_CHECKING:
    from sabacc_training.runs.trainer import Trainer

TRAINERS: Final[dict[str, type[RunConfig]]] = {"sb3": MaskablePPOConfig, "ppo": PPOConfig}
"""The values of the key ``trainer``; "sb3" is the default."""


def training_config(path: Path | str, overrides: Sequence[str] = ()) -> RunConfig:
    """Read the configuration of a training run, for the trainer that it names.

    Args:
        path: as in ``sabacc_training.config.base.load_config``.
        overrides: likewise.

    Raises:
        SabaccError: likewise.
    """
    return chosen_config("trainer", TRAINERS, "sb3", path, overrides)


def make_trainer(config: RunConfig, state: Mapping[str, Any] | None = None) -> Trainer:
    """Return the trainer of a run, at its beginning or at a ``state`` of it."""
    if isinstance(config, PPOConfig):
        from sabacc_training.ppo.league import make_ppo_trainer

        # The precision of before, also on a processor that would choose another.
        precision = state["precision"] if state else None
        trainer: Trainer = make_ppo_trainer(config, precision)
    else:
        from sabacc_training.sb3.trainer import MaskablePPOTrainer

        assert isinstance(config, MaskablePPOConfig)
        trainer = MaskablePPOTrainer(config)
    if state is not None:
        trainer.restore(state)
    return trainer


def train(config: RunConfig, folder: Path, *, resume: bool = False) -> Path:
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
        SabaccError: if the folder holds files of a run that is not to be resumed, or no run that
            could be, or if another process writes into it; for an unknown agent, before anything is
            written; if the disk is full.
        StoppedBySignal: on SIGINT or SIGTERM, after the checkpoint is written.
    """
    from sabacc_training.runs.run import run_training

    return run_training(config, folder, resume, make_trainer)


def train_on(config: RunConfig, folder: Path) -> Path:
    """Train an agent as ``train`` does; resume the run where the folder holds one."""
    from sabacc_training.runs.run import holds_run

    return train(config, folder, resume=holds_run(folder))
