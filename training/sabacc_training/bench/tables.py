"""This project in batches: inside the compiled loop, and stepped from Python."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import Final

import numpy as np

from sabacc_env import Tables, rule_sets
from sabacc_env.agent import RandomAgent
from sabacc_env.policies import random_legal
from sabacc_training.bench.config import BenchConfig
from sabacc_training.bench.names import OPENSPIEL, PGX, inside, stepped
from sabacc_training.bench.sampling import Play, Subject
from sabacc_training.jobs.stopwatch import Stopwatch

RULES: Final = "casino"
"""What is played where tables, players or threads are varied."""

PLAYERS: Final = 4

INSIDE: Final = 32
"""Decisions at each table in one call of ``Tables.play``."""

STEPPED: Final = 8
"""Steps replayed in one go."""

DECISIONS: Final = "decisions a CPU-second"


def playing(tables: Tables) -> Play:
    """Play random legal decisions inside the compiled loop, every observation written."""

    def play(clock: Stopwatch) -> int:
        with clock:
            tables.play(random_legal, INSIDE)
        return INSIDE * tables.num_tables

    return play


def stepping(rules: str, num_tables: int) -> Play:
    """Step tables from Python by random legal actions that are given.

    Twins of the tables, with the same seed and so the same hands, are stepped first with the clock
    standing: what they played is what the tables are then given.
    """
    twins, tables = (Tables(rules, num_tables, PLAYERS, seed=0) for _ in range(2))
    agent, rng = RandomAgent(tables.rules, PLAYERS), np.random.default_rng(0)

    def play(clock: Stopwatch) -> int:
        given = []
        for _ in range(STEPPED):
            given.append(agent.act(twins.observations, twins.action_masks, rng))
            twins.step(given[-1])
        with clock:
            for actions in given:
                tables.step(actions)
        return STEPPED * num_tables

    return play


def rules_subjects(config: BenchConfig) -> Iterator[Subject]:
    """Yield each rule set, inside the loop and stepped."""
    for rules in rule_sets():
        tables = Tables(rules, config.num_tables, PLAYERS, seed=0)
        name, by_step = inside(rules), stepping(rules, config.num_tables)
        yield Subject(name, "rules", DECISIONS, playing(tables), over=(OPENSPIEL, PGX))
        yield Subject(stepped(rules), "rules", DECISIONS, by_step, over=(name,))


def tables_subjects(config: BenchConfig) -> Iterator[Subject]:
    """Yield growing numbers of tables, inside the loop and stepped."""
    for size in config.tables:
        tables, by_step = Tables(RULES, size, PLAYERS, seed=0), stepping(RULES, size)
        for named, play in ((inside, playing(tables)), (stepped, by_step)):
            usual = (named(f"{config.num_tables:,} tables"),) * (size != config.num_tables)
            yield Subject(named(f"{size:,} tables"), "tables", DECISIONS, play, size, usual)


def players_subjects(config: BenchConfig) -> Iterator[Subject]:
    """Yield growing numbers of players; each is compared with the fewest."""
    fewest: tuple[str, ...] = ()
    for size in config.players:
        tables = Tables(RULES, config.num_tables, size, seed=0)
        name = f"{size} players"
        yield Subject(name, "players", DECISIONS, playing(tables), size, fewest)
        fewest = fewest or (name,)


def threads_subjects(config: BenchConfig) -> Iterator[Subject]:
    """Yield one thread, two, and on by doubling while each has a core; seconds on the wall."""
    sizes = [1, 2]
    while 2 * sizes[-1] <= (os.cpu_count() or 1):
        sizes.append(2 * sizes[-1])
    for size in sizes:
        tables = Tables(RULES, config.num_tables, PLAYERS, seed=0, threads=size)
        one = ("1 thread",) * (size > 1)
        name = f"{size} threads" if size > 1 else "1 thread"
        yield Subject(name, "threads", "decisions a second", playing(tables), size, one)
