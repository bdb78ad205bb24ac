"""The records of the engine, one for the rules and one for a hand in play, and its integer codes.

A hand in play is one record, which is read together with its rules record. Copying it clones the
game, and equal bytes are equal games. Every integer field is signed, because Numba turns a mix of
signed and unsigned integers into floats. No field has the name of a method of ``np.record``, which
interpreted code would find instead. -1 stands for no seat, no card and no slot. Sets of seats and
of cards are bit masks.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from sabacc_env import cards
from sabacc_env.rules import limits

MAX_SEATS: Final = limits.MAX_SEATS
MAX_HAND: Final = limits.MAX_HAND
MAX_ROUNDS: Final = limits.MAX_ROUNDS
NUM_CARDS: Final = cards.NUM_CARDS
LOG_LENGTH: Final = 16
"""How many of the last public actions a record keeps, for the observation."""
LOG_FEATURES: Final = 4
"""The features kept of each action: three for its kind, one for the credits."""

# Kinds of moves. The first nine are complete; the next four need the slot of a card, and the last a
# total.
STAND: Final = 0
DRAW: Final = 1
BUY_DISCARD: Final = 2
KEEP: Final = 3
DISCARD_DRAWN: Final = 4
REPLACE_SPIKE: Final = 5
CHECK: Final = 6
CALL: Final = 7
JUNK: Final = 8
DISCARD_DRAW: Final = 9
SWAP: Final = 10
REDRAW: Final = 11
REPLACE: Final = 12
RAISE: Final = 13
KINDS: Final = (
    "stand",
    "draw",
    "buy_discard",
    "keep",
    "discard_drawn",
    "replace_spike",
    "check",
    "call",
    "junk",
    "discard_draw",
    "swap",
    "redraw",
    "replace",
    "raise",
)
NUM_KINDS: Final = len(KINDS)

# The layout of the discrete actions, the same for every rule set: first each complete kind, then
# five actions for each kind that needs a slot, then the bet sizes.
FIRST_CARD_ACTION: Final = DISCARD_DRAW
FIRST_BET_ACTION: Final = FIRST_CARD_ACTION + 4 * MAX_HAND
SLOT_KINDS: Final = (DISCARD_DRAW, SWAP, REDRAW, REPLACE)
MAX_ACTIONS: Final = 62
"""Legal actions are the bits of one signed 64-bit integer."""
MAX_BET_SIZES: Final = MAX_ACTIONS - FIRST_BET_ACTION
RAISE_TO: Final = 64
"""``RAISE_TO`` + total is the code of a raise to any legal total, outside the layout."""
BET_MIN: Final = -1
BET_MAX: Final = -2
"""In place of a fraction's numerator: the smallest and the largest legal total."""

# Phases.
CARDS: Final = 0
DICE: Final = 1
BETTING: Final = 2
OVER: Final = 3
PHASES: Final = ("cards", "dice", "betting", "over")

# What doubles do.
NO_REDRAW: Final = 0
REDRAW_ONE: Final = 1
REDRAW_ALL: Final = 2
DOUBLES: Final = ("none", "redraw_one", "redraw_all")

# When a seat may junk.
FACING_BET: Final = 0
ANY_BETTING: Final = 1
CARD_PHASE: Final = 2
JUNK_WHEN: Final = ("facing_bet", "betting", "cards")

# Rankings.
CASINO: Final = 0
SPACERS: Final = 1
ALTA_ORSL: Final = 2
ALTA_THREE_EN: Final = 3
ALTA_YARITH_BESPIN: Final = 4
RANKINGS: Final = ("casino", "spacers", "alta_orsl", "alta_three_en", "alta_yarith_bespin")

UNLIMITED: Final = limits.MAX_CREDITS
"""A limit that never binds: credits in play never exceed it."""

FORCED: Final = 2
"""In ``deck_given``: every chance outcome is forced; see ``chance.force_chance``."""

NUM_RULE_FEATURES: Final = 40
SEAT_FEATURES: Final = 24
"""How many features opponents observe of a seat; see the block ``opponents``."""
OBSERVED_ROUNDS: Final = 4
"""The dice and the card actions of this many rounds are observed, the last ones of a hand."""


def kind_bits(kind: int, first_slot: int = 0) -> int:
    """Return the actions of a kind as bits; those on slots below ``first_slot`` are left out."""
    if kind not in SLOT_KINDS:
        return 1 << kind
    first = FIRST_CARD_ACTION + (kind - FIRST_CARD_ACTION) * MAX_HAND
    return sum(1 << (first + slot) for slot in range(first_slot, MAX_HAND))


KIND_OF_ACTION: Final = np.array(
    [
        *range(FIRST_CARD_ACTION),
        *(kind for kind in SLOT_KINDS for _ in range(MAX_HAND)),
        *[RAISE] * MAX_BET_SIZES,
    ]
)
"""By discrete action: the kind of its move."""

Record = Any
"""A rules or game record: compiled, a reference into an array; interpreted, an ``np.record``."""
Array = NDArray[Any]
"""An array of records or of numbers."""


def _record(fields: list[tuple[Any, ...]]) -> np.dtype[Any]:
    """Return a record type of these fields and a field of padding.

    NumPy does not copy bytes outside of fields, but equal games must be equal bytes.
    """
    used = sum(np.dtype(field[1:] if len(field) > 2 else field[1]).itemsize for field in fields)
    padding = np.dtype(fields, align=True).itemsize - used
    if padding:
        fields = [*fields, ("padding", "i1", (padding,))]
    record = np.dtype((np.record, np.dtype(fields, align=True)))
    assert record.itemsize == used + padding, "order the fields by size: there are gaps"
    return record


RULES_DTYPE: Final = _record(
    [
        ("deck_size", "i8"),
        ("rounds", "i8"),
        ("cards_dealt", "i8"),
        ("hand_ante", "i8"),
        ("sabacc_ante", "i8"),
        ("per_start", "f8", (MAX_SEATS,)),  # 1 / starting credits, 1 where there are none
        ("points", "i8"),  # 1: no credits, every seat stakes one point
        ("phases", "i8", (3,)),
        ("num_phases", "i8"),
        ("opening_bet", "i8"),
        ("first_choices", "i8"),  # the actions of a card turn, as bits
        ("second_choices", "i8"),  # the actions after a draw, as bits; 0: the card joins the hand
        ("fees", "i8", (NUM_KINDS,)),
        ("highest_fee", "i8"),
        ("doubles", "i8"),
        ("double_spike", "i8"),
        ("junk_when", "i8"),
        ("junk_penalty", "i8"),
        ("junk_face_up", "i8"),
        ("all_in", "i8"),  # 1: a short call is all-in; 0: a seat that cannot call must junk
        ("min_bet", "i8"),
        ("max_bet", "i8"),
        ("min_raise", "i8"),
        ("max_raise", "i8"),
        ("bet_step", "i8"),
        ("max_raises", "i8"),
        ("spike_card", "i8"),
        ("turns_up", "i8"),  # 1: the top card is turned up after the deal
        ("ranking", "i8"),
        ("features", "f4", (NUM_RULE_FEATURES,)),  # the rule description as observed
        ("deck", "i1", (NUM_CARDS,)),  # the cards in play in ascending id, then -1
    ]
)

PUBLIC_SEAT_DTYPE: Final = np.dtype((np.record, [("features", "f4", (SEAT_FEATURES,))]))
LOG_ENTRY_DTYPE: Final = np.dtype((np.record, [("features", "f4", (LOG_FEATURES,))]))
"""The observed features of a seat, and of an action. Compiled code copies a record in a few
instructions."""

BET_SIZES_DTYPE: Final = _record(
    [
        ("amount", "i8"),  # how many sizes there are
        ("numerators", "i8", (MAX_BET_SIZES,)),  # BET_MIN or BET_MAX for the ends of the grid
        ("denominators", "i8", (MAX_BET_SIZES,)),
        ("by_rank", "i8", (MAX_BET_SIZES,)),  # the indices of the sizes in ascending order
    ]
)

GAME_DTYPE: Final = _record(
    [
        # Chance: the hand's key, and the stream that shuffles the draw pile card by card.
        ("key_low", "i8"),  # the lower word of the hand's 64-bit key
        ("key_high", "i8"),  # its upper word
        ("deck_state", "i8"),  # of the stream that shuffles the draw pile
        ("deck_increment", "i8"),  # likewise
        # Sets of cards.
        ("junked_cards", "i8"),  # face down under the discard pile
        ("seen_by_all", "i8"),  # seen by everyone and not shuffled away since
        ("seen_by", "i8", (MAX_SEATS,)),  # seen by this seat alone, likewise
        ("known", "i8", (MAX_SEATS,)),  # taken face up into this hand and still there
        # Credits.
        ("credits", "i4", (MAX_SEATS,)),  # of each seat, bets already taken off
        ("credits_before", "i4", (MAX_SEATS,)),  # before the antes
        ("net_credits", "i4", (MAX_SEATS,)),  # once the hand is over
        ("bet_phase", "i4", (MAX_SEATS,)),  # put in during this betting phase
        ("bet_hand", "i4", (MAX_SEATS,)),  # put in during betting phases of this hand
        ("staked", "i4"),  # everything staked in this hand: antes, fees, penalties, bets
        ("highest_bet", "i4"),  # of this betting phase
        ("sabacc_pot", "i4"),  # credits in it
        ("pot_amounts", "i4", (MAX_SEATS,)),  # of each layer, once the hand is over
        ("paid", "i4"),  # by the last move; for a raise its total
        ("rolls", "i4"),  # rounds whose dice have been rolled
        ("raises", "i4"),  # in this betting phase, the first bet not counted
        ("reshuffles", "i4"),  # how many this hand has had
        ("hand_number", "i4"),  # how many hands this episode has finished
        ("hands", "i4"),  # how many hands this episode has at most
        # The last public actions, as observed: a ring, with the newest at log_first.
        ("log", LOG_ENTRY_DTYPE, (LOG_LENGTH,)),  # kind and credits of each
        ("public", PUBLIC_SEAT_DTYPE, (MAX_SEATS,)),  # each seat as its opponents observe it
        ("public_dice", "f4", (2 * MAX_ROUNDS,)),  # as observed; zeros until they are rolled
        # Sets of seats.
        ("seated", "i2"),  # dealt in this hand
        ("remaining", "i2"),  # seated and not junked
        ("yet_to_act", "i2"),  # in this phase
        ("pot_seats", "i2", (MAX_SEATS,)),  # who can win each layer
        # Cards.
        ("cards", "i1", (MAX_SEATS, MAX_HAND)),  # hands by value, then id
        ("num_cards", "i1", (MAX_SEATS,)),  # how many each seat holds
        ("spikes", "i1", (MAX_SEATS,)),  # each seat's Spike Card
        ("drawn", "i1"),  # bought or gained and not yet decided on
        ("deck", "i1", (NUM_CARDS,)),  # the draw pile is deck[deck_next:deck_size]
        ("deck_next", "i1"),  # the place of the top card
        ("deck_size", "i1"),  # the place after the last card
        ("deck_given", "i1"),  # 0: drawn from the stream; 1: the order is as given; FORCED
        ("discards", "i1", (NUM_CARDS,)),  # face up, top last
        ("num_discards", "i1"),  # how many there are
        ("dice", "i1", (MAX_ROUNDS, 2)),  # of each round; zeros until they are rolled
        ("dice_given", "i1"),  # how many rounds' dice were given; -1: the key rolls
        # Progress.
        ("num_players", "i1"),  # 2 to 8
        ("dealer", "i1"),  # a seat
        ("seat_to_act", "i1"),  # -1 once the hand is over
        ("last_seat", "i1"),  # whose turn was last in this phase; the dealer at its start
        ("phase", "i1"),  # CARDS, DICE, BETTING or OVER
        ("phase_index", "i1"),  # its index in the phases of the rules
        ("round_no", "i1"),  # 0 in an opening bet, then 1 and up
        ("dice_missing", "i1"),  # 1: the given dice have run out, and the move must be taken back
        ("revealed", "i1"),  # 1: hands were compared
        ("num_pots", "i1"),  # how many layers
        ("pot_winners", "i1", (MAX_SEATS,)),  # of each layer
        ("last_action", "i1", (MAX_SEATS,)),  # of each seat: a kind of move
        ("card_action", "i1", (MAX_SEATS, MAX_ROUNDS)),  # of each seat in each round, likewise
        ("log_first", "i1"),  # the place of the newest action
        ("log_seats", "i1", (LOG_LENGTH,)),  # the seat of each action in the log
    ]
)
