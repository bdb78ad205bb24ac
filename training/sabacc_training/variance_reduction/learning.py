"""Learning a value function from experience: lambda-returns and stochastic gradient descent."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

import numpy as np
import torch
from numpy.typing import NDArray
from torch import nn

from sabacc_env.engine.jit import jit
from sabacc_env.engine.layout import Array
from sabacc_training.variance_reduction.experience import Experience
from sabacc_training.variance_reduction.network import ValueNetwork

BATCH_SIZE: Final = 4096
LEARNING_RATE: Final = 2e-3


@jit
def write_lambda_returns(
    hands: Array,
    firsts: Array,
    seats: Array,
    values: Array,
    net: Array,
    decay: float,
    scratch: Array,
    targets: Array,
) -> None:
    """Write the lambda-return of each seat row: net credits mixed with the values on the way."""
    hand = -1
    for row in range(len(hands) - 1, -1, -1):
        if hands[row] != hand:
            hand = hands[row]
            for seat in range(net.shape[1]):
                scratch[seat] = net[hand, seat]
        for index in range(int(firsts[row]), int(firsts[row + 1])):
            seat = int(seats[index])
            targets[index] = scratch[seat]
            scratch[seat] = decay * scratch[seat] + (1.0 - decay) * values[index]


def values_of(network: ValueNetwork, data: Experience) -> NDArray[np.float32]:
    """Return the value of each seat row, in antes."""
    return data.baselines + network.added_values(
        data.seat_features, data.table_features, data.scales, data.first_seat_rows
    )


def learn(
    network: ValueNetwork,
    data: Experience,
    targets: NDArray[np.float32],
    steps: int,
    rng: np.random.Generator,
    learning_rate: float = LEARNING_RATE,
    on_step: Callable[[int, float], None] | None = None,
) -> None:
    """Fit the network to targets, (seat rows,), in antes, by so many steps of Adam.

    A decision's weight is one over its pot (in antes, plus one): errors are larger in large pots,
    and so is their noise.
    """
    optimizer = torch.optim.Adam(network.parameters(), lr=learning_rate)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, learning_rate, total_steps=steps)
    wanted = targets - data.baselines
    order = rng.permutation(len(data.hands))
    at = 0
    for step in range(steps):
        if at + BATCH_SIZE > len(order):
            order, at = rng.permutation(len(data.hands)), 0
        rows = order[at : at + BATCH_SIZE]
        at += BATCH_SIZE
        sizes = data.first_seat_rows[rows + 1] - data.first_seat_rows[rows]
        ends = np.cumsum(sizes)
        gather = np.repeat(data.first_seat_rows[rows] - ends + sizes, sizes) + np.arange(ends[-1])
        row_of = torch.from_numpy(np.repeat(np.arange(len(rows)), sizes))
        seats = torch.from_numpy(data.seat_features[gather].astype(np.float32))
        tables = torch.from_numpy(data.table_features[rows].astype(np.float32))
        scales = torch.from_numpy(data.scales[rows])
        errors = network(seats, tables, scales, row_of) - torch.from_numpy(wanted[gather])
        loss = (errors.square() / (1 + scales[row_of, 0])).sum() / len(rows)
        optimizer.zero_grad(set_to_none=True)
        loss.backward()
        nn.utils.clip_grad_norm_(network.parameters(), 5.0)
        optimizer.step()
        schedule.step()
        if on_step is not None:
            on_step(step, float(loss.detach()))
