"""The inputs of the networks: features of the observation, and for the critic privileged ones."""

from __future__ import annotations

from typing import Literal

import numpy as np
from numpy.typing import NDArray
from sabacc_agents.networks.features import FeatureExtractor

from sabacc_env.engine.drivers.batch import UPCOMING_SIZE
from sabacc_env.engine.observation.blocks import HAND_SIZE
from sabacc_env.tables import Tables

CriticInput = Literal["own_hand", "all_hands", "everything"]


class NetworkInputs:
    """The inputs of a decision: first the policy's, then those that only the critic has.

    Args:
        extractor: computes the policy's inputs.
        num_players: seats at the largest table.
        critic_input: what the critic sees: as much as the policy, the hands of the other seats too,
            or even the cards and dice to come.

    Attributes:
        extractor: as given.
        policy_size: number of inputs of the policy.
        size: number of inputs of the critic.
    """

    def __init__(
        self, extractor: FeatureExtractor, num_players: int, critic_input: CriticInput
    ) -> None:
        self.extractor = extractor
        self.policy_size = extractor.size
        self._critic_input = critic_input
        hands = (num_players - 1) * HAND_SIZE
        privileged_sizes = {"own_hand": 0, "all_hands": hands, "everything": hands + UPCOMING_SIZE}
        self.size = self.policy_size + privileged_sizes[critic_input]

    def write(self, tables: Tables, indices: NDArray[np.int64], out: NDArray[np.float32]) -> None:
        """Write the inputs of the seats to act at some tables, (n, size)."""
        self.extractor.write(tables.flat_observations, indices, out)
        begin = self.policy_size
        for part in self.privileged(tables, indices):
            out[:, begin : begin + part.shape[1]] = part
            begin += part.shape[1]

    def privileged(self, tables: Tables, indices: NDArray[np.int64]) -> list[NDArray[np.float32]]:
        """Return the inputs that only the critic has at some tables, arrays of n rows."""
        if self._critic_input == "own_hand":
            return []
        hands = tables.opponents_hands(indices)
        hands = hands.reshape(len(indices), hands.shape[1] * hands.shape[2])
        return (
            [hands]
            if self._critic_input == "all_hands"
            else [hands, tables.upcoming_chance(indices)]
        )
