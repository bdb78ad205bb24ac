"""Benchmarks of ``gymnasium.make_vec("Sabacc-v0")``: one learner at each table."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

import gymnasium
import numpy as np

from sabacc_env.agent import RandomAgent
from sabacc_training.bench.config import BenchConfig
from sabacc_training.bench.names import PGX, vector_name
from sabacc_training.bench.sampling import Benchmark, Play
from sabacc_training.jobs.stopwatch import Stopwatch

OPPONENTS: Final = ("random", "tight")
"""An opponent that chooses at random, and one that looks at its hand and at the bets."""

TABLE_STEPS_PER_CALL: Final = 512
"""Steps at one table in one call; many tables take fewer."""


def play_as_learner(num_tables: int, opponents: str) -> Play:
    """Return what steps an environment by random legal actions: a step at each table in a call.

    The actions are chosen beforehand, with the stopwatch stopped, in a twin environment that has
    the same seed and so the same hands.
    """
    twin, env = (_make(num_tables, opponents) for _ in range(2))
    agent, rng = RandomAgent(env.learner.rules, env.learner.num_players), np.random.default_rng(0)
    calls = max(8, TABLE_STEPS_PER_CALL // num_tables)

    def play(clock: Stopwatch) -> int:
        chosen = []
        for _ in range(calls):
            chosen.append(agent.act(None, twin.action_masks(), rng))
            twin.step(chosen[-1])
        with clock:
            for actions in chosen:
                env.step(actions)
        return calls * num_tables

    return play


def _make(num_tables: int, opponents: str) -> Any:
    env: Any = gymnasium.make_vec("Sabacc-v0", num_tables, opponents=opponents)
    env.reset(seed=0)
    return env


def vector_benchmarks(config: BenchConfig) -> Iterator[Benchmark]:
    """Yield benchmarks of one table, by the time of a call, and of many, by their steps."""
    many = config.num_tables
    for opponents in OPPONENTS:
        one = play_as_learner(1, opponents)
        yield Benchmark(vector_name(1, opponents), "vector", "µs a call", one, 1)
        name, play = vector_name(many, opponents), play_as_learner(many, opponents)
        yield Benchmark(name, "vector", "steps a CPU-second", play, many, (PGX,))
