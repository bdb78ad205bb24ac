"""How the engine is compiled: its decorators, which use a cache that is never stale (``cache``).

``NUMBA_DISABLE_JIT=1`` runs the same functions as ordinary Python.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from functools import cache, wraps
from typing import Any, TypeVar, cast

import numba
from numba.core import event, types

from sabacc_env.engine.cache import DiskCache

Function = TypeVar("Function", bound=Callable[..., Any])


class _CompilationNotices(event.Listener):
    """Prints to standard error why the engine is slow to start, each notice once."""

    def __init__(self) -> None:
        self._printed: set[str] = set()

    def _print_once(self, notice: str) -> None:
        if notice not in self._printed:
            self._printed.add(notice)
            print(f"sabacc-env: {notice}", file=sys.stderr)

    def on_start(self, event: Any) -> None:
        """Print a notice when Numba starts to compile a function that the cache does not have."""
        function = event.data["dispatcher"].py_func
        if function.__module__.startswith(__package__):
            self._print_once(
                "compiling the engine, which takes half a minute, or two on a slow or busy machine"
            )

    def on_end(self, event: Any) -> None:
        """Do nothing when a function is compiled."""

    def on_cache_failure(self) -> None:
        """Print a notice when compiled code cannot be cached."""
        self._print_once("no cache folder can be written, so every start compiles the engine again")


_NOTICES = _CompilationNotices()
event.register("numba:compile", _NOTICES)


def widened(argument_type: Any) -> Any:
    """Return the type that ``jit`` makes of an argument's type: int64 for every kind of integer."""
    integral = types.IntegerLiteral | types.Integer | types.Boolean | types.BooleanLiteral
    return types.int64 if isinstance(argument_type, integral) else argument_type


def jit(function: Function) -> Function:
    """Compile a function on its first call, cached on disk, without Python objects or the GIL.

    Every integer argument becomes an int64. Otherwise Numba would compile a function again for each
    mix of int8, int64 and literal arguments, which tripled the time to compile the engine.
    """
    return cast(Function, _widen_arguments(_compile(function)))


def inlined(function: Function) -> Function:
    """Compile a function as ``jit`` does, and inline it into the functions that call it.

    For functions that every decision calls from one place, and for those that take a batch, whose
    dozens of words would be passed at each call.
    """
    return cast(Function, _widen_arguments(_compile(function, forceinline=True)))


def _widen_arguments(compiled: Any) -> Any:
    if numba.config.DISABLE_JIT:
        return compiled
    template_for = compiled.get_call_template

    def get_call_template(args: Sequence[Any], kws: Any) -> Any:
        template, pysig, args, kws = template_for(tuple(map(widened, args)), kws)
        # Only the signature of these very arguments, which is compiled now. Numba warns of every
        # other one that they could be converted to, such as one for a record of fewer fields.
        template.cases = [case for case in template.cases if case.args == tuple(args)]
        return template, pysig, args, kws

    compiled.get_call_template = get_call_template
    return compiled


def jit_for(signature: Any, **options: Any) -> Callable[[Function], Function]:
    """Compile a function at once, for one signature only: for functions that are passed."""

    def decorator(function: Function) -> Function:
        return cast(Function, _compile(function, [signature], **options))

    return decorator


def jit_when_called(signature: Any) -> Callable[[Function], Function]:
    """Compile a function on its first call, for one signature only.

    For functions that take compiled functions as arguments. Compiled code cannot call them.
    """

    def decorator(function: Function) -> Function:
        compiled = cache(lambda: _compile(function, [signature]))

        @wraps(function)
        def call(*arguments: Any) -> Any:
            return compiled()(*arguments)

        return cast(Function, call)

    return decorator


def _compile(
    function: Callable[..., Any],
    signatures: Sequence[Any] = (),
    *,
    cached: bool = True,
    **options: Any,
) -> Any:
    """Compile without reference counts: they are slow, and the engine allocates nothing."""
    settings: dict[str, Any] = {
        "nogil": True,
        "error_model": "numpy",
        "_nrt": False,
        "forceinline": False,
    }
    compiled = numba.njit(**settings | options)(function)
    if numba.config.DISABLE_JIT:
        return compiled
    if cached:
        compiled._cache = DiskCache(function, _NOTICES.on_cache_failure)
    for signature in signatures:
        compiled.compile(signature)
    if signatures:
        compiled.disable_compile()
    return compiled
