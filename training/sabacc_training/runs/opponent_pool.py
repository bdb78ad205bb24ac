"""The learner's opponents: itself as it is, its earlier selves, and agents that do not learn."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol, Self

import numpy as np

from sabacc_env.agent import Agent
from sabacc_training.config.run import RunConfig


class LearningAgent(Agent, Protocol):
    """The policy that learns, as the pool needs it."""

    def frozen(self) -> Self:
        """Return a copy that no longer learns."""
        ...

    def state(self) -> Any:
        """Return what it plays by, for ``restore``."""
        ...

    def restore(self, state: Any) -> None:
        """Play by a ``state``."""
        ...


class Pool:
    """A list of agents in which nobody ever changes place, and how often each is drawn.

    Args:
        config: the run; its section ``pool`` says who belongs to it.
        current: the policy that learns.
        build: makes an agent for this run's games from what a user writes.
    """

    def __init__(
        self, config: RunConfig, current: LearningAgent, build: Callable[[str], Agent]
    ) -> None:
        self._config = config.pool
        self._current = current
        self._scripted = [build(spec) for spec in config.pool.scripted]
        self._snapshots: list[LearningAgent] = []
        self._next_snapshot = config.pool.snapshot_every
        self._rng = np.random.default_rng([config.seed, 1])

    @property
    def agents(self) -> list[Agent]:
        """Everybody, in a place that stays theirs."""
        return [self._current, *self._scripted, *self._snapshots]

    @property
    def weights(self) -> list[float]:
        """How often each of ``agents`` is drawn, in proportion."""
        snapshots = self._config.snapshots
        if not self._snapshots:
            return [self._config.current + snapshots, *self._config.scripted.values()]
        each = snapshots / len(self._snapshots)
        return [
            self._config.current,
            *self._config.scripted.values(),
            *(each for _ in self._snapshots),
        ]

    def grow(self, steps: int) -> bool:
        """Take a snapshot if one is due after so many steps; say whether one was taken."""
        if steps < self._next_snapshot or not self._config.snapshots:
            return False
        self._next_snapshot = steps + self._config.snapshot_every
        snapshot = self._current.frozen()
        if len(self._snapshots) < self._config.max_snapshots:
            self._snapshots.append(snapshot)
        else:
            self._snapshots[self._rng.integers(self._config.max_snapshots)] = snapshot
        return True

    def state(self) -> dict[str, Any]:
        """Return everything but the current policy, for ``restore``."""
        return {
            "snapshots": [agent.state() for agent in self._snapshots],
            "next_snapshot": self._next_snapshot,
            "rng": self._rng.bit_generator.state,
        }

    def restore(self, state: dict[str, Any]) -> None:
        """Go on from a ``state`` of a pool of the same configuration."""
        self._snapshots = []
        for weights in state["snapshots"]:
            snapshot = self._current.frozen()
            snapshot.restore(weights)
            self._snapshots.append(snapshot)
        self._next_snapshot = state["next_snapshot"]
        self._rng.bit_generator.state = state["rng"]
