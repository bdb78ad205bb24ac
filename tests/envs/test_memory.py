"""Environments that are no longer used: their memory is free at once, without a collection."""

from __future__ import annotations

import gc
import weakref
from collections.abc import Callable
from pathlib import Path
from typing import Any

import gymnasium
import pytest

from sabacc_env import Tables, sabacc_v0
from sabacc_env.adapters.stable_baselines3 import SabaccVecEnv
from sabacc_env.policies import random_legal


def vector() -> Any:
    envs: Any = gymnasium.make_vec("Sabacc-v0", num_envs=4, num_players=4)
    envs.reset(seed=1)
    for _ in range(20):
        envs.step(envs.action_masks().argmax(axis=1))
    envs.close()
    return envs


def single() -> Any:
    env = gymnasium.make("Sabacc-v0", num_players=4)
    _, info = env.reset(seed=1)
    env.step(int(info["action_mask"].argmax()))
    env.close()
    return env.unwrapped


def played(make: Callable[[], Any]) -> Callable[[], Any]:
    def turns() -> Any:
        env = make()
        env.reset(seed=1)
        env.close()
        return env

    return turns


def stable_baselines3() -> Any:
    envs = SabaccVecEnv("casino", 4, opponents="random", seed=1)
    envs.reset()
    for _ in range(20):
        envs.step(envs.action_masks().argmax(axis=1))
    return envs


def tables() -> Any:
    many = Tables("casino", 4)
    many.play(random_legal, 50)
    return many


@pytest.mark.parametrize(
    "make",
    [
        vector,
        single,
        played(sabacc_v0.raw_env),
        played(sabacc_v0.env),
        played(sabacc_v0.parallel_env),
        stable_baselines3,
        tables,
    ],
)
def test_nothing_holds_itself(make: Callable[[], Any]) -> None:
    """What does is freed by a collection alone, which counts objects and not the arrays' bytes."""
    make()  # what is kept for all is made now
    gc.disable()
    try:
        used = make()
        alive = weakref.ref(used)
        del used
        assert alive() is None
    finally:
        gc.enable()


@pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="asks the system for the memory")
def test_environments_that_are_made_and_closed_leave_nothing() -> None:
    def used() -> int:
        return 4096 * int(Path("/proc/self/statm").read_text().split()[1])

    def make(count: int) -> None:
        for _ in range(count):
            envs: Any = gymnasium.make_vec("Sabacc-v0", num_envs=512)
            envs.reset(seed=1)
            envs.step(envs.action_masks().argmax(axis=1))
            envs.close()

    gc.collect()  # what other tests left would be counted
    make(50)
    before = used()
    make(200)
    assert used() - before < 200 * 20_000  # 100,000 each where one held itself
