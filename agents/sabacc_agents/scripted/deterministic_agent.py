"""The base class of agents that choose one action for sure, by the row of a decision alone."""

from __future__ import annotations

from abc import ABC, abstractmethod

import numpy as np
from numpy.typing import NDArray

from sabacc_env.array_types import Floats, Ints


class DeterministicAgent(ABC):
    """A deterministic agent without memory."""

    def reset(self, num_tables: int) -> None:  # noqa: B027 (nothing to do is the point)
        """Do nothing: the agent has no memory."""

    @abstractmethod
    def act(
        self,
        observations: Floats,
        action_masks: NDArray[np.int8],
        rng: np.random.Generator,
        tables: Ints | None = None,
    ) -> Ints:
        """Choose a legal action for each row, by that row alone."""

    def probabilities(
        self, observations: Floats, action_masks: NDArray[np.int8]
    ) -> NDArray[np.float64]:
        """Return 1 for the action that it chooses and 0 for all others, (n, num_actions)."""
        probabilities = np.zeros(action_masks.shape)
        actions = self.act(observations, action_masks, np.random.default_rng(0))
        probabilities[np.arange(len(actions)), actions] = 1
        return probabilities
