"""A run of the benchmark: what is measured is built, then sampled round by round."""

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
from sabacc_training.bench.peers import peer_subjects
from sabacc_training.bench.pettingzoo_loop import aec_subjects
from sabacc_training.bench.progress import BenchProgress
from sabacc_training.bench.results import Measured, Results
from sabacc_training.bench.sampling import Sample, Subject, rounds
from sabacc_training.bench.single import game_subjects, start_subjects
from sabacc_training.bench.tables import (
    players_subjects,
    rules_subjects,
    tables_subjects,
    threads_subjects,
)
from sabacc_training.jobs.partial_results import PartialResults

SUBJECTS: Final[dict[Part, Callable[[BenchConfig], Iterable[Subject | str]]]] = {
    "rules": rules_subjects,
    "peers": peer_subjects,
    "aec": lambda _: aec_subjects(),
    "game": lambda _: game_subjects(),
    "tables": tables_subjects,
    "players": players_subjects,
    "threads": threads_subjects,
    "start": lambda config: start_subjects(config.cold),
}
"""What each part measures, in the order of a round: the peers amid what is compared with them.

In place of a peer that cannot be measured stands a sentence that says so."""

PACKAGES: Final = (
    *("sabacc-env", "numpy", "numba", "gymnasium", "pettingzoo"),
    *("open-spiel", "pgx", "jax", "rlcard"),
)


def run(config: BenchConfig, partial: PartialResults, progress: BenchProgress) -> Results | None:
    """Measure everything; on Ctrl-C, return what the rounds so far say, None if there is none.

    Args:
        config: what is measured.
        partial: the rounds that were measured before; those measured now are kept there too.
        progress: is told of every sample.
    """
    subjects: list[Subject] = []
    absent: list[str] = []
    samples = [[Sample(**each) for each in part] for part in partial.parts.values()]
    try:
        for part, make in SUBJECTS.items():
            if part in config.parts:
                found = list(make(config))
                subjects += [each for each in found if isinstance(each, Subject)]
                absent += [each for each in found if isinstance(each, str)]
        left = range(len(samples) + 1, config.repeats + 1)
        progress.start(len(subjects) * (len(left) + 1))
        for number, each in zip(
            left, rounds(subjects, left, config.repeats, config.seconds, progress), strict=True
        ):
            partial.add(f"round {number}", [asdict(sample) for sample in each])
            samples.append(each)
    except KeyboardInterrupt:
        if not samples:
            return None
    measured = [
        Measured(each.name, each.part, each.unit, each.size, each.over, taken)
        for each, taken in zip(subjects, zip(*samples, strict=True), strict=True)
    ]
    return Results(
        command=config.command,
        date=datetime.now(UTC).isoformat(timespec="seconds"),
        machine=machine(),
        absent=tuple(absent),
        measured={each.name: each for each in measured},
    )


def machine() -> dict[str, Any]:
    """Say what the figures depend on."""
    return {
        "processor": _processor(),
        "cores": os.cpu_count(),
        "system": f"{platform.system()} {platform.machine()}",
        "python": platform.python_version(),
        "versions": {name: found for name in PACKAGES if (found := _version(name))},
    }


def _processor() -> str:
    """Return the processor's model, as far as the system says."""
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
