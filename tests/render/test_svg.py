"""The SVG picture: well formed for every table, and from a seat's view a function of that view."""

from __future__ import annotations

import importlib.util
import random
import re
from collections.abc import Iterator
from pathlib import Path
from xml.etree import ElementTree

import pytest

from sabacc_env import Card, Game, SabaccError, load_rules, rule_sets
from sabacc_env.engine.layout import KINDS
from sabacc_env.render.drawing import GOLD
from sabacc_env.render.last_moves import WORDS, last_moves
from sabacc_env.render.svg import render_svg

ROOT = Path(__file__).parent.parent.parent
NAMESPACE = "{http://www.w3.org/2000/svg}"


def texts(picture: str) -> list[str]:
    return [text.text or "" for text in ElementTree.fromstring(picture).iter(f"{NAMESPACE}text")]


def card_texts(cards: list[Card]) -> list[str]:
    return [f"{card.value:+d}".replace("-", "−") if card.value else "0" for card in cards]


def play_on(game: Game, moves: int, rng: random.Random, junk: float = 0.1) -> None:
    """Play random moves, with junking made rare so that hands last."""
    while game.seat_to_act is not None and moves:
        legal = game.legal_moves()
        lasting = [move for move in legal if move.kind != "junk"]
        game.play(rng.choice(legal if rng.random() < junk else lasting or legal))
        moves -= 1


@pytest.mark.parametrize("num_players", range(2, 9))
@pytest.mark.parametrize("rules", rule_sets())
def test_well_formed_at_any_moment(rules: str, num_players: int) -> None:
    rng = random.Random(f"{rules} {num_players}")
    for moves in (0, rng.randrange(1, 4 * num_players), rng.randrange(4 * num_players), 10_000):
        game = Game(rules, num_players, seed=rng.getrandbits(32))
        play_on(game, moves, rng)
        for seat in (None, rng.randrange(num_players)):
            written = texts(render_svg(game, seat))
            assert {f"player_{other}" for other in range(num_players)} <= set(written)
            assert "to act" in written if game.phase != "over" else "wins" in written


@pytest.mark.parametrize("rules", rule_sets())
def test_shows_everything_without_a_seat(rules: str) -> None:
    rng = random.Random(rules)
    for _ in range(5):
        game = Game(rules, 4, seed=rng.getrandbits(32))
        play_on(game, rng.randrange(20), rng, junk=0)
        written = texts(render_svg(game))
        shown = [card for hand in game.hands for card in hand]
        shown += [card for card in (*game.spike_cards, game.drawn_card) if card is not None]
        expected = card_texts(shown + game.discard_pile[-3:])
        for value in set(expected):
            assert written.count(value) >= expected.count(value)
        for seat in game.remaining:
            rank = game.rank(seat)
            assert rank is not None
            assert any(text.startswith(rank.name) for text in written)


@pytest.mark.parametrize("rules", rule_sets())
def test_a_seat_sees_the_same_whatever_is_hidden(rules: str) -> None:
    compared = 0
    for game, twin, seat in hidden_twins(rules, 60):
        compared += 1
        assert render_svg(twin, seat) == render_svg(game, seat)
        assert render_svg(twin) != render_svg(game)
    assert compared >= 20


def hidden_twins(rules: str, tries: int) -> Iterator[tuple[Game, Game, int]]:
    """Yield random games, each with one that differs only in hands that a seat may not know."""
    rng = random.Random(rules)
    for _ in range(tries):
        num_players = rng.randrange(2, 6)
        seat = rng.randrange(num_players)
        game, twin = twins(rules, num_players, seat, rng)
        if twin is not None and twin.hands != game.hands and twin.view(seat) == game.view(seat):
            yield game, twin, seat


def twins(rules: str, num_players: int, seat: int, rng: random.Random) -> tuple[Game, Game | None]:
    """Return a game, and one that differs in cards the seat has not seen; None if it cannot be."""
    deck = [*load_rules(rules).deck]
    rng.shuffle(deck)
    dice = [(rng.randint(1, 6), rng.randint(1, 6)) for _ in range(3)]

    def start(order: list[Card]) -> Game:
        return Game(rules, num_players, key=1, dealer=0, deck=order, dice=dice)

    game = start(deck)
    play_on(game, rng.randrange(8 * num_players), rng, junk=0.02)
    seen = game.seen_cards(seat)
    hidden = [card for card in deck if card not in seen]
    other = iter(rng.sample(hidden, len(hidden)))
    twin = start([card if card in seen else next(other) for card in deck])
    try:
        for turn in game.history:
            twin.play(turn.move)
    except SabaccError:
        return game, None
    return game, twin


def test_hidden_hands_are_backs_and_counts() -> None:
    game = Game("casino", 3, seed=5, dealer=0)
    written = texts(render_svg(game, seat=1))
    values = [text for text in written if re.fullmatch(r"[+−]\d+|0", text)]
    pots = ["0"] if game.sabacc_pot == 0 else []
    assert sorted(values) == sorted(card_texts(game.hands[1] + game.discard_pile) + pots)
    assert written.count("2 cards") == 2


def test_a_card_being_decided_on_is_its_buyers() -> None:
    game = Game("yarith_bespin", 2, seed=5, dealer=0)
    while game.drawn_card is None:
        kinds = [move.kind for move in game.legal_moves()]
        game.play(next(kind for kind in ("draw", "check", "call") if kind in kinds))
    buyer = game.seat_to_act
    assert buyer is not None
    assert card_texts([game.drawn_card])[0] in texts(render_svg(game, buyer))
    own = card_texts([*game.hands[1 - buyer], *(card for card in game.spike_cards if card)])
    values = [text for text in texts(render_svg(game, 1 - buyer)) if text[0] in "+−"]
    assert sorted(values) == sorted(value for value in own if value != "0")


def test_net_credits_at_the_end() -> None:
    game = Game("casino", 3, seed=2)
    play_on(game, 10_000, random.Random(2), junk=0)
    assert game.net_credits is not None
    written = texts(render_svg(game, seat=0))
    for net in game.net_credits:
        assert f"{net:+,}".replace("-", "−") in written


@pytest.mark.parametrize("rules", rule_sets())
def test_each_seat_shows_what_it_did_last(rules: str) -> None:
    rng = random.Random(rules)
    for seat in (None, 1):
        game = Game(rules, 5, seed=rng.getrandbits(32))
        play_on(game, 12, rng, junk=0.02)
        picture = ElementTree.fromstring(render_svg(game, seat))
        said = {moves.replace("-", "−") for moves in last_moves(game).values()}
        found = [text for text in picture.iter(f"{NAMESPACE}text") if text.text in said]
        assert len(found) >= len(last_moves(game))
        latest = game.history[-1].seat
        gold = [text.text for text in found if text.get("fill") == GOLD]
        assert gold == [last_moves(game)[latest].replace("-", "−")]


def test_every_kind_of_move_has_its_words() -> None:
    assert set(WORDS) == set(KINDS)


def test_unknown_seat() -> None:
    with pytest.raises(SabaccError, match="seat: 3 is not from 0 to 2"):
        render_svg(Game("casino", 3, seed=1), seat=3)


def test_the_drawn_table_is_current() -> None:
    path = ROOT / "tools" / "draw_table.py"
    spec = importlib.util.spec_from_file_location("draw_table", path)
    assert spec is not None
    assert spec.loader is not None
    tool = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(tool)
    drawn = tool.PICTURE.read_text(encoding="utf-8")
    assert drawn == tool.picture(), "run tools/draw_table.py"
