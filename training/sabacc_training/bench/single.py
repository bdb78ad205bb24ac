"""Benchmarks of a single ``Game``, and of the time from import to the first step."""

from __future__ import annotations

import json
import os
import random
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from typing import Final

from sabacc_env import Game, load_rules
from sabacc_training.bench.names import CACHED, COLD, GAME
from sabacc_training.bench.sampling import Benchmark
from sabacc_training.jobs.stopwatch import Stopwatch

RULES: Final = "casino"
PLAYERS: Final = 4

FIRST_STEP: Final = """
import json, time
cpu, wall = time.process_time(), time.perf_counter()
from sabacc_env import sabacc_v0
env = sabacc_v0.raw_env()
env.reset(seed=1)
env.step(0)
print(json.dumps([time.process_time() - cpu, time.perf_counter() - wall]))
"""


def game_benchmarks() -> Iterator[Benchmark]:
    """Yield the benchmark of random moves of a ``Game``, without the deal."""
    rules, rng = load_rules(RULES), random.Random(0)

    def play(clock: Stopwatch) -> int:
        game, moves = Game(rules, PLAYERS, seed=rng.getrandbits(32)), 0
        with clock:
            while game.seat_to_act is not None:
                game.play(rng.choice(game.legal_moves()))
                moves += 1
        return moves

    yield Benchmark(GAME, "game", "µs a move", play)


def start_benchmarks(cold: bool) -> Iterator[Benchmark]:
    """Yield benchmarks of a new process to its first step; with ``cold`` also without a cache."""
    yield Benchmark(CACHED, "start", "CPU-seconds", _start)
    if cold:
        yield Benchmark(COLD, "start", "CPU-seconds", _cold_start)


def _start(clock: Stopwatch, **changes: str) -> int:
    command = [sys.executable, "-c", FIRST_STEP]
    environment = dict(os.environ) | changes
    environment.pop("PYTHONDONTWRITEBYTECODE", None)  # bytecode is a cache too
    done = subprocess.run(command, env=environment, check=True, capture_output=True, text=True)
    cpu, wall = json.loads(done.stdout)
    clock.cpu += cpu
    clock.wall += wall
    return 1


def _cold_start(clock: Stopwatch) -> int:
    with tempfile.TemporaryDirectory() as folder:
        return _start(clock, XDG_CACHE_HOME=folder, HOME=folder)
