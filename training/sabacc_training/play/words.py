"""What the moves are called on buttons, and what each one means, for people who play."""

from __future__ import annotations

import re
from typing import Final, NamedTuple

from sabacc_env.game.events import Event
from sabacc_env.game.view import GameView
from sabacc_env.moves import Move
from sabacc_env.text.course import cards_text, event_sentence


class Words(NamedTuple):
    """A kind of move in words.

    Attributes:
        label: the label of its button; ``{card}`` and ``{amount}`` stand for those of the move.
        meaning: what it does, as the end of "you may ...".
        done: what somebody does; ``{taken}`` stands for the discard that is taken.
    """

    label: str
    meaning: str
    done: str


_VERB: Final = re.compile(
    r"\b(stand|draw|put|swap|take|keep|replace|redraw|check|call|raise|junk)s\b"
)
"""What somebody does, and you do without the s."""

MOVES: Final = {
    "stand": Words("Stand", "keep your cards as they are", "stands"),
    "draw": Words("Draw", "take the top card of the draw pile", "draws"),
    "discard_draw": Words(
        "Put down {card}, draw", "put down a card and draw another", "puts down {card} and draws"
    ),
    "swap": Words(
        "Swap {card}",
        "put down a card and take the top discard",
        "swaps {card} for {taken}",
    ),
    "buy_discard": Words(
        "Take the discard", "take the top card of the discard pile", "takes the discard {taken}"
    ),
    "keep": Words("Keep it", "keep the card that you have drawn", "keeps the drawn card"),
    "discard_drawn": Words(
        "Discard it", "put the drawn card on the discard pile", "puts the drawn card down"
    ),
    "replace": Words(
        "Replace {card}", "put down a card of your hand for the drawn one", "replaces {card}"
    ),
    "replace_spike": Words(
        "Replace the Spike Card",
        "put down your Spike Card for the drawn one",
        "replaces the Spike Card",
    ),
    "redraw": Words(
        "Redraw {card}", "choose the card that the dice make you draw anew", "redraws {card}"
    ),
    "check": Words("Check", "bet nothing", "checks"),
    "call": Words("Call", "pay what others have bet more than you", "calls"),
    "raise": Words("Raise to {amount}", "bet more than all others", "raises to {amount}"),
    "junk": Words("Junk", "give up the hand and what you have bet", "junks"),
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


def told_event(event: Event, who: str) -> str:
    """Return what happened as a sentence; ``who`` is who it happened to, "You" for oneself."""
    if event.move is None:
        return event_sentence(event, who)
    done = MOVES[event.move.kind].done
    if who == "You":
        done = _VERB.sub(r"\1", done)
    move = event.move
    text = f"{who} {done.format(card=move.card, amount=move.amount, taken=event.taken)}"
    if event.drawn:
        text += f": {cards_text(event.drawn)}"
    if event.face_up:
        text += f", {cards_text(event.face_up)} to the discard pile"
    if event.paid and event.move.kind != "raise":
        text += f", for {event.paid} credits"
    return f"{text}."
