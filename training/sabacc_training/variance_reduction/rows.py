"""Hands in play as the value function sees them: a row of features each, with weights."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from sabacc_env.engine.jit import jit
from sabacc_env.engine.layout import GAME_DTYPE, MAX_SEATS, Array, Record
from sabacc_training.variance_reduction.features import (
    SEAT_FEATURES,
    TABLE_FEATURES,
    VALUES,
    write_baseline,
    write_features,
    write_strengths,
)


class Rows(NamedTuple):
    """Hands in play that wait for the value function, and scratch memory."""

    seat_features: Array  # (seat rows, SEAT_FEATURES) float32, of the remaining seats
    seats: Array  # (seat rows,) int64: whose they are
    first_seat_rows: Array  # (rows + 1,) int64: where the seats of each row begin
    table_features: Array  # (rows, TABLE_FEATURES) float32
    baselines: Array  # (rows, MAX_SEATS) float64, credits
    bounds: Array  # (rows, MAX_SEATS, 2) float64, credits
    scales: Array  # (rows, 2) float32, credits
    styles: Array  # (num_tables, MAX_SEATS) int64: who plays each seat of each table
    counters: Array  # (1,) int64: rows in use
    game: Array  # (1,) GAME_DTYPE: scratch
    pile: Array  # (VALUES,) float64: scratch
    strengths: Array  # (MAX_SEATS,) int64: scratch


def empty_rows(size: int, num_tables: int = 1) -> Rows:
    """Return room for so many hands in play of so many tables, where nobody is known."""
    return Rows(
        seat_features=np.zeros((size * MAX_SEATS, SEAT_FEATURES), np.float32),
        seats=np.zeros(size * MAX_SEATS, np.int64),
        first_seat_rows=np.zeros(size + 1, np.int64),
        table_features=np.zeros((size, TABLE_FEATURES), np.float32),
        baselines=np.zeros((size, MAX_SEATS)),
        bounds=np.zeros((size, MAX_SEATS, 2)),
        scales=np.zeros((size, 2), np.float32),
        styles=np.zeros((num_tables, MAX_SEATS), np.int64),
        counters=np.zeros(1, np.int64),
        game=np.zeros(1, GAME_DTYPE),
        pile=np.zeros(VALUES),
        strengths=np.zeros(MAX_SEATS, np.int64),
    )


@jit
def write_rows(games: Array, tables: Array, rules: Array, rules_of: Array, rows: Rows) -> None:
    """Write hands in play as rows, in place of those that are there.

    Args:
        games: (n,) GAME_DTYPE.
        tables: (n,) the table that each is of.
        rules: (m,) RULES_DTYPE.
        rules_of: (num_tables,) the index of each table's rules.
        rows: written to.
    """
    for row in range(len(games)):
        table = int(tables[row])
        write_row(games[row], rules[rules_of[table]], rows, row, table)
    rows.counters[0] = len(games)


@jit
def write_row(g: Record, r: Record, rows: Rows, row: int, table: int) -> None:
    """Write what the value function sees of a hand in play as a row."""
    ante = float(max(1, int(r.hand_ante) + int(r.sabacc_ante)))
    begin = int(rows.first_seat_rows[row])
    write_strengths(g, r, rows.strengths)
    scratch = rows.game
    write_baseline(g, r, scratch, rows.strengths, rows.baselines[row], rows.bounds[row])
    written = write_features(
        g,
        r,
        ante,
        rows.pile,
        scratch,
        rows.strengths,
        rows.baselines[row],
        rows.seat_features[begin:],
        rows.seats[begin:],
        rows.table_features[row],
        rows.scales[row],
        rows.styles[table],
    )
    rows.first_seat_rows[row + 1] = begin + written
