"""The configuration of ``sabacc bench``."""

from __future__ import annotations

from typing import Annotated, Any, Final, Literal, get_args

from pydantic import Field

from sabacc_env.rules.limits import MAX_SEATS
from sabacc_training.config.base import Config, validated

Part = Literal[
    "rules",
    "peers",
    "aec",
    "game",
    "vector",
    "tables",
    "players",
    "threads",
    "start",
    "tournament",
]

PARTS: Final[tuple[Part, ...]] = get_args(Part)

Count = Annotated[int, Field(ge=1)]
Players = Annotated[int, Field(ge=2, le=MAX_SEATS)]


class BenchConfig(Config):
    """A run of the benchmarks."""

    parts: tuple[Part, ...] = PARTS
    """The measured parts: the six rule sets; the installed peers; one table as a PettingZoo
    environment and as a ``Game``; one and many tables as a Gymnasium vector environment; rates by
    numbers of tables, players and threads; the time from import to the first step; tournaments on
    one core and on all."""

    repeats: Count = 7
    """Rounds; each takes one sample of every benchmark in turn."""

    seconds: float = Field(default=0.3, gt=0, le=3600)
    """The least CPU time of each sample."""

    quick: bool = False
    """Whether this run only shows that everything works."""

    cold: bool = False
    """Whether ``start`` is also measured with an engine that is not compiled yet."""

    num_tables: Count = 4096
    """Tables in a batch, where their number is not varied."""

    tables: tuple[Count, ...] = (64, 512, 4096, 16_384, 65_536)
    """The numbers of tables in the part ``tables``."""

    players: tuple[Players, ...] = tuple(range(2, MAX_SEATS + 1))
    """The numbers of players in the part ``players``."""

    peer_tables: Count = 8192
    """Tables of peers that play in batches."""

    @property
    def command(self) -> str:
        """The command that measures this."""
        words = ["sabacc bench", *(self.parts if self.parts != PARTS else ())]
        words += ["--quick"] * self.quick + ["--cold"] * self.cold
        return " ".join([*words, f"--repeats {self.repeats} --seconds {self.seconds:g}"])


QUICK: Final[dict[str, Any]] = {
    "quick": True,
    "repeats": 2,
    "seconds": 0.01,
    "num_tables": 16,
    "tables": (4, 16),
    "players": (2, 8),
    "peer_tables": 16,
}
"""Settings that show in seconds that everything works; their figures say little."""


def bench_config(quick: bool, **given: Any) -> BenchConfig:
    """Return a full or quick configuration with the given values that are not None.

    Raises:
        SabaccError: for a wrong value.
    """
    changes = {key: value for key, value in given.items() if value is not None}
    return validated(BenchConfig, (QUICK if quick else {}) | changes)
