"""``sabacc race``: how long training runs need to reach a strength (``time_to_target``)."""

from __future__ import annotations

import math
import sys
from dataclasses import astuple
from pathlib import Path

from sabacc_env.agent import Agent
from sabacc_env.errors import SabaccError
from sabacc_training.bench.run import machine_info
from sabacc_training.config.base import validated
from sabacc_training.config.run import RunConfig
from sabacc_training.evaluation.hero_margin import hero_margin
from sabacc_training.experiments.time_to_target import Measure, Measurement, train_to_target
from sabacc_training.jobs.partial_results import open_partial_results
from sabacc_training.jobs.stopping import exit_when_stopped, stop_signals
from sabacc_training.solved_games.agent_policy import nash_conv as nash_conv_of
from sabacc_training.solved_games.game_tree import flatten
from sabacc_training.solved_games.rung import load_rung
from sabacc_training.trainers import training_config

DEALS = 2000
"""Deals for a margin, each played from every seat."""


def race(
    *configs: Path,
    over: tuple[str, ...] = ("maximiser", "tight"),
    margin: float = 1000.0,
    rung: str = "",
    nash_conv: float = 0.1,
    seed: int | None = None,
    folder: Path | None = None,
    resume: bool = False,
) -> None:
    """Train by each configuration in turn until it reaches a target; print the time of each.

    Args:
        configs: Training configurations of either trainer.
        over: The opponents that the agent must beat.
        margin: The margin over each of them that it must reach in 2,000 deals, in mante/hand.
        rung: A rung of the ladder. All configurations then train on it, to a NashConv.
        nash_conv: The target on a rung, in antes.
        seed: The seed of all runs; by default each configuration's own.
        folder: The folder for unfinished runs; by default runs/race/ and the configurations'
            names.
        resume: Resume the runs in that folder; the time that they took before counts.
    """
    changes = [] if seed is None else [f"seed={seed}"]
    runs = [training_config(path, changes) for path in configs]
    if not runs:
        raise SabaccError("configs: give at least one training configuration")
    if not (math.isfinite(margin) and 0 < nash_conv < math.inf):
        raise SabaccError("margin, nash_conv: give a finite margin and a NashConv above 0")
    if rung:
        runs = [_on_rung(rung, config) for config in runs]
    measures = [
        _nash_conv_measure(rung, nash_conv) if rung else _margin_measure(run, over, margin)
        for run in runs
    ]
    folder = folder or Path("runs", "race", "-".join(path.stem for path in configs))
    work = {
        "configs": [run.model_dump(mode="json") for run in runs],
        "target": [rung, nash_conv] if rung else [*over, margin],
        "machine": machine_info(),
    }
    ends = []
    with (
        exit_when_stopped(folder),
        open_partial_results(folder, work, resume) as partial,
        stop_signals() as stops,
    ):
        for number, (path, config, measure) in enumerate(zip(configs, runs, measures, strict=True)):
            print(f"{path}:")
            name = f"run {number}"
            if name not in partial.parts:
                end = train_to_target(config, measure, _print, partial.checkpoint, stops)
                partial.add(name, astuple(end))
            ends.append(Measurement(*partial.parts[name]))
        partial.finish()
    first = ends[0]
    for path, end in zip(configs, ends, strict=True):
        missed = "" if end.reached else "; did not reach the target"
        times = f", {end.seconds / first.seconds:.1f} times the first" if end is not first else ""
        cpu = f"{end.cpu_seconds:.1f} CPU-seconds"
        cpu += f", {end.cpu_seconds / first.cpu_seconds:.1f} times" if times else ""
        print(f"{path}: {end.seconds:.1f} s{times} ({cpu}){missed}")


def _on_rung(rung: str, config: RunConfig) -> RunConfig:
    """Return a run of the same configuration on a rung."""
    game = load_rung(rung).model_dump(mode="json")
    return validated(type(config), config.model_dump(mode="json") | game)


def _nash_conv_measure(rung: str, target: float) -> Measure:
    """Return what measures the NashConv of agents on a rung."""
    tree = flatten(load_rung(rung))

    def measure(agent: Agent) -> tuple[str, bool]:
        found = nash_conv_of(tree, agent)
        return f"NashConv {found:.3f} antes", found < target

    return measure


def _margin_measure(config: RunConfig, over: tuple[str, ...], margin: float) -> Measure:
    """Return what measures the margins of agents over some opponents."""
    rules, seats, sizes = config.rule_set, config.num_players, config.bet_sizes
    others = {name: config.load(name) for name in over}

    def measure(agent: Agent) -> tuple[str, bool]:
        found = {
            name: hero_margin(rules, agent, other, seats, DEALS, 0, sizes)
            for name, other in others.items()
        }
        text = ", ".join(f"{margin} over {name}" for name, margin in found.items())
        return f"{text} (mante/hand)", all(each.mean >= margin for each in found.values())

    return measure


def _print(now: Measurement) -> None:
    times = f"{now.seconds:7.1f} s  {now.cpu_seconds:7.1f} CPU-seconds"
    print(f"  {times}  {now.steps:11,} decisions  {now.strength}")
    sys.stdout.flush()
