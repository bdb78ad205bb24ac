"""Worlds: hands in play as they may be, for all that one seat has seen.

A world is drawn by playing the public moves again from another deal. What is dealt then are tokens,
one for each card, in random order; which card a token is stands in ``labels``. Where a move names
a card that the player's hidden tokens do not include, one of these, any with the same chance,
changes its label with the token that has it. What is known at the end is put right likewise. No
rule of play looks at the value of a card before the reveal, so the tokens play as the cards would;
and every order of the deck that fits what was seen is as likely as any other.

After a reshuffle no order of the deck is worked out: the world fits what is seen now, not what was
seen before, and the players' actions are not weighed.
"""

from __future__ import annotations

from typing import Final, NamedTuple

import numpy as np

from sabacc_env.engine.chance import below, next_word, stream
from sabacc_env.engine.jit import jit
from sabacc_env.engine.layout import MAX_SEATS, NUM_CARDS, Array, Record
from sabacc_env.engine.observation.public_features import show_seats
from sabacc_env.engine.piles import add_card, clear_hand, count, hand_mask, lowest
from sabacc_env.engine.step import deal, play

WORLD: Final = 7
"""What a stream is for; see ``chance.py``."""

TRIES: Final = 64
"""How often a world is drawn anew that does not come to what was seen."""

SEEN_DTYPE: Final = np.dtype(
    (
        np.record,
        [
            ("known", "i8", (MAX_SEATS,)),  # cards that everyone knows to be in a hand
            ("spikes", "i8", (MAX_SEATS,)),  # a Spike Card as a set
            ("hand", "i8"),
            ("drawn", "i8"),  # the card being decided on, as a set
            ("buried", "i8"),  # cards seen that lie face down now
            ("seat", "i8"),
            ("pile_size", "i8"),
            ("pile", "i8", (NUM_CARDS,)),  # face up, top last
        ],
    )
)
"""What a seat sees where it is to act: cards as sets, but the discard pile in order."""

COURSE_DTYPE: Final = np.dtype(
    (np.record, [("kind", "i8"), ("card", "i8"), ("taken", "i8"), ("total", "i8")])
)
"""A public move: the card put down and the one taken off the discard pile, -1 for none; the total
is a raise's."""


class Course(NamedTuple):
    """A hand in play as a seat knows it."""

    start: Array  # (1,) GAME_DTYPE: ready for its deal, the dice given that have been rolled
    rules: Array  # (1,) RULES_DTYPE
    sizes: Array  # (1,) BET_SIZES_DTYPE
    moves: Array  # (n,) COURSE_DTYPE
    seen: Array  # (1,) SEEN_DTYPE


class Room(NamedTuple):
    """Where worlds are worked out."""

    game: Array  # (1,) GAME_DTYPE
    rows: Array  # (1,) OBSERVATION_DTYPE
    chances: Array  # (MAX_ACTIONS,) float64
    labels: Array  # (64,) int64: the card that each token is
    tokens: Array  # (64,) int64: the token that each card is
    order: Array  # (NUM_CARDS,) int64: the tokens as they were dealt
    pinned: Array  # (1,) int64: the tokens whose card is known, as a set
    random: Array  # (2,) int64: state and increment of a stream


# Drawing.


@jit
def draw_world(course: Course, room: Room, low: int, high: int, worlds: Array, place: int) -> bool:
    """Write a world to its place in an array, by a stream of (low, high, place).

    The labels of ``room.order`` are then the order of its deck. False where none was found: the
    moves do not lead to what is seen, or what they would have to after a reshuffle was too rare.
    """
    state, increment = stream(low, high, WORLD, place)
    room.random[0] = state
    room.random[1] = increment
    for _ in range(TRIES):
        if play_tokens(course, room) and fit_tokens(course, room):
            worlds[place] = room.game[0]
            label_world(course, room, worlds[place])
            return True
    return False


@jit
def random_below(room: Room, limit: int) -> int:
    """Return a random number below a limit."""
    state, found = below(int(room.random[0]), int(room.random[1]), limit)
    room.random[0] = state
    return found


@jit
def random_word(room: Room) -> int:
    """Return a random word of 32 bits."""
    state, word = next_word(int(room.random[0]), int(room.random[1]))
    room.random[0] = state
    return word


@jit
def play_tokens(course: Course, room: Room) -> bool:
    """Play the public moves with tokens in random order; False where a card named cannot be."""
    room.game[0] = course.start[0]
    g = room.game[0]
    r = course.rules[0]
    g.key_low = random_word(room)  # what a reshuffle, and dice to come, follow from
    g.key_high = random_word(room)
    room.pinned[0] = 0
    for card in range(len(room.labels)):
        room.labels[card] = card
        room.tokens[card] = card
    size = int(g.deck_size)
    for place in range(size):
        other = place + random_below(room, size - place)
        token = int(g.deck[other])
        g.deck[other] = g.deck[place]
        g.deck[place] = token
        room.order[place] = token
    deal(g, r)
    for index in range(len(course.moves)):
        move = course.moves[index]
        seat = int(g.seat_to_act)
        if seat < 0:
            return False
        if move.taken >= 0 and not fit(room, top_discard(g), 1 << int(move.taken)):
            return False
        slot = 0
        if move.card >= 0:
            token = token_named(room, int(move.card), hand_mask(g, seat))
            if token < 0:
                return False
            slot = slot_of(g, seat, token)
        reshuffles = int(g.reshuffles)
        play(g, r, int(move.kind), slot, int(move.total))
        if g.reshuffles != reshuffles:
            room.pinned[0] = int(room.pinned[0]) & ~draw_pile(g)
    return bool(g.seat_to_act == course.seen[0].seat and g.dice_missing == 0)


@jit
def top_discard(g: Record) -> int:
    """Return the top discard as a set."""
    return 1 << int(g.discards[int(g.num_discards) - 1]) if g.num_discards > 0 else 0


@jit
def slot_of(g: Record, seat: int, card: int) -> int:
    """Return the slot in which a seat holds a card, or -1."""
    for slot in range(int(g.num_cards[seat])):
        if g.cards[seat, slot] == card:
            return slot
    return -1


@jit
def draw_pile(g: Record) -> int:
    """Return the cards of the draw pile as a set."""
    cards = 0
    for place in range(int(g.deck_next), int(g.deck_size)):
        cards |= 1 << int(g.deck[place])
    return cards


@jit
def token_named(room: Room, card: int, hand: int) -> int:
    """Return which token of a hand is the card that was named, or -1 where none can be."""
    token = int(room.tokens[card])
    if int(room.pinned[0]) >> token & 1:
        return token if hand >> token & 1 else -1
    free = hand & ~int(room.pinned[0])
    if free == 0:
        return -1
    for _ in range(random_below(room, count(free))):
        free &= free - 1
    token = lowest(free)
    pin(room, token, card)
    return token


@jit
def pin(room: Room, token: int, card: int) -> None:
    """Make a token a card for good: it changes its label with the one that had it."""
    other = int(room.tokens[card])
    label = int(room.labels[token])
    room.labels[other] = label
    room.tokens[label] = other
    room.labels[token] = card
    room.tokens[card] = token
    room.pinned[0] = int(room.pinned[0]) | 1 << token


# Fitting what is seen.


@jit
def fit_tokens(course: Course, room: Room) -> bool:
    """Make the tokens in sight the cards that are seen there; False where that cannot be."""
    g = room.game[0]
    seen = course.seen[0]
    seat = int(seen.seat)
    if g.num_discards != seen.pile_size or not fit_pile(course, room):
        return False
    for other in range(int(g.num_players)):
        spike = 1 << int(g.spikes[other]) if g.spikes[other] >= 0 else 0
        if not fit(room, spike, int(seen.spikes[other])):
            return False
        if not fit(room, int(g.known[other]), int(seen.known[other])):
            return False
    drawn = 1 << int(g.drawn) if g.drawn >= 0 else 0
    buried = int(g.junked_cards) & (int(g.seen_by_all) | int(g.seen_by[seat]))
    return (
        fit(room, drawn, int(seen.drawn))
        and fit(room, hand_mask(g, seat), int(seen.hand))
        and fit(room, buried, int(seen.buried))
    )


@jit
def fit(room: Room, tokens: int, cards: int) -> bool:
    """Make tokens cards, both as sets; False where those pinned say otherwise."""
    if count(tokens) != count(cards):
        return False
    free = tokens
    wanted = cards
    while tokens != 0:
        token = lowest(tokens)
        tokens &= tokens - 1
        if int(room.pinned[0]) >> token & 1:
            free &= ~(1 << token)
            wanted &= ~(1 << int(room.labels[token]))
    if count(free) != count(wanted):
        return False
    while free != 0:
        if int(room.pinned[0]) >> int(room.tokens[lowest(wanted)]) & 1:
            return False
        pin(room, lowest(free), lowest(wanted))
        free &= free - 1
        wanted &= wanted - 1
    return True


@jit
def fit_pile(course: Course, room: Room) -> bool:
    """Make the tokens on the discard pile its cards, in order.

    Only those that are not pinned are paired: of several put down at once (D4) the order is that
    of the cards, not of the tokens.
    """
    g = room.game[0]
    seen = course.seen[0]
    size = int(seen.pile_size)
    pinned = int(room.pinned[0])
    here = 0
    for place in range(size):
        here |= 1 << int(g.discards[place])
    unpaired = 0
    for place in range(size):
        token = int(g.discards[place])
        if pinned >> token & 1 == 0:
            continue
        found = False
        for other in range(size):
            found = found or int(seen.pile[other]) == room.labels[token]
        if not found:
            return False
    for place in range(size):
        card = int(seen.pile[place])
        if pinned >> int(room.tokens[card]) & 1:
            if here >> int(room.tokens[card]) & 1 == 0:
                return False
            continue
        while pinned >> int(g.discards[unpaired]) & 1:
            unpaired += 1
        pin(room, int(g.discards[unpaired]), card)
        unpaired += 1
    return True


# The world.


@jit
def labelled(room: Room, tokens: int) -> int:
    """Return the cards that tokens are, both as sets."""
    cards = 0
    while tokens != 0:
        cards |= 1 << int(room.labels[lowest(tokens)])
        tokens &= tokens - 1
    return cards


@jit
def label_world(course: Course, room: Room, world: Record) -> None:
    """Make of a copy of the hand of tokens one of cards, with a future of its own."""
    g = room.game[0]
    seen = course.seen[0]
    for seat in range(int(g.num_players)):
        clear_hand(world, seat)
        for slot in range(int(g.num_cards[seat])):
            add_card(world, seat, int(room.labels[int(g.cards[seat, slot])]))
        world.known[seat] = labelled(room, int(g.known[seat]))
        world.seen_by[seat] = labelled(room, int(g.seen_by[seat]))
        if g.spikes[seat] >= 0:
            world.spikes[seat] = room.labels[int(g.spikes[seat])]
    world.seen_by_all = labelled(room, int(g.seen_by_all))
    world.junked_cards = labelled(room, int(g.junked_cards))
    if g.drawn >= 0:
        world.drawn = room.labels[int(g.drawn)]
    for place in range(int(g.deck_next), int(g.deck_size)):
        world.deck[place] = room.labels[int(g.deck[place])]
    for place in range(int(seen.pile_size)):
        world.discards[place] = seen.pile[place]
    world.deck_given = 0
    world.deck_state = random_word(room)
    world.deck_increment = random_word(room) | 1
    world.dice_given = -1
    show_seats(world, course.rules[0])
