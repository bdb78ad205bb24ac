"""The state form: everything about a hand, what is hidden and what is to come included.

It is for centralised critics in training, never for an agent. ``STATE_BLOCKS`` describes it: what
each seat observes, then where every card lies, then the dice of every round.
"""

from __future__ import annotations

from typing import Final

from sabacc_env.cards import CARDS
from sabacc_env.engine.chance import roll
from sabacc_env.engine.jit import jit
from sabacc_env.engine.layout import (
    DICE,
    FORCED,
    MAX_ROUNDS,
    MAX_SEATS,
    NUM_CARDS,
    Array,
    Record,
)
from sabacc_env.engine.observation.blocks import OBSERVATION_SIZE, Block, Column
from sabacc_env.engine.observation.encoding import PILE_ENCODING, SIXTHS
from sabacc_env.engine.observation.write import observe
from sabacc_env.engine.piles import pop_draw_pile

_SEATS = range(MAX_SEATS)

STATE_BLOCKS: Final = (
    Block(
        "card_places",
        (
            *(Column(f"hand_{seat}", f"in the hand of seat {seat}") for seat in _SEATS),
            *(Column(f"spike_{seat}", f"Spike Card of seat {seat}") for seat in _SEATS),
            Column("drawn", "being decided on"),
            Column("draw_pile", "in the draw pile: cards from it down, itself included, / 62"),
            Column("discards", "in the discard pile: cards from it down, itself included, / 62"),
            Column("junked", "junked, face down"),
        ),
        tuple(map(str, CARDS)),
    ),
    Block(
        "all_dice",
        (
            Column("first", "first die / 6, 0 without a dice phase"),
            Column("second", "second die / 6"),
            Column("rolled", "has been rolled"),
        ),
        tuple(f"round {number}" for number in range(1, MAX_ROUNDS + 1)),
    ),
)
"""What follows after the observations of all seats, in seat order."""

SPIKES: Final = MAX_SEATS
DRAWN: Final = 2 * MAX_SEATS
DRAW_PILE: Final = DRAWN + 1
DISCARDS: Final = DRAWN + 2
JUNKED: Final = DRAWN + 3

CARDS_SHAPE: Final = STATE_BLOCKS[0].shape
DICE_SHAPE: Final = STATE_BLOCKS[1].shape


@jit
def write_state(
    g: Record, r: Record, scratch: Array, rows: Array, cards: Array, dice: Array
) -> None:
    """Write the state of a hand.

    ``rows`` has one ``OBSERVATION_DTYPE`` for each seat, ``cards`` and ``dice`` are zeros of
    ``CARDS_SHAPE`` and ``DICE_SHAPE``. ``scratch`` is one game's record. Where the chance to come
    is forced card by card, nobody knows it: then the draw pile is in no order, and no dice are to
    come.
    """
    for seat in range(int(g.num_players)):
        observe(g, r, seat, rows[seat])
        for slot in range(int(g.num_cards[seat])):
            cards[int(g.cards[seat, slot]), seat] = 1.0
        if g.spikes[seat] >= 0:
            cards[int(g.spikes[seat]), SPIKES + seat] = 1.0
    if g.drawn >= 0:
        cards[int(g.drawn), DRAWN] = 1.0
    for place in range(int(g.num_discards)):
        cards[int(g.discards[place]), DISCARDS] = PILE_ENCODING[place + 1 & 63]
    for card in range(NUM_CARDS):
        cards[card, JUNKED] = int(g.junked_cards) >> card & 1
    write_draw_pile(g, scratch, cards)
    write_dice(g, r, dice)


@jit
def write_draw_pile(g: Record, scratch: Array, cards: Array) -> None:
    """Write the order of the draw pile."""
    left = int(g.deck_size) - int(g.deck_next)
    scratch[0] = g
    for place in range(left):
        if g.deck_given == FORCED:
            cards[int(g.deck[int(g.deck_next) + place]), DRAW_PILE] = PILE_ENCODING[1]
        else:
            cards[int(pop_draw_pile(scratch[0])), DRAW_PILE] = PILE_ENCODING[left - place & 63]


@jit
def write_dice(g: Record, r: Record, dice: Array) -> None:
    """Write the dice that were rolled and those to come."""
    rolls = False
    for index in range(int(r.num_phases)):
        rolls = rolls or r.phases[index] == DICE
    if not rolls:
        return
    for index in range(int(r.rounds)):
        first, second = 0, 0
        if index < g.rolls or index < g.dice_given:
            first, second = int(g.dice[index, 0]), int(g.dice[index, 1])
        elif g.dice_given < 0 and g.deck_given != FORCED:
            first, second = roll(int(g.key_low), int(g.key_high), index + 1)
        dice[index, 0] = SIXTHS[first & 7]
        dice[index, 1] = SIXTHS[second & 7]
        dice[index, 2] = 1.0 if index < g.rolls else 0.0


def state_size(num_players: int) -> int:
    """Return the length of the state of a table with so many seats."""
    return num_players * OBSERVATION_SIZE + sum(len(block.features) for block in STATE_BLOCKS)
