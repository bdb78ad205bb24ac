"""``render_mode="human"``: the window, its size, its time, and what it shows and does not."""

from __future__ import annotations

import copy
import os
import pickle
import subprocess
import sys
import time
from collections.abc import Callable
from typing import Any

import gymnasium
import numpy as np
import pytest

from sabacc_env import Game, SabaccError, sabacc_v0
from sabacc_env.render.window import Window

pytest.importorskip("PIL")
pytest.importorskip("pygame")
import pygame

from sabacc_env.render.image import render_rgb


@pytest.fixture(autouse=True)
def _no_screen(monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.setenv("SDL_VIDEODRIVER", "dummy")
    monkeypatch.setitem(sabacc_v0.raw_env.metadata, "render_fps", 1000)
    yield
    pygame.display.quit()


def screen() -> Any:
    """Return the pixels of the window, (height, width, 3), or None where there is none."""
    surface = pygame.display.get_surface()
    return None if surface is None else pygame.surfarray.array3d(surface).transpose(1, 0, 2)


def shown_tables(monkeypatch: pytest.MonkeyPatch) -> list[tuple[Game, int | None]]:
    """Return a list that gets what every window shows from now on, with its point of view."""
    shown: list[tuple[Game, int | None]] = []
    show = Window.show

    def noting(window: Window, game: Game, seat: int | None, fps: float) -> None:
        show(window, game, seat, fps)
        shown.append((game.clone(), seat))

    monkeypatch.setattr(Window, "show", noting)
    return shown


def play(env: Any) -> None:
    _, info = env.reset(seed=5)
    over = False
    while not over:
        _, _, over, _, info = env.step(int(info["action_mask"].argmax()))


def test_the_window_shows_the_image() -> None:
    env = sabacc_v0.env(num_players=3, render_mode="human", render_seat=2)
    env.reset(seed=1)
    assert np.array_equal(screen(), render_rgb(env.unwrapped.game, 2))
    env.step(0)
    assert np.array_equal(screen(), render_rgb(env.unwrapped.game, 2))
    assert "Round 1" in pygame.display.get_caption()[0]
    assert env.render() is None
    env.close()
    assert screen() is None
    env.reset(seed=2)
    assert screen() is not None
    env.close()


def test_every_move_and_every_reveal_is_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    shown = shown_tables(monkeypatch)
    env = gymnasium.make("Sabacc-v0", num_players=3, hands=2, render_mode="human")
    play(env)
    table: Any = env.unwrapped
    assert {seat for _, seat in shown} == {table.seat}
    hands: dict[int, list[Game]] = {}
    for game, _ in shown:
        hands.setdefault(game.episode_position[0], []).append(game)
    for states in hands.values():
        assert [len(state.history) for state in states] == list(range(len(states)))
        assert states[-1].phase == "over"
    assert len(hands) == 2
    env.close()


@pytest.mark.parametrize(
    ("size", "margin"), [((900, 1000), (150, 0)), ((1200, 700), (0, 150)), ((300, 700), (233, 0))]
)
def test_a_window_of_any_size_shows_the_whole_table(
    size: tuple[int, int], margin: tuple[int, int]
) -> None:
    window, game = Window(), Game("casino", 2, seed=1)
    window.show(game, None, 1000)
    pygame.display.set_mode(size, pygame.RESIZABLE)
    window.show(game, None, 1000)
    high, wide = margin
    pixels = screen()
    inside = pixels[high : size[1] - high, wide : size[0] - wide]
    assert not pixels[:high].any()
    assert not pixels[:, :wide].any()
    assert inside[:2].any()
    assert inside[-2:].any()
    assert (inside == 0).all(axis=2).mean() < 0.05
    window.close()


def test_a_picture_stays_as_long_as_the_metadata_say() -> None:
    window, game = Window(), Game("casino", 2, seed=1)
    window.show(game, None, 1000)
    before = time.monotonic()
    window.show(game, None, 5)
    assert 0.2 <= time.monotonic() - before < 2
    window.close()


def test_an_episode_goes_on_unseen_where_the_user_closes_the_window() -> None:
    env = sabacc_v0.env(render_mode="human")
    env.reset(seed=1)
    pygame.event.post(pygame.event.Event(pygame.QUIT))
    env.step(0)
    assert screen() is None
    env.step(0)
    assert screen() is None
    env.close()
    env.render()
    assert screen() is not None
    env.close()


def test_environments_share_the_window() -> None:
    envs = [sabacc_v0.env(num_players=players, render_mode="human") for players in (2, 3)]
    for env in envs:
        env.reset(seed=1)
        assert np.array_equal(screen(), render_rgb(env.unwrapped.game))
    envs[0].close()
    assert screen() is None
    envs[1].step(0)
    assert np.array_equal(screen(), render_rgb(envs[1].unwrapped.game))
    envs[1].close()


@pytest.mark.parametrize("copied", [copy.deepcopy, lambda env: pickle.loads(pickle.dumps(env))])
def test_an_environment_with_a_window_is_copied(copied: Callable[[Any], Any]) -> None:
    env = sabacc_v0.env(render_mode="human")
    env.reset(seed=1)
    twin = copied(env)
    twin.step(0)
    assert np.array_equal(screen(), render_rgb(twin.unwrapped.game))
    env.close()
    twin.close()


@pytest.mark.parametrize("missing", ["pygame", "PIL"])
def test_what_is_missing_is_said_at_once(missing: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(sys.modules, "sabacc_env.render.image")
    monkeypatch.setitem(sys.modules, missing, None)
    message = r'^render_mode "human" needs pygame and Pillow; install it .*`pip install "\.\[render'
    with pytest.raises(SabaccError, match=message):
        sabacc_v0.env(render_mode="human")
    sabacc_v0.env(render_mode="ansi").reset(seed=1)


def test_without_a_screen_one_sentence_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SDL_VIDEODRIVER", "nonesuch")
    env = sabacc_v0.env(render_mode="human")
    with pytest.raises(SabaccError, match=r'cannot open a window \(.*\); use "rgb_array" or'):
        env.reset(seed=1)


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere there is always a screen")
def test_nothing_is_drawn_where_nobody_sees_it(monkeypatch: pytest.MonkeyPatch) -> None:
    for variable in ("SDL_VIDEODRIVER", "DISPLAY", "WAYLAND_DISPLAY"):
        monkeypatch.delenv(variable, raising=False)
    env = sabacc_v0.env(render_mode="human")
    for _ in range(2):
        with pytest.raises(SabaccError, match=r"cannot open a window \(.*\)"):
            env.reset(seed=1)


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
def test_the_graphics_driver_stays_out_of_the_process() -> None:
    """Mesa's LLVM and that of Triton crash together."""
    script = (
        "from sabacc_env import sabacc_v0\n"
        "sabacc_v0.env(render_mode='human').reset(seed=1)\n"
        "print('LLVM' in open('/proc/self/maps').read())"
    )
    done = subprocess.run(
        [sys.executable, "-c", script],
        check=False,
        env=os.environ | {"SDL_VIDEODRIVER": "offscreen"},
        capture_output=True,
        text=True,
    )
    assert done.stdout == "False\n", done.stderr
