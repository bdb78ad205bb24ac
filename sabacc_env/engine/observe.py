"""The observation: what a seat may know, as one row of float32 features.

``features.py`` says what every feature is; the blocks are written in the order given there. The row
has one width for 2 to 8 players: opponents are in order of play after the observing seat.
"""

from __future__ import annotations

from sabacc_env.engine.bets import to_call
from sabacc_env.engine.cards import card_value
from sabacc_env.engine.features import KIND_CODES, OPPONENT_FEATURES, SHOWN_ROUNDS
from sabacc_env.engine.jit import jit
from sabacc_env.engine.layout import (
    BETTING,
    CARDS,
    DICE,
    LOG_LENGTH,
    MAX_HAND,
    MAX_SEATS,
    NUM_RULE_FEATURES,
    UNLIMITED,
    Array,
    Record,
)
from sabacc_env.engine.pots import strength_of
from sabacc_env.engine.ranking import KEY_SHIFT, LOWEST_PLACE, PLACE_SHIFT, hand_total

# Small pieces.


@jit
def ratio(part: int, whole: int, most: int) -> float:
    """Return part / whole, at most ``most``; 0 for nothing out of nothing."""
    if part >= most * whole:
        return float(most) if part > 0 else 0.0
    return part / whole


@jit
def value_code(card: int) -> float:
    """Return a card as one number: value / 10, a Sylop 0.05, 0 for none."""
    if card < 0:
        return 0.0
    value = card_value(card)
    return value / 10 if value != 0 else 1 / 20


@jit
def put_kind(kind: int, out: Array, i: int) -> int:
    """Write a move kind (-1: none) as three numbers; return the next index."""
    for feature in range(3):
        out[i + feature] = KIND_CODES[kind, feature]
    return i + 3


@jit
def put_value_counts(out: Array, i: int, cards: int) -> int:
    """Write how many cards of a set have each value from -10 to +10; return the next index."""
    folded = cards & 0xFFFFF, cards >> 20 & 0xFFFFF, cards >> 40 & 0xFFFFF
    for value in range(1, 11):
        up = value - 1
        down = value + 9
        out[i + 10 + value] = (
            (folded[0] >> up & 1) + (folded[1] >> up & 1) + (folded[2] >> up & 1)
        ) / 3
        out[i + 10 - value] = (
            (folded[0] >> down & 1) + (folded[1] >> down & 1) + (folded[2] >> down & 1)
        ) / 3
    out[i + 10] = ((cards >> 60 & 1) + (cards >> 61 & 1)) / 3
    return i + 21


# Blocks in their order.


@jit
def observe(g: Record, r: Record, seat: int, out: Array) -> None:
    """Write the observation of a seat into a row of ``OBSERVATION_SIZE`` float32."""
    i = put_own_cards(g, r, seat, out, 0)
    i = put_own_stakes(g, r, seat, out, i)
    i = put_course(g, seat, out, i)
    i = put_betting(g, r, seat, out, i)
    for index in range(NUM_RULE_FEATURES):
        out[i + index] = r.features[index]
    i += NUM_RULE_FEATURES
    num_players = int(g.num_players)
    for after in range(1, MAX_SEATS):
        if after < num_players:
            i = put_opponent(g, r, (seat + after) % num_players, out, i)
        else:
            for index in range(OPPONENT_FEATURES):
                out[i + index] = 0.0
            i += OPPONENT_FEATURES
    put_log(g, seat, out, i)


@jit
def put_own_cards(g: Record, r: Record, seat: int, out: Array, i: int) -> int:
    """Write what the seat holds, what it would rank, and the cards that it has seen."""
    held = 0
    count = int(g.num_cards[seat])
    slots = i + 21
    for slot in range(MAX_HAND):
        card = int(g.cards[seat, slot])
        at = slots + 3 * slot
        out[at] = value_code(card)
        if card >= 0:
            held |= 1 << card
            out[at + 1] = (card // 20 + 1) / 3 if card < 60 else 0.0
            out[at + 2] = int(g.known[seat]) >> card & 1
        else:
            out[at + 1] = 0.0
            out[at + 2] = 0.0
    put_value_counts(out, i, held)
    i = slots + 3 * MAX_HAND
    spike = int(g.spikes[seat])
    if count > 0:
        total = hand_total(g.cards[seat], count, spike)
        strength = strength_of(g, r, seat)
        out[i] = total / 10
        out[i + 1] = 1.0 if total == 0 else 0.0
        out[i + 2] = 1.0 if total > 0 else 0.0
        out[i + 3] = (strength >> PLACE_SHIFT) / LOWEST_PLACE
        out[i + 4] = (strength >> KEY_SHIFT & 63) / 63
    else:
        for index in range(5):
            out[i + index] = 0.0
    out[i + 5] = value_code(spike)
    out[i + 6] = value_code(int(g.drawn)) if g.seat_to_act == seat else 0.0
    top = int(g.num_discards) - 1
    out[i + 7] = value_code(int(g.discards[top])) if top >= 0 else 0.0
    i = put_value_counts(out, i + 8, int(g.seen_by_all) | int(g.seen_by[seat]))
    out[i] = (int(g.deck_size) - int(g.deck_next)) / 62
    return i + 1


@jit
def put_own_stakes(g: Record, r: Record, seat: int, out: Array, i: int) -> int:
    """Write the seat's own credits and bets."""
    credits_left = int(g.credits[seat])
    start = int(r.starting_credits[seat])
    staked = int(g.staked)
    out[i] = ratio(credits_left, start, 4)
    out[i + 1] = ratio(credits_left, staked, 4)
    out[i + 2] = ratio(int(g.bet_phase[seat]), staked, 1)
    out[i + 3] = ratio(int(g.bet_hand[seat]), start, 4)
    return i + 4


@jit
def put_course(g: Record, seat: int, out: Array, i: int) -> int:
    """Write round, phase, dice, position and the like."""
    shown = min(int(g.round_no), 4)
    for index in range(5):
        out[i + index] = 1.0 if index == shown else 0.0
    i += 5
    deciding = g.drawn >= 0
    out[i] = 1.0 if g.phase == CARDS and not deciding else 0.0
    out[i + 1] = 1.0 if g.phase == CARDS and deciding else 0.0
    out[i + 2] = 1.0 if g.phase == DICE else 0.0
    out[i + 3] = 1.0 if g.phase == BETTING else 0.0
    i += 4
    first = max(0, int(g.round_no) - SHOWN_ROUNDS)
    for index in range(SHOWN_ROUNDS):
        rolled = rolled_in(g, first + index)
        out[i] = int(g.dice[first + index, 0]) / 6 if rolled else 0.0
        out[i + 1] = int(g.dice[first + index, 1]) / 6 if rolled else 0.0
        i += 2
    num_players = int(g.num_players)
    remaining = 0
    for other in range(num_players):
        remaining += int(g.remaining) >> other & 1
    out[i] = (seat - int(g.dealer)) % num_players / 8
    out[i + 1] = 1.0 if g.dealer == seat else 0.0
    out[i + 2] = num_players / 8
    out[i + 3] = remaining / 8
    out[i + 4] = ratio(int(g.hands) - int(g.hand_number), 10, 1)
    return i + 5


@jit
def rolled_in(g: Record, index: int) -> bool:
    """Say whether the dice of a round (from 0) have been rolled; given dice lie there before."""
    return index < int(g.rolls)


@jit
def put_betting(g: Record, r: Record, seat: int, out: Array, i: int) -> int:
    """Write what the bet and the pots are."""
    staked = int(g.staked)
    start = int(r.starting_credits[seat])
    credits_left = int(g.credits[seat])
    sabacc_pot = int(g.sabacc_pot)
    call = to_call(g, seat) if g.phase == BETTING and int(g.remaining) >> seat & 1 else 0
    out[i] = ratio(call, staked, 4)
    out[i + 1] = ratio(call, start, 4)
    out[i + 2] = 1.0 if call > 0 else 0.0
    out[i + 3] = 1.0 if call > credits_left else 0.0
    left = int(r.max_raises) - int(g.raises)
    out[i + 4] = 1.0 if r.max_raises == UNLIMITED else ratio(left, 5, 1)
    out[i + 5] = ratio(staked, start, 4)
    out[i + 6] = ratio(sabacc_pot, staked, 4)
    out[i + 7] = ratio(sabacc_pot, start, 4)
    out[i + 8] = 1.0 if 4 * call > staked else 0.0
    out[i + 9] = 1.0 if 2 * call > staked else 0.0
    out[i + 10] = 1.0 if credits_left < staked else 0.0
    out[i + 11] = 1.0 if credits_left < 4 * staked else 0.0
    out[i + 12] = 1.0 if sabacc_pot > staked else 0.0
    return i + 13


@jit
def put_opponent(g: Record, r: Record, other: int, out: Array, i: int) -> int:
    """Write what everyone may know of another seat."""
    seated = int(g.seated) >> other & 1
    remains = int(g.remaining) >> other & 1
    start = int(r.starting_credits[other])
    credits_left = int(g.credits[other])
    out[i] = remains
    out[i + 1] = seated - remains
    out[i + 2] = 1 - seated
    out[i + 3] = 1.0 if remains and r.all_in == 1 and r.points == 0 and credits_left == 0 else 0.0
    out[i + 4] = ratio(credits_left, start, 4)
    out[i + 5] = ratio(int(g.bet_phase[other]), int(g.staked), 1)
    out[i + 6] = ratio(int(g.bet_hand[other]), start, 4)
    out[i + 7] = int(g.num_cards[other]) / 5
    i += 8
    shown = 0
    for slot in range(int(g.num_cards[other])):
        card = int(g.cards[other, slot])
        if int(g.known[other]) >> card & 1:
            out[i + shown] = value_code(card)
            shown += 1
    for slot in range(shown, MAX_HAND):
        out[i + slot] = 0.0
    i += MAX_HAND
    out[i] = value_code(int(g.spikes[other]))
    last = int(g.last_action[other])
    i = put_kind(last, out, i + 1)
    first = max(0, int(g.round_no) - SHOWN_ROUNDS)
    for index in range(SHOWN_ROUNDS):
        kind = int(g.card_action[other, first + index])
        out[i] = KIND_CODES[kind, 0]
        out[i + 1] = KIND_CODES[kind, 1]
        i += 2
    return i


@jit
def put_log(g: Record, seat: int, out: Array, i: int) -> None:
    """Write the last public actions, the newest first."""
    length = int(g.log_length)
    num_players = int(g.num_players)
    staked = int(g.staked)
    for back in range(LOG_LENGTH):
        if back < length:
            index = (length - 1 - back) % LOG_LENGTH
            kind = int(g.log_kinds[index])
            out[i] = ((int(g.log_seats[index]) - seat) % num_players + 1) / 8
            put_kind(kind, out, i + 1)
            out[i + 4] = ratio(int(g.log_amounts[index]), staked, 4)
        else:
            for feature in range(5):
                out[i + feature] = 0.0
        i += 5
