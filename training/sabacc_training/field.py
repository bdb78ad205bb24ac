"""One hero against copies of another agent, at any number of seats, each deal from every seat."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from sabacc_env import asking
from sabacc_env.agent import Agent
from sabacc_env.engine.actions import DEFAULT_BET_SIZES, BetSize
from sabacc_env.rules import RuleSet
from sabacc_env.tables import Tables
from sabacc_training.margins import MILLI, Estimate


def hero_margin(
    rules: RuleSet,
    hero: Agent,
    opponent: Agent,
    num_players: int,
    deals: int,
    seed: int,
    bet_sizes: Sequence[BetSize] = DEFAULT_BET_SIZES,
) -> Estimate:
    """Return the hero's margin over the mean of the others, in mA/h (with two seats, half of it).

    All hands of all deals are played side by side, so this is for a few thousand deals at most.

    Args:
        rules: what is played, from the rules' own stakes.
        hero: has each seat once in every deal.
        opponent: has all the others.
        num_players: seats at a table.
        deals: how many deals, at least two.
        seed: decides the deals and the agents' chance.
        bet_sizes: what the bet actions mean.

    Raises:
        SabaccError: for an agent that fails, or gives what is no legal action.
    """
    rng = np.random.default_rng(seed)
    keys = rng.integers(2**64, size=deals, dtype=np.uint64)
    tables = Tables(
        rules,
        deals * num_players,
        num_players,
        bet_sizes=bet_sizes,
        keys=np.tile(keys, num_players),
    )
    playing = np.arange(tables.num_tables)
    hero_seats = playing // deals
    net = np.zeros((tables.num_tables, num_players))
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
    own = net[np.arange(len(net)), hero_seats]
    margins = own - (net.sum(axis=1) - own) / (num_players - 1)
    milli = margins.reshape(num_players, deals).mean(axis=0) * MILLI / rules.ante_unit
    return Estimate.of(milli / 2 if num_players == 2 else milli)
