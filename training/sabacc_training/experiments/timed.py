"""Runs whose time is taken, kept so that they go on with the time that they had taken."""

from __future__ import annotations

import time
from pathlib import Path
from signal import Signals
from typing import Any, Final

from sabacc_training import trainers
from sabacc_training.config.run import RunConfig
from sabacc_training.jobs.stopping import StoppedBySignal
from sabacc_training.jobs.stopwatch import Stopwatch
from sabacc_training.runs.callback import Trainer
from sabacc_training.runs.checkpoint import load_checkpoint, refuse_malformed_state, save_checkpoint

KEEP_SECONDS: Final = 30
"""How often a checkpoint is written."""


class TimedRun:
    """A training run, the time that it took, and what was measured of it.

    Args:
        config: the run.
        checkpoint: the file that it is kept in; where there is one, the run goes on from it.
        stops: the signals that came: where there are any, it is to stop.

    Attributes:
        run: what learns.
        taken: counts its time, while it is started; measuring is not to be counted.
        found: what was measured so far, plain data.

    Raises:
        SabaccError: for a checkpoint of something else.
    """

    run: Trainer
    found: list[Any]

    def __init__(self, config: RunConfig, checkpoint: Path, stops: list[Signals]) -> None:
        self._checkpoint, self._stops = checkpoint, stops
        self.taken, self.found = Stopwatch(), []
        if checkpoint.exists():
            state = load_checkpoint(checkpoint, config)
            with refuse_malformed_state(checkpoint):
                self.run = trainers.make_trainer(config, state["run"])
                self.taken.wall, self.taken.cpu = map(float, state["taken"])
                self.found += state["found"]
        else:
            with self.taken:
                self.run = trainers.make_trainer(config)
        self._kept_at = time.monotonic()

    def between_updates(self) -> None:
        """Keep the run now and then, and where it is to stop; that takes none of its time.

        Raises:
            StoppedBySignal: where it is to stop.
        """
        self.taken.stop()
        if self._stops or time.monotonic() - self._kept_at > KEEP_SECONDS:
            taken = [self.taken.wall, self.taken.cpu]
            state = {"run": self.run.state(), "taken": taken, "found": self.found}
            save_checkpoint(self._checkpoint, self.run.config, state)
            self._kept_at = time.monotonic()
        if self._stops:
            raise StoppedBySignal
        self.taken.start()
