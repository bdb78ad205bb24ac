"""The adversary tells apart what the agent does not: sizes of bets, and card actions."""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np
from sabacc_agents.blueprint.public_states import STAND
from sabacc_training.blueprints.adversary_states import adversary_state, find_row
from sabacc_training.blueprints.game import abstract_game
from sabacc_training.blueprints.states import (
    NUM_COURSES,
    begin_cards,
    bet_public_state,
    new_states,
    next_stage,
    note_kind,
    redraw,
)
from sabacc_training.blueprints.workspace import new_tables

from sabacc_env import load_rules
from sabacc_env.actions import DEFAULT_BET_SIZES
from sabacc_env.engine.layout import REDRAW_ALL, REDRAW_ONE

RULES = load_rules("casino")
GAME = abstract_game(RULES, DEFAULT_BET_SIZES, (1,))


def test_the_states_of_different_bets_differ() -> None:
    """The agent knows an all-in call only by its size."""
    bets = [(196, first) for first in (4, 8, 12, 24, 48, 96)]
    found = [state_of(bets=b, raises=1, position=1) for b in bets]
    assert len(set(found)) == len(bets)
    agent_states = {bet_public_state(GAME, state(bets=b, raises=1, position=1), 196) for b in bets}
    assert len(agent_states) < len(bets)


def test_the_states_of_different_phases_histories_and_cards_differ() -> None:
    choices = product((2, 5, 8), (0, 1, 8), (0, 1), (0, 1, 2, 3), range(343), (0, 2, 3))
    found = [
        state_of(
            stage=stage,
            history=history,
            position=position,
            raises=raises,
            bets=(4, 4) if raises == 0 else (4, 8) if position == 0 else (8, 4),
            courses=(course, course),
            kinds=(kind, kind),
        )
        for stage, history, position, raises, course, kind in choices
    ]
    assert len(set(found)) == len(found)
    assert min(found) > 0
    assert max(found) < 2**62


def test_all_events_of_cards_are_remembered() -> None:
    """Three phases, with doubles, two Spikes or none after each."""
    events = list(product(range(4), (0, REDRAW_ONE, REDRAW_ALL)))
    found = set()
    for hand in product(events, repeat=3):
        s = new_states(1)[0]
        for kind, dice in hand:
            begin_cards(s)
            note_kind(s, STAND)
            note_kind(s, kind)
            if dice:
                redraw(s, dice)
            next_stage(s)
        found.add(int(s["courses"][1]))
    assert len(found) == len(events) ** 3
    assert max(found) < NUM_COURSES


def state(**fields: Any) -> Any:
    s = new_states(1)[0]
    s["stage"] = 2
    for name, value in fields.items():
        s[name] = value
    s["phase_bets"] = s["bets"]
    return s


def state_of(**fields: Any) -> int:
    return adversary_state(GAME, state(**fields))


def test_each_state_keeps_its_row() -> None:
    tables = new_tables(RULES, GAME, 64)
    states = np.random.default_rng(1).integers(1, 2**60, 40).tolist()
    rows = [find_row(tables, state) for state in states]
    assert rows == list(range(40))
    assert [find_row(tables, state) for state in states] == rows
    assert tables.adversary_count.tolist() == [40]


def test_a_full_table_shares_rows() -> None:
    tables = new_tables(RULES, GAME, 64)
    tables.adversary_keys[:] = np.arange(1, 65)
    tables.adversary_rows[:] = np.arange(64)
    assert 0 <= find_row(tables, 1_000) < 64
    assert (tables.adversary_keys == np.arange(1, 65)).all()
    assert tables.adversary_count.tolist() == [0]
