"""What happens between the updates of a run, whichever trainer runs: evaluate, save, stop."""

from __future__ import annotations

import time
from collections.abc import Mapping
from pathlib import Path
from signal import Signals
from typing import Any, Final

from sabacc_env.agent import Agent
from sabacc_env.hand_histories import HandHistory
from sabacc_env.storage.files import make_folder, write_text
from sabacc_training.evaluation.deal_recorder import DealRecorder
from sabacc_training.evaluation.hero_margin import hero_margin
from sabacc_training.jobs.stopping import StoppedBySignal
from sabacc_training.runs.checkpoint import save_checkpoint
from sabacc_training.runs.progress import TrainingProgress
from sabacc_training.runs.tensorboard import EventWriter
from sabacc_training.runs.trainer import Trainer
from sabacc_training.statistics.estimate import Estimate

AGENT: Final = "agent.safetensors"
"""File name of the trained agent in the folder of its run."""

BEST: Final = "best.safetensors"
"""File name of the agent with the largest margin of all evaluations."""

LATEST: Final = "latest.safetensors"
"""File name of the agent as it was at the last checkpoint: who watches a run plays it."""

CHECKPOINT: Final = "checkpoint.pt"
CONFIG: Final = "config.json"
EVALUATIONS: Final = "evaluations"
EVENTS: Final = "tensorboard"


class RunCallback:
    """Evaluates, saves and stops a run between its updates.

    Args:
        trainer: what learns.
        opponent: the opponent of the evaluations.
        folder: where the run's files are.
        bar: shows the progress.
        signals: the signals that were received.
        events: records metrics and margins.
        state: the state that the run continues from, None for a new run.
    """

    def __init__(
        self,
        trainer: Trainer,
        opponent: Agent,
        folder: Path,
        bar: TrainingProgress,
        signals: list[Signals],
        events: EventWriter,
        state: dict[str, Any] | None,
    ) -> None:
        self._trainer = trainer
        self._opponent = opponent
        self._folder = folder
        self._bar = bar
        self._signals = signals
        self._events = events
        self._began = self._saved_at = time.monotonic()
        self._seconds_before: float = state["seconds"] if state else 0.0
        self._evaluated_at = trainer.steps
        self._best: float | None = state["best"] if state else None
        if self._best is not None:
            bar.best(self._best)

    def log(self, steps: int, metrics: Mapping[str, float]) -> None:
        """Write metrics by their TensorBoard tags."""
        self._events.write(steps, metrics)

    def between_updates(self) -> None:
        """Evaluate, save a checkpoint and stop, each if it is time.

        Raises:
            StoppedBySignal: after a signal, when the checkpoint is written.
        """
        trainer, evaluation = self._trainer, self._trainer.config.evaluation
        self._bar.steps(trainer.steps)
        evaluates = trainer.steps // evaluation.every > self._evaluated_at // evaluation.every
        if evaluates:
            self._evaluated_at = trainer.steps
            self._evaluate()
        stops = bool(self._signals)
        seconds = time.monotonic() - self._saved_at
        saves = stops or seconds > trainer.config.checkpoint_seconds
        if saves:
            self.save()
        if evaluates or saves:
            self._bar.report()
        if stops:
            raise StoppedBySignal

    def _evaluate(self) -> None:
        margin, hands = evaluate_policy(self._trainer, self._opponent)
        if hands:
            path = self._folder / EVALUATIONS / f"step-{self._trainer.steps}.jsonl"
            make_folder(path.parent)
            write_text(path, "".join(f"{hand.to_json()}\n" for hand in hands))
        name = "eval/margin_" + self._trainer.config.evaluation.opponent
        self._events.write(self._trainer.steps, {name: margin.mean})
        self._bar.margin(margin)
        if self._best is None or margin.mean > self._best:
            self._best = margin.mean
            self._trainer.save_agent(self._folder / BEST)
            self._bar.best(margin.mean)

    def save(self) -> None:
        """Write a checkpoint, with the seconds that the run has taken so far, and the agent."""
        seconds = self._seconds_before + time.monotonic() - self._began
        state = self._trainer.state() | {"best": self._best, "seconds": seconds}
        save_checkpoint(self._folder / CHECKPOINT, self._trainer.config, state)
        self._trainer.save_agent(self._folder / LATEST)
        self._saved_at = time.monotonic()


def evaluate_policy(trainer: Trainer, opponent: Agent) -> tuple[Estimate, list[HandHistory]]:
    """Return the average policy's margin over an opponent, always on the same deals.

    With it come the hands that are recorded.
    """
    config = trainer.config
    every, steps = config.evaluation.record_hands, trainer.steps
    others = config.num_players - 1
    names = ["policy", *[config.evaluation.opponent] * others]
    agents = [trainer.average, *[opponent] * others]
    recorder = DealRecorder(every, names, agents, config.bet_sizes, {"steps": steps})
    margin = hero_margin(
        config.rule_set,
        trainer.average,
        opponent,
        config.num_players,
        config.evaluation.deals,
        seed=0,
        bet_sizes=config.bet_sizes,
        observe=recorder.watch if every else None,
    )
    return margin, recorder.hands
