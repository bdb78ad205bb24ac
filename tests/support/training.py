"""What the tests of both trainers do with runs: end them early, and measure their agents."""

from __future__ import annotations

import os
import signal
from pathlib import Path

from sabacc_agents.loading import load
from sabacc_training.evaluation.hero_margin import hero_margin

from sabacc_env import load_rules


class Killed(Exception):
    """Stands for a kill: nothing is written after it."""


def kill() -> None:
    raise Killed


def terminate() -> None:
    os.kill(os.getpid(), signal.SIGTERM)


def beats_random(agent: Path) -> bool:
    """Return whether a saved agent clearly beats random at two-seat black_spire."""
    rules = load_rules("black_spire")
    hero, opponent = load(agent, rules, 2), load("random", rules, 2)
    margin = hero_margin(rules, hero, opponent, 2, deals=2000, seed=5)
    return margin.mean - margin.half_width() > 300  # of at most 1,000; untrained: 0
