"""Piles and hands, and which of their cards each seat has seen (RULES.md section 1)."""

from typing import Final

import numpy as np

from sabacc_env.cards import Card
from sabacc_env.engine.bit_sets import lowest
from sabacc_env.engine.chance import RESHUFFLE, below, forced_outcome, stream
from sabacc_env.engine.jit import inlined, jit
from sabacc_env.engine.layout import FORCED, NUM_CARDS, Record

VALUES: Final = np.zeros(64, dtype=np.int8)
"""By card id: its value; the last entry, for no card (-1), is 0."""
for _card in range(NUM_CARDS):
    VALUES[_card] = Card(_card).value

SLOT_ORDER: Final = np.zeros(64, dtype=np.int8)
"""By card id: its place in the order of a hand, by value, then id."""
for _place, _card in enumerate(sorted(range(NUM_CARDS), key=lambda card: Card(card).value)):
    SLOT_ORDER[_card] = _place


@jit
def card_value(card: int) -> int:
    """Return the value of a card id, -10 to +10; 0 for no card."""
    return int(VALUES[card & 63])


@jit
def mark_seen_by_all(g: Record, cards: int) -> None:
    """Mark a set of cards as seen by everyone."""
    g.seen_by_all = int(g.seen_by_all) | cards


# Piles.


@jit
def fill_draw_pile(g: Record, cards: int) -> None:
    """Make a set of cards the draw pile, in ascending id (RULES.md, D1)."""
    size = 0
    while cards != 0:
        g.deck[size] = lowest(cards)
        cards &= cards - 1
        size += 1
    g.deck_next = 0
    g.deck_size = size


@jit
def shuffle_draw_pile(g: Record, use: int, number: int) -> None:
    """Start the stream of this use, which shuffles the draw pile as its cards are drawn."""
    if g.deck_given == FORCED:
        return
    g.deck_given = 0
    state, increment = stream(int(g.key_low), int(g.key_high), use, number)
    g.deck_state = state
    g.deck_increment = increment


@jit
def reshuffle_discards(g: Record) -> None:
    """Shuffle all discards but the top one, and all junked cards, into a new draw pile (D1)."""
    top = int(g.num_discards) - 1
    cards = int(g.junked_cards)
    for i in range(top):
        cards |= 1 << int(g.discards[i])
    if cards == 0:
        return
    if top >= 0:
        g.discards[0] = g.discards[top]
        g.num_discards = 1
    g.junked_cards = 0
    g.seen_by_all = int(g.seen_by_all) & ~cards
    for seat in range(int(g.num_players)):
        g.seen_by[seat] = int(g.seen_by[seat]) & ~cards
    fill_draw_pile(g, cards)
    shuffle_draw_pile(g, RESHUFFLE, int(g.reshuffles))
    g.reshuffles = int(g.reshuffles) + 1


@inlined
def pop_draw_pile(g: Record) -> int:
    """Remove the top card, which is chosen only now: a lazy Fisher-Yates shuffle."""
    top = int(g.deck_next)
    if g.deck_given != 1:
        left = int(g.deck_size) - top
        if g.deck_given == FORCED:
            offset = forced_outcome(g, left)
        else:
            state, offset = below(int(g.deck_state), int(g.deck_increment), left)
            g.deck_state = state
        other = top + offset
        card = int(g.deck[other])
        g.deck[other] = g.deck[top]
        g.deck[top] = card
    g.deck_next = top + 1
    return int(g.deck[top])


@inlined
def take_top(g: Record) -> int:
    """Draw the top card, which then is in no pile and no hand. Reshuffle an empty pile (D1)."""
    if g.deck_next == g.deck_size:
        reshuffle_discards(g)
    card = pop_draw_pile(g)
    if g.deck_next == g.deck_size:
        reshuffle_discards(g)
    return card


@jit
def put_face_up(g: Record, card: int) -> None:
    """Put a card on top of the discard pile, where everyone sees it."""
    top = int(g.num_discards)
    g.discards[top] = card
    g.num_discards = top + 1
    mark_seen_by_all(g, 1 << card)


@jit
def put_all_face_up(g: Record, cards: int) -> None:
    """Put a set of cards on the discard pile in ascending id, the last one on top (D4)."""
    while cards != 0:
        put_face_up(g, lowest(cards))
        cards &= cards - 1


@jit
def turn_up(g: Record) -> None:
    """Turn the top card up. It is on the discard pile before the discards are reshuffled (D1)."""
    if g.deck_next == g.deck_size:
        reshuffle_discards(g)
    put_face_up(g, pop_draw_pile(g))
    if g.deck_next == g.deck_size:
        reshuffle_discards(g)


@jit
def take_discard(g: Record, seat: int) -> None:
    """Move the top discard into a hand, where everyone knows it."""
    top = int(g.num_discards) - 1
    card = int(g.discards[top])
    g.num_discards = top
    g.known[seat] = int(g.known[seat]) | 1 << card
    add_card(g, seat, card)


# Hands.


@jit
def add_card(g: Record, seat: int, card: int) -> None:
    """Add a card to a hand, which stays sorted by value, then id."""
    slot = int(g.num_cards[seat])
    while slot > 0:
        left = int(g.cards[seat, slot - 1])
        if SLOT_ORDER[left & 63] < SLOT_ORDER[card & 63]:
            break
        g.cards[seat, slot] = left
        slot -= 1
    g.cards[seat, slot] = card
    g.num_cards[seat] = int(g.num_cards[seat]) + 1
    g.seen_by[seat] = int(g.seen_by[seat]) | 1 << card


@inlined
def remove_card(g: Record, seat: int, slot: int) -> int:
    """Remove the card of a slot from a hand and return it."""
    card = int(g.cards[seat, slot])
    last = int(g.num_cards[seat]) - 1
    for i in range(slot, last):
        g.cards[seat, i] = g.cards[seat, i + 1]
    g.cards[seat, last] = -1
    g.num_cards[seat] = last
    g.known[seat] = int(g.known[seat]) & ~(1 << card)
    return card


@jit
def hand_mask(g: Record, seat: int) -> int:
    """Return the cards of a hand as a set, without the Spike Card."""
    cards = 0
    for slot in range(int(g.num_cards[seat])):
        cards |= 1 << int(g.cards[seat, slot])
    return cards


@jit
def clear_hand(g: Record, seat: int) -> None:
    """Empty a hand. The caller must put its cards elsewhere."""
    for slot in range(int(g.num_cards[seat])):
        g.cards[seat, slot] = -1
    g.num_cards[seat] = 0
    g.known[seat] = 0


@jit
def deal_spike(g: Record, seat: int) -> None:
    """Deal a Spike Card, face up."""
    card = take_top(g)
    g.spikes[seat] = card
    mark_seen_by_all(g, 1 << card)
