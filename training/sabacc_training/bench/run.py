"""A benchmark run: all benchmarks are made first, then sampled round by round."""

from __future__ import annotations

import os
import platform
from collections.abc import Callable, Iterable
from dataclasses import asdict
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any, Final

from sabacc_training.bench.config import BenchConfig, Part
from sabacc_training.bench.peers import peer_benchmarks
from sabacc_training.bench.pettingzoo_loop import aec_benchmarks
from sabacc_training.bench.progress import BenchProgress
from sabacc_training.bench.results import BenchmarkResult, Results
from sabacc_training.bench.sampling import Benchmark, Sample, sample_rounds
from sabacc_training.bench.single import game_benchmarks, start_benchmarks
from sabacc_training.bench.tables import (
    players_benchmarks,
    rules_benchmarks,
    tables_benchmarks,
    threads_benchmarks,
)
from sabacc_training.bench.tournament import tournament_benchmarks
from sabacc_training.bench.vector import vector_benchmarks
from sabacc_training.jobs.partial_results import PartialResults

BENCHMARKS: Final[dict[Part, Callable[[BenchConfig], Iterable[Benchmark | str]]]] = {
    "rules": rules_benchmarks,
    "peers": peer_benchmarks,
    "aec": lambda _: aec_benchmarks(),
    "game": lambda _: game_benchmarks(),
    "vector": vector_benchmarks,
    "tables": tables_benchmarks,
    "players": players_benchmarks,
    "threads": threads_benchmarks,
    "start": lambda config: start_benchmarks(config.cold),
    "tournament": tournament_benchmarks,
}
"""The benchmarks of each part, in the order of a round: peers stand beside what is compared with
them. A sentence stands in place of a peer that cannot be measured."""

PACKAGES: Final = (
    *("sabacc-env", "numpy", "numba", "gymnasium", "pettingzoo"),
    *("open-spiel", "pgx", "jax", "rlcard"),
)


def run(config: BenchConfig, partial: PartialResults, progress: BenchProgress) -> Results | None:
    """Run all benchmarks; on Ctrl-C return the results of the rounds so far, None without any.

    Args:
        config: the configuration.
        partial: the finished rounds; new rounds are saved there.
        progress: shows each sample.
    """
    benchmarks: list[Benchmark] = []
    absent: list[str] = []
    samples = [[Sample(**each) for each in part] for part in partial.parts.values()]
    try:
        for part, make in BENCHMARKS.items():
            if part in config.parts:
                found = list(make(config))
                benchmarks += [each for each in found if isinstance(each, Benchmark)]
                absent += [each for each in found if isinstance(each, str)]
        left = range(len(samples) + 1, config.repeats + 1)
        progress.start(len(benchmarks) * (len(left) + 1))
        for number, each in zip(
            left,
            sample_rounds(benchmarks, left, config.repeats, config.seconds, progress),
            strict=True,
        ):
            partial.add(f"round {number}", [asdict(sample) for sample in each])
            samples.append(each)
    except KeyboardInterrupt:
        if not samples:
            return None
    measured = [
        BenchmarkResult(each.name, each.part, each.unit, each.size, each.baselines, taken)
        for each, taken in zip(benchmarks, zip(*samples, strict=True), strict=True)
    ]
    return Results(
        command=config.command,
        date=datetime.now(UTC).isoformat(timespec="seconds"),
        machine=machine_info(),
        absent=tuple(absent),
        measured={each.name: each for each in measured},
    )


def machine_info() -> dict[str, Any]:
    """Return the hardware and the versions on which figures depend."""
    return {
        "processor": _processor(),
        "cores": os.cpu_count(),
        "system": f"{platform.system()} {platform.machine()}",
        "python": platform.python_version(),
        "versions": {name: found for name in PACKAGES if (found := _version(name))},
    }


def _processor() -> str:
    """Return the processor's model, as the system reports it."""
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        lines = []
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return (names or [platform.processor() or platform.machine()])[0]


def _version(name: str) -> str | None:
    try:
        return version(name)
    except PackageNotFoundError:
        return None
