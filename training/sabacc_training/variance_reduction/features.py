"""What the value function sees of a hand in play: all hands, the pile, the pot and the stacks.

Every remaining seat has a row of ``SEAT_FEATURES``, and the table one of ``TABLE_FEATURES``. Each
seat also has a baseline, exact to compute: its net credits if the hand were revealed as it is.
"""

from __future__ import annotations

import math
from typing import Final

import numpy as np

from sabacc_env.engine.bit_sets import count
from sabacc_env.engine.jit import jit
from sabacc_env.engine.layout import (
    BETTING,
    CALL,
    CHECK,
    FIRST_CARD_ACTION,
    MAX_HAND,
    MAX_SEATS,
    NUM_CARDS,
    RAISE,
    STAND,
    Array,
    Record,
)
from sabacc_env.engine.piles import card_value
from sabacc_env.engine.pots import return_unmatched, split_pots
from sabacc_env.engine.ranking import LOWEST_PLACE, PLACE_SHIFT, hand_strength, hand_total

VALUES: Final = 21
"""How many values cards have: -10 to +10."""
DISTANCES: Final = 9
"""Classes of a hand's distance from zero: 0 to 5, 6 or 7, 8 to 10, and more."""

COUNTS: Final = 0
DISTANCE: Final = COUNTS + VALUES
SIZES: Final = DISTANCE + DISTANCES
ACTIONS: Final = SIZES + 5
NUMBERS: Final = ACTIONS + 6
PLACE: Final = NUMBERS + 34
PLACES: Final = 20
"""Classes of a hand's place in the list of its ranking, the last for all low ones."""
STYLE: Final = PLACE + PLACES
MAX_STYLES: Final = 24
"""How many agents a value function can know; style 0 stands for any other."""
SEAT_FEATURES: Final = STYLE + MAX_STYLES
"""The features of a seat: its cards by value, its distance from zero, the size of its hand, its
last action, numbers, and which of the known agents plays it."""

CARD_OF_VALUE: Final = np.zeros(VALUES, dtype=np.int8)
"""A card of each value, -10 to +10."""
for _card in range(NUM_CARDS):
    CARD_OF_VALUE[card_value(_card) + 10] = _card

PHASES: Final = 0
ROUNDS: Final = PHASES + 4
TABLE_NUMBERS: Final = ROUNDS + 5
TABLE_FEATURES: Final = TABLE_NUMBERS + 17


@jit
def write_baseline(
    g: Record, r: Record, scratch: Array, strengths: Array, baseline: Array, bounds: Array
) -> None:
    """Write each seat's net credits if the hand were revealed now, and their bounds.

    Tied seats share a pot.

    Args:
        g: a hand in play.
        r: its rules.
        scratch: (1,) of ``GAME_DTYPE``.
        strengths: (MAX_SEATS,) int64: the strengths of the remaining seats' hands.
        baseline: (MAX_SEATS,) float64, written to.
        bounds: (MAX_SEATS, 2) float64, likewise: between them are the net credits of any end.
    """
    scratch[0] = g
    h = scratch[0]
    return_unmatched(h)
    split_pots(h)
    for seat in range(int(h.num_players)):
        baseline[seat] = float(int(h.credits[seat]) - int(h.credits_before[seat]))
        if r.points == 1:
            baseline[seat] -= float(int(h.seated) >> seat & 1)
        bounds[seat, 0] = baseline[seat]
        bounds[seat, 1] = baseline[seat]
        if int(h.remaining) >> seat & 1:
            write_bounds(h, seat, bounds)
    for pot in range(int(h.num_pots)):
        best = -1
        tied = 0
        for seat in range(int(h.num_players)):
            if int(h.pot_seats[pot]) >> seat & 1:
                if strengths[seat] > best:
                    best = strengths[seat]
                    tied = 0
                if strengths[seat] == best:
                    tied |= 1 << seat
        winners = count(tied)
        for seat in range(int(h.num_players)):
            if tied >> seat & 1:
                baseline[seat] += float(int(h.pot_amounts[pot])) / winners
                if pot == 0 and hand_total(h, seat) == 0:
                    baseline[seat] += float(int(h.sabacc_pot)) / winners


@jit
def write_bounds(h: Record, seat: int, bounds: Array) -> None:
    """Add to a seat's bounds what it may still lose and win; unmatched bets are returned."""
    at_risk = 0
    winnings = int(h.staked) + int(h.sabacc_pot)
    for other in range(int(h.num_players)):
        if other != seat and int(h.remaining) >> other & 1:
            covered = min(int(h.credits[seat]), int(h.credits[other]))
            at_risk = max(at_risk, covered)
            winnings += covered
    fees = min(int(h.credits[seat]) - at_risk, at_risk)
    bounds[seat, 0] -= at_risk + max(0, fees)
    bounds[seat, 1] += winnings


@jit
def distance_class(distance: int) -> int:
    """Return the class of a distance from zero."""
    if distance <= 5:
        return distance
    if distance <= 7:
        return 6
    return 7 if distance <= 10 else 8


@jit
def log_scale(amount: float) -> float:
    """Return an amount of antes on a scale of about 0 to 1."""
    return math.log1p(max(0.0, amount)) / 4.0


@jit
def write_features(
    g: Record,
    r: Record,
    ante: float,
    pile: Array,
    scratch: Array,
    strengths: Array,
    baseline: Array,
    seat_rows: Array,
    seats: Array,
    table_row: Array,
    scales: Array,
    styles: Array,
) -> int:
    """Write the features of a hand in play; return how many seats have a row.

    Args:
        g: the hand.
        r: its rules.
        ante: credits in one ante of the unit.
        pile: (VALUES,) float64, scratch: the shares of values in the draw pile.
        scratch: (1,) of ``GAME_DTYPE``: a copy of the hand, as ``write_baseline`` leaves it.
        strengths: (MAX_SEATS,) int64, of the remaining seats' hands.
        baseline: (MAX_SEATS,) float64, as ``write_baseline`` wrote it.
        seat_rows: (n, SEAT_FEATURES) float32, with room for all remaining seats.
        seats: (n,) int64: whose rows they are.
        table_row: (TABLE_FEATURES,) float32.
        scales: (2,) float32: the pot, and the geometric mean of the pot and what may still be bet.
        styles: (MAX_SEATS,) int64: the style of the agent in each seat.
    """
    left = int(g.deck_size) - int(g.deck_next)
    pile[:] = 0.0
    for index in range(int(g.deck_next), int(g.deck_size)):
        pile[card_value(int(g.deck[index])) + 10] += 1.0 / left
    pot = float(max(1, int(g.staked)))
    most = 0
    second = 0
    for seat in range(int(g.num_players)):
        if int(g.remaining) >> seat & 1:
            stack = int(g.credits[seat])
            if stack > most:
                most, second = stack, most
            elif stack > second:
                second = stack
    effective = float(second)
    scales[0] = pot
    scales[1] = math.sqrt(pot * effective)
    remaining = count(int(g.remaining))
    discard = -11
    if g.num_discards > 0:
        discard = card_value(int(g.discards[int(g.num_discards) - 1]))
    written = 0
    for seat in range(int(g.num_players)):
        if int(g.remaining) >> seat & 1:
            seats[written] = seat
            row = seat_rows[written]
            row[:] = 0.0
            row[STYLE + int(styles[seat])] = 1.0
            write_cards(g, seat, pile, discard, row)
            write_wins(g, r, scratch[0], seat, pile, discard, strengths, row)
            write_standing(g, seat, ante, pot, effective, strengths, baseline, row)
            written += 1
    row = table_row
    row[:] = 0.0
    row[PHASES + int(g.phase)] = 1.0
    row[ROUNDS + min(4, int(g.round_no))] = 1.0
    k = TABLE_NUMBERS
    row[k] = (int(r.rounds) - int(g.round_no)) / 3.0
    row[k + 1] = log_scale(pot / ante)
    row[k + 2] = log_scale(int(g.sabacc_pot) / ante)
    row[k + 3] = int(g.highest_bet) / pot
    row[k + 4] = min(4, int(g.raises)) / 4.0
    row[k + 5] = int(g.num_players) / 8.0
    row[k + 6] = remaining / 4.0
    row[k + 7] = 1.0 if remaining == 2 else 0.0
    row[k + 8] = left / 62.0
    row[k + 9] = 1.0 if discard >= -10 else 0.0
    row[k + 10] = discard / 10.0 if discard >= -10 else 0.0
    row[k + 11] = abs(discard) / 10.0 if discard >= -10 else 0.0
    row[k + 12] = count(int(g.yet_to_act)) / 4.0
    row[k + 13] = 1.0 if int(g.phase_index) == int(r.num_phases) - 1 else 0.0
    row[k + 14] = log_scale(effective / ante)
    row[k + 15] = min(4.0, effective / pot) / 4.0
    row[k + 16] = 1.0 if g.drawn >= 0 else 0.0
    return written


@jit
def write_cards(g: Record, seat: int, pile: Array, discard: int, row: Array) -> None:
    """Write a seat's cards, and how near zero one draw or swap can bring them."""
    total = hand_total(g, seat)
    size = int(g.num_cards[seat])
    positive = 0
    known = 0
    for slot in range(size):
        card = int(g.cards[seat, slot])
        value = card_value(card)
        row[COUNTS + value + 10] += 1.0
        positive += max(0, value)
        if int(g.known[seat]) >> card & 1:
            known += 1
            row[NUMBERS + 1] += value / 10.0
    row[DISTANCE + distance_class(abs(total))] = 1.0
    row[SIZES + min(4, max(0, size - 1))] = 1.0
    k = NUMBERS
    row[k] = known / 3.0
    row[k + 2] = total / 10.0
    row[k + 3] = abs(total) / 10.0
    row[k + 4] = 1.0 if total > 0 else 0.0
    row[k + 5] = positive / 10.0
    if g.spikes[seat] >= 0:
        row[k + 6] = 1.0
        row[k + 7] = card_value(int(g.spikes[seat])) / 10.0
    if seat == g.seat_to_act and g.drawn >= 0:
        drawn = card_value(int(g.drawn))
        row[k + 8] = drawn / 10.0
        row[k + 9] = abs(total + drawn) / 10.0
        row[k + 10] = 1.0 if total + drawn == 0 else 0.0
    near_by_draw, zero_by_draw = outlook(pile, total)
    row[k + 11] = near_by_draw / 10.0
    row[k + 12] = zero_by_draw * 4.0
    best_near = 21.0
    best_zero = 0.0
    best_swap = 21.0
    for slot in range(size):
        kept = total - card_value(int(g.cards[seat, slot]))
        near, zero = outlook(pile, kept)
        best_near = min(best_near, near)
        best_zero = max(best_zero, zero)
        if discard >= -10:
            best_swap = min(best_swap, float(abs(kept + discard)))
    row[k + 13] = best_near / 10.0
    row[k + 14] = best_zero * 4.0
    row[k + 15] = best_swap / 10.0
    row[k + 16] = 1.0 if best_swap == 0.0 else 0.0


@jit
def write_wins(
    g: Record,
    r: Record,
    scratch: Record,
    seat: int,
    pile: Array,
    discard: int,
    strengths: Array,
    row: Array,
) -> None:
    """Write how a seat could come to beat all others' present hands by one action with its cards.

    By a swap for the top discard; and by a draw to zero, with its chance: with all cards kept,
    with one put down before, or with the card being decided on. ``scratch`` is a copy of the hand.
    """
    size = int(g.num_cards[seat])
    total = hand_total(g, seat)
    k = NUMBERS + 30
    if size < MAX_HAND and -10 <= total <= 10 and pile[10 - total] > 0.0:
        scratch.cards[seat, size] = CARD_OF_VALUE[10 - total]
        scratch.num_cards[seat] = size + 1
        if beats_all(scratch, r, seat, strengths):
            row[k] = pile[10 - total] * 4.0
        scratch.cards[seat, size] = -1
        scratch.num_cards[seat] = size
    for slot in range(size):
        card = int(g.cards[seat, slot])
        kept = total - card_value(card)
        if -10 <= kept <= 10 and pile[10 - kept] > 0.0:
            scratch.cards[seat, slot] = CARD_OF_VALUE[10 - kept]
            if beats_all(scratch, r, seat, strengths):
                row[k + 1] = max(float(row[k + 1]), pile[10 - kept] * 4.0)
        if discard >= -10:
            scratch.cards[seat, slot] = CARD_OF_VALUE[discard + 10]
            if beats_all(scratch, r, seat, strengths):
                row[k + 2] = 1.0
        if seat == g.seat_to_act and g.drawn >= 0:
            scratch.cards[seat, slot] = g.drawn
            if beats_all(scratch, r, seat, strengths):
                row[k + 3] = 1.0
        scratch.cards[seat, slot] = card


@jit
def beats_all(g: Record, r: Record, seat: int, strengths: Array) -> bool:
    """Say whether a seat's hand as it is in ``g`` beats all other remaining hands."""
    own = hand_strength(int(r.ranking), g, seat)
    for other in range(int(g.num_players)):
        if other != seat and strengths[other] >= own:
            return False
    return True


@jit
def outlook(pile: Array, total: int) -> tuple[float, float]:
    """Return the mean distance from zero after a draw to a total, and the chance of zero."""
    near = 0.0
    for index in range(VALUES):
        near += pile[index] * abs(total + index - 10)
    return near, pile[10 - total] if -10 <= total <= 10 else 0.0


@jit
def write_standing(
    g: Record,
    seat: int,
    ante: float,
    pot: float,
    effective: float,
    strengths: Array,
    baseline: Array,
    row: Array,
) -> None:
    """Write a seat's rank among the remaining hands, its turn, its credits and its last action."""
    beaten = 0.0
    others = 0
    for other in range(int(g.num_players)):
        if other != seat and int(g.remaining) >> other & 1:
            others += 1
            if strengths[seat] > strengths[other]:
                beaten += 1.0
            elif strengths[seat] == strengths[other]:
                beaten += 0.5
    k = NUMBERS + 17
    row[k] = beaten / max(1, others)
    row[k + 1] = 1.0 if beaten == others else 0.0
    row[k + 2] = baseline[seat] / pot
    above = (int(strengths[seat]) >> PLACE_SHIFT) - (LOWEST_PLACE - PLACES)
    row[k + 3] = max(0, above) / PLACES
    row[PLACE + max(0, above)] = 1.0
    row[k + 4] = 1.0 if seat == g.seat_to_act else 0.0
    row[k + 5] = float(int(g.yet_to_act) >> seat & 1)
    players = int(g.num_players)
    row[k + 6] = ((seat - int(g.dealer) - 1) % players) / players
    row[k + 7] = ((seat - int(g.seat_to_act)) % players) / players if g.seat_to_act >= 0 else 0.0
    to_call = int(g.highest_bet) - int(g.bet_phase[seat]) if g.phase == BETTING else 0
    row[k + 8] = to_call / (pot + to_call)
    row[k + 9] = int(g.bet_hand[seat]) / pot
    row[k + 10] = log_scale(int(g.credits[seat]) / ante)
    row[k + 11] = min(2.0, int(g.credits[seat]) / max(1.0, effective)) / 2.0
    row[k + 12] = 1.0 if g.credits[seat] == 0 else 0.0
    kind = int(g.last_action[seat])
    if kind == RAISE:
        row[ACTIONS] = 1.0
    elif kind == CALL:
        row[ACTIONS + 1] = 1.0
    elif kind == CHECK:
        row[ACTIONS + 2] = 1.0
    elif kind == STAND:
        row[ACTIONS + 3] = 1.0
    elif kind >= FIRST_CARD_ACTION:
        row[ACTIONS + 4] = 1.0
    elif kind >= 0:
        row[ACTIONS + 5] = 1.0


@jit
def write_strengths(g: Record, r: Record, strengths: Array) -> None:
    """Write the strength of each remaining seat's hand as it is now, -1 for the others."""
    for seat in range(MAX_SEATS):
        strengths[seat] = -1
        if int(g.remaining) >> seat & 1:
            strengths[seat] = hand_strength(int(r.ranking), g, seat)
