"""Writes what a seat may know as one row of float32 features.

``blocks.py`` describes every feature. A row has the same width for 2 to 8 players. Opponents are in
order of play after the observing seat.
"""

from typing import Final

import numpy as np

from sabacc_env.engine.betting import to_call
from sabacc_env.engine.bit_sets import count
from sabacc_env.engine.jit import inlined, jit
from sabacc_env.engine.layout import (
    BETTING,
    CARDS,
    DICE,
    LOG_LENGTH,
    MAX_HAND,
    MAX_SEATS,
    NUM_RULE_FEATURES,
    OBSERVED_ROUNDS,
    SEAT_FEATURES,
    Record,
)
from sabacc_env.engine.observation.blocks import COLUMNS
from sabacc_env.engine.observation.encoding import (
    CARD_ENCODING,
    CARD_THIRDS,
    EIGHTHS,
    FIFTHS,
    KEY_ENCODING,
    LOG_SEAT_ENCODING,
    PILE_ENCODING,
    PLACE_ENCODING,
    REVERSED_BITS,
    SUIT_ENCODING,
    TENTHS,
    THIRDS_OF_BITS,
    TOTAL_ENCODING,
    flag,
    inverse,
    share,
)
from sabacc_env.engine.piles import VALUES
from sabacc_env.engine.ranking import KEY_SHIFT, PLACE_SHIFT, hand_place

SLOT: Final = COLUMNS.own_slots
TOTAL: Final = COLUMNS.own_total
RANK: Final = COLUMNS.own_rank
STAKES: Final = COLUMNS.own_stakes
PHASE: Final = COLUMNS.phase
TABLE: Final = COLUMNS.table
BETTING_TURN: Final = COLUMNS.betting

ZERO: Final = np.float32(0)
SUIT: Final = 0xFFFFF


@jit
def observe(g: Record, r: Record, seat: int, out: Record) -> None:
    """Write the observation of a seat into a row of ``OBSERVATION_SIZE`` float32."""
    write_rules(g, r, out)
    write_turn_features(g, r, seat, out)


@jit
def write_rules(g: Record, r: Record, out: Record) -> None:
    """Write what never changes at a table: its rules, and zeros for the seats that it lacks."""
    for index in range(NUM_RULE_FEATURES):
        out.rules[index] = r.features[index]
    for absent in range(int(g.num_players) - 1, MAX_SEATS - 1):
        out.opponent_bets[absent] = 0.0
        for column in range(SEAT_FEATURES):
            out.opponents[absent].features[column] = 0.0


@jit
def write_turn_features(g: Record, r: Record, seat: int, out: Record) -> None:
    """Write all other features, into a row that ``write_rules`` has written."""
    write_own_cards(g, r, seat, out)
    write_piles(g, seat, out)
    write_progress(g, seat, out)
    write_credits(g, r, seat, out)
    write_log(g, seat, out)


@inlined
def write_own_cards(g: Record, r: Record, seat: int, out: Record) -> None:
    """Write the cards of the seat and what they would rank."""
    for index in range(len(out.own_values)):
        out.own_values[index] = 0.0
    known = int(g.known[seat])
    spike = int(g.spikes[seat]) & 63
    total = int(VALUES[spike])
    for slot in range(MAX_HAND):
        card = int(g.cards[seat, slot]) & 63  # 63 for none
        value = int(VALUES[card])
        total += value
        out.own_values[(10 + value) & 31] += CARD_THIRDS[card]
        first = len(SLOT) * slot
        out.own_slots[first + SLOT.card] = CARD_ENCODING[card]
        out.own_slots[first + SLOT.suit] = SUIT_ENCODING[card]
        out.own_slots[first + SLOT.known] = known >> card & 1
    out.own_spike[0] = CARD_ENCODING[spike]
    if g.num_cards[seat] > 0:
        strength = hand_place(int(r.ranking), g, seat, total)
        out.own_total[TOTAL.total] = TOTAL_ENCODING[total & 127]
        out.own_total[TOTAL.is_zero] = flag(total == 0)
        out.own_total[TOTAL.is_positive] = flag(total > 0)
        out.own_rank[RANK.place] = PLACE_ENCODING[strength >> PLACE_SHIFT & 31]
        out.own_rank[RANK.first_key] = KEY_ENCODING[strength >> KEY_SHIFT & 63]
    else:
        for index in range(len(TOTAL)):
            out.own_total[index] = 0.0
        for index in range(len(RANK)):
            out.own_rank[index] = 0.0


@inlined
def write_piles(g: Record, seat: int, out: Record) -> None:
    """Write the drawn card, the piles, and how many cards of each value the seat has seen."""
    out.drawn[0] = CARD_ENCODING[int(g.drawn) & 63] if g.seat_to_act == seat else ZERO
    top = int(g.num_discards) - 1
    out.discard_top[0] = CARD_ENCODING[int(g.discards[top & 63]) & 63] if top >= 0 else ZERO
    out.draw_pile[0] = PILE_ENCODING[(int(g.deck_size) - int(g.deck_next)) & 63]
    seen = int(g.seen_by_all) | int(g.seen_by[seat])
    # For each value, up to three cards (or two Sylops) are added as bits: odd + 2 * pairs.
    first, second, third = seen & SUIT, seen >> 20 & SUIT, seen >> 40 & SUIT
    zeros = seen >> 60 & 3
    odd = ascending_value_bits(first ^ second ^ third) | (zeros & 1 ^ zeros >> 1) << 10
    pairs = ascending_value_bits(first & second | first & third | second & third)
    pairs |= (zeros & zeros >> 1) << 10
    write_seen_values(odd & 255, pairs & 255, 0, 8, out)
    write_seen_values(odd >> 8 & 255, pairs >> 8 & 255, 8, 8, out)
    write_seen_values(odd >> 16 & 255, pairs >> 16 & 255, 16, 5, out)


@inlined
def write_seen_values(odd: int, pairs: int, first: int, count: int, out: Record) -> None:
    """Write for some values a third of the cards seen: odd + 2 * pairs, bit by bit."""
    for index in range(count):
        pair = THIRDS_OF_BITS[pairs, index]
        out.seen_values[first + index] = THIRDS_OF_BITS[odd, index] + (pair + pair)


@inlined
def ascending_value_bits(suit: int) -> int:
    """Return a suit's cards as bits for the values from -10 to +10; that of 0 is free."""
    return int(REVERSED_BITS[suit >> 10 & 1023]) | (suit & 1023) << 11


@inlined
def write_progress(g: Record, seat: int, out: Record) -> None:
    """Write the round, the phase, the dice, the position and the hands left."""
    round_no = int(g.round_no)
    for index in range(len(COLUMNS.round_no)):
        out.round_no[index] = 0.0
    out.round_no[min(round_no, len(COLUMNS.round_no) - 1) & 7] = 1.0
    phase = int(g.phase)
    out.phase[PHASE.first_choice] = flag(phase == CARDS and g.drawn < 0)
    out.phase[PHASE.second_choice] = flag(g.drawn >= 0)
    out.phase[PHASE.redraw] = flag(phase == DICE)
    out.phase[PHASE.betting] = flag(phase == BETTING)
    first = len(COLUMNS.dice) * max(0, round_no - OBSERVED_ROUNDS) & 15
    for index in range(len(out.dice)):
        out.dice[index] = g.public_dice[first + index]
    num_players = int(g.num_players)
    after = seat - int(g.dealer)
    out.table[TABLE.seats_after_dealer] = EIGHTHS[
        (after + num_players if after < 0 else after) & 15
    ]
    out.table[TABLE.is_dealer] = flag(after == 0)
    out.table[TABLE.players] = EIGHTHS[num_players & 15]
    out.table[TABLE.remaining] = EIGHTHS[count(int(g.remaining)) & 15]
    out.table[TABLE.hands_left] = TENTHS[min(int(g.hands) - int(g.hand_number), 10) & 15]


@inlined
def write_credits(g: Record, r: Record, seat: int, out: Record) -> None:
    """Write the seat's credits, the bets and the pots, and the rows of its opponents."""
    staked = int(g.staked)
    per_pot = inverse(staked)
    per_start = r.per_start[seat]
    credits_left = int(g.credits[seat])
    out.own_stakes[STAKES.credits_per_start] = share(credits_left, per_start, 4)
    out.own_stakes[STAKES.credits_per_pot] = share(credits_left, per_pot, 4)
    out.own_stakes[STAKES.phase_bets_per_pot] = share(int(g.bet_phase[seat]), per_pot, 1)
    out.own_stakes[STAKES.hand_bets_per_start] = share(int(g.bet_hand[seat]), per_start, 4)
    sabacc_pot = int(g.sabacc_pot)
    call = to_call(g, seat) if g.phase == BETTING and int(g.remaining) >> seat & 1 else 0
    out.betting[BETTING_TURN.to_call_per_pot] = share(call, per_pot, 4)
    out.betting[BETTING_TURN.to_call_per_start] = share(call, per_start, 4)
    out.betting[BETTING_TURN.faces_bet] = flag(call > 0)
    out.betting[BETTING_TURN.cannot_cover_call] = flag(call > credits_left)
    out.betting[BETTING_TURN.raises_left] = FIFTHS[min(int(r.max_raises) - int(g.raises), 5) & 7]
    out.betting[BETTING_TURN.pot_per_start] = share(staked, per_start, 4)
    out.betting[BETTING_TURN.sabacc_pot_per_pot] = share(sabacc_pot, per_pot, 4)
    out.betting[BETTING_TURN.sabacc_pot_per_start] = share(sabacc_pot, per_start, 4)
    out.betting[BETTING_TURN.to_call_above_quarter_pot] = flag(4 * call > staked)
    out.betting[BETTING_TURN.to_call_above_half_pot] = flag(2 * call > staked)
    out.betting[BETTING_TURN.credits_below_pot] = flag(credits_left < staked)
    out.betting[BETTING_TURN.credits_below_four_pots] = flag(credits_left < 4 * staked)
    out.betting[BETTING_TURN.sabacc_pot_above_pot] = flag(sabacc_pot > staked)
    others = (int(g.num_players) & 15) - 1
    for after in range(others):
        other = seat + after + 1
        other -= others + 1 if other > others else 0
        out.opponent_bets[after] = share(int(g.bet_phase[other & 7]), per_pot, 1)
        out.opponents[after] = g.public[other & 7]


@inlined
def write_log(g: Record, seat: int, out: Record) -> None:
    """Write the last public actions, the newest first."""
    num_players = int(g.num_players) & 15
    first = int(g.log_first)
    for quarter in range(0, LOG_LENGTH, 4):  # the compiler unrolls loops of four
        for entry in range(quarter, quarter + 4):
            logged = first + entry & (LOG_LENGTH - 1)
            out.log[entry] = g.log[logged]
            out.log_seats[entry] = LOG_SEAT_ENCODING[
                num_players, seat & 7, int(g.log_seats[logged]) & 15
            ]
