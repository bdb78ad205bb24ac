"""The adversary tells apart what the agent's buckets do not: exact bets."""

from __future__ import annotations

from itertools import product

import numpy as np
from sabacc_training.blueprints.adversary_states import adversary_state, find_row
from sabacc_training.blueprints.game import abstract_game, bet_public_state, new_states

from sabacc_env import load_rules
from sabacc_env.actions import DEFAULT_BET_SIZES

GAME = abstract_game(load_rules("casino"), DEFAULT_BET_SIZES, (1,))


def test_states_of_different_bets_and_cards_differ() -> None:
    found = set()
    agent_states = set()
    choices = product((2, 5), range(3), (0, 1), (0, 3, 196), (0, 4, 196), (0, 2), (0, 2, 3))
    count = 0
    for stage, history, position, first, second, raises, kind in choices:
        s = new_states(1)[0]
        s["stage"], s["history"], s["position"], s["raises"] = stage, history, position, raises
        s["bets"] = first, second
        s["kinds"] = kind, 1
        found.add(adversary_state(GAME, s))
        agent_states.add(bet_public_state(GAME, s, 196))
        count += 1
    assert len(found) == count
    assert len(agent_states) < count / 2
    assert min(found) > 0
    assert max(found) < 2**63


def test_each_state_keeps_its_row() -> None:
    keys = np.zeros(64, np.int64)
    states = np.random.default_rng(1).integers(1, 2**60, 40).tolist()
    rows = [find_row(keys, state) for state in states]
    assert len(set(rows)) == len(states)
    assert [find_row(keys, state) for state in states] == rows
    assert keys[rows].tolist() == states


def test_a_full_table_shares_rows() -> None:
    keys = np.arange(1, 65)
    assert 0 <= find_row(keys, 1_000) < 64
    assert (keys == np.arange(1, 65)).all()
