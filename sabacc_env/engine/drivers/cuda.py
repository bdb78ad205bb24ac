"""The engine on a GPU: its functions as device code, and kernels that call them table by table.

No rule is written here. A kernel calls a function of ``batch.py`` or ``policy_loop.py`` in each of
its threads, for one table: what a CPU thread does for its share of the tables. The bits are the
same too: tests/cuda/test_cuda.py sees that there is nothing that a compiler for GPUs would fuse.

Imported only where a device is asked for: ``numba.cuda`` is Numba's own, or the package numba-cuda
where that is installed. ``NUMBA_ENABLE_CUDASIM=1`` runs the kernels as ordinary Python.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from inspect import signature
from types import FunctionType
from typing import Any, Final

import numba
from numba import cuda
from numba.core.dispatcher import Dispatcher

from sabacc_env.engine.drivers.policy_loop import Policy, play_tables
from sabacc_env.engine.jit import widened
from sabacc_env.engine.layout import MAX_SEATS

OPTIONS: Final = {"lto": False} if "lto" in signature(cuda.jit).parameters else {}
"""For kernels: not optimised again when they are linked, so that what a test reads is what runs."""

THREADS: Final = 128
"""Threads in a block: a multiple of a warp, few enough for the registers that the rules take."""


# Device code.


def device(function: Callable[..., Any]) -> Any:
    """Compile a function for kernels to call, its integer arguments as in ``jit``."""
    if numba.config.ENABLE_CUDASIM:
        return function
    compiled = cuda.jit(device=True)(function)
    template_for = compiled.get_call_template
    compiled.get_call_template = lambda args, kws: template_for(tuple(map(widened, args)), kws)
    return compiled


@cache
def device_code(function: Any, **replacements: Any) -> Any:
    """Return a function of the engine as device code, and with it all that it calls.

    Numba by itself would take neither a function compiled for one signature, such as a policy,
    nor the integers of ``jit``.

    Args:
        function: as ``jit`` or ``jit_for`` made it.
        replacements: by name, what it calls in place of functions of the engine.
    """
    source = getattr(function, "py_func", function)
    named = {
        name: source.__globals__[name]
        for name in source.__code__.co_names
        if name in source.__globals__
    }
    called = {
        name: device_code(value) for name, value in named.items() if isinstance(value, Dispatcher)
    }
    known = named | called | replacements
    return device(FunctionType(source.__code__, known, source.__name__, closure=source.__closure__))


NO_POLICIES: Final = (0,) * MAX_SEATS


@cache
def play_tables_by(policies: tuple[Policy, ...]) -> Any:
    """Return ``play_tables`` as device code for these policies, one a seat.

    A GPU has no function pointers, so ``call_policy`` is compiled anew for each set of policies.
    The argument that ``play_tables`` takes for them, ``NO_POLICIES``, is not used.
    """
    call_policy = None
    for policy in dict.fromkeys(policies):
        seats = sum(1 << seat for seat, other in enumerate(policies) if other is policy)
        call_policy = _calling(device_code(policy), seats, call_policy)
    return device_code(play_tables, call_policy=call_policy)


def _calling(policy: Any, seats: int, others: Any) -> Any:
    """Return a ``call_policy`` that calls one policy at these seats and ``others`` elsewhere."""

    def call_one(_policy: int, _seat: int, observation: Any, legal: int, word: int) -> Any:
        return policy(observation, legal, word)

    def call_policy(_policy: int, seat: int, observation: Any, legal: int, word: int) -> Any:
        if seats >> seat & 1:
            return policy(observation, legal, word)
        return others(_policy, seat, observation, legal, word)

    return device(call_one if others is None else call_policy)


# Kernels.


def _part_of_one(arrays: Any, i: int) -> Any:
    return (arrays[0][i : i + 1],)


def _part_of_two(arrays: Any, i: int) -> Any:
    return arrays[0][i : i + 1], arrays[1][i : i + 1]


def _part_of_three(arrays: Any, i: int) -> Any:
    return arrays[0][i : i + 1], arrays[1][i : i + 1], arrays[2][i : i + 1]


PARTS: Final = tuple(map(device, (_part_of_one, _part_of_two, _part_of_three)))
"""By the number of arrays less one: the part of them that concerns table i."""


@cache
def kernel_for(code: Any, num_arrays: int) -> Any:
    """Return a kernel that calls device code in each thread, for one table.

    The kernel takes two tuples: the code's first arguments, then ``num_arrays`` arrays with an
    entry for each of the tables, which are its last arguments.
    """
    part = PARTS[num_arrays - 1]

    def for_each_table(batches: Any, arrays: Any) -> None:
        i = cuda.grid(1)
        if i < len(arrays[0]):
            code(*(batches + part(arrays, i)))

    return cuda.jit(**OPTIONS)(for_each_table)


@cache
def first_kernel_for(code: Any, num_arrays: int) -> Any:
    """Return a kernel that lowers ``first[0]`` to the index of the first table that code finds.

    The code returns 0 for a table that it finds and -1 else, as a loop over that one table does.
    """
    part = PARTS[num_arrays - 1]

    def find_first(batches: Any, arrays: Any, first: Any) -> None:
        i = cuda.grid(1)
        if i < len(arrays[0]) and code(*(batches + part(arrays, i))) == 0:
            cuda.atomic.min(first, 0, i)

    return cuda.jit(**OPTIONS)(find_first)


def _assign(source: Any, target: Any) -> None:
    i = cuda.grid(1)
    if i < len(target):
        target[i] = source[i]


def _clear(flat: Any) -> None:
    i = cuda.grid(1)
    if i < len(flat):
        flat[i] = 0


def _move_rows(source: Any, sources: Any, target: Any, targets: Any) -> None:
    i = cuda.grid(1)
    width = target.shape[1]
    if i < len(targets) * width:
        row, column = i // width, i % width
        target[targets[row], column] = source[sources[row], column]


assign = cuda.jit(**OPTIONS)(_assign)
"""Copy numbers into an array of another kind of numbers."""
clear = cuda.jit(**OPTIONS)(_clear)
"""Set all entries of a one-dimensional array to 0."""
move_rows = cuda.jit(**OPTIONS)(_move_rows)
"""Copy rows of one table of numbers to rows of another: a number in each thread."""
