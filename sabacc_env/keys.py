"""Keys of hands: 64-bit numbers that deck, dice and reshuffles follow from."""

from __future__ import annotations

import numpy as np

from sabacc_env.engine import batch


def hand_key(seed: int, table: int, hand: int) -> int:
    """Return the key of a table's hand, by hand count: a hash of (seed, table, hand)."""
    keys = np.zeros((1, 2), dtype=np.int64)
    batch.hand_keys(*split_key(seed), np.array([table]), np.array([hand]), keys)
    return int(keys[0, 0]) | int(keys[0, 1]) << 32


def split_key(key: int) -> tuple[int, int]:
    """Return the low and high 32-bit words of a 64-bit key or seed."""
    return key & 0xFFFFFFFF, key >> 32
