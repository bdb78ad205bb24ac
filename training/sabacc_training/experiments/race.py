"""A race of trainers: how long each takes to the same strength."""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from contextlib import suppress
from dataclasses import astuple, dataclass
from pathlib import Path
from signal import Signals

from sabacc_env.agent import Agent
from sabacc_training.config.run import RunConfig
from sabacc_training.experiments.timed import TimedRun
from sabacc_training.ppo.config import PPOConfig
from sabacc_training.runs.callback import AGENT, Trainer


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


def run_until(
    config: RunConfig,
    measure: Measure,
    told: Callable[[Lap], None],
    checkpoint: Path,
    stops: list[Signals],
) -> Lap:
    """Train until what would be saved is strong enough, or to the end of the run.

    Args:
        config: the run; it is measured as often as ``evaluation.every`` says.
        measure: is given the agent as it would be saved and loaded.
        told: is given each measurement.
        checkpoint: the file that the run is kept in until it ends, and that it goes on from.
        stops: the signals that came: where there are any, the run is to stop.

    Returns:
        The last one.

    Raises:
        SabaccError: for a checkpoint of something else.
        StoppedBySignal: where it was to stop, after the checkpoint is written.
    """
    timed = TimedRun(config, checkpoint, stops)
    watch = _Watch(timed, measure, told)
    timed.taken.start()
    with suppress(_ThereError):
        _learn(timed.run, watch)
    return watch.last()


def _learn(run: Trainer, watch: _Watch) -> None:
    """Train to the end of a run, whichever trainer does it."""
    if isinstance(run.config, PPOConfig):
        from sabacc_training.ppo.trainer import PPOTrainer

        assert isinstance(run, PPOTrainer)
        while run.steps < run.config.steps:
            run.update()
            watch.between_updates()
        return
    from sabacc_training.sb3.run import SB3Callback
    from sabacc_training.sb3.trainer import MaskablePPOTrainer

    assert isinstance(run, MaskablePPOTrainer)
    run.model.learn(
        run.config.steps - run.steps,
        callback=SB3Callback(run, watch),
        reset_num_timesteps=run.steps == 0,
    )
    run.update_followers()


class _ThereError(Exception):
    """Ends a run that is strong enough."""


class _Watch:
    """Measures a run between updates, and keeps it."""

    def __init__(self, timed: TimedRun, measure: Measure, told: Callable[[Lap], None]) -> None:
        self._timed, self._measure, self._told = timed, measure, told

    def between_updates(self) -> None:
        """Measure where it is time to.

        Raises:
            _ThereError: where that is enough.
            StoppedBySignal: where the run is to stop.
        """
        run, lap = self._timed.run, self._lap()
        every = run.config.evaluation.every
        if run.steps // every > lap.steps // every:
            lap = self._take()
        if lap.there:
            raise _ThereError
        self._timed.between_updates()

    def last(self) -> Lap:
        """Return the measurement at the end."""
        lap = self._lap()
        return self._take() if self._timed.run.steps > lap.steps else lap

    def _lap(self) -> Lap:
        """Return the last measurement, before any there is one of nothing."""
        found = self._timed.found
        return Lap(*found[-1]) if found else Lap(0.0, 0.0, 0, "", there=False)

    def _take(self) -> Lap:
        taken, run = self._timed.taken, self._timed.run
        taken.stop()
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder, AGENT)
            run.save_agent(path)
            agent = run.config.load(str(path))
        lap = Lap(taken.wall, taken.cpu, run.steps, *self._measure(agent))
        self._timed.found.append(list(astuple(lap)))
        self._told(lap)
        taken.start()
        return lap
