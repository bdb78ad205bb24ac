"""The form of a scripted hand, and how any implementation of a game plays one.

``Scenario.moves`` holds instructions, separated by line ends or semicolons:

- ``0 raise 40``, ``1 swap +3c``, ``2 stand``: that seat is to act and plays this move.
- ``0 can check raise``: that seat is to act, and exactly these kinds of move are legal.
- ``0 may raise 2 40 1``: that seat is to act and may raise by this low, high and step.
- ``0 cannot swap +3c``: that move is illegal, and trying it changes nothing.
- ``see hand 0 +3c -4t``: the state is this now; ``_state_text`` lists the words.
- ``ordered: see ...``: this is checked only for a game that takes given reshuffles.

The hand is over after the last move; ``see`` instructions may follow.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import pytest

from sabacc_env.cards import Card, deck


@dataclass(frozen=True)
class Scenario:
    """One hand: its start, its moves, and its end."""

    name: str
    rules: str
    num_players: int
    dealer: int
    deck: str  # the top cards; the others follow by id
    moves: str
    net: tuple[int, ...]
    winners: tuple[int, ...]
    pots: tuple[tuple[int, tuple[int, ...]], ...]
    sabacc_pot: int  # at the end
    revealed: bool = True
    dice: tuple[tuple[int, int], ...] = ((1, 2), (3, 4), (5, 6))
    credits: tuple[int, ...] | None = None
    sabacc_pot_before: int = 0
    overrides: Mapping[str, Any] = field(default_factory=dict)
    reshuffles: tuple[str, ...] = ()  # draw piles by count, top first; otherwise by id

    def full_deck(self, rules: Any) -> list[Card]:
        top = cards(self.deck)
        others = deck(rules.highest_value, rules.suits, rules.sylops)
        return top + [card for card in others if card not in top]

    def reshuffle(self, given: list[int], count: int) -> list[int]:
        return list(cards(self.reshuffles[count])) if count < len(self.reshuffles) else given


def cards(text: str) -> list[Card]:
    return [Card.parse(word) for word in text.split()]


@dataclass(frozen=True)
class Player:
    """Legal moves and playing in plain tuples, the same for every implementation.

    ``legal`` returns (kind, card or None) for each move and ("raise", low, high, step);
    ``play`` takes kind, card and amount, and raises ``ValueError`` on an illegal move.
    """

    legal: Callable[[], set[tuple[Any, ...]]]
    play: Callable[[str, int | None, int | None], None]


STATE = (
    "seat_to_act hands spike_cards drawn_card draw_pile discard_pile junked_cards credits pots "
    "round phase sabacc_pot"
).split()


def run(
    scenario: Scenario,
    game: Any,
    player: Player,
    after_move: Callable[[], None] = lambda: None,
    *,
    ordered: bool,
) -> None:
    """Play a scenario to its end and compare; ``after_move`` may check more after each move."""
    after_move()
    for line in scenario.moves.replace(";", "\n").splitlines():
        words = line.split()
        if not words or (words[0] == "ordered:" and not ordered):
            continue
        if words[0] == "ordered:":
            words.pop(0)
        if words[0] == "see":
            assert _state_text(game, words[1], words[2:]) == " ".join(words[2:]), line
            continue
        assert game.seat_to_act == int(words[0]), line
        if words[1] == "can":
            assert {move[0] for move in player.legal()} == set(words[2:]), line
        elif words[1] == "may":
            assert ("raise", *map(int, words[3:])) in player.legal(), line
        elif words[1] == "cannot":
            before = {name: _repr_of(getattr(game, name)) for name in STATE}
            with pytest.raises(ValueError):  # noqa: PT011
                player.play(*_move(words[2:]))
            assert before == {name: _repr_of(getattr(game, name)) for name in STATE}, line
        else:
            player.play(*_move(words[1:]))
            after_move()
    assert (game.seat_to_act, game.phase) == (None, "over")
    assert player.legal() == set()
    assert game.revealed is scenario.revealed
    pots = [(int(amount), tuple(map(int, seats))) for amount, seats in game.pots]
    assert pots == list(scenario.pots)
    assert list(game.winners) == list(scenario.winners)
    assert list(game.net_credits) == list(scenario.net)
    assert game.sabacc_pot == scenario.sabacc_pot
    assert sum(scenario.net) == scenario.sabacc_pot_before - scenario.sabacc_pot


def _move(words: Sequence[str]) -> tuple[str, int | None, int | None]:
    kind, *rest = words
    if kind == "raise":
        return kind, None, int(rest[0])
    return kind, Card.parse(rest[0]) if rest else None, None


def _repr_of(value: Any) -> str:
    return repr(value)


def _state_text(game: Any, word: str, given: Sequence[str]) -> str:
    """Return the current state as a scenario writes it."""

    def text(cards: Sequence[int]) -> str:
        return " ".join(str(Card(card)) for card in cards) or "none"

    if word in ("hand", "spike"):
        seat = int(given[0])
        spike = game.spike_cards[seat]
        shown = game.hands[seat] if word == "hand" else [] if spike is None else [spike]
        return f"{seat} {text(shown)}"
    if word == "drawn":
        return text([] if game.drawn_card is None else [game.drawn_card])
    plain = {
        "discard": lambda: text(game.discard_pile),  # top last
        "junked": lambda: text(game.junked_cards),  # by id
        "draw": lambda: text(game.draw_pile[: len(given)]),  # the top cards
        "draw_by_id": lambda: text(sorted(game.draw_pile)),
        "draw_pile_size": lambda: str(len(game.draw_pile)),
        "credits": lambda: " ".join(map(str, game.credits)),
        "pot": lambda: str(sum(amount for amount, _ in game.pots)),
        "pot_of": lambda: " ".join(str(seat) for _, seats in game.pots for seat in seats),
        "sabacc": lambda: str(game.sabacc_pot),
        "round": lambda: str(game.round),
        "phase": lambda: str(game.phase),
    }
    return plain[word]()


ONE_ROUND: Mapping[str, Any] = {"rounds": 1}
TWO_ROUNDS: Mapping[str, Any] = {"rounds": 2}
EIGHT_CARDS: Mapping[str, Any] = {
    "seats": (2, 2),
    "rounds": 1,
    "highest_value": 3,
    "suits": 1,
    "sylops": 2,
}
