"""The engine on a GPU: its functions as device code, and kernels that call them table by table.

No rule is written here. Each thread of a kernel calls a function of ``batch.py`` or
``policy_loop.py`` for one table, as a CPU thread does for its share of the tables. The results are
the same bit for bit: tests/cuda/test_cuda.py checks that the compiler fuses no operations.

This module is imported only when a device is asked for. ``numba.cuda`` is Numba's own, or the
package numba-cuda if that is installed. ``NUMBA_ENABLE_CUDASIM=1`` runs the kernels as ordinary
Python.
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

from sabacc_env.engine.drivers.policy_code import Policy
from sabacc_env.engine.drivers.policy_loop import play_tables
from sabacc_env.engine.jit import widened
from sabacc_env.engine.layout import MAX_SEATS

OPTIONS: Final = {"lto": False} if "lto" in signature(cuda.jit).parameters else {}
"""Options of kernels: linking does not optimise them, so tests read the code that runs."""

THREADS: Final = 128
"""Threads in a block: a multiple of a warp, few enough for the registers of each thread."""


# Device code.


def device(function: Callable[..., Any]) -> Any:
    """Compile a function for kernels to call; ``jit`` explains the types of its arguments."""
    if numba.config.ENABLE_CUDASIM:
        return function
    compiled = cuda.jit(device=True)(function)
    template_for = compiled.get_call_template
    compiled.get_call_template = lambda args, kws: template_for(tuple(map(widened, args)), kws)
    return compiled


@cache
def device_code(function: Any, **replacements: Any) -> Any:
    """Return a function of the engine, and all functions that it calls, as device code.

    Numba by itself would not accept a function compiled for one signature, such as a policy, and
    would not widen integers as ``jit`` does.

    Args:
        function: as ``jit`` or ``jit_for`` returned it.
        replacements: functions that it calls instead of those of the same names.
    """
    source = getattr(function, "py_func", function)
    used = {
        name: source.__globals__[name]
        for name in source.__code__.co_names
        if name in source.__globals__
    }
    called = {
        name: device_code(value) for name, value in used.items() if isinstance(value, Dispatcher)
    }
    names = used | called | replacements
    return device(FunctionType(source.__code__, names, source.__name__, closure=source.__closure__))


@cache
def play_tables_by(policies: tuple[Policy, ...]) -> Any:
    """Return ``play_tables`` as device code for these policies, none of which comes twice.

    A GPU has no function pointers, so ``call_policy`` is compiled anew for each tuple of policies.
    The argument ``policies`` of the code are ``policy_indices``.
    """
    call_policy = None
    for index, policy in enumerate(policies):
        call_policy = _calling(device_code(policy), index, call_policy)
    return device_code(play_tables, call_policy=call_policy)


def policy_indices(policies: tuple[Policy, ...], distinct: tuple[Policy, ...]) -> tuple[int, ...]:
    """Return the index of each seat's policy, for ``MAX_SEATS`` seats whatever the players.

    So one kernel plays with any number of players.
    """
    used = [distinct.index(policy) for policy in policies]
    return (*used, *[0] * (MAX_SEATS - len(used)))


def _calling(policy: Any, index: int, others: Any) -> Any:
    """Return a ``call_policy`` that calls one policy by its index and ``others`` by theirs."""

    def call_one(_index: int, _seat: int, observation: Any, legal: int, word: int) -> Any:
        return policy(observation, legal, word)

    def call_policy(chosen: int, seat: int, observation: Any, legal: int, word: int) -> Any:
        if chosen == index:
            return policy(observation, legal, word)
        return others(chosen, seat, observation, legal, word)

    return device(call_one if others is None else call_policy)


# Kernels.


def _part_of_one(arrays: Any, i: int) -> Any:
    return (arrays[0][i : i + 1],)


def _part_of_two(arrays: Any, i: int) -> Any:
    return arrays[0][i : i + 1], arrays[1][i : i + 1]


def _part_of_three(arrays: Any, i: int) -> Any:
    return arrays[0][i : i + 1], arrays[1][i : i + 1], arrays[2][i : i + 1]


def _part_of_five(arrays: Any, i: int) -> Any:
    return (
        arrays[0][i : i + 1],
        arrays[1][i : i + 1],
        arrays[2][i : i + 1],
        arrays[3][i : i + 1],
        arrays[4][i : i + 1],
    )


PARTS: Final = {
    1: device(_part_of_one),
    2: device(_part_of_two),
    3: device(_part_of_three),
    5: device(_part_of_five),
}
"""By how many arrays there are: a function that slices each to the entry of table i."""


@cache
def kernel_for(code: Any, num_arrays: int) -> Any:
    """Return a kernel whose threads each call device code for one table.

    The kernel takes two tuples: the first arguments of the code, and its last arguments, which are
    ``num_arrays`` arrays with an entry for each table.
    """
    part = PARTS[num_arrays]

    def for_each_table(batches: Any, arrays: Any) -> None:
        i = cuda.grid(1)
        if i < len(arrays[0]):
            code(*(batches + part(arrays, i)))

    return cuda.jit(**OPTIONS)(for_each_table)


@cache
def first_kernel_for(code: Any, num_arrays: int) -> Any:
    """Return a kernel that lowers ``first[0]`` to the index of the first table that code finds.

    The code loops over one table, so it returns 0 if it finds that table and -1 otherwise.
    """
    part = PARTS[num_arrays]

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
"""Copy numbers into an array of another dtype."""
clear = cuda.jit(**OPTIONS)(_clear)
"""Set all entries of a one-dimensional array to 0."""
move_rows = cuda.jit(**OPTIONS)(_move_rows)
"""Copy rows of one matrix to rows of another, one number in each thread."""
