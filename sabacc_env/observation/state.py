"""Reading the state form: everything about a hand, for centralised critics."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sabacc_env.cards import as_int
from sabacc_env.engine.layout import MAX_SEATS
from sabacc_env.engine.observation.blocks import OBSERVATION_SIZE
from sabacc_env.engine.observation.state import CARDS_SHAPE, DICE_SHAPE, state_size
from sabacc_env.errors import SabaccError, short_repr

__all__ = ["StateBlocks", "state_blocks", "state_size"]


class StateBlocks(NamedTuple):
    """The parts of a state, or of a batch of them, as views.

    Attributes:
        observations: (..., num_players, OBSERVATION_SIZE) what each seat observes, in seat order.
        card_places: (..., 62, 20) where each card lies, by its id.
        all_dice: (..., 8, 3) the dice of every round, those to come included.
    """

    observations: NDArray[np.float32]
    card_places: NDArray[np.float32]
    all_dice: NDArray[np.float32]


def state_blocks(states: NDArray[np.float32], num_players: int) -> StateBlocks:
    """Return the parts of states, (..., state_size(num_players)), at a table with so many seats.

    Raises:
        SabaccError: for a number that no table has, or anything that is not an array of such
            states.

    >>> from sabacc_env import Game
    >>> parts = state_blocks(Game("casino", 3, seed=1).state(), 3)
    >>> parts.observations.shape, parts.card_places.shape, parts.all_dice.shape
    ((3, 400), (62, 20), (8, 3))
    """
    if as_int(num_players) not in range(2, MAX_SEATS + 1):
        raise SabaccError(f"num_players: {short_repr(num_players)} is not from 2 to {MAX_SEATS}")
    size = state_size(num_players)
    if tuple(getattr(states, "shape", ()))[-1:] != (size,):
        raise SabaccError(f"states: give an array of shape (..., {size}) for {num_players} seats")
    seats, places = num_players * OBSERVATION_SIZE, math.prod(CARDS_SHAPE)
    batch = states.shape[:-1]
    return StateBlocks(
        states[..., :seats].reshape(*batch, num_players, OBSERVATION_SIZE),
        states[..., seats : seats + places].reshape(*batch, *CARDS_SHAPE),
        states[..., seats + places :].reshape(*batch, *DICE_SHAPE),
    )
