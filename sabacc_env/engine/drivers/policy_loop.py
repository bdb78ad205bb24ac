"""Compiled loops over policies: they play every seat at many tables, or choose for many rows."""

from __future__ import annotations

from typing import Any, Final, NamedTuple

from sabacc_env.engine.chance import POLICY, next_word, stream
from sabacc_env.engine.drivers.batch import (
    Games,
    Results,
    Starts,
    Turns,
    begin_hand,
    is_legal_action,
    match_is_over,
    play_turn,
    write_forms,
    write_turn_with_rules,
)
from sabacc_env.engine.drivers.policy_code import call_policy
from sabacc_env.engine.jit import jit
from sabacc_env.engine.layout import OVER, Array

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


class Episodes(NamedTuple):
    """Episodes to play, and what they brought."""

    keys: Array  # (n, hands, 2) int64: low and high word of the key of each hand
    net_credits: Array  # (n, seats) int64: sums over the hands of an episode, zeros until then
    hands_dealt: Array  # (n, seats) int64: in how many hands a seat was dealt in, likewise
    illegal: Array  # (m, 2) int64, by table: an episode and its illegal action; -1 for none


@jit
def play_episodes(
    games: Games,
    turns: Turns,
    results: Results,
    starts: Starts,
    episodes: Episodes,
    policies: Any,
    tables: Array,
    indices: Array,
) -> None:
    """Play these episodes from start to end, one after the other, at the first of these tables.

    Every thread has a table of its own, so all that it touches stays in the fastest cache. The
    random words of an episode come from a stream for (seed, key of its first hand). After an
    illegal action the table stops.
    """
    table = tables[0]
    g = games.records[table]
    r = games.rules[games.rule_of[table]]
    hands = episodes.keys.shape[1]
    for i in range(len(indices)):
        episode = indices[i]
        low, high = stream(starts.seed[0], starts.seed[1], POLICY, episodes.keys[episode, 0, 0])
        state, increment = stream(low, high, POLICY, episodes.keys[episode, 0, 1])
        for hand in range(hands):
            starts.keys[table, 0] = episodes.keys[episode, hand, 0]
            starts.keys[table, 1] = episodes.keys[episode, hand, 1]
            g.hand_number = hand
            begin_hand(games, turns.sequences, starts, table, hand, hand == 0)
            write_turn_with_rules(games, turns, table)
            while g.phase != OVER:
                state, word = next_word(state, increment)
                seat = turns.seats[table] & 7
                legal = turns.legal[table]
                action = call_policy(policies[seat], seat, turns.rows[table], legal, word)
                if not is_legal_action(legal, action):
                    episodes.illegal[table, 0] = episode
                    episodes.illegal[table, 1] = action
                    return
                play_turn(games, turns, results, starts, False, table, action)
            for seat in range(int(g.num_players)):
                episodes.net_credits[episode, seat] += g.net_credits[seat]
                episodes.hands_dealt[episode, seat] += int(g.seated) >> seat & 1
            if match_is_over(g, r):
                break


@jit
def choose_actions(code: Any, rows: Array, legal: Array, words: Array, actions: Array) -> None:
    """Write what a policy chooses for each row, from its legal actions and its random word."""
    for i in range(len(rows)):
        actions[i] = call_policy(code, 0, rows[i], legal[i], words[i])
