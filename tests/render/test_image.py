"""The image: drawn at every table, hiding what the SVG picture hides, and quick."""

from __future__ import annotations

import random

import numpy as np
import pytest

from sabacc_env import Game, SabaccError, rule_sets
from sabacc_env.render.shapes import Text
from sabacc_env.render.svg import render_svg
from tests.render.test_svg import hidden_twins, play_on, texts

pytest.importorskip("PIL")
from sabacc_env.render import image
from sabacc_env.render.image import render_rgb


@pytest.mark.parametrize("num_players", range(2, 9))
@pytest.mark.parametrize("rules", rule_sets())
def test_an_image_at_any_moment(rules: str, num_players: int) -> None:
    rng = random.Random(f"{rules} {num_players}")
    for moves in (0, rng.randrange(4 * num_players), 10_000):
        game = Game(rules, num_players, seed=rng.getrandbits(32))
        play_on(game, moves, rng)
        for seat in (None, rng.randrange(num_players)):
            picture = render_rgb(game, seat)
            assert picture.shape == (700, 900, 3)
            assert picture.dtype == np.uint8
            assert (picture != np.array(image._background())).mean() > 0.1


@pytest.mark.parametrize("rules", rule_sets())
def test_a_seat_sees_the_same_whatever_is_hidden(rules: str) -> None:
    compared = 0
    for game, twin, seat in hidden_twins(rules, 30):
        compared += 1
        assert np.array_equal(render_rgb(twin, seat), render_rgb(game, seat))
        assert not np.array_equal(render_rgb(twin), render_rgb(game))
    assert compared >= 8


def test_the_same_image_whatever_was_painted_before() -> None:
    game = Game("casino", 4, seed=3)
    first = render_rgb(game, 1)
    image._tile.cache_clear()
    image._background.cache_clear()
    other = Game("casino", 8, seed=4)
    play_on(other, 10_000, random.Random(1))
    render_rgb(other)
    again = render_rgb(game, 1)
    assert np.array_equal(again, first)
    again[:] = 0  # a picture belongs to its caller
    assert np.array_equal(render_rgb(game, 1), first)


def test_colours_stand_where_the_svg_has_them() -> None:
    game = Game("casino", 2, seed=3, dealer=0)
    picture = render_rgb(game, seat=1)
    assert 'translate(450 350)"' in render_svg(game, seat=1)
    red, green, blue = (picture[..., channel].astype(int) for channel in range(3))
    near = (slice(510, 620), slice(380, 520))  # the hand of seat 1, -6s and -4t
    assert ((red > 130) & (green < 90) & (blue < 90))[near].sum() > 2000
    far = (slice(80, 190), slice(380, 520))  # two backs
    assert not ((red > 130) & (green < 90) & (blue < 90))[far].any()
    assert ((blue > 60) & (red < 70) & (blue > green + 20))[far].sum() > 2000


def test_texts_have_all_their_glyphs() -> None:
    missing = bytes(image._font(40).getmask("\uffff"))
    rng = random.Random(5)
    used = set()
    for rules in rule_sets():
        for num_players in (2, 5):
            game = Game(rules, num_players, seed=rng.getrandbits(32))
            for _ in range(60):
                used |= set("".join(texts(render_svg(game))))
                play_on(game, 1, rng)
    assert {"+", "−", "·", "0", "9"} <= used
    for glyph in used - {image.MINUS, " "}:
        assert bytes(image._font(40).getmask(glyph)) != missing, glyph


def test_a_negative_value_is_told_from_a_positive_one_by_more_than_colour() -> None:
    masks = [
        image._tile(Text(0, 0, text, 16.5, bold=True), 4 + 0j, 0j, 1).coverage
        for text in ("−10", "+10")
    ]
    minus, plus = (np.array(mask) for mask in masks)
    assert minus.shape == plus.shape
    middle, width = minus.shape[0] // 2, minus.shape[1] // 3
    rows = slice(middle - 1, middle + 2)
    assert minus[rows, :width].max() > 200  # there is a bar
    assert np.array_equal(minus[:, width + 2 :], plus[:, width + 2 :])
    assert plus[:, :width].astype(int).sum() > minus[:, :width].astype(int).sum()


def test_unknown_seat() -> None:
    with pytest.raises(SabaccError, match="seat: 3 is not from 0 to 2"):
        render_rgb(Game("casino", 3, seed=1), seat=3)
