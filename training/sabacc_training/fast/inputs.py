"""What the networks are shown: the outlook on an observation, and for a critic all hands."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from sabacc_env.engine.batch import COMING_SIZE
from sabacc_env.engine.features import HAND_SIZE
from sabacc_env.engine.jit import jit
from sabacc_env.engine.layout import Array
from sabacc_env.rules import RuleSet
from sabacc_env.tables import Tables
from sabacc_training.outlook import NEAR, totals_after, varying_columns

Critic = Literal["own_hand", "all_hands", "everything"]

TERMS = 3
"""A total is the sum of at most so many features."""


class Inputs:
    """The numbers that stand for a decision: first the policy's, then what only a critic sees.

    Args:
        rule_sets: all that are played.
        num_players: seats at the largest table.
        critic: what the critic sees: as much as the policy, the hands of the other seats too, or
            even the cards and dice to come.

    Attributes:
        columns, totals: of the outlook (``sabacc_training.outlook``).
        policy_size: how many numbers the policy is shown.
        size: how many numbers the critic is shown.
    """

    def __init__(self, rule_sets: Sequence[RuleSet], num_players: int, critic: Critic) -> None:
        self.columns = varying_columns(num_players, len(rule_sets) > 1)
        every = np.concatenate([totals_after(rules) for rules in rule_sets], axis=1)
        _, first = np.unique(every, axis=1, return_index=True)
        self.totals = np.ascontiguousarray(every[:, np.sort(first)])
        self._terms, self._factors = _terms(self.totals)
        self.policy_size = len(self.columns) + 3 * self.totals.shape[1]
        self._critic = critic
        hands = (num_players - 1) * HAND_SIZE
        hidden = {"own_hand": 0, "all_hands": hands, "everything": hands + COMING_SIZE}
        self.size = self.policy_size + hidden[critic]

    def write(self, tables: Tables, which: NDArray[np.int64], out: NDArray[np.float32]) -> None:
        """Write what the seats to act at these tables are shown, (n, size)."""
        show(tables.observations, which, self.columns, self._terms, self._factors, out)
        hidden = out[:, self.policy_size :]
        if self._critic != "own_hand":
            hands = tables.opponents_hands(which)
            hands = hands.reshape(len(which), hands.shape[1] * hands.shape[2])
            hidden[:, : hands.shape[1]] = hands
        if self._critic == "everything":
            hidden[:, hands.shape[1] :] = tables.coming(which)

    def shown(self, observations: NDArray[np.float32]) -> NDArray[np.float32]:
        """Return what the policy is shown of observations, (n, policy_size)."""
        out = np.empty((len(observations), self.policy_size), np.float32)
        which = np.arange(len(observations))
        show(observations, which, self.columns, self._terms, self._factors, out)
        return out


def _terms(totals: NDArray[np.float32]) -> tuple[NDArray[np.int64], NDArray[np.float32]]:
    """Return for each total which features it is the sum of, and by what each is multiplied."""
    count = totals.shape[1]
    features, factors = np.zeros((count, TERMS), np.int64), np.zeros((count, TERMS), np.float32)
    for total in range(count):
        found = np.flatnonzero(totals[:, total])
        features[total, : len(found)] = found
        factors[total, : len(found)] = totals[found, total]
    return features, factors


@jit
def show(
    observations: Array, which: Array, columns: Array, terms: Array, factors: Array, out: Array
) -> None:
    """Write the outlook on some observations, row by row: columns, then views of the totals."""
    shown, totals = len(columns), len(terms)
    for i in range(len(which)):
        row = observations[which[i]]
        for column in range(shown):
            out[i, column] = row[columns[column]]
        for k in range(totals):
            total = np.float32(0.0)
            for term in range(TERMS):
                total += row[terms[k, term]] * factors[k, term]
            away = abs(total)
            out[i, shown + k] = away / np.float32(5.0)
            out[i, shown + totals + k] = max(np.float32(0.0), np.float32(1.0) - away)
            out[i, shown + 2 * totals + k] = max(
                np.float32(0.0), np.float32(1.0) - away / np.float32(NEAR)
            )
