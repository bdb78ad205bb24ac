"""What the networks are shown: the outlook on an observation, and for a critic all hands."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import numpy as np
from numpy.typing import NDArray
from sabacc_agents.networks.features import Outlook

from sabacc_env.engine.drivers.batch import COMING_SIZE
from sabacc_env.engine.observation.blocks import HAND_SIZE
from sabacc_env.rules import RuleSet
from sabacc_env.tables import Tables

Critic = Literal["own_hand", "all_hands", "everything"]


class Inputs:
    """The numbers that stand for a decision: first the policy's, then what only a critic sees.

    Args:
        rule_sets: all that are played.
        num_players: seats at the largest table.
        critic: what the critic sees: as much as the policy, the hands of the other seats too, or
            even the cards and dice to come.

    Attributes:
        outlook: what the policy is shown.
        policy_size: how many numbers the policy is shown.
        size: how many numbers the critic is shown.
    """

    def __init__(self, rule_sets: Sequence[RuleSet], num_players: int, critic: Critic) -> None:
        self.outlook = Outlook.on(rule_sets, num_players)
        self.policy_size = self.outlook.size
        self._critic = critic
        hands = (num_players - 1) * HAND_SIZE
        hidden = {"own_hand": 0, "all_hands": hands, "everything": hands + COMING_SIZE}
        self.size = self.policy_size + hidden[critic]

    def write(self, tables: Tables, which: NDArray[np.int64], out: NDArray[np.float32]) -> None:
        """Write what the seats to act at these tables are shown, (n, size)."""
        self.outlook.write(tables.observations, which, out)
        begin = self.policy_size
        for part in self.hidden(tables, which):
            out[:, begin : begin + part.shape[1]] = part
            begin += part.shape[1]

    def hidden(self, tables: Tables, which: NDArray[np.int64]) -> list[NDArray[np.float32]]:
        """Return what only a critic sees at these tables, arrays of (n, some numbers)."""
        if self._critic == "own_hand":
            return []
        hands = tables.opponents_hands(which)
        hands = hands.reshape(len(which), hands.shape[1] * hands.shape[2])
        return [hands] if self._critic == "all_hands" else [hands, tables.coming(which)]
