"""Sampling: all benchmarks in turn, round by round, so that noise affects all equally."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Final

from sabacc_training.bench.progress import BenchProgress
from sabacc_training.jobs.stopwatch import Stopwatch


@dataclass(frozen=True)
class Sample:
    """One sample of a benchmark.

    Attributes:
        done: the number of decisions, turns, hands, steps, calls, moves or starts.
        cpu: their CPU time in seconds, over all threads.
        wall: their wall-clock time in seconds.
        load: the machine's load before the sample: the mean number of processes in a minute.
        shares: where the time goes: the shares of parts, if the benchmark tells them.
    """

    done: int
    cpu: float
    wall: float
    load: float
    shares: dict[str, float] = field(default_factory=dict)


FIGURE_BY_UNIT: Final[dict[str, Callable[[Sample], float]]] = {
    "decisions a CPU-second": lambda sample: sample.done / sample.cpu,
    "turns a CPU-second": lambda sample: sample.done / sample.cpu,
    "decisions a second": lambda sample: sample.done / sample.wall,
    "hands a CPU-second": lambda sample: sample.done / sample.cpu,
    "hands a minute": lambda sample: 60 * sample.done / sample.wall,
    "steps a CPU-second": lambda sample: sample.done / sample.cpu,
    "µs a call": lambda sample: 1e6 * sample.cpu / sample.done,
    "µs a move": lambda sample: 1e6 * sample.cpu / sample.done,
    "CPU-seconds": lambda sample: sample.cpu / sample.done,
}
"""The figure of a sample, by its unit."""

Play = Callable[[Stopwatch], int]
"""Does some work with the stopwatch running; returns the number of decisions, turns, ... done."""


@dataclass(frozen=True)
class Benchmark:
    """A benchmark.

    Attributes:
        name: its name in results.
        part: its part of the run.
        unit: the unit of its figures, a key of ``FIGURE_BY_UNIT``.
        play: does some of its work.
        size: the number of tables, players or threads, where its part varies this number.
        baselines: the names of benchmarks that its rate is compared with.
        shares: returns where the time of its work goes: the shares of parts.
    """

    name: str
    part: str
    unit: str
    play: Play
    size: int | None = None
    baselines: tuple[str, ...] = ()
    shares: Callable[[], dict[str, float]] = dict


def sample_rounds(
    benchmarks: Sequence[Benchmark],
    numbers: Sequence[int],
    repeats: int,
    seconds: float,
    progress: BenchProgress,
) -> Iterator[list[Sample]]:
    """Yield rounds with one sample of each benchmark, after a warm-up of all benchmarks.

    Args:
        benchmarks: the benchmarks.
        numbers: the numbers of these rounds.
        repeats: the number of all rounds.
        seconds: the least CPU time of each sample.
        progress: shows each sample.
    """
    for benchmark in benchmarks:
        progress.next(f"warming up {benchmark.name}")
        benchmark.play(Stopwatch())
    for number in numbers:
        samples = []
        for benchmark in benchmarks:
            progress.next(f"round {number} of {repeats}: {benchmark.name}")
            samples.append(_sample(benchmark, seconds))
        progress.print_line(f"round {number} of {repeats} measured")
        yield samples


def _sample(benchmark: Benchmark, seconds: float) -> Sample:
    """Sample a benchmark for at least so many CPU-seconds."""
    load = os.getloadavg()[0]
    clock, done = Stopwatch(), 0
    while clock.cpu < seconds:
        done += benchmark.play(clock)
    return Sample(done, clock.cpu, clock.wall, load, benchmark.shares())
