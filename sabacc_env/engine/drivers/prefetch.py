"""Asking for memory ahead: a table is fetched from afar while others are played.

Thousands of tables do not fit the nearest caches, and a processor by itself asks for a table's
memory only when it comes to it. Interpreted, and on a GPU, all this does nothing.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import numpy as np
from llvmlite import ir
from numba.core import cgutils, types
from numba.extending import intrinsic, overload

from sabacc_env.engine.jit import inlined
from sabacc_env.engine.layout import GAME_DTYPE, MAX_SEATS, SEAT_SHOWN_DTYPE, Record
from sabacc_env.engine.observation.blocks import OBSERVATION_DTYPE

CACHE_LINE: Final = 64
"""Bytes that a processor fetches at once."""
TO_WRITE, TO_SECOND_CACHE, DATA = 1, 2, 1
"""What LLVM's prefetch instruction is told."""


def _begin(record: np.dtype[Any], field: str) -> int:
    assert record.fields is not None
    return record.fields[field][1]


# Where in their records lie the seats, of which those that play are fetched.
SEAT: Final = SEAT_SHOWN_DTYPE.itemsize
SEATS: Final = _begin(GAME_DTYPE, "public")
AFTER_SEATS: Final = SEATS + MAX_SEATS * SEAT
GAME: Final = GAME_DTYPE.itemsize
OPPONENTS: Final = _begin(OBSERVATION_DTYPE, "opponents")


@inlined
def fetch_game(g: Record, players: int) -> None:
    """Ask for the record of a game with so many players."""
    fetch(g, 0, SEATS + SEAT * players)
    fetch(g, AFTER_SEATS, GAME)


@inlined
def fetch_row(row: Record, players: int) -> None:
    """Ask for what changes of an observation at a table with so many players."""
    fetch(row, 0, OPPONENTS + SEAT * (players - 1))


@inlined
def fetch(record: Record, first: int, last: int) -> None:
    """Ask for some bytes of a record."""
    for offset in range(first, last, CACHE_LINE):
        fetch_line(record, offset)


def fetch_line(record: Record, offset: int) -> None:
    """Ask for the cache line at an offset in a record."""


@overload(fetch_line, target="generic", strict=False)
def _fetch_nothing(record: Any, offset: Any) -> Callable[[Record, int], None]:  # noqa: ARG001
    return lambda record, offset: None  # noqa: ARG005


@overload(fetch_line, target="cpu", strict=False)
def _fetch_line(record: Any, offset: Any) -> Callable[[Record, int], None]:  # noqa: ARG001
    def fetch_line(record: Record, offset: int) -> None:
        prefetch(record, offset)

    return fetch_line


def _prefetch(_context: Any, record: types.Record, offset: types.Integer) -> Any:
    def generate(context: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
        bytes_pointer, word = ir.IntType(8).as_pointer(), ir.IntType(32)
        kind = ir.FunctionType(ir.VoidType(), [bytes_pointer, word, word, word])
        instruction = cgutils.get_or_insert_function(builder.module, kind, "llvm.prefetch.p0")
        how = [ir.Constant(word, value) for value in (TO_WRITE, TO_SECOND_CACHE, DATA)]
        first = builder.bitcast(arguments[0], bytes_pointer)
        builder.call(instruction, [builder.gep(first, [arguments[1]]), *how])
        return context.get_dummy_value()

    return types.void(record, offset), generate


prefetch: Final[Any] = intrinsic(target="cpu")(_prefetch)
