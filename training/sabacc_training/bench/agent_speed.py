"""How fast agents decide."""

from __future__ import annotations

import time
from collections.abc import Callable
from statistics import median
from typing import Final

import numpy as np
from numpy.typing import NDArray

from sabacc_env import agent_calls
from sabacc_env.agent import Agent
from sabacc_env.tables import Tables

STEPS: Final = 40
"""The steps of a sample of ``batch_rate``, about a hand."""


def batch_rate(
    agent: Agent,
    tables: Tables,
    samples: int,
    clock: Callable[[], float] = time.process_time,
) -> float:
    """Return the decisions a second of an agent that decides for all tables at once.

    Args:
        agent: plays all seats.
        tables: the tables, begun by the agent.
        samples: the median of so many samples is returned.
        clock: measures the seconds; by default those of this process's CPU time.
    """
    rng = np.random.default_rng(0)
    all_tables = np.arange(tables.num_tables)
    rates = []
    for _ in range(samples):
        seconds = 0.0
        for _ in range(STEPS):
            start = clock()
            actions = agent_calls.actions_at(agent, tables, all_tables, rng)
            seconds += clock() - start
            tables.step(actions)
        rates.append(STEPS * tables.num_tables / seconds)
    return median(rates)


def decision_times(
    agent: Agent, behavior: Agent, tables: Tables, decisions: int
) -> NDArray[np.float64]:
    """Return the CPU-milliseconds of single decisions between several actions, (decisions,).

    Args:
        agent: the agent that is measured.
        behavior: plays all seats, and so decides at which positions the agent is asked.
        tables: the tables, begun by both.
        decisions: the number of decisions.
    """
    rng = np.random.default_rng(0)
    all_tables = np.arange(tables.num_tables)
    milliseconds: list[float] = []
    while len(milliseconds) < decisions:
        tables.step(agent_calls.actions_at(behavior, tables, all_tables, rng))
        table = rng.integers(tables.num_tables, size=1)
        if tables.action_masks[table].sum() > 1:
            start = time.process_time()
            agent_calls.actions_at(agent, tables, table, rng)
            milliseconds.append(1000 * (time.process_time() - start))
    return np.array(milliseconds)
