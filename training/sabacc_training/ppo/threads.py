"""Threads that share the work of one run."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor


class Workers:
    """The calling thread and further ones. Only work that releases the GIL becomes faster.

    Args:
        threads: how many there are in all.
    """

    def __init__(self, threads: int) -> None:
        self._threads = threads
        self._pool = ThreadPoolExecutor(threads - 1) if threads > 1 else None

    def together(self, *jobs: Callable[[], None]) -> None:
        """Run all jobs, in parallel where there are several threads."""
        if self._pool is None:
            for job in jobs:
                job()
            return
        others = [self._pool.submit(job) for job in jobs[1:]]
        jobs[0]()
        for other in others:
            other.result()

    def over(self, rows: int, work: Callable[[slice], None], piece_size: int = 1) -> None:
        """Run some work over all rows, each thread on consecutive ones.

        Args:
            rows: their number.
            work: takes a slice of rows; several threads call it at the same time.
            piece_size: each thread begins at a multiple of it.
        """
        if not rows:
            return
        pieces = -(-rows // piece_size)
        shares = range(min(self._threads, pieces))
        begins = [pieces * share // len(shares) * piece_size for share in shares]
        ends = [*begins[1:], rows]
        parts = [slice(begin, end) for begin, end in zip(begins, ends, strict=True)]
        self.together(*(lambda part=part: work(part) for part in parts))
