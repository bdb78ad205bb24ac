"""How the engine is compiled: one decorator, and a cache that can never be stale.

Numba's own cache looks at one file at a time, so a change in an imported file would run old code.
The cache folder here is therefore named by a hash of every engine source.
``NUMBA_DISABLE_JIT=1`` runs the same functions as ordinary Python.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any, TypeVar, cast

import numba
from numba.core import event, types

from sabacc_env.engine.cache import own_folder

Function = TypeVar("Function", bound=Callable[..., Any])


CACHE_FOLDER = own_folder()


class _Notice(event.Listener):
    """Says once, on the error stream, that the engine is being compiled: it takes a while."""

    def __init__(self) -> None:
        self.given = False

    def on_start(self, event: Any) -> None:
        """Note that a function begins to be compiled, which one from the cache does not."""
        function = event.data["dispatcher"].py_func
        if self.given or not function.__module__.startswith(__package__):
            return
        self.given = True
        kept = "then it is kept" if CACHE_FOLDER else "no folder can be written to keep it"
        print(
            f"sabacc-env: compiling what is new of the engine, up to half a minute; {kept}",
            file=sys.stderr,
        )

    def on_end(self, event: Any) -> None:
        """Say nothing."""


event.register("numba:compile", _Notice())


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
    function: Callable[..., Any], signatures: list[Any] | None = None, **options: Any
) -> Any:
    """Compile without reference counts: the engine allocates nothing, and they are slow atomics."""
    defaults = {"cache": CACHE_FOLDER is not None, "_nrt": False, "forceinline": False}
    before = numba.config.CACHE_DIR
    numba.config.CACHE_DIR = CACHE_FOLDER or before
    try:
        return numba.njit(signatures, nogil=True, error_model="numpy", **(defaults | options))(
            function
        )
    finally:
        numba.config.CACHE_DIR = before
