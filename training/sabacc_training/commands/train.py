"""``sabacc train``: one training run by self-play, from a configuration file."""

from __future__ import annotations

from functools import partial
from pathlib import Path

from sabacc_env.errors import SabaccError
from sabacc_training import trainers
from sabacc_training.config.base import validated
from sabacc_training.config.run import RunConfig
from sabacc_training.jobs.folder_work import FolderWork, do_works
from sabacc_training.jobs.stopping import exit_when_stopped
from sabacc_training.runs.callback import AGENT


def train(
    config: str,
    *overrides: str,
    folder: Path | None = None,
    resume: bool = False,
    seeds: int = 1,
    processes: int = 1,
    ray: str | None = None,
) -> None:
    """Train an agent by self-play and save it.

    Args:
        config: A configuration file, or the name of one in configs/.
        overrides: Keys to change: steps=1_000_000 seed=3 ppo.hidden_sizes="[256, 256]".
        folder: Where the run's files go; by default runs/, the configuration's name and the seed.
            With several seeds, or on a cluster: where the folders of runs go.
        resume: Resume the run in that folder, as if it had never stopped.
        seeds: Train so many agents, from this seed and those that follow it.
        processes: Processes that train them; agents do not depend on it.
        ray: Train on a Ray cluster: HOST:PORT of its head, auto for the one of this machine, or
            local for a new one.
    """
    if seeds < 1:
        raise SabaccError(f"seeds: {seeds} is not allowed; give at least 1")
    settings = trainers.training_config(config, overrides)
    stem = Path(config).stem
    if seeds == 1 and ray is None:
        folder = folder or Path("runs", f"{stem}-seed{settings.seed}")
        with exit_when_stopped(folder):
            trainers.train(settings, folder, resume=resume)
        folders = [folder]
    else:
        runs = folder or Path("runs")
        numbers = range(settings.seed, settings.seed + seeds)
        works = [_work(settings, seed, runs / f"{stem}-seed{seed}") for seed in numbers]
        with exit_when_stopped(runs):
            do_works(works, resume=resume, processes=processes, ray=ray)
        folders = [work.folder for work in works]
    for each in folders:
        print(f"The agent is {each / AGENT}; curves: tensorboard --logdir {each}")


def _work(settings: RunConfig, seed: int, folder: Path) -> FolderWork:
    """Return the run of the same configuration from a seed."""
    config = validated(type(settings), settings.model_dump(mode="json") | {"seed": seed})
    return FolderWork(folder.name, folder, partial(trainers.train_on, config))
