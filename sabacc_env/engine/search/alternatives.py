"""Alternative chance: other outcomes of the chance events that follow a deal or an action.

All functions work on copies of a hand in play. What has happened stays; the draw pile, the dice to
come and later reshuffles are drawn again from a stream of the caller's, which has nothing to do
with the hand's key. So the copies are independent samples of what could have followed, given
everything that is known and hidden now.
"""

from typing import Final

import numpy as np

from sabacc_env.engine.bit_sets import count, lowest
from sabacc_env.engine.chance import below, next_word
from sabacc_env.engine.jit import jit
from sabacc_env.engine.layout import MAX_ROUNDS, NUM_CARDS, Record
from sabacc_env.engine.piles import SLOT_ORDER
from sabacc_env.engine.step import deal, play_action, reset_hand

CARD_AT: Final = np.zeros(64, dtype=np.int8)
"""The inverse of ``SLOT_ORDER``: the card at each place of the order by value."""
CARD_AT[SLOT_ORDER[:NUM_CARDS]] = np.arange(NUM_CARDS)

# What the next dice show, as far as it matters: NO_DOUBLES, DOUBLES, TWO_SPIKES.
NO_DOUBLES: Final = 0
DOUBLES: Final = 1
TWO_SPIKES: Final = 2
DICE_SHARES: Final = (30 / 36, 5 / 36, 1 / 36)
"""The probability of each."""


@jit
def redeal(g: Record, r: Record, state: int, increment: int) -> int:
    """Deal a hand again in which nobody has acted yet, and return the stream's new state."""
    g.credits = g.credits_before
    g.sabacc_pot = int(g.sabacc_pot) - int(r.sabacc_ante) * count(int(g.seated))
    state, low = next_word(state, increment)
    state, high = next_word(state, increment)
    reset_hand(g, r, low, high, int(g.dealer))
    deal(g, r)
    return state


@jit
def draw_pile_by_value(g: Record) -> int:
    """Return the draw pile as a set of places in the order by value."""
    places = 0
    for index in range(int(g.deck_next), int(g.deck_size)):
        places |= 1 << int(SLOT_ORDER[int(g.deck[index])])
    return places


@jit
def renew_chance(g: Record, places: int, rank: int, dice: int, state: int, increment: int) -> int:
    """Draw the chance to come again, with a given top card and given next dice.

    Args:
        g: a copy of a hand in play.
        places: its draw pile, as ``draw_pile_by_value`` returns it.
        rank: which card of the draw pile is on top, counted by value; the others are shuffled.
        dice: what the next dice show: ``NO_DOUBLES``, ``DOUBLES`` or ``TWO_SPIKES``. Later ones
            are rolled.
        state: of the stream.
        increment: likewise.

    Returns:
        The stream's new state.
    """
    state, low = next_word(state, increment)
    state, high = next_word(state, increment)
    g.key_low = low  # decides reshuffles
    g.key_high = high
    state = give_dice(g, dice, state, increment)
    if places == 0:
        return state
    for _ in range(rank):
        places &= places - 1
    top = int(CARD_AT[lowest(places)])
    begin = int(g.deck_next)
    end = int(g.deck_size)
    for index in range(begin, end):
        if g.deck[index] == top:
            g.deck[index] = g.deck[begin]
            g.deck[begin] = top
            break
    for index in range(begin + 1, end - 1):
        state, offset = below(state, increment, end - index)
        card = int(g.deck[index + offset])
        g.deck[index + offset] = g.deck[index]
        g.deck[index] = card
    g.deck_given = 1
    return state


@jit
def give_dice(g: Record, dice: int, state: int, increment: int) -> int:
    """Give the dice of all rounds to come; arguments and result as of ``renew_chance``."""
    next_round = int(g.rolls)
    for index in range(next_round, MAX_ROUNDS):
        state, first = below(state, increment, 6)
        state, second = below(state, increment, 6)
        g.dice[index, 0] = first + 1
        g.dice[index, 1] = second + 1
    if next_round < MAX_ROUNDS:
        g.dice[next_round, 0] = 1 if dice == TWO_SPIKES else 2
        g.dice[next_round, 1] = 1 if dice != DOUBLES else 2
    g.dice_given = MAX_ROUNDS
    return state


@jit
def play_alternative(g: Record, r: Record, action: int, sizes: Record) -> None:
    """Play an action in a copy of a hand: ``play_action``, which is inlined, compiled once."""
    play_action(g, r, action, sizes)


@jit
def chance_marker(g: Record) -> int:
    """Return a number that differs before and after an action if it used chance."""
    return int(g.rolls) << 32 | int(g.reshuffles) << 16 | int(g.deck_next) << 8 | int(g.deck_size)


@jit
def num_dice_groups(r: Record) -> int:
    """Return how many of the three kinds of dice differ in their effect under these rules."""
    if r.doubles == 0 and r.double_spike == 0:
        return 1
    return 2 if r.doubles == r.double_spike and r.spike_card == 0 else 3


@jit
def dice_share(dice: int, groups: int) -> float:
    """Return the probability of a group of dice that do not differ in their effect."""
    if groups == 1:
        return 1.0
    if groups == 2 and dice == DOUBLES:
        return DICE_SHARES[DOUBLES] + DICE_SHARES[TWO_SPIKES]
    return DICE_SHARES[dice]
