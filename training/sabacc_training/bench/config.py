"""What ``sabacc bench`` measures, how often and for how long."""

from __future__ import annotations

from typing import Annotated, Any, Final, Literal, get_args

from pydantic import Field

from sabacc_env.rules.limits import MAX_SEATS
from sabacc_training.config.base import Config, validated

Part = Literal["rules", "peers", "aec", "game", "tables", "players", "threads", "start"]

PARTS: Final[tuple[Part, ...]] = get_args(Part)

Count = Annotated[int, Field(ge=1)]
Players = Annotated[int, Field(ge=2, le=MAX_SEATS)]


class BenchConfig(Config):
    """A run of the benchmark."""

    parts: tuple[Part, ...] = PARTS
    """What is measured: the six rule sets; the peers that are installed; one table as a PettingZoo
    environment and as a ``Game``; how the rate changes with tables, players and threads; the time
    from import to the first step."""

    repeats: Count = 7
    """Rounds; each measures everything once, in turn."""

    seconds: float = Field(default=0.3, gt=0, le=3600)
    """CPU time of each sample, at least."""

    quick: bool = False
    """Whether this is a look at everything and no measurement."""

    cold: bool = False
    """Whether ``start`` is measured with an engine that is not compiled yet, too."""

    num_tables: Count = 4096
    """Tables in a batch, where their number is not what is varied."""

    tables: tuple[Count, ...] = (64, 512, 4096, 16_384, 65_536)
    """Numbers of tables that ``tables`` goes through."""

    players: tuple[Players, ...] = tuple(range(2, MAX_SEATS + 1))
    """Numbers of players that ``players`` goes through."""

    peer_tables: Count = 8192
    """Tables of a peer that plays in batches."""

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
"""Shows in seconds that everything runs; such figures say little."""


def bench_config(quick: bool, **given: Any) -> BenchConfig:
    """Return a run, full or quick, with these keys where they are not None.

    Raises:
        SabaccError: for a wrong value; one sentence that names the key.
    """
    changes = {key: value for key, value in given.items() if value is not None}
    return validated(BenchConfig, (QUICK if quick else {}) | changes)
