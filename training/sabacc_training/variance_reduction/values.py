"""The value function of control variates: the expected net credits of each seat from a state on.

Any function gives unbiased results; a good one gives narrow intervals. A value is the baseline, the
net credits if the hand were revealed now, and what a network adds to it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from sabacc_training.variance_reduction.successors import Rows

if TYPE_CHECKING:
    from sabacc_training.variance_reduction.network import ValueNetwork


class ValueFunction:
    """A value function.

    Args:
        network: what is added to the baseline; None for the baseline alone.
    """

    def __init__(self, network: ValueNetwork | None = None) -> None:
        self.network = network

    def values(self, rows: Rows) -> NDArray[np.float64]:
        """Return the values of all hands in ``rows``, (n, MAX_SEATS), in credits."""
        count = int(rows.counters[0])
        values = rows.baselines[:count].copy()
        if self.network is None or count == 0:
            return values
        first = rows.first_seat_rows[: count + 1]
        seat_rows = int(first[-1])
        added = self.network.added_values(
            rows.seat_features[:seat_rows],
            rows.table_features[:count],
            rows.scales[:count],
            first,
        )
        row_of = np.repeat(np.arange(count), np.diff(first))
        values[row_of, rows.seats[:seat_rows]] += added
        return values
