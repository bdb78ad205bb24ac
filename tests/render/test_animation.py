"""Animations: every state of a hand in order, in each format, and written in one step."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from sabacc_env import Game, SabaccError, Tables
from sabacc_env.game import positions
from tests.render.test_svg import play_on

pytest.importorskip("PIL")
from PIL import Image, ImageSequence

from sabacc_env.render.animation import animate
from sabacc_env.render.image import render_rgb


@pytest.fixture(scope="module")
def hand() -> list[Game]:
    game = Game("casino", 2, seed=5)
    play_on(game, 4, random.Random(5), junk=0)
    return list(positions(game))


def frames(path: Path) -> tuple[list[Any], list[int]]:
    with Image.open(path) as image:
        each = [frame.convert("RGB") for frame in ImageSequence.Iterator(image)]
    return [np.array(frame) for frame in each], [round(frame.info["duration"]) for frame in each]


@pytest.mark.parametrize(("end", "error"), [(".png", 0), (".webp", 2), (".gif", 4)])
def test_an_animation_shows_every_state(
    end: str, error: float, hand: list[Game], tmp_path: Path
) -> None:
    path = tmp_path / f"hand{end}"
    animate(iter(hand), path, fps=4, seat=1)
    pictures, durations = frames(path)
    assert durations == [250] * 4 + [1000]
    for picture, game in zip(pictures, hand, strict=True):
        drawn = render_rgb(game, 1).astype(int)
        assert abs(picture - drawn).mean() <= error
        assert abs(picture - drawn).mean() < abs(picture - render_rgb(game).astype(int)).mean()


def test_colours_of_a_gif_do_not_flicker(hand: list[Game], tmp_path: Path) -> None:
    animate(hand, tmp_path / "hand.gif")
    pictures, _ = frames(tmp_path / "hand.gif")
    felt = (slice(440, 470), slice(200, 300))
    assert all(np.array_equal(picture[felt], pictures[0][felt]) for picture in pictures)


def test_positions_are_those_of_the_hand() -> None:
    game = Game("yarith_bespin", 3, seed=5, dice=[(3, 3), (1, 2), (1, 1)])
    played = [game.clone()]
    while game.seat_to_act is not None:
        play_on(game, 1, random.Random(len(played)))
        played.append(game.clone())
    assert list(positions(game)) == played
    with pytest.raises(SabaccError, match=r"^positions: this game was copied from tables"):
        positions(Tables("casino", num_tables=1, seed=1).game(0))


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"path": "hand.mp4"}, r"^path: 'hand.mp4' does not end in one of .gif, .png, .webp$"),
        ({"games": []}, r"^games: there is none to draw"),
        ({"fps": 0}, r"^fps: 0 is not from 0.1 to 100$"),
        ({"fps": float("nan")}, r"^fps: nan is not from"),
        ({"seat": 2}, r"^seat: 2 is not from 0 to 1$"),
        ({"games": ["hand"]}, r"^game: 'hand' is not a Game$"),
        ({"path": "none/such/hand.gif"}, r"cannot be written \(there is no such folder\)$"),
    ],
)
def test_what_cannot_be_animated_is_refused(
    arguments: dict[str, Any], message: str, hand: list[Game], tmp_path: Path
) -> None:
    path = tmp_path / "hand.gif"
    path.write_text("old")
    given: dict[str, Any] = {"games": hand[:2], "path": path} | arguments
    with pytest.raises(SabaccError, match=message) as raised:
        animate(**given)
    assert "\n" not in str(raised.value)
    assert path.read_text() == "old"
    assert [each.name for each in tmp_path.iterdir()] == ["hand.gif"]
