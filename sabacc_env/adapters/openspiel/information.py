"""Information states as text: what one player knows, with perfect recall.

A player's information state is what it saw at each of its own turns and sees now, and every public
move. Two of them are the same text exactly if the player cannot tell them apart.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from sabacc_env.cards import Card
from sabacc_env.game.game import Game
from sabacc_env.game.view import GameView
from sabacc_env.moves import Turn

Faces = tuple[tuple[int, int], ...]


class Sight(NamedTuple):
    """The cards and dice that a player sees at one time, and how many moves came before.

    Spike Cards are in the order of the seats, where the last one deals.
    """

    hand: tuple[Card, ...]
    drawn_card: Card | None
    discard_pile: tuple[Card, ...]
    spike_cards: tuple[Card | None, ...]
    dice: Faces
    num_moves: int

    @classmethod
    def of_view(cls, view: GameView) -> Sight:
        """Take from a view what its player sees; Spike Cards from the dealer's left on."""
        first = (view.dealer + 1) % view.num_players
        return cls(
            view.hand,
            view.drawn_card,
            view.discard_pile,
            (*view.spike_cards[first:], *view.spike_cards[:first]),
            view.dice,
            len(view.history),
        )

    @classmethod
    def of_game(cls, game: Game, seat: int) -> Sight:
        """Take from a game what a seat sees: as ``of_view``, in a tenth of a view's time."""
        return cls(
            tuple(game.hands[seat]),
            game.drawn_card if game.seat_to_act == seat else None,
            tuple(game.discard_pile),
            tuple(game.spike_cards),
            tuple(game.dice),
            len(game.taken_discards),
        )

    def text(self) -> str:
        """Return what is seen as words; what there is none of is left out."""
        pieces = {
            "dice": [f"{first}-{second}" for first, second in self.dice],
            "discards": self.discard_pile,
            "spikes": self.spike_cards if any(map(_is_card, self.spike_cards)) else (),
            "hand": self.hand,
            "drawn": () if self.drawn_card is None else (self.drawn_card,),
        }
        return ", ".join(
            f"{name} {' '.join(map(str, seen))}" for name, seen in pieces.items() if seen
        )


def information_state(
    seat: int, sights: Sequence[Sight], history: Sequence[Turn], taken: Sequence[Card | None]
) -> str:
    """Return a player's information state.

    Args:
        seat: the player.
        sights: what it saw at each of its own turns, then what it sees now.
        history: every move so far.
        taken: the card that each of them took off the discard pile.
    """
    moves = [_move_text(turn, card) for turn, card in zip(history, taken, strict=True)]
    parts, played = [f"player {seat}"], 0
    for sight in sights:
        parts += [", ".join(moves[played : sight.num_moves]), sight.text()]
        played = sight.num_moves
    return "; ".join(part for part in parts if part)


def end_text(game: Game) -> str:
    """Return what everyone learns at the end of a hand: hands revealed, and who won what."""
    revealed = [
        f"{seat} shows {' '.join(map(str, game.hands[seat]))}"
        for seat in game.remaining
        if game.revealed
    ]
    return ", ".join([*revealed, f"won {game.net_credits}"])


def _move_text(turn: Turn, taken: Card | None) -> str:
    return f"{turn.seat} {turn.move}" + ("" if taken is None else f" takes {taken}")


def _is_card(card: Card | None) -> bool:
    return card is not None
