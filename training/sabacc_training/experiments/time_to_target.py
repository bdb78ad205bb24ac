"""The time that a training run needs to reach a target strength: what ``sabacc race`` compares."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import astuple, dataclass
from pathlib import Path
from signal import Signals

from sabacc_env.agent import Agent
from sabacc_training.config.run import RunConfig
from sabacc_training.experiments.timed_run import TimedRun
from sabacc_training.runs.callback import AGENT


@dataclass(frozen=True)
class Measurement:
    """The strength of a run at one moment.

    Attributes:
        seconds: wall-clock time of the run so far, without the time of measurements.
        cpu_seconds: likewise CPU time. Other work on the machine changes it little, but it does not
            show what several threads save.
        steps: decisions so far.
        strength: the strength, as text.
        reached: whether the target is reached.
    """

    seconds: float
    cpu_seconds: float
    steps: int
    strength: str
    reached: bool


Measure = Callable[[Agent], tuple[str, bool]]
"""Returns an agent's strength as text, and whether it reaches the target."""


def train_to_target(
    config: RunConfig,
    measure: Measure,
    on_measurement: Callable[[Measurement], None],
    checkpoint: Path,
    stops: list[Signals],
) -> Measurement:
    """Train until the agent that would be saved reaches the target, or to the end of the run.

    Args:
        config: the run; it is measured as often as ``evaluation.every`` says.
        measure: called with the agent as it would be saved and loaded.
        on_measurement: called with each measurement.
        checkpoint: the file in which the run is saved; where it exists, the run resumes from it.
        stops: the signals received so far; with any, the run stops.

    Returns:
        The last measurement.

    Raises:
        SabaccError: for a checkpoint of another run.
        StoppedBySignal: after a signal; the checkpoint is written.
    """
    run = TimedRun(config, checkpoint, stops)
    callback = _MeasuringCallback(run, measure, on_measurement)
    run.stopwatch.start()
    with suppress(_TargetReachedError):
        run.trainer.learn(callback)
    return callback.final_measurement()


class _TargetReachedError(Exception):
    """Ends a run that has reached the target."""


class _MeasuringCallback:
    """Measures a run between updates and saves it."""

    def __init__(
        self, run: TimedRun, measure: Measure, on_measurement: Callable[[Measurement], None]
    ) -> None:
        self._run, self._measure, self._on_measurement = run, measure, on_measurement

    def log(self, steps: int, metrics: Mapping[str, float]) -> None:
        """Do nothing: metrics are not kept."""

    def between_updates(self) -> None:
        """Measure where a measurement is due.

        Raises:
            _TargetReachedError: where the target is reached.
            StoppedBySignal: after a signal.
        """
        trainer, last = self._run.trainer, self._last()
        every = trainer.config.evaluation.every
        if trainer.steps // every > last.steps // every:
            last = self._take()
        if last.reached:
            raise _TargetReachedError
        self._run.after_update()

    def final_measurement(self) -> Measurement:
        """Return the measurement at the end of the run."""
        last = self._last()
        return self._take() if self._run.trainer.steps > last.steps else last

    def _last(self) -> Measurement:
        """Return the last measurement; an empty one before the first."""
        measurements = self._run.measurements
        if measurements:
            return Measurement(*measurements[-1])
        return Measurement(0.0, 0.0, 0, "", reached=False)

    def _take(self) -> Measurement:
        """Measure the agent now."""
        stopwatch, trainer = self._run.stopwatch, self._run.trainer
        stopwatch.stop()
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder, AGENT)
            trainer.save_agent(path)
            agent = trainer.config.load(str(path))
        taken = Measurement(stopwatch.wall, stopwatch.cpu, trainer.steps, *self._measure(agent))
        self._run.measurements.append(list(astuple(taken)))
        self._on_measurement(taken)
        stopwatch.start()
        return taken
