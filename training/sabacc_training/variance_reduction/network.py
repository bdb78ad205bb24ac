"""The network of a value function.

It encodes each remaining seat, and computes from a seat's own features, the sum of the other seats'
codes and the table's features what that seat's value adds to its baseline: one output times the
pot, and one times the geometric mean of the pot and what may still be bet. So it plays any number
of seats, and no order of the others matters.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, Self

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from sabacc_env.array_types import Ints
from sabacc_training.variance_reduction.features import SEAT_FEATURES, TABLE_FEATURES

CODE: Final = 64
HIDDEN: Final = 128
LAST: Final = 64
CHUNK: Final = 1024
"""Hands of one forward pass: few, so that they stay in the processor's cache."""


class ValueNetwork(nn.Module):
    """Computes what is added to the baselines; to begin with, nothing."""

    def __init__(self) -> None:
        super().__init__()
        self.seat = nn.Linear(SEAT_FEATURES, CODE)
        self.own = nn.Linear(SEAT_FEATURES, HIDDEN, bias=False)
        self.others = nn.Linear(CODE, HIDDEN, bias=False)
        self.table = nn.Linear(TABLE_FEATURES, HIDDEN)
        self.last = nn.Linear(HIDDEN, LAST)
        self.output = nn.Linear(LAST, 2)
        nn.init.zeros_(self.output.weight)
        nn.init.zeros_(self.output.bias)

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, NDArray[np.floating[Any]]]) -> Self:
        """Return the network that ``arrays`` returned these of."""
        network = cls()
        network.load_state_dict(
            {name: torch.tensor(array, dtype=torch.float32) for name, array in arrays.items()}
        )
        return network

    def arrays(self) -> dict[str, NDArray[np.float32]]:
        """Return copies of its weights by name."""
        return {name: tensor.numpy().copy() for name, tensor in self.state_dict().items()}

    def forward(self, seats: Tensor, tables: Tensor, scales: Tensor, row_of: Tensor) -> Tensor:
        """Return what is added to the baseline of each seat row, (seat rows,).

        Args:
            seats: (seat rows, SEAT_FEATURES).
            tables: (rows, TABLE_FEATURES).
            scales: (rows, 2) by which outputs are multiplied.
            row_of: (seat rows,) the row of each seat row.
        """
        codes = torch.relu(self.seat(seats))
        sums = torch.zeros((len(tables), CODE)).index_add(0, row_of, codes)
        hidden = self.own(seats) + self.others(sums[row_of] - codes) + self.table(tables)[row_of]
        outputs = self.output(torch.relu(self.last(torch.relu(hidden))))
        added: Tensor = (outputs * scales[row_of]).sum(dim=1)
        return added

    @torch.inference_mode()
    def added_values(
        self,
        seats: NDArray[np.floating[Any]],
        tables: NDArray[np.floating[Any]],
        scales: NDArray[np.float32],
        first_seat_rows: Ints,
    ) -> NDArray[np.float32]:
        """Return what ``forward`` does for arrays, in chunks.

        ``first_seat_rows`` is (rows + 1,): where the seat rows of each row begin, then their end.
        """
        added = np.empty(int(first_seat_rows[-1]), np.float32)
        for begin in range(0, len(tables), CHUNK):
            first = first_seat_rows[begin : begin + CHUNK + 1]
            at = slice(int(first[0]), int(first[-1]))
            row_of = np.repeat(np.arange(len(first) - 1), np.diff(first))
            rows = slice(begin, begin + len(first) - 1)
            added[at] = self(
                _tensor(seats[at]),
                _tensor(tables[rows]),
                _tensor(scales[rows]),
                torch.from_numpy(row_of),
            )
        return added


def _tensor(array: NDArray[np.floating[Any]]) -> Tensor:
    return torch.from_numpy(array.astype(np.float32, copy=False))
