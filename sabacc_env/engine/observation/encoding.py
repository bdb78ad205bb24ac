"""How cards, moves and amounts are encoded as features.

The tables give the same bits compiled, interpreted and on a GPU. The length of a table is a power
of 2, and it is indexed by the lowest bits of a number. So the number -1, for none, finds the last
entry, and the compiler sees that no index is negative.
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
"""By card id: value / 10, 0.05 for a Sylop, 0 for none."""
ENCODING_TO_VALUE: Final = np.float32(10.2)
"""An encoded card times this, truncated to an integer, is the card's value, for a Sylop 0."""
CARD_THIRDS: Final = np.zeros(64, dtype=np.float32)
"""By card id: a third, 0 for none."""
CARD_THIRDS[:NUM_CARDS] = 1 / 3
SUIT_ENCODING: Final = np.zeros(64, dtype=np.float32)
"""By card id: its suit (1 to 3) / 3, 0 for a Sylop and for none."""
for _id in range(NUM_CARDS):
    _value = Card(_id).value
    CARD_ENCODING[_id] = _value / 10 if _value else SYLOP_ENCODING
    SUIT_ENCODING[_id] = (_id // 20 + 1) / 3 if _value else 0

SOURCE, HAND, MONEY = 0, 1, 2
KIND_ENCODING: Final = np.zeros((16, 3), dtype=np.float32)
"""By kind of move: three features, zeros for none.

- ``SOURCE``: where a card comes from (1 the draw pile, -1 the discard pile, 0.5 a forced redraw)
- ``HAND``: how the hand changes (above 0 it grows or stays, below 0 a card is put down)
- ``MONEY``: how the bet changes (1 raise, 0.5 call, 0.25 check, -1 junk)."""
for _kind, _features in {
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
    KIND_ENCODING[_kind] = _features

THIRDS_OF_BITS: Final = np.zeros((256, 8), dtype=np.float32)
"""By eight bits as a number: for each bit a third, or 0."""
for _bits in range(256):
    THIRDS_OF_BITS[_bits] = [(_bits >> _bit & 1) / 3 for _bit in range(8)]
FLAGS: Final = np.array([0, 1], dtype=np.float32)
FIFTHS: Final = (np.arange(8) / 5).astype(np.float32)
SIXTHS: Final = (np.arange(8) / 6).astype(np.float32)
EIGHTHS: Final = (np.arange(16) / 8).astype(np.float32)
TENTHS: Final = (np.arange(16) / 10).astype(np.float32)
TOTAL_ENCODING: Final = (((np.arange(128) + 64) % 128 - 64) / 10).astype(np.float32)
"""By a hand's total, -60 to +60: total / 10."""
PLACE_ENCODING: Final = (np.arange(32) / 31).astype(np.float32)
KEY_ENCODING: Final = (np.arange(64) / 63).astype(np.float32)
PILE_ENCODING: Final = (np.arange(64) / NUM_CARDS).astype(np.float32)

REVERSED_BITS: Final = np.zeros(1024, dtype=np.int16)
"""By the negative cards of a suit as bits, from -1 to -10: the same bits from -10 to -1."""
for _cards in range(1024):
    REVERSED_BITS[_cards] = int(f"{_cards:010b}"[::-1], 2)

LOG_SEAT_ENCODING: Final = np.zeros((16, 8, 16), dtype=np.float32)
"""By players, observer and seat of an action: (1 + its seats after the observer) / 8."""
for _players in range(1, MAX_SEATS + 1):
    for _observer, _seat in product(range(_players), repeat=2):
        LOG_SEAT_ENCODING[_players, _observer, _seat] = (1 + (_seat - _observer) % _players) / 8


@inlined
def flag(condition: bool) -> float:
    """Return 1 or 0 from a table, because a choice between two floats would be a branch."""
    return float(FLAGS[int(condition)])


@inlined
def inverse(whole: int) -> float:
    """Return 1 / whole, for ``share``; 1 if the whole is 0."""
    return 1 / max(whole, 1)


@inlined
def share(part: int, per_whole: float, maximum: int) -> float:
    """Return part / whole, at most ``maximum``, from 1 / whole: one division for many shares."""
    return min(part * per_whole, float(maximum))


@inlined
def card_value(encoded: float) -> int:
    """Return the value of an encoded card; 0 for a Sylop and for none."""
    return int(encoded * ENCODING_TO_VALUE)
