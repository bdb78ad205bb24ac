"""Recording the hands of deals while they are played."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from sabacc_env.actions import BetSize
from sabacc_env.array_types import Ints
from sabacc_env.hand_histories import HandHistory
from sabacc_training.evaluation.playing import DealTables


class DealRecorder:
    """Watches the loop of ``play_deals``, and records one deal in so many, in all rotations.

    Args:
        every: 1 for every deal, 2 for every second one, and so on.
        names: the name of the agent at each place.
        bet_sizes: what the agents can bet.
        origin: where the hands are played; deal and rotation are added.
    """

    def __init__(
        self,
        every: int,
        names: Sequence[str],
        bet_sizes: Sequence[BetSize],
        origin: dict[str, Any],
    ) -> None:
        self._every, self._names = every, names
        self._bet_sizes, self._origin = bet_sizes, origin
        self._hands: dict[tuple[int, int, int], HandHistory] = {}

    def watch(self, dealt: DealTables) -> Self:
        """Watch these tables, at which nothing has been played; return this observer of them."""
        self._dealt = dealt
        dealt.tables.keep_histories()
        return self

    def before_step(self, playing: Ints, actions: Ints, probabilities: NDArray[np.float64]) -> None:
        """See actions: the tables keep their moves themselves."""

    def after_step(self, playing: Ints) -> None:
        """Record the hands that have ended."""
        dealt, tables = self._dealt, self._dealt.tables
        chosen = tables.finished[playing] & (dealt.deals[playing] % self._every == 0)
        seats = np.arange(dealt.num_players)
        for table in playing[chosen]:
            game = tables.final_game(int(table))
            deal, rotation = int(dealt.deals[table]), int(dealt.rotations[table])
            names = [self._names[place] for place in dealt.places(table, seats).tolist()]
            self._hands[deal, rotation, game.episode_position[0]] = HandHistory.from_game(
                game,
                names,
                bet_sizes=self._bet_sizes,
                origin=self._origin | {"deal": deal, "rotation": rotation},
            )

    @property
    def hands(self) -> list[HandHistory]:
        """The hands, deal by deal, whenever they ended."""
        return [self._hands[key] for key in sorted(self._hands)]
