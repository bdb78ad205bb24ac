"""The compiled batch: tables stepped, restarted and shown in place.

Arrays hold one entry a table. ``which`` are the tables meant, so that threads share the arrays; a
GPU calls the same functions for one table in each of its threads.
Everything a user can get wrong is checked before, in ``Tables``.
"""

from __future__ import annotations

from typing import Final, NamedTuple

from sabacc_env.engine.chance import dealer_of, hand_key, roll
from sabacc_env.engine.drivers.prefetch import fetch_game, fetch_row
from sabacc_env.engine.drivers.results import put_ending, put_mask
from sabacc_env.engine.jit import inlined, jit
from sabacc_env.engine.layout import (
    FIRST_BET_ACTION,
    NOTHING,
    OVER,
    SHOWN_ROUNDS,
    Array,
    Record,
)
from sabacc_env.engine.observation.blocks import OBSERVATION_SIZE, PACKED_SCALES
from sabacc_env.engine.observation.encoding import CARD_CODES, flag
from sabacc_env.engine.observation.write import observe_play, observe_rules, put_own_cards
from sabacc_env.engine.piles import pop_draw_pile
from sabacc_env.engine.step import (
    able_seats,
    deal,
    describe,
    legal_actions,
    play_action,
    raise_total,
    reset_hand,
)


class Played(NamedTuple):
    """What is played: hands, the rules of each, and what its bet actions mean."""

    games: Array  # (n,) GAME_DTYPE
    rules: Array  # (m,) RULES_DTYPE
    rule_of: Array  # (n,) int64: which rules a table plays
    bet_sizes: Array  # (1,) BET_SIZES_DTYPE


class Shown(NamedTuple):
    """What the seats to act see and may do."""

    seats: Array  # (n,) int64
    legal: Array  # (n,) int64, bits
    masks: Array  # (n, num_actions) int8
    rows: Array  # (n,) OBSERVATION_DTYPE
    floats: Array  # (n, OBSERVATION_SIZE) float32, the same memory
    packed: Array  # (n, OBSERVATION_SIZE) int8; (0, OBSERVATION_SIZE) where it is not asked for


class Ended(NamedTuple):
    """What the last step ended."""

    finished: Array  # (n,) bool: a hand
    match_finished: Array  # (n,) bool: its episode too
    net: Array  # (n, MAX_SEATS) int64, net credits
    finals: Array  # (n,) GAME_DTYPE, the last hand that ended
    hand_counts: Array  # (n,) int64, hands ended so far


class Start(NamedTuple):
    """What hands and episodes start from; keys and dealers are empty unless given."""

    seed: Array  # (2,) int64: low and high word
    keys: Array  # (n or 0, 2) int64
    dealers: Array  # (n or 0,) int64
    credits: Array  # (n, MAX_SEATS) int64
    sabacc_pots: Array  # (n,) int64


# Hands that begin and end.


@inlined
def begin_hand(g: Record, r: Record, start: Start, table: int, hand_count: int, new: bool) -> None:
    """Deal the next hand of an episode, or the first of a new one."""
    if len(start.keys) > 0:
        key_low, key_high = start.keys[table, 0], start.keys[table, 1]
    else:
        key_low, key_high = hand_key(start.seed[0], start.seed[1], table, hand_count)
    dealer = int(g.dealer) + 1
    if new:
        g.hand_number = 0
        for seat in range(int(g.num_players)):
            g.credits[seat] = start.credits[table, seat]
        g.sabacc_pot = start.sabacc_pots[table]
        if len(start.dealers) > 0:
            dealer = start.dealers[table]
        else:
            dealer = dealer_of(key_low, key_high, int(g.num_players))
    reset_hand(g, r, key_low, key_high, dealer)
    deal(g, r)


@jit
def begin_episodes(played: Played, shown: Shown, ended: Ended, start: Start, which: Array) -> None:
    """Deal the first hand of an episode at these tables, and show them."""
    for i in range(len(which)):
        table = which[i]
        g = played.games[table]
        r = played.rules[played.rule_of[table]]
        begin_hand(g, r, start, table, ended.hand_counts[table], True)
        show_table(played, shown, table)


@inlined
def note_end(g: Record, ended: Ended, table: int) -> None:
    """Keep a hand that is over; hands that end in one step add up."""
    ended.finished[table] = True
    ended.hand_counts[table] += 1
    ended.finals[table] = g
    for seat in range(int(g.num_players)):
        ended.net[table, seat] += g.net_credits[seat]


@jit
def match_is_over(g: Record, r: Record) -> bool:
    """Say whether the hand that has just ended was the last of its episode."""
    able = able_seats(g, r)
    return int(g.hand_number) + 1 >= g.hands or able & (able - 1) == 0


@jit
def match_ends(played: Played, which: Array, over: Array) -> None:
    """Write for each of these tables whether its last hand was the last of its episode."""
    for i in range(len(which)):
        table = which[i]
        over[i] = match_is_over(played.games[table], played.rules[played.rule_of[table]])


@inlined
def next_hand(played: Played, ended: Ended, start: Start, table: int) -> bool:
    """Deal once where a hand has ended; return whether that began a new episode.

    A hand in which the antes took all credits may end at its deal: it counts here too.
    """
    g = played.games[table]
    r = played.rules[played.rule_of[table]]
    new = match_is_over(g, r)
    g.hand_number = int(g.hand_number) + 1
    if new:
        ended.match_finished[table] = True
    begin_hand(g, r, start, table, ended.hand_counts[table], new)
    if g.phase == OVER and not new:
        note_end(g, ended, table)
    return new


@inlined
def deal_on(played: Played, ended: Ended, start: Start, table: int) -> None:
    """Deal where a hand has ended, until there is a decision.

    An episode whose first hand ends at its deal would go on for ever: it is left over, and
    ``Tables`` refuses it.
    """
    new = False
    while played.games[table].phase == OVER and not new:
        new = next_hand(played, ended, start, table)


@jit
def next_hands(played: Played, shown: Shown, ended: Ended, start: Start, which: Array) -> None:
    """Deal once at tables whose hand has ended, and show them."""
    for i in range(len(which)):
        next_hand(played, ended, start, which[i])
        show_turn(played, shown, which[i])


# Showing.


@inlined
def show_table(played: Played, shown: Shown, table: int) -> None:
    """Write all that the seat to act sees and may do."""
    observe_rules(played.games[table], played.rules[played.rule_of[table]], shown.rows[table])
    show_turn(played, shown, table)


@jit
def show_tables(played: Played, shown: Shown, which: Array) -> None:
    """Write what the seats to act see and may do at these tables."""
    for i in range(len(which)):
        show_table(played, shown, which[i])


@inlined
def show_turn(played: Played, shown: Shown, table: int) -> None:
    """Write what the seat to act sees and may do; what never changes at a table stands there."""
    g = played.games[table]
    r = played.rules[played.rule_of[table]]
    seat = int(g.seat_to_act)
    bits = legal_actions(g, r, played.bet_sizes[0])
    shown.seats[table] = seat
    shown.legal[table] = bits
    if seat < 0:
        return
    put_mask(bits, shown.masks[table])
    observe_play(g, r, seat, shown.rows[table])
    if len(shown.packed) > 0:
        for feature in range(OBSERVATION_SIZE):
            value = shown.floats[table, feature] * PACKED_SCALES[feature]
            shown.packed[table, feature] = round(value)


@jit
def observe_finals(played: Played, ended: Ended, seats: Array, rows: Array, which: Array) -> None:
    """Write what seats see of the last hands that ended at these tables, row by row."""
    for i in range(len(which)):
        g = ended.finals[which[i]]
        r = played.rules[played.rule_of[which[i]]]
        observe_rules(g, r, rows[i])
        observe_play(g, r, seats[i], rows[i])


@jit
def observe_opponents(played: Played, shown: Shown, hands: Array, which: Array) -> None:
    """Write the hands of the opponents of the seats to act, in order of play, as each sees its own.

    ``hands`` are (n, seats - 1) of ``HAND_DTYPE``; those of absent seats are left as they are.
    """
    for i in range(len(which)):
        g = played.games[which[i]]
        r = played.rules[played.rule_of[which[i]]]
        num_players = int(g.num_players)
        for after in range(num_players - 1):
            seat = (shown.seats[which[i]] + after + 1) % num_players
            put_own_cards(g, r, seat, hands[i, after])


COMING_CARDS: Final = 6
COMING_SIZE: Final = COMING_CARDS + 2 * SHOWN_ROUNDS
"""What is to come: the next cards, then of each round whether doubles and whether Spikes come."""


@jit
def observe_coming(played: Played, coming: Array, scratch: Array, which: Array) -> None:
    """Write what chance has in store at these tables, row by row; zeros where nothing is left.

    ``coming`` are (n, COMING_SIZE) float32, zeros; ``scratch`` (n,) GAME_DTYPE, of which the first
    is worked in.
    """
    for i in range(len(which)):
        g = scratch[0]
        scratch[0] = played.games[which[i]]
        r = played.rules[played.rule_of[which[i]]]
        for card in range(min(COMING_CARDS, int(g.deck_size) - int(g.deck_next))):
            coming[i, card] = CARD_CODES[pop_draw_pile(g) & 63]
        if r.doubles == NOTHING and r.double_spike == NOTHING:
            continue
        for round_no in range(int(g.rolls), min(int(r.rounds), SHOWN_ROUNDS)):
            first, second = roll(int(g.key_low), int(g.key_high), round_no + 1)
            coming[i, COMING_CARDS + round_no] = flag(first == second)
            coming[i, COMING_CARDS + SHOWN_ROUNDS + round_no] = flag(first == second == 1)


@jit
def put_endings(played: Played, ended: Ended, endings: Array, which: Array) -> None:
    """Write how the last hands that ended at these tables did, record by record."""
    for i in range(len(which)):
        table = which[i]
        put_ending(ended.finals[table], played.rules[played.rule_of[table]], endings[i])


# Stepping.

AHEAD: Final = 2
"""Fetching as many tables before they are stepped was the fastest, of 1 to 8."""


@inlined
def is_among(legal: int, action: int) -> bool:
    """Say whether a number is one of the legal actions, given as bits."""
    return 0 <= action < 63 and legal >> action & 1 == 1


@jit
def first_illegal(legal: Array, which: Array, actions: Array) -> int:
    """Return the index of the first action that is not legal, or -1."""
    for i in range(len(which)):
        action = actions[i]
        if not is_among(legal[which[i]], action):
            return i
    return -1


@jit
def first_stopped(shown: Shown, which: Array) -> int:
    """Return the index of the first table where nobody is to act, or -1."""
    for i in range(len(which)):
        if shown.seats[which[i]] < 0:
            return i
    return -1


@jit
def first_unended(ended: Ended, which: Array) -> int:
    """Return the index of the first table where no hand has ended yet, or -1."""
    for i in range(len(which)):
        if ended.finals[which[i]].num_players == 0:
            return i
    return -1


@jit
def first_dead_start(played: Played, shown: Shown, which: Array) -> int:
    """Return the index of the first table whose episode began without a decision, or -1."""
    for i in range(len(which)):
        if shown.seats[which[i]] < 0 and played.games[which[i]].hand_number == 0:
            return i
    return -1


@jit
def describe_actions(played: Played, which: Array, actions: Array, moves: Array) -> None:
    """Write what legal actions are that are not played yet, as ``describe`` packs them.

    A raise has its total in the lowest bits.
    """
    for i in range(len(which)):
        g = played.games[which[i]]
        action = int(actions[i])
        moves[i] = describe(g, action)
        if action >= FIRST_BET_ACTION:
            r = played.rules[played.rule_of[which[i]]]
            moves[i] |= raise_total(g, r, action - FIRST_BET_ACTION, played.bet_sizes[0])


@inlined
def play_turn(
    played: Played,
    shown: Shown,
    ended: Ended,
    start: Start,
    at_once: bool,
    table: int,
    action: int,
) -> None:
    """Play a legal action at a table; where its hand ends deal on at once, or leave that."""
    g = played.games[table]
    play_action(g, played.rules[played.rule_of[table]], action, played.bet_sizes[0])
    if g.phase == OVER:
        note_end(g, ended, table)
        if at_once:
            deal_on(played, ended, start, table)
    show_turn(played, shown, table)


@jit
def step_tables(
    played: Played,
    shown: Shown,
    ended: Ended,
    start: Start,
    at_once: bool,
    which: Array,
    actions: Array,
) -> None:
    """Play one legal action at each of these tables, as ``play_turn`` does."""
    for i in range(len(which)):
        if i + AHEAD < len(which):
            later = which[i + AHEAD]
            # As many players as here, probably: to look would be to wait.
            players = int(played.games[which[i]].num_players)
            fetch_game(played.games[later], players)
            fetch_row(shown.rows[later], players)
        play_turn(played, shown, ended, start, at_once, which[i], actions[i])
