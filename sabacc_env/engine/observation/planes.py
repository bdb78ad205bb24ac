"""The planes form of observation: cards as (place, suit, value), 1 where a card lies there.

``PLANES`` is the only description of the places. Nothing else is in the planes: bets, dice and the
rest are in the flat observation.
"""

from __future__ import annotations

from typing import Final, NamedTuple

import numpy as np

from sabacc_env.cards import CARDS
from sabacc_env.engine.bit_sets import lowest
from sabacc_env.engine.jit import inlined, jit
from sabacc_env.engine.layout import MAX_SEATS, NUM_CARDS, Array, Record
from sabacc_env.engine.piles import hand_mask


class Plane(NamedTuple):
    """One place where cards lie."""

    name: str
    meaning: str


_OPPONENTS = range(1, MAX_SEATS)

PLANES: Final = (
    Plane("own_hand", "own cards, without the Spike Card"),
    Plane("own_known", "own cards that everyone knows"),
    Plane("own_spike", "own Spike Card"),
    Plane("drawn", "the card being decided on"),
    Plane("discard_top", "the top discard"),
    Plane("seen", "cards seen and not shuffled away since"),
    *(
        Plane(f"opponent_{after}_known", f"known cards of opponent {after} to the left")
        for after in _OPPONENTS
    ),
    *(
        Plane(f"opponent_{after}_spike", f"Spike Card of opponent {after} to the left")
        for after in _OPPONENTS
    ),
)
"""The places in order. Opponents that a table lacks have none."""

NUM_SUITS: Final = 3
NUM_VALUES: Final = 21
PLANES_SHAPE: Final = (len(PLANES), NUM_SUITS, NUM_VALUES)
"""Places, suits, and values from -10 to +10. The two Sylops are 0, in the first two suits."""

SUIT_ROWS: Final = np.zeros(64, dtype=np.int8)
"""By card id: its row."""
VALUE_COLUMNS: Final = np.zeros(64, dtype=np.int8)
"""By card id: its column."""
for _card in range(NUM_CARDS):
    _value = CARDS[_card].value
    SUIT_ROWS[_card] = _card // 20 if _value else _card - 60
    VALUE_COLUMNS[_card] = _value + 10

KNOWN: Final = next(i for i, plane in enumerate(PLANES) if plane.name == "opponent_1_known")
SPIKES: Final = KNOWN + len(_OPPONENTS)


@inlined
def write_card_set(planes: Array, plane: int, cards: int) -> None:
    """Write a set of cards into a plane of zeros."""
    while cards != 0:
        card = lowest(cards)
        planes[plane, SUIT_ROWS[card & 63], VALUE_COLUMNS[card & 63]] = 1
        cards &= cards - 1


@inlined
def card_set(card: int) -> int:
    """Return a card as a set, which is empty for no card (-1)."""
    return 1 << card if card >= 0 else 0


@jit
def write_planes(g: Record, seat: int, planes: Array) -> None:
    """Write what a seat sees of the cards into an array of ``PLANES_SHAPE``."""
    for plane in range(planes.shape[0]):
        for row in range(planes.shape[1]):
            for column in range(planes.shape[2]):
                planes[plane, row, column] = 0
    top = int(g.num_discards) - 1
    write_card_set(planes, 0, hand_mask(g, seat))
    write_card_set(planes, 1, int(g.known[seat]))
    write_card_set(planes, 2, card_set(int(g.spikes[seat])))
    write_card_set(planes, 3, card_set(int(g.drawn)) if g.seat_to_act == seat else 0)
    write_card_set(planes, 4, 1 << int(g.discards[top]) if top >= 0 else 0)
    write_card_set(planes, 5, int(g.seen_by_all) | int(g.seen_by[seat]))
    num_players = int(g.num_players)
    for after in range(num_players - 1):
        other = (seat + after + 1) % num_players
        write_card_set(planes, KNOWN + after, int(g.known[other]))
        write_card_set(planes, SPIKES + after, card_set(int(g.spikes[other])))
