"""``render_mode="rgb_array"``: in both environments, and in the libraries that ask for it."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

import gymnasium
import numpy as np
import pytest

from sabacc_env import SabaccError, sabacc_v0

pytest.importorskip("PIL")
from sabacc_env.render.image import render_rgb


def test_one_seat_is_shown_what_the_learner_may_see() -> None:
    env = gymnasium.make("Sabacc-v0", num_players=3, render_mode="rgb_array")
    env.reset(seed=2)
    table: Any = env.unwrapped
    for _ in range(2):  # the learner sits at another seat in the next episode
        frame = np.asarray(env.render())
        assert frame.shape == (700, 900, 3)
        assert frame.dtype == np.uint8
        assert np.array_equal(frame, render_rgb(table.game, table.seat))
        assert not np.array_equal(frame, render_rgb(table.game))
        env.reset()


def test_the_pettingzoo_environment_shows_all_hands() -> None:
    env = sabacc_v0.env(num_players=3, render_mode="rgb_array")
    env.reset(seed=2)
    assert np.array_equal(env.render(), render_rgb(env.unwrapped.game))


def test_the_point_of_view_is_an_argument() -> None:
    env = sabacc_v0.env(num_players=3, render_mode="rgb_array", render_seat=1)
    env.reset(seed=2)
    assert np.array_equal(env.render(), render_rgb(env.unwrapped.game, 1))
    single = gymnasium.make("Sabacc-v0", render_mode="rgb_array", render_seat=None)
    single.reset(seed=2)
    table: Any = single.unwrapped
    assert np.array_equal(np.asarray(single.render()), render_rgb(table.game))
    for make in (sabacc_v0.env, lambda **given: gymnasium.make("Sabacc-v0", **given)):
        with pytest.raises(SabaccError, match="render_seat: 2 is not from 0 to 1"):
            make(render_seat=2)


def test_the_mode_is_in_the_metadata() -> None:
    for metadata in (sabacc_v0.env().metadata, gymnasium.make("Sabacc-v0").metadata):
        assert metadata["render_modes"] == ["ansi", "human", "rgb_array"]
        assert metadata["render_fps"] == 2


def test_frames_of_an_episode_are_collected() -> None:
    env = gymnasium.make("Sabacc-v0", render_mode="rgb_array_list")
    _, info = env.reset(seed=1)
    env.step(int(np.flatnonzero(info["action_mask"])[0]))
    frames: Any = env.render()
    assert [frame.shape for frame in frames] == [(700, 900, 3)] * 2


@pytest.mark.parametrize(
    "make",
    [
        lambda: gymnasium.make("Sabacc-v0", render_mode="rgb_array"),
        lambda: sabacc_v0.env(render_mode="rgb_array"),
    ],
)
def test_only_a_frame_needs_pillow(
    make: Callable[[], Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delitem(sys.modules, "sabacc_env.render.image")
    monkeypatch.setitem(sys.modules, "PIL", None)
    env = make()
    env.reset(seed=1)
    message = r'render_mode "rgb_array" needs Pillow; install it .* `pip install "\.\[render\]"`$'
    with pytest.raises(SabaccError, match=message):
        env.render()


def test_gymnasium_records_a_video(tmp_path: Any) -> None:
    pytest.importorskip("moviepy")
    env = gymnasium.make("Sabacc-v0", render_mode="rgb_array")
    recorded = gymnasium.wrappers.RecordVideo(
        env, str(tmp_path / "videos"), episode_trigger=lambda _: True
    )
    play_episode(recorded)
    recorded.close()
    assert [path.suffix for path in (tmp_path / "videos").iterdir()] == [".mp4"]


def test_gymnasium_shows_a_window(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("pygame")
    monkeypatch.setenv("SDL_VIDEODRIVER", "dummy")
    env = gymnasium.make("Sabacc-v0", render_mode="rgb_array")
    shown = gymnasium.wrappers.HumanRendering(env)
    play_episode(shown)
    shown.close()


def play_episode(env: gymnasium.Env[Any, Any]) -> None:
    rng = np.random.default_rng(1)
    _, info = env.reset(seed=1)
    over = False
    while not over:
        action = int(rng.choice(np.flatnonzero(info["action_mask"])))
        _, _, over, _, info = env.step(action)


@pytest.mark.parametrize(
    ("name", "vec_env_cls"),
    # A worker process of pytest has not imported this package: the name says what to import.
    [("Sabacc-v0", "DummyVecEnv"), ("sabacc_env:Sabacc-v0", "SubprocVecEnv")],
)
def test_stable_baselines3_makes_its_vector_environments(name: str, vec_env_cls: str) -> None:
    pytest.importorskip("stable_baselines3")
    from stable_baselines3.common import vec_env
    from stable_baselines3.common.env_util import make_vec_env

    env = make_vec_env(name, 2, seed=1, vec_env_cls=getattr(vec_env, vec_env_cls))
    try:
        assert env.render_mode == "rgb_array"
        env.reset()
        observations, rewards, _, _ = env.step(np.argmax(env.env_method("action_masks"), axis=1))
        assert isinstance(observations, np.ndarray)
        assert (observations.shape, rewards.shape) == ((2, 400), (2,))
        frames: Any = env.get_images()
        assert [frame.shape for frame in frames] == [(700, 900, 3)] * 2
    finally:
        env.close()
