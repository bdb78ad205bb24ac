"""What was played in the hands in play at many tables, for agents that want views."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from sabacc_env.array_types import Ints
from sabacc_env.engine.drivers import batch


class MoveHistories:
    """The moves of the hand in play at each table, as ``Game`` keeps them.

    Attributes:
        played: for each table its moves, packed as ``batch.pack_moves`` has them.
        final: for each table those of the last hand that ended.
    """

    def __init__(self, num_tables: int) -> None:
        self.played: list[list[int]] = [[] for _ in range(num_tables)]
        self.final: list[list[int]] = [[] for _ in range(num_tables)]

    def record(self, games: batch.Games, indices: Ints, actions: Ints) -> None:
        """Record legal actions that are about to be played at these tables."""
        moves = np.zeros(len(indices), dtype=np.int64)
        batch.pack_moves(games, indices, actions, moves)
        for table, move in zip(indices.tolist(), moves.tolist(), strict=True):
            self.played[table].append(move)

    def end(self, indices: Ints) -> None:
        """Keep the hands at these tables, which have ended: others begin."""
        for table in indices.tolist():
            self.final[table], self.played[table] = self.played[table], []

    def clear(self, indices: Ints) -> None:
        """Forget the hands at these tables: others begin."""
        self.write(indices.tolist(), [[]] * len(indices))

    def write(self, indices: Iterable[int], played: Sequence[Sequence[int]]) -> None:
        """Write what was played at these tables."""
        for table, moves in zip(indices, played, strict=True):
            self.played[table] = list(moves)
