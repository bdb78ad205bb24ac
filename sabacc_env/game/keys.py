"""Keys of hands: 64-bit numbers that deck, dice and reshuffles follow from."""

from __future__ import annotations

from sabacc_env.engine import chance


def hand_key(seed: int, table: int, hand: int) -> int:
    """Return the key of a table's hand, by hand count: a hash of (seed, table, hand)."""
    low, high = chance.hand_key(*split_key(seed), table, hand)
    return int(low) | int(high) << 32


def split_key(key: int) -> tuple[int, int]:
    """Return the low and high 32-bit words of a 64-bit key or seed."""
    return key & 0xFFFFFFFF, key >> 32
