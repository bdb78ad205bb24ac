"""The moves of the hands at many tables, as they are played inside a compiled loop."""

from __future__ import annotations

from typing import Final, NamedTuple

import numpy as np

from sabacc_env.engine.drivers.batch import Games, pack_action
from sabacc_env.engine.jit import inlined
from sabacc_env.engine.layout import Array

MAX_MOVES: Final = 512
"""Of a hand that is longer, only the number of moves is known; few duels of raises are."""


class MoveLog(NamedTuple):
    """The moves of the hand in play at each table, and of the last hand that ended there."""

    moves: Array  # (n, 2, MAX_MOVES) int64: of the hand in play, of the last; (0, ...): no log
    counts: Array  # (n, 2) int64: how many moves they have had


def empty_move_log(tables: int) -> MoveLog:
    """Return the log of so many tables at which nothing has been played; 0 is for no log."""
    return MoveLog(
        np.zeros((tables, 2, MAX_MOVES), dtype=np.int64), np.zeros((tables, 2), dtype=np.int64)
    )


@inlined
def log_move(log: MoveLog, games: Games, table: int, action: int) -> None:
    """Log a legal action that is about to be played."""
    count = log.counts[table, 0]
    if count < MAX_MOVES:
        log.moves[table, 0, count] = pack_action(games, table, action)
    log.counts[table, 0] = count + 1


@inlined
def end_logged_hand(log: MoveLog, table: int) -> None:
    """Keep the moves of a hand that has ended; those of the next one begin."""
    count = log.counts[table, 0]
    for index in range(min(count, MAX_MOVES)):
        log.moves[table, 1, index] = log.moves[table, 0, index]
    log.counts[table, 1] = count
    log.counts[table, 0] = 0
