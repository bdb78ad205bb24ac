"""The legal actions of the seat to act (RULES.md sections 3 to 5)."""

from typing import Final

import numpy as np

from sabacc_env.engine.betting import may_junk, must_junk, raise_limits, to_call, total_of_size
from sabacc_env.engine.jit import inlined
from sabacc_env.engine.layout import (
    CALL,
    CARDS,
    CHECK,
    DICE,
    FIRST_BET_ACTION,
    JUNK,
    MAX_HAND,
    NUM_KINDS,
    REDRAW,
    SLOT_KINDS,
    Record,
    kind_bits,
)

KIND_BITS: Final = np.array([kind_bits(kind) for kind in range(NUM_KINDS)], dtype=np.int64)
"""By kind of move: its actions, as bits."""
SLOT_BITS: Final = np.array(
    [~sum(kind_bits(kind, count) for kind in SLOT_KINDS) for count in range(MAX_HAND + 1)]
)
"""By number of cards in a hand: all actions but those on slots without a card."""


@inlined
def legal_actions(g: Record, r: Record, sizes: Record) -> int:
    """Return the legal actions of the seat to act, as bits; ``sizes`` is of ``BET_SIZES_DTYPE``."""
    seat = int(g.seat_to_act)
    if seat < 0:
        return 0
    if g.phase == DICE:
        return int(KIND_BITS[REDRAW]) & int(SLOT_BITS[int(g.num_cards[seat])])
    if g.phase == CARDS:
        return card_actions(g, r, seat)
    return bet_actions(g, r, seat, sizes)


@inlined
def card_actions(g: Record, r: Record, seat: int) -> int:
    """Return the legal actions of a card phase: first choices, or second choices after a draw."""
    actions = int(r.second_choices) if g.drawn >= 0 else int(r.first_choices)
    credits_left = int(g.credits[seat])
    if r.points == 0 and credits_left < r.highest_fee:
        for kind in range(NUM_KINDS):
            if credits_left < r.fees[kind]:
                actions &= ~int(KIND_BITS[kind])
    return actions & int(SLOT_BITS[int(g.num_cards[seat])])


@inlined
def bet_actions(g: Record, r: Record, seat: int, sizes: Record) -> int:
    """Return the legal actions of a betting phase."""
    actions = 0
    if to_call(g, seat) == 0:
        actions |= 1 << CHECK
    elif not must_junk(g, r, seat):
        actions |= 1 << CALL
    if may_junk(g, r, seat):
        actions |= 1 << JUNK
    low, high = raise_limits(g, r, seat)
    if low > high:
        return actions
    return actions | sized_raises(g, r, seat, low, high, sizes)


@inlined
def sized_raises(g: Record, r: Record, seat: int, low: int, high: int, sizes: Record) -> int:
    """Return the actions of the bet sizes, for each total only the first in the layout."""
    actions = 0
    total = -1
    first = -1
    for rank in range(int(sizes.amount)):  # in ascending order, so equal totals are neighbours
        index = int(sizes.by_rank[rank])
        previous = total
        total = total_of_size(g, r, seat, low, high, sizes, index)
        if total != previous:
            first = index
            actions |= 1 << (FIRST_BET_ACTION + first)
        elif index < first:
            actions ^= 1 << (FIRST_BET_ACTION + first) | 1 << (FIRST_BET_ACTION + index)
            first = index
    return actions
