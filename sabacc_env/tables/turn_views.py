"""Views of the seats to act at many tables, each made when somebody looks at it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, overload

from sabacc_env.game.view import GameView

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from sabacc_env.tables.tables import Tables


class TurnViews(Sequence[GameView]):
    """The views of the seats to act at some tables, until the tables go on.

    A view takes longer to make than most agents to decide, so an agent that needs few of them looks
    at ``rows`` first.

    Args:
        tables: the tables, which keep histories.
        indices: (n,) some of them, where no hand is over.
        events: whether the views have events.

    Attributes:
        rows: (n, OBSERVATION_SIZE) float32, what the same seats observe.
    """

    def __init__(self, tables: Tables, indices: NDArray[np.int64], events: bool = False) -> None:
        self._tables = tables
        self._indices = [int(index) for index in indices]
        self._seats = [int(seat) for seat in tables.seats_to_act[indices]]
        self._events = events
        self._views: dict[int, GameView] = {}
        self.rows: NDArray[np.float32] = tables.flat_observations[indices]

    def __len__(self) -> int:
        return len(self._indices)

    @overload
    def __getitem__(self, place: int) -> GameView: ...
    @overload
    def __getitem__(self, place: slice) -> list[GameView]: ...
    def __getitem__(self, place: int | slice) -> GameView | list[GameView]:
        if isinstance(place, slice):
            return [self[each] for each in range(len(self))[place]]
        number = range(len(self))[place]
        if number not in self._views:
            game = self._tables.game(self._indices[number])
            self._views[number] = game.view(self._seats[number], events=self._events)
        return self._views[number]
