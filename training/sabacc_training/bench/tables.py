"""Benchmarks of this project in batches: in the compiled loop, and stepped from Python."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import Final

import numpy as np

from sabacc_env import Tables, rule_sets
from sabacc_env.agent import RandomAgent
from sabacc_training.bench.config import BenchConfig
from sabacc_training.bench.names import OPENSPIEL, PGX, compiled_loop_name, stepped_name
from sabacc_training.bench.sampling import Benchmark, Play
from sabacc_training.jobs.stopwatch import Stopwatch

RULES: Final = "casino"
"""The rules where tables, players or threads are varied."""

PLAYERS: Final = 4

DECISIONS_PER_CALL: Final = 32
"""Decisions at each table in one call of ``Tables.play``."""

STEPS_PER_CALL: Final = 8
"""Steps from Python in one call."""

UNIT: Final = "decisions a CPU-second"


def play_compiled_loop(tables: Tables) -> Play:
    """Return what plays random legal decisions in the compiled loop, with all observations."""
    # Not at the top: its loop compiles at import, before `sabacc bench` has checked its packages.
    from sabacc_env.policies import random_legal

    def play(clock: Stopwatch) -> int:
        with clock:
            tables.play(random_legal, DECISIONS_PER_CALL)
        return DECISIONS_PER_CALL * tables.num_tables

    return play


def play_from_python(rules: str, num_tables: int) -> Play:
    """Return what steps tables from Python by random legal actions.

    The actions are chosen beforehand, with the stopwatch stopped, at twin tables that have the same
    seed and so the same hands.
    """
    twins, tables = (Tables(rules, num_tables, PLAYERS, seed=0) for _ in range(2))
    agent, rng = RandomAgent(tables.rules, PLAYERS), np.random.default_rng(0)

    def play(clock: Stopwatch) -> int:
        chosen = []
        for _ in range(STEPS_PER_CALL):
            chosen.append(agent.act(twins.observations, twins.action_masks, rng))
            twins.step(chosen[-1])
        with clock:
            for actions in chosen:
                tables.step(actions)
        return STEPS_PER_CALL * num_tables

    return play


def rules_benchmarks(config: BenchConfig) -> Iterator[Benchmark]:
    """Yield benchmarks of each rule set."""
    for rules in rule_sets():
        tables = Tables(rules, config.num_tables, PLAYERS, seed=0)
        name, by_step = compiled_loop_name(rules), play_from_python(rules, config.num_tables)
        yield Benchmark(name, "rules", UNIT, play_compiled_loop(tables), baselines=(OPENSPIEL, PGX))
        yield Benchmark(stepped_name(rules), "rules", UNIT, by_step, baselines=(name,))


def tables_benchmarks(config: BenchConfig) -> Iterator[Benchmark]:
    """Yield benchmarks of growing numbers of tables."""
    for size in config.tables:
        tables, by_step = Tables(RULES, size, PLAYERS, seed=0), play_from_python(RULES, size)
        for name_of, play in (
            (compiled_loop_name, play_compiled_loop(tables)),
            (stepped_name, by_step),
        ):
            usual = (name_of(f"{config.num_tables:,} tables"),) * (size != config.num_tables)
            yield Benchmark(name_of(f"{size:,} tables"), "tables", UNIT, play, size, usual)


def players_benchmarks(config: BenchConfig) -> Iterator[Benchmark]:
    """Yield benchmarks of growing numbers of players, with the fewest as baseline."""
    fewest: tuple[str, ...] = ()
    for size in config.players:
        tables = Tables(RULES, config.num_tables, size, seed=0)
        name = f"{size} players"
        yield Benchmark(name, "players", UNIT, play_compiled_loop(tables), size, fewest)
        fewest = fewest or (name,)


def threads_benchmarks(config: BenchConfig) -> Iterator[Benchmark]:
    """Yield benchmarks of 1, 2, 4, ... threads up to the number of cores, in wall-clock time."""
    sizes = [1, 2]
    while 2 * sizes[-1] <= (os.cpu_count() or 1):
        sizes.append(2 * sizes[-1])
    for size in sizes:
        tables = Tables(RULES, config.num_tables, PLAYERS, seed=0, threads=size)
        one = ("1 thread",) * (size > 1)
        name = f"{size} threads" if size > 1 else "1 thread"
        yield Benchmark(
            name, "threads", "decisions a second", play_compiled_loop(tables), size, one
        )
