"""What a turn reads and writes besides the game, in one record."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sabacc_env.actions import encode_bet_sizes
from sabacc_env.engine.drivers.single import TURN_BUFFERS_DTYPE
from sabacc_env.engine.layout import FIRST_BET_ACTION
from sabacc_env.engine.rules_record import rules_record
from sabacc_env.rules import RuleSet


class TurnBuffers:
    """The rules and bet sizes of a table, and what its last turn wrote: rewritten at each.

    Attributes:
        records: all this, as an array of one record of ``TURN_BUFFERS_DTYPE``.
        rules: the rules in it, as an array of one record.
        mask: the legal actions of the seat to act as 0 and 1, (num_actions,) int8.
        observation: what that seat may know, (OBSERVATION_SIZE,) float32.
        requested_observation: what the seat of the last ``write_observation`` may know.
        outcome: once the hand is over, how it ended: an array of one record of ``OUTCOME_DTYPE``.
    """

    def __init__(self, rules: RuleSet, bet_sizes: NDArray[Any]) -> None:
        records = np.zeros(1, TURN_BUFFERS_DTYPE)
        records["rules"] = rules_record(rules)
        records["sizes"] = bet_sizes
        self.__setstate__(records.tobytes())

    def __getstate__(self) -> bytes:
        """Return the record, for a copy: its views would each be copied for itself."""
        return self.records.tobytes()

    def __setstate__(self, state: bytes) -> None:
        """Take a record, and make the views of it: to read a field each time takes longer."""
        self.records: NDArray[Any] = np.ndarray(1, TURN_BUFFERS_DTYPE, bytearray(state))
        self.rules: NDArray[Any] = self.records["rules"]
        num_actions = FIRST_BET_ACTION + self.records["sizes"]["amount"].item()
        self.mask: NDArray[np.int8] = self.records["mask"][0, :num_actions]
        self.observation = self.records["observation"].view(np.float32)
        self.requested_observation = self.records["requested_observation"].view(np.float32)
        self.outcome: NDArray[Any] = self.records["outcome"]


@lru_cache(maxsize=64)
def default_turn_buffers(rules: RuleSet) -> TurnBuffers:
    """Return the buffers of games played by moves, with one bet size: nobody reads them."""
    return TurnBuffers(rules, encode_bet_sizes(("min",)))
