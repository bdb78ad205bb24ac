"""The base class of agents that draw from a distribution, by the row of a decision alone."""

from __future__ import annotations

from abc import ABC, abstractmethod

import numpy as np
from numpy.typing import NDArray

from sabacc_env.agent import sample
from sabacc_env.array_types import Floats, Ints


class StochasticAgent(ABC):
    """A stochastic agent without memory."""

    def reset(self, num_tables: int) -> None:  # noqa: B027 (nothing to do is the point)
        """Do nothing: the agent has no memory."""

    def act(
        self,
        observations: Floats,
        action_masks: NDArray[np.int8],
        rng: np.random.Generator,
        tables: Ints | None = None,
    ) -> Ints:
        """Draw a legal action for each row."""
        return sample(self.probabilities(observations, action_masks), rng)

    @abstractmethod
    def probabilities(
        self, observations: Floats, action_masks: NDArray[np.int8]
    ) -> NDArray[np.float64]:
        """Return the distributions that it draws from, (n, num_actions)."""
