"""The demonstration: train by self-play, then play the scripted agents, with error bars."""

from __future__ import annotations

from collections.abc import Iterator
from importlib.resources import as_file, files
from pathlib import Path
from typing import Final

from sabacc_training.config.base import load_config, validated
from sabacc_training.evaluation.evaluate import Entrant, MatchConfig, PairResult, play_pair
from sabacc_training.evaluation.progress import MatchProgress
from sabacc_training.sb3.config import MaskablePPOConfig

OPPONENTS: Final = ("random", "tight", "loose", "maximiser", "calling_station", "always_raise")
"""The opponents of the trained agent; it has met the first three in training."""

DEALS: Final = 10_000
"""Deals against each opponent, each played from both seats."""


def demo_config(seed: int, steps: int | None = None) -> MaskablePPOConfig:
    """Return the demonstration's training run."""
    changes = [f"seed={seed}", *([] if steps is None else [f"steps={steps}"])]
    with as_file(files(__package__) / "demo.toml") as path:
        return load_config(MaskablePPOConfig, path, changes)


def demo_match_config(seed: int, deals: int) -> MatchConfig:
    """Return how the trained agent is compared with the others."""
    return validated(MatchConfig, {"seed": seed, "deals": deals})


def play_demo(config: MatchConfig, agent: Path, progress: MatchProgress) -> Iterator[PairResult]:
    """Yield the trained agent's match against each of the opponents."""
    entrant = Entrant(spec=str(agent), label="trained")
    for opponent in OPPONENTS:
        yield play_pair(config, entrant, Entrant(spec=opponent), progress)
