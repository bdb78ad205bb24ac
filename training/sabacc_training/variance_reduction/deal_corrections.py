"""Corrections by kind for deals that are played in all rotations: an observer of ``play_deals``."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from sabacc_env.agent import Agent
from sabacc_env.array_types import Ints
from sabacc_training.evaluation.playing import DealTables
from sabacc_training.variance_reduction.control_variates import ControlVariates
from sabacc_training.variance_reduction.lookahead import Lookahead
from sabacc_training.variance_reduction.successors import KINDS
from sabacc_training.variance_reduction.values import ValueFunction


class DealCorrections:
    """Adds up the corrections of every episode by kind; agents must be asked to ``tell``.

    Args:
        dealt: the tables of the loop, where nothing has been played yet.
        values: the value function.
        specs: who is at each place, as ``ValueFunction.style_of`` takes them.
        agents: the agent at each place.
        seed: seeds the samples of alternative chance.

    Attributes:
        by_kind: (deals, rotations, kinds, places) float64, credits: the corrections by ``KINDS``;
            none for deals, because all places get all seats of each.
    """

    def __init__(
        self,
        dealt: DealTables,
        values: ValueFunction,
        specs: Sequence[str],
        agents: Sequence[Agent],
        seed: int,
    ) -> None:
        self._dealt = dealt
        n, seats = dealt.tables.num_tables, dealt.num_players
        tables, all_seats = np.divmod(np.arange(n * seats), seats)
        styles = np.array([values.style_of(spec) for spec in specs])
        places = dealt.places(tables, all_seats).reshape(n, seats)
        self._variates = ControlVariates(
            dealt.tables,
            seed,
            values,
            styles=styles[places],
            deals=0,
            lookahead=Lookahead(dealt.tables, agents, places),
        )
        self.by_kind = np.zeros((dealt.num_deals, seats, len(KINDS), seats))

    def before_step(self, playing: Ints, actions: Ints, probabilities: NDArray[np.float64]) -> None:
        """Correct for the actions that are about to be played."""
        self._variates.before_step(playing, actions, probabilities)

    def after_step(self, playing: Ints) -> None:
        """Add the corrections of the hands that ended."""
        dealt, ended = self._dealt, self._variates.after_step(playing)
        at = dealt.deals[ended], dealt.rotations[ended]
        for kind in range(len(KINDS)):
            by_seat = self._variates.by_kind[ended, kind]
            self.by_kind[*at, kind] += dealt.by_place(ended, by_seat)
