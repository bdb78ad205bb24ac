"""Training runs whose time is measured; a resumed run continues with the time it had taken."""

from __future__ import annotations

import time
from pathlib import Path
from signal import Signals
from typing import Any, Final

from sabacc_training import trainers
from sabacc_training.config.run import RunConfig
from sabacc_training.jobs.stopping import StoppedBySignal
from sabacc_training.jobs.stopwatch import Stopwatch
from sabacc_training.runs.checkpoint import load_checkpoint, refuse_malformed_state, save_checkpoint
from sabacc_training.runs.trainer import Trainer

CHECKPOINT_SECONDS: Final = 30
"""Seconds between two checkpoints."""


class TimedRun:
    """A training run with the time that it took and its measurements so far.

    Args:
        config: the run.
        checkpoint: the file in which the run is saved; where it exists, the run resumes from it.
        stops: the signals received so far; with any, the run stops.

    Attributes:
        trainer: the trainer of the run.
        stopwatch: measures the run's time. It stands still during measurements.
        measurements: the measurements so far, plain data.

    Raises:
        SabaccError: for a checkpoint of another run.
    """

    trainer: Trainer
    measurements: list[Any]

    def __init__(self, config: RunConfig, checkpoint: Path, stops: list[Signals]) -> None:
        self._checkpoint, self._stops = checkpoint, stops
        self.stopwatch, self.measurements = Stopwatch(), []
        if checkpoint.exists():
            state = load_checkpoint(checkpoint, config)
            with refuse_malformed_state(checkpoint):
                self.trainer = trainers.make_trainer(config, state["run"])
                self.stopwatch.wall, self.stopwatch.cpu = map(float, state["taken"])
                self.measurements += state["found"]
        else:
            with self.stopwatch:
                self.trainer = trainers.make_trainer(config)
        self._saved_at = time.monotonic()

    def after_update(self) -> None:
        """Save a checkpoint where one is due, and stop where a signal came.

        The stopwatch stands still meanwhile.

        Raises:
            StoppedBySignal: after a signal; the checkpoint is written.
        """
        self.stopwatch.stop()
        if self._stops or time.monotonic() - self._saved_at > CHECKPOINT_SECONDS:
            seconds = [self.stopwatch.wall, self.stopwatch.cpu]
            state = {"run": self.trainer.state(), "taken": seconds, "found": self.measurements}
            save_checkpoint(self._checkpoint, self.trainer.config, state)
            self._saved_at = time.monotonic()
        if self._stops:
            raise StoppedBySignal
        self.stopwatch.start()
