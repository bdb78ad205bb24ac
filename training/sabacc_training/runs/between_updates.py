"""What happens between two updates of a run, whichever trainer does it."""

from __future__ import annotations

import os
import time
from collections.abc import Mapping
from pathlib import Path
from signal import Signals
from typing import Any, Final, Protocol

from sabacc_env.agent import Agent
from sabacc_env.errors import SabaccError
from sabacc_training.config.run import RunConfig
from sabacc_training.evaluation.against_copies import hero_margin
from sabacc_training.evaluation.margins import Estimate
from sabacc_training.jobs.stopping import Stopped
from sabacc_training.runs.checkpoint import load_checkpoint, only_of_runs, save_checkpoint
from sabacc_training.runs.progress import TrainingProgress
from sabacc_training.runs.tensorboard import Curves

AGENT: Final = "agent.safetensors"
"""The name of the saved agent in the folder of its run."""

BEST: Final = "best.safetensors"
"""The name of the agent whose margin over the fixed opponent was the largest of those measured."""

CHECKPOINT: Final = "checkpoint.pt"
CURVES: Final = "tensorboard"


class Run(Protocol):
    """What learns, as it is seen from outside."""

    @property
    def config(self) -> Any:
        """The run's configuration, a ``RunConfig``."""
        ...

    @property
    def steps(self) -> int:
        """The learner's decisions so far."""
        ...

    @property
    def average(self) -> Agent:
        """The policy that is saved."""
        ...

    def state(self) -> dict[str, Any]:
        """Return all that it needs to go on as if there had been no stop."""
        ...

    def restore(self, state: Mapping[str, Any]) -> None:
        """Go on from a ``state`` of a run of the same configuration."""
        ...

    def save_agent(self, path: Path) -> None:
        """Write the policy that is saved."""
        ...


def holds_run(folder: Path) -> bool:
    """Say whether there is a run in a folder, to go on with."""
    return os.path.exists(folder / CHECKPOINT)  # noqa: PTH110 (Path's raises PermissionError)


def kept_state(config: RunConfig, folder: Path, resume: bool) -> dict[str, Any] | None:
    """Return the state that a run goes on from, None for one that begins.

    Raises:
        SabaccError: for a folder that holds a run where none is to be resumed, or none to resume.
    """
    if not resume and holds_run(folder):
        raise SabaccError(
            f"{folder}: holds a run already; go on with it (--resume) or name another folder"
        )
    if not resume:
        return None
    state = load_checkpoint(folder / CHECKPOINT, config)
    with only_of_runs(folder / CHECKPOINT):
        float(state["seconds"])
        float(state["best"] or 0)
    return state


class Conductor:
    """Measures, keeps and stops a run between its updates.

    Args:
        run: what learns.
        opponent: whom its margin is measured over.
        folder: where the run's files are.
        bar: shows how it stands.
        told: the signals that came.
        curves: hears of margins.
        state: what the run went on from, None for one that began.
    """

    def __init__(
        self,
        run: Run,
        opponent: Agent,
        folder: Path,
        bar: TrainingProgress,
        told: list[Signals],
        curves: Curves,
        state: dict[str, Any] | None,
    ) -> None:
        self._run = run
        self._opponent = opponent
        self._folder = folder
        self._bar = bar
        self._told = told
        self._curves = curves
        self._began = self._saved_at = time.monotonic()
        self._seconds_before: float = state["seconds"] if state else 0.0
        self._measured_at = run.steps
        self._best: float | None = state["best"] if state else None
        if self._best is not None:
            bar.best(self._best)

    def between_updates(self) -> None:
        """Measure, keep a checkpoint and stop, each where it is time to.

        Raises:
            Stopped: where a signal came, after the checkpoint is written.
        """
        run, evaluation = self._run, self._run.config.evaluation
        self._bar.steps(run.steps)
        measures = run.steps // evaluation.every > self._measured_at // evaluation.every
        if measures:
            self._measured_at = run.steps
            self._measure()
        stops = bool(self._told)
        keeps = stops or time.monotonic() - self._saved_at > run.config.checkpoint_seconds
        if keeps:
            self.keep()
        if measures or keeps:
            self._bar.report()
        if stops:
            raise Stopped

    def _measure(self) -> None:
        margin = fixed_margin(self._run, self._opponent)
        name = "margin/" + self._run.config.evaluation.opponent
        self._curves.write(self._run.steps, {name: margin.mean})
        self._bar.margin(margin)
        if self._best is None or margin.mean > self._best:
            self._best = margin.mean
            self._run.save_agent(self._folder / BEST)
            self._bar.best(margin.mean)

    def keep(self) -> None:
        """Write a checkpoint, with how long the run took so far by the clock."""
        seconds = self._seconds_before + time.monotonic() - self._began
        state = self._run.state() | {"best": self._best, "seconds": seconds}
        save_checkpoint(self._folder / CHECKPOINT, self._run.config, state)
        self._saved_at = time.monotonic()


def fixed_margin(run: Run, opponent: Agent) -> Estimate:
    """Return the averaged policy's margin over an opponent, always on the same deals."""
    config = run.config
    return hero_margin(
        config.rule_set,
        run.average,
        opponent,
        config.num_players,
        config.evaluation.deals,
        seed=0,
        bet_sizes=config.bet_sizes,
    )
