"""One hero against copies of another agent, at any number of seats, each deal from every seat."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

from sabacc_env import asking
from sabacc_env.agent import Agent
from sabacc_env.engine.actions import DEFAULT_BET_SIZES, BetSize
from sabacc_env.rules import RuleSet
from sabacc_env.tables import Tables
from sabacc_training.margins import MILLI, Estimate

AT_ONCE: Final = 32_768
"""Hands that are played side by side at most."""


def hero_margin(
    rules: RuleSet,
    hero: Agent,
    opponent: Agent,
    num_players: int,
    deals: int,
    seed: int,
    bet_sizes: Sequence[BetSize] = DEFAULT_BET_SIZES,
    on_hands: Callable[[int], None] | None = None,
) -> Estimate:
    """Return the hero's margin over the mean of the others, in mA/h (with two seats, half of it).

    Args:
        rules: what is played, from the rules' own stakes.
        hero: has each seat once in every deal.
        opponent: has all the others.
        num_players: seats at a table.
        deals: how many deals, at least two.
        seed: decides the deals and the agents' chance.
        bet_sizes: what the bet actions mean.
        on_hands: told how many hands were played, whenever some were.

    Raises:
        SabaccError: for an agent that fails, or gives what is no legal action.
    """
    rng = np.random.default_rng(seed)
    keys = rng.integers(2**64, size=deals, dtype=np.uint64)
    together = AT_ONCE // num_players
    margins = []
    for part in np.split(keys, range(together, deals, together)):
        tables = Tables(
            rules,
            len(part) * num_players,
            num_players,
            bet_sizes=bet_sizes,
            keys=np.tile(part, num_players),
        )
        net, seats = _played(tables, hero, opponent, rng)
        own = net[np.arange(len(net)), seats]
        over = own - (net.sum(axis=1) - own) / (num_players - 1)
        margins.append(over.reshape(num_players, len(part)).mean(axis=0))
        if on_hands is not None:
            on_hands(tables.num_tables)
    milli = np.concatenate(margins) * MILLI / rules.ante_unit
    return Estimate.of(milli / 2 if num_players == 2 else milli)


def _played(
    tables: Tables, hero: Agent, opponent: Agent, rng: np.random.Generator
) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """Play a hand at each table, the hero at each seat in turn; return net credits and its seats.

    The first tables, as many as there are deals, have it at seat 0, the next at seat 1 and so on.
    """
    playing = np.arange(tables.num_tables)
    hero_seats = playing // (tables.num_tables // tables.num_players)
    net = np.zeros((tables.num_tables, tables.num_players))
    asking.begin((hero, opponent), tables)
    while len(playing):
        actions = np.zeros(len(playing), dtype=np.int64)
        heros = tables.seats_to_act[playing] == hero_seats[playing]
        for agent, rows in ((hero, heros), (opponent, ~heros)):
            at = playing[rows]
            if len(at):
                actions[rows] = asking.actions_at(agent, tables, at, rng)
        tables.step(actions, playing)
        net[playing] += tables.net_credits[playing]
        playing = playing[~tables.finished[playing]]
    return net, hero_seats
