"""``sabacc race``: how long two training runs take to the same strength."""

from __future__ import annotations

import math
import sys
from dataclasses import astuple
from pathlib import Path

from sabacc_env.agent import Agent
from sabacc_env.errors import SabaccError
from sabacc_training.bench.run import machine
from sabacc_training.config.base import validated
from sabacc_training.config.run import RunConfig
from sabacc_training.evaluation.hero_margin import hero_margin
from sabacc_training.experiments.race import Lap, Measure, run_until
from sabacc_training.jobs.partial_results import open_partial_results
from sabacc_training.jobs.stopping import StoppedBySignal, stop_signals
from sabacc_training.solved_games.agent_strategy import nash_conv as nash_conv_of
from sabacc_training.solved_games.game_tree import flatten
from sabacc_training.solved_games.rung import load_rung
from sabacc_training.trainers import training_config

DEALS = 2000
"""Deals of a margin, each from every seat."""


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
    """Train by each configuration in turn until it is strong enough, and print how long that took.

    Args:
        configs: Training configurations, of either trainer.
        over: Whom it must beat.
        margin: By how much each of them, in mante/hand, in 2,000 deals.
        rung: A rung of the ladder, which is then the game of all, and the target a NashConv.
        nash_conv: That target, in antes.
        seed: The seed of all runs; by default each configuration's own.
        folder: Where runs are kept until all are done; by default runs/race/ and the
            configurations' names.
        resume: Go on with the race that is kept there, the time taken before counted.
    """
    changes = [] if seed is None else [f"seed={seed}"]
    runs = [training_config(path, changes) for path in configs]
    if not runs:
        raise SabaccError("configs: give at least one training configuration")
    if not (math.isfinite(margin) and 0 < nash_conv < math.inf):
        raise SabaccError("margin, nash_conv: a margin is a number, a NashConv one above 0")
    if rung:
        runs = [_at(rung, config) for config in runs]
    measures = [_near(rung, nash_conv) if rung else _ahead(run, over, margin) for run in runs]
    folder = folder or Path("runs", "race", "-".join(path.stem for path in configs))
    work = {
        "configs": [run.model_dump(mode="json") for run in runs],
        "target": [rung, nash_conv] if rung else [*over, margin],
        "machine": machine(),
    }
    laps = []
    try:
        with open_partial_results(folder, work, resume) as partial, stop_signals() as stops:
            for number, (path, config, measure) in enumerate(
                zip(configs, runs, measures, strict=True)
            ):
                print(f"{path}:")
                name = f"run {number}"
                if name not in partial.parts:
                    lap = run_until(config, measure, _print, partial.checkpoint, stops)
                    partial.add(name, astuple(lap))
                laps.append(Lap(*partial.parts[name]))
            partial.finish()
    except StoppedBySignal:
        print(f"stopped; nothing is lost: go on with --resume ({folder})", file=sys.stderr)
        sys.exit(130)
    first = laps[0]
    for path, lap in zip(configs, laps, strict=True):
        end = "" if lap.there else ", and was not there yet"
        times = f", {lap.seconds / first.seconds:.1f} times the first" if lap is not first else ""
        cpu = f"{lap.cpu_seconds:.1f} CPU-seconds"
        cpu += f", {lap.cpu_seconds / first.cpu_seconds:.1f} times" if times else ""
        print(f"{path}: {lap.seconds:.1f} s{times} ({cpu}){end}")


def _at(rung: str, config: RunConfig) -> RunConfig:
    game = load_rung(rung).model_dump(mode="json")
    return validated(type(config), config.model_dump(mode="json") | game)


def _near(rung: str, target: float) -> Measure:
    tree = flatten(load_rung(rung))

    def measure(agent: Agent) -> tuple[str, bool]:
        found = nash_conv_of(tree, agent)
        return f"NashConv {found:.3f} antes", found < target

    return measure


def _ahead(config: RunConfig, over: tuple[str, ...], margin: float) -> Measure:
    rules, seats, sizes = config.rule_set, config.num_players, config.bet_sizes
    others = {name: config.load(name) for name in over}

    def measure(agent: Agent) -> tuple[str, bool]:
        found = {
            name: hero_margin(rules, agent, other, seats, DEALS, 0, sizes)
            for name, other in others.items()
        }
        told = ", ".join(f"{margin} over {name}" for name, margin in found.items())
        return f"{told} (mante/hand)", all(each.mean >= margin for each in found.values())

    return measure


def _print(lap: Lap) -> None:
    times = f"{lap.seconds:7.1f} s  {lap.cpu_seconds:7.1f} CPU-seconds"
    print(f"  {times}  {lap.steps:11,} decisions  {lap.strength}")
    sys.stdout.flush()
