"""The compiled entry points for one game, which take arrays of one record.

Numba takes an array from Python six times faster than a record. ``Game`` checks its users'
arguments before it calls these functions.
"""

from typing import Final

import numpy as np

from sabacc_env.engine.betting import raise_limits
from sabacc_env.engine.chance import dealer_of, hand_key, num_unforced_outcomes
from sabacc_env.engine.drivers.results import OUTCOME_DTYPE, write_mask, write_outcome
from sabacc_env.engine.forced_play import DEAL, play_with_forced_chance
from sabacc_env.engine.jit import jit
from sabacc_env.engine.layout import (
    BET_SIZES_DTYPE,
    BETTING,
    FIRST_BET_ACTION,
    MAX_BET_SIZES,
    MAX_HAND,
    OVER,
    RAISE_TO,
    RULES_DTYPE,
    Array,
    Record,
)
from sabacc_env.engine.legal import legal_actions
from sabacc_env.engine.observation.blocks import OBSERVATION_DTYPE
from sabacc_env.engine.observation.write import observe
from sabacc_env.engine.piles import pop_draw_pile
from sabacc_env.engine.ranking import hand_strength
from sabacc_env.engine.step import deal, pack_move, play_action, reset_hand, seats_that_can_ante

ILLEGAL = -1
DICE_MISSING = -2


@jit
def reset(games: Array, rules: Array, key_low: int, key_high: int, dealer: int) -> None:
    """Make a game ready for its deal. If the dealer is -1, the key decides it."""
    if dealer < 0:
        dealer = dealer_of(key_low, key_high, int(games[0].num_players))
    reset_hand(games[0], rules[0], key_low, key_high, dealer)


@jit
def deal_hand(games: Array, rules: Array) -> None:
    """Deal a game that is ready for its deal, and go on to the first decision."""
    deal(games[0], rules[0])


@jit
def can_deal(games: Array, rules: Array) -> bool:
    """Say whether two seats or more can pay the antes of a next hand."""
    seats = seats_that_can_ante(games[0], rules[0])
    return seats & (seats - 1) != 0


@jit
def raise_grid(games: Array, rules: Array) -> tuple[int, int]:
    """Return the smallest and largest total that the seat to act may raise to; (0, -1) if none."""
    g = games[0]
    return raise_limits(g, rules[0], int(g.seat_to_act))


@jit
def legal_bits(games: Array, buffers: Array) -> int:
    """Return the legal actions as bits."""
    return legal_actions(games[0], buffers[0].rules, buffers[0].sizes)


@jit
def is_legal(g: Record, r: Record, code: int, sizes: Record) -> bool:
    """Say whether a code is legal: an action, or ``RAISE_TO`` + a total on the grid."""
    if code < RAISE_TO:
        return code >= 0 and legal_actions(g, r, sizes) >> code & 1 == 1
    if g.phase != BETTING:
        return False
    low, high = raise_limits(g, r, int(g.seat_to_act))
    total = code - RAISE_TO
    return low <= total <= high and (total - low) % int(r.bet_step) == 0


@jit
def pop_top(games: Array) -> int:
    """Take the top card off the draw pile of a copy, to read the order of the pile."""
    return pop_draw_pile(games[0])


@jit
def seat_strength(games: Array, rules: Array, seat: int) -> int:
    """Return the strength of a seat's hand as it is now."""
    return hand_strength(int(rules[0].ranking), games[0], seat)


@jit
def rank_hands(games: Array, ranking: int, hands: Array, strengths: Array) -> None:
    """Write the strengths of hands, which are (n, MAX_HAND) card ids, then -1 for no card.

    ``games`` is scratch memory: seat 0 holds one hand after the other.
    """
    g = games[0]
    g.spikes[0] = -1
    for i in range(len(hands)):
        count = 0
        for slot in range(MAX_HAND):
            g.cards[0, slot] = hands[i, slot]
            count += 1 if hands[i, slot] >= 0 else 0
        g.num_cards[0] = count
        strengths[i] = hand_strength(ranking, g, 0)


# One record holds all inputs and outputs of a turn besides the game, because another argument costs
# as much time as playing an action, and another call costs twice as much.

TURN_BUFFERS_DTYPE: Final = np.dtype(
    (
        np.record,
        np.dtype(
            [
                ("rules", RULES_DTYPE),
                ("sizes", BET_SIZES_DTYPE),
                ("outcome", OUTCOME_DTYPE),  # of a hand that is over
                ("observation", OBSERVATION_DTYPE),  # of the seat to act
                ("requested_observation", OBSERVATION_DTYPE),  # of any seat, on request
                ("mask", "i1", (FIRST_BET_ACTION + MAX_BET_SIZES,)),  # of the seat to act
                ("padding", "i1", (2,)),  # to whole words, which Numba needs and NumPy does not
            ],
            align=True,
        ),
    )
)
"""The inputs of a turn (rules and bet sizes) and its outputs, which every turn overwrites."""


@jit
def play_turn(games: Array, buffers: Array, code: int) -> tuple[int, int]:
    """Play a code if it is legal, then write the next turn.

    Returns:
        The move as ``pack_move`` packs it, with the total of a raise in the lowest bits; or
        ``ILLEGAL`` or ``DICE_MISSING``. Then what ``write_turn`` returns.
    """
    g = games[0]
    buffer = buffers[0]
    if g.phase == OVER or not is_legal(g, buffer.rules, code, buffer.sizes):
        return ILLEGAL, -1
    played = pack_move(g, code)
    play_action(g, buffer.rules, code, buffer.sizes)
    if g.dice_missing == 1:
        return DICE_MISSING, -1
    if code >= FIRST_BET_ACTION:
        played |= int(g.paid)
    return played, write_turn_of(g, buffer)


@jit
def play_forced(
    games: Array, buffers: Array, code: int, number: int, product: int
) -> tuple[int, int]:
    """Play a legal action, or ``DEAL``, with forced chance outcomes (``chance.force_chance``).

    Returns:
        The move as ``play_turn`` returns it, and how many outcomes the first unforced event has: 0
        if all events were forced, and the game is where the action leads.
    """
    g = games[0]
    buffer = buffers[0]
    played = 0 if code == DEAL else pack_move(g, code)
    play_with_forced_chance(g, buffer.rules, buffer.sizes, code, number, product)
    if code >= FIRST_BET_ACTION:
        played |= int(g.paid)
    return played, num_unforced_outcomes(g)


@jit
def write_turn(games: Array, buffers: Array) -> int:
    """Write the observation and mask of the seat to act and return the seat.

    When the hand is over, write its outcome and return -1.
    """
    return write_turn_of(games[0], buffers[0])


@jit
def write_turn_of(g: Record, buffer: Record) -> int:
    """Do what ``write_turn`` does, with records instead of arrays."""
    seat = int(g.seat_to_act)
    if seat < 0:
        write_outcome(g, buffer.rules, buffer.outcome)
        return -1
    write_mask(legal_actions(g, buffer.rules, buffer.sizes), buffer.mask)
    observe(g, buffer.rules, seat, buffer.observation)
    return seat


@jit
def write_observation(games: Array, buffers: Array, seat: int) -> None:
    """Write the observation of any seat as ``requested_observation``."""
    observe(games[0], buffers[0].rules, seat, buffers[0].requested_observation)


@jit
def deal_another_hand(
    games: Array,
    previous: Array,
    buffers: Array,
    seed_low: int,
    seed_high: int,
    episode: int,
    hand: int,
) -> tuple[int, int, int]:
    """Deal another hand of the table of ``previous`` into an empty record.

    Hand 0 of an episode starts from the credits that ``previous`` started from. A later hand
    starts from the credits that ``previous`` left.

    Returns:
        The low and the high word of the hand's key, and what ``write_turn`` returns.
    """
    g = games[0]
    last = previous[0]
    buffer = buffers[0]
    key_low, key_high = hand_key(seed_low, seed_high, episode, hand)
    g.num_players = last.num_players
    g.hands = last.hands
    g.hand_number = hand
    if hand == 0:
        g.credits = last.credits_before
        dealer = dealer_of(key_low, key_high, int(g.num_players))
    else:
        g.credits = last.credits
        g.sabacc_pot = last.sabacc_pot
        dealer = (int(last.dealer) + 1) % int(g.num_players)
    reset_hand(g, buffer.rules, key_low, key_high, dealer)
    deal(g, buffer.rules)
    return key_low, key_high, write_turn_of(g, buffer)
