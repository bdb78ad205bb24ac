"""Asking for memory ahead: a table is fetched from afar while others are played.

Thousands of tables do not fit the nearest caches, and a processor by itself asks for a table's
memory only when it comes to it. Interpreted, and on a GPU, all this does nothing.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from llvmlite import ir  # type: ignore[import-untyped]
from numba.core import cgutils, types
from numba.extending import intrinsic, overload

from sabacc_env.engine.layout import Record

CACHE_LINE: Final = 64
"""Bytes that a processor fetches at once."""
TO_WRITE, TO_SECOND_CACHE, DATA = 1, 2, 1
"""What LLVM's prefetch instruction is told."""


def fetch_ahead(record: Record) -> None:
    """Ask for the memory of a record."""


@overload(fetch_ahead, target="cpu", strict=False)
def _fetch_ahead(record: Any) -> Callable[[Record], None]:  # noqa: ARG001
    def fetch_ahead(record: Record) -> None:
        prefetch(record)

    return fetch_ahead


def _prefetch(_context: Any, record: types.Record) -> Any:
    def generate(context: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
        bytes_pointer, word = ir.IntType(8).as_pointer(), ir.IntType(32)
        kind = ir.FunctionType(ir.VoidType(), [bytes_pointer, word, word, word])
        instruction = cgutils.get_or_insert_function(builder.module, kind, "llvm.prefetch.p0")
        how = [ir.Constant(word, value) for value in (TO_WRITE, TO_SECOND_CACHE, DATA)]
        first = builder.bitcast(arguments[0], bytes_pointer)
        for offset in range(0, record.size, CACHE_LINE):
            builder.call(instruction, [builder.gep(first, [ir.Constant(word, offset)]), *how])
        return context.get_dummy_value()

    return types.void(record), generate


prefetch: Final[Any] = intrinsic(target="cpu")(_prefetch)
