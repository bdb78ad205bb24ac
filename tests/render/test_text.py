"""The table in a terminal: 80 columns at every table, and colours where the terminal has them."""

from __future__ import annotations

import io
import random
import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rich.console import Console

from sabacc_env import Card, Game, Move, RuleSet, load_rules, rule_sets
from sabacc_env.render.last_moves import last_moves
from sabacc_env.render.text import render_rich, render_text
from tests.render.test_svg import play_on
from tests.support.random_play import random_move
from tests.support.strategies import tables


def assert_fits(game: Game) -> None:
    for seat in (None, game.num_players - 1):
        lines = render_text(game, seat).splitlines()
        assert max(map(len, lines)) <= 80
        assert all(line == line.rstrip() for line in lines)
        for owner in range(game.num_players):
            assert sum(line[2:].startswith(f"player_{owner} ") for line in lines) == 1


@pytest.mark.parametrize("num_players", range(2, 9))
@pytest.mark.parametrize("rules", rule_sets())
def test_no_line_is_longer_than_80_characters(rules: str, num_players: int) -> None:
    rng = random.Random(f"{rules} {num_players}")
    for junk in (0, 0.1):
        game = Game(rules, num_players, seed=rng.getrandbits(32))
        assert_fits(game)
        while game.seat_to_act is not None:
            play_on(game, rng.randint(1, 2 * num_players), rng, junk)
            assert_fits(game)


@settings(max_examples=60, deadline=None)
@given(table=tables(), seed=st.integers(0, 2**64 - 1), rng=st.randoms(use_true_random=False))
def test_nor_under_any_rules(table: tuple[RuleSet, int], seed: int, rng: random.Random) -> None:
    game = Game(*table, seed=seed)
    for _ in range(rng.randint(0, 40)):
        if game.seat_to_act is None:
            break
        game.play(random_move(game, rng))
    assert_fits(game)


def test_long_names_and_large_numbers_fit() -> None:
    deck = [*load_rules("casino").deck]
    first = [Card.parse(card) for card in ("-10t", "-10s", "-9t", "-9s")]
    deck = first + [card for card in deck if card not in first]
    rules = load_rules("casino", name="x" * 300)
    game = Game(rules, 2, key=1, dealer=1, deck=deck, credits=[2**29] * 2, sabacc_pot=2**29)
    game.play("draw")
    game.play("stand")
    while game.phase == "cards":
        game.play(game.legal_moves()[0])
    high = game.legal_moves()[-1].high
    game.play(Move("raise", amount=high))
    game.play("call")
    assert_fits(game)
    assert "raised to 536,870,908" in render_text(game)


@pytest.mark.parametrize("rules", rule_sets())
def test_each_seat_says_what_it_did_last(rules: str) -> None:
    rng = random.Random(rules)
    game = Game(rules, 4, seed=rng.getrandbits(32))
    play_on(game, 9, rng, junk=0.02)
    lines = render_text(game, seat=0).splitlines()
    for owner, words in last_moves(game).items():
        assert words in next(line for line in lines if f"player_{owner}" in line)


def test_the_end_of_a_hand_says_who_won_what() -> None:
    game = Game("casino", 3, seed=2)
    play_on(game, 10_000, random.Random(2), junk=0)
    assert game.net_credits is not None
    for owner, line in enumerate(render_text(game).splitlines()[-3:]):
        net = game.net_credits[owner]
        assert (f"{net:+,}" if net else "0") in line.split()
        assert line.startswith("*") == (owner in (game.winners or ()))


def test_rich_prints_the_same_and_colours_it_where_the_terminal_can() -> None:
    game = Game("casino", 3, seed=3, dealer=0)
    printed = []
    for colours in ("truecolor", None):
        file = io.StringIO()
        console = Console(file=file, width=80, color_system=colours, force_terminal=True)
        console.print(render_rich(game, seat=1))
        printed.append([line.rstrip() for line in file.getvalue().splitlines()])
    coloured, plain = printed
    assert plain == render_text(game, seat=1).splitlines()
    assert [re.sub(r"\x1b\[[0-9;]*m", "", line).rstrip() for line in coloured] == plain
    own = next(line for line in coloured if "player_1" in line)
    negative = next(card for card in game.hands[1] if card.value < 0)
    assert f"\x1b[31m{negative}\x1b[0m" in own  # red
    assert "\x1b" not in render_text(game, seat=1)
