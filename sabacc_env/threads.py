"""Threads: one compiled function over many tables, a part of them in each thread."""

from __future__ import annotations

import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray


def in_chunks(
    threads: int,
    function: Callable[..., None],
    batches: tuple[Any, ...],
    *per_table: NDArray[Any],
) -> None:
    """Call a compiled function, which needs no GIL, on a part of the tables in each thread.

    Args:
        threads: how many parts.
        function: takes the batches whole, then its part of what there is per table.
        batches: what the threads share.
        per_table: arrays of one length.
    """
    if threads == 1:
        function(*batches, *per_table)
        return
    chunks = zip(*(np.array_split(array, threads) for array in per_table), strict=True)
    pool = _pool(threads, os.getpid())
    calls = [pool.submit(function, *batches, *chunk) for chunk in chunks]
    for call in calls:
        call.result()


@lru_cache
def _pool(threads: int, process: int) -> ThreadPoolExecutor:
    """Return the threads of a process: those of its parent do not survive a fork."""
    return ThreadPoolExecutor(threads, thread_name_prefix=f"sabacc-tables-{process}")
