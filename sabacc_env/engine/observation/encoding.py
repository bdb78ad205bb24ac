"""How cards, moves and amounts are observed: as numbers that every mode computes alike.

A table is as long as the next power of 2, and is looked up by the lowest bits of a number: none
(-1) finds the last entry, and the compiler sees that no index is negative.
"""

from itertools import product
from typing import Final

import numpy as np

from sabacc_env.cards import Card
from sabacc_env.engine.jit import inlined
from sabacc_env.engine.layout import (
    BUY_DISCARD,
    CALL,
    CHECK,
    DISCARD_DRAW,
    DISCARD_DRAWN,
    DRAW,
    JUNK,
    KEEP,
    MAX_SEATS,
    NUM_CARDS,
    RAISE,
    REDRAW,
    REPLACE,
    REPLACE_SPIKE,
    STAND,
    SWAP,
)

SYLOP_ENCODING: Final = 0.05

CARD_ENCODING: Final = np.zeros(64, dtype=np.float32)
"""A card as value / 10, a Sylop 0.05, none 0."""
ENCODING_TO_VALUE: Final = np.float32(10.2)
"""An encoded card times this, cut to a whole number, is its value: also a Sylop's, which is 0."""
CARD_THIRDS: Final = np.zeros(64, dtype=np.float32)
"""A third for a card, 0 for none."""
CARD_THIRDS[:NUM_CARDS] = 1 / 3
SUIT_ENCODING: Final = np.zeros(64, dtype=np.float32)
"""A card's suit (1 to 3) / 3; 0 for a Sylop and for none."""
for _id in range(NUM_CARDS):
    _value = Card(_id).value
    CARD_ENCODING[_id] = _value / 10 if _value else SYLOP_ENCODING
    SUIT_ENCODING[_id] = (_id // 20 + 1) / 3 if _value else 0

SOURCE, HAND, MONEY = 0, 1, 2
KIND_ENCODING: Final = np.zeros((16, 3), dtype=np.float32)
"""A move kind as three numbers, none as zeros. ``SOURCE``: where a card comes from (1 the draw
pile, -1 the discard pile, 0.5 a forced redraw). ``HAND``: what becomes of the hand (above 0 it
grows or stays, below 0 a card is put down). ``MONEY``: what becomes of the bet (1 raise, 0.5 call,
0.25 check, -1 junk)."""
for _kind, _code in {
    STAND: (0, 0.5, 0),
    DRAW: (1, 1, 0),
    BUY_DISCARD: (-1, 1, 0),
    KEEP: (1, 0.75, 0),
    DISCARD_DRAWN: (1, 0.25, 0),
    REPLACE: (1, -0.5, 0),
    REPLACE_SPIKE: (1, -0.75, 0),
    DISCARD_DRAW: (1, -1, 0),
    SWAP: (-1, -1, 0),
    REDRAW: (0.5, -1, 0),
    CHECK: (0, 0, 0.25),
    CALL: (0, 0, 0.5),
    RAISE: (0, 0, 1),
    JUNK: (0, 0, -1),
}.items():
    KIND_ENCODING[_kind] = _code

THIRDS_OF_BITS: Final = np.zeros((256, 8), dtype=np.float32)
"""For each of eight bits a third, or 0."""
for _bits in range(256):
    THIRDS_OF_BITS[_bits] = [(_bits >> _bit & 1) / 3 for _bit in range(8)]
FLAGS: Final = np.array([0, 1], dtype=np.float32)
FIFTHS: Final = (np.arange(8) / 5).astype(np.float32)
SIXTHS: Final = (np.arange(8) / 6).astype(np.float32)
EIGHTHS: Final = (np.arange(16) / 8).astype(np.float32)
TENTHS: Final = (np.arange(16) / 10).astype(np.float32)
TOTAL_ENCODING: Final = (((np.arange(128) + 64) % 128 - 64) / 10).astype(np.float32)
"""A hand's total / 10, of totals from -60 to +60."""
PLACE_ENCODING: Final = (np.arange(32) / 31).astype(np.float32)
KEY_ENCODING: Final = (np.arange(64) / 63).astype(np.float32)
PILE_ENCODING: Final = (np.arange(64) / NUM_CARDS).astype(np.float32)

REVERSED_BITS: Final = np.zeros(1024, dtype=np.int16)
"""The negative cards of a suit, bits from -1 to -10, as bits from -10 to -1."""
for _cards in range(1024):
    REVERSED_BITS[_cards] = int(f"{_cards:010b}"[::-1], 2)

LOG_SEAT_ENCODING: Final = np.zeros((16, 8, 16), dtype=np.float32)
"""The seat of an action, 1 + seats after the observer, / 8: by players, observer, seat."""
for _players in range(1, MAX_SEATS + 1):
    for _observer, _seat in product(range(_players), repeat=2):
        LOG_SEAT_ENCODING[_players, _observer, _seat] = (1 + (_seat - _observer) % _players) / 8


@inlined
def flag(condition: bool) -> float:
    """Return 1 or 0, looked up: as a choice between two floats it would be a branch."""
    return float(FLAGS[int(condition)])


@inlined
def inverse(whole: int) -> float:
    """Return what ``share`` takes for a whole, which is taken as 1 if it is nothing."""
    return 1 / max(whole, 1)


@inlined
def share(part: int, per_whole: float, most: int) -> float:
    """Return a part of a whole given by its inverse, at most ``most``: one division for many."""
    return min(part * per_whole, float(most))


@inlined
def card_value(encoded: float) -> int:
    """Return the value of an encoded card; 0 for a Sylop and for none."""
    return int(encoded * ENCODING_TO_VALUE)
