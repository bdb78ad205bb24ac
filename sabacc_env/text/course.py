"""The course of a hand in lines of text: what one seat saw happen."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from sabacc_env.cards import Card
from sabacc_env.game.events import Event
from sabacc_env.game.view import GameView
from sabacc_env.moves import Move


def course_lines(view: GameView) -> list[str]:
    """Return what has happened, a line each; of a view without events only the moves."""
    if view.events is not None:
        return ["What has happened:", *_event_lines(view, view.events)]
    if view.history:
        moves = [f"{player(view, turn.seat)}: {move_words(turn.move)}" for turn in view.history]
        return ["The moves so far (cards dealt, drawn and turned up are not recorded):", *moves]
    return []


def player(view: GameView, seat: int) -> str:
    """Return what a seat is called."""
    return f"player_{seat} (you)" if seat == view.seat else f"player_{seat}"


def move_words(move: Move) -> str:
    """Return a move as text; ``raise to 1``, because an action named ``raise 1`` bets the pot."""
    return f"raise to {move.amount}" if move.kind == "raise" else str(move)


def cards_text(cards: Iterable[Card]) -> str:
    """Return cards as text, one after the other."""
    return " ".join(map(str, cards))


def pot_name(number: int) -> str:
    """Return what a pot is called: 0 is the main one."""
    return f"side pot {number}" if number else "the pot"


def phase_name(round_number: int, phase: str) -> str:
    """Return a phase as text: round 0 is the opening bet."""
    name = "Spike Dice" if phase == "dice" else phase
    return f"Round {round_number}, {name}" if round_number else f"Opening {name}"


def _event_lines(view: GameView, events: Iterable[Event]) -> Iterator[str]:
    phase = ""
    for event in events:
        if event.phase and (now := phase_name(event.round, event.phase)) != phase:
            phase = now
            yield f"{phase}:"
        yield event_sentence(event, "" if event.seat is None else player(view, event.seat))


def event_sentence(event: Event, who: str) -> str:
    """Return an event as a sentence; ``who`` is what the seat of the event is called."""
    cards, you = cards_text(event.face_up), who == "You"
    match event.kind:
        case "deal":
            return f"You are dealt {cards_text(event.drawn)}."
        case "turn_up":
            return f"{cards} is turned up on the discard pile."
        case "spike_card":
            return f"{who} {'are' if you else 'is'} dealt the Spike Card {cards}."
        case "dice":
            return "{}-{} is rolled.".format(*event.dice or ())
        case "redraw_hand":
            drawn = f": {cards_text(event.drawn)}" if event.drawn else ""
            done = f"discard {cards} and draw" if you else f"discards {cards} and draws"
            return f"{who} {done} a new hand{drawn}."
        case "reshuffle":
            return "The draw pile is used up: the cards under the top discard are shuffled into it."
    return f"{who}: {_move_sentence(event)}"


def _move_sentence(event: Event) -> str:
    assert event.move is not None
    words = move_words(event.move)
    if event.taken is not None:
        words += f", takes {event.taken}"
    if event.drawn:
        words += f", gets {cards_text(event.drawn)}"
    if event.face_up:
        words += f", {cards_text(event.face_up)} to the discard pile"
    if event.paid and event.move.kind != "raise":
        words += f", pays {event.paid}"
    return f"{words}."
