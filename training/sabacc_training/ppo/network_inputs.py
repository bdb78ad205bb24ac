"""The inputs of the networks: of the observation, of earlier decisions, and privileged ones."""

from __future__ import annotations

from typing import Literal

import numpy as np
from numpy.typing import NDArray
from sabacc_agents.networks.features import FeatureExtractor
from sabacc_agents.networks.recall import NUM_RECALLED

from sabacc_env.engine.drivers.batch import UPCOMING_SIZE
from sabacc_env.engine.observation.blocks import HAND_SIZE
from sabacc_env.tables import Tables

CriticInput = Literal["own_hand", "all_hands", "everything"]


class NetworkInputs:
    """The inputs of a decision: first the policy's, then those that only the critic has.

    Args:
        extractor: computes the inputs that the observation gives.
        recalled_decisions: how many earlier decisions of the seat give inputs, too.
        num_players: seats at the largest table.
        critic_input: what the critic sees: as much as the policy, the hands of the other seats too,
            or even the cards and dice to come.

    Attributes:
        extractor: as given.
        recalled_decisions: likewise.
        recalled_size: number of inputs that are recalled.
        policy_size: number of inputs of the policy.
        size: number of inputs of the critic.
    """

    def __init__(
        self,
        extractor: FeatureExtractor,
        recalled_decisions: int,
        num_players: int,
        critic_input: CriticInput,
    ) -> None:
        self.extractor = extractor
        self.recalled_decisions = recalled_decisions
        self.recalled_size = recalled_decisions * NUM_RECALLED
        self.policy_size = extractor.size + self.recalled_size
        self._critic_input = critic_input
        hands = (num_players - 1) * HAND_SIZE
        privileged_sizes = {"own_hand": 0, "all_hands": hands, "everything": hands + UPCOMING_SIZE}
        self.size = self.policy_size + privileged_sizes[critic_input]

    def write(
        self,
        tables: Tables,
        indices: NDArray[np.int64],
        recalled: NDArray[np.float32],
        out: NDArray[np.float32],
    ) -> None:
        """Write the inputs of the seats to act at some tables, (n, size).

        Args:
            tables: the tables.
            indices: (n,) which of them.
            recalled: (n, recalled features) what these seats recall.
            out: takes the inputs.
        """
        self.extractor.write(tables.flat_observations, indices, out)
        begin = self.extractor.size
        for part in (recalled, *self.privileged(tables, indices)):
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
