"""Cards on the move: piles, hands, and what each seat has seen of them (RULES.md section 1)."""

from typing import Final

import numpy as np

from sabacc_env.cards import Card
from sabacc_env.engine.chance import RESHUFFLE, below, forced_outcome, stream
from sabacc_env.engine.jit import inlined, jit
from sabacc_env.engine.layout import FORCED, NUM_CARDS, Record

VALUES: Final = np.zeros(64, dtype=np.int8)
"""The value of every card id; the last entry is for no card (-1), which counts nothing."""
for _card in range(NUM_CARDS):
    VALUES[_card] = Card(_card).value

SLOT_ORDER: Final = np.zeros(64, dtype=np.int8)
"""The place of every card id in a hand's order: by value, then id."""
for _place, _card in enumerate(sorted(range(NUM_CARDS), key=lambda card: Card(card).value)):
    SLOT_ORDER[_card] = _place


@jit
def card_value(card: int) -> int:
    """Return the value of a card id, -10 to +10; 0 for no card."""
    return int(VALUES[card & 63])


@jit
def count(members: int) -> int:
    """Return how many members a set has: a loop that compiles to one instruction."""
    found = 0
    while members != 0:
        members &= members - 1
        found += 1
    return found


@jit
def lowest(members: int) -> int:
    """Return the smallest member of a set of seats, cards or actions that is not empty."""
    return count((members & -members) - 1)


@jit
def highest(members: int) -> int:
    """Return the largest member of a set that is not empty."""
    for shift in (1, 2, 4, 8, 16, 32):
        members |= members >> shift
    return count(members) - 1


@jit
def next_seat(seats: int, after: int) -> int:
    """Return the nearest seat of a set clockwise from a seat (itself last), or -1."""
    if seats == 0:
        return -1
    later = seats >> (after + 1) << (after + 1)
    return lowest(later if later != 0 else seats)


@jit
def mark_seen_by_all(g: Record, cards: int) -> None:
    """Note that everyone has seen these cards."""
    g.seen_by_all = int(g.seen_by_all) | cards


# Piles.


@jit
def fill_draw_pile(g: Record, cards: int) -> None:
    """Make a set of cards the draw pile, in ascending id."""
    size = 0
    while cards != 0:
        g.deck[size] = lowest(cards)
        cards &= cards - 1
        size += 1
    g.deck_next = 0
    g.deck_size = size


@jit
def shuffle_draw_pile(g: Record, use: int, number: int) -> None:
    """Let the stream of this use shuffle the draw pile, as its cards are drawn."""
    if g.deck_given == FORCED:
        return
    g.deck_given = 0
    state, increment = stream(int(g.key_low), int(g.key_high), use, number)
    g.deck_state = state
    g.deck_increment = increment


@jit
def renew_draw_pile(g: Record) -> None:
    """D1: the top discard stays, the other discards and all junked cards are shuffled."""
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
    """Remove the top card: the shuffle is drawn card by card (a lazy Fisher-Yates)."""
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
    """Draw the top card, into no pile and no hand; an emptied pile is renewed at once (D1)."""
    if g.deck_next == g.deck_size:
        renew_draw_pile(g)
    card = pop_draw_pile(g)
    if g.deck_next == g.deck_size:
        renew_draw_pile(g)
    return card


@jit
def put_face_up(g: Record, card: int) -> None:
    """Put a card on the discard pile, where everyone sees it."""
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
    """Turn the top card up: it lies on the discard pile before D1 looks at the draw pile."""
    if g.deck_next == g.deck_size:
        renew_draw_pile(g)
    put_face_up(g, pop_draw_pile(g))
    if g.deck_next == g.deck_size:
        renew_draw_pile(g)


@jit
def take_discard(g: Record, seat: int) -> None:
    """Take the top discard into a hand: everyone knows that it is there."""
    top = int(g.num_discards) - 1
    card = int(g.discards[top])
    g.num_discards = top
    g.known[seat] = int(g.known[seat]) | 1 << card
    add_card(g, seat, card)


# Hands.


@jit
def add_card(g: Record, seat: int, card: int) -> None:
    """Put a card into a hand, which stays sorted by value, then id."""
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
    """Take the card of a slot out of a hand and return it."""
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
    """Return the cards of a hand as a set, the Spike Card not among them."""
    cards = 0
    for slot in range(int(g.num_cards[seat])):
        cards |= 1 << int(g.cards[seat, slot])
    return cards


@jit
def clear_hand(g: Record, seat: int) -> None:
    """Empty a hand; its cards are the caller's."""
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
