"""What a trainer offers to a run, and what a run offers to its trainer."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Protocol

from sabacc_env.agent import Agent


class UpdateCallback(Protocol):
    """What a trainer calls while it learns."""

    def log(self, steps: int, metrics: Mapping[str, float]) -> None:
        """Take the metrics of an update, by their TensorBoard tags, after so many steps."""
        ...

    def between_updates(self) -> None:
        """Run between two updates."""
        ...


class Trainer(Protocol):
    """What every trainer offers to a run."""

    @property
    def config(self) -> Any:
        """The run's configuration, a ``RunConfig``."""
        ...

    @property
    def steps(self) -> int:
        """The learner's decisions so far."""
        ...

    @property
    def average(self) -> Agent:
        """The policy that is saved."""
        ...

    def learn(self, callback: UpdateCallback) -> None:
        """Learn to the end of the run; log metrics and call the callback between updates."""
        ...

    def summary(self) -> str:
        """Return a sentence about the run that is over; empty where there is nothing to say."""
        ...

    def state(self) -> dict[str, Any]:
        """Return everything that ``restore`` needs to continue as if there had been no stop."""
        ...

    def restore(self, state: Mapping[str, Any]) -> None:
        """Continue from a ``state`` of a trainer of the same configuration."""
        ...

    def save_agent(self, path: Path) -> None:
        """Write the policy that is saved."""
        ...
