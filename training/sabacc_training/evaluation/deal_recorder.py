"""Recording the hands of deals while they are played."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from sabacc_env.actions import BetSize
from sabacc_env.agent import Agent
from sabacc_env.array_types import Ints
from sabacc_env.hand_histories import HandHistory
from sabacc_training.evaluation.playing import DealTables
from sabacc_training.evaluation.telling import with_told


class DealRecorder:
    """Watches the loop of ``play_deals``, and records one deal in so many, in all rotations.

    Args:
        every: 1 for every deal, 2 for every second one, and so on.
        names: the name of the agent at each place.
        agents: these agents, which are asked again what they tell.
        bet_sizes: what the agents can bet.
        origin: where the hands are played; deal and rotation are added.
    """

    def __init__(
        self,
        every: int,
        names: Sequence[str],
        agents: Sequence[Agent],
        bet_sizes: Sequence[BetSize],
        origin: dict[str, Any],
    ) -> None:
        self._every, self._names, self._agents = every, names, agents
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
            places = dealt.places(table, seats).tolist()
            agents = [self._agents[place] for place in places]
            hand = HandHistory.from_game(
                game,
                [self._names[place] for place in places],
                bet_sizes=self._bet_sizes,
                origin=self._origin | {"deal": deal, "rotation": rotation},
            )
            key = deal, rotation, game.episode_position[0]
            self._hands[key] = with_told(hand, agents, self._bet_sizes)

    @property
    def hands(self) -> list[HandHistory]:
        """The hands, deal by deal, whenever they ended."""
        return [self._hands[key] for key in sorted(self._hands)]
