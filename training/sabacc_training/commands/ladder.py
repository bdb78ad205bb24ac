"""``sabacc ladder``: the NashConv of the PPO trainer in a solved game (``nash_conv_curves``)."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from sabacc_env.errors import SabaccError
from sabacc_env.storage.files import write_bytes
from sabacc_training.bench.plot import check_picture
from sabacc_training.bench.progress import BenchProgress
from sabacc_training.bench.run import machine_info
from sabacc_training.experiments.nash_conv_curves import (
    METHODS,
    POINTS,
    LearningCurve,
    learning_curve,
)
from sabacc_training.jobs.partial_results import open_partial_results
from sabacc_training.jobs.stopping import exit_when_stopped, stop_signals
from sabacc_training.solved_games.game_tree import flatten
from sabacc_training.solved_games.rung import load_rung


def ladder(
    name: str,
    *methods: str,
    seeds: int = 5,
    steps: int = 2_000_000,
    target: float = 0.1,
    picture: Path | None = None,
    folder: Path | None = None,
    resume: bool = False,
) -> None:
    """Train by several methods from several seeds, and print the NashConv of their policies.

    The results of each method are printed when its runs have ended.

    Args:
        name: A rung of the ladder, or a file of the same keys.
        methods: The methods; by default all.
        seeds: The number of runs of each method, at least two.
        steps: Decisions in a run.
        target: A NashConv in antes; the time to reach it is printed.
        picture: A file for an SVG plot of the learning curves; by default none is drawn.
        folder: The folder for unfinished runs; by default runs/ladder/ and the rung.
        resume: Resume the runs in that folder, as if they had never stopped.
    """
    if unknown := [method for method in methods if method not in METHODS]:
        raise SabaccError(f"unknown method {unknown[0]!r}; use some of: {'; '.join(METHODS)}")
    if seeds < 2 or steps < 1 or not target > 0:
        raise SabaccError(
            "seeds, steps, target: give at least two seeds, at least one step, a target above 0"
        )
    if picture is not None:
        check_picture(picture)
    rung = load_rung(name)
    tree = flatten(rung)
    title = f"{rung.name}: {len(tree.nodes.seats):,} nodes; {steps:,} decisions, {seeds} seeds"
    print(f"{title}; NashConv in antes")
    folder = folder or Path("runs", "ladder", Path(name).stem)
    chosen, curves = tuple(dict.fromkeys(methods)) or tuple(METHODS), []
    runs = {"methods": chosen, "seeds": seeds, "steps": steps}
    work = {"game": rung.model_dump(mode="json"), **runs, "machine": machine_info()}
    with (
        exit_when_stopped(folder),
        open_partial_results(folder, work, resume) as partial,
        stop_signals() as stops,
        BenchProgress() as progress,
    ):
        progress.start(POINTS * (seeds * len(chosen) - len(partial.parts)))
        for method in chosen:
            curve = learning_curve(tree, method, steps, seeds, partial, stops, progress)
            _print_results(curve, target)
            curves.append(curve)
        if picture is not None:
            from sabacc_training.experiments.nash_conv_plot import plot

            write_bytes(picture, plot(title, curves))
        partial.finish()


def _print_results(curve: LearningCurve, target: float) -> None:
    slowest = curve.seconds_to(target).max()
    reached = f"at most {slowest:.0f} s" if np.isfinite(slowest) else "not in all runs"
    print(
        f"{curve.method:24} {curve.means[-1]:.4f} ± {curve.half_widths[-1]:.4f}"
        f"  by seed: {' '.join(f'{each:.3f}' for each in curve.nash_conv[:, -1])}"
        f"\n{'':24} {curve.seconds[:, -1].mean():.0f} CPU-seconds a run; below {target:g} after: "
        f"{reached}; without averaging: {curve.last_nash_conv.mean():.4f}",
        flush=True,
    )
