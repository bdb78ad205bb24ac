"""Moves in plain terms, from and to the numbers that the engine has for them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from operator import index
from typing import Final

from sabacc_env.cards import CARDS, Card
from sabacc_env.engine.layout import (
    FIRST_BET_ACTION,
    FIRST_CARD_ACTION,
    KINDS,
    MAX_HAND,
    RAISE,
    RAISE_TO,
)
from sabacc_env.moves import CARD_KINDS, CARD_MOVES, PLAIN_MOVES, Move, Turn

DISCARD_TAKING_KINDS: Final = (KINDS.index("swap"), KINDS.index("buy_discard"))
"""The kinds of move that take the top discard."""

BITS_BELOW_BETS: Final = (1 << FIRST_BET_ACTION) - 1
"""The bits of all actions other than bets."""


def action_code(move: Move, hand: Sequence[Card]) -> int | None:
    """Return the engine's code of a well-formed move; None where its card is not in the hand."""
    kind = KINDS.index(move.kind)
    if kind < FIRST_CARD_ACTION:
        return kind
    if kind == RAISE:
        assert move.amount is not None
        return RAISE_TO + index(move.amount)
    assert move.card is not None
    card = CARDS[index(move.card)]
    if card not in hand:
        return None
    return FIRST_CARD_ACTION + (kind - FIRST_CARD_ACTION) * MAX_HAND + hand.index(card)


def moves_without_raise(legal_bits: int, cards: Sequence[int]) -> list[Move]:
    """Return the legal moves other than raises.

    Args:
        legal_bits: the legal actions as the engine has them, a bit each.
        cards: the ids of the seat's cards by slot; nobody reads it where no action needs a card.
    """
    moves = []
    bits = legal_bits & BITS_BELOW_BETS
    while bits:
        code = (bits & -bits).bit_length() - 1  # the lowest bit
        bits &= bits - 1  # without it
        if code < FIRST_CARD_ACTION:
            moves.append(PLAIN_MOVES[code])
        else:
            block, slot = divmod(code - FIRST_CARD_ACTION, MAX_HAND)
            moves.append(CARD_MOVES[block][cards[slot]])
    return moves


def unpack_moves(packed_moves: Sequence[int]) -> Iterator[Turn]:
    """Yield the moves that ``engine.step.pack_move`` packed, with the seats that played them."""
    for packed in packed_moves:
        seat, kind, argument = packed >> 40, KINDS[packed >> 32 & 255], packed & 0xFFFFFFFF
        if kind == "raise":
            yield Turn(seat, Move(kind, amount=argument))
        elif kind in CARD_KINDS:
            yield Turn(seat, Move(kind, card=Card(argument & 255)))
        else:
            yield Turn(seat, Move(kind))


def taken_discard(packed: int) -> Card | None:
    """Return the card that a packed move took off the discard pile; None for most moves."""
    if packed >> 32 & 255 not in DISCARD_TAKING_KINDS:
        return None
    card = (packed >> 8 & 255) - 1
    return None if card < 0 else CARDS[card]


def move_text(move: Move) -> str:
    """Return a legal move as text; for a raise, with all totals that it may go to."""
    if move.kind != "raise":
        return str(move)
    return f"raise {move.low} to {move.high}" + (f" by {move.step}" if move.step != 1 else "")
