"""Hands played to their end by one way of choosing, for what the hands at the end are like."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from sabacc_agents.hand_values import EMPTY, HandValues
from sabacc_agents.reading import Floats, Ints
from sabacc_env.cards import NUM_CARDS, Card
from sabacc_env.engine import batch
from sabacc_env.engine.actions import DEFAULT_BET_SIZES, encode_bet_sizes, num_actions
from sabacc_env.engine.layout import GAME_DTYPE, OVER
from sabacc_env.engine.rulebook import rules_record, starting_credits
from sabacc_env.observation import OBSERVATION_SIZE
from sabacc_env.rules import RuleSet

Choose = Callable[[Floats, NDArray[np.int8]], Ints]
"""A way of choosing: actions for observations (n, OBSERVATION_SIZE) and masks (n, num_actions)."""

_VALUES: Final = np.array([Card(card).value for card in range(NUM_CARDS)])


def play_out(
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
    everywhere = np.arange(num_tables)
    games = np.zeros(num_tables, GAME_DTYPE)
    games["num_players"] = num_players
    games["hands"] = 1
    games["credits"][:, :num_players] = starting_credits(rules, num_players)
    keys = np.zeros((num_tables, 2), dtype=np.int64)
    batch.hand_keys(seed, 0, everywhere, np.zeros(num_tables, dtype=np.int64), keys)
    record = rules_record(rules)
    batch.reset_hands(games, record, everywhere, keys, np.full(num_tables, -1, dtype=np.int64))
    batch.deal_hands(games, record, everywhere)

    observations = np.zeros((num_tables, OBSERVATION_SIZE), dtype=np.float32)
    masks = np.zeros((num_tables, num_actions(DEFAULT_BET_SIZES)), dtype=np.int8)
    arrays = {
        "games": games,
        "rules": record,
        "bet_sizes": encode_bet_sizes(DEFAULT_BET_SIZES),
        "legal": np.zeros(num_tables, dtype=np.int64),
        "seats": np.zeros(num_tables, dtype=np.int64),
        "observations": observations,
        "masks": masks,
    }
    finished = np.zeros(num_tables, dtype=np.bool_)
    net = np.zeros((num_tables, num_players), dtype=np.int64)
    playing = np.flatnonzero(games["phase"] != OVER)
    batch.write_tables(**arrays, which=playing)
    while len(playing):
        actions = choose(observations[playing], masks[playing])
        batch.step_tables(**arrays, which=playing, actions=actions, finished=finished, net=net)
        playing = playing[~finished[playing]]
    remaining = games["remaining"][:, None] >> np.arange(num_players) & 1
    return _numbers(games, hands, *np.nonzero(remaining))


def _numbers(games: NDArray[Any], hands: HandValues, tables: Ints, seats: Ints) -> Ints:
    """Return the numbers of the hands that seats of tables hold, Spike Card counted, all (n,)."""
    found = np.full(len(tables), EMPTY)
    cards = np.column_stack([games["cards"][tables, seats], games["spikes"][tables, seats]])
    for column in cards.T:
        found = hands.plus(found, _VALUES[column], column >= 0)
    return found
