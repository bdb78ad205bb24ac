"""Samples: everything in turn, round by round, so that the machine's noise hits all alike."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from sabacc_training.bench.progress import BenchProgress
from sabacc_training.jobs.stopwatch import Stopwatch


@dataclass(frozen=True)
class Sample:
    """What was done within one sample.

    Attributes:
        done: how many decisions, turns, moves or starts.
        cpu: CPU seconds they took, over all threads.
        wall: seconds they took on the wall.
        load: the machine's load just before: the average number of processes in the last minute.
    """

    done: int
    cpu: float
    wall: float
    load: float


FIGURES: Final[dict[str, Callable[[Sample], float]]] = {
    "decisions a CPU-second": lambda sample: sample.done / sample.cpu,
    "turns a CPU-second": lambda sample: sample.done / sample.cpu,
    "decisions a second": lambda sample: sample.done / sample.wall,
    "µs a move": lambda sample: 1e6 * sample.cpu / sample.done,
    "CPU-seconds": lambda sample: sample.cpu / sample.done,
}
"""What a sample says, by its unit."""

Play = Callable[[Stopwatch], int]
"""Does a little of what is measured, with the clock running, and returns how much it did."""


@dataclass(frozen=True)
class Subject:
    """A thing to measure.

    Attributes:
        name: what results call it.
        part: which part of the benchmark it belongs to.
        unit: of its figures, one of ``FIGURES``.
        play: does a little of it.
        size: how many tables, players or threads, where that is what the part varies.
        over: the names of what its rate is compared with, where that is measured too.
    """

    name: str
    part: str
    unit: str
    play: Play
    size: int | None = None
    over: tuple[str, ...] = ()


def rounds(
    subjects: Sequence[Subject],
    numbers: Sequence[int],
    repeats: int,
    seconds: float,
    progress: BenchProgress,
) -> Iterator[list[Sample]]:
    """Yield rounds of one sample each of everything, after a little of everything for nothing.

    What compiles on its first call has compiled by then.

    Args:
        subjects: what is measured.
        numbers: the numbers of these rounds.
        repeats: how many rounds there are in all.
        seconds: CPU time of each sample, at least.
        progress: is told of every sample.
    """
    for subject in subjects:
        progress.next(f"trying {subject.name}")
        subject.play(Stopwatch())
    for number in numbers:
        samples = []
        for subject in subjects:
            progress.next(f"round {number} of {repeats}: {subject.name}")
            samples.append(_sample(subject, seconds))
        progress.print_line(f"round {number} of {repeats} measured")
        yield samples


def _sample(subject: Subject, seconds: float) -> Sample:
    """Measure one thing for so many CPU seconds, or a little longer."""
    load = os.getloadavg()[0]
    clock, done = Stopwatch(), 0
    while clock.cpu < seconds:
        done += subject.play(clock)
    return Sample(done, clock.cpu, clock.wall, load)
