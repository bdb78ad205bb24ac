"""The opponent pool: the current policy, snapshots of it, and other agents."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Protocol, Self

import numpy as np

from sabacc_env.agent import Agent
from sabacc_env.errors import SabaccError
from sabacc_training.config.run import RunConfig


class LearningAgent(Agent, Protocol):
    """The policy that learns, as the pool needs it."""

    def frozen(self) -> Self:
        """Return a copy that no longer learns."""
        ...

    def state(self) -> Any:
        """Return its weights, for ``restore``."""
        ...

    def restore(self, state: Any) -> None:
        """Play by the weights of a ``state``."""
        ...


class OpponentPool:
    """A list of agents, and how often each is drawn. No agent ever changes its index.

    Args:
        config: the run; its section ``pool`` names the members.
        current: the policy that learns.
        make_agent: makes an agent for the games of the run from its name.
        rivals: agents that learn elsewhere while the policy learns.
        rivals_share: the share of hands that they play, all together.
    """

    def __init__(
        self,
        config: RunConfig,
        current: LearningAgent,
        make_agent: Callable[[str], Agent],
        rivals: Sequence[Agent] = (),
        rivals_share: float = 0.0,
    ) -> None:
        self._config = config.pool
        self._rivals = list(rivals)
        self._rivals_share = rivals_share
        self._current = current
        self._scripted = [make_agent(spec) for spec in config.pool.scripted]
        for spec, agent in zip(config.pool.scripted, self._scripted, strict=True):
            if config.rule_space is not None and not getattr(agent, "plays_any_rules", False):
                raise SabaccError(
                    f"pool.scripted: {spec!r} is made for one rule set; with rule_space use "
                    '"random" or a network that was trained with rule_space'
                )
        self._snapshots: list[LearningAgent] = []
        self._next_snapshot = config.pool.snapshot_every
        self._rng = np.random.default_rng([config.seed, 1])

    @property
    def agents(self) -> list[Agent]:
        """All members."""
        return [self._current, *self._rivals, *self._scripted, *self._snapshots]

    @property
    def weights(self) -> list[float]:
        """How often each of ``agents`` is drawn, in proportion."""
        config, count, rivals = self._config, len(self._snapshots), len(self._rivals)
        current = config.current if count else config.current + config.snapshots
        scripted = list(config.scripted.values())
        snapshots = [config.snapshots / max(count, 1)] * count
        if not rivals:
            return [current, *scripted, *snapshots]
        rest = (1 - self._rivals_share) / (current + sum(scripted) + sum(snapshots))
        others = [weight * rest for weight in (*scripted, *snapshots)]
        return [current * rest, *[self._rivals_share / rivals] * rivals, *others]

    @property
    def is_self_play(self) -> bool:
        """Whether the current policy plays every seat, from the beginning to the end."""
        config = self._config
        return not (self._rivals or config.snapshots or any(config.scripted.values()))

    def add_snapshot_if_due(self, steps: int) -> bool:
        """Add a snapshot of the current policy if one is due after so many steps.

        Returns:
            Whether one was added.
        """
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
        """Continue from a ``state`` of a pool of the same configuration."""
        self._snapshots = []
        for weights in state["snapshots"]:
            snapshot = self._current.frozen()
            snapshot.restore(weights)
            self._snapshots.append(snapshot)
        self._next_snapshot = state["next_snapshot"]
        self._rng.bit_generator.state = state["rng"]
