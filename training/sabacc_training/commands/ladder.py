"""``sabacc ladder``: how near to equilibrium the PPO trainer comes in a solved game."""

from __future__ import annotations

import sys
from importlib.util import find_spec
from pathlib import Path

import numpy as np

from sabacc_env.errors import SabaccError
from sabacc_env.storage.files import check_writable, make_folder, write_bytes
from sabacc_training.bench.peers import INSTALL
from sabacc_training.bench.progress import BenchProgress
from sabacc_training.bench.run import machine
from sabacc_training.experiments.nash_conv_curves import METHODS, POINTS, Climb, climb
from sabacc_training.jobs.partial_results import open_partial_results
from sabacc_training.jobs.stopping import StoppedBySignal, stop_signals
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
    """Train by several methods from several seeds, and print the NashConv of what they learn.

    Each method is told of when its runs are over.

    Args:
        name: A rung of the ladder, or a file of the same keys.
        methods: Which methods; by default all.
        seeds: Runs of each method, at least two.
        steps: Decisions in a run.
        target: A NashConv, in antes, the time to which is told.
        picture: A file for a picture of it, an SVG; without, none is drawn.
        folder: Where runs are kept until all are done; by default runs/ladder/ and the rung.
        resume: Go on with the runs that are kept there, as if there had been no stop.
    """
    if unknown := [method for method in methods if method not in METHODS]:
        raise SabaccError(f"methods: {unknown[0]!r} is none; use some of {'; '.join(METHODS)}")
    if seeds < 2 or steps < 1 or not target > 0:
        raise SabaccError("seeds, steps, target: give two seeds, a step and more than 0 at least")
    if picture is not None:  # what is wrong with it shows now and not after minutes
        if find_spec("matplotlib") is None:
            raise SabaccError(f"picture: needs matplotlib, which `{INSTALL}` installs")
        check_writable(picture)
        make_folder(picture.parent)
    rung = load_rung(name)
    tree = flatten(rung)
    title = f"{rung.name}: {len(tree.nodes.seats):,} nodes; {steps:,} decisions, {seeds} seeds"
    print(f"{title}; NashConv in antes")
    folder = folder or Path("runs", "ladder", Path(name).stem)
    chosen, climbs = methods or tuple(METHODS), []
    runs = {"methods": chosen, "seeds": seeds, "steps": steps}
    work = {"game": rung.model_dump(mode="json"), **runs, "machine": machine()}
    try:
        with (
            open_partial_results(folder, work, resume) as partial,
            stop_signals() as stops,
            BenchProgress() as progress,
        ):
            progress.start(POINTS * (seeds * len(chosen) - len(partial.parts)))
            for method in chosen:
                climbs.append(climb(tree, method, steps, seeds, partial, stops, progress))
                _tell(climbs[-1], target)
            if picture is not None:
                from sabacc_training.experiments.nash_conv_plot import picture as drawn

                write_bytes(picture, drawn(title, climbs))
            partial.finish()
    except StoppedBySignal:
        print(f"stopped; nothing is lost: go on with --resume ({folder})", file=sys.stderr)
        sys.exit(130)


def _tell(found: Climb, target: float) -> None:
    to_target = found.seconds_to(target).max()
    reached = f"{to_target:.0f} at most" if np.isfinite(to_target) else "not by all"
    print(
        f"{found.method:20} {found.means[-1]:.4f} ± {found.half_widths[-1]:.4f}"
        f"  of each: {' '.join(f'{each:.3f}' for each in found.averaged[:, -1])}"
        f"\n{'':20} {found.seconds[:, -1].mean():.0f} CPU-seconds a run; below {target:g} after: "
        f"{reached}; policies not averaged: {found.last.mean():.4f}",
        flush=True,
    )
