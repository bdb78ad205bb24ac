"""The compiled batch: functions that step, restart and observe many tables in place.

Every array has one entry for each table. The argument ``tables`` lists the indices of the tables
that a call works on, so that several threads can share the arrays. A GPU calls the same functions
with one table in each of its threads. ``Tables`` checks its users' arguments before it calls them.
"""

from __future__ import annotations

from typing import Final, NamedTuple

from sabacc_env.engine.chance import dealer_of, drawn_rules, hand_key, roll
from sabacc_env.engine.drivers.prefetch import prefetch_game, prefetch_row
from sabacc_env.engine.drivers.results import write_mask, write_outcome
from sabacc_env.engine.jit import inlined, jit
from sabacc_env.engine.layout import (
    FIRST_BET_ACTION,
    NO_REDRAW,
    OBSERVED_ROUNDS,
    OVER,
    Array,
    Record,
)
from sabacc_env.engine.legal import legal_actions
from sabacc_env.engine.observation.blocks import OBSERVATION_SIZE, PACKED_SCALES
from sabacc_env.engine.observation.encoding import CARD_ENCODING, flag
from sabacc_env.engine.observation.planes import write_planes
from sabacc_env.engine.observation.state import write_state
from sabacc_env.engine.observation.write import write_own_cards, write_rules, write_turn_features
from sabacc_env.engine.piles import pop_draw_pile
from sabacc_env.engine.step import (
    deal,
    pack_move,
    play_action,
    raise_total,
    reset_hand,
    seats_that_can_ante,
)
from sabacc_env.engine.token_log import (
    Sequences,
    deal_and_log,
    keep_sequences,
    play_and_log,
    read_tokens,
)


class Games(NamedTuple):
    """The hands in play, the rules of each, and what its bet actions mean."""

    records: Array  # (n,) GAME_DTYPE
    rules: Array  # (m,) RULES_DTYPE
    rule_of: Array  # (n,) int64: the index of a table's rules, which an episode may draw
    bet_sizes: Array  # (1,) BET_SIZES_DTYPE


class Turns(NamedTuple):
    """Whose turn it is, with the observations and legal actions of these seats."""

    seats: Array  # (n,) int64
    legal: Array  # (n,) int64, bits
    masks: Array  # (n, num_actions) int8
    rows: Array  # (n,) OBSERVATION_DTYPE
    floats: Array  # (n, OBSERVATION_SIZE) float32, the same memory
    packed: Array  # (n, OBSERVATION_SIZE) int8; (0, OBSERVATION_SIZE) if not wanted
    planes: Array  # (n, *PLANES_SHAPE) int8; (0, *PLANES_SHAPE) if not wanted
    tokens: Array  # (n, length) int16; (0, length) if not wanted
    sequences: Sequences  # of all seats, out of which the tokens of the seat to act are copied


class Results(NamedTuple):
    """Which hands the last step ended, their results, and the last hands that ended."""

    finished: Array  # (n,) bool: a hand
    match_finished: Array  # (n,) bool: its episode too
    net_credits: Array  # (n, MAX_SEATS) int64
    final_games: Array  # (n,) GAME_DTYPE, the last hand that ended
    final_rule_of: Array  # (n,) int64: the index of its rules
    hand_counts: Array  # (n,) int64, hands ended so far


class Starts(NamedTuple):
    """The values that hands and episodes start from; keys and dealers are empty unless given.

    Where episodes draw their rules, ``rule_pool`` has the indices of those that they draw from, and
    ``credits`` has a row for each of the rules. Else it is empty, and ``credits`` has a row for
    each table.
    """

    seed: Array  # (2,) int64: low and high word
    keys: Array  # (n or 0, 2) int64
    dealers: Array  # (n or 0,) int64
    credits: Array  # (n or m, MAX_SEATS) int64
    sabacc_pots: Array  # (n,) int64
    rule_pool: Array  # (k or 0,) int64


# Hands that begin and end.


@inlined
def begin_hand(
    games: Games,
    sequences: Sequences,
    starts: Starts,
    table: int,
    hand_count: int,
    new_episode: bool,
) -> None:
    """Deal the next hand of an episode, or the first of a new one."""
    g = games.records[table]
    if len(starts.keys) > 0:
        key_low, key_high = starts.keys[table, 0], starts.keys[table, 1]
    else:
        key_low, key_high = hand_key(starts.seed[0], starts.seed[1], table, hand_count)
    dealer = int(g.dealer) + 1
    if new_episode:
        stacks = table
        if len(starts.rule_pool) > 0:
            drawn = drawn_rules(key_low, key_high, len(starts.rule_pool))
            games.rule_of[table] = stacks = starts.rule_pool[drawn]
        g.hand_number = 0
        for seat in range(int(g.num_players)):
            g.credits[seat] = starts.credits[stacks, seat]
        g.sabacc_pot = starts.sabacc_pots[table]
        if len(starts.dealers) > 0:
            dealer = starts.dealers[table]
        else:
            dealer = dealer_of(key_low, key_high, int(g.num_players))
    r = games.rules[games.rule_of[table]]
    reset_hand(g, r, key_low, key_high, dealer)
    if len(sequences.logs) > 0:
        deal_and_log(g, r, sequences, table)
    else:
        deal(g, r)


@jit
def begin_episodes(
    games: Games, turns: Turns, results: Results, starts: Starts, tables: Array
) -> None:
    """Deal the first hand of an episode at these tables, and write their first turns."""
    for i in range(len(tables)):
        table = tables[i]
        begin_hand(games, turns.sequences, starts, table, results.hand_counts[table], True)
        write_turn_with_rules(games, turns, table)


@inlined
def record_result(games: Games, sequences: Sequences, results: Results, table: int) -> None:
    """Record the result of a hand that is over. The net credits of one step add up."""
    g = games.records[table]
    results.finished[table] = True
    results.hand_counts[table] += 1
    results.final_games[table] = g
    results.final_rule_of[table] = games.rule_of[table]
    for seat in range(int(g.num_players)):
        results.net_credits[table, seat] += g.net_credits[seat]
    if len(sequences.logs) > 0:
        keep_sequences(sequences, table)


@jit
def match_is_over(g: Record, r: Record) -> bool:
    """Say whether the hand that has just ended was the last of its episode."""
    seats = seats_that_can_ante(g, r)
    return int(g.hand_number) + 1 >= g.hands or seats & (seats - 1) == 0


@jit
def write_match_over(games: Games, tables: Array, over: Array) -> None:
    """Write for each of these tables whether its last hand was the last of its episode."""
    for i in range(len(tables)):
        table = tables[i]
        over[i] = match_is_over(games.records[table], games.rules[games.rule_of[table]])


@inlined
def deal_next_hand(
    games: Games, sequences: Sequences, results: Results, starts: Starts, table: int
) -> bool:
    """Deal once where a hand has ended; return whether that began a new episode.

    A hand in which the antes took all credits may end at its deal: it counts here too.
    """
    g = games.records[table]
    r = games.rules[games.rule_of[table]]
    new_episode = match_is_over(g, r)
    g.hand_number = int(g.hand_number) + 1
    if new_episode:
        results.match_finished[table] = True
    begin_hand(games, sequences, starts, table, results.hand_counts[table], new_episode)
    if g.phase == OVER and not new_episode:
        record_result(games, sequences, results, table)
    return new_episode


@inlined
def deal_until_decision(
    games: Games, sequences: Sequences, results: Results, starts: Starts, table: int
) -> None:
    """Deal at a table whose hand has ended, until there is a decision.

    If the first hand of an episode ends at its deal, this could go on for ever. So it stops there,
    and ``Tables`` raises an error.
    """
    new_episode = False
    while games.records[table].phase == OVER and not new_episode:
        new_episode = deal_next_hand(games, sequences, results, starts, table)


@jit
def deal_next_hands(
    games: Games, turns: Turns, results: Results, starts: Starts, tables: Array
) -> None:
    """Deal once at tables whose hand has ended, and write their turns."""
    for i in range(len(tables)):
        deal_next_hand(games, turns.sequences, results, starts, tables[i])
        write_drawn_rules(games, turns, starts, tables[i])
        write_turn(games, turns, tables[i])
        write_forms(games, turns, tables[i])


# Writing turns.


@inlined
def write_turn_with_rules(games: Games, turns: Turns, table: int) -> None:
    """Write a turn and the features that never change at a table."""
    write_rules(games.records[table], games.rules[games.rule_of[table]], turns.rows[table])
    write_turn(games, turns, table)
    write_forms(games, turns, table)


@jit
def write_turns_with_rules(games: Games, turns: Turns, tables: Array) -> None:
    """Write turns and the features that never change at these tables."""
    for i in range(len(tables)):
        write_turn_with_rules(games, turns, tables[i])


@inlined
def write_drawn_rules(games: Games, turns: Turns, starts: Starts, table: int) -> None:
    """Write the features of the rules where a new episode may have drawn others."""
    if len(starts.rule_pool) > 0:
        write_rules(games.records[table], games.rules[games.rule_of[table]], turns.rows[table])


@inlined
def write_turn(games: Games, turns: Turns, table: int) -> None:
    """Write a turn as policies see it, except for the features that never change at a table."""
    g = games.records[table]
    r = games.rules[games.rule_of[table]]
    seat = int(g.seat_to_act)
    bits = legal_actions(g, r, games.bet_sizes[0])
    turns.seats[table] = seat
    turns.legal[table] = bits
    if seat < 0:
        return
    write_mask(bits, turns.masks[table])
    write_turn_features(g, r, seat, turns.rows[table])


@inlined
def write_forms(games: Games, turns: Turns, table: int) -> None:
    """Write the turn at a table in the other forms that are wanted."""
    g = games.records[table]
    seat = int(g.seat_to_act)
    if seat < 0:
        return
    if len(turns.packed) > 0:
        for feature in range(OBSERVATION_SIZE):
            value = turns.floats[table, feature] * PACKED_SCALES[feature]
            turns.packed[table, feature] = round(value)
    if len(turns.planes) > 0:
        write_planes(g, seat, turns.planes[table])
    if len(turns.tokens) > 0:
        which = turns.sequences.current[table]
        read_tokens(turns.sequences, table, which, seat, int(g.num_players), turns.tokens[table])


@jit
def write_final_observations(
    games: Games, results: Results, seats: Array, rows: Array, tables: Array
) -> None:
    """Write what seats observe of the last hands that ended at these tables, row by row."""
    for i in range(len(tables)):
        g = results.final_games[tables[i]]
        r = games.rules[results.final_rule_of[tables[i]]]
        write_rules(g, r, rows[i])
        write_turn_features(g, r, seats[i], rows[i])


@jit
def write_final_planes(results: Results, seats: Array, planes: Array, tables: Array) -> None:
    """Write what seats saw of the cards in the last hands that ended at these tables."""
    for i in range(len(tables)):
        write_planes(results.final_games[tables[i]], seats[i], planes[i])


@jit
def write_final_tokens(
    games: Games, sequences: Sequences, seats: Array, tokens: Array, tables: Array
) -> None:
    """Write the sequences of seats in the last hands that ended at these tables."""
    for i in range(len(tables)):
        table = tables[i]
        players = int(games.records[table].num_players)
        last = 1 - sequences.current[table]
        read_tokens(sequences, table, last, seats[i], players, tokens[i])


@jit
def write_opponents_hands(games: Games, turns: Turns, hands: Array, tables: Array) -> None:
    """Write the hands of the opponents of the seats to act, as each opponent observes its own.

    ``hands`` is (n, seats - 1) of ``HAND_DTYPE``, in order of play after the seat to act. Rows of
    absent seats are left as they are.
    """
    for i in range(len(tables)):
        g = games.records[tables[i]]
        r = games.rules[games.rule_of[tables[i]]]
        num_players = int(g.num_players)
        for after in range(num_players - 1):
            seat = (turns.seats[tables[i]] + after + 1) % num_players
            write_own_cards(g, r, seat, hands[i, after])


UPCOMING_CARDS: Final = 6
UPCOMING_SIZE: Final = UPCOMING_CARDS + 2 * OBSERVED_ROUNDS
"""The next cards, then for each round whether it will roll doubles, then whether two Spikes."""


@jit
def write_upcoming_chance(games: Games, upcoming: Array, scratch: Array, tables: Array) -> None:
    """Write the upcoming chance outcomes at these tables, row by row; zeros where none is left.

    ``upcoming`` is (n, UPCOMING_SIZE) float32, zeros. ``scratch`` is (n,) GAME_DTYPE; only its
    first record is used.
    """
    for i in range(len(tables)):
        g = scratch[0]
        scratch[0] = games.records[tables[i]]
        r = games.rules[games.rule_of[tables[i]]]
        for card in range(min(UPCOMING_CARDS, int(g.deck_size) - int(g.deck_next))):
            upcoming[i, card] = CARD_ENCODING[pop_draw_pile(g) & 63]
        if r.doubles == NO_REDRAW and r.double_spike == NO_REDRAW:
            continue
        for round_no in range(int(g.rolls), min(int(r.rounds), OBSERVED_ROUNDS)):
            first, second = roll(int(g.key_low), int(g.key_high), round_no + 1)
            upcoming[i, UPCOMING_CARDS + round_no] = flag(first == second)
            upcoming[i, UPCOMING_CARDS + OBSERVED_ROUNDS + round_no] = flag(first == second == 1)


@jit
def write_states(
    games: Games, rows: Array, cards: Array, dice: Array, scratch: Array, tables: Array
) -> None:
    """Write the states of these tables, row by row; arguments as of ``state.write_state``."""
    for i in range(len(tables)):
        g = games.records[tables[i]]
        r = games.rules[games.rule_of[tables[i]]]
        write_state(g, r, scratch[i : i + 1], rows[i], cards[i], dice[i])


@jit
def write_outcomes(games: Games, results: Results, outcomes: Array, tables: Array) -> None:
    """Write the outcomes of the last hands that ended at these tables, record by record."""
    for i in range(len(tables)):
        table = tables[i]
        r = games.rules[results.final_rule_of[table]]
        write_outcome(results.final_games[table], r, outcomes[i])


# Stepping.

PREFETCH_DISTANCE: Final = 2
"""A table is prefetched this many tables before it is stepped. 2 is the fastest of 1 to 8."""


@inlined
def is_legal_action(legal: int, action: int) -> bool:
    """Say whether a number is one of the legal actions, given as bits."""
    return 0 <= action < 63 and legal >> action & 1 == 1


@jit
def first_illegal(legal: Array, tables: Array, actions: Array) -> int:
    """Return the index of the first action that is not legal, or -1."""
    for i in range(len(tables)):
        action = actions[i]
        if not is_legal_action(legal[tables[i]], action):
            return i
    return -1


@jit
def write_illegal(legal: Array, illegal: Array, tables: Array, actions: Array) -> None:
    """Write for these tables whether an action is not legal."""
    for i in range(len(tables)):
        illegal[tables[i]] = not is_legal_action(legal[tables[i]], actions[i])


@jit
def first_stopped(turns: Turns, tables: Array) -> int:
    """Return the index of the first table where nobody is to act, or -1."""
    for i in range(len(tables)):
        if turns.seats[tables[i]] < 0:
            return i
    return -1


@jit
def first_without_result(results: Results, tables: Array) -> int:
    """Return the index of the first table where no hand has ended yet, or -1."""
    for i in range(len(tables)):
        if results.final_games[tables[i]].num_players == 0:
            return i
    return -1


@jit
def first_start_without_decision(games: Games, turns: Turns, tables: Array) -> int:
    """Return the index of the first table whose episode began without a decision, or -1."""
    for i in range(len(tables)):
        if turns.seats[tables[i]] < 0 and games.records[tables[i]].hand_number == 0:
            return i
    return -1


@jit
def pack_moves(games: Games, tables: Array, actions: Array, moves: Array) -> None:
    """Write the moves that legal actions mean, as ``pack_action`` packs them."""
    for i in range(len(tables)):
        moves[i] = pack_action(games, tables[i], int(actions[i]))


@inlined
def pack_action(games: Games, table: int, action: int) -> int:
    """Return the move that a legal action means, as ``pack_move`` packs it; a raise with its total.

    The total is in the lowest bits.
    """
    g = games.records[table]
    move = pack_move(g, action)
    if action >= FIRST_BET_ACTION:
        r = games.rules[games.rule_of[table]]
        move |= raise_total(g, r, action - FIRST_BET_ACTION, games.bet_sizes[0])
    return move


@inlined
def play_turn(
    games: Games,
    turns: Turns,
    results: Results,
    starts: Starts,
    autoreset: bool,
    table: int,
    action: int,
) -> None:
    """Play a legal action at a table; with ``autoreset``, deal the next hand if this one ends.

    A driver calls ``write_forms`` afterwards, once it has played all that it plays there.
    """
    g = games.records[table]
    r = games.rules[games.rule_of[table]]
    if len(turns.tokens) > 0:
        play_and_log(g, r, action, games.bet_sizes[0], turns.sequences, table)
    else:
        play_action(g, r, action, games.bet_sizes[0])
    if g.phase == OVER:
        record_result(games, turns.sequences, results, table)
        if autoreset:
            deal_until_decision(games, turns.sequences, results, starts, table)
            write_drawn_rules(games, turns, starts, table)
    write_turn(games, turns, table)


@inlined
def prefetch_later(games: Games, turns: Turns, tables: Array, i: int) -> None:
    """Prefetch a table that is stepped a little later than the one at index ``i``."""
    if i + PREFETCH_DISTANCE < len(tables):
        later = tables[i + PREFETCH_DISTANCE]
        # Probably as many players as here. Reading the number there would wait for the memory.
        players = int(games.records[tables[i]].num_players)
        prefetch_game(games.records[later], players)
        prefetch_row(turns.rows[later], players)


@jit
def step_tables(
    games: Games,
    turns: Turns,
    results: Results,
    starts: Starts,
    autoreset: bool,
    tables: Array,
    actions: Array,
) -> None:
    """Play one legal action at each of these tables, as ``play_turn`` does, and write all forms."""
    for i in range(len(tables)):
        prefetch_later(games, turns, tables, i)
        play_turn(games, turns, results, starts, autoreset, tables[i], actions[i])
        write_forms(games, turns, tables[i])
