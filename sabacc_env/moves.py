"""Moves in plain terms: a kind, and the card it puts down or the total it raises to."""

from __future__ import annotations

from dataclasses import dataclass
from operator import index
from typing import Any, Final, NamedTuple

from sabacc_env.cards import CARDS, NUM_CARDS, Card
from sabacc_env.engine.layout import FIRST_CARD_ACTION, KINDS, RAISE, UNLIMITED
from sabacc_env.errors import IllegalMove, SabaccError, short_repr

CARD_KINDS = KINDS[FIRST_CARD_ACTION:RAISE]
"""The kinds of move that put down a card of the hand."""


@dataclass(frozen=True, slots=True)
class Move:
    """One move of a seat; RULES.md says when each is legal.

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


# Moves are immutable, and to make one takes as long as to play it, so they are made once.
PLAIN_MOVES: Final = tuple(map(Move, KINDS[:FIRST_CARD_ACTION]))
"""The moves without card and amount, in the order of their kinds."""
CARD_MOVES: Final = tuple(tuple(Move(kind, card) for card in CARDS) for kind in CARD_KINDS)
"""For each kind that puts down a card, its moves by the card's id."""


def is_well_formed(move: object) -> bool:
    """Return whether ``move`` is a ``Move`` with exactly the card or amount that its kind needs."""
    if not (isinstance(move, Move) and isinstance(move.kind, str) and move.kind in KINDS):
        return False
    if move.kind == "raise":
        return move.card is None and _is_integer(move.amount, 0, UNLIMITED)
    if move.kind in CARD_KINDS:
        return move.amount is None and _is_integer(move.card, 0, NUM_CARDS - 1)
    return move.card is None and move.amount is None


def _is_integer(value: Any, least: int, most: int) -> bool:
    if isinstance(value, bool) or not hasattr(value, "__index__"):
        return False
    return least <= index(value) <= most


class Turn(NamedTuple):
    """A move, and the seat that played it."""

    seat: int
    move: Move


def parse_move(text: str, hand: list[Card]) -> Move:
    """Read a move from text such as ``"draw"``, ``"raise 40"`` or ``"swap +3c"``.

    As a card, ``0`` means the lowest Sylop of the hand.

    Raises:
        IllegalMove: if the text is not a move.
    """
    kind, _, rest = text.strip().partition(" ")
    rest = rest.strip()
    if kind not in KINDS:
        raise IllegalMove(
            f"{short_repr(text)} is not a move; the kinds of move are {', '.join(KINDS)}"
        )
    if kind == "raise":
        if not rest.isdecimal() or len(rest) > len(str(UNLIMITED)):
            raise IllegalMove(f"{short_repr(text)} has no total; write, for example, raise 40")
        return Move(kind, amount=int(rest))
    if kind in CARD_KINDS:
        if not rest:
            raise IllegalMove(f"{short_repr(text)} has no card; write, for example, {kind} +3c")
        sylops = [card for card in hand if card.suit is None]
        try:
            return Move(kind, card=sylops[0] if rest == "0" and sylops else Card.parse(rest))
        except SabaccError as error:
            raise IllegalMove(f"{short_repr(text)} is not a move: {error}") from None
    if rest:
        raise IllegalMove(f"{short_repr(text)} is not a move; write only {kind}")
    return Move(kind)
