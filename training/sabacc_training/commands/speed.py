"""``sabacc speed``: how fast agents decide (``agent_speed``)."""

from __future__ import annotations

from time import perf_counter
from typing import Final

import numpy as np
from rich.console import Console
from rich.table import Column, Table
from sabacc_agents.specs import outside_spec

from sabacc_env import agent_calls
from sabacc_env.agent import Agent, registered_agents
from sabacc_env.errors import SabaccError
from sabacc_env.tables import Tables
from sabacc_training.bench.agent_speed import batch_rate, decision_times
from sabacc_training.config.base import validated
from sabacc_training.config.game import TableConfig

MOST_TABLES: Final = 64
"""Tables at most where an agent decides one at a time, and for a process or a model, which would
take long at more."""


def speed(
    *agents: str,
    rules: str = "casino",
    players: int = 2,
    tables: int = 4096,
    samples: int = 5,
    decisions: int = 300,
) -> None:
    """Measure how fast agents decide.

    Most agents decide for many tables at once; for these it prints decisions a CPU-second. Agents
    that want views decide one at a time; for these it prints the CPU-milliseconds of a decision
    between several actions: the median and, in brackets, the 5 % and 95 % quantiles. It takes the
    positions of these decisions from hands that the agent heuristic plays. Processes
    (process:COMMAND) and language models (model:NAME) decide for at most 64 tables at once; for
    these it prints decisions a second, passed on the clock, what this process does for them
    included.

    Args:
        agents: Registered names, zoo:NAME, saved networks, module:Class, process:COMMAND, or
            model:NAME; by default all registered agents.
        rules: A rule set's name, the path of a rules file, or a rung of the ladder.
        players: Seats at each table.
        tables: Tables that an agent decides for at once.
        samples: Samples of each rate, whose median is printed.
        decisions: Timed decisions of each agent that wants views.
    """
    if min(tables, samples, decisions) < 1:
        raise SabaccError("tables, samples, decisions: give whole numbers from 1 up")
    game = validated(TableConfig, {"rules": rules, "num_players": players})
    loaded = {name: game.load(name) for name in agents or registered_agents()}
    table = Table(
        Column("agent", overflow="fold"),
        "decisions a CPU-second",
        "CPU-ms a decision",
        "decisions a second",
        title=f"{game.rule_set.title}, {players} seats",
    )
    for name, agent in loaded.items():
        if outside_spec(name) is not None:
            played = _begun_tables(game, min(tables, MOST_TABLES), agent)
            table.add_row(name, "", "", f"{batch_rate(agent, played, samples, perf_counter):,.0f}")
        elif agent_calls.wants_views(agent):
            behavior = game.load("heuristic")
            played = _begun_tables(game, min(tables, MOST_TABLES), agent, behavior)
            times = decision_times(agent, behavior, played, decisions)
            low, middle, high = np.percentile(times, (5, 50, 95))
            table.add_row(name, "", f"{middle:.1f} ({low:.1f} to {high:.1f})", "")
        else:
            rate = batch_rate(agent, _begun_tables(game, tables, agent), samples)
            table.add_row(name, f"{rate:,.0f}", "", "")
    Console(highlight=False).print(table)


def _begun_tables(game: TableConfig, num_tables: int, *agents: Agent) -> Tables:
    tables = Tables(game.rule_set, num_tables, game.num_players, bet_sizes=game.bet_sizes, seed=0)
    agent_calls.begin(agents, tables)
    return tables
