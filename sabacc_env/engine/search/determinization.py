"""Determinizations: complete hands in play that agree with the information state of one seat.

A determinization is sampled by replaying the public moves from another deal. This deals tokens in
random order, one for each card, and ``card_of_token`` says which card a token is. A move may put
down a card that none of the player's tokens is. Then one of its hidden tokens, chosen uniformly,
exchanges its card with the token that has this card. The cards that are visible at the end are
assigned in the same way. No rule reads the value of a card before the reveal, so tokens play as
cards would, and every order of the deck that agrees with the information state is equally likely.

Cards that were visible at the seat's earlier turns are assigned there in the same way, where an
information state has them. Without them, a card that the seat saw and that lies face down now may
be in the place of another such card.

After a reshuffle the order of the deck is not reconstructed: the determinization agrees with what
is visible now, not with what was visible before, and the players' actions are not weighed.
"""

from __future__ import annotations

from typing import Final, NamedTuple

import numpy as np

from sabacc_env.engine.bit_sets import count, lowest
from sabacc_env.engine.chance import DETERMINIZATION, below, next_word, stream
from sabacc_env.engine.jit import jit
from sabacc_env.engine.layout import MAX_SEATS, NUM_CARDS, Array, Record
from sabacc_env.engine.observation.public_features import update_public_seats
from sabacc_env.engine.piles import add_card, clear_hand, hand_mask
from sabacc_env.engine.step import deal, play

MAX_ATTEMPTS: Final = 64
"""Sampling gives up after this many samples that disagree with the information state."""

VISIBLE_DTYPE: Final = np.dtype(
    (
        np.record,
        [
            ("num_moves", "i8"),  # how many came before
            ("known", "i8", (MAX_SEATS,)),  # the cards that everyone knows to be in a hand
            ("spikes", "i8", (MAX_SEATS,)),  # the Spike Card, as a set
            ("hand", "i8"),  # the seat's own
            ("drawn", "i8"),  # the card being decided on, as a set
            ("buried", "i8"),  # the cards that it has seen and that lie face down now
            ("seat", "i8"),
            ("num_discards", "i8"),
            ("discards", "i8", (NUM_CARDS,)),  # face up, top last
        ],
    )
)
"""The cards that a seat sees where it is to act, as sets; the discard pile in order."""

PUBLIC_MOVE_DTYPE: Final = np.dtype(
    (np.record, [("kind", "i8"), ("card", "i8"), ("taken", "i8"), ("total", "i8")])
)
"""A public move: its kind, the card put down, the card taken off the discard pile (-1 for none),
and the total of a raise."""


class InformationState(NamedTuple):
    """All that a seat knows of a hand in which it is to act."""

    start: Array  # (1,) GAME_DTYPE: ready for its deal, with the dice rolled so far as given
    rules: Array  # (1,) RULES_DTYPE
    sizes: Array  # (1,) BET_SIZES_DTYPE
    moves: Array  # (n,) PUBLIC_MOVE_DTYPE
    visible: Array  # (n,) VISIBLE_DTYPE: at earlier turns, as far as they count, and last now


class Workspace(NamedTuple):
    """Scratch memory for sampling determinizations."""

    game: Array  # (1,) GAME_DTYPE
    rows: Array  # (1,) OBSERVATION_DTYPE
    probabilities: Array  # (MAX_ACTIONS,) float64
    card_of_token: Array  # (64,) int64: the card that each token is
    token_of_card: Array  # (64,) int64: the token that each card is
    order: Array  # (NUM_CARDS,) int64: the tokens as they were dealt
    pinned: Array  # (1,) int64: the tokens whose card is known, as a set
    random_state: Array  # (2,) int64: state and increment of a stream


# Sampling.


@jit
def sample_determinization(
    info_state: InformationState,
    workspace: Workspace,
    seed_low: int,
    seed_high: int,
    determinizations: Array,
    place: int,
) -> bool:
    """Write a determinization at ``place``, by a stream of (seed_low, seed_high, place).

    Afterwards ``workspace.order`` holds the tokens of its deck.

    Returns:
        False if none was found, because the moves do not lead to the visible cards, or after a
        reshuffle do so too rarely.
    """
    state, increment = stream(seed_low, seed_high, DETERMINIZATION, place)
    workspace.random_state[0] = state
    workspace.random_state[1] = increment
    for _ in range(MAX_ATTEMPTS):
        if replay_with_tokens(info_state, workspace) and assign_visible_cards(
            info_state.visible[-1], workspace
        ):
            determinizations[place] = workspace.game[0]
            write_determinization(info_state, workspace, determinizations[place])
            return True
    return False


@jit
def random_below(workspace: Workspace, limit: int) -> int:
    """Return a random number below a limit."""
    state, found = below(int(workspace.random_state[0]), int(workspace.random_state[1]), limit)
    workspace.random_state[0] = state
    return found


@jit
def random_word(workspace: Workspace) -> int:
    """Return a random word of 32 bits."""
    state, word = next_word(int(workspace.random_state[0]), int(workspace.random_state[1]))
    workspace.random_state[0] = state
    return word


@jit
def replay_with_tokens(info_state: InformationState, workspace: Workspace) -> bool:
    """Replay the public moves with tokens; return False if they do not lead to what was visible."""
    workspace.game[0] = info_state.start[0]
    g = workspace.game[0]
    r = info_state.rules[0]
    g.key_low = random_word(workspace)  # decides reshuffles and the dice to come
    g.key_high = random_word(workspace)
    workspace.pinned[0] = 0
    for card in range(len(workspace.card_of_token)):
        workspace.card_of_token[card] = card
        workspace.token_of_card[card] = card
    size = int(g.deck_size)
    for place in range(size):
        other = place + random_below(workspace, size - place)
        token = int(g.deck[other])
        g.deck[other] = g.deck[place]
        g.deck[place] = token
        workspace.order[place] = token
    deal(g, r)
    turn = 0
    for index in range(len(info_state.moves)):
        if info_state.visible[turn].num_moves == index:
            if not assign_visible_cards(info_state.visible[turn], workspace):
                return False
            turn += 1
        move = info_state.moves[index]
        seat = int(g.seat_to_act)
        if seat < 0:
            return False
        if move.taken >= 0 and not assign_cards(workspace, top_discard(g), 1 << int(move.taken)):
            return False
        slot = 0
        if move.card >= 0:
            token = token_for_card(workspace, int(move.card), hand_mask(g, seat))
            if token < 0:
                return False
            slot = slot_of(g, seat, token)
        reshuffles = int(g.reshuffles)
        play(g, r, int(move.kind), slot, int(move.total))
        if g.reshuffles != reshuffles:
            workspace.pinned[0] = int(workspace.pinned[0]) & ~draw_pile_cards(g)
    return bool(g.seat_to_act == info_state.visible[0].seat and g.dice_missing == 0)


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
def draw_pile_cards(g: Record) -> int:
    """Return the cards of the draw pile as a set."""
    cards = 0
    for place in range(int(g.deck_next), int(g.deck_size)):
        cards |= 1 << int(g.deck[place])
    return cards


@jit
def token_for_card(workspace: Workspace, card: int, hand: int) -> int:
    """Return the token of a hand that becomes a card, or -1 if none can."""
    token = int(workspace.token_of_card[card])
    if int(workspace.pinned[0]) >> token & 1:
        return token if hand >> token & 1 else -1
    free = hand & ~int(workspace.pinned[0])
    if free == 0:
        return -1
    for _ in range(random_below(workspace, count(free))):
        free &= free - 1
    token = lowest(free)
    pin(workspace, token, card)
    return token


@jit
def pin(workspace: Workspace, token: int, card: int) -> None:
    """Make a token a card for good; the token that was this card gets the other's."""
    other = int(workspace.token_of_card[card])
    old = int(workspace.card_of_token[token])
    workspace.card_of_token[other] = old
    workspace.token_of_card[old] = other
    workspace.card_of_token[token] = card
    workspace.token_of_card[card] = token
    workspace.pinned[0] = int(workspace.pinned[0]) | 1 << token


# Assigning the visible cards.


@jit
def assign_visible_cards(visible: Record, workspace: Workspace) -> bool:
    """Assign the visible cards to the tokens in their places; return False if that fails."""
    g = workspace.game[0]
    seat = int(visible.seat)
    if g.num_discards != visible.num_discards or not assign_discard_pile(visible, workspace):
        return False
    for other in range(int(g.num_players)):
        spike = 1 << int(g.spikes[other]) if g.spikes[other] >= 0 else 0
        if not assign_cards(workspace, spike, int(visible.spikes[other])):
            return False
        if not assign_cards(workspace, int(g.known[other]), int(visible.known[other])):
            return False
    drawn = 1 << int(g.drawn) if g.drawn >= 0 else 0
    buried = int(g.junked_cards) & (int(g.seen_by_all) | int(g.seen_by[seat]))
    return (
        assign_cards(workspace, drawn, int(visible.drawn))
        and assign_cards(workspace, hand_mask(g, seat), int(visible.hand))
        and assign_cards(workspace, buried, int(visible.buried))
    )


@jit
def assign_cards(workspace: Workspace, tokens: int, cards: int) -> bool:
    """Assign cards to tokens, both as sets; return False if the pinned tokens rule it out."""
    if count(tokens) != count(cards):
        return False
    free = tokens
    wanted = cards
    while tokens != 0:
        token = lowest(tokens)
        tokens &= tokens - 1
        if int(workspace.pinned[0]) >> token & 1:
            free &= ~(1 << token)
            wanted &= ~(1 << int(workspace.card_of_token[token]))
    if count(free) != count(wanted):
        return False
    while free != 0:
        if int(workspace.pinned[0]) >> int(workspace.token_of_card[lowest(wanted)]) & 1:
            return False
        pin(workspace, lowest(free), lowest(wanted))
        free &= free - 1
        wanted &= wanted - 1
    return True


@jit
def assign_discard_pile(visible: Record, workspace: Workspace) -> bool:
    """Assign the cards of the discard pile to its tokens; return False if that fails.

    Tokens that are not pinned get the remaining cards in order. A pinned token may be in
    another place than its card, because several cards put down at once are sorted by card
    (RULES.md, D4).
    """
    g = workspace.game[0]
    size = int(visible.num_discards)
    pinned = int(workspace.pinned[0])
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
            found = found or int(visible.discards[other]) == workspace.card_of_token[token]
        if not found:
            return False
    for place in range(size):
        card = int(visible.discards[place])
        if pinned >> int(workspace.token_of_card[card]) & 1:
            if here >> int(workspace.token_of_card[card]) & 1 == 0:
                return False
            continue
        while pinned >> int(g.discards[unpaired]) & 1:
            unpaired += 1
        pin(workspace, int(g.discards[unpaired]), card)
        unpaired += 1
    return True


# Writing the determinization.


@jit
def cards_of_tokens(workspace: Workspace, tokens: int) -> int:
    """Return the cards of some tokens, both as sets."""
    cards = 0
    while tokens != 0:
        cards |= 1 << int(workspace.card_of_token[lowest(tokens)])
        tokens &= tokens - 1
    return cards


@jit
def write_determinization(
    info_state: InformationState, workspace: Workspace, determinization: Record
) -> None:
    """Replace the tokens by cards in a copy of the hand, and draw a new order of the draw pile."""
    g = workspace.game[0]
    visible = info_state.visible[-1]
    for seat in range(int(g.num_players)):
        clear_hand(determinization, seat)
        for slot in range(int(g.num_cards[seat])):
            add_card(determinization, seat, int(workspace.card_of_token[int(g.cards[seat, slot])]))
        determinization.known[seat] = cards_of_tokens(workspace, int(g.known[seat]))
        determinization.seen_by[seat] = cards_of_tokens(workspace, int(g.seen_by[seat]))
        if g.spikes[seat] >= 0:
            determinization.spikes[seat] = workspace.card_of_token[int(g.spikes[seat])]
    determinization.seen_by_all = cards_of_tokens(workspace, int(g.seen_by_all))
    determinization.junked_cards = cards_of_tokens(workspace, int(g.junked_cards))
    if g.drawn >= 0:
        determinization.drawn = workspace.card_of_token[int(g.drawn)]
    for place in range(int(g.deck_next), int(g.deck_size)):
        determinization.deck[place] = workspace.card_of_token[int(g.deck[place])]
    for place in range(int(visible.num_discards)):
        determinization.discards[place] = visible.discards[place]
    determinization.deck_given = 0
    determinization.deck_state = random_word(workspace)
    determinization.deck_increment = random_word(workspace) | 1
    determinization.dice_given = -1
    update_public_seats(determinization, info_state.rules[0])
