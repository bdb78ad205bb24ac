"""How the engine is compiled: one decorator, and a cache that can never be stale (``cache``).

``NUMBA_DISABLE_JIT=1`` runs the same functions as ordinary Python.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from typing import Any, TypeVar, cast

import numba
from numba.core import event, types

from sabacc_env.engine.cache import DiskCache

Function = TypeVar("Function", bound=Callable[..., Any])


class _Notice(event.Listener):
    """Says on the error stream, once, that the engine is being compiled: it takes a while."""

    def __init__(self) -> None:
        self._said: set[str] = set()

    def _say(self, sentence: str) -> None:
        if sentence not in self._said:
            self._said.add(sentence)
            print(f"sabacc-env: {sentence}", file=sys.stderr)

    def on_start(self, event: Any) -> None:
        """Note that a function begins to be compiled, which one from the cache does not."""
        function = event.data["dispatcher"].py_func
        if function.__module__.startswith(__package__):
            self._say("compiling the engine, which takes up to half a minute")

    def on_end(self, event: Any) -> None:
        """Say nothing."""

    def not_kept(self) -> None:
        """Say that what was compiled is not kept."""
        self._say("no cache folder can be written, so every start compiles the engine again")


_NOTICE = _Notice()
event.register("numba:compile", _NOTICE)


def widened(argument: Any) -> Any:
    """Return what an argument's type is made: int64 for every kind of integer; see ``jit``."""
    integral = types.IntegerLiteral | types.Integer | types.Boolean | types.BooleanLiteral
    return types.int64 if isinstance(argument, integral) else argument


def jit(function: Function) -> Function:
    """Compile a function on its first call, cached on disk, without Python objects or the GIL.

    Every integer argument is made an int64: Numba would otherwise compile a function again for
    each mix of int8, int64 and literal arguments, which here tripled the time to compile.
    """
    return cast(Function, _widening(_compiled(function)))


def inlined(function: Function) -> Function:
    """Compile a function as ``jit`` does, into each that calls it.

    For what is called at each decision from one place, or takes a batch, dozens of words long.
    """
    return cast(Function, _widening(_compiled(function, forceinline=True)))


def _widening(compiled: Any) -> Any:
    if numba.config.DISABLE_JIT:
        return compiled
    template_for = compiled.get_call_template
    compiled.get_call_template = lambda args, kws: template_for(tuple(map(widened, args)), kws)
    return compiled


def jit_for(signature: Any, **options: Any) -> Callable[[Function], Function]:
    """Compile a function at once, for one signature: one that takes or is a function argument."""

    def compiled(function: Function) -> Function:
        return cast(Function, _compiled(function, [signature], **options))

    return compiled


def _compiled(
    function: Callable[..., Any],
    signatures: Sequence[Any] = (),
    *,
    keep: bool = True,
    **options: Any,
) -> Any:
    """Compile without reference counts: the engine allocates nothing, and they are slow atomics."""
    settings: dict[str, Any] = {
        "nogil": True,
        "error_model": "numpy",
        "_nrt": False,
        "forceinline": False,
    }
    compiled = numba.njit(**settings | options)(function)
    if numba.config.DISABLE_JIT:
        return compiled
    if keep:
        compiled._cache = DiskCache(function, _NOTICE.not_kept)
    for signature in signatures:
        compiled.compile(signature)
    if signatures:
        compiled.disable_compile()
    return compiled
