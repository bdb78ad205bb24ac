"""Learning a value function from experience, by fitted value iteration.

First the network is fitted to what hands ended with; then, again and again, to the expected values
of what could follow each decision, by the network itself.
"""

from __future__ import annotations

from typing import Final

import numpy as np
import torch
from numpy.typing import NDArray
from torch import nn

from sabacc_env.array_types import Ints
from sabacc_training.variance_reduction.experience import Experience, Hands
from sabacc_training.variance_reduction.network import ValueNetwork

BATCH_SIZE: Final = 512
LEARNING_RATE: Final = 2e-3


def values_of(network: ValueNetwork, hands: Hands) -> NDArray[np.float32]:
    """Return the value of each seat, (hands, MAX_SEATS), in antes."""
    first = hands.first_seat_rows
    added = network.added_values(hands.seat_features, hands.table_features, hands.scales, first)
    values = hands.baselines.copy()
    row_of = np.repeat(np.arange(len(hands.sizes)), hands.sizes)
    values[row_of, hands.seats] += added
    return np.clip(values, hands.bounds[..., 0], hands.bounds[..., 1])


def expected_values(network: ValueNetwork, experience: Experience) -> NDArray[np.float32]:
    """Return the expected value of what could follow each decision, (decisions, MAX_SEATS)."""
    values = values_of(network, experience.successors) * experience.weights[:, None]
    expected = experience.known.copy()
    for seat in range(values.shape[1]):
        if values[:, seat].any():
            expected[:, seat] += np.bincount(
                experience.decision_of, values[:, seat], minlength=len(expected)
            )
    return expected


class Learner:
    """Fits a network by Adam, batch by batch.

    Args:
        network: the network.
        hands: where it is fitted.
        weights: (hands,) of their squared errors, in antes.
        rng: draws the batches.
    """

    def __init__(
        self,
        network: ValueNetwork,
        hands: Hands,
        weights: NDArray[np.float32],
        rng: np.random.Generator,
    ) -> None:
        self._network, self._hands, self._weights, self._rng = network, hands, weights, rng
        self._optimizer = torch.optim.Adam(network.parameters(), lr=LEARNING_RATE)
        self._first = hands.first_seat_rows
        self._row_of = np.repeat(np.arange(len(hands.sizes)), hands.sizes)

    def fit(self, targets: NDArray[np.float32], steps: int, learning_rate: float) -> float:
        """Fit to values, (hands, MAX_SEATS), by so many steps; return the mean loss."""
        for group in self._optimizer.param_groups:
            group["lr"] = learning_rate
        wanted = (targets - self._hands.baselines)[self._row_of, self._hands.seats]
        total = 0.0
        order: Ints = self._rng.permutation(len(self._hands.sizes))
        for step in range(steps):
            rows = np.take(order, range(step * BATCH_SIZE, (step + 1) * BATCH_SIZE), mode="wrap")
            total += self._step(rows, wanted)
        return total / steps

    def _step(self, rows: Ints, wanted: NDArray[np.float32]) -> float:
        hands = self._hands
        sizes = hands.sizes[rows]
        ends = np.cumsum(sizes)
        gather = np.repeat(self._first[rows] - ends + sizes, sizes) + np.arange(ends[-1])
        row_of = torch.from_numpy(np.repeat(np.arange(len(rows)), sizes))
        scales = torch.from_numpy(hands.scales[rows])
        added = self._network(
            torch.from_numpy(hands.seat_features[gather].astype(np.float32)),
            torch.from_numpy(hands.table_features[rows].astype(np.float32)),
            scales,
            row_of,
        )
        errors = added - torch.from_numpy(wanted[gather])
        weights = torch.from_numpy(self._weights[rows])[row_of]
        loss = (errors.square() * weights).sum() / len(rows)
        self._optimizer.zero_grad(set_to_none=True)
        loss.backward()
        nn.utils.clip_grad_norm_(self._network.parameters(), 5.0)
        self._optimizer.step()
        return float(loss.detach())
