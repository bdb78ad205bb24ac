"""What a run of the benchmark found: figures, ratios, and the file that keeps every sample."""

from __future__ import annotations

import json
import statistics
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Self

from sabacc_env.rules import rule_sets
from sabacc_training.bench.names import inside
from sabacc_training.bench.sampling import FIGURES, Sample


@dataclass(frozen=True)
class Spread:
    """The median, the least and the greatest of some values."""

    median: float
    least: float
    most: float

    @classmethod
    def of(cls, values: Sequence[float]) -> Self:
        """Summarise values; there is at least one."""
        return cls(statistics.median(values), min(values), max(values))


@dataclass(frozen=True)
class Measured:
    """One thing that was measured: what ``Subject`` says of it, and a sample for each round."""

    name: str
    part: str
    unit: str
    size: int | None
    over: tuple[str, ...]
    samples: tuple[Sample, ...]

    @property
    def values(self) -> list[float]:
        """The figure of each round, in ``unit``."""
        return [FIGURES[self.unit](sample) for sample in self.samples]

    @property
    def spread(self) -> Spread:
        """The figures of all rounds."""
        return Spread.of(self.values)


@dataclass(frozen=True)
class Ratio:
    """One rate over another, round by round: in a round they were measured soon after each other.

    Attributes:
        of: the name of what is compared.
        over: the name of what it is compared with.
        spread: the ratios of all rounds.
    """

    of: str
    over: str
    spread: Spread


@dataclass(frozen=True)
class Results:
    """A run of the benchmark.

    Attributes:
        command: what measures this again.
        date: when it ended.
        machine: its processor, cores and system, and the versions of what took part.
        absent: a sentence for each peer that was not installed.
        measured: everything measured, by name.
    """

    command: str
    date: str
    machine: dict[str, Any]
    absent: tuple[str, ...]
    measured: Mapping[str, Measured]

    def part(self, part: str) -> list[Measured]:
        """Return what was measured in one part."""
        return [each for each in self.measured.values() if each.part == part]

    def by_speed(self) -> list[str]:
        """Return the rule sets that were measured, the slowest inside the loop first."""
        found = [rules for rules in rule_sets() if inside(rules) in self.measured]
        return sorted(found, key=lambda rules: self.measured[inside(rules)].spread.median)

    @property
    def load(self) -> Spread:
        """The machine's load over the run."""
        samples = [sample for each in self.measured.values() for sample in each.samples]
        return Spread.of([sample.load for sample in samples])

    @property
    def rounds(self) -> int:
        """How many samples there are of each thing."""
        return min(len(each.samples) for each in self.measured.values())

    def ratios(self) -> list[Ratio]:
        """Return every comparison whose two sides were measured."""
        return [
            Ratio(each.name, over, _ratio(each.values, self.measured[over].values))
            for each in self.measured.values()
            for over in each.over
            if over in self.measured
        ]

    def to_json(self) -> str:
        """Return this as text: all samples, and beside them figures and ratios, for other readers.

        ``from_json`` reads it again.
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
            over = tuple(each.pop("over"))
            measured[each["name"]] = Measured(**each, over=over, samples=samples)
        return cls(**data | {"absent": tuple(data["absent"])}, measured=measured)


def _ratio(one: Sequence[float], other: Sequence[float]) -> Spread:
    return Spread.of([a / b for a, b in zip(one, other, strict=True)])
