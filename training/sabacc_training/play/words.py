"""What the moves are called on buttons, and what each one means, for people who play."""

from __future__ import annotations

from typing import Final, NamedTuple

from sabacc_env.game.view import GameView
from sabacc_env.moves import Move


class Words(NamedTuple):
    """A kind of move in words.

    Attributes:
        label: the label of its button; ``{card}`` and ``{amount}`` stand for those of the move.
        meaning: what it does, as the end of "you may ...".
    """

    label: str
    meaning: str


MOVES: Final = {
    "stand": Words("Stand", "keep your cards as they are"),
    "draw": Words("Draw", "take the top card of the draw pile"),
    "discard_draw": Words("Put down {card}, draw", "put down a card and draw another"),
    "swap": Words("Swap {card}", "put down a card and take the top discard"),
    "buy_discard": Words("Take the discard", "take the top card of the discard pile"),
    "keep": Words("Keep it", "keep the card that you have drawn"),
    "discard_drawn": Words("Discard it", "put the drawn card on the discard pile"),
    "replace": Words("Replace {card}", "put down a card of your hand for the drawn one"),
    "replace_spike": Words("Replace the Spike Card", "put down your Spike Card for the drawn one"),
    "redraw": Words("Redraw {card}", "choose the card that the dice make you draw anew"),
    "check": Words("Check", "bet nothing"),
    "call": Words("Call", "pay what others have bet more than you"),
    "raise": Words("Raise to {amount}", "bet more than all others"),
    "junk": Words("Junk", "give up the hand and what you have bet"),
}


def label(move: Move, view: GameView) -> str:
    """Return the label of a move's button, with what it costs."""
    text = MOVES[move.kind].label.format(card=move_card(move), amount=move.amount)
    cost = view.rules.fees.get(move.kind, 0)
    if move.kind == "call":
        cost = min(max(view.bets) - view.bets[view.seat], view.credits[view.seat] or 0)
    if move.kind == "raise" and not max(view.bets):
        text = f"Bet {move.amount}"
    return f"{text} ({cost})" if cost else text


def move_card(move: Move) -> str:
    """Return the card of a move as people read it: the Sylops as 0, a real minus sign."""
    return "" if move.card is None else card_text(str(move.card))


def card_text(text: str) -> str:
    """Return a card's text as people read it.

    >>> card_text("-3t"), card_text("+10s"), card_text("0a")
    ('−3 triangle', '+10 square', 'Sylop')
    """
    suits = {"t": "triangle", "s": "square", "c": "circle"}
    return "Sylop" if text[0] == "0" else f"{text[:-1].replace('-', '−')} {suits[text[-1]]}"


def you_may(view: GameView) -> str:
    """Return what the seat may do now, in one sentence; "" where it is not to act."""
    kinds = list(dict.fromkeys(move.kind for move in view.legal_moves))
    meanings = [MOVES[kind].meaning for kind in kinds]
    if not meanings:
        return ""
    *most, last = meanings
    listed = f"{', '.join(most)}, or {last}" if most else last
    return f"You may {listed}."
