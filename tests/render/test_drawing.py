"""The drawing: a seat sees the faces that it may know, and backs for the rest."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator

import pytest

from sabacc_env import Card, Game, rule_sets
from sabacc_env.render.drawing import draw_table
from sabacc_env.render.last_moves import last_moves
from sabacc_env.render.shapes import Group, Polygon, Shape, Text
from tests.render.test_svg import card_texts, play_on

PILE_SHOWN = 3
"""How many cards of a pile are drawn."""


def shapes(group: Group) -> Iterator[Shape | Text]:
    for member in group.members:
        if isinstance(member, Group):
            yield from shapes(member)
        else:
            yield member


def faces_and_backs(game: Game, seat: int | None) -> tuple[Counter[str], int]:
    """Return the values on the faces that are drawn, and the number of backs."""
    drawn = list(shapes(draw_table(game, seat)))
    texts = [shape for shape in drawn if isinstance(shape, Text)]
    faces = Counter(text.text for text in texts if text.size in (16.5, 22))
    backs = sum(isinstance(shape, Polygon) and shape.fill == "back" for shape in drawn)
    assert faces.total() == sum(s.fill in ("positive", "negative", "sylop") for s in drawn)
    return faces, backs


def known_to(game: Game, seat: int) -> list[Card]:
    """Return the cards on the table whose faces a seat may see, from the public names of a view."""
    view = game.view(seat)
    shown = {**dict(enumerate(view.known_cards)), **view.revealed_hands, seat: view.hand}
    beside = [card for card in (*view.spike_cards, view.drawn_card) if card is not None]
    in_hands = [card for cards in shown.values() for card in cards]
    return [*in_hands, *beside, *view.discard_pile[-PILE_SHOWN:]]


@pytest.mark.parametrize("rules", rule_sets())
def test_a_seat_sees_the_faces_that_it_may_know_and_no_other(rules: str) -> None:
    rng = random.Random(rules)
    hidden_cards = 0
    for num_players in (2, 5, 8):
        game = Game(rules, num_players, seed=rng.getrandbits(32))
        while True:
            held = sum(map(len, game.hands)) + sum(card is not None for card in game.spike_cards)
            held += game.drawn_card is not None
            lying = min(PILE_SHOWN, len(game.discard_pile))
            in_pile = min(PILE_SHOWN, game.draw_pile_size)
            for seat in (0, num_players - 1):
                known = known_to(game, seat)
                faces, backs = faces_and_backs(game, seat)
                assert faces == Counter(card_texts(known))
                assert backs == held + lying - len(known) + in_pile
                hidden_cards += backs - in_pile
            faces, backs = faces_and_backs(game, None)
            assert (faces.total(), backs) == (held + lying, in_pile)
            if game.seat_to_act is None:
                break
            play_on(game, rng.randint(1, 5), rng, junk=0.03)
    assert hidden_cards > 20


def test_last_moves_name_only_cards_that_everyone_saw() -> None:
    rng = random.Random(4)
    for rules in rule_sets():
        game = Game(rules, 4, seed=rng.getrandbits(32))
        play_on(game, 10, rng, junk=0.02)
        twin = Game(rules, **game.start)
        seen: set[Card] = set()
        for turn in game.history:
            twin.play(turn.move)
            seen |= {*twin.discard_pile}
            if turn.move.card is not None:
                assert Card(turn.move.card) in seen
        assert set(last_moves(game)) == {turn.seat for turn in game.history}
