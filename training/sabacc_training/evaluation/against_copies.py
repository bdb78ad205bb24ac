"""One hero against copies of another agent, at any number of seats, each deal from every seat."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

from sabacc_env import agent_calls
from sabacc_env.actions import DEFAULT_BET_SIZES, BetSize
from sabacc_env.agent import Agent
from sabacc_env.envs.start_ranges import StakeRanges
from sabacc_env.rules import RuleSet
from sabacc_env.tables import Tables
from sabacc_training.evaluation.margins import MILLI, Estimate

Ints = NDArray[np.int64]

AT_ONCE: Final = 32_768
"""Hands played side by side, at most."""


def hero_margin(
    rules: RuleSet,
    hero: Agent,
    opponent: Agent,
    num_players: int,
    deals: int,
    seed: int,
    bet_sizes: Sequence[BetSize] = DEFAULT_BET_SIZES,
    stakes: StakeRanges | None = None,
    on_hands: Callable[[int], None] | None = None,
) -> Estimate:
    """Return the hero's margin over the mean of the others (at two seats half of it), mante/hand.

    Args:
        rules: what is played.
        hero: has each seat once in every deal.
        opponent: has all the others.
        num_players: seats at a table.
        deals: how many deals, at least two.
        seed: decides the deals and the agents' chance.
        bet_sizes: what the bet actions mean.
        stakes: what deals start from, drawn for each; without, the rules' own stakes.
        on_hands: told how many hands were played, whenever some were.

    Raises:
        SabaccError: for an agent that fails, or gives what is no legal action.
    """
    rng = np.random.default_rng(seed)
    most = AT_ONCE // num_players
    parts = []
    for begin in range(0, deals, most):
        count = min(most, deals - begin)
        keys = rng.integers(2**64, size=count, dtype=np.uint64)
        drawn = {} if stakes is None else stakes.draw(count, rng)
        tables = Tables(
            rules,
            count * num_players,
            num_players,
            bet_sizes=bet_sizes,
            keys=np.tile(keys, num_players),
            credits=_for_each_seat(drawn.get("credits"), num_players),
            sabacc_pots=_for_each_seat(drawn.get("sabacc_pots"), num_players),
        )
        net = _played(tables, hero, opponent, rng)
        own = net[np.arange(len(net)), np.arange(len(net)) // count]
        margins = own - (net.sum(axis=1) - own) / (num_players - 1)
        parts.append(margins.reshape(num_players, count).mean(axis=0))
        if on_hands is not None:
            on_hands(tables.num_tables)
    milli = np.concatenate(parts) * MILLI / rules.ante_unit
    return Estimate.of(milli / 2 if num_players == 2 else milli)


def _for_each_seat(drawn: Ints | None, num_players: int) -> Ints | None:
    """Return what was drawn for each deal as often as it is played."""
    return None if drawn is None else np.concatenate([drawn] * num_players)


def _played(
    tables: Tables, hero: Agent, opponent: Agent, rng: np.random.Generator
) -> NDArray[np.float64]:
    """Play a hand at each table, the hero at seat 0 of the first ones, at seat 1 of the next, ...

    Returns:
        What each seat netted, (num_tables, num_players) credits.
    """
    playing = np.arange(tables.num_tables)
    hero_seats = playing // (tables.num_tables // tables.num_players)
    net = np.zeros((tables.num_tables, tables.num_players))
    agent_calls.begin((hero, opponent), tables)
    while len(playing):
        actions = np.zeros(len(playing), dtype=np.int64)
        heros = tables.seats_to_act[playing] == hero_seats[playing]
        for agent, rows in ((hero, heros), (opponent, ~heros)):
            at = playing[rows]
            if len(at):
                actions[rows] = agent_calls.actions_at(agent, tables, at, rng)
        tables.step(actions, playing)
        net[playing] += tables.net_credits[playing]
        playing = playing[~tables.finished[playing]]
    return net
