"""The results of a benchmark run: figures, ratios, and the file with every sample."""

from __future__ import annotations

import json
import statistics
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Self

from sabacc_env.rules import rule_sets
from sabacc_training.bench.names import compiled_loop_name
from sabacc_training.bench.sampling import FIGURE_BY_UNIT, Sample


@dataclass(frozen=True)
class Spread:
    """The median, the minimum and the maximum of some values."""

    median: float
    min: float
    max: float

    @classmethod
    def of(cls, values: Sequence[float]) -> Self:
        """Summarise at least one value."""
        return cls(statistics.median(values), min(values), max(values))


@dataclass(frozen=True)
class BenchmarkResult:
    """A benchmark (the fields are those of ``Benchmark``) with a sample for each round."""

    name: str
    part: str
    unit: str
    size: int | None
    baselines: tuple[str, ...]
    samples: tuple[Sample, ...]

    @property
    def values(self) -> list[float]:
        """The figure of each round, in ``unit``."""
        return [FIGURE_BY_UNIT[self.unit](sample) for sample in self.samples]

    @property
    def spread(self) -> Spread:
        """The figures of all rounds."""
        return Spread.of(self.values)

    @property
    def shares(self) -> dict[str, Spread]:
        """Where the time goes: the shares of parts in all rounds, of those that tell them."""
        told = [sample.shares for sample in self.samples]
        return {part: Spread.of([shares[part] for shares in told]) for part in told[0]}


@dataclass(frozen=True)
class Ratio:
    """The ratio of two rates, round by round: in a round both were measured within a short time.

    Attributes:
        name: the name of the benchmark.
        baseline: the name of the benchmark that it is compared with.
        spread: the ratios of all rounds.
    """

    name: str
    baseline: str
    spread: Spread


@dataclass(frozen=True)
class Results:
    """The results of a benchmark run.

    Attributes:
        command: the command that measures them again.
        date: when the run ended.
        machine: its processor, cores and system, and the versions of packages.
        absent: a sentence for each peer that was not measured.
        measured: the results by the names of their benchmarks.
    """

    command: str
    date: str
    machine: dict[str, Any]
    absent: tuple[str, ...]
    measured: Mapping[str, BenchmarkResult]

    def part(self, part: str) -> list[BenchmarkResult]:
        """Return the results of one part."""
        return [each for each in self.measured.values() if each.part == part]

    def by_speed(self) -> list[str]:
        """Return the measured rule sets, the slowest in the compiled loop first."""
        found = [rules for rules in rule_sets() if compiled_loop_name(rules) in self.measured]
        return sorted(
            found, key=lambda rules: self.measured[compiled_loop_name(rules)].spread.median
        )

    @property
    def load(self) -> Spread:
        """The machine's load during the run."""
        samples = [sample for each in self.measured.values() for sample in each.samples]
        return Spread.of([sample.load for sample in samples])

    @property
    def rounds(self) -> int:
        """How many samples there are of each thing."""
        return min(len(each.samples) for each in self.measured.values())

    def ratios(self) -> list[Ratio]:
        """Return the ratios of all results to their measured baselines."""
        return [
            Ratio(each.name, baseline, _ratio(each.values, self.measured[baseline].values))
            for each in self.measured.values()
            for baseline in each.baselines
            if baseline in self.measured
        ]

    def to_json(self) -> str:
        """Return all samples as text, with figures and ratios for other readers.

        ``from_json`` reads the text again.
        """
        data = {
            **vars(self),
            "measured": [
                asdict(each) | {"figure": asdict(each.spread)} for each in self.measured.values()
            ],
            "ratios": [asdict(ratio) for ratio in self.ratios()],
        }
        return json.dumps(data, indent=1, ensure_ascii=False) + "\n"

    @classmethod
    def from_json(cls, text: str) -> Self:
        """Return the results whose ``to_json`` this is."""
        data = json.loads(text)
        del data["ratios"]
        measured = {}
        for each in data.pop("measured"):
            del each["figure"]
            samples = tuple(Sample(**sample) for sample in each.pop("samples"))
            baselines = tuple(each.pop("baselines"))
            measured[each["name"]] = BenchmarkResult(**each, baselines=baselines, samples=samples)
        return cls(**data | {"absent": tuple(data["absent"])}, measured=measured)


def _ratio(one: Sequence[float], other: Sequence[float]) -> Spread:
    return Spread.of([a / b for a, b in zip(one, other, strict=True)])
