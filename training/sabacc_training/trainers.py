"""The two trainers behind one kind of configuration: which one a file names, and its run."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from sabacc_training.config.base import chosen_config
from sabacc_training.config.run import RunConfig
from sabacc_training.ppo.config import PPOConfig
from sabacc_training.sb3.config import MaskablePPOConfig

if TYPE_CHECKING:
    from sabacc_training.runs.between_updates import Run

TRAINERS: Final[dict[str, type[RunConfig]]] = {"sb3": MaskablePPOConfig, "ppo": PPOConfig}
"""What the key ``trainer`` may say, "sb3" where it says nothing."""


def training_config(path: Path | str, overrides: Sequence[str] = ()) -> RunConfig:
    """Return the training run that a file describes, for the trainer that it names.

    Args:
        path: as of ``sabacc_training.config.base.load_config``.
        overrides: likewise.

    Raises:
        SabaccError: likewise.
    """
    return chosen_config("trainer", TRAINERS, "sb3", path, overrides)


def learner(config: RunConfig, state: Mapping[str, Any] | None = None) -> Run:
    """Return what learns in a run, as it begins, or as a ``state`` of it says."""
    if isinstance(config, PPOConfig):
        from sabacc_training.ppo.trainer import FastLearner

        # Also on a processor that would choose another precision.
        run: Run = FastLearner(config, precision=state["precision"] if state else None)
    else:
        from sabacc_training.sb3.trainer import Learner

        assert isinstance(config, MaskablePPOConfig)
        run = Learner(config)
    if state is not None:
        run.restore(state)
    return run


def train(config: RunConfig, folder: Path, *, resume: bool = False) -> Path:
    """Train an agent and return the path of its file; of the trainers only this one is imported.

    Args:
        config: the run.
        folder: where its files go; made if it is missing.
        resume: go on from the checkpoint in the folder, as if there had been no stop.
    """
    if isinstance(config, PPOConfig):
        from sabacc_training.ppo.run import train as train_fast

        return train_fast(config, folder, resume=resume)
    from sabacc_training.sb3.run import train as train_sb3

    assert isinstance(config, MaskablePPOConfig)
    return train_sb3(config, folder, resume=resume)
