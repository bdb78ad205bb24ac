"""Observations and masks of decisions, as agents get them."""

from __future__ import annotations

from typing import Any

import numpy as np

from sabacc_env import Tables
from sabacc_env.actions import DEFAULT_BET_SIZES, encode_bet_sizes
from sabacc_env.agent import RandomAgent
from sabacc_env.game.turn_buffers import TurnBuffers

AGENT_NAMES = (
    "random",
    "heuristic",
    "tight",
    "loose",
    "calling_station",
    "always_raise",
    "bluffer",
    "trapper",
    "shover",
    "draws_to_zero",
    "swaps_to_zero",
    "pot_odds",
    "maximiser",
)
"""Registered agents that use observations; only the first two are random."""
DETERMINISTIC = AGENT_NAMES[2:]
RULE_BASED = DETERMINISTIC[:-2]
"""Those that follow a card rule and a bet rule, compiled."""
CLOSEST_TO_ZERO = tuple(name for name in DETERMINISTIC if not name.endswith("_to_zero"))
"""The deterministic agents with the card rule "closest to zero"."""


class Answering(RandomAgent):
    """Answers what it is given, or raises it."""

    def __init__(self, answer: Any) -> None:
        self.answer = answer

    def act(self, *_: Any) -> Any:
        if isinstance(self.answer, BaseException):
            raise self.answer
        return self.answer

    def probabilities(self, *_: Any) -> Any:
        return self.act()

    def reset(self, num_tables: int) -> None:
        self.act()

    def restart(self, tables: Any) -> None:
        self.act()

    def memory(self) -> Any:
        return self.act()

    def restore_memory(self, memory: Any) -> None:
        self.act()


def decisions(rules, num_players, agent, *, num_tables=64, steps=40, seed=0, **options):
    """Yield the observations and masks of tables at which one agent plays every seat."""
    tables = Tables(rules, num_tables, num_players, seed=seed, **options)
    agent.reset(num_tables)
    rng = np.random.default_rng(seed)
    for _ in range(steps):
        yield tables.observations.copy(), tables.action_masks.copy()
        tables.step(agent.act(tables.observations, tables.action_masks, rng))


def random_tables(rules, num_players, steps=40):
    """Return 64 tables after some steps of random agents."""
    tables = Tables(rules, num_tables=64, num_players=num_players, seed=3)
    agent, rng = RandomAgent(tables.rules, 2), np.random.default_rng(0)
    for _ in range(steps):
        tables.step(agent.act(tables.observations, tables.action_masks, rng))
    return tables


def decision(game, bet_sizes=DEFAULT_BET_SIZES):
    """Return the observation and the mask of the seat to act, one row each."""
    buffers = TurnBuffers(game.rules, encode_bet_sizes(bet_sizes))
    game.write_turn(buffers)
    return buffers.observation[None], buffers.mask[None]
