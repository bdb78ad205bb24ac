"""What the tests of both trainers do with runs: end them early, and measure their agents."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from sabacc_agents.loading import load
from sabacc_training.config.run import RunConfig
from sabacc_training.evaluation.hero_margin import hero_margin
from sabacc_training.ppo.config import PPOConfig
from sabacc_training.ppo.trainer import PPOTrainer

from sabacc_env import load_rules


class Killed(Exception):
    """Stands for a kill: nothing is written after it."""


def kill() -> None:
    raise Killed


def terminate() -> None:
    os.kill(os.getpid(), signal.SIGTERM)


def interrupt() -> None:
    raise KeyboardInterrupt


@contextmanager
def before_calls(
    owner: type, method: str, numbers: Collection[int], happens: Callable[[], None]
) -> Iterator[None]:
    """Let something happen before some calls of a method inside ``with``, counted from 1."""
    original, calls = getattr(owner, method), 0

    def replacement(*arguments: Any) -> Any:
        nonlocal calls
        calls += 1
        if calls in numbers:
            happens()
        return original(*arguments)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(owner, method, replacement)
        yield


@contextmanager
def before_update(config: RunConfig, number: int, happens: Callable[[], None]) -> Iterator[None]:
    """Let something happen before an update of a run, counted from 1."""
    if isinstance(config, PPOConfig):
        with before_calls(PPOTrainer, "update", [number], happens):
            yield
    else:
        from sabacc_training.sb3.trainer import MaskablePPOTrainer

        with before_calls(MaskablePPOTrainer, "update_followers", [number], happens):
            yield


def beats_random(agent: Path) -> bool:
    """Return whether a saved agent clearly beats random at two-seat black_spire."""
    rules = load_rules("black_spire")
    hero, opponent = load(agent, rules, 2), load("random", rules, 2)
    margin = hero_margin(rules, hero, opponent, 2, deals=2000, seed=5)
    return margin.mean - margin.half_width() > 300  # of at most 1,000; untrained: 0
