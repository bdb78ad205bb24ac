"""The discrete actions: one layout for every rule set, and what bet sizes mean.

First the actions that name nothing, then one action for each slot of the hand (a card of it, sorted
by value, then id) and each kind of move that puts a card down, then the bet sizes.
docs/reference/actions.md has the table.

>>> from sabacc_env import actions
>>> actions.CALL, actions.SWAP_SLOTS[2], actions.FIRST_BET
(7, 16, 29)
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from sabacc_env.engine.layout import (
    BET_MAX,
    BET_MIN,
    BET_SIZES_DTYPE,
    BUY_DISCARD,
    CALL,
    CHECK,
    DISCARD_DRAW,
    DISCARD_DRAWN,
    DRAW,
    FIRST_BET_ACTION,
    FIRST_CARD_ACTION,
    JUNK,
    KEEP,
    KINDS,
    MAX_BET_SIZES,
    MAX_HAND,
    REDRAW,
    REPLACE,
    REPLACE_SPIKE,
    SLOT_KINDS,
    STAND,
    SWAP,
)
from sabacc_env.errors import SabaccError, short_repr

__all__ = [
    "BUY_DISCARD",
    "CALL",
    "CHECK",
    "DEFAULT_BET_SIZES",
    "DISCARD_DRAWN",
    "DISCARD_DRAW_SLOTS",
    "DRAW",
    "FIRST_BET",
    "JUNK",
    "KEEP",
    "REDRAW_SLOTS",
    "REPLACE_SLOTS",
    "REPLACE_SPIKE",
    "STAND",
    "SWAP_SLOTS",
    "BetSize",
    "action_names",
    "default_actions",
    "encode_bet_sizes",
    "num_actions",
]


def _slots(kind: int) -> range:
    """Return the actions of a kind of move that puts a card down, one for each slot."""
    first = FIRST_CARD_ACTION + SLOT_KINDS.index(kind) * MAX_HAND
    return range(first, first + MAX_HAND)


DISCARD_DRAW_SLOTS: Final = _slots(DISCARD_DRAW)
SWAP_SLOTS: Final = _slots(SWAP)
REDRAW_SLOTS: Final = _slots(REDRAW)
REPLACE_SLOTS: Final = _slots(REPLACE)
"""The actions that put a card down: ``SWAP_SLOTS[i]`` swaps the card in slot i."""

FIRST_BET: Final = FIRST_BET_ACTION
"""The action of ``bet_sizes[0]``; ``FIRST_BET + i`` bets or raises to ``bet_sizes[i]``."""

BetSize = str | float | Fraction
"""``"min"``, ``"max"``, or a fraction of the pot that the call would make."""

DEFAULT_BET_SIZES: Final[tuple[BetSize, ...]] = ("min", 0.5, 1, "max")

PREFERRED: Final = (CHECK, STAND, JUNK)
"""What a default is chosen from; where none of these is legal, it is the first legal action."""

LARGEST_FRACTION: Final = 1000
FINEST_FRACTION: Final = 10**6
"""A fraction is taken as the nearest one with at most this denominator, so that 1/3 is exact and
the engine's integer arithmetic cannot overflow."""


def num_actions(bet_sizes: Sequence[BetSize]) -> int:
    """Return the number of discrete actions.

    Raises:
        SabaccError: for what are no bet sizes.
    """
    encode_bet_sizes(bet_sizes)  # refuses what is not a bet size
    return FIRST_BET + len(bet_sizes)


def action_names(bet_sizes: Sequence[BetSize] = DEFAULT_BET_SIZES) -> list[str]:
    """Return a name for every discrete action.

    Raises:
        SabaccError: for what are no bet sizes.

    >>> names = action_names()
    >>> names[0], names[9], names[-1]
    ('stand', 'discard_draw slot 0', 'raise max')
    """
    encode_bet_sizes(bet_sizes)  # refuses what is not a bet size
    cards = [f"{KINDS[kind]} slot {slot}" for kind in SLOT_KINDS for slot in range(MAX_HAND)]
    return [*KINDS[:FIRST_CARD_ACTION], *cards, *(f"raise {size}" for size in bet_sizes)]


def default_actions(action_masks: NDArray[np.int8]) -> NDArray[np.int64]:
    """Return what is played for who cannot answer: check, else stand, else junk, else the first.

    ========================================  =====================================================
    decision                                  default
    ========================================  =====================================================
    betting, no bet to call                   check
    betting, a bet to call                    junk; call where the rules let nobody junk there
    cards, first choice                       stand
    cards, a drawn card to decide on          keep; else discard it; else the first legal action,
                                              which replaces the Spike Card or the lowest card
    dice, a card to put down and draw anew    the lowest card
    ========================================  =====================================================

    Args:
        action_masks: (n, num_actions), with a legal action in each row.

    >>> default_actions(np.eye(33, dtype=np.int8)[[0, 19]] + np.eye(33, dtype=np.int8)[8])
    array([0, 8])
    """
    others = [action for action in range(action_masks.shape[1]) if action not in PREFERRED]
    order = np.array([*PREFERRED, *others])
    return np.asarray(order[action_masks[:, order].argmax(axis=1)])


def encode_bet_sizes(bet_sizes: Sequence[BetSize]) -> NDArray[Any]:
    """Turn bet sizes into an array of one record of ``BET_SIZES_DTYPE``, for the engine.

    Raises:
        SabaccError: for an empty or too long sequence, or a size that is no bet size.
    """
    text = isinstance(bet_sizes, str | bytes | bytearray | memoryview)
    if text or not isinstance(bet_sizes, Sequence) or not bet_sizes:
        raise SabaccError('bet_sizes: give a sequence such as ("min", 0.5, 1, "max")')
    if len(bet_sizes) > MAX_BET_SIZES:
        raise SabaccError(
            f"bet_sizes: {len(bet_sizes)} bet sizes are too many; give at most {MAX_BET_SIZES}"
        )
    encoded = [_encode(size) for size in bet_sizes]
    order = sorted(range(len(encoded)), key=lambda index: _magnitude(*encoded[index]))
    array = np.zeros(1, BET_SIZES_DTYPE)
    array["amount"] = len(encoded)
    array["numerators"][0, : len(encoded)] = [numerator for numerator, _ in encoded]
    array["denominators"][0, : len(encoded)] = [denominator for _, denominator in encoded]
    array["by_rank"][0, : len(encoded)] = order
    return array


def _magnitude(numerator: int, denominator: int) -> float | Fraction:
    """Return what sizes are sorted by: "min" is below every fraction, "max" above."""
    return math.inf if numerator == BET_MAX else Fraction(numerator, denominator)


def _encode(size: object) -> tuple[int, int]:
    if isinstance(size, str) and size in ("min", "max"):
        return (BET_MIN if size == "min" else BET_MAX), 1
    if isinstance(size, np.generic):
        size = size.item()
    if (
        isinstance(size, bool)
        or not isinstance(size, int | float | Fraction)
        or not 0 <= size <= LARGEST_FRACTION
    ):
        raise SabaccError(
            f'bet_sizes: {short_repr(size)} is not a bet size; use "min", "max" or a fraction of '
            f"the pot from 0 to {LARGEST_FRACTION}"
        )
    fraction = Fraction(size).limit_denominator(FINEST_FRACTION)
    return fraction.numerator, fraction.denominator
