"""A race of trainers: how long each takes to the same strength."""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from sabacc_env.agent import Agent
from sabacc_training.conductor import AGENT, Run
from sabacc_training.fast.config import FastConfig
from sabacc_training.run_config import RunConfig
from sabacc_training.selfplay_config import TrainingConfig
from sabacc_training.stopwatch import Stopwatch


@dataclass(frozen=True)
class Lap:
    """How a run stood at one moment.

    Attributes:
        seconds: how long it took until then by the clock, measuring left out.
        cpu_seconds: likewise, the time of all processors: what else runs on the machine changes
            little of it, but several threads are not seen to gain anything.
        steps: decisions until then.
        strength: what was measured.
        there: whether that is enough.
    """

    seconds: float
    cpu_seconds: float
    steps: int
    strength: str
    there: bool


Measure = Callable[[Agent], tuple[str, bool]]
"""Says how strong an agent is, and whether that is enough."""


def run_until(config: RunConfig, measure: Measure, told: Callable[[Lap], None]) -> Lap:
    """Train until what would be saved is strong enough, or to the end of the run.

    Args:
        config: the run; it is measured as often as ``progress.every`` says.
        measure: is given the agent as it would be saved and loaded.
        told: is given each measurement.

    Returns:
        The last one.
    """
    stopwatch = Stopwatch().start()
    if isinstance(config, FastConfig):
        from sabacc_training.fast.learner import FastLearner

        learner = FastLearner(config)
        watch = _Watch(learner, measure, told, stopwatch)
        try:
            while learner.steps < config.steps:
                learner.update()
                watch.between_updates()
        except _ThereError:
            pass
        return watch.last()
    from sabacc_training.learner import Learner
    from sabacc_training.selfplay import BetweenUpdates

    assert isinstance(config, TrainingConfig)
    slower = Learner(config)
    watch = _Watch(slower, measure, told, stopwatch)
    try:
        slower.model.learn(config.steps, callback=BetweenUpdates(slower, watch))
        slower.follow()
    except _ThereError:
        pass
    return watch.last()


class _ThereError(Exception):
    """Ends a run that is strong enough."""


class _Watch:
    """Counts a run's time, and measures it between updates."""

    def __init__(
        self, run: Run, measure: Measure, told: Callable[[Lap], None], stopwatch: Stopwatch
    ) -> None:
        self._run, self._measure, self._told = run, measure, told
        self._stopwatch = stopwatch
        self._lap = Lap(0.0, 0.0, 0, "", there=False)

    def between_updates(self) -> None:
        """Measure where it is time to.

        Raises:
            _ThereError: where that is enough.
        """
        every = self._run.config.progress.every
        if self._run.steps // every > self._lap.steps // every:
            self._take()
        if self._lap.there:
            raise _ThereError

    def last(self) -> Lap:
        """Return the measurement at the end."""
        if self._run.steps > self._lap.steps:
            self._take()
        return self._lap

    def _take(self) -> None:
        self._stopwatch.stop()
        config = self._run.config
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder, AGENT)
            self._run.save_agent(path)
            agent = config.load(str(path))
        taken = self._stopwatch
        self._lap = Lap(taken.wall, taken.cpu, self._run.steps, *self._measure(agent))
        self._told(self._lap)
        self._stopwatch.start()
