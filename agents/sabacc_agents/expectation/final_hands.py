"""Hands played to their end by one way of choosing, for what the hands at the end are like."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from sabacc_agents.expectation.hand_table import EMPTY, HandValues
from sabacc_agents.scripted.decoding import Floats, Ints
from sabacc_env.cards import NUM_CARDS, Card
from sabacc_env.errors import SabaccError
from sabacc_env.rules import RuleSet
from sabacc_env.tables import Tables

Choose = Callable[[Floats, NDArray[np.int8]], Ints]
"""A way of choosing: actions for observations (n, OBSERVATION_SIZE) and masks (n, num_actions)."""

_VALUES: Final = np.array([Card(card).value for card in range(NUM_CARDS)])


def final_hands(
    rules: RuleSet, num_players: int, num_tables: int, seed: int, hands: HandValues, choose: Choose
) -> Ints:
    """Play one hand at each of many tables, all seats choosing alike.

    Args:
        rules: the rules to play.
        num_players: seats at each table.
        num_tables: how many tables.
        seed: decides the keys of the hands.
        hands: the hands of these rules.
        choose: how every seat chooses; it sees the default bet sizes.

    Returns:
        The numbers of the hands of the seats that remained at the end, one after the other.
    """
    try:
        tables = Tables(rules, num_tables, num_players, seed=seed)
    except SabaccError:  # the antes take all credits: nobody has a decision, and none is needed
        return np.zeros(0, dtype=np.int64)
    playing = np.arange(num_tables)
    while len(playing):
        actions = choose(tables.observations[playing], tables.action_masks[playing])
        tables.step(actions, playing)
        playing = playing[~tables.finished[playing]]
    games = tables.final_records
    remaining = games["remaining"][:, None] >> np.arange(num_players) & 1
    return _numbers(games, hands, *np.nonzero(remaining))


def _numbers(games: NDArray[Any], hands: HandValues, tables: Ints, seats: Ints) -> Ints:
    """Return the numbers of the hands that seats of tables hold, Spike Card counted, all (n,)."""
    found = np.full(len(tables), EMPTY)
    cards = np.column_stack([games["cards"][tables, seats], games["spikes"][tables, seats]])
    for column in cards.T:
        found = hands.plus(found, _VALUES[column], column >= 0)
    return found
