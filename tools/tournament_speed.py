"""Measure tournaments on all cores, and show where their time goes.

``python -m tools.tournament_speed`` plays pairs of compiled agents and of networks in as many
processes as there are cores, prints hands a minute, and profiles one task of each.
"""

from __future__ import annotations

import cProfile
import os
import pstats
import time
from functools import partial
from typing import Final

from sabacc_training.bench.tournament import PAIRS
from sabacc_training.config.base import validated
from sabacc_training.jobs.executors import local_processes
from sabacc_training.tournaments.config import TournamentConfig
from sabacc_training.tournaments.tasks import Task, play_task

DEALS: Final = 10_000
"""Deals in a task; each is two hands."""

PARTS: Final = {
    "network": ("linear", "relu", "softmax", "networks/"),
    "engine and observations": ("drivers/", "tables/episodes"),
    "sampling": ("sabacc_env/agent.py", "cumsum", "agent_calls"),
    "statistics": ("play_statistics", "bincount"),
    "files": ("checksums", "sha256", "tobytes", "json"),
}
"""What the profile's functions belong to: by a part of their name or their file's."""


def hands_a_minute(config: TournamentConfig, lineup: tuple[str, ...], tasks: int) -> float:
    """Return the hands a minute of all cores, processes warm."""
    cores = os.cpu_count() or 1
    todo = [Task(lineup, DEALS * number, DEALS) for number in range(cores + tasks)]
    with local_processes(cores) as executor:
        play = partial(play_task, config)
        list(executor(play, todo[:cores]))
        began = time.perf_counter()
        list(executor(play, todo[cores:]))
        return 60 * 2 * DEALS * tasks / (time.perf_counter() - began)


def time_by_part(config: TournamentConfig, lineup: tuple[str, ...]) -> dict[str, float]:
    """Return the share of each part in one task, by its functions' own time."""
    play_task(config, Task(lineup, 0, 100))  # imports and compiles
    profile = cProfile.Profile()
    profile.runcall(play_task, config, Task(lineup, 10**6, DEALS))
    shares = dict.fromkeys([*PARTS, "the rest"], 0.0)
    for (file, _, name), (_, _, own, *_) in pstats.Stats(profile).stats.items():  # type: ignore[attr-defined]
        where = f"{file}:{name}"
        parts = [part for part, words in PARTS.items() if any(word in where for word in words)]
        shares[(parts or ["the rest"])[0]] += own
    total = sum(shares.values())
    return {part: own / total for part, own in shares.items()}


def main() -> None:
    """Print both for every pair."""
    for name, agents in PAIRS.items():
        data = {"rules": "casino", "agents": agents, "deals": DEALS, "deals_per_task": DEALS}
        config = validated(TournamentConfig, data)
        lineup = tuple(agent.name for agent in config.agents)
        tasks = 4 if "networks" in name else 40
        shares = time_by_part(config, lineup)
        print(f"{name}: {hands_a_minute(config, lineup, tasks):,.0f} hands a minute")
        print("   ", ", ".join(f"{part} {share:.0%}" for part, share in shares.items()))


if __name__ == "__main__":
    main()
