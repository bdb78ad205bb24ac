"""Tables in this machine's memory, played by its processors.

``gpu.Cuda`` has the same methods; ``Cpu`` says what each means.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor, wait
from functools import lru_cache
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from sabacc_env.arguments import check_array
from sabacc_env.engine.drivers.policy_code import Policy, policy_codes
from sabacc_env.engine.drivers.policy_loop import play_tables

DECISIONS_PER_CHUNK: Final = 2**16
"""Decisions that a thread plays before Ctrl-C is heard: some hundredths of a second."""


class Cpu:
    """Tables in NumPy arrays, stepped by threads of this process.

    Args:
        threads: how many; results do not depend on it.
    """

    name = "cpu"
    arrays_only = False
    """Whether what hands start from can only be given as arrays, not as functions."""

    def __init__(self, threads: int) -> None:
        self.threads = threads

    # Arrays.

    def to_device(self, array: NDArray[Any]) -> Any:
        """Return an array of the device with what this one of the host holds."""
        return array

    def to_host(self, array: Any) -> NDArray[Any]:
        """Return an array of the host with what this one holds."""
        return np.asarray(array)

    def as_given(self, name: str, values: Any) -> Any:
        """Return what a user gave as an array, where it is; refuse by name what is none."""
        return check_array(name, values)

    def as_int64(self, array: Any) -> Any:
        """Return an array of whole numbers as int64 on the device."""
        return np.ascontiguousarray(array, dtype=np.int64)

    def clear(self, array: Any) -> None:
        """Set all of an array to zero."""
        array[:] = 0

    def write(self, array: Any, values: NDArray[Any]) -> None:
        """Copy an array of the host into one of the device."""
        array[:] = values

    def copy_rows(self, source: Any, sources: Any, target: Any, targets: Any) -> None:
        """Copy rows of an array to distinct rows of another, or of the same."""
        target[targets] = source[sources]

    # Playing.

    def run(self, function: Callable[..., None], batches: tuple[Any, ...], *arrays: Any) -> None:
        """Call a function of the engine, which needs no GIL, on a part of the tables at a time.

        Args:
            function: of the ``batches``, then the ``arrays``.
            batches: what all parts share.
            arrays: with an entry for each table meant.
        """
        if self.threads == 1:
            function(*batches, *arrays)
            return
        own, *others = self._shares(arrays)
        calls: list[Future[None]] = [Future() for _ in others]
        try:
            for call, part in zip(calls, others, strict=True):
                self._pool.submit(_run_call, call, function, *batches, *part)
            function(*batches, *own)
            wait(calls)
        except BaseException:  # Ctrl-C may come between any two of these lines, within submit too
            wait([call for call in calls if not call.cancel()])
            raise
        for call in calls:
            call.result()

    def _shares(self, arrays: tuple[Any, ...]) -> Iterator[tuple[Any, ...]]:
        """Return a share of the arrays for each thread."""
        return zip(*(np.array_split(array, self.threads) for array in arrays), strict=True)

    @property
    def _pool(self) -> ThreadPoolExecutor:
        """The threads beside the one that calls."""
        return _pool(self.threads - 1, os.getpid())

    def find_first(
        self, function: Callable[..., int], batches: tuple[Any, ...], *arrays: Any
    ) -> int:
        """Return the index of the first table that a function of the engine finds, or -1."""
        return function(*batches, *arrays)

    def chunks(self, indices: Any, decisions: int) -> Iterator[tuple[Any, int]]:
        """Yield some of the tables with some of the decisions, until all had all.

        They are so few that Ctrl-C between two of them is heard at once.
        """
        rows = self.threads * max(1, DECISIONS_PER_CHUNK // max(1, decisions))
        for first in range(0, len(indices), rows):
            for done in range(0, decisions, DECISIONS_PER_CHUNK):
                yield indices[first : first + rows], min(DECISIONS_PER_CHUNK, decisions - done)

    def play(
        self,
        policies: tuple[Policy, ...],
        batches: tuple[Any, ...],
        settings: tuple[Any, ...],
        indices: Any,
    ) -> None:
        """Run the engine's ``play_tables``.

        Args:
            policies: one for each seat.
            batches: its arguments before the policies.
            settings: its arguments after them.
            indices: the tables to play at.
        """
        self.run(play_tables, (*batches, policy_codes(policies), *settings), indices)


def _run_call(call: Future[None], function: Callable[..., None], *arguments: Any) -> None:
    """Call a function unless the call has been cancelled; its end, or its error, ends the call.

    The caller makes the call's future before the pool gets it. So it knows all calls at any time,
    and after Ctrl-C no thread plays on unseen: whoever catches that may use the tables.
    """
    if not call.set_running_or_notify_cancel():
        return
    try:
        function(*arguments)
    except BaseException as error:  # noqa: BLE001 (the caller raises it)
        call.set_exception(error)
    else:
        call.set_result(None)


@lru_cache
def _pool(threads: int, process: int) -> ThreadPoolExecutor:
    """Return the threads of a process: those of its parent do not survive a fork."""
    return ThreadPoolExecutor(threads, thread_name_prefix=f"sabacc-tables-{process}")
