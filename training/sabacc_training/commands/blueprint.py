"""``sabacc blueprint``: an abstraction of a game of two seats, solved by Monte Carlo CFR."""

from __future__ import annotations

import time
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeRemainingColumn
from sabacc_agents.blueprint.blueprint import save_blueprint
from sabacc_agents.saved_files import SUFFIX

from sabacc_env.errors import SabaccError
from sabacc_env.storage.files import check_new, check_writable, remove_partial_files
from sabacc_training.blueprints.checkpoint import load_checkpoint, save_checkpoint
from sabacc_training.blueprints.config import BlueprintConfig
from sabacc_training.blueprints.solver import BlueprintSolver
from sabacc_training.blueprints.workspace import NUM_HANDS
from sabacc_training.config.base import load_config
from sabacc_training.jobs.locking import locked_file
from sabacc_training.jobs.progress_bar import ProgressBar
from sabacc_training.jobs.stopping import StoppedBySignal, exit_when_stopped, stop_signals
from sabacc_training.jobs.stopwatch import Stopwatch
from sabacc_training.statistics.estimate import MILLI

CHECKPOINT_SECONDS: Final = 900
"""Seconds between two checkpoints. To write one takes up to half a minute."""


def blueprint(
    config: str,
    *overrides: str,
    output: Path | None = None,
    resume: bool = False,
) -> None:
    """Solve an abstraction of a game of two seats by Monte Carlo CFR, and save the agent.

    Args:
        config: A configuration file, or the name of one in configs/, as zoo/casino-2p-blueprint.
        overrides: Keys to change: epochs=600 stacks="[10, 50]".
        output: The file for the agent; by default runs/blueprints/ and the configuration's name.
        resume: Resume from the checkpoint beside that file; epochs may be more than before.
    """
    settings = load_config(BlueprintConfig, config, overrides)
    path = output or Path("runs", "blueprints", f"{Path(config).stem}{SUFFIX}")
    if path.suffix != SUFFIX:
        raise SabaccError(f"{path}: a blueprint needs a file name that ends in {SUFFIX}")
    check_writable(path)
    with locked_file(path):
        _solve(settings, path, path.with_suffix(".checkpoint"), resume)
    print(f"The agent is {path}")


def _solve(settings: BlueprintConfig, path: Path, checkpoint: Path, resume: bool) -> None:
    """Run the epochs that are left, save the agent, and keep the checkpoint."""
    remove_partial_files(checkpoint.parent, checkpoint.name)
    if not resume and checkpoint.exists():
        raise SabaccError(
            f"{checkpoint}: was left by a run that stopped or ended; go on from it (--resume; with "
            "more epochs if it ended) or name another output file"
        )
    if not resume:
        check_new(path)
    solver = BlueprintSolver(settings)
    if resume:
        load_checkpoint(solver, checkpoint)
        if solver.epochs > settings.epochs:
            raise SabaccError(
                f"epochs: {checkpoint} has {solver.epochs:,} already; give at least as many"
            )
    saved_at, watch = time.monotonic(), Stopwatch()
    with exit_when_stopped(checkpoint), stop_signals() as stops, _Progress(solver) as progress:
        while solver.epochs < settings.epochs and not stops:
            with watch:
                margins = solver.run_epoch()
            progress.on_epoch(margins)
            if time.monotonic() - saved_at > CHECKPOINT_SECONDS:
                save_checkpoint(solver, checkpoint)
                saved_at = time.monotonic()
        save_checkpoint(solver, checkpoint)
        if stops:
            raise StoppedBySignal
    save_blueprint(path, solver.blueprint())
    if solver.nodes:
        print(
            f"{solver.nodes:,} nodes with {NUM_HANDS} hands of each seat in {watch.cpu:,.0f} "
            f"CPU-seconds: {solver.nodes / watch.cpu:,.0f} a CPU-second"
        )


class _Progress(ProgressBar):
    """A progress bar of epochs, with what the adversary's strategy wins."""

    def __init__(self, solver: BlueprintSolver) -> None:
        super().__init__(
            TextColumn("{task.description}"),
            BarColumn(bar_width=None),
            MofNCompleteColumn(),
            TextColumn("{task.fields[margin]}"),
            TimeRemainingColumn(),
            transient=True,
        )
        self._solver = solver
        self._task = self._bar.add_task(
            "epochs", total=solver.config.epochs, completed=solver.epochs, margin=""
        )

    def on_epoch(self, margins: Sequence[float]) -> None:
        """Show what the adversary's strategy won in an epoch, in antes a hand."""
        won = ", ".join(f"{margin * MILLI:+,.0f}" for margin in margins)
        shown = f"the adversary wins {won} mante/hand"
        self._bar.update(self._task, completed=self._solver.epochs, margin=shown)
        self.print_line(f"epoch {self._solver.epochs:,} of {self._solver.config.epochs:,}: {shown}")
