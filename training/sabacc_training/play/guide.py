"""A guided hand: what a first-time player reads in each phase, under any rules.

What a phase is about comes from the rules in words (``sabacc_env.rules.text``), so it is what the
engine plays. Each thing is said once in a hand.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from sabacc_env.game.view import GameView
from sabacc_env.render.drawing import signed
from sabacc_env.rules.text import page, paragraph

SECTIONS: Final = {"cards": "Card phase", "dice": "Dice phase", "betting": "Betting phase"}

AIMS: Final = {
    "cards": "Bring your total nearer to zero, or collect one of the named hands.",
    "dice": "The dice made this happen; now choose what becomes of your hand.",
    "betting": "Bet when you think that your hand is the best one, and when you want others to "
    "believe it. What you bet is lost if you do not win.",
}
"""What a player wants in each phase."""


def guide(view: GameView) -> list[str]:
    """Return the paragraphs for a seat that plays its first hand; [] where it is not to act."""
    return list(_paragraphs(view)) if view.seat == view.seat_to_act or view.phase == "over" else []


def _paragraphs(view: GameView) -> Iterator[str]:
    own = [turn for turn in view.history if turn.seat == view.seat]
    if view.phase == "over":
        yield (
            "That was a hand. The result stands above, and what each seat has won or lost stands "
            "beside its name. The coach says what your moves have cost. Deal the next hand, or "
            "open another table with other rules."
        )
        return
    if not own:
        yield (
            f"Welcome. You play {view.rules.title}. Each card has a value, from +10 to −10, and "
            f"the Sylops count 0. After {view.rules.rounds} rounds the hand whose total is nearest "
            "to zero wins what has been bet. Some hands with a name beat all others."
        )
        yield _rules(view, "Antes")
    if view.rank is not None:
        total = signed(view.rank.total)
        yield f"Your hand has a total of {total} now. It is called {view.rank.name}."
    yield AIMS[view.phase]
    if not _has_met(view):
        yield _rules(view, SECTIONS[view.phase])
    if view.phase == "betting" and max(view.bets) > view.bets[view.seat]:
        yield _rules(view, "Junking")


def _has_met(view: GameView) -> bool:
    """Say whether the seat has had a turn in a phase like this one before in this hand."""
    kinds = {move.kind for move in view.legal_moves}
    return any(turn.seat == view.seat and turn.move.kind in kinds for turn in view.history)


def _rules(view: GameView, title: str) -> str:
    found = (paragraph(each.sentences) for each in page(view.rules) if each.title == title)
    return next(found, "")
