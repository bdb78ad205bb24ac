"""What control variates take off the net credits of a tournament's deals."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sabacc_env.array_types import Ints
from sabacc_training.evaluation.playing import DealTables, generator
from sabacc_training.variance_reduction.control_variates import ControlVariates


class Corrections:
    """Watches the loop of ``play_deals``, and adds up corrections by deal, rotation and place.

    The deal itself needs no correction: all places get all seats of it.

    Args:
        dealt: the tables of the loop, where nothing has been played yet.
        seed: the tournament's; the samples of alternative chance draw from a stream of their own.

    Attributes:
        by_deal: (deals, rotations, places) float64, credits: net credits less these are reduced.
    """

    def __init__(self, dealt: DealTables, seed: int) -> None:
        self._dealt = dealt
        own = int(generator(seed, 2).integers(2**63))
        self._variates = ControlVariates(dealt.tables, own, deals=0)
        self.by_deal = np.zeros((dealt.num_deals, dealt.num_players, dealt.num_players))

    def before_step(self, playing: Ints, actions: Ints, probabilities: NDArray[np.float64]) -> None:
        """Correct for the actions that are about to be played, and for what follows them."""
        self._variates.before_step(playing, actions, probabilities)

    def after_step(self, playing: Ints) -> None:
        """Add the corrections of hands that ended."""
        dealt, ended = self._dealt, self._variates.after_step(playing)
        by_place = dealt.by_place(ended, self._variates.corrections[ended])
        self.by_deal[dealt.deals[ended], dealt.rotations[ended]] += by_place
