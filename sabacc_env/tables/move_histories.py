"""What was played in the hands in play at many tables, for those that are asked by views."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

from sabacc_env.engine.drivers import batch

Ints = NDArray[np.int64]


class Histories:
    """The moves of the hand in play at each table, as ``Game`` keeps them.

    Attributes:
        played: for each table its moves, packed as ``batch.pack_moves`` has them.
    """

    def __init__(self, num_tables: int) -> None:
        self.played: list[list[int]] = [[] for _ in range(num_tables)]

    def note(self, tables: batch.Games, which: Ints, actions: Ints) -> None:
        """Note legal actions that are about to be played at these tables."""
        moves = np.zeros(len(which), dtype=np.int64)
        batch.pack_moves(tables, which, actions, moves)
        for table, move in zip(which.tolist(), moves.tolist(), strict=True):
            self.played[table].append(move)

    def forget(self, which: Ints) -> None:
        """Forget the hands at these tables: others begin."""
        self.put(which.tolist(), [[]] * len(which))

    def put(self, tables: Iterable[int], played: Sequence[Sequence[int]]) -> None:
        """Write what was played at these tables."""
        for table, moves in zip(tables, played, strict=True):
            self.played[table] = list(moves)
