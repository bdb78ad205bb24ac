"""The token form of observation: what each seat has been told of its hand, in order.

A sequence of small integers tells a seat what happened (``observation.vocabulary``). Nothing is
ever written anew: what happens goes into the log of its table, and a seat's sequence
catches up with the log when it is read. So a complete sequence is perfect recall: two of
them are equal only if the seats have seen the same.

What is not in a sequence follows from it by the rules: who is to act, what a call or a fee costs,
when the draw pile runs out.
"""

from __future__ import annotations

from typing import Final, NamedTuple

import numpy as np

from sabacc_env.engine.bit_sets import count, lowest, next_seat
from sabacc_env.engine.dice import doubles_effect
from sabacc_env.engine.jit import inlined, jit
from sabacc_env.engine.layout import (
    BUY_DISCARD,
    DISCARD_DRAW,
    DISCARD_DRAWN,
    DRAW,
    JUNK,
    MAX_SEATS,
    NUM_CARDS,
    RAISE,
    REDRAW,
    REDRAW_ALL,
    REPLACE,
    REPLACE_SPIKE,
    SWAP,
    Array,
    Record,
)
from sabacc_env.engine.observation.vocabulary import (
    CREDITS,
    DEALER,
    DICE,
    DIGIT,
    FACE_UP,
    HANDS_LEFT,
    MAX_RUN,
    MOVE,
    NUMBER_BASE,
    OWN_CARD,
    PAD,
    REDRAWS_HAND,
    RESHUFFLE,
    SABACC_POT,
    SMALLEST,
    SPIKE_CARD,
    START,
    TAKEN,
    TRUNCATED,
    VOCABULARY_SIZE,
)
from sabacc_env.engine.piles import hand_mask
from sabacc_env.engine.step import (
    advance_once,
    begin_first_phase,
    deal_cards,
    pack_move,
    play_code,
)

MAX_LOGGED: Final = 256
ROOM_FROM: Final = 64
"""A log that holds more is emptied first. A deal or a phase logs fewer than 192 entries."""

LOG_DTYPE: Final = np.dtype(
    (
        np.record,
        [
            # What was so when it was last logged.
            ("hands", "i8", (MAX_SEATS,)),  # the cards of each seat
            ("spikes", "i8", (MAX_SEATS,)),
            ("drawn", "i8"),
            ("num_discards", "i8"),
            ("rolls", "i8"),
            ("reshuffles", "i8"),
            ("run", "i8"),  # how many smallest raises the last moves were, at most MAX_RUN
            # What happened, as ``log`` packs it, and how much of it each sequence has.
            ("num_entries", "i8"),
            ("num_read", "i8", (MAX_SEATS,)),
            ("entries", "i4", (MAX_LOGGED,)),
        ],
    )
)
"""What has happened at a table and is not yet in the sequences of all its seats."""


class Sequences(NamedTuple):
    """The sequences of all seats of some tables; (0, ...) where none are wanted.

    Each table has two sets of them, one for the hand in play and one for the last hand that ended.
    """

    tokens: Array  # (n, 2, seats, length) int16, ``PAD`` after the last token
    lengths: Array  # (n, 2, seats) int64, how many tokens of each there are
    logs: Array  # (n, 2) LOG_DTYPE
    current: Array  # (n,) int64, which of the two is of the hand in play


def empty_sequences(num_tables: int, num_players: int, length: int) -> Sequences:
    """Return sequences of this length for tables at which nothing has been dealt yet."""
    return Sequences(
        tokens=np.zeros((num_tables, 2, num_players, length), np.int16),
        lengths=np.zeros((num_tables, 2, num_players), np.int64),
        logs=np.zeros((num_tables, 2), LOG_DTYPE),
        current=np.zeros(num_tables, np.int64),
    )


# Sequences.


@jit
def drop_earliest(sequence: Array) -> None:
    """Drop the earliest token after the first of a full sequence, and say so in the first."""
    sequence[0] = TRUNCATED
    for place in range(1, len(sequence) - 1):
        sequence[place] = sequence[place + 1]


@jit
def catch_up(
    sequence: Array, lengths: Array, entries: Record, observer: int, num_players: int
) -> None:
    """Append to a seat's sequence what it has been told since the last time.

    ``lengths`` are those of all seats of the hand.
    """
    size = len(sequence)
    length = int(lengths[observer])
    for index in range(int(entries.num_read[observer]), int(entries.num_entries)):
        entry = int(entries.entries[index & (MAX_LOGGED - 1)])
        owner, seat, token = entry >> 24, entry >> 16 & 255, entry & 0xFFFF
        if owner == 0 or owner == observer + 1:
            after = seat - 1 - observer
            after += num_players if after < 0 else 0
            token += after if seat != 0 else 0
            if SMALLEST < token < SMALLEST + MAX_RUN and length > 0:
                length -= 1  # one more of a run: it replaces the number before
            elif length == size:
                drop_earliest(sequence)
                length -= 1
            sequence[length & 0xFFFF] = token
            length += 1
    lengths[observer] = length
    entries.num_read[observer] = entries.num_entries


@inlined
def read_tokens(
    sequences: Sequences, table: int, which: int, observer: int, num_players: int, row: Array
) -> None:
    """Copy the sequence of a seat, brought up to date, into a row that holds another one."""
    sequence = sequences.tokens[table, which, observer]
    lengths = sequences.lengths[table, which]
    catch_up(sequence, lengths, sequences.logs[table, which], observer, num_players)
    copy_tokens(sequence, int(lengths[observer]), row)


@jit
def copy_tokens(sequence: Array, length: int, row: Array) -> None:
    """Copy so many tokens into a row, and pad it where it holds more."""
    for place in range(length):
        row[place] = sequence[place]
    while length < len(row) and row[length] != PAD:
        row[length] = PAD
        length += 1


@inlined
def make_room(sequences: Sequences, table: int, num_players: int) -> None:
    """Empty the log of a table if the next phase could overfill it."""
    which = sequences.current[table]
    entries = sequences.logs[table, which]
    if entries.num_entries > ROOM_FROM:
        for observer in range(num_players):
            sequence = sequences.tokens[table, which, observer]
            lengths = sequences.lengths[table, which]
            catch_up(sequence, lengths, entries, observer, num_players)
            entries.num_read[observer] = 0
        entries.num_entries = 0


@jit
def clear_sequences(sequences: Sequences, table: int, num_players: int) -> None:
    """Begin the sequences of a new hand."""
    which = sequences.current[table]
    entries = sequences.logs[table, which]
    entries.num_entries = 0
    for observer in range(num_players):
        entries.num_read[observer] = 0
        for place in range(int(sequences.lengths[table, which, observer])):
            sequences.tokens[table, which, observer, place] = PAD
        sequences.lengths[table, which, observer] = 0


@inlined
def keep_sequences(sequences: Sequences, table: int) -> None:
    """Keep the sequences of a hand that has ended, and write those of the next elsewhere."""
    sequences.current[table] = 1 - sequences.current[table]


# The log.


@inlined
def log(entries: Record, token: int) -> None:
    """Log a token for all seats."""
    entries.entries[int(entries.num_entries)] = token
    entries.num_entries = int(entries.num_entries) + 1


@inlined
def log_seat(entries: Record, token: int, seat: int) -> None:
    """Log the token of a seat, for all seats; ``token`` is that of the observer's own seat."""
    log(entries, (seat + 1) << 16 | token)


@jit
def log_number(entries: Record, number: int) -> None:
    """Log a number for all seats, the highest digit first."""
    place = 1
    while number // place >= NUMBER_BASE:
        place *= NUMBER_BASE
    while place > 0:
        log(entries, DIGIT + number // place % NUMBER_BASE)
        place //= NUMBER_BASE


@jit
def log_own_cards(entries: Record, seat: int, cards: int) -> None:
    """Log a set of cards that a seat gets, for that seat alone, in ascending id."""
    while cards != 0:
        log(entries, (seat + 1) << 24 | OWN_CARD + lowest(cards))
        cards &= cards - 1


@jit
def log_face_up(entries: Record, cards: int) -> None:
    """Log a set of cards that everyone sees, in ascending id."""
    while cards != 0:
        log(entries, FACE_UP + lowest(cards))
        cards &= cards - 1


# What happens in a hand.


@jit
def log_deal(g: Record, r: Record, entries: Record) -> None:
    """Log a deal, and what the hand starts from where the rules alone do not say it."""
    num_players = int(g.num_players)
    log(entries, START)
    if g.hands > 1:
        log(entries, HANDS_LEFT)
        log_number(entries, int(g.hands) - int(g.hand_number))
    if r.points == 0:
        if g.sabacc_pot != count(int(g.seated)) * int(r.sabacc_ante):
            log(entries, SABACC_POT)
            log_number(entries, int(g.sabacc_pot))
        for seat in range(num_players):
            credits = int(g.credits_before[seat])
            if credits != int(1 / r.per_start[seat] + 0.5):
                log_seat(entries, CREDITS, seat)
                log_number(entries, credits)
    log_seat(entries, DEALER, int(g.dealer))
    for seat in range(num_players):
        entries.hands[seat] = hand_mask(g, seat)
        entries.spikes[seat] = -1
        log_own_cards(entries, seat, int(entries.hands[seat]))
    if r.turns_up == 1:
        log(entries, FACE_UP + int(g.discards[int(g.num_discards) - 1]))
    entries.drawn = -1
    entries.rolls = 0
    entries.reshuffles = 0
    entries.run = 0
    log_piles(g, entries)


@inlined
def log_piles(g: Record, entries: Record) -> None:
    """Log that the discard pile was reshuffled, if it was."""
    entries.num_discards = g.num_discards
    if g.reshuffles != entries.reshuffles:
        entries.reshuffles = g.reshuffles
        log(entries, RESHUFFLE)


@jit
def log_raise(g: Record, r: Record, entries: Record, seat: int, before: int) -> None:
    """Log a raise that has just been played over the highest bet before.

    Agents may raise each other by the least for hundreds of moves. Who raises in such a run, and to
    what, follows from the rules, so that the run is written as one number, which counts up.
    """
    total = int(g.paid)
    if total - before != (r.min_raise if before > 0 else r.min_bet):
        entries.run = 0
    else:
        entries.run = int(entries.run) % MAX_RUN + 1
    if entries.run <= 1:
        log_seat(entries, MOVE + MAX_SEATS * RAISE, seat)
    if entries.run > 0:
        log(entries, SMALLEST + int(entries.run) - 1)
    else:
        log_number(entries, total)


@jit
def log_move(g: Record, r: Record, entries: Record, move: int) -> None:
    """Log a move that has just been played, as ``pack_move`` packed it, and what it showed."""
    seat, kind, card = move >> 40, move >> 32 & 255, move & 255
    taken = move >> 8 & 255
    entries.run = 0
    log_seat(entries, MOVE + MAX_SEATS * kind, seat)
    if taken != 0:
        log(entries, TAKEN)
        log(entries, FACE_UP + taken - 1)
    if kind in (DISCARD_DRAW, SWAP, REDRAW, REPLACE):
        log(entries, FACE_UP + card)
    elif kind == DISCARD_DRAWN:
        log(entries, FACE_UP + int(entries.drawn))
    elif kind == REPLACE_SPIKE:
        log(entries, FACE_UP + int(entries.spikes[seat]))
        log_spike_card(g, entries, seat)
    elif kind == BUY_DISCARD and entries.num_discards == 1:  # another card was turned up (D18)
        log(entries, FACE_UP + int(g.discards[int(g.num_discards) - 1]))
    elif kind == JUNK and r.junk_face_up == 1:
        log_face_up(entries, logged_cards(entries, seat, True))
    hand = hand_mask(g, seat)
    if kind in (DRAW, DISCARD_DRAW, REDRAW):
        drawn = 1 << int(g.drawn) if g.drawn >= 0 else hand & ~int(entries.hands[seat])
        log_own_cards(entries, seat, drawn)
    entries.hands[seat] = hand
    entries.spikes[seat] = g.spikes[seat]
    entries.drawn = g.drawn
    log_piles(g, entries)


@inlined
def logged_cards(entries: Record, seat: int, spike_too: bool) -> int:
    """Return the cards that a seat held when something was last logged, as a set."""
    cards = int(entries.hands[seat])
    if spike_too and entries.spikes[seat] >= 0:
        cards |= 1 << int(entries.spikes[seat])
    return cards


@jit
def log_spike_card(g: Record, entries: Record, seat: int) -> None:
    """Log the Spike Card that a seat has got."""
    entries.spikes[seat] = g.spikes[seat]
    log_seat(entries, SPIKE_CARD, seat)
    log(entries, FACE_UP + int(g.spikes[seat]))


@jit
def log_chance(g: Record, r: Record, entries: Record) -> None:
    """Log what a new phase or the end of a round has brought: dice, or Spike Cards."""
    if g.rolls != entries.rolls:
        entries.rolls = g.rolls
        index = int(g.rolls) - 1
        first, second = int(g.dice[index, 0]), int(g.dice[index, 1])
        log(entries, DICE + 6 * (first - 1) + second - 1)
        if doubles_effect(g, r) == REDRAW_ALL:
            log_redraws(g, entries, r.spike_card == 1 and first == 1)
    elif r.spike_card == 1:
        log_dealt_spike_cards(g, entries)
    log_piles(g, entries)


@jit
def log_redraws(g: Record, entries: Record, spike_too: bool) -> None:
    """Log that each seat in turn has discarded its hand and drawn another (RULES.md, D4, D14)."""
    waiting = int(g.remaining)
    seat = int(g.dealer)
    while waiting != 0:
        seat = next_seat(waiting, seat)
        waiting &= ~(1 << seat)
        log_seat(entries, REDRAWS_HAND, seat)
        log_face_up(entries, logged_cards(entries, seat, spike_too))
        entries.hands[seat] = hand_mask(g, seat)
        log_own_cards(entries, seat, int(entries.hands[seat]))
        if spike_too:
            log_spike_card(g, entries, seat)


@jit
def log_dealt_spike_cards(g: Record, entries: Record) -> None:
    """Log the Spike Cards that have just been dealt, if any."""
    waiting = int(g.remaining)
    seat = int(g.dealer)
    while waiting != 0:
        seat = next_seat(waiting, seat)
        waiting &= ~(1 << seat)
        if entries.spikes[seat] < 0 and g.spikes[seat] >= 0:
            log_spike_card(g, entries, seat)


# Playing.


@inlined
def current_log(sequences: Sequences, table: int) -> Record:
    """Return the log of the hand in play."""
    return sequences.logs[table, sequences.current[table]]


@jit
def deal_and_log(g: Record, r: Record, sequences: Sequences, table: int) -> None:
    """Deal as ``step.deal`` does, and begin the sequences."""
    deal_cards(g, r)
    clear_sequences(sequences, table, int(g.num_players))
    log_deal(g, r, current_log(sequences, table))
    begin_first_phase(g, r)
    make_room(sequences, table, int(g.num_players))
    log_chance(g, r, current_log(sequences, table))
    advance_and_log(g, r, sequences, table)


@jit
def play_and_log(
    g: Record, r: Record, code: int, sizes: Record, sequences: Sequences, table: int
) -> None:
    """Play a legal code as ``step.play_action`` does, and log what happens."""
    make_room(sequences, table, int(g.num_players))
    move, highest_bet = pack_move(g, code), int(g.highest_bet)
    play_code(g, r, code, sizes)
    entries = current_log(sequences, table)
    if move >> 32 & 255 == RAISE:
        log_raise(g, r, entries, move >> 40, highest_bet)
    else:
        log_move(g, r, entries, move)
    advance_and_log(g, r, sequences, table)


@inlined
def advance_and_log(g: Record, r: Record, sequences: Sequences, table: int) -> None:
    """Go on as ``step.advance`` does, and log what happens."""
    while not advance_once(g, r):
        make_room(sequences, table, int(g.num_players))
        log_chance(g, r, current_log(sequences, table))


# Loading.


def are_sequences(sequences: Sequences) -> bool:
    """Say whether arrays, which may come from a damaged file, lead no compiled code astray."""
    logs, seats = sequences.logs, sequences.tokens.shape[2]
    limits = (
        (sequences.tokens, 0, VOCABULARY_SIZE - 1),
        (sequences.lengths, 0, sequences.tokens.shape[3]),
        (sequences.current, 0, 1),
        (logs["num_entries"], 0, MAX_LOGGED),
        (logs["num_read"], 0, logs["num_entries"][..., None]),
        (logs["spikes"], -1, NUM_CARDS - 1),
        (logs["run"], 0, MAX_RUN),
        (logs["entries"] & 0xFFFF, 0, VOCABULARY_SIZE - 1),
        (logs["entries"] >> 16 & 255, 0, seats),
        (logs["entries"] >> 24, 0, seats),
    )
    return all(bool(((low <= values) & (values <= high)).all()) for values, low, high in limits)
