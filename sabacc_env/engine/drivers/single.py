"""The compiled entry points for one game, each given as arrays of one record.

From Python an array is handed over six times faster than a record. Everything a user can get wrong
is checked before, in ``Game``.
"""

from typing import Final

import numpy as np

from sabacc_env.engine.betting import raise_limits
from sabacc_env.engine.chance import dealer_of, hand_key
from sabacc_env.engine.drivers.results import ENDING_DTYPE, put_ending, put_mask
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
from sabacc_env.engine.observation.blocks import OBSERVATION_DTYPE
from sabacc_env.engine.observation.write import observe
from sabacc_env.engine.piles import pop_draw_pile
from sabacc_env.engine.ranking import hand_strength
from sabacc_env.engine.step import (
    able_seats,
    deal,
    describe,
    legal_actions,
    play_action,
    reset_hand,
)

ILLEGAL = -1
DICE_MISSING = -2


@jit
def prepare(games: Array, rules: Array, key_low: int, key_high: int, dealer: int) -> None:
    """Make a game ready for its deal; a dealer of -1 comes from the key."""
    if dealer < 0:
        dealer = dealer_of(key_low, key_high, int(games[0].num_players))
    reset_hand(games[0], rules[0], key_low, key_high, dealer)


@jit
def deal_hand(games: Array, rules: Array) -> None:
    """Deal a game that is ready, and go on to the first decision."""
    deal(games[0], rules[0])


@jit
def can_deal(games: Array, rules: Array) -> bool:
    """Say whether two seats or more can pay the antes of a next hand."""
    seats = able_seats(games[0], rules[0])
    return seats & (seats - 1) != 0


@jit
def raise_grid(games: Array, rules: Array) -> tuple[int, int]:
    """Return the least and greatest total that the seat to act may raise to; (0, -1) if none."""
    g = games[0]
    return raise_limits(g, rules[0], int(g.seat_to_act))


@jit
def legal_bits(games: Array, desks: Array) -> int:
    """Return the legal actions as bits."""
    return legal_actions(games[0], desks[0].rules, desks[0].sizes)


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
    """Take the top card off the draw pile: on a copy, to read the pile's order."""
    return pop_draw_pile(games[0])


@jit
def seat_strength(games: Array, rules: Array, seat: int) -> int:
    """Return what a seat's hand would rank now."""
    return hand_strength(int(rules[0].ranking), games[0], seat)


@jit
def rank_hands(games: Array, ranking: int, hands: Array, strengths: Array) -> None:
    """Write the strengths of hands, (n, MAX_HAND) card ids with -1 for none last.

    They are held one after the other by seat 0 of a game, which is only a place to put them.
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


# With a desk: everything that a turn needs and says besides the game, in one record. An argument
# more costs as much as playing an action does, and a call more twice that.

DESK_DTYPE: Final = np.dtype(
    (
        np.record,
        np.dtype(
            [
                ("rules", RULES_DTYPE),
                ("sizes", BET_SIZES_DTYPE),
                ("ending", ENDING_DTYPE),  # of a hand that is over
                # What the seat to act may know and do; and what any seat knows that is asked for.
                ("observation", OBSERVATION_DTYPE),
                ("aside", OBSERVATION_DTYPE),
                ("mask", "i1", (FIRST_BET_ACTION + MAX_BET_SIZES,)),
                ("padding", "i1", (2,)),  # to whole words, as Numba wants it: NumPy sees no need
            ],
            align=True,
        ),
    )
)


@jit
def turn(games: Array, desks: Array, code: int) -> tuple[int, int]:
    """Play a code if it is legal; return what was played, or what is wrong, and as ``show_at``.

    What was played is as ``describe`` packs it, a raise with its total in the lowest bits.
    """
    g = games[0]
    d = desks[0]
    if g.phase == OVER or not is_legal(g, d.rules, code, d.sizes):
        return ILLEGAL, -1
    played = describe(g, code)
    play_action(g, d.rules, code, d.sizes)
    if g.dice_missing == 1:
        return DICE_MISSING, -1
    if code >= FIRST_BET_ACTION:
        played |= int(g.paid)
    return played, show(g, d)


@jit
def show_at(games: Array, desks: Array) -> int:
    """Write what the seat to act may know and do, and return the seat; -1: how the hand ended."""
    return show(games[0], desks[0])


@jit
def show(g: Record, d: Record) -> int:
    """Do what ``show_at`` says, with the records themselves."""
    seat = int(g.seat_to_act)
    if seat < 0:
        put_ending(g, d.rules, d.ending)
        return -1
    put_mask(legal_actions(g, d.rules, d.sizes), d.mask)
    observe(g, d.rules, seat, d.observation)
    return seat


@jit
def observe_at(games: Array, desks: Array, seat: int) -> None:
    """Write aside what a seat may know."""
    observe(games[0], desks[0].rules, seat, desks[0].aside)


@jit
def deal_at(
    games: Array,
    before: Array,
    desks: Array,
    seed_low: int,
    seed_high: int,
    episode: int,
    hand: int,
) -> tuple[int, int, int]:
    """Deal into an empty record another hand of the table of ``before``; return key and seat.

    The first hand of an episode, 0, starts from the credits of ``before`` at its start, a later
    one from what was left. The seat is as of ``show_at``, the key's low word is returned first.
    """
    g = games[0]
    b = before[0]
    d = desks[0]
    key_low, key_high = hand_key(seed_low, seed_high, episode, hand)
    g.num_players = b.num_players
    g.hands = b.hands
    g.hand_number = hand
    if hand == 0:
        g.credits = b.credits_before
        dealer = dealer_of(key_low, key_high, int(g.num_players))
    else:
        g.credits = b.credits
        g.sabacc_pot = b.sabacc_pot
        dealer = (int(b.dealer) + 1) % int(g.num_players)
    reset_hand(g, d.rules, key_low, key_high, dealer)
    deal(g, d.rules)
    return key_low, key_high, show(g, d)
