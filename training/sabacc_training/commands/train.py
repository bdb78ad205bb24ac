"""``sabacc train``: one training run by self-play, from a configuration file."""

from __future__ import annotations

from pathlib import Path

from sabacc_training import trainers
from sabacc_training.jobs.stopping import exit_when_stopped


def train(config: str, *overrides: str, folder: Path | None = None, resume: bool = False) -> None:
    """Train an agent by self-play and save it.

    Args:
        config: A configuration file, or the name of one in configs/.
        overrides: Keys to change: steps=1_000_000 seed=3 ppo.hidden_sizes="[256, 256]".
        folder: Where the run's files go; by default runs/, the configuration's name and the seed.
        resume: Resume the run in that folder, as if it had never stopped.
    """
    settings = trainers.training_config(config, overrides)
    folder = folder or Path("runs", f"{Path(config).stem}-seed{settings.seed}")
    with exit_when_stopped(folder):
        agent = trainers.train(settings, folder, resume=resume)
    print(f"The agent is {agent}; curves: tensorboard --logdir {folder}")
