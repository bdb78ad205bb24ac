"""How fast agents decide.

``python -m tests.agents.speed casino 2`` prints, of every registered agent, decisions a CPU-second
in batches of 4,096; of one that wants views, the CPU-milliseconds of a decision between several
actions: the median, and what one in twenty is below and above.
"""

from __future__ import annotations

import sys
import time
from statistics import median

import numpy as np
from sabacc_agents import load

from sabacc_env import Tables, agent_calls, load_rules
from sabacc_env.agent import registered_agents

BATCH = 4096
PASSES = 5
STEPS = 40
ALONE = 300


def in_batches(agent, tables, rng):
    """Return decisions a CPU-second, the median of some passes over a hand or so."""
    rates = []
    for _ in range(PASSES):
        spent = 0.0
        for _ in range(STEPS):
            began = time.process_time()
            actions = agent_calls.actions_at(agent, tables, np.arange(BATCH), rng)
            spent += time.process_time() - began
            tables.step(actions)
        rates.append(STEPS * BATCH / spent)
    return median(rates)


def one_by_one(agent, other, tables, rng):
    """Return milliseconds a decision, (n,): positions are those that another agent comes to."""
    taken = []
    while len(taken) < ALONE:
        tables.step(agent_calls.actions_at(other, tables, np.arange(tables.num_tables), rng))
        table = rng.integers(tables.num_tables, size=1)
        if tables.action_masks[table].sum() > 1:
            began = time.process_time()
            agent_calls.actions_at(agent, tables, table, rng)
            taken.append(1000 * (time.process_time() - began))
    return np.array(taken)


def main(rules: str, players: str = "2") -> None:
    """Print how fast every registered agent is at tables with so many players."""
    loaded, num_players = load_rules(rules), int(players)
    rng = np.random.default_rng(0)
    for name in registered_agents():
        agent, other = (load(each, loaded, num_players) for each in (name, "heuristic"))
        wants_views = agent_calls.wants_views(agent)
        tables = Tables(loaded, 64 if wants_views else BATCH, num_players, seed=0)
        agent_calls.begin([agent], tables)
        if wants_views:
            low, middle, high = np.percentile(one_by_one(agent, other, tables, rng), (5, 50, 95))
            print(f"{name}: {middle:.1f} ms a decision ({low:.1f} to {high:.1f})", flush=True)
        else:
            print(f"{name}: {in_batches(agent, tables, rng):,.0f} decisions a second", flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
