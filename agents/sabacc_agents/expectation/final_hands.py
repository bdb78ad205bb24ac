"""Samples of final hands, from games in which all seats follow one policy."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from sabacc_agents.expectation.hand_table import HandTable
from sabacc_env.array_types import Floats, Ints
from sabacc_env.cards import NUM_CARDS, Card
from sabacc_env.errors import SabaccError
from sabacc_env.rules import RuleSet
from sabacc_env.tables import Tables

ActionChooser = Callable[[Floats, NDArray[np.int8]], Ints]
"""Chooses actions, (n,), by observations (n, OBSERVATION_SIZE) and masks (n, num_actions)."""

_CARD_VALUES: Final = np.array([Card(card).value for card in range(NUM_CARDS)])


def sample_final_hands(
    rules: RuleSet,
    num_players: int,
    num_tables: int,
    seed: int,
    table: HandTable,
    choose: ActionChooser,
) -> Ints:
    """Play one hand at each of many tables and return the hands that reach the end.

    Args:
        rules: the rules to play.
        num_players: seats at each table.
        num_tables: the number of tables.
        seed: decides the keys of the hands.
        table: the hand table of these rules.
        choose: chooses the actions of all seats, among the default bet sizes.

    Returns:
        The hands of all seats that remained at the end, as indices in the hand table.
    """
    try:
        tables = Tables(rules, num_tables, num_players, seed=seed)
    except SabaccError:  # the antes take all credits, so nobody has a decision
        return np.zeros(0, dtype=np.int64)
    playing = np.arange(num_tables)
    while len(playing):
        actions = choose(tables.flat_observations[playing], tables.action_masks[playing])
        tables.step(actions, playing)
        playing = playing[~tables.finished[playing]]
    games = tables.final_records
    remaining = games["remaining"][:, None] >> np.arange(num_players) & 1
    return _held_hands(games, table, *np.nonzero(remaining))


def _held_hands(games: NDArray[Any], table: HandTable, tables: Ints, seats: Ints) -> Ints:
    """Return the hands that seats of tables hold, Spike Card included, all (n,)."""
    cards = np.column_stack([games["cards"][tables, seats], games["spikes"][tables, seats]])
    return table.hands_of(_CARD_VALUES[cards], cards >= 0)
