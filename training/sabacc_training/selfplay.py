"""Training by self-play: one run from its configuration to the saved agent."""

from __future__ import annotations

import os
import time
from pathlib import Path
from signal import Signals
from typing import Final

from sabacc_agents.loading import load
from stable_baselines3.common.callbacks import BaseCallback
from stable_baselines3.common.logger import configure

from sabacc_env.agent import Agent
from sabacc_env.errors import SabaccError
from sabacc_training.checkpoint import load_checkpoint, save_checkpoint
from sabacc_training.config import dump
from sabacc_training.field import hero_margin
from sabacc_training.files import write_text
from sabacc_training.learner import Learner
from sabacc_training.margins import Estimate
from sabacc_training.selfplay_config import TrainingConfig
from sabacc_training.stopping import Stopped, stop_signals
from sabacc_training.training_progress import TrainingProgress

AGENT: Final = "agent.safetensors"
"""The name of the saved agent in the folder of its run."""

CHECKPOINT: Final = "checkpoint.pt"
CURVES: Final = "tensorboard"


def train(config: TrainingConfig, folder: Path, *, resume: bool = False) -> Path:
    """Train an agent and return the path of its file.

    Into the folder go ``config.json``, ``checkpoint.pt``, ``tensorboard/`` and, at the end,
    ``agent.safetensors``. SIGINT and SIGTERM are taken: the run keeps a checkpoint after the
    update that it is in. Whatever kills it, no more is lost than since the last checkpoint.

    Args:
        config: the run.
        folder: where its files go; made if it is missing.
        resume: go on from the checkpoint in the folder, as if there had been no stop.

    Raises:
        SabaccError: for a folder that holds a run where none is to be resumed, or none to resume;
            for an agent that there is not, before anything is written.
        Stopped: on SIGINT or SIGTERM, after the checkpoint is written.
    """
    checkpoint = folder / CHECKPOINT
    if not resume and holds_run(folder):
        raise SabaccError(
            f"{folder}: holds a run already; go on with it (--resume) or name another folder"
        )
    state = load_checkpoint(checkpoint, config) if resume else None
    learner = Learner(config)
    if state is not None:
        learner.restore(state)
    opponent = load(config.progress.opponent, config.rule_set, config.num_players, config.bet_sizes)
    write_text(folder / "config.json", dump(config))
    learner.model.set_logger(configure(str(folder / CURVES), ["tensorboard"]))
    with TrainingProgress(learner.steps, config) as bar, stop_signals() as told:
        conductor = _Conductor(learner, opponent, checkpoint, bar, told)
        learner.model.learn(
            config.steps - learner.steps,
            callback=conductor,
            reset_num_timesteps=state is None,
        )
    learner.follow()
    save_checkpoint(checkpoint, config, learner.state())
    learner.save_agent(folder / AGENT)
    return folder / AGENT


def holds_run(folder: Path) -> bool:
    """Say whether there is a run in a folder, to go on with."""
    return os.path.exists(folder / CHECKPOINT)  # noqa: PTH110 (Path's raises PermissionError)


class _Conductor(BaseCallback):
    """What happens between two updates: curves, margins, checkpoints, stopping."""

    def __init__(
        self,
        learner: Learner,
        opponent: Agent,
        checkpoint: Path,
        bar: TrainingProgress,
        told: list[Signals],
    ) -> None:
        super().__init__()
        self._learner = learner
        self._opponent = opponent
        self._checkpoint = checkpoint
        self._bar = bar
        self._told = told
        self._saved_at = time.monotonic()
        self._measured_at = learner.steps

    def _on_step(self) -> bool:
        return True

    def _on_rollout_start(self) -> None:
        learner, progress = self._learner, self._learner.config.progress
        learner.follow()
        self._bar.steps(learner.steps)
        self.logger.record("train/entropy_weight", learner.model.ent_coef)
        measures = learner.steps // progress.every > self._measured_at // progress.every
        if measures:
            self._measured_at = learner.steps
            margin = fixed_margin(learner, self._opponent)
            self.logger.record("margin/" + progress.opponent, margin.mean)
            self._bar.margin(margin)
        stops = bool(self._told)
        keeps = stops or time.monotonic() - self._saved_at > progress.checkpoint_seconds
        if keeps:
            save_checkpoint(self._checkpoint, learner.config, learner.state())
            self._saved_at = time.monotonic()
        if measures or keeps:
            self._bar.report()
        if stops:
            raise Stopped

    def _on_rollout_end(self) -> None:
        hands, margin = self._learner.env.margin_since()
        self.logger.record("rollout/hands", hands)
        self.logger.record("rollout/margin", margin)


def fixed_margin(learner: Learner, opponent: Agent) -> Estimate:
    """Return the averaged policy's margin over an opponent, always on the same deals."""
    config = learner.config
    return hero_margin(
        config.rule_set,
        learner.average,
        opponent,
        config.num_players,
        config.progress.deals,
        seed=0,
        bet_sizes=config.bet_sizes,
    )
