"""Compiled loops over policies: they play every seat at many tables, or choose for many rows."""

from __future__ import annotations

from typing import Any, Final, NamedTuple

import numpy as np

from sabacc_env.engine.chance import POLICY, hand_key, next_word, stream
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
from sabacc_env.engine.jit import inlined, jit
from sabacc_env.engine.layout import KIND_OF_ACTION, OVER, Array, Record
from sabacc_env.engine.observation.blocks import COLUMNS
from sabacc_env.engine.ranking import LOWEST_PLACE, PLACE_SHIFT, hand_place, hand_total

NONE_ILLEGAL: Final = -(2**63)
"""In ``illegal_actions``: no policy has chosen an illegal action at this table."""

NO_STATE: Final = -1
"""In ``random_states``: no random word has been drawn at this table."""

TEN: Final = np.float32(10)


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
    """Episodes to play, what they brought, and counts of how each table played: zeros before."""

    keys: Array  # (n, 2) int64: low and high word of the key of each first hand
    net_credits: Array  # (n, seats) int64: sums over the hands of an episode
    hands_dealt: Array  # (n, seats) int64: in how many hands a seat was dealt in
    moves: Array  # (m, seats, rounds, totals, kinds) int64: by the total of the hand, without sign
    moves_by_hand: Array  # (m, seats, hands, kinds) int64: by what the hand would rank
    reveals: Array  # (m, seats, hands, 2) int64: revealed hands, and those that won the main pot
    illegal: Array  # (m, 2) int64: an episode and its illegal action; -1 for none


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
    random words of an episode come from a stream for (seed, key of its first hand), and the keys of
    its later hands are hashes of the first. After an illegal action the table stops.
    """
    table = tables[0]
    g = games.records[table]
    r = games.rules[games.rule_of[table]]
    for i in range(len(indices)):
        episode = indices[i]
        first_low, first_high = episodes.keys[episode, 0], episodes.keys[episode, 1]
        starts.keys[table, 0], starts.keys[table, 1] = first_low, first_high
        low, high = stream(starts.seed[0], starts.seed[1], POLICY, first_low)
        state, increment = stream(low, high, POLICY, first_high)
        for hand in range(int(g.hands)):
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
                count_move(episodes, table, seat, turns.rows[table], action)
                play_turn(games, turns, results, starts, False, table, action)
            count_hand(episodes, table, episode, g, r)
            if match_is_over(g, r):
                break
            key_low, key_high = hand_key(first_low, first_high, 0, hand + 1)
            starts.keys[table, 0], starts.keys[table, 1] = key_low, key_high


@inlined
def count_move(episodes: Episodes, table: int, seat: int, row: Record, action: int) -> None:
    """Count the move that a seat plays, by what it observes."""
    kind = KIND_OF_ACTION[action]
    round_no = 0
    while row.round_no[round_no] == 0:
        round_no += 1
    total = abs(int(np.rint(row.own_total[COLUMNS.own_total.total] * TEN)))
    total = min(total, episodes.moves.shape[3] - 1)
    episodes.moves[table, seat, round_no, total, kind] += 1
    place = int(np.rint(row.own_rank[COLUMNS.own_rank.place] * np.float32(LOWEST_PLACE)))
    episodes.moves_by_hand[table, seat, LOWEST_PLACE - 1 - place, kind] += 1


@inlined
def count_hand(episodes: Episodes, table: int, episode: int, g: Record, r: Record) -> None:
    """Count the result of a hand that is over."""
    for seat in range(int(g.num_players)):
        episodes.net_credits[episode, seat] += g.net_credits[seat]
        episodes.hands_dealt[episode, seat] += int(g.seated) >> seat & 1
        if g.revealed == 1 and int(g.remaining) >> seat & 1:
            strength = hand_place(int(r.ranking), g, seat, hand_total(g, seat))
            rank = LOWEST_PLACE - 1 - (strength >> PLACE_SHIFT)
            episodes.reveals[table, seat, rank, 0] += 1
            episodes.reveals[table, seat, rank, 1] += int(g.pot_winners[0] == seat)


@jit
def choose_actions(code: Any, rows: Array, legal: Array, words: Array, actions: Array) -> None:
    """Write what a policy chooses for each row, from its legal actions and its random word."""
    for i in range(len(rows)):
        actions[i] = call_policy(code, 0, rows[i], legal[i], words[i])
