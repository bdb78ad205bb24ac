"""Moves in plain terms: a kind, the card it names or the total it raises to."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from sabacc_env.cards import Card
from sabacc_env.engine.layout import FIRST_CARD_ACTION, KINDS, RAISE
from sabacc_env.errors import IllegalMove

CARD_KINDS = KINDS[FIRST_CARD_ACTION:RAISE]
"""The kinds that name a card of the hand: the one put down."""


@dataclass(frozen=True, slots=True)
class Move:
    """One move of a seat (DESIGN.md, "Public names").

    Attributes:
        kind: one of ``stand``, ``draw``, ``buy_discard``, ``keep``, ``discard_drawn``,
            ``replace_spike``, ``check``, ``call``, ``junk``; with a card ``discard_draw``,
            ``swap``, ``redraw``, ``replace``; with an amount ``raise``.
        card: the card of the hand that is put down.
        amount: for a raise, the seat's total bet in this phase after the move, in credits.
        low, high, step: in ``Game.legal_moves()``, the totals that a raise may go to.

    >>> print(Move("swap", card=Card.parse("+3c")), "|", Move("raise", amount=40))
    swap +3c | raise 40
    """

    kind: str
    card: Card | int | None = None
    amount: int | None = None
    low: int | None = None
    high: int | None = None
    step: int | None = None

    def __str__(self) -> str:
        if self.card is not None:
            return f"{self.kind} {Card(self.card)}"
        return self.kind if self.amount is None else f"{self.kind} {self.amount}"


class Turn(NamedTuple):
    """A move as it was played: by which seat."""

    seat: int
    move: Move


def parse_move(text: str, hand: list[Card]) -> Move:
    """Read a move from text such as ``"draw"``, ``"raise 40"`` or ``"swap +3c"``.

    As a card, ``0`` means the lowest Sylop of the hand.

    Raises:
        IllegalMove: for text that is no move.
    """
    kind, _, rest = text.strip().partition(" ")
    rest = rest.strip()
    if kind not in KINDS:
        raise IllegalMove(f"{text!r} is no move: the kinds of move are {', '.join(KINDS)}")
    if kind == "raise":
        if not rest.isdecimal():
            raise IllegalMove(f"{text!r} names no total: write, for example, raise 40")
        return Move(kind, amount=int(rest))
    if kind in CARD_KINDS:
        if not rest:
            raise IllegalMove(f"{text!r} names no card: write, for example, {kind} +3c")
        sylops = [card for card in hand if card.suit is None]
        return Move(kind, card=sylops[0] if rest == "0" and sylops else Card.parse(rest))
    if rest:
        raise IllegalMove(f"{text!r}: {kind} takes nothing after it")
    return Move(kind)
