"""The observation: what a seat may know, as one row of float32 features.

``features.py`` says what every feature is and where its block begins. The row has one width for 2
to 8 players: opponents are in order of play after the observing seat.
"""

from typing import Final

import numpy as np

from sabacc_env.engine.bets import to_call
from sabacc_env.engine.cards import VALUES
from sabacc_env.engine.codes import (
    CARD_CODES,
    FIFTHS,
    KIND_CODES,
    SEAT_CODES,
    SIXTHS,
    SUIT_CODES,
    THIRD,
    THIRDS,
    ratio,
)
from sabacc_env.engine.features import OPPONENT_FEATURES, SHOWN_ROUNDS
from sabacc_env.engine.jit import jit
from sabacc_env.engine.layout import (
    BETTING,
    CARDS,
    DICE,
    LOG_FEATURES,
    LOG_LENGTH,
    MAX_HAND,
    MAX_SEATS,
    NUM_CARDS,
    NUM_RULE_FEATURES,
    UNLIMITED,
    Record,
)
from sabacc_env.engine.ranking import (
    KEY_SHIFT,
    LOWEST_PLACE,
    PLACE_SHIFT,
    hand_place,
    hand_total,
)

NOTHING: Final = np.float32(0)
FIRST_SUIT: Final = 0xFFFFF


@jit
def observe(g: Record, r: Record, seat: int, out: Record) -> None:
    """Write the observation of a seat into a row of ``OBSERVATION_SIZE`` float32."""
    observe_rules(g, r, out)
    observe_play(g, r, seat, out)


@jit
def observe_rules(g: Record, r: Record, out: Record) -> None:
    """Write what never changes at a table: its rules; zeros for values and seats it lacks."""
    for index in range(NUM_RULE_FEATURES):
        out.rules[index] = r.features[index]
    for index in range(OPPONENT_FEATURES * (int(g.num_players) - 1), len(out.opponents)):
        out.opponents[index] = 0.0
    for value in range(int(r.highest_value) + 1, 11):
        out.seen_values[10 + value] = 0.0
        out.seen_values[10 - value] = 0.0


@jit
def observe_play(g: Record, r: Record, seat: int, out: Record) -> None:
    """Write all the rest, into a row where ``observe_rules`` has been."""
    put_own_cards(g, r, seat, out)
    put_own_stakes(g, r, seat, out)
    put_course(g, seat, out)
    put_betting(g, r, seat, out)
    num_players = int(g.num_players)
    for after in range(1, num_players):
        other = seat + after
        other -= num_players if other >= num_players else 0
        put_opponent(g, r, other, out, after - 1)
    put_log(g, r, seat, out)


@jit
def put_own_cards(g: Record, r: Record, seat: int, out: Record) -> None:
    """Write what the seat holds, what it would rank, and the cards that it has seen."""
    for index in range(len(out.own_values)):
        out.own_values[index] = 0.0
    known = int(g.known[seat])
    for slot in range(MAX_HAND):
        card = int(g.cards[seat, slot]) & 63  # 63 for none
        out.own_values[10 + int(VALUES[card])] += THIRD if card < NUM_CARDS else NOTHING
        out.own_slots[3 * slot] = CARD_CODES[card]
        out.own_slots[3 * slot + 1] = SUIT_CODES[card]
        out.own_slots[3 * slot + 2] = known >> card & 1
    count = int(g.num_cards[seat])
    spike = int(g.spikes[seat])
    if count > 0:
        total = hand_total(g.cards[seat], spike)
        strength = hand_place(int(r.ranking), g.cards[seat], count, spike)
        out.own_total[0] = total / 10
        out.own_total[1] = 1.0 if total == 0 else 0.0
        out.own_total[2] = 1.0 if total > 0 else 0.0
        out.own_rank[0] = (strength >> PLACE_SHIFT) / LOWEST_PLACE
        out.own_rank[1] = (strength >> KEY_SHIFT & 63) / 63
    else:
        for index in range(3):
            out.own_total[index] = 0.0
        for index in range(2):
            out.own_rank[index] = 0.0
    out.own_spike[0] = CARD_CODES[spike & 63]
    out.drawn[0] = CARD_CODES[int(g.drawn) & 63] if g.seat_to_act == seat else 0.0
    top = int(g.num_discards) - 1
    out.discard_top[0] = CARD_CODES[int(g.discards[top]) & 63] if top >= 0 else 0.0
    put_seen_values(int(g.seen_by_all) | int(g.seen_by[seat]), int(r.highest_value), out)
    out.draw_pile[0] = (int(g.deck_size) - int(g.deck_next)) / 62


@jit
def put_seen_values(cards: int, highest: int, out: Record) -> None:
    """Write how many cards of a set have each value from -10 to +10, in thirds."""
    ones = cards & FIRST_SUIT
    twos = cards >> 20 & FIRST_SUIT
    fours = cards >> 40 & FIRST_SUIT
    odd = ones ^ twos ^ fours
    many = (ones & twos) | (ones & fours) | (twos & fours)
    for rank in range(highest):
        out.seen_values[11 + rank] = np.float32((odd >> rank & 1) + 2 * (many >> rank & 1)) * THIRD
    odd = odd >> 10
    many = many >> 10
    for rank in range(highest):
        out.seen_values[9 - rank] = np.float32((odd >> rank & 1) + 2 * (many >> rank & 1)) * THIRD
    out.seen_values[10] = THIRDS[(cards >> 60 & 1) + (cards >> 61 & 1)]


@jit
def put_own_stakes(g: Record, r: Record, seat: int, out: Record) -> None:
    """Write the seat's own credits and bets."""
    credits_left = int(g.credits[seat])
    start = int(r.starting_credits[seat])
    staked = int(g.staked)
    out.own_stakes[0] = ratio(credits_left, start, 4)
    out.own_stakes[1] = ratio(credits_left, staked, 4)
    out.own_stakes[2] = ratio(int(g.bet_phase[seat]), staked, 1)
    out.own_stakes[3] = ratio(int(g.bet_hand[seat]), start, 4)


@jit
def put_course(g: Record, seat: int, out: Record) -> None:
    """Write round, phase, dice, position and the like."""
    round_no = int(g.round_no)
    for index in range(5):
        out.round_no[index] = 0.0
    out.round_no[min(round_no, 4)] = 1.0
    phase = int(g.phase)
    deciding = g.drawn >= 0
    out.phase[0] = 1.0 if phase == CARDS and not deciding else 0.0
    out.phase[1] = 1.0 if phase == CARDS and deciding else 0.0
    out.phase[2] = 1.0 if phase == DICE else 0.0
    out.phase[3] = 1.0 if phase == BETTING else 0.0
    first = max(0, round_no - SHOWN_ROUNDS)
    for index in range(SHOWN_ROUNDS):
        rolled = first + index < g.rolls  # given dice lie there before
        out.dice[2 * index] = SIXTHS[int(g.dice[first + index, 0]) & 7] if rolled else 0.0
        out.dice[2 * index + 1] = SIXTHS[int(g.dice[first + index, 1]) & 7] if rolled else 0.0
    num_players = int(g.num_players)
    remaining = 0
    for other in range(MAX_SEATS):
        remaining += int(g.remaining) >> other & 1
    after = seat - int(g.dealer)
    out.table[0] = (after + num_players if after < 0 else after) / 8
    out.table[1] = 1.0 if after == 0 else 0.0
    out.table[2] = num_players / 8
    out.table[3] = remaining / 8
    out.table[4] = ratio(int(g.hands) - int(g.hand_number), 10, 1)


@jit
def put_betting(g: Record, r: Record, seat: int, out: Record) -> None:
    """Write what the bet and the pots are."""
    staked = int(g.staked)
    start = int(r.starting_credits[seat])
    credits_left = int(g.credits[seat])
    sabacc_pot = int(g.sabacc_pot)
    call = to_call(g, seat) if g.phase == BETTING and int(g.remaining) >> seat & 1 else 0
    out.betting[0] = ratio(call, staked, 4)
    out.betting[1] = ratio(call, start, 4)
    out.betting[2] = 1.0 if call > 0 else 0.0
    out.betting[3] = 1.0 if call > credits_left else 0.0
    left = int(r.max_raises) - int(g.raises)
    out.betting[4] = 1.0 if r.max_raises == UNLIMITED else ratio(left, 5, 1)
    out.betting[5] = ratio(staked, start, 4)
    out.betting[6] = ratio(sabacc_pot, staked, 4)
    out.betting[7] = ratio(sabacc_pot, start, 4)
    out.betting[8] = 1.0 if 4 * call > staked else 0.0
    out.betting[9] = 1.0 if 2 * call > staked else 0.0
    out.betting[10] = 1.0 if credits_left < staked else 0.0
    out.betting[11] = 1.0 if credits_left < 4 * staked else 0.0
    out.betting[12] = 1.0 if sabacc_pot > staked else 0.0


@jit
def put_opponent(g: Record, r: Record, other: int, out: Record, row: int) -> None:
    """Write what everyone may know of another seat, into a row of its block."""
    other &= 7
    i = OPPONENT_FEATURES * (row & 7)
    seated = int(g.seated) >> other & 1
    remains = int(g.remaining) >> other & 1
    start = int(r.starting_credits[other])
    credits_left = int(g.credits[other])
    out.opponents[i] = remains
    out.opponents[i + 1] = seated - remains
    out.opponents[i + 2] = 1 - seated
    out.opponents[i + 3] = (
        1.0 if remains and r.all_in == 1 and r.points == 0 and credits_left == 0 else 0.0
    )
    out.opponents[i + 4] = ratio(credits_left, start, 4)
    out.opponents[i + 5] = ratio(int(g.bet_phase[other]), int(g.staked), 1)
    out.opponents[i + 6] = ratio(int(g.bet_hand[other]), start, 4)
    out.opponents[i + 7] = FIFTHS[int(g.num_cards[other]) & 7]
    i += 8
    for index in range(MAX_HAND):
        out.opponents[i + index] = 0.0
    known = int(g.known[other])
    if known != 0:
        shown = 0
        for slot in range(int(g.num_cards[other])):
            card = int(g.cards[other, slot])
            if known >> card & 1:
                out.opponents[i + shown] = CARD_CODES[card & 63]
                shown += 1
    i += MAX_HAND
    out.opponents[i] = CARD_CODES[int(g.spikes[other]) & 63]
    last = int(g.last_action[other]) & 15
    for part in range(3):
        out.opponents[i + 1 + part] = KIND_CODES[last, part]
    i += 4
    first = max(0, int(g.round_no) - SHOWN_ROUNDS) & 7
    for index in range(SHOWN_ROUNDS):
        kind = int(g.card_action[other, first + index]) & 15
        out.opponents[i + 2 * index] = KIND_CODES[kind, 0]
        out.opponents[i + 2 * index + 1] = KIND_CODES[kind, 1]


@jit
def put_log(g: Record, r: Record, seat: int, out: Record) -> None:
    """Write the last public actions, the newest first."""
    num_players = int(g.num_players) & 15
    first = int(g.log_first) & 15
    for entry in range(LOG_LENGTH):
        actor = int(g.log_seats[first + entry]) & 15
        out.log_seats[entry] = SEAT_CODES[num_players, seat & 7, actor]
    first *= LOG_FEATURES
    for index in range(LOG_FEATURES * int(r.log_length)):
        out.log[index] = g.log[first + index]
