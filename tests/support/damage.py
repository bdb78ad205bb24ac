"""Damages the bytes of files."""

from __future__ import annotations

import random


def flip_bit(data: bytes, place: int, bit: int = 0) -> bytes:
    """Return bytes with one bit of the byte at a place changed."""
    changed = bytearray(data)
    changed[place] ^= 1 << bit
    return bytes(changed)


def flip_random_bit(data: bytes, rng: random.Random) -> bytes:
    """Return bytes with one bit changed."""
    return flip_bit(data, rng.randrange(len(data)), rng.randrange(8))
