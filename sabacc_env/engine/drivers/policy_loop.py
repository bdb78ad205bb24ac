"""Compiled loops over policies: they play every seat at many tables, or choose for many rows."""

from __future__ import annotations

from typing import Any, Final

from sabacc_env.engine.chance import POLICY, next_word, stream
from sabacc_env.engine.drivers.batch import (
    Games,
    Results,
    Starts,
    Turns,
    is_legal_action,
    play_turn,
    write_forms,
)
from sabacc_env.engine.drivers.policy_code import call_policy
from sabacc_env.engine.jit import jit
from sabacc_env.engine.layout import Array

NONE_ILLEGAL: Final = -(2**63)
"""In ``illegal_actions``: no policy has chosen an illegal action at this table."""

NO_STATE: Final = -1
"""In ``random_states``: no random word has been drawn at this table."""


@jit
def play_tables(
    games: Games,
    turns: Turns,
    results: Results,
    starts: Starts,
    policies: Any,
    call_number: int,
    decisions: int,
    autoreset: bool,
    random_states: Array,
    illegal_actions: Array,
    tables: Array,
) -> None:
    """Play this many decisions at each of these tables, every seat by its policy.

    ``policies`` are the ``policy_codes`` of ``MAX_SEATS`` policies.

    A table's random words come from a stream for (seed, table, call number). ``random_states``
    keeps the state of that stream, so that a call of ``Tables.play`` can be split into several
    calls of this function. Each table plays all its decisions before the next table does: its
    record and its row then stay in the fastest cache. A table whose policy chooses an illegal
    action stops before it, and the action is written to ``illegal_actions``.
    """
    for i in range(len(tables)):
        table = tables[i]
        if illegal_actions[table] != NONE_ILLEGAL:
            continue
        low, high = stream(starts.seed[0], starts.seed[1], POLICY, table)
        state, increment = stream(low, high, POLICY, call_number)
        if random_states[table] != NO_STATE:
            state = random_states[table]
        for _ in range(decisions):
            state, word = next_word(state, increment)
            seat = turns.seats[table] & 7
            action = call_policy(policies[seat], seat, turns.rows[table], turns.legal[table], word)
            if not is_legal_action(turns.legal[table], action):
                illegal_actions[table] = action
                break
            play_turn(games, turns, results, starts, autoreset, table, action)
        random_states[table] = state
        write_forms(games, turns, table)


@jit
def choose_actions(code: Any, rows: Array, legal: Array, words: Array, actions: Array) -> None:
    """Write what a policy chooses for each row, from its legal actions and its random word."""
    for i in range(len(rows)):
        actions[i] = call_policy(code, 0, rows[i], legal[i], words[i])
