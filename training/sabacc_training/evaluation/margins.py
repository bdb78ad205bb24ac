"""Margins: what an agent wins more than the others of its table."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from sabacc_training.statistics.estimate import MILLI


def seat_margins(net_credits: NDArray[Any], players: NDArray[Any] | int) -> NDArray[np.float64]:
    """Return what each seat wins more than the mean of the others, at two seats half of that.

    Args:
        net_credits: (..., tables, seats), 0 where there is no such seat.
        players: (tables,) the number of seats of each table, or one number for all.

    Returns:
        (..., tables, seats) in credits; meaningless where there is no such seat.

    >>> seat_margins(np.array([[3, -7, 0], [6, -3, -3]]), np.array([2, 3]))
    array([[ 5. , -5. ,  2. ],
           [ 9. , -4.5, -4.5]])
    """
    sums, others = net_credits.sum(axis=-1, keepdims=True), np.asarray(players)[..., None] - 1
    margins = net_credits - (sums - net_credits) / others
    return np.asarray(np.where(others == 1, margins / 2, margins))


def place_margins(net_credits: NDArray[Any], ante_unit: int) -> NDArray[np.float64]:
    """Return each place's margin in each deal, (deals, places), in milli-antes an episode.

    It is what the place wins more than the mean of the others, over all rotations; at two seats
    half of that, so that the margins of both add up to zero and a pot's worth counts once.

    So at two seats a Sabacc pot that somebody takes counts half for this seat and half against the
    other. In a hand that nobody takes it in, a margin is the net credits with the own Sabacc ante
    back, because both have paid as much; what stays in the pot belongs to nobody. In a hand that
    somebody does, it is the net credits less half of what the pot held before the hand.

    Args:
        net_credits: (deals, rotations, places).
        ante_unit: credits in one ante of the unit (``RuleSet.ante_unit``).

    >>> place_margins(np.array([[[3, -3], [1, -1]]]), 4)
    array([[ 500., -500.]])
    >>> place_margins(np.array([[[6, -3, -3]]]), 1)
    array([[ 9000., -4500., -4500.]])
    """
    own = net_credits.mean(axis=1)
    return seat_margins(own, own.shape[1]) * MILLI / ante_unit
