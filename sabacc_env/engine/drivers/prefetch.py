"""Prefetching: the memory of a table is fetched while earlier tables are stepped.

Thousands of tables do not fit into the fastest caches, and by itself a processor fetches the memory
of a table only when it needs it. In interpreted code and on a GPU these functions do nothing.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import numpy as np
from llvmlite import ir
from numba.core import cgutils, types
from numba.extending import intrinsic, overload

from sabacc_env.engine.jit import inlined
from sabacc_env.engine.layout import GAME_DTYPE, MAX_SEATS, PUBLIC_SEAT_DTYPE, Record
from sabacc_env.engine.observation.blocks import OBSERVATION_DTYPE

CACHE_LINE: Final = 64
"""Bytes that a processor fetches at once."""
FOR_WRITING, SECOND_CACHE, DATA = 1, 2, 1
"""The arguments of LLVM's prefetch instruction."""


def _offset(record: np.dtype[Any], field: str) -> int:
    assert record.fields is not None
    return record.fields[field][1]


# Where the records have their seats: only those of the seats at a table are fetched.
SEAT_BYTES: Final = PUBLIC_SEAT_DTYPE.itemsize
SEATS_OFFSET: Final = _offset(GAME_DTYPE, "public")
AFTER_SEATS_OFFSET: Final = SEATS_OFFSET + MAX_SEATS * SEAT_BYTES
GAME_BYTES: Final = GAME_DTYPE.itemsize
OPPONENTS_OFFSET: Final = _offset(OBSERVATION_DTYPE, "opponents")


@inlined
def prefetch_game(g: Record, players: int) -> None:
    """Prefetch the record of a game with this many players."""
    prefetch_bytes(g, 0, SEATS_OFFSET + SEAT_BYTES * players)
    prefetch_bytes(g, AFTER_SEATS_OFFSET, GAME_BYTES)


@inlined
def prefetch_row(row: Record, players: int) -> None:
    """Prefetch what changes in the observations of a table with this many players."""
    prefetch_bytes(row, 0, OPPONENTS_OFFSET + SEAT_BYTES * (players - 1))


@inlined
def prefetch_bytes(record: Record, start: int, end: int) -> None:
    """Prefetch the bytes of a record from ``start`` up to ``end``."""
    for offset in range(start, end, CACHE_LINE):
        prefetch_line(record, offset)


def prefetch_line(record: Record, offset: int) -> None:
    """Prefetch the cache line at an offset in a record."""


@overload(prefetch_line, target="generic", strict=False)
def _prefetch_nothing(record: Any, offset: Any) -> Callable[[Record, int], None]:  # noqa: ARG001
    return lambda record, offset: None  # noqa: ARG005


@overload(prefetch_line, target="cpu", strict=False)
def _prefetch_line(record: Any, offset: Any) -> Callable[[Record, int], None]:  # noqa: ARG001
    def prefetch_line(record: Record, offset: int) -> None:
        prefetch_instruction(record, offset)

    return prefetch_line


def _prefetch_instruction(_context: Any, record: types.Record, offset: types.Integer) -> Any:
    def generate(context: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
        bytes_pointer, word = ir.IntType(8).as_pointer(), ir.IntType(32)
        kind = ir.FunctionType(ir.VoidType(), [bytes_pointer, word, word, word])
        instruction = cgutils.get_or_insert_function(builder.module, kind, "llvm.prefetch.p0")
        options = [ir.Constant(word, value) for value in (FOR_WRITING, SECOND_CACHE, DATA)]
        start = builder.bitcast(arguments[0], bytes_pointer)
        builder.call(instruction, [builder.gep(start, [arguments[1]]), *options])
        return context.get_dummy_value()

    return types.void(record, offset), generate


prefetch_instruction: Final[Any] = intrinsic(target="cpu")(_prefetch_instruction)
