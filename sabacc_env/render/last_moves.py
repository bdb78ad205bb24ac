"""What each seat did last, in a few words that everyone at the table may read."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from sabacc_env.cards import Card

if TYPE_CHECKING:
    from sabacc_env.game.game import Game
    from sabacc_env.moves import Move

WORDS: Final = {
    "stand": "stood",
    "draw": "drew",
    "buy_discard": "bought the discard",
    "keep": "kept the card",
    "discard_drawn": "let the card go",
    "replace_spike": "replaced its Spike",
    "check": "checked",
    "call": "called",
    "junk": "junked",
    "discard_draw": "discarded {card}, drew",
    "swap": "swapped {card}",
    "redraw": "discarded {card}, drew",
    "replace": "replaced {card}",
    "raise": "raised to {amount:,}",
}
"""For each kind of move, what its seat did. Moves are public, the cards that they name too."""


def last_moves(game: Game) -> dict[int, str]:
    """Return what each seat did last in this hand, the latest last.

    Seats that have not moved are left out, and all seats where a game copied from tables has no
    history.

    >>> from sabacc_env import Game
    >>> game = Game("casino", 3, seed=7, dealer=2)
    >>> for move in ("stand", "draw"):
    ...     game.play(move)
    >>> last_moves(game)
    {0: 'stood', 1: 'drew'}
    """
    moves: dict[int, str] = {}
    for seat, move in game.history:
        moves.pop(seat, None)  # so that the latest is the last
        moves[seat] = _in_words(move)
    return moves


def _in_words(move: Move) -> str:
    card = "" if move.card is None else str(Card(move.card))
    return WORDS[move.kind].format(card=card, amount=move.amount)
